"""Graphs of several languages at once follow the work tree, whatever is done to it."""

from hypothesis import settings
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.policy.graph.linkers import all_linkers
from pckc_domain.testing.graph_machine import GO, JAVA, PYTHON, SCRIPT, C, GraphFollowsTree
from pckc_domain.usecases.read_code import SerialReading


class LanguagesFollowTree(GraphFollowsTree):
    """With what tree-sitter reads."""

    languages = (PYTHON, SCRIPT, GO, JAVA, C)
    linkers = all_linkers()
    reading = SerialReading(TreeSitterCodeReader())


TestLanguagesFollowTree = LanguagesFollowTree.TestCase
TestLanguagesFollowTree.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
