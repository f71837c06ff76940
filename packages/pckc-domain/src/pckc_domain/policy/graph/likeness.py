"""How much a symbol speaks of a goal."""

from collections.abc import Iterable

import attrs

from pckc_domain.model.graph import Node
from pckc_domain.policy.analysis import content_words, split_camel, stem_english, text_tokens

NAMED = 1.0
MENTIONED = 0.6
"""What a word of the goal counts that the name holds, and one that stands in signature, documentation or path."""


@attrs.frozen(kw_only=True)
class Goal:
    """
    What somebody wants to get to.

    Attributes:
        text: In their words.
        terms: What it speaks of: stems of its words, in order.
    """

    text: str
    terms: tuple[str, ...]

    def likeness(self, node: Node) -> float:
        """Return the share of the terms that *node* speaks of, 0 to 1."""
        if not self.terms:
            return 0.0
        named = _stems((node.qualified_name,))
        mentioned = _stems((node.signature, node.doc, node.text, node.path))
        score = sum(NAMED if term in named else MENTIONED if term in mentioned else 0.0 for term in self.terms)
        return score / len(self.terms)


def goal_of(text: str) -> Goal:
    """Return the goal that *text* says."""
    stems = [stem for word in content_words(text) for stem in _stems((word,))]
    return Goal(text=text, terms=tuple(dict.fromkeys(stems)))


def text_of(node: Node) -> str:
    """Return what an embedder is given of *node*."""
    return " ".join(part for part in (node.qualified_name, node.signature, node.doc, node.text) if part)


def _stems(texts: Iterable[str]) -> dict[str, None]:
    """Return the stems of the words of *texts*, names in camelCase split."""
    return dict.fromkeys(
        stem_english(part)
        for text in texts
        for name in text.replace("_", " ").replace(".", " ").split()
        for word in (split_camel(name) or text_tokens(name))
        for part in text_tokens(word)
    )
