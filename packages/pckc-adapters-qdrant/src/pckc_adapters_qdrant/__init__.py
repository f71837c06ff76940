"""PCKC's vector index in Qdrant."""
