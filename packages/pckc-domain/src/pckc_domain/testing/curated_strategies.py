"""Hypothesis strategies for curated knowledge. Everything comes from small pools, so that ids meet again."""

from hypothesis import strategies as st

from pckc_domain.model.gap import GapPriority, GapStatus
from pckc_domain.model.trace import TraceKind
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.testing.belief_strategies import CLAIM_IDS, SESSIONS, times
from pckc_domain.testing.curated_samples import distillation, gap, trace, verdict
from pckc_domain.testing.strategies import DOCUMENTS, texts

OWNERS = tuple(f"owner_{letter}" for letter in "abc")
GAP_IDS = tuple(f"gap_{letter}" for letter in "abc")

owner_ids = st.lists(st.sampled_from(OWNERS), max_size=2)
session_ids = st.sampled_from(("", "никто", *(each.id for each in SESSIONS)))

distillations = st.builds(
    distillation,
    owner_id=st.sampled_from(OWNERS),
    of=st.sampled_from(DOCUMENTS),
    attempts=st.integers(0, 3),
    error=st.just("") | texts,
    is_done=st.booleans(),
    at=times,
)

verdicts = st.builds(
    verdict,
    claim_id=st.sampled_from(CLAIM_IDS),
    other_id=st.sampled_from(("", *CLAIM_IDS)),
    kind=st.sampled_from(VerdictKind),
    similarity=st.none() | st.floats(-1, 1),
    method=st.sampled_from(("rules", "documents", "model:é")),
    reason=texts,
    at=times,
)

gaps = st.builds(
    gap,
    id=st.sampled_from(GAP_IDS),
    question=texts,
    priority=st.sampled_from(GapPriority),
    status=st.sampled_from(GapStatus),
    closed_by=st.lists(st.sampled_from(CLAIM_IDS), max_size=2).map(tuple),
    created_at=times,
)

traces = st.builds(
    trace,
    id=st.sampled_from([f"trace_{letter}" for letter in "abcd"]),
    kind=st.sampled_from(TraceKind),
    text=texts,
    session_id=session_ids,
    at=times,
)
