"""``pckc why-not``: why a text is not among the current claims."""

import re
from argparse import Namespace
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import Claim, ClaimStatus, Governance
from pckc_domain.model.passage import Chunk, Layer, PassageFilter, StoredPassage
from pckc_domain.model.proof import EventLocator, Proof, parse_locator
from pckc_domain.model.session import Evidence
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.judging.judge import compare
from pckc_domain.policy.rendering import inline
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import stemmed_tokens
from pckc_domain.policy.validity import is_expired
from pckc_domain.ports.canonical import UnitOfWork

from pckc_mcp.cli.commands.claims import time_of
from pckc_mcp.cli.output import print_json, print_text, quoted
from pckc_mcp.clock import SystemClock
from pckc_mcp.engine import Engine
from pckc_mcp.forms import Form, answer, bare_claim_form, passage_place, rejection_form, time_form
from pckc_mcp.opening import open_engine

MOST = 10
REJECTIONS_READ = 50_000
CLAIMS_READ = 1_000
MOST_PASSAGES = 3
SHARE = 0.5
"""Share of the asked words that a text must have to be an answer."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*#|>])")


def run(options: Namespace) -> int:
    """Print the claims and rejected texts that come nearest, each with its reason."""
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        form = explain_absence(engine, options.text)
    if options.json:
        print_json(form)
    else:
        print_text(_text(form))
    return 0


def explain_absence(engine: Engine, text: str) -> dict[str, Any]:
    """Return what is stored of a text, and why it is or is not a current claim."""
    with engine.canonical.reading(engine.scope) as work:
        query = analyze_query(text)
        hits = [] if query.is_empty else work.claims.search(query, where=ClaimFilter(), limit=MOST)
        said = [] if query.is_empty else work.evidence.search(query, where=EvidenceFilter(), limit=MOST)
        hits = [hit for hit in hits if _share(text, _words(hit.stored.claim)) >= SHARE]
        passages = _passages(engine, work, text)
        evidence = [hit.evidence for hit in said if _share(text, hit.evidence.text) >= SHARE]
        read = {item.id: _claims_in(work, item, [hit.stored.claim.id for hit in hits]) for item in evidence}
        near = sorted(
            (
                (_share(text, rejection.excerpt), rejection)
                for rejection in work.rejections.find(limit=REJECTIONS_READ)
                if rejection.excerpt
            ),
            key=lambda item: (-item[0], item[1].event_id),
        )
        rejections = [
            rejection_form(rejection, time=time_of(work, rejection))
            for share, rejection in near[:MOST]
            if share >= SHARE
        ]
    return answer(
        "why-not",
        {},
        claims=[
            {
                **bare_claim_form(hit.stored),
                "bearing": _bearing(text, hit.stored.claim),
                "why": _state(engine, hit.stored),
            }
            for hit in hits
        ],
        passages=passages,
        rejections=rejections,
        evidence=[
            {"id": item.id, "session": item.session_id, "text": item.text, "claims": read[item.id]} for item in evidence
        ],
    )


def _passages(engine: Engine, work: UnitOfWork, text: str) -> list[Form]:
    """Return where a stored file or document says nearly this, and the claims that were read there."""
    query = analyze_query(text)
    if query.is_empty:
        return []
    where = PassageFilter(checkout=engine.checkout.id)
    found = [hit.stored for hit in work.passages.search(Layer.PARAGRAPH, query, where=where, limit=MOST)]
    said = [(_share(text, sentence), sentence, stored) for stored in found for sentence in [_nearest(text, stored)]]
    near = sorted((one for one in said if one[0] >= SHARE), key=lambda one: -one[0])
    return [
        {
            "id": stored.passage.id,
            "path": stored.document.uri,
            "place": stored.passage.place,
            "start_line": stored.passage.start_line,
            "end_line": stored.passage.end_line,
            "text": sentence,
            "claims": _claims_read(work, stored, sentence),
        }
        for _, sentence, stored in near[:MOST_PASSAGES]
    ]


def _nearest(text: str, stored: StoredPassage) -> str:
    """Return the sentence of a passage that has most of the asked words."""
    return max(map(_spaced, _SENTENCE_END.split(stored.passage.text)), key=lambda sentence: _share(text, sentence))


def _claims_read(work: UnitOfWork, stored: StoredPassage, sentence: str) -> list[str]:
    """Return the claims that were read from *sentence* of an ingested document."""
    chunks = {
        one.passage.id
        for one in work.passages.of_documents([stored.document.id])
        if isinstance(one.passage, Chunk) and sentence in _spaced(one.passage.text)
    }
    owners = [one.owner_id for one in work.distillations.of_uri(stored.document.uri) if one.passage_id in chunks]
    read = (
        one
        for by_slot in work.assertions.of_owners(owners).values()
        for assertions in by_slot.values()
        for one in assertions
    )
    return sorted({one.claim.id for one in read if _overlap(_spaced(one.proof.excerpt), sentence)})


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _words(claim: Claim) -> str:
    return " ".join((claim.text, claim.subject, claim.attribute, claim.value))


def _claims_in(work: UnitOfWork, evidence: Evidence, known: Sequence[str]) -> list[str]:
    """Return the claims that were read in a passage: *known* ones, and others of its session."""
    of_session = work.claims.find(where=ClaimFilter(session_ids=frozenset({evidence.session_id})), limit=CLAIMS_READ)
    proofs = work.proofs.of(list(dict.fromkeys([*known, *(stored.claim.id for stored in of_session)])))
    return [claim for claim, of_claim in proofs.items() if any(_is_in(proof, evidence) for proof in of_claim)]


def _is_in(proof: Proof, evidence: Evidence) -> bool:
    place = parse_locator(proof.source_ref)
    return (
        isinstance(place, EventLocator)
        and (place.session_id, place.seq) == (evidence.session_id, evidence.seq)
        and place.start < evidence.end
        and evidence.start < place.end
    )


def _share(text: str, other: str) -> float:
    wanted = stemmed_tokens([text]) - STOP_WORDS
    return len(wanted & stemmed_tokens([other])) / len(wanted) if wanted else 0.0


def _bearing(text: str, claim: Claim) -> str:
    """Return ``same``, ``opposite`` or ``near``: what *claim* is to the asked *text*."""
    kind = compare(text, claim.text).kind
    return {VerdictKind.DUPLICATE: "same", VerdictKind.CONTRADICTS: "opposite"}.get(kind, "near")


def _state(engine: Engine, stored: StoredClaim) -> str:
    claim, now, days = stored.claim, SystemClock().now(), engine.config.retention.candidate_days
    if claim.governance in (Governance.ARCHIVED, Governance.REJECTED):
        return f"a person {claim.governance} it"
    if claim.superseded_by:
        return f"replaced by {claim.superseded_by} at {time_form(claim.valid_to)}"
    if claim.valid_to is not None:
        return f"it held until {time_form(claim.valid_to)}"
    if claim.valid_from > now:
        return f"it holds from {time_form(claim.valid_from)} on"
    if is_expired(claim, now, timedelta(days=days)):
        return f"a model said so, and nobody confirmed it within {days} days"
    if claim.status is ClaimStatus.CANDIDATE and claim.document_id:
        return f"a candidate: {claim.status_reason}"
    if claim.status is ClaimStatus.CANDIDATE:
        return "a candidate: a model said so, and nothing confirmed it yet"
    if claim.status in (ClaimStatus.STALE, ClaimStatus.CONTESTED):
        return f"{claim.status}: {claim.status_reason}"
    return "it is a current claim"


def _text(form: dict[str, Any]) -> str:
    lines: list[str] = []
    for item in form["claims"]:
        lines += [f"claim     {item['id']} {_BEARINGS[item['bearing']]}{inline(item['why'])}", _short(item["text"])]
    for item in form["passages"]:
        place, foreign = passage_place(item)
        lines += [f"written   in {place}, {_reading(item)} ({item['id']})", *foreign, _short(item["text"])]
    for item in form["rejections"]:
        lines += [f"rejected  {inline(item['reason'])}", _short(item["excerpt"])]
    for item in form["evidence"]:
        lines += [f"said      {_reading(item)} ({item['id']})", _short(item["text"])]
    if not lines:
        return "nothing like it was ever read"
    if not any(item["bearing"] == "same" for item in form["claims"]):
        lines.append("the text itself was not read as a claim")
    return "\n".join(lines)


_BEARINGS = {"same": "", "near": "", "opposite": "says the opposite; "}


def _short(text: str) -> str:
    return quoted(text, most=200)


def _reading(item: dict[str, Any]) -> str:
    return f"and read as {', '.join(item['claims'])}" if item["claims"] else "but no claim was read in it"
