"""A graph in the forms of other programs."""
