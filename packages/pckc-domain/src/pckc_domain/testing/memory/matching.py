"""Which passages, evidence and claims a query and a filter let through."""

from collections.abc import Callable, Sequence
from functools import partial
from math import log
from typing import TypeVar

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import Claim
from pckc_domain.model.graph import Node
from pckc_domain.model.passage import Chunk, Paragraph, Passage, PassageFilter, Proposition, Summary
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Evidence
from pckc_domain.policy.analysis import stem_english, text_tokens
from pckc_domain.policy.graph.symbol_names import symbol_terms
from pckc_domain.policy.naming import names_of
from pckc_domain.testing.memory.state import State

Searched = TypeVar("Searched", Passage, Evidence, Claim, Node)
Text = Passage | Evidence | Claim | Node

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
        and (not where.names or not where.names.isdisjoint(names_of(passage)))
        and (
            where.checkout is None or document.id not in state.ever_held or where.checkout in state.holders(document.id)
        )
    )


def keeps_evidence(where: EvidenceFilter, evidence: Evidence) -> bool:
    """Return whether *where* keeps *evidence*."""
    time = evidence.time
    return (
        (not where.session_ids or evidence.session_id in where.session_ids)
        and (not where.kinds or evidence.kind in where.kinds)
        and (where.since is None or (time is not None and time >= where.since))
        and (where.until is None or (time is not None and time <= where.until))
    )


def keeps_claim(where: ClaimFilter, claim: Claim, slot: str) -> bool:
    """Return whether *where* keeps *claim*."""
    at = where.valid_at
    return (
        (not where.types or claim.type in where.types)
        and (not where.statuses or claim.status in where.statuses)
        and (not where.governance or claim.governance in where.governance)
        and (not where.slots or slot in where.slots)
        and (not where.session_ids or claim.session_id in where.session_ids)
        and (not where.branches or (claim.branch.name or "") in where.branches)
        and (at is None or (claim.valid_from <= at and (claim.valid_to is None or at < claim.valid_to)))
        and (where.is_open is None or where.is_open is (claim.valid_to is None))
        and (claim.is_standing or not where.is_standing)
        and (where.is_said is None or claim.is_said is where.is_said)
        and (not where.set_below or claim.is_said or claim.path.startswith(tuple(where.set_below)))
    )


def ranked(texts: Sequence[Searched], query: LexicalQuery) -> list[tuple[float, Searched]]:
    """Return those of *texts* that match, with their scores, best first, ties by id."""
    matched: dict[str, float] = {}
    for part in _parts(query):
        found = [text.id for text in texts if part(text)]
        for id_ in found:
            matched[id_] = matched.get(id_, 0.0) + log(1 + len(texts) / len(found))
    scored = [(matched[text.id], text) for text in texts if text.id in matched]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))


def _parts(query: LexicalQuery) -> list[Callable[[Text], bool]]:
    """Return a predicate for each part of *query*."""
    return [
        *(partial(_holds_word, _stems(word)) for word in query.words),
        *(partial(_holds_phrase, _stems(" ".join(phrase))) for phrase in query.phrases),
        *(partial(_holds_name, _stems(" ".join(name))) for name in query.names),
        *(partial(_holds_term, term) for term in query.terms),
    ]


def _holds_word(run: list[str], text: Text) -> bool:
    return any(_stands(run, field) for field in (*_fields(text), _terms(text)))


def _holds_phrase(run: list[str], text: Text) -> bool:
    return any(_stands(run, field) for field in _fields(text))


def _holds_name(run: list[str], text: Text) -> bool:
    return any(_stands(run, field) for field in _naming_fields(text))


def _holds_term(term: str, text: Text) -> bool:
    return term in _terms(text).split()


def _fields(text: Text) -> tuple[str, ...]:
    """Return what words and phrases are looked for in, field by field."""
    match text:
        case Chunk():
            return text.text, text.heading, " ".join(text.symbols), text.module, " ".join(text.tags)
        case Paragraph():
            return text.text, text.section_heading, " ".join(text.symbol_names), text.summary
        case Proposition():
            return text.text, text.subject
        case Summary():
            return text.text, text.purpose, " ".join(text.key_symbols)
        case Evidence():
            return (text.text,)
        case Claim():
            return text.text, text.subject, text.attribute, text.value
        case Node():
            return text.name, text.qualified_name, text.signature, text.doc, text.text, text.path
        case _:
            raise TypeError(type(text))


def _naming_fields(text: Text) -> tuple[str, ...]:
    """Return what names are looked for in, field by field."""
    match text:
        case Chunk():
            return text.heading, " ".join(text.symbols)
        case Paragraph():
            return text.section_heading, " ".join(text.symbol_names)
        case Proposition() | Claim():
            return (text.subject,)
        case Summary():
            return (" ".join(text.key_symbols),)
        case Node():
            return text.name, text.qualified_name
        case _:
            return ()


def _terms(text: Text) -> str:
    return symbol_terms(text) if isinstance(text, Node) else text.terms


def _stands(run: list[str], text: str) -> bool:
    """Return whether *run* stands in *text* without a gap; an empty run stands nowhere."""
    stems = _stems(text)
    return bool(run) and any(stems[i : i + len(run)] == run for i in range(len(stems) - len(run) + 1))


def _stems(text: str) -> list[str]:
    return [token if len(token) < SHORTEST_STEMMED else stem_english(token) for token in text_tokens(text)]
