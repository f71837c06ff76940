"""The stable machine forms of a compiled context; see `forms`."""

from pckc_domain.model.context import ContextPack, CoveredGoal, PackClaim, PackEvidence, PackPassage, PackSection
from pckc_domain.model.passage import Proposition, Summary
from pckc_domain.ports.sources import TreeChanges

from pckc_mcp.forms import (
    Form,
    answer,
    changes_form,
    evidence_form,
    passage_form,
    proof_form,
    time_form,
    unplaced_claim_form,
)


def pack_form(pack: ContextPack, changes: TreeChanges | None) -> Form:
    """Return a compiled context, beside what of the work tree its index does not know."""
    return answer(
        "context",
        pack.coverage,
        task=pack.task,
        intent=str(pack.preference.intent),
        reason=pack.preference.reason,
        signals=pack.signals,
        indexed_at=time_form(pack.indexed_at),
        is_complete=pack.is_complete and not changes,
        changes=changes_form(changes),
        subgoals=[_goal_form(goal) for goal in pack.subgoals],
        claims=[_pack_claim_form(item) for item in pack.claims],
        evidence=[_pack_evidence_form(item) for item in pack.evidence],
        passages=[_pack_passage_form(item) for item in pack.passages],
        files=[{"path": path, "score": round(score, 6)} for path, score in pack.files],
        conflicts=[
            {"reason": conflict.reason, "claims": [unplaced_claim_form(claim) for claim in conflict.claims]}
            for conflict in pack.conflicts
        ],
        gaps=list(pack.gaps),
        exclusions=[{"id": exclusion.id, "reason": exclusion.reason} for exclusion in pack.exclusions],
        verification=list(pack.verification),
        tokens=pack.tokens,
        budget=pack.budget,
        hash=pack.hash,
    )


def tells_documents(pack: ContextPack) -> bool:
    """Return whether what was ingested answers: then an index that was never made is not missed."""
    is_claimed = any(item.result.claim.document_id for item in pack.claims)
    return is_claimed or any(item.result.stored.passage.place for item in pack.passages)


def agent_context_form(pack: ContextPack, changes: TreeChanges | None) -> Form:
    """Return a compiled context in the fields of ``retrieve_agent_context``."""
    granular = [item for item in pack.passages if item.section is PackSection.GRANULAR]
    chunks = [item for item in pack.passages if item.section is PackSection.CHUNKS]
    return {
        **pack_form(pack, changes),
        "context": pack.text,
        "knowledge_chunks": [_layered_form(item) for item in chunks],
        "multigranular_chunks": [_layered_form(item) for item in granular],
        "multigranular_results_count": len(granular),
    }


def _layered_form(item: PackPassage) -> Form:
    result = item.result
    passage = result.stored.passage
    form: Form = {
        "result_id": passage.id,
        "result_type": str(result.layer),
        "granularity": str(passage.level) if isinstance(passage, Summary) else str(result.layer),
        "content": passage.text,
        "score": result.score,
        "score_breakdown": dict(result.breakdown),
        "source_path": result.stored.document.uri,
        "source_start_line": passage.start_line,
        "source_end_line": passage.end_line,
        "proposition_type_bonus": result.breakdown.get("proposition_type_bonus", 0.0),  # the graph led to it: no type
        "proof": result.proof.source_ref,
    }
    if isinstance(passage, Proposition):
        form |= {"proposition_type": str(passage.type), "confidence": passage.confidence}
    return form


def _goal_form(goal: CoveredGoal) -> Form:
    return {
        "goal": goal.subgoal.goal,
        "kind": str(goal.subgoal.kind),
        "covered_by": list(goal.covered_by),
        "proofs": list(goal.proofs),
    }


def _pack_claim_form(item: PackClaim) -> Form:
    return {
        **unplaced_claim_form(item.result.claim),
        "proofs": [proof_form(proof) for proof in item.result.proofs],
        "tokens": item.tokens,
    }


def _pack_evidence_form(item: PackEvidence) -> Form:
    return {**evidence_form(item.result), "text": item.text, "tokens": item.tokens}


def _pack_passage_form(item: PackPassage) -> Form:
    return {**passage_form(item.result), "section": str(item.section), "tokens": item.tokens}
