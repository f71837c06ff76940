"""
Linking of languages with declared types.

What a file's calls mean is a function of its own facts and of what it asks of others by name; `linker` keeps what was
asked, so that a change re-links those who asked for what changed. `outline` is what one file shows to others, `index`
finds it, `rules` and `languages` say how a language finds names; `assembly` makes nodes and edges.

In between, each class rests on the one before it: `asking` asks the index, `scopes` looks names up, `dispatch` chooses
among overloads and finds implementations, `parts` looks into types and `bodies` into bodies, `well_known` knows methods
that nobody declares, `selection` selects members, `calls` finds whom calls mean, `evaluation` tells what an expression
is, `handing` follows functions that are given away by name.
"""
