"""Keeping a project fresh while its files change."""
