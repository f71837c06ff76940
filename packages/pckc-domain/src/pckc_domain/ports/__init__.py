"""Protocols that adapters implement: synchronous, values in, values out."""
