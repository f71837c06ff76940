"""What an answer from the index does not know: files that are new, changed or gone since."""

import threading
import time

from pckc_domain.errors import PckcError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.passage import Layer
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.sources import RepositorySource, TreeChanges

MOST_FILES = 5_000
"""To look at more takes a good part of what a search takes."""

MOST_READ = 50
"""Files read at a glance, to tell whether more than their time is another."""

MOST_COMPARED = 2_000
"""The same for a look that may take a while."""

KEPT_SECONDS = 0.5
"""A look serves the questions that come so soon after it: batches, and clients that ask at once."""


class TreeLook:
    """
    Compares a work tree with its index in a thread of its own, beside the question whose answer tells of it.

    Safe for threads.
    """

    def __init__(self, canonical: Canonical, source: RepositorySource, scope: Scope, checkout: Checkout) -> None:
        self._canonical = canonical
        self._source = source
        self._scope = scope
        self._checkout = checkout
        self._lock = threading.Lock()
        self._look: _Look | None = None

    def begin(self) -> None:
        """Start to look, unless that was done just now."""
        with self._lock:
            if self._look is None or time.monotonic() - self._look.begun > KEPT_SECONDS:
                self._look = _Look(self)

    def changes(self) -> TreeChanges | None:
        """Return what was seen; ``None`` when nothing is indexed, there is too much to look at, or it failed."""
        self.begin()
        with self._lock:
            look = self._look
        return look.result() if look else None

    def forget(self) -> None:
        """Take no earlier look for an answer: the index was brought up to date."""
        with self._lock:
            self._look = None

    def compare(self) -> TreeChanges:
        """
        Look now, however many files there are.

        Raises:
            BackendError: The tree or the store cannot be read.
        """
        manifest, _ = self._indexed()
        return self._source.compare(manifest, most_read=MOST_COMPARED)

    def glance(self) -> TreeChanges | None:
        """Do as `compare` as far as it takes little time; ``None`` when it does not, or nothing is indexed."""
        with self._canonical.reading(self._scope) as work:
            if work.passages.count()[Layer.SUMMARY].fresh > MOST_FILES:
                return None
        manifest, known = self._indexed()
        if known is None or known.indexed_at is None:
            return None
        return self._source.compare(manifest, made_at=known.indexed_at, most_read=MOST_READ)

    def _indexed(self) -> tuple[dict[str, ManifestEntry], Checkout | None]:
        with self._canonical.reading(self._scope) as work:
            known = next((one for one in work.manifest.checkouts() if one.id == self._checkout.id), None)
            return {entry.path: entry for entry in work.manifest.entries(self._checkout.id)}, known


class _Look:
    """One look under way."""

    def __init__(self, tree: TreeLook) -> None:
        self.begun = time.monotonic()
        self._tree = tree
        self._found: TreeChanges | None = None
        self._thread = threading.Thread(target=self._run, name="pckc-tree-look", daemon=True)
        self._thread.start()

    def result(self) -> TreeChanges | None:
        """Wait for its end."""
        self._thread.join()
        return self._found

    def _run(self) -> None:
        try:
            self._found = self._tree.glance()
        except PckcError:
            return  # what is not known is not told; whoever indexes hears why
