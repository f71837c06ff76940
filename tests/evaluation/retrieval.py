"""The evaluation set asked of the real engine."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
from pckc_domain.model.progress import ignore_progress
from pckc_domain.usecases.remember import ImportRequest
from pckc_mcp.cli.commands.eval import stored_events
from pckc_mcp.config import DEFAULT_SLOTS, Config, Slot
from pckc_mcp.engine import Engine
from pckc_mcp.evaluation import Baseline, Question, measure, rank_events
from pckc_mcp.opening import open_engine

from .baseline import HERE

Measures = Mapping[str, Mapping[str, float]]


@attrs.frozen(kw_only=True)
class Asked:
    """Questions, and the ids ranked for each, by question id."""

    questions: tuple[Question, ...] = ()
    ranked: Mapping[str, Sequence[str]] = attrs.field(factory=dict)

    def __add__(self, other: "Asked") -> "Asked":
        return Asked(questions=(*self.questions, *other.questions), ranked={**self.ranked, **other.ranked})

    def measures(self) -> Measures:
        """Return the measures over all questions, and by kind."""
        return measure(self.questions, self.ranked)


def names(split: str) -> list[str]:
    """Return the names of the conversations of *split*, in order."""
    return sorted(path.stem for path in (HERE / "questions").glob(f"{split}_*.jsonl"))


def questions_of(name: str) -> tuple[Question, ...]:
    """Return the questions about a conversation."""
    lines = (HERE / "questions" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return tuple(Question.read(line, number) for number, line in enumerate(lines, start=1))


@contextmanager
def remembered(conversations: Sequence[str], folder: Path, *, embedder: str) -> Iterator[Engine]:
    """Import *conversations* into one new store below *folder*, an empty one, embed them, and yield the engine."""
    config = Config(slots={**DEFAULT_SLOTS, "embedder": Slot(backend=embedder)})
    with open_engine(folder, store=folder / "store.db", config=config) as engine:
        paths = [str(HERE / "transcripts" / f"{name}.jsonl") for name in conversations]
        files = list(engine.backends.transcripts.find(paths, format="plain"))
        engine.importer().run(engine.scope, ImportRequest(files=files))
        if projector := engine.projector():
            projector.run(engine.scope)
        yield engine


def ask(engine: Engine, questions: tuple[Question, ...]) -> Asked:
    """Return what PCKC ranks."""
    return Asked(questions=questions, ranked=rank_events(engine, questions, ignore_progress))


def ask_plainly(engine: Engine, questions: tuple[Question, ...]) -> Asked:
    """Return what a plain FTS5 OR-query over the same events ranks."""
    baseline = Baseline(stored_events(engine))
    return Asked(questions=questions, ranked={item.id: baseline.rank(item.question) for item in questions})
