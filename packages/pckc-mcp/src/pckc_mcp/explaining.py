"""Everything that is stored of one claim, passage or piece of evidence, and whether its proofs still hold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.passage import Proposition, StoredPassage, layer_of
from pckc_domain.model.proof import EventLocator, ProofCheck
from pckc_domain.model.session import Event, Evidence, Session

from pckc_mcp.forms import act_form, answer, bare_claim_form, check_form, event_ids, proof_form, time_form
from pckc_mcp.graph.forms import edge_form, node_form, open_call_form

if TYPE_CHECKING:
    from pckc_mcp.engine import Engine

CLAIM_PREFIX = "claim_"
EVIDENCE_PREFIX = "evidence_"
INFERRED_PREFIX = "inferred_"
SYMBOL_PARTS = 4
AROUND = 2
"""Events shown before and behind the one that evidence is cut from."""

EXCERPT_CHARACTERS = 500


def explain(engine: "Engine", identity: str, *, is_noted: bool = True) -> dict[str, Any]:
    """
    Return what a claim, passage or inferred edge rests on, what joins a symbol, or what stands around evidence.

    Args:
        engine: The opened project.
        identity: An id as a search answers it.
        is_noted: Whether a claim's status takes in what following its proofs found.

    Raises:
        NotFoundError: Nothing has that id.
    """
    if identity.startswith(CLAIM_PREFIX):
        return _explain_claim(engine, identity, is_noted=is_noted)
    if identity.startswith(EVIDENCE_PREFIX):
        return _explain_evidence(engine, identity)
    if identity.startswith(INFERRED_PREFIX):
        from pckc_mcp.inferring import why_inferred

        return why_inferred(engine, identity)
    if is_symbol(identity):
        return _explain_symbol(engine, identity)
    check = engine.verifier().verify_passages(engine.scope, [identity]).checks[0]
    with engine.canonical.reading(engine.scope) as work:
        stored = work.passages.get([identity])[0]
    return _passage_form(stored, check)


def is_symbol(identity: str) -> bool:
    """Return whether an id is that of a graph's node: path, scope chain, kind and ordinal."""
    return identity.count("#") >= SYMBOL_PARTS - 1


def _explain_symbol(engine: "Engine", node_id: str) -> dict[str, Any]:
    story = engine.symbol_explainer().explain(engine.scope, node_id, checkout_id=engine.checkout.id)
    form = answer(
        "why",
        {},
        **node_form(story.node) | {"kind": "symbol", "type": str(story.node.kind)},
        text=story.stored.passage.text if story.stored else "",
        incoming=[edge_form(edge) for edge in story.incoming],
        outgoing=[edge_form(edge) for edge in story.outgoing],
        open_calls=[open_call_form(call) for call in story.open_calls],
        proof=None,
        check=None,
    )
    if story.stored:
        check = engine.verifier().verify_passages(engine.scope, [story.stored.passage.id]).checks[0]
        form |= {"proof": proof_form(check.proof), "check": check_form(check)}
    return form


def _explain_claim(engine: "Engine", claim_id: str, *, is_noted: bool) -> dict[str, Any]:
    verifier = engine.claim_verifier()
    checks = (verifier.verify if is_noted else verifier.check)(engine.scope, [claim_id]).checks
    with engine.canonical.reading(engine.scope) as work:
        found = work.claims.get([claim_id])
        if not found:
            raise NotFoundError(
                f"no claim has the id {claim_id}", remedy="give an id that a search or a list of claims shows"
            )
        proofs = work.proofs.of([claim_id]).get(claim_id, ())
        links = work.links.of([claim_id])
        others = work.claims.get([link.target_id if link.source_id == claim_id else link.source_id for link in links])
        slot = work.claims.find(where=ClaimFilter(slots=frozenset({found[0].slot})), limit=100)
        acts = work.governance.of([claim_id])
    texts = {item.claim.id: item.claim.text for item in others}
    return answer(
        "why",
        {},
        **bare_claim_form(found[0]),
        event_ids=event_ids(proofs, engine),
        proofs=[proof_form(proof) for proof in proofs],
        checks=[check_form(check) for check in checks],
        links=[
            {
                "kind": str(link.kind),
                "source": link.source_id,
                "target": link.target_id,
                "rule": link.source_rule,
                "text": texts.get(link.target_id if link.source_id == claim_id else link.source_id, ""),
            }
            for link in links
        ],
        history=[bare_claim_form(item) for item in slot if item.claim.id != claim_id],
        decisions=[act_form(act) for act in acts],
    )


def _explain_evidence(engine: "Engine", evidence_id: str) -> dict[str, Any]:
    with engine.canonical.reading(engine.scope) as work:
        found = work.evidence.get([evidence_id])
        if not found:
            raise NotFoundError(
                f"no evidence has the id {evidence_id}", remedy="search again: ids change with the text"
            )
        evidence = found[0]
        first = max(-1, evidence.seq - AROUND - 1)
        events = work.sessions.events(evidence.session_id, after_seq=first, limit=2 * AROUND + 1)
        sessions = work.sessions.get([evidence.session_id])
    return _evidence_form(evidence, sessions[0] if sessions else None, events)


def _evidence_form(evidence: Evidence, session: Session | None, events: Sequence[Event]) -> dict[str, Any]:
    return answer(
        "why",
        {},
        id=evidence.id,
        kind="evidence",
        type=str(evidence.kind),
        text=evidence.text,
        speaker=evidence.speaker,
        time=time_form(evidence.time),
        session=evidence.session_id,
        session_title=session.title if session else "",
        host=session.host if session else "",
        episode=evidence.episode_id,
        event_ids=[evidence.source_id or evidence.event_id],
        source_ref=str(
            EventLocator(session_id=evidence.session_id, seq=evidence.seq, start=evidence.start, end=evidence.end)
        ),
        around=[
            {
                "seq": event.seq,
                "type": str(event.kind),
                "speaker": event.speaker,
                "time": time_form(event.time),
                "text": event.text[:EXCERPT_CHARACTERS],
            }
            for event in events
            if event.text and event.seq != evidence.seq
        ],
    )


def _passage_form(stored: StoredPassage, check: ProofCheck) -> dict[str, Any]:
    passage, document = stored.passage, stored.document
    form = answer(
        "why",
        {},
        id=passage.id,
        kind=str(layer_of(passage)),
        text=passage.text,
        path=document.uri,
        place=passage.place,
        start_line=passage.start_line,
        end_line=passage.end_line,
        source=str(document.source),
        language=document.language,
        branch=document.branch.name,
        branch_scope=str(document.branch.scope),
        source_revision=document.branch.source_revision,
        commit=document.branch.commit_sha,
        indexed_at=time_form(document.indexed_at),
        is_stale=document.is_stale,
        proof=proof_form(check.proof),
        check=check_form(check),
    )
    if isinstance(passage, Proposition):
        form |= {
            "type": str(passage.type),
            "confidence": passage.confidence,
            "subject": passage.subject,
            "paragraph": passage.paragraph_id,
        }
    return form
