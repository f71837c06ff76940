"""PCKC's canonical store, and a vector index, in PostgreSQL."""
