"""What every canonical store must do for gaps and traces: inherit `GapContract`, provide *canonical*."""

from datetime import timedelta

import pytest

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.bounds import MAX_QUESTION_CHARACTERS
from pckc_domain.model.context import ContextPack
from pckc_domain.model.gap import GapPriority, GapStatus
from pckc_domain.model.trace import TraceKind
from pckc_domain.policy.granularity import route
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.curated_world import CuratedWorld
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.gaps import GapKeeper
from pckc_domain.usecases.traces import Tracer

A, B = "https://a.example/book.pdf", "https://b.example/book.pdf"
QUESTION = "How far is the moon from the earth?"


def pack_of(task: str, *, gaps: tuple[str, ...] = ()) -> ContextPack:
    """Return a pack that holds nothing."""
    return ContextPack(
        task=task,
        preference=route(task),
        subgoals=(),
        claims=(),
        evidence=(),
        passages=(),
        files=(),
        conflicts=(),
        gaps=gaps,
        exclusions=(),
        verification=(),
        tokens=0,
        budget=100,
        hash="",
        text="",
        signals="",
        coverage={},
        indexed_at=None,
        is_complete=True,
    )


class GapContract:
    """Gaps and traces, through their use cases."""

    @pytest.fixture
    def world(self, canonical: Canonical) -> CuratedWorld:
        """Return an empty world."""
        return CuratedWorld(canonical)

    @pytest.fixture
    def keeper(self, world: CuratedWorld) -> GapKeeper:
        """Return the use case."""
        return GapKeeper(world.canonical, world.clock)

    def test_one_question_is_one_gap(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """However it is spelt; it is opened again when it was closed."""
        gap = keeper.add(SCOPE, QUESTION, reason="a rocket", priority=GapPriority.HIGH)
        world.clock.advance(timedelta(hours=1))
        assert keeper.add(SCOPE, " how far is the MOON from the earth?") == gap
        keeper.update(SCOPE, gap.id, status=GapStatus.CLOSED)
        opened = keeper.add(SCOPE, QUESTION)
        assert (opened.id, opened.status, opened.created_at) == (gap.id, GapStatus.OPEN, gap.created_at)

    def test_a_later_claim_closes_it(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """With the link; one that speaks of something else does not."""
        gap = keeper.add(SCOPE, QUESTION)
        assert keeper.close_answered(SCOPE) == ()
        world.ingest(A, "The moon is a rock.")
        assert keeper.close_answered(SCOPE) == ()
        report = world.ingest(B, "From the earth the moon is 384,400 km far.")
        (closed,) = keeper.close_answered(SCOPE, report.claim_ids)
        assert (closed.id, closed.status, closed.closed_by) == (gap.id, GapStatus.CLOSED, report.claim_ids)
        assert keeper.get(SCOPE, gap.id) == closed
        assert keeper.list(SCOPE, status=GapStatus.OPEN, limit=9) == []

    def test_what_is_known_closes_it_at_once(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """And it stays closed while the answer stands, unless it is opened again: then only a later claim closes it."""
        report = world.ingest(A, "The moon is 384,400 km far from the earth.")
        world.clock.advance(timedelta(hours=1))
        gap = keeper.add(SCOPE, QUESTION)
        assert (gap.status, gap.closed_by) == (GapStatus.CLOSED, report.claim_ids)
        world.clock.advance(timedelta(hours=1))
        assert keeper.add(SCOPE, QUESTION) == gap
        keeper.update(SCOPE, gap.id, status=GapStatus.OPEN)
        assert keeper.close_answered(SCOPE) == ()
        keeper.update(SCOPE, gap.id, closed_by=report.claim_ids)
        world.ingest(A, "The moon is a rock.")
        assert keeper.add(SCOPE, QUESTION).status is GapStatus.OPEN

    def test_another_question_is_looked_up(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """As a new one is."""
        report = world.ingest(A, "The moon is 384,400 km far from the earth.")
        gap = keeper.add(SCOPE, "How old is the moon?")
        assert gap.status is GapStatus.OPEN
        assert keeper.update(SCOPE, gap.id, question=QUESTION).closed_by == report.claim_ids

    def test_a_dismissed_question_stays_dismissed(self, keeper: GapKeeper) -> None:
        """Whoever asks it again."""
        gap = keeper.add(SCOPE, QUESTION)
        dismissed = keeper.update(SCOPE, gap.id, status=GapStatus.DISMISSED)
        assert keeper.add(SCOPE, QUESTION) == dismissed

    def test_a_question_in_russian(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """Is closed as any other."""
        gap = keeper.add(SCOPE, "Какой порт слушает сервер Ромашка?")
        report = world.ingest(A, "Сервер Ромашка слушает порт 8555.")
        assert [(one.id, one.closed_by) for one in keeper.close_answered(SCOPE)] == [(gap.id, report.claim_ids)]

    def test_a_task_is_one_gap(self, keeper: GapKeeper) -> None:
        """Whose reason names what nothing was found for; it is raised once."""
        pack = pack_of("Migrate the Quexo gateway to HTTP/3.", gaps=("quexo", "gateway"))
        (gap,) = keeper.raise_from(SCOPE, pack)
        assert (gap.question, gap.raised_by) == (pack.task, "compiler")
        assert gap.reason.endswith("quexo, gateway")
        assert keeper.raise_from(SCOPE, pack) == ()
        assert keeper.raise_from(SCOPE, pack_of("Another task.")) == ()
        assert keeper.list(SCOPE, limit=9) == [gap]
        (long,) = keeper.raise_from(SCOPE, pack_of("word " * 900, gaps=("word",)))
        assert len(long.question) <= MAX_QUESTION_CHARACTERS

    def test_update(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """What is not named stays; claims close it, and opening it forgets them."""
        gap = keeper.add(SCOPE, QUESTION, reason="a rocket")
        (claim,) = world.ingest(A, "The moon is a rock.").claim_ids
        changed = keeper.update(SCOPE, gap.id, priority=GapPriority.LOW)
        assert (changed.question, changed.reason, changed.priority) == (gap.question, "a rocket", GapPriority.LOW)
        assert keeper.update(SCOPE, gap.id, closed_by=[claim, claim]).closed_by == (claim,)
        assert keeper.get(SCOPE, gap.id).status is GapStatus.CLOSED
        assert keeper.update(SCOPE, gap.id, status=GapStatus.RESEARCHING).closed_by == ()
        with pytest.raises(NotFoundError, match="no claim"):
            keeper.update(SCOPE, gap.id, closed_by=["claim_none"])
        with pytest.raises(InvalidInputError, match="closed gap"):
            keeper.update(SCOPE, gap.id, closed_by=[claim], status=GapStatus.OPEN)
        with pytest.raises(InvalidInputError, match="empty"):
            keeper.update(SCOPE, gap.id, question="  ")

    def test_delete(self, keeper: GapKeeper) -> None:
        """Once."""
        gap = keeper.add(SCOPE, QUESTION)
        keeper.delete(SCOPE, gap.id)
        for act in (keeper.delete, keeper.get):
            with pytest.raises(NotFoundError, match="no gap"):
                act(SCOPE, gap.id)

    def test_order_and_pages(self, world: CuratedWorld, keeper: GapKeeper) -> None:
        """What matters most first, then the oldest."""
        for number, priority in enumerate([GapPriority.LOW, GapPriority.HIGH, GapPriority.HIGH]):
            keeper.add(SCOPE, f"question number {number}", priority=priority)
            world.clock.advance(timedelta(hours=1))
        found = [gap.question for page in range(3) for gap in keeper.list(SCOPE, limit=1, offset=page)]
        assert found == ["question number 1", "question number 2", "question number 0"]

    @pytest.mark.parametrize("question", ["", " \n", "long " * 300])
    def test_no_question(self, keeper: GapKeeper, question: str) -> None:
        """It is refused with what to do."""
        with pytest.raises(InvalidInputError) as refused:
            keeper.add(SCOPE, question)
        assert refused.value.remedy

    def test_traces_are_apart(self, world: CuratedWorld) -> None:
        """Newest first; no claim comes of them, and secrets are redacted."""
        tracer = Tracer(world.canonical, world.clock)
        token = "ghp_" + "a1B2" * 9
        for number, kind in enumerate(TraceKind):
            tracer.add(SCOPE, kind, f"The moon is {number} far, {token}.", session_id=str(number % 2))
            world.clock.advance(timedelta(hours=1))
        found = tracer.list(SCOPE, limit=9)
        assert [one.kind for one in found] == list(reversed(TraceKind))
        assert not any(token in one.text for one in found)
        assert [one.kind for one in tracer.list(SCOPE, session_id="0", limit=9)] == ["observation", "plan"]
        assert [one.kind for one in tracer.list(SCOPE, kinds=[TraceKind.PLAN], limit=9)] == ["plan"]
        assert world.claims() == []
        with pytest.raises(InvalidInputError, match="empty"):
            tracer.add(SCOPE, TraceKind.PLAN, " ")
