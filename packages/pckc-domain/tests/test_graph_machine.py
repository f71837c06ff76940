"""The graph of Python follows the work tree, whatever is done to it."""

from hypothesis import settings
from pckc_domain.policy.graph.linkers import all_linkers
from pckc_domain.testing.graph_machine import PYTHON, GraphFollowsTree
from pckc_domain.usecases.read_code import SerialReading


class PythonFollowsTree(GraphFollowsTree):
    """With what the domain can read by itself."""

    languages = (PYTHON,)
    linkers = all_linkers()
    reading = SerialReading()


TestPythonFollowsTree = PythonFollowsTree.TestCase
TestPythonFollowsTree.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
