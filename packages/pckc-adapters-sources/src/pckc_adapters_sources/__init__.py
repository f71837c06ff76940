"""PCKC readers: git work trees, Markdown, text and agent transcripts."""
