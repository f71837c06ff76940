"""Use cases: policies applied through ports; no I/O of their own."""
