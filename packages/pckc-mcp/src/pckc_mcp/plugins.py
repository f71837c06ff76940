"""Find installed backends through entry points and open them."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import GROUPS, Backend, Found

from pckc_mcp.config import Slot, Table, structure


def installed(slot: str) -> Mapping[str, EntryPoint]:
    """Return the installed backends of *slot* by name."""
    return {entry.name: entry for entry in sorted(_entries().select(group=GROUPS[slot]), key=lambda entry: entry.name)}


@cache
def _entries() -> Any:  # one type up to Python 3.11, another since
    """Return what all packages offer: reading that takes 20 ms, and every slot is checked at every start."""
    return entry_points()


def check_installed(slot: str, name: str) -> None:
    """
    Check that *slot* has a backend *name*.

    Raises:
        ConfigurationError: It has not; the remedy lists those it has.
    """
    backends = installed(slot)
    if name not in backends:
        names = ", ".join(backends) or "none"
        raise ConfigurationError(f"no {slot} backend named {name!r} is installed", remedy=f"installed: {names}")


def load(slot: str, name: str) -> Backend[Any, Any]:
    """
    Return the backend *name* of *slot*.

    Raises:
        ConfigurationError: It is not installed, cannot be imported, or is no `Backend`.
    """
    check_installed(slot, name)
    try:
        backend = installed(slot)[name].load()
    except ImportError as error:
        raise ConfigurationError(
            f"the {slot} backend {name!r} cannot be imported: {error}", remedy="reinstall its package"
        ) from error
    if not isinstance(backend, Backend):
        raise ConfigurationError(f"the entry point of {slot} backend {name!r} names no Backend")
    return backend


def has_setting(slot: str, name: str, setting: str) -> bool:
    """
    Return whether the backend *name* of *slot* knows *setting*.

    Raises:
        ConfigurationError: See `load`.
    """
    return any(attribute.name == setting for attribute in attrs.fields(load(slot, name).settings))


def open_backend(slot: str, choice: Slot, defaults: Table) -> AbstractContextManager[Any]:
    """
    Open the chosen backend of *slot*.

    *defaults* are values for settings that the backend has and the configuration leaves out, such as the store's path.

    Raises:
        ConfigurationError: See `load`; also a setting that is unknown or of the wrong type.
    """
    backend = load(slot, choice.backend)
    return backend.open(_settings(slot, choice, backend, defaults))


def look(slot: str, choice: Slot, defaults: Table) -> Found | None:
    """
    Return what the chosen backend of *slot* finds before it is opened, ``None`` when it cannot tell; nothing is made.

    Raises:
        ConfigurationError: See `open_backend`.
        BackendUnavailableError: It cannot be asked.
    """
    backend = load(slot, choice.backend)
    return backend.look(_settings(slot, choice, backend, defaults)) if backend.look else None


def _settings(slot: str, choice: Slot, backend: Backend[Any, Any], defaults: Table) -> Any:
    known = {attribute.name for attribute in attrs.fields(backend.settings)}
    table = {key: value for key, value in defaults.items() if key in known} | dict(choice.settings)
    return structure(table, backend.settings, f"{choice.origin} ({slot} = {choice.backend})")


def open_canonical(choice: Slot, defaults: Table, *, tenant: str) -> AbstractContextManager[Any]:
    """
    Open the canonical store for *tenant*: what walks the whole store walks that one, and those of a setting `tenants`.

    Raises:
        ConfigurationError: See `open_backend`.
    """
    named = choice.settings.get("tenants")
    if isinstance(named, list) and tenant not in named:
        choice = attrs.evolve(choice, settings={**choice.settings, "tenants": [*named, tenant]})
    return open_backend("canonical", choice, {**defaults, "tenants": [tenant]})
