"""The version of the way documents are cut: a new one makes every file be cut again."""

RECIPE = "3"

GRAPH_RECIPE = "g1"
"""The same of graphs: whatever reads or links code otherwise raises it, and every graph is made anew."""
