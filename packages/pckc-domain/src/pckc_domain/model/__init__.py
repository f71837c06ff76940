"""Plain frozen values."""
