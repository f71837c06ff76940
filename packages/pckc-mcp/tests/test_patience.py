"""A query never waits for a model longer than it is told to, and nothing is lost by its going on without."""

import threading
from collections.abc import Iterator, Sequence

import pytest
from pckc_domain.errors import BackendUnavailableError, ConfigurationError
from pckc_domain.model.embedding import Vector
from pckc_domain.testing.fakes import HashEmbedder
from pckc_mcp.patience import PatientEmbedder

SHORT_SECONDS = 0.05
LONG_SECONDS = 60.0


class Loading(HashEmbedder):
    """A model that is ready once somebody says so."""

    def __init__(self) -> None:
        super().__init__()
        self.is_loaded = threading.Event()
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        self.asked += texts
        self.is_loaded.wait()
        return super().embed(texts)


@pytest.fixture
def model() -> Iterator[Loading]:
    """A model that is not ready; it is at the end."""
    model = Loading()
    yield model
    model.is_loaded.set()


def test_a_query_goes_on_without_a_model_that_loads_and_a_later_one_has_it(model: Loading) -> None:
    patient = PatientEmbedder(model, wait_seconds=SHORT_SECONDS)
    with pytest.raises(BackendUnavailableError, match=r"not ready within 0\.05 s"):
        patient.embed(["a"])
    assert not model.is_loaded.is_set()  # it did not wait for that
    model.is_loaded.set()
    assert list(PatientEmbedder(model, wait_seconds=LONG_SECONDS).embed(["a"])) == list(HashEmbedder().embed(["a"]))


def test_warming_up_returns_at_once_and_loads(model: Loading) -> None:
    patient = PatientEmbedder(model, wait_seconds=LONG_SECONDS)
    patient.warm_up()
    assert not model.is_loaded.is_set()
    threading.Timer(SHORT_SECONDS, model.is_loaded.set).start()
    assert list(patient.embed(["a"])) == list(HashEmbedder().embed(["a"]))
    assert model.asked == ["", "a"]


def test_what_nobody_waits_for_any_more_is_not_embedded(model: Loading) -> None:
    patient = PatientEmbedder(model, wait_seconds=SHORT_SECONDS)
    patient.warm_up()
    for number in range(20):
        with pytest.raises(BackendUnavailableError):
            patient.embed([f"query {number}"])
    assert sum(thread.name == "pckc-embedder" for thread in threading.enumerate()) < 5
    assert model.asked == [""]


def test_a_question_is_embedded_once_however_often_it_is_asked(model: Loading) -> None:
    model.is_loaded.set()
    patient = PatientEmbedder(model, wait_seconds=LONG_SECONDS)
    assert patient.embed(["a"]) == patient.embed(["a"]) == HashEmbedder().embed(["a"])
    assert patient.embed(["b"]) == HashEmbedder().embed(["b"])
    assert model.asked == ["a", "b"]


def test_a_question_that_was_late_is_not_started_again_and_has_its_answer_later(model: Loading) -> None:
    patient = PatientEmbedder(model, wait_seconds=SHORT_SECONDS)
    for _ in range(3):
        with pytest.raises(BackendUnavailableError):
            patient.embed(["a"])
    model.is_loaded.set()
    for thread in threading.enumerate():
        if thread.name == "pckc-embedder":
            thread.join()
    assert patient.embed(["a"]) == HashEmbedder().embed(["a"])
    assert model.asked == ["a"]


def test_what_is_wrong_with_a_model_is_told() -> None:
    class Missing(HashEmbedder):
        def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
            raise ConfigurationError("the extra is not installed")

    with pytest.raises(ConfigurationError, match="not installed"):
        PatientEmbedder(Missing(), wait_seconds=LONG_SECONDS).embed(["a"])
