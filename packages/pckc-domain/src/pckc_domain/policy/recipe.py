"""The version of the way documents are cut and facts read: a new one makes every file be read again."""

RECIPE = "6"

GRAPH_RECIPE = "g1"
"""The same of graphs: whatever reads or links code otherwise raises it, and every graph is made anew."""

SESSION_GRAPH_RECIPE = "s1"
"""The same of the session graph."""
