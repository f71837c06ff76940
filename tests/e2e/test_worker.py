"""``pckc worker`` and ``pckc rebuild``, as far as they go without an embedder."""

import signal
import subprocess

import pytest

from .program import PCKC, Program


def test_once_ends_when_nothing_is_left(pckc: Program) -> None:
    pckc("index")
    form = pckc("worker", "--once", "--json").json
    assert form["schema"] == {"name": "pckc.worker", "version": 1}
    assert form["done"]["derivation"] == form["behind"]["derivation"] == 0
    assert (form["set_aside"], form["errors"]) == ({}, {})


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(pckc: Program, how: signal.Signals) -> None:
    pckc("index")
    worker = subprocess.Popen(
        [PCKC, "worker", "--poll", "60"],
        cwd=pckc.folder,
        env=dict(pckc.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert worker.stderr is not None
    assert "working at derivation" in worker.stderr.readline()
    worker.send_signal(how)
    output, errors = worker.communicate(timeout=60)
    assert (worker.returncode, errors) == (0, "")
    assert output.startswith("derivation: 0 done, 0 behind")


def test_what_is_not_configured_is_refused_with_a_remedy(pckc: Program) -> None:
    pckc("index")
    for arguments in (
        ("rebuild", "--vectors"),
        ("rebuild", "--graph"),
        ("worker", "--once", "--projection", "vectors"),
    ):
        refused = pckc(*arguments, "--json", check=False)
        assert refused.code == 3
        assert refused.error["remedy"]
    assert pckc("worker", "--poll", "0", check=False).code == 2
