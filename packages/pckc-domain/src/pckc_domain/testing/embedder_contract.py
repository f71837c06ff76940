"""What every embedder must do."""

from array import array
from math import isclose, isfinite, sqrt

import pytest

from pckc_domain.model.embedding import Vector
from pckc_domain.ports.embedder import Embedder

TEXTS = (
    "The server listens on port 8420.",
    "Anna moved to Porto last month.",
    "Сервер упал ночью из-за логов.",
    "def parse(path): return tomllib.loads(path.read_text())",
    "a",
    "a much longer text beside short ones " * 20,
)

ODD_TEXTS = {
    "empty": "",
    "blank": " \t\n ",
    "NUL": "a\x00b",
    "emoji": "😀👩‍👩‍👧‍👦",
    "lone surrogates": "a\ud800b\udfff",
    "right to left": "שלום עולם",
    "one huge word": "a" * 100_000,
    "many words": "слово " * 17_000,
    "many blanks": " " * 100_000 + "end",
}


class EmbedderContract:
    """
    Inherit it and provide the fixture *embedder*; take it from one of a wider scope if its model loads slowly.

    An embedder that calls a server needs one that runs a real model: some tests compare meanings.
    """

    @pytest.fixture
    def embedder(self) -> Embedder:
        """Return the embedder under test."""
        raise NotImplementedError

    def test_vectors_fit_the_space(self, embedder: Embedder) -> None:
        for vector in embedder.embed(TEXTS):
            assert isinstance(vector, array)
            assert vector.typecode == "f"
            assert len(vector) == embedder.space.dimensions

    def test_the_space_names_its_model(self, embedder: Embedder) -> None:
        assert embedder.space.model
        assert embedder.space == embedder.space

    def test_vectors_have_unit_length(self, embedder: Embedder) -> None:
        for vector in embedder.embed(TEXTS):
            assert isclose(length(vector), 1, abs_tol=1e-4)

    def test_no_texts_no_vectors(self, embedder: Embedder) -> None:
        assert len(embedder.embed([])) == 0

    def test_a_vector_does_not_depend_on_the_texts_beside_it(self, embedder: Embedder) -> None:
        together = list(embedder.embed(TEXTS))
        alone = [embedder.embed([text])[0] for text in TEXTS]
        backwards = list(embedder.embed(TEXTS[::-1]))[::-1]

        assert together == alone
        assert together == backwards

    def test_equal_texts_have_equal_vectors(self, embedder: Embedder) -> None:
        first, _, second = embedder.embed(["same", "other", "same"])

        assert first == second

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        assert len({bytes(vector) for vector in embedder.embed(TEXTS)}) == len(TEXTS)

    def test_a_paraphrase_is_nearer_than_another_topic(self, embedder: Embedder) -> None:
        question, answer, other = embedder.embed(
            [
                "Which database do we use?",
                "The data is stored in a PostgreSQL database.",
                "The choir is looking for two more altos.",
            ]
        )

        assert cosine(question, answer) > cosine(question, other)

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
    def test_any_string_is_accepted(self, embedder: Embedder, text: str) -> None:
        (vector,) = embedder.embed([text])

        assert len(vector) == embedder.space.dimensions
        assert all(map(isfinite, vector))
        assert isclose(length(vector), 1, abs_tol=1e-4)

    def test_the_caller_owns_the_vectors(self, embedder: Embedder) -> None:
        (vector,) = embedder.embed(["mine"])
        before = vector[0]
        vector[0] = before + 1

        assert embedder.embed(["mine"])[0][0] == before


def length(vector: Vector) -> float:
    """Return the Euclidean length of *vector*."""
    return sqrt(sum(x * x for x in vector))


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors."""
    return sum(x * y for x, y in zip(one, other, strict=True)) / (length(one) * length(other))
