"""
Hypothesis strategies for the session side of the model.

Everything comes from small pools, so that sessions, events, claims and slots meet again.
"""

from datetime import timedelta

from hypothesis import strategies as st

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, ClaimType, Governance, LinkKind, Rejection
from pckc_domain.model.scope import Branch
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.analysis import index_terms
from pckc_domain.testing.belief_samples import (
    assertion,
    claim,
    episode,
    event,
    evidence,
    link,
    proof,
    rejection,
    session,
)
from pckc_domain.testing.samples import TIME
from pckc_domain.testing.strategies import subsets, texts, words

SESSIONS = tuple(session(name) for name in ("one", "two", "three"))
EPISODE_IDS = tuple(episode(of, number).id for of in SESSIONS for number in range(3))
CLAIM_IDS = tuple(f"claim_{letter}" for letter in "abcde")
SLOTS = ("slot_one", "slot_two")

sessions = st.sampled_from(SESSIONS)
slots = st.sampled_from(SLOTS)
claim_ids = st.sampled_from(CLAIM_IDS)
times = st.integers(0, 3).map(lambda days: TIME + timedelta(days=days))

events = st.builds(
    event,
    of=sessions,
    seq=st.integers(0, 4),
    text=st.sampled_from([f"{word} said" for word in "abcdef"]),
    kind=st.sampled_from((EventKind.PROMPT, EventKind.COMMAND)),
    time=st.none() | times,
    is_replay=st.booleans(),
)

episodes = st.builds(episode, of=sessions, number=st.integers(0, 2), last_seq=st.integers(0, 2))


@st.composite
def _evidence(draw: st.DrawFn) -> Evidence:
    text = draw(texts)
    return evidence(draw(events), draw(episodes), text=text, terms=index_terms(text))


evidences = _evidence()


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """Return one of a few claims, in one of many forms."""
    text = draw(texts)
    return claim(
        text,
        id=draw(claim_ids),
        type=draw(st.sampled_from((ClaimType.DECISION, ClaimType.OPEN_QUESTION))),
        subject=draw(st.just("") | words),
        value=draw(st.just("") | words),
        path=draw(st.sampled_from(("", "a.py", "src/b.py"))),
        status=draw(st.sampled_from(ClaimStatus)),
        governance=draw(st.sampled_from((Governance.ACTIVE, Governance.PINNED))),
        is_standing=draw(st.booleans()),
        valid_from=draw(times),
        valid_to=draw(st.none() | times),
        session_id=draw(sessions).id,
        branch=draw(st.sampled_from((Branch(), Branch(name="main")))),
        terms=index_terms(text),
    )


assertions: st.SearchStrategy[Assertion] = st.builds(assertion, of=claims(), seq=st.integers(0, 2))
slotted_assertions = st.dictionaries(slots, st.lists(assertions, max_size=3), max_size=2)
rejections: st.SearchStrategy[Rejection] = st.builds(
    rejection, of=sessions, seq=st.integers(0, 2), excerpt=st.sampled_from("ab")
)
proofs = st.builds(proof, of=claims(), name=st.sampled_from("pq"), excerpt=words)


@st.composite
def beliefs(draw: st.DrawFn) -> Beliefs:
    """Return what a slot may amount to; links may lead to claims of other slots or to none."""
    settled = draw(st.lists(claims(), max_size=3, unique_by=lambda each: each.id))
    ids = [each.id for each in settled]
    kinds = st.sampled_from((LinkKind.SUPERSEDES, LinkKind.CONTRADICTS))
    links = st.builds(link, source=claims(), target=claims(), kind=kinds)
    return Beliefs(
        claims=tuple(settled),
        proofs=tuple(each for each in draw(st.lists(proofs, max_size=3)) if each.claim_id in ids),
        links=tuple(draw(st.lists(links, max_size=3))),
    )


claim_filters = st.builds(
    ClaimFilter,
    types=subsets((ClaimType.DECISION, ClaimType.OPEN_QUESTION, ClaimType.FACT)),
    statuses=subsets(ClaimStatus),
    governance=subsets(Governance),
    slots=subsets(SLOTS),
    session_ids=subsets([each.id for each in SESSIONS]),
    branches=subsets(("", "main")),
    valid_at=st.none() | times,
    is_open=st.none() | st.booleans(),
    is_standing=st.booleans(),
    is_said=st.none() | st.booleans(),
    set_below=subsets(("a", "src/")),
)

evidence_filters = st.builds(
    EvidenceFilter,
    session_ids=subsets([each.id for each in SESSIONS]),
    kinds=subsets((EventKind.PROMPT, EventKind.COMMAND)),
    since=st.none() | times,
    until=st.none() | times,
)
