"""
Check claims against each other: what is a duplicate, what is confirmed elsewhere, what is contradicted.

Every verdict is stored with what it compared, and weighed whenever one of the two claims is settled.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.errors import BackendError, NotFoundError
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, Claim, ClaimStatus
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.model.verdict import Judgement, Verdict, VerdictKind
from pckc_domain.policy.curation import cited
from pckc_domain.policy.deduplication import DUPLICATE_COSINE, better_proven, is_duplicate
from pckc_domain.policy.judging.judge import proves
from pckc_domain.policy.proper_names import names_in
from pckc_domain.policy.verdicts import stands
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.distiller import Distiller
from pckc_domain.usecases.near_claims import AT_ONCE, NearClaim, NearClaims
from pckc_domain.usecases.rule_distiller import RuleDistiller
from pckc_domain.usecases.settling import settle

NEAR = 5
DEDUPLICATION = "cosine"
DOCUMENTS = "documents"
APART = "another document says otherwise of a thing that neither names: it may be another thing"
MORE = "each of the two says what the other does not"
PAGE = 200


_DIRECTED = frozenset({VerdictKind.CORROBORATES, VerdictKind.DUPLICATE})
"""Verdicts whose claim need not be the one that was checked."""


@attrs.frozen(kw_only=True)
class CheckedClaim:
    """A claim with its status before and after, and what was found."""

    claim: Claim
    before: ClaimStatus
    verdicts: tuple[Verdict, ...]


@attrs.frozen(kw_only=True)
class CheckReport:
    """
    What a check found.

    Attributes:
        checked: The claims in the order asked for.
        counts: Number of verdicts by kind.
        method: Who judged: the distiller's name, or ``rules``.
        notes: What was lacking: no embedder, a model that did not answer.
    """

    checked: tuple[CheckedClaim, ...]
    counts: Mapping[VerdictKind, int]
    method: str
    notes: tuple[str, ...] = ()


class CrossChecker:
    """Compares claims with their nearest neighbours."""

    def __init__(
        self,
        canonical: Canonical,
        near: NearClaims,
        clock: Clock,
        *,
        critic: Distiller | None = None,
        same: float = DUPLICATE_COSINE,
    ) -> None:
        self._canonical = canonical
        self._near = near
        self._clock = clock
        self._rules = RuleDistiller()
        self._critic = critic or self._rules
        self._same = same

    def check(
        self, scope: Scope, claim_ids: Sequence[str], *, progress: ProgressListener = ignore_progress
    ) -> CheckReport:
        """
        Judge these claims against the claims nearest to each, and settle them again.

        Raises:
            NotFoundError: An id is not stored.
        """
        with self._canonical.reading(scope) as work:
            stored = work.claims.get(claim_ids)
        if missing := sorted(set(claim_ids) - {one.claim.id for one in stored}):
            raise NotFoundError(f"no claim has the id {missing[0][:80]}", remedy="search results name theirs")
        return self._check(scope, stored, progress)

    def check_candidates(
        self, scope: Scope, *, limit: int, progress: ProgressListener = ignore_progress
    ) -> CheckReport:
        """Judge up to *limit* claims of documents that nothing has confirmed yet, by id; those never judged first."""
        with self._canonical.reading(scope) as work:
            fresh: list[StoredClaim] = []
            judged: list[StoredClaim] = []
            where = ClaimFilter(statuses=frozenset({ClaimStatus.CANDIDATE}), governance=VISIBLE, is_open=True)
            after = ""
            while len(fresh) < limit and (page := work.claims.find(where=where, after=after, limit=PAGE)):
                of_documents = [one for one in page if one.claim.document_id]
                verdicts = work.verdicts.of([one.claim.id for one in of_documents])
                known = {one.claim_id for one in verdicts} | {one.other_id for one in verdicts if one.kind in _DIRECTED}
                fresh += [one for one in of_documents if one.claim.id not in known]
                judged += [one for one in of_documents if one.claim.id in known]
                after = page[-1].claim.id
        return self._check(scope, [*fresh, *judged][:limit], progress)

    def deduplicate(self, scope: Scope, claim_ids: Sequence[str]) -> tuple[Verdict, ...]:
        """
        Let those of these claims that say what a claim of their type says already lend it their proofs.

        Args:
            scope: Whose they are.
            claim_ids: `AT_ONCE` at most; claims that do not stand are left out.

        Raises:
            BackendError: Meanings cannot be compared now.
            ConfigurationError: There is no embedder, or its index holds another one's vectors.
        """
        with self._canonical.reading(scope) as work:
            stored = [one for one in work.claims.get(claim_ids) if stands(one.claim)]
            known = {frozenset((one.claim_id, one.other_id)) for one in work.verdicts.of(claim_ids) if is_repeat(one)}
        neighbours = self._near.by_meaning(scope, stored, limit=NEAR, is_same_type=True)
        repeats: dict[str, Verdict] = {}
        for one in stored:
            for near in neighbours[one.claim.id]:
                pair = {one.claim.id, near.stored.claim.id}
                if pair & repeats.keys() or pair in known or not self._says_same(one, near):
                    continue
                verdict = self._duplicate(scope, one, near, DEDUPLICATION, "")
                repeats[verdict.claim_id] = verdict
        self._store(scope, tuple(repeats.values()))
        return tuple(repeats.values())

    def _says_same(self, one: StoredClaim, near: NearClaim) -> bool:
        if near.similarity is None or near.stored.claim.type is not one.claim.type:
            return False
        texts = one.claim.text, near.stored.claim.text
        return is_duplicate(one.claim.type, *texts, near.similarity, threshold=self._same)

    def _check(self, scope: Scope, stored: Sequence[StoredClaim], progress: ProgressListener) -> CheckReport:
        notes: list[str] = []
        found: dict[str, tuple[Verdict, ...]] = {}
        for start in range(0, len(stored), AT_ONCE):
            part = stored[start : start + AT_ONCE]
            neighbours = self._near.of(scope, part, limit=NEAR)
            if neighbours.why_lexical:
                notes.append(f"compared by words alone: {neighbours.why_lexical}")
            for number, one in enumerate(part, start=start):
                progress(Progress(stage="checking claims", done=number, total=len(stored)))
                found[one.claim.id] = self._judge(scope, one, neighbours.by_claim[one.claim.id], notes)
                self._store(scope, found[one.claim.id])
        progress(Progress(stage="checking claims", done=len(stored), total=len(stored)))
        with self._canonical.reading(scope) as work:
            after = {one.claim.id: one.claim for one in work.claims.get(list(found))}
        return CheckReport(
            checked=tuple(
                CheckedClaim(
                    claim=after.get(one.claim.id, one.claim), before=one.claim.status, verdicts=found[one.claim.id]
                )
                for one in stored
            ),
            counts=Counter(verdict.kind for verdicts in found.values() for verdict in verdicts),
            method=self._critic.name,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _judge(
        self, scope: Scope, one: StoredClaim, near: Sequence[NearClaim], notes: list[str]
    ) -> tuple[Verdict, ...]:
        """Return the critic's verdict, and those of other documents that say the same."""
        judgement, method = self._judgement(one.claim.text, [each.stored.claim.text for each in near], notes)
        if judgement is not None and self._is_apart(scope, one, near, judgement):
            judgement = Judgement(kind=VerdictKind.NEW, reason=APART)
        verdicts: list[Verdict] = []
        if judgement is None or judgement.kind is VerdictKind.NEW or judgement.against is None:
            reason = judgement.reason if judgement else "no stored claim is near"
            verdicts.append(self._verdict(one.claim.id, None, VerdictKind.NEW, method, reason))
        elif judgement.kind is VerdictKind.DUPLICATE:
            verdicts.append(self._duplicate(scope, one, near[judgement.against], method, judgement.reason))
        elif judgement.kind is VerdictKind.CORROBORATES:
            verdicts += self._corroborations(one, near[judgement.against], method, judgement.reason)
        else:
            against = near[judgement.against]
            verdicts.append(self._verdict(one.claim.id, against, judgement.kind, method, judgement.reason))
        named = {verdict.other_id for verdict in verdicts} | {verdict.claim_id for verdict in verdicts}
        for each in near:
            if each.stored.claim.id in named or not self._says_same(one, each):
                continue
            if self._is_elsewhere(scope, one, each):
                verdicts += self._corroborations(one, each, DOCUMENTS, "another document says so too")
        return tuple(verdicts)

    def _corroborations(self, one: StoredClaim, near: NearClaim, method: str, reason: str) -> list[Verdict]:
        """Return that one of two claims proves the other, or each of them; `new` when each says more than the other."""
        other = near.stored.claim
        found = []
        if proves(one.claim.text, other.text):
            found.append(self._verdict(one.claim.id, near, VerdictKind.CORROBORATES, method, reason))
        if proves(other.text, one.claim.text):
            back = NearClaim(stored=one, similarity=near.similarity)
            found.append(self._verdict(other.id, back, VerdictKind.CORROBORATES, method, reason))
        return found or [self._verdict(one.claim.id, None, VerdictKind.NEW, method, MORE)]

    def _judgement(self, text: str, others: Sequence[str], notes: list[str]) -> tuple[Judgement | None, str]:
        if not others:
            return None, _method(self._critic)
        try:
            return self._critic.judge(text, others), _method(self._critic)
        except BackendError as error:
            notes.append(f"{self._critic.name} gave no verdict, so rules did: {error.message}")
            return self._rules.judge(text, others), _method(self._rules)

    def _is_apart(self, scope: Scope, one: StoredClaim, near: Sequence[NearClaim], judgement: Judgement) -> bool:
        """Whether two documents seem to contradict each other, of which each may speak of a thing of its own."""
        if judgement.kind is not VerdictKind.CONTRADICTS or judgement.against is None:
            return False
        other = near[judgement.against]
        is_named = names_in(one.claim.text) and names_in(other.stored.claim.text)
        return not is_named and self._is_elsewhere(scope, one, other)

    def _is_elsewhere(self, scope: Scope, one: StoredClaim, near: NearClaim) -> bool:
        with self._canonical.reading(scope) as work:
            proofs = work.proofs.of([one.claim.id, near.stored.claim.id])
        mine, theirs = (cited(proofs.get(each.claim.id, ())) for each in (one, near.stored))
        return bool(theirs - mine)

    def _duplicate(self, scope: Scope, one: StoredClaim, near: NearClaim, method: str, reason: str) -> Verdict:
        """Return the verdict that the worse proven of two claims repeats the better proven one."""
        with self._canonical.reading(scope) as work:
            proofs = work.proofs.of([one.claim.id, near.stored.claim.id])
        counts = [len(cited(proofs.get(each.claim.id, ()))) for each in (one, near.stored)]
        better = better_proven(one.claim, counts[0], near.stored.claim, counts[1])
        worse = near.stored.claim if better.id == one.claim.id else one.claim
        return Verdict(
            claim_id=worse.id,
            other_id=better.id,
            kind=VerdictKind.DUPLICATE,
            similarity=_rounded(near.similarity),
            method=method,
            reason=reason or "the texts are as near as the threshold asks, and no word of them differs in sense",
            at=self._clock.now(),
        )

    def _verdict(self, claim_id: str, near: NearClaim | None, kind: VerdictKind, method: str, reason: str) -> Verdict:
        return Verdict(
            claim_id=claim_id,
            other_id=near.stored.claim.id if near else "",
            kind=kind,
            similarity=_rounded(near.similarity) if near else None,
            method=method,
            reason=reason,
            at=self._clock.now(),
        )

    def _store(self, scope: Scope, verdicts: Sequence[Verdict]) -> None:
        if not verdicts:
            return
        named = sorted({claim_id for one in verdicts for claim_id in (one.claim_id, one.other_id) if claim_id})
        with self._canonical.writing(scope) as work:
            work.verdicts.put(verdicts)
            settle(work, {stored.slot for stored in work.claims.get(named)})


def is_repeat(verdict: Verdict) -> bool:
    """Return whether `CrossChecker.deduplicate` found it."""
    return verdict.kind is VerdictKind.DUPLICATE and verdict.method == DEDUPLICATION


def _method(critic: Distiller) -> str:
    return critic.name if critic.name == "rules" else f"model:{critic.name}"


def _rounded(similarity: float | None) -> float | None:
    return None if similarity is None else round(similarity, 4)
