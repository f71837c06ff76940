"""
The stable machine forms: what ``--json`` and the MCP tools answer.

Every answer is one object with ``schema`` (name and version) and ``coverage``. Scripts rely on these keys.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import attrs
from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.claim import Claim, GovernanceAct, Polarity, Rejection
from pckc_domain.model.identity import digest
from pckc_domain.model.memory import ClaimResult, EvidenceResult
from pckc_domain.model.passage import Paragraph, Passage, Proposition
from pckc_domain.model.proof import EventLocator, Proof, ProofCheck, parse_locator
from pckc_domain.model.recall import IndexCoverage, PassageResult, SymbolResult
from pckc_domain.policy.passage_proofs import passage_proof
from pckc_domain.policy.rendering import inline, place_text, set_apart
from pckc_domain.ports.sources import TreeChanges

if TYPE_CHECKING:
    from pckc_domain.usecases.graph_sync import GraphReport
    from pckc_domain.usecases.index import IndexReport
    from pckc_domain.usecases.record import RecordReport
    from pckc_domain.usecases.remember import ImportReport
    from pckc_domain.usecases.verify import VerifyReport

    from pckc_mcp.engine import Engine

Form = dict[str, Any]


def answer(name: str, coverage: Mapping[str, IndexCoverage], /, **keys: Any) -> Form:
    """Return the frame of every answer."""
    return {"schema": {"name": f"pckc.{name}", "version": 1}, "coverage": coverage_form(coverage), **keys}


def time_form(time: datetime | None) -> str | None:
    """Return an instant as ISO 8601 in UTC."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z") if time else None


def coverage_form(coverage: Mapping[str, IndexCoverage]) -> Form:
    """Return the coverage of every index by name."""
    return {
        name: {"indexed": index.indexed, "total": index.total, "behind": index.behind}
        for name, index in coverage.items()
    }


CHANGED = {
    "added": "new",
    "changed": "changed",
    "removed": "gone",
    "touched": "of another time, and may have changed",
}


def changes_form(changes: TreeChanges | None) -> Form | None:
    """Return how many files an index does not know as they are; ``None`` when that was not looked at."""
    return None if changes is None else attrs.asdict(changes)


def changes_text(changes: Form | None) -> str:
    """Return such as "since the index 2 files are new, 1 changed"; ``""`` when nothing is known to have changed."""
    told = [(changes[key], words) for key, words in CHANGED.items() if changes[key]] if changes else []
    if not told:
        return ""
    (first, words), *rest = told
    files = f"{first:,} {'file is' if first == 1 else 'files are'} {words}"
    return f"since the index {', '.join([files, *(f'{count:,} {words}' for count, words in rest)])}"


def behind_text(coverage: Form) -> str:
    """Return such as "vectors 1,204 behind" when an answer was given without what changed last; ``""`` otherwise."""
    behind = max((index["behind"] for name, index in coverage.items() if name.endswith("vectors")), default=0)
    return f"vectors {behind:,} behind" if behind else ""


def proof_form(proof: Proof) -> Form:
    """Return a proof; its excerpt is the redacted text."""
    return {
        "id": proof.id,
        "authority": str(proof.authority),
        "verification": str(proof.verification),
        "source_ref": proof.source_ref,
        "excerpt": proof.excerpt,
        "digest": proof.digest,
        "observed_at": time_form(proof.observed_at),
    }


def passage_form(result: PassageResult) -> Form:
    """Return a passage as a search result."""
    passage, document = result.stored.passage, result.stored.document
    return {
        "id": passage.id,
        "kind": str(result.layer),
        "type": str(passage.type) if isinstance(passage, Proposition) else "",
        "text": passage.text,
        "score": result.score,
        "breakdown": dict(result.breakdown),
        "status": "stale" if document.is_stale or result.is_changed else "verified",
        "valid_from": time_form(document.indexed_at),
        "valid_to": None,
        "path": document.uri,
        "place": passage.place,
        "start_line": passage.start_line,
        "end_line": passage.end_line,
        "symbol": symbol_of(passage),
        "session": None,
        "event_ids": [],
        "proofs": [proof_form(result.proof)],
        "history": [],
        "conflicts": [],
        "branch": document.branch.name,
        "commit": document.branch.commit_sha,
        "expanded_from": list(result.via),
    }


def passage_place(form: Form) -> tuple[str, list[str]]:
    """Return where a passage's form says that it stands, as a heading may hold it, and quoted lines of the rest."""
    own, foreign = set_apart([place_text(form["path"], form.get("place", ""), form["start_line"], form["end_line"])])
    return " ".join(own) or "document", foreign


def claim_form(result: ClaimResult, engine: "Engine") -> Form:
    """Return a claim as a search result, with its history and the other sides of its conflicts."""
    form = unplaced_claim_form(result.claim)
    return {
        **form,
        "score": result.score,
        "breakdown": dict(result.breakdown),
        "event_ids": event_ids(result.proofs, engine),
        "proofs": [proof_form(proof) for proof in result.proofs],
        "history": [unplaced_claim_form(claim) for claim in result.history],
        "conflicts": [unplaced_claim_form(claim) for claim in result.conflicts],
    }


def bare_claim_form(stored: StoredClaim) -> Form:
    """Return a claim without what bears on it."""
    return {**unplaced_claim_form(stored.claim), "slot": stored.slot}


def unplaced_claim_form(claim: Claim) -> Form:
    """Return a claim without its slot and what bears on it."""
    return {
        "id": claim.id,
        "kind": "claim",
        "type": str(claim.type),
        "text": claim.text,
        "subject": claim.subject,
        "attribute": claim.attribute,
        "value": claim.value,
        "polarity": str(claim.polarity),
        "condition": claim.condition,
        "status": str(claim.status),
        "status_reason": claim.status_reason,
        "governance": str(claim.governance),
        "authority": str(claim.authority),
        "confidence": claim.confidence,
        "importance": claim.importance,
        "is_standing": claim.is_standing,
        "valid_from": time_form(claim.valid_from),
        "valid_to": time_form(claim.valid_to),
        "recorded_at": time_form(claim.recorded_at),
        "superseded_by": claim.superseded_by or None,
        "path": claim.path or None,
        "place": "",
        "start_line": None,
        "end_line": None,
        "symbol": "",
        "session": claim.session_id or None,
        "branch": claim.branch.name,
    }


def event_ids(proofs: Iterable[Proof], engine: "Engine") -> list[str]:
    """Return the transcripts' own ids of the events that *proofs* point at, in order; an event's own id without one."""
    places = [locator for proof in proofs if isinstance(locator := parse_locator(proof.source_ref), EventLocator)]
    ids: dict[str, None] = {}
    with engine.canonical.reading(engine.scope) as work:
        for place in places:
            for event in work.sessions.events(place.session_id, after_seq=place.seq - 1, limit=1):
                if event.seq == place.seq:
                    ids[event.source_id or event.id] = None
    return list(ids)


def evidence_text(result: Form) -> str:
    """Return why a passage of a session is among the results, in words."""
    return f"evidence {result['score']:.3f}" if result["score"] else "standing instruction"


def evidence_form(result: EvidenceResult) -> Form:
    """Return a verbatim passage of a session as a search result."""
    evidence = result.evidence
    locator = EventLocator(session_id=evidence.session_id, seq=evidence.seq, start=evidence.start, end=evidence.end)
    return {
        "id": evidence.id,
        "kind": "evidence",
        "type": str(evidence.kind),
        "text": evidence.text,
        "speaker": evidence.speaker,
        "score": result.score,
        "breakdown": dict(result.breakdown),
        "status": "verified",
        "valid_from": time_form(evidence.time),
        "valid_to": None,
        "path": None,
        "place": "",
        "start_line": None,
        "end_line": None,
        "symbol": "",
        "session": result.session.source_id if result.session else evidence.session_id,
        "event_ids": [result.source_id],
        "proofs": [
            {
                "id": evidence.id,
                "authority": "session_derived",
                "verification": "verified",
                "source_ref": str(locator),
                "excerpt": evidence.text,
                "digest": digest(evidence.text),
                "observed_at": time_form(evidence.time),
            }
        ],
        "history": [],
        "conflicts": [],
    }


def symbol_form(result: SymbolResult) -> Form:
    """Return a symbol of the repository graph as a search result; its proof is the paragraph it begins in."""
    node = result.node
    text = result.stored.passage.text if result.stored else node.signature or node.qualified_name
    return {
        "id": node.id,
        "kind": "symbol",
        "type": str(node.kind),
        "text": text,
        "score": result.score,
        "breakdown": dict(result.breakdown),
        "status": "verified",
        "valid_from": time_form(result.stored.document.indexed_at) if result.stored else None,
        "valid_to": None,
        "path": node.path,
        "place": "",
        "start_line": node.start_line,
        "end_line": node.end_line,
        "symbol": node.qualified_name,
        "signature": node.signature,
        "doc": node.doc,
        "session": None,
        "event_ids": [],
        "proofs": [proof_form(passage_proof(result.stored))] if result.stored else [],
        "history": [],
        "conflicts": [],
    }


def rejection_form(rejection: Rejection, *, time: datetime | None = None) -> Form:
    """Return why a text did not become a claim; *time* is that of its event."""
    return {
        "session": rejection.session_id,
        "time": time_form(time),
        "event": rejection.event_id,
        "seq": rejection.seq,
        "rule": rejection.rule,
        "reason": rejection.reason,
        "excerpt": rejection.excerpt,
    }


def act_form(act: GovernanceAct) -> Form:
    """Return one decision about a claim."""
    return {
        "claim": act.claim_id,
        "at": time_form(act.at),
        "before": str(act.before),
        "after": str(act.after),
        "actor": act.actor,
        "reason": act.reason,
    }


def decision_line(act: GovernanceAct) -> str:
    """Return what a decision changed, on one line."""
    if act.before is act.after:
        return f"{act.claim_id}: {act.after} already, nothing changed"
    return f"{act.claim_id}: {act.before} -> {act.after}"


def slot_text(claim: Form) -> str:
    """Return a claim's form as `subject / attribute = value (condition)`, `≠` where it denies; ``""`` without slot."""
    if not claim["subject"] or not claim["attribute"]:
        return ""
    sign = "≠" if claim["polarity"] == Polarity.NEGATIVE else "="
    limit = f" ({claim['condition']})" if claim["condition"] else ""
    return f"{claim['subject']} / {claim['attribute']} {sign} {claim['value'] or 'none'}{limit}"


def until_text(claim: Form) -> str:
    """Return when a claim ceased to hold, behind a comma; ``""`` while nothing has closed it."""
    return f", until {claim['valid_to'][:10]}" if claim["valid_to"] else ""


def bounds_text(claim: Form) -> str:
    """Return in words that a claim denies, and where it holds, each behind a comma; ``""`` when neither."""
    denies = ", a denial" if claim["polarity"] == Polarity.NEGATIVE else ""
    return denies + (f", {inline(claim['condition'])}" if claim["condition"] else "")


def import_form(report: "ImportReport", *, new_claims: int, seconds: float, is_dry_run: bool) -> Form:
    """
    Return what an import did.

    ``evidence`` and ``admitted`` are all that the sessions with news amount to; a dry run reads none of it: ``null``.
    *new_claims* is by how many the claims of the store became more.
    """
    events = sum(report.events.values())
    return answer(
        "import",
        {"events": IndexCoverage(indexed=events, total=events)},
        dry_run=is_dry_run,
        files=report.files,
        unchanged=report.unchanged,
        sessions=report.sessions,
        events=dict(report.events),
        duplicates=report.duplicates,
        skipped=dict(report.skipped),
        redacted=dict(report.redacted),
        evidence=None if is_dry_run else report.evidence,
        admitted=None if is_dry_run else dict(report.assertions),
        rejected=None if is_dry_run else dict(report.rejections),
        slots=report.slots,
        new_claims=new_claims,
        seconds=round(seconds, 3),
    )


def record_form(report: "RecordReport") -> Form:
    """Return what a recorded session amounts to."""
    reasons = Counter(rejection.reason for rejection in report.rejections)
    return answer(
        "session-end",
        {"evidence": IndexCoverage(indexed=report.evidence, total=report.evidence)},
        session_id=report.session.id,
        events=dict(report.events),
        evidence=report.evidence,
        admitted=[bare_claim_form(stored) for stored in report.admitted],
        candidates=[bare_claim_form(stored) for stored in report.candidates],
        rejected=dict(sorted(reasons.items())),
        rejections=[rejection_form(rejection) for rejection in report.rejections],
    )


def symbol_of(passage: Passage) -> str:
    """Return the symbol or heading a passage speaks of; ``""`` when it names none."""
    if isinstance(passage, Paragraph):
        return passage.section_heading
    return passage.subject if isinstance(passage, Proposition) else ""


def finds_documents(form: Form) -> bool:
    """Return the same of a search's form."""
    return any(one["place"] or one.get("authority") == "document_derived" for one in form["results"])


def check_form(check: ProofCheck) -> Form:
    """Return what following one proof found."""
    return {
        "id": check.proof.claim_id,
        "proof": check.proof.id,
        "liveness": str(check.liveness),
        "source_ref": check.proof.source_ref,
        "found_at": check.source_ref,
        "reason": check.reason,
    }


def verify_form(report: "VerifyReport") -> Form:
    """Return what following proofs found."""
    total = sum(report.counts.values())
    return answer(
        "verify",
        {"proofs": IndexCoverage(indexed=total, total=total)},
        counts={str(liveness): count for liveness, count in sorted(report.counts.items())},
        checks=[check_form(check) for check in report.checks],
    )


def graph_report_form(report: "GraphReport", *, seconds: float) -> Form:
    """Return what bringing the graph up to date did."""
    return {
        "files": report.files,
        "read": report.read,
        "linked": report.linked,
        "removed": report.removed,
        "is_anew": report.is_anew,
        "skipped": dict(report.skipped),
        "seconds": round(seconds, 3),
    }


def index_form(
    report: "IndexReport", *, embedded: int, seconds: float, embed_seconds: float, graph: Form | None = None
) -> Form:
    """Return what an index run did; *embedded* counts documents projected into the vector index."""
    coverage = {"files": IndexCoverage(indexed=report.total, total=report.total + sum(report.skipped.values()))}
    if graph is not None:
        left_out = sum(graph["skipped"].values())
        coverage["graph"] = IndexCoverage(indexed=graph["files"] - left_out, total=graph["files"])
    return answer(
        "index",
        coverage,
        project=report.checkout.project,
        root=report.checkout.root,
        branch=report.checkout.branch.name,
        indexed=report.indexed,
        unchanged=report.unchanged,
        removed=report.removed,
        skipped=dict(report.skipped),
        redacted=dict(report.redacted),
        bytes_read=report.bytes_read,
        facts=report.facts,
        facts_left_out=report.facts_left_out,
        graph=graph,
        embedded=embedded,
        seconds=round(seconds, 3),
        embed_seconds=round(embed_seconds, 3),
    )
