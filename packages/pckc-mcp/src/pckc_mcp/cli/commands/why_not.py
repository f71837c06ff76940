"""``pckc why-not``: why a text is not among the current claims."""

from argparse import Namespace
from typing import Any

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import Claim, ClaimStatus, Governance
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.reconcile import is_expired
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import stemmed_tokens

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.clock import SystemClock
from pckc_mcp.engine import Engine, open_engine
from pckc_mcp.forms import answer, bare_claim_form, rejection_form

MOST = 10
REJECTIONS_READ = 50_000
SHARE = 0.5
"""Share of the asked words that a rejected text must have to be an answer."""


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
        rejections = work.assertions.rejections(limit=REJECTIONS_READ)
    near = sorted(
        ((_share(text, rejection.excerpt), rejection) for rejection in rejections if rejection.excerpt),
        key=lambda item: (-item[0], item[1].event_id),
    )
    return answer(
        "why-not",
        {},
        claims=[{**bare_claim_form(hit.stored), "why": _state(hit.stored)} for hit in hits],
        rejections=[rejection_form(rejection) for share, rejection in near[:MOST] if share >= SHARE],
        evidence=[
            {"id": hit.evidence.id, "session": hit.evidence.session_id, "text": hit.evidence.text}
            for hit in said
            if _share(text, hit.evidence.text) >= SHARE
        ],
    )


def _share(text: str, other: str) -> float:
    wanted = stemmed_tokens([text]) - STOP_WORDS
    return len(wanted & stemmed_tokens([other])) / len(wanted) if wanted else 0.0


def _state(stored: StoredClaim) -> str:
    claim: Claim = stored.claim
    if claim.governance in (Governance.ARCHIVED, Governance.REJECTED):
        return f"a person {claim.governance} it"
    if claim.superseded_by:
        return f"replaced by {claim.superseded_by} at {claim.valid_to}"
    if claim.valid_to is not None:
        return f"it held until {claim.valid_to}"
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
    lines += [
        f"said      but no claim was read in it\n  > {item['text'][:200]}  ({item['id']})" for item in form["evidence"]
    ]
    return "\n".join(lines) or "nothing like it was ever read"
