"""Tree-sitter as PCKC's code parser."""
