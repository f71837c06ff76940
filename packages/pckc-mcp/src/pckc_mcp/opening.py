"""Open a project: find where its memory is kept, and fill every port."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.plugin import Found
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.cached_embedder import CachedEmbedder
from pckc_domain.usecases.project import ServingVectors
from pckc_domain.usecases.semantic import SemanticIndex

from pckc_mcp.adoption import kept_as, last_opened_as, note_opened
from pckc_mcp.backends import Backends, check_names
from pckc_mcp.config import Config, Slot, load_config
from pckc_mcp.engine import ONE_SHOT, Engine
from pckc_mcp.locations import close_folders, find_root, project_store
from pckc_mcp.opened import Opened, note_store
from pckc_mcp.plugins import has_setting, look, open_backend, open_canonical
from pckc_mcp.sync_mark import config_stamp, read_mark
from pckc_mcp.tree_look import TreeLook
from pckc_mcp.vector_slot import LateVectors, vector_projection_name

OF_THE_STORE = ("canonical", "vector", "embedding_cache")
"""Slots whose configured path is no longer meant when the caller names a store: what is nearest wins."""


@contextmanager
def open_engine(
    project: Path,
    *,
    store: Path | None = None,
    config: Config | None = None,
    tenant: str | None = None,
    with_semantic: bool = True,
) -> Iterator[Engine]:
    """
    Open the project that *project* lies in.

    Args:
        project: A folder of the project.
        store: The embedded store; by default one file per project under the XDG data directory.
        config: What to use instead of the configuration files.
        tenant: Whose project it is; by default the configured one.
        with_semantic: Open the embedder and the vector index; without, a search starts much faster.

    Raises:
        ConfigurationError: A setting or an installed package does not fit.
        BackendUnavailableError: A store cannot be opened.
    """
    if not project.is_dir():
        raise ConfigurationError(f"{project} is no folder", remedy="name the project's folder with --project")
    root = find_root(project)
    stamp = config_stamp(root)  # before it is read: a change meanwhile must be seen later
    is_configured = config is None and store is None
    config = config or load_config(root)
    check_names(config.slots)
    slots = _slots(config, store)
    tenant = tenant or config.tenant
    with ExitStack() as stack:
        source: RepositorySource = stack.enter_context(open_backend("source", slots["source"], {"root": str(root)}))
        kept = _open_store(stack, slots, _named(source.checkout(), root), root=root, store=store, tenant=tenant)
        note_opened(root, kept.checkout.project)
        if is_configured:
            note_store(root, Opened(str(kept.path) if kept.is_embedded else "", kept.checkout.project, stamp))
        scope = Scope(tenant=tenant, project=kept.checkout.project)
        backends = Backends(stack, slots, root=root, store=kept.path)
        embedder, why = backends.embedder() if with_semantic else (None, ONE_SHOT)
        semantic, vectors = _semantic(embedder, backends, kept, slots["vector"], scope) if embedder else (None, None)
        engine = Engine(
            config=config,
            root=root,
            store=kept.path if kept.is_embedded else None,
            scope=scope,
            checkout=kept.checkout,
            canonical=kept.canonical,
            source=source,
            tree=TreeLook(kept.canonical, source, scope, kept.checkout),
            backends=backends,
            embedder=embedder,
            semantic=semantic,
            vectors=vectors,
            why_no_embedder=why,
        )
        yield _with_traces(engine) if os.environ.get("PCKC_TRACES") else engine


def look_for_store(root: Path, config: Config, *, store: Path | None = None) -> Found | None:
    """
    Return what is found where the store of the project at *root* would be; ``None`` when its backend cannot tell.

    Nothing is made or noted.

    Raises:
        ConfigurationError: As `open_engine`.
        BackendUnavailableError: As `open_engine`.
    """
    path = place_of_store(root, config, store=store)
    return look("canonical", _slots(config, store)["canonical"], {"path": str(path)} if path else {})


def place_of_store(root: Path, config: Config, *, store: Path | None = None) -> Path | None:
    """
    Return the file that the embedded store of the project at *root* is, or would be; ``None`` with one on a server.

    Raises:
        ConfigurationError: As `open_engine`.
    """
    slots = _slots(config, store)
    if not _is_embedded(slots, store):
        return None
    if path := _chosen_path(slots, store):
        return path
    with open_backend("source", slots["source"], {"root": str(root)}) as source:
        return project_store(kept_as(_named(source.checkout(), root).project, root))


@attrs.frozen(kw_only=True)
class _Kept:
    """
    Where a project is kept.

    Attributes:
        canonical: The opened store.
        checkout: The work tree, under the name that the store keeps its project by.
        path: File of the embedded store, or where it would be.
        is_embedded: Whether the truth is in that file.
    """

    canonical: Canonical
    checkout: Checkout
    path: Path
    is_embedded: bool


def _open_store(
    stack: ExitStack, slots: Mapping[str, Slot], checkout: Checkout, *, root: Path, store: Path | None, tenant: str
) -> _Kept:
    is_embedded = _is_embedded(slots, store)
    chosen = _chosen_path(slots, store)
    is_project_s_own = is_embedded and not chosen
    identity = kept_as(checkout.project, root) if is_project_s_own else checkout.project
    path = chosen or project_store(identity)
    close_folders(path.parent)
    opening = open_canonical(slots["canonical"], {"path": str(path)}, tenant=tenant)
    canonical: Canonical = stack.enter_context(opening)
    if not is_project_s_own:
        identity = _kept_in(canonical, checkout, root)
    return _Kept(
        canonical=canonical,
        checkout=attrs.evolve(checkout, project=identity),
        path=chosen or project_store(identity),
        is_embedded=is_embedded,
    )


def _semantic(
    embedder: Embedder, backends: Backends, kept: _Kept, choice: Slot, scope: Scope
) -> tuple[SemanticIndex, VectorIndex]:
    """Return the embedder and the vectors for bulk work, and the index behind those vectors."""
    name = vector_projection_name(choice, default=kept.path, store=kept.path if kept.is_embedded else None)
    backends.check_vectors()  # a wrong setting is told at once
    vectors = LateVectors(lambda: backends.vectors)
    thrifty = CachedEmbedder(embedder, backends.embeddings, scope) if backends.embeddings else embedder
    serving = ServingVectors(kept.canonical, vectors, name=name)
    return SemanticIndex(embedder=thrifty, vectors=serving, projection=name), vectors


def _slots(config: Config, store: Path | None) -> Mapping[str, Slot]:
    """Return what is chosen for each slot, without a configured place where the caller names a *store*."""
    if store is None:
        return config.slots
    return {**config.slots, **{slot: _without_path(config.slots[slot]) for slot in OF_THE_STORE}}


def _without_path(choice: Slot) -> Slot:
    return attrs.evolve(choice, settings={key: value for key, value in choice.settings.items() if key != "path"})


def _is_embedded(slots: Mapping[str, Slot], store: Path | None) -> bool:
    """Return whether the truth is in a file, which a *store* named by the caller must be."""
    is_embedded = has_setting("canonical", slots["canonical"].backend, "path")
    if store and not is_embedded:
        raise ConfigurationError(
            f"{store} is the path of an embedded store, and the configured one is on a server",
            remedy='leave out --store and PCKC_STORE, or set PCKC_CANONICAL="sqlite"',
        )
    return is_embedded


def _chosen_path(slots: Mapping[str, Slot], store: Path | None) -> Path | None:
    """Return the file that the caller or the configuration chose."""
    if store:
        return store.expanduser().resolve()
    path = slots["canonical"].settings.get("path")
    return Path(path).expanduser().resolve() if isinstance(path, str) else None


def _named(checkout: Checkout, root: Path) -> Checkout:
    """Without git nobody can tell which project a work tree belongs to: it is that of its last index."""
    if (root / ".git").exists() and shutil.which("git") is None and (mark := read_mark(root)):
        return attrs.evolve(checkout, project=mark.project)
    return checkout


def _kept_in(canonical: Canonical, checkout: Checkout, root: Path) -> str:
    """Return the name that a chosen store keeps the project under: its own, or what the work tree was opened as."""
    before = last_opened_as(root)
    if not before or before == checkout.project:
        return checkout.project
    kept = {scope.project for scope in canonical.scopes()}
    return before if before in kept and checkout.project not in kept else checkout.project


def _with_traces(engine: Engine) -> Engine:
    from pckc_mcp.tracing import traced

    return traced(engine)
