"""PCKC canonical store and vector index in one SQLite file."""
