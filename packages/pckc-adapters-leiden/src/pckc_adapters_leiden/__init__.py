"""Communities of a graph by the Leiden algorithm, as PCKC's communities backend."""
