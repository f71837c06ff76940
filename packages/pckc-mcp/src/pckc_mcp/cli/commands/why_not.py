"""``pckc why-not``: why a text is not among the current claims."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import Claim, ClaimStatus, Governance
from pckc_domain.model.proof import EventLocator, Proof, parse_locator
from pckc_domain.model.session import Evidence
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.reconcile import is_expired
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import stemmed_tokens
from pckc_domain.ports.canonical import UnitOfWork

from pckc_mcp.cli.commands.claims import time_of
from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.clock import SystemClock
from pckc_mcp.engine import Engine, open_engine
from pckc_mcp.forms import answer, bare_claim_form, rejection_form, time_form

MOST = 10
REJECTIONS_READ = 50_000
CLAIMS_READ = 1_000
SHARE = 0.5
"""Share of the asked words that a text must have to be an answer."""


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
        claims=[{**bare_claim_form(hit.stored), "why": _state(hit.stored)} for hit in hits],
        rejections=rejections,
        evidence=[
            {"id": item.id, "session": item.session_id, "text": item.text, "claims": read[item.id]} for item in evidence
        ],
    )


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


def _state(stored: StoredClaim) -> str:
    claim: Claim = stored.claim
    if claim.governance in (Governance.ARCHIVED, Governance.REJECTED):
        return f"a person {claim.governance} it"
    if claim.superseded_by:
        return f"replaced by {claim.superseded_by} at {time_form(claim.valid_to)}"
    if claim.valid_to is not None:
        return f"it held until {time_form(claim.valid_to)}"
    if claim.valid_from > SystemClock().now():
        return f"it holds from {time_form(claim.valid_from)} on"
    if is_expired(claim, SystemClock().now()):
        return "a model said so, and nobody confirmed it within 30 days"
    if claim.status is ClaimStatus.CANDIDATE:
        return "a candidate: a model said so, and nothing confirmed it yet"
    if claim.status is ClaimStatus.STALE:
        return claim.status_reason
    return "it is a current claim"


def _text(form: dict[str, Any]) -> str:
    lines = [f"claim     {item['why']}\n  > {item['text'][:200]}  ({item['id']})" for item in form["claims"]]
    lines += [f"rejected  {item['reason']}\n  > {item['excerpt'][:200]}" for item in form["rejections"]]
    lines += [f"said      {_reading(item)}\n  > {item['text'][:200]}  ({item['id']})" for item in form["evidence"]]
    return "\n".join(lines) or "nothing like it was ever read"


def _reading(item: dict[str, Any]) -> str:
    return f"and read as {', '.join(item['claims'])}" if item["claims"] else "but no claim was read in it"
