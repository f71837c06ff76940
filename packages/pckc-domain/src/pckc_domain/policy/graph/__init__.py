"""The repository graph: who calls, imports and extends whom."""
