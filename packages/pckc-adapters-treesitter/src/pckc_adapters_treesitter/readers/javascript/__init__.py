"""JavaScript, JSX, TypeScript and TSX: one reader, since TypeScript is JavaScript with types."""
