"""Which passages a query and a filter let through."""

from collections.abc import Callable, Sequence
from functools import partial
from math import log

from pckc_domain.model.passage import Chunk, Paragraph, Passage, PassageFilter, Proposition, Summary
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.analysis import stem_english, text_tokens
from pckc_domain.testing.memory.state import State

SHORTEST_STEMMED = 3
"""SQLite's porter tokenizer leaves shorter words alone."""


def passes(state: State, passage: Passage, where: PassageFilter) -> bool:
    """Return whether *where* keeps *passage*."""
    document = state.documents[passage.document_id]
    if isinstance(passage, Proposition) and where.types and passage.type not in where.types:
        return False
    if isinstance(passage, Summary) and where.levels and passage.level not in where.levels:
        return False
    return (
        (where.include_stale or not document.is_stale)
        and (not where.uris or document.uri in where.uris)
        and (not where.uri_prefixes or document.uri.startswith(where.uri_prefixes))
        and (not where.digests or passage.digest in where.digests)
        and (
            where.checkout is None or document.id not in state.ever_held or where.checkout in state.holders(document.id)
        )
    )


def ranked(passages: Sequence[Passage], query: LexicalQuery) -> list[tuple[float, Passage]]:
    """Return those of *passages* that match, with their scores, best first, ties by id."""
    matched: dict[str, float] = {}
    for part in _parts(query):
        found = [passage.id for passage in passages if part(passage)]
        for id_ in found:
            matched[id_] = matched.get(id_, 0.0) + log(1 + len(passages) / len(found))
    scored = [(matched[passage.id], passage) for passage in passages if passage.id in matched]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))


def _parts(query: LexicalQuery) -> list[Callable[[Passage], bool]]:
    """Return a predicate for each part of *query*."""
    return [
        *(partial(_holds_word, _stems(word)) for word in query.words),
        *(partial(_holds_phrase, _stems(" ".join(phrase))) for phrase in query.phrases),
        *(partial(_holds_term, term) for term in query.terms),
    ]


def _holds_word(run: list[str], passage: Passage) -> bool:
    return any(_stands(run, text) for text in (*_texts(passage), passage.terms))


def _holds_phrase(run: list[str], passage: Passage) -> bool:
    return any(_stands(run, text) for text in _texts(passage))


def _holds_term(term: str, passage: Passage) -> bool:
    return term in passage.terms.split()


def _texts(passage: Passage) -> tuple[str, ...]:
    """Return what words and phrases are looked for in, field by field."""
    match passage:
        case Chunk():
            return passage.text, passage.heading, " ".join(passage.symbols), passage.module, " ".join(passage.tags)
        case Paragraph():
            return passage.text, passage.section_heading, " ".join(passage.symbol_names), passage.summary
        case Proposition():
            return passage.text, passage.subject
        case Summary():
            return passage.text, passage.purpose, " ".join(passage.key_symbols)
        case _:
            raise TypeError(type(passage))


def _stands(run: list[str], text: str) -> bool:
    """Return whether *run* stands in *text* without a gap; an empty run stands nowhere."""
    stems = _stems(text)
    return bool(run) and any(stems[i : i + len(run)] == run for i in range(len(stems) - len(run) + 1))


def _stems(text: str) -> list[str]:
    return [token if len(token) < SHORTEST_STEMMED else stem_english(token) for token in text_tokens(text)]
