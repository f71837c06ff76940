"""PCKC's vector index in Chroma."""
