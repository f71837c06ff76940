"""Facts of Python files."""
