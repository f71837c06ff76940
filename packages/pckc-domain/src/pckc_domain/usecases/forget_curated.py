"""Erase what is curated beside what is forgotten: claims read from documents, verdicts, words in gaps and traces."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import attrs

from pckc_domain.model.gap import Gap
from pckc_domain.model.proof import DocumentLocator, Proof, parse_locator
from pckc_domain.model.trace import Trace
from pckc_domain.policy.curation import past_owner
from pckc_domain.ports.canonical import UnitOfWork

FORGOTTEN = "[FORGOTTEN]"
PAGE = 500
SENTENCE_ENDS = (".", "!", "?", "…")


def take_back(work: UnitOfWork, claim_id: str, proofs: Iterable[Proof]) -> frozenset[str]:
    """Take a claim back from every chunk that it was read from; return the slots to settle again."""
    locators = (parse_locator(proof.source_ref) for proof in proofs)
    uris = sorted({locator.uri for locator in locators if isinstance(locator, DocumentLocator)})
    owners = [owner for uri in uris for owner in owners_of(work, uri)]
    slots: set[str] = set()
    for owner_id, by_slot in work.assertions.of_owners(owners).items():
        kept = {slot: [one for one in own if one.claim.id != claim_id] for slot, own in by_slot.items()}
        if kept == by_slot:
            continue
        acts = work.governance.of(sorted({one.claim.id for own in kept.values() for one in own}))
        slots |= _remove_owners(work, [owner_id]) | work.assertions.replace(owner_id, kept)
        for act in acts:
            work.governance.append(act)
    return frozenset(slots)


def claims_read_from(work: UnitOfWork, uri: str) -> list[str]:
    """Return the claims that were read from any version of the document at *uri*."""
    by_owner = work.assertions.of_owners(owners_of(work, uri))
    return sorted({one.claim.id for by_slot in by_owner.values() for own in by_slot.values() for one in own})


def take_back_all(work: UnitOfWork, uri: str) -> frozenset[str]:
    """Take back every claim that was read from the document at *uri*; return the slots to settle again."""
    return _remove_owners(work, owners_of(work, uri))


def forget_verdicts(work: UnitOfWork, claim_ids: Collection[str]) -> list[str]:
    """Forget the verdicts on those of these claims that are stored no more, and return these."""
    gone = sorted(set(claim_ids) - {one.claim.id for one in work.claims.get(sorted(claim_ids))})
    work.verdicts.remove(gone)
    return gone


def blank_notes(work: UnitOfWork, text: str) -> None:
    """Replace *text*, with or without its last stop, wherever a question or an agent's note says it."""
    said = text.strip().rstrip("".join(SENTENCE_ENDS))
    if not said:
        return
    words = re.compile(re.escape(said), re.IGNORECASE)
    for gap in _gaps(work):
        blank = attrs.evolve(gap, question=words.sub(FORGOTTEN, gap.question), reason=words.sub(FORGOTTEN, gap.reason))
        if blank != gap:
            work.gaps.put(blank)
    saying = {trace.session_id for trace in _traces(work) if words.search(trace.text)}
    for session_id in sorted(saying):
        traces = traces_of(work, session_id)
        work.traces.remove([session_id])
        work.traces.add([attrs.evolve(trace, text=words.sub(FORGOTTEN, trace.text)) for trace in traces])


def traces_of(work: UnitOfWork, session_id: str) -> Sequence[Trace]:
    """Return the notes of one session."""
    return work.traces.find(session_id=session_id, limit=work.traces.count())


def forget_curated(work: UnitOfWork) -> frozenset[str]:
    """Forget all that is curated, documents and what any owner asserts with it; return the slots to settle again."""
    slots: frozenset[str] = frozenset()
    while owners := work.inventory.owners(limit=PAGE):
        slots |= _remove_owners(work, owners)
        for owner_id in owners:
            work.facts.replace(owner_id, ())
    while documents := work.inventory.documents(limit=PAGE):
        work.documents.remove([held.document.id for held in documents])
    while distillations := work.distillations.find(limit=PAGE):
        work.distillations.remove([one.owner_id for one in distillations])
    last = ("", "", "")
    while verdicts := work.verdicts.find(after=last, limit=PAGE):
        work.verdicts.remove({one.claim_id for one in verdicts})
        last = (verdicts[-1].claim_id, verdicts[-1].other_id, verdicts[-1].method)
    for gap in _gaps(work):
        work.gaps.remove(gap.id)
    work.traces.remove({trace.session_id for trace in _traces(work)})
    return slots


def owners_of(work: UnitOfWork, uri: str) -> list[str]:
    """Return the owners of what the document at *uri* says, and of what it said once."""
    return [*(one.owner_id for one in work.distillations.of_uri(uri)), past_owner(uri)]


def _remove_owners(work: UnitOfWork, owner_ids: Sequence[str]) -> frozenset[str]:
    """Erase what these owners assert, and what was decided about it, as it is done for the owners that are sessions."""
    return work.sessions.remove(owner_ids)


def _gaps(work: UnitOfWork) -> list[Gap]:
    return list(work.gaps.find(limit=sum(work.gaps.count().values())))


def _traces(work: UnitOfWork) -> Iterator[Trace]:
    for offset in range(0, work.traces.count(), PAGE):
        yield from work.traces.find(limit=PAGE, offset=offset)
