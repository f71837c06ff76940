"""Graphs of several languages at once follow the work tree, whatever is done to it."""

from hypothesis import settings
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.policy.graph.declared.languages import RULES
from pckc_domain.policy.graph.declared.linker import DeclaredLinker
from pckc_domain.policy.graph.whole_linker import WholeLinker
from pckc_domain.testing.graph_machine import GO, JAVA, PYTHON, C, GraphFollowsTree
from pckc_domain.usecases.read_code import SerialReading


class LanguagesFollowTree(GraphFollowsTree):
    """With what tree-sitter reads."""

    languages = (PYTHON, GO, JAVA, C)
    linkers = (WholeLinker(), *map(DeclaredLinker, RULES))
    reading = SerialReading(TreeSitterCodeReader())


TestLanguagesFollowTree = LanguagesFollowTree.TestCase
TestLanguagesFollowTree.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
