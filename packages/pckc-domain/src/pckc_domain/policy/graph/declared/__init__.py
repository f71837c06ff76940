"""
Linking of languages with declared types.

What a file's calls mean is a function of its own facts and of what it asks of others by name; `linker` keeps what was
asked, so that a change re-links those who asked for what changed. `outline` is what one file shows to others, `index`
finds it, `rules` and `languages` say how a language finds names, `scopes` looks names up, `members` looks into types,
`evaluation` tells what an expression is, `assembly` makes nodes and edges.
"""
