"""The version of the way documents are cut: a new one makes every file be cut again."""

RECIPE = "4"
