"""Refusals that several readers give."""

from pckc_domain.errors import ConfigurationError, InvalidInputError


def missing(library: str) -> ConfigurationError:
    """Return the error of a *library* that is not installed."""
    return ConfigurationError(
        f"Documents of this kind need {library}, which is not installed",
        remedy="pip install 'pckc-adapters-sources[documents]'",
    )


def without_text(what: str, *, remedy: str = "") -> InvalidInputError:
    """Return the refusal of a document in which there is nothing to read."""
    return InvalidInputError(f"{what} has no text", remedy=remedy)


def too_large(what: str, limit: int, setting: str, *, unit: str = "bytes") -> InvalidInputError:
    """Return the refusal of a document that is over the *limit* of a *setting*."""
    return InvalidInputError(
        f"{what} is larger than {limit:,} {unit}", remedy=f"Raise {setting} under [documents], or read a part of it"
    )
