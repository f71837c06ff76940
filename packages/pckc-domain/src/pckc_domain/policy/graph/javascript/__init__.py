"""JavaScript and TypeScript, whose files import each other."""
