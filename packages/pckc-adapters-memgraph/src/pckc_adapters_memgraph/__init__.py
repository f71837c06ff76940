"""PCKC's graph index in Memgraph."""
