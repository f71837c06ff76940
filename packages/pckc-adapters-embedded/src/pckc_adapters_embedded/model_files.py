"""Model files inside installed packages, checked before use."""

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from pckc_domain.errors import ConfigurationError

from pckc_adapters_embedded.errors import missing_extra


def installed(package: str, *, extra: str) -> Path:
    """
    Return the folder of *package* without importing it.

    Raises:
        ConfigurationError: The package is missing; names *extra*.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise missing_extra(extra)
    return Path(spec.submodule_search_locations[0])


def checked(path: Path, digest: str) -> Path:
    """
    Return *path* if its content has the SHA-256 *digest* (hex).

    Other weights make other vectors, which must not land in the same index.

    Raises:
        ConfigurationError: The file is missing or has another content.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"The model file {path.name} cannot be read: {error}") from error
    if sha256(content).hexdigest() != digest:
        raise ConfigurationError(
            f"The model file {path.name} is not the expected one.",
            remedy="Reinstall pckc-adapters-embedded with the versions its extras pin.",
        )
    return path
