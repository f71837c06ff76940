"""The judged sets keep their promises, and PCKC answers them better than a plain full-text query does."""

from collections import Counter
from collections.abc import Iterator

import pytest

from .corpora import Corpus, indexed
from .judging import Question, Span, bug_reports, measure, measure_files

HALVES = ("dev", "held_out")


@pytest.fixture(scope="module", params=["prose", "code"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """A corpus, indexed without an embedder."""
    with indexed(request.param, tmp_path_factory.mktemp(request.param), embedder="none") as corpus:
        yield corpus


def test_the_set_is_well_formed(corpus: Corpus) -> None:
    asked = corpus.questions
    assert len(asked) == 60
    assert Counter(question.half for question in asked) == dict.fromkeys(HALVES, 30)
    assert len({question.id for question in asked}) == len({question.query for question in asked}) == 60
    for question in asked:
        assert 2 in question.grades.values(), question.id
        assert len(question.grades) <= 6, question.id


def test_a_third_of_the_prose_questions_is_russian(corpus: Corpus) -> None:
    if corpus.name == "prose":
        russian = [q for q in corpus.questions if any("а" <= letter <= "я" for letter in q.query.lower())]
        assert len(russian) == 20


def test_a_question_does_not_quote_its_answer(corpus: Corpus) -> None:
    """Few questions may be found by a phrase: their words, in order, must not stand in the answer."""
    quoted = 0
    for question in corpus.questions:
        words = question.query.lower().rstrip("?").split()
        text = " ".join(_text(corpus, unit) for unit, grade in question.grades.items() if grade == 2)
        quoted += len(words) > 3 and " ".join(words) in text
    assert quoted <= 2


@pytest.mark.parametrize("half", HALVES)
def test_pckc_beats_the_plain_query(corpus: Corpus, half: str) -> None:
    with corpus.plain_ranking() as plain:
        baseline = corpus.measures(plain, half)
    ours = corpus.measures(corpus.ranking(hybrid=False), half)
    assert ours.ndcg > baseline.ndcg, (ours, baseline)
    assert ours.recall > baseline.recall, (ours, baseline)


def test_measures_by_hand() -> None:
    first, second = Span("a.md", 1, 4), Span("a.md", 5, 9)
    question = Question(id="q", half="dev", query="?", grades={first: 2, second: 1})
    best = measure(question, [first, second])
    assert (best.ndcg, best.recall) == (1.0, 1.0)
    swapped = measure(question, [second, first])
    assert 0 < swapped.ndcg < 1
    assert measure(question, [first, first]).recall == 0.5, "a unit counts once"
    assert measure(question, [Span("a.md", 1, 9)]).recall == 0.5, "a result counts for one unit"
    assert measure(question, [Span("b.md", 1, 9)]).ndcg == 0
    whole = Span("a.md", 1, 400)
    assert measure(question, [whole]).ndcg == 0, "a whole file answers nothing"


def _text(corpus: Corpus, unit: Span) -> str:
    lines = (corpus.engine.root / unit.path).read_text(encoding="utf-8").splitlines()
    return " ".join(" ".join(lines[unit.first - 1 : unit.last]).lower().split())


def test_bug_reports_are_well_formed(corpus: Corpus) -> None:
    reports = bug_reports()
    assert len(reports) == len({report.id for report in reports}) == 40
    assert Counter(report.half for report in reports) == dict.fromkeys(HALVES, 20)
    if corpus.name == "code":
        for report in reports:
            assert all((corpus.engine.root / path).is_file() for path in report.files), report.id


@pytest.mark.parametrize("half", HALVES)
def test_files_of_bug_reports_are_found_better_than_by_a_plain_query(corpus: Corpus, half: str) -> None:
    if corpus.name != "code":
        return
    reports = [report for report in bug_reports() if report.half == half]
    with corpus.plain_ranking() as plain:
        baseline = measure_files(reports, lambda text: [span.path for span in plain(text)])
    ours = measure_files(reports, corpus.files())
    assert ours.reciprocal > baseline.reciprocal, (ours, baseline)
    assert ours.first > baseline.first, (ours, baseline)
