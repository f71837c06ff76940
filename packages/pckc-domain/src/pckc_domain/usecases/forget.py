"""Erase a claim, a session, a document or a whole project, everywhere it is stored."""

from collections.abc import Iterable, Iterator, Sequence

import attrs

from pckc_domain.errors import NotFoundError
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import Assertion, Claim
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.identity import digest
from pckc_domain.model.proof import (
    DocumentLocator,
    EventLocator,
    Proof,
    ProofType,
    RepositoryLocator,
    VerificationStatus,
    parse_locator,
)
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, Session
from pckc_domain.policy.derivation import UNTIMED, derive
from pckc_domain.policy.episodes import segment_episodes
from pckc_domain.policy.slots import slot_key
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.embedding_cache import EmbeddingCache
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.forget_curated import (
    FORGOTTEN,
    SENTENCE_ENDS,
    blank_notes,
    claims_read_from,
    forget_curated,
    forget_verdicts,
    take_back,
    take_back_all,
    traces_of,
)
from pckc_domain.usecases.forgotten import note_forgotten
from pckc_domain.usecases.infer import forget_inferences
from pckc_domain.usecases.keep_facts import forget_facts
from pckc_domain.usecases.reflect import REFLECTION_HOST
from pckc_domain.usecases.remember import Deriver
from pckc_domain.usecases.returning import returned, unsound_claims
from pckc_domain.usecases.session_graph import forget_sessions
from pckc_domain.usecases.settling import settle

PAGE = 500


class Eraser:
    """
    Erases from the store and the vectors; afterwards the store is compacted, so that no byte of it remains.

    What was embedded before is forgotten as a whole: it is not known by whose text, and can be made again.
    """

    def __init__(
        self,
        canonical: Canonical,
        deriver: Deriver,
        *,
        vectors: VectorIndex | None = None,
        embeddings: EmbeddingCache | None = None,
    ) -> None:
        self._canonical = canonical
        self._deriver = deriver
        self._vectors = vectors
        self._embeddings = embeddings

    def forget_claim(self, scope: Scope, claim_id: str) -> tuple[Claim, ...]:
        """
        Erase a claim, and its words from the events that prove it, from questions and from agents' notes; other words
        of the events stay, and so do the documents that it was read from.

        Returns:
            The claims that hold again without it, such as what it had corrected; oldest first.

        Raises:
            NotFoundError: The claim is not stored.
        """
        with self._canonical.writing(scope) as work:
            found = work.claims.get([claim_id])
            if not found:
                raise NotFoundError(
                    f"no claim has the id {claim_id}", remedy="give an id that a search or a list of claims shows"
                )
            unsound = unsound_claims(work)
            proofs = work.proofs.of([claim_id]).get(claim_id, ())
            reflections = _reflections_of(work, found[0], proofs)
            locators = _event_locators(proofs)
            sessions = sorted({locator.session_id for locator in locators} - set(reflections))
            owners = [claim_id, *_episodes(work, sessions)]
            _remove_sessions(work, reflections)
            for session_id in sessions:
                _blank(work, session_id, [item for item in locators if item.session_id == session_id], claim_id)
            settle(work, take_back(work, claim_id, proofs))
            work.verdicts.remove([claim_id])
            blank_notes(work, found[0].claim.text)
            forget_inferences(work)
        self._deriver.run(scope)
        return self._finish(scope, owners, unsound)

    def forget_session(self, scope: Scope, session_id: str) -> tuple[Claim, ...]:
        """
        Erase a session, named by its id or by its host's, with everything that came from it; its transcript, read anew,
        does not bring it back.

        Returns:
            The claims that hold again without it, oldest first.

        Raises:
            NotFoundError: The session is not stored.
        """
        with self._canonical.writing(scope) as work:
            sessions = _with_reflections(work, session_id)
            names = {session_id, *(session.source_id for session in work.sessions.get(sessions))} - {""}
            if not sessions and not work.traces.find(session_id=session_id, limit=1):
                raise NotFoundError(f"no session has the id {session_id}", remedy="search results name theirs")
            unsound = unsound_claims(work)
            claims = [claim for one in sessions for claim in _claims_of(work, one)]
            owners = [*_episodes(work, sessions), *claims]
            for one in sessions:
                note_forgotten(work, one)
            _remove_sessions(work, sessions)
            work.traces.remove(names)
            forget_verdicts(work, claims)
            forget_inferences(work)
        return self._finish(scope, owners, unsound)

    def forget_document(self, scope: Scope, uri: str) -> tuple[Claim, ...]:
        """
        Erase every version of the document at *uri*, what it sets, the claims read from it, its lines that prove other
        claims, and the reflections that cite them.

        Indexing the file again brings the document back, verifying claims the lines.

        Returns:
            The claims that hold again without it, oldest first.

        Raises:
            NotFoundError: No version is stored.
        """
        with self._canonical.writing(scope) as work:
            versions = [document.id for document in work.documents.at(uri)]
            if not versions:
                raise NotFoundError(f"no document is stored for {uri}", remedy="name it as a search does")
            unsound = unsound_claims(work)
            claims = claims_read_from(work, uri)
            settle(work, take_back_all(work, uri))
            for checkout in work.manifest.checkouts():
                work.manifest.remove(checkout.id, [uri])
            work.documents.remove(versions)
            forget_facts(work, [uri])
            for checkout_id, layer in work.graphs():
                graph = work.graph(checkout_id, layer)
                if layer is GraphLayer.REPOSITORY:  # sessions that touched the file still did
                    graph.files.remove([uri])
                graph.communities.put([], modularity=0.0)  # their names may come from it
            claims += _forget_lines(work, uri)
            owners = [*versions, *forget_verdicts(work, claims)]
            forget_inferences(work)
        return self._finish(scope, owners, unsound)

    def forget_project(self, scope: Scope) -> None:
        """Erase everything of the scope."""
        with self._canonical.writing(scope) as work:
            for checkout in work.manifest.checkouts():
                work.manifest.remove(checkout.id, [entry.path for entry in work.manifest.entries(checkout.id)])
            while sessions := work.sessions.find(limit=PAGE):
                _remove_sessions(work, [session.id for session in sessions])
            forget_facts(work, _paths_of_facts(work))
            settle(work, forget_curated(work))
            for checkout_id, layer in work.graphs():
                work.graph(checkout_id, layer).files.clear()
            work.imports.forget()
            forget_inferences(work)
        if self._vectors is not None:
            self._vectors.clear(scope)
        self._erase_traces(scope)

    def _finish(self, scope: Scope, owners: Sequence[str], unsound: frozenset[str]) -> tuple[Claim, ...]:
        """Erase what is left of *owners*, and return which of the *unsound* claims hold again."""
        if self._vectors is not None:
            self._vectors.delete(scope, owners=owners)
        self._erase_traces(scope)
        with self._canonical.reading(scope) as work:
            return returned(work, unsound)

    def _erase_traces(self, scope: Scope) -> None:
        try:
            if self._embeddings is not None:
                self._embeddings.clear(scope)
        finally:
            self._canonical.compact()


def _remove_sessions(work: UnitOfWork, session_ids: Sequence[str]) -> None:
    slots = work.sessions.remove(session_ids)
    forget_sessions(work, session_ids)
    settle(work, slots)


def _event_locators(proofs: Iterable[Proof]) -> list[EventLocator]:
    locators = (parse_locator(proof.source_ref) for proof in proofs)
    return [locator for locator in locators if isinstance(locator, EventLocator)]


def _forget_lines(work: UnitOfWork, uri: str) -> list[str]:
    """Erase the words of *uri* that prove claims; return the claims of the reflections that went with them."""
    lines: dict[str, Proof] = {}
    slots: set[str] = set()
    for stored, proofs in _proven_claims(work):
        found = [proof for proof in proofs if _document_of(proof) == uri]
        lines |= {proof.id: proof for proof in found}
        slots |= {stored.slot for _ in found}
    places = {proof.source_ref for proof in lines.values()}
    asserted = [one for of in work.assertions.of_slots(sorted(slots)).values() for one in of]
    reflections = sorted({one.claim.session_id for one in asserted if one.proof.source_ref in places})
    claims = [claim for session_id in reflections for claim in _claims_of(work, session_id)]
    _remove_sessions(work, reflections)
    work.proofs.attach([_without_words(proof) for proof in lines.values()])
    return claims


def _proven_claims(work: UnitOfWork) -> Iterator[tuple[StoredClaim, Sequence[Proof]]]:
    """Yield every claim with its proofs."""
    after = ""
    while page := work.claims.find(where=ClaimFilter(), after=after, limit=PAGE):
        proofs = work.proofs.of([stored.claim.id for stored in page])
        yield from ((stored, proofs.get(stored.claim.id, ())) for stored in page)
        after = page[-1].claim.id


def _paths_of_facts(work: UnitOfWork) -> list[str]:
    paths: set[str] = set()
    after = ""
    while page := work.claims.find(where=ClaimFilter(is_said=False), after=after, limit=PAGE):
        paths |= {stored.claim.path for stored in page}
        after = page[-1].claim.id
    return sorted(paths)


def _document_of(proof: Proof) -> str:
    match parse_locator(proof.source_ref):
        case RepositoryLocator(path=path):
            return path
        case DocumentLocator(uri=uri):
            return uri
        case _:
            return ""


def _without_words(proof: Proof) -> Proof:
    """A proof whose words are forgotten is one no more; as a mere citation it decides nothing about its claim."""
    return attrs.evolve(
        proof,
        excerpt=FORGOTTEN,
        digest=digest(FORGOTTEN),
        type=ProofType.CITATION,
        verification=VerificationStatus.UNVERIFIED,
    )


def _reflections_of(work: UnitOfWork, stored: StoredClaim, proofs: Sequence[Proof]) -> list[str]:
    """Return the reflections that assert the claim or restate it by one of its proofs: they say nothing else."""
    places = {proof.source_ref for proof in proofs}
    asserted = work.assertions.of_slots([stored.slot]).get(stored.slot, ())
    ids = {
        one.claim.session_id for one in asserted if one.claim.id == stored.claim.id or one.proof.source_ref in places
    }
    return [session.id for session in work.sessions.get(sorted(ids)) if session.host == REFLECTION_HOST]


def _with_reflections(work: UnitOfWork, name: str) -> list[str]:
    """Return the sessions that *name* means, and the reflections that cite them."""
    sessions: list[Session] = []
    while page := work.sessions.find(after=sessions[-1].id if sessions else "", limit=PAGE):
        sessions += page
    named = {session.id for session in sessions if name in (session.id, session.source_id)}
    cited = {one.id for one in sessions if one.host == REFLECTION_HOST and one.parent_id in named}
    return sorted(named | cited)


def _blank(work: UnitOfWork, session_id: str, locators: Sequence[EventLocator], claim_id: str) -> None:
    """Store the session anew with the words at *locators* replaced; what is known and decided of the rest stays."""
    found = work.sessions.get([session_id])
    if not found:
        return
    by_seq: dict[int, list[EventLocator]] = {}
    for locator in locators:
        by_seq.setdefault(locator.seq, []).append(locator)
    before = work.sessions.events(session_id)
    kept = _assertions_beside(work, found[0], before, {str(locator) for locator in locators})
    acts = work.governance.of([claim for claim in _claims_of(work, session_id) if claim != claim_id])
    traces = traces_of(work, session_id)
    _remove_sessions(work, [session_id])
    work.sessions.put(found[0], [_without(event, by_seq.get(event.seq, [])) for event in before])
    for act in acts:
        work.governance.append(act)
    work.traces.add(traces)
    settle(work, work.assertions.replace(session_id, kept))


def _assertions_beside(
    work: UnitOfWork, session: Session, events: Sequence[Event], places: set[str]
) -> dict[str, list[Assertion]]:
    """Return the session's assertions by slot but for those by *places*: with them stays since when they are known."""
    derived = derive(session, events, recorded_at=UNTIMED).assertions
    stored = work.assertions.of_slots(sorted({slot_key(one.claim) for one in derived}))
    return {
        slot: [one for one in own if one.claim.session_id == session.id and one.proof.source_ref not in places]
        for slot, own in stored.items()
    }


def _without(event: Event, locators: Sequence[EventLocator]) -> Event:
    text = event.text
    for locator in sorted(locators, key=lambda item: item.start, reverse=True):
        words = text[locator.start : locator.end]
        stop = words[-1:] if words.endswith(SENTENCE_ENDS) else ""  # the next sentence must still be one of its own
        text = f"{text[: locator.start]}{FORGOTTEN}{stop}{text[locator.end :]}"
    return attrs.evolve(event, text=text)


def _episodes(work: UnitOfWork, session_ids: Sequence[str]) -> list[str]:
    """Return the episodes of these sessions, which own their evidence's vectors."""
    events = (work.sessions.events(session_id) for session_id in session_ids)
    return [episode.id for session in events for episode in segment_episodes(session)]


def _claims_of(work: UnitOfWork, session_id: str) -> list[str]:
    claims: list[str] = []
    where = ClaimFilter(session_ids=frozenset({session_id}))
    while page := work.claims.find(where=where, after=claims[-1] if claims else "", limit=PAGE):
        claims += [stored.claim.id for stored in page]
    return claims
