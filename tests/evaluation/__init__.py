"""PCKC's own evaluation set for retrieval over conversations."""
