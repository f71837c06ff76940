"""PCKC canonical store, vector index and graph in one SQLite file."""
