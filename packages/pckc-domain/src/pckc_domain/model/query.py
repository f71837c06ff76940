"""An analysed query, as lexical indexes receive it."""

import attrs


@attrs.frozen(kw_only=True)
class LexicalQuery:
    """
    A query whose parts are OR-ed; rarer parts weigh more. Every part is plain words, safe to quote.

    Attributes:
        words: Words matched in the text or among the extra terms, with English stemming (``porter unicode61``).
        phrases: Runs of words that must stand together in the text.
        names: Runs of words that must stand together in a heading, a subject or a symbol.
        terms: Extra terms matched exactly (identifier parts, Russian stems, CJK bigrams, symbols such as C++).
    """

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    terms: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing can match."""
        return not (self.words or self.phrases or self.names or self.terms)
