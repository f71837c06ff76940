"""Pure functions over values."""
