"""An embedder that needs no model, found as any installed one is."""

from pathlib import Path

EMBEDDER = """
from contextlib import contextmanager

import attrs
from pckc_domain.plugin import Backend
from pckc_domain.testing.fakes import HashEmbedder


@attrs.frozen
class Settings:
    pass


@contextmanager
def opened(settings):
    yield HashEmbedder()


EMBEDDER = Backend(settings=Settings, open=opened)
"""


def write_embedder(folder: Path) -> None:
    """Write what an installed package with the embedder ``hash`` leaves on the path."""
    about = folder / "pckc_hash-1.dist-info"
    about.mkdir(parents=True)
    (folder / "pckc_hash.py").write_text(EMBEDDER)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pckc-hash\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[pckc.embedder]\nhash = pckc_hash:EMBEDDER\n")
