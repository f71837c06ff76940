"""Errors that PCKC raises; each names what a caller can do about it."""


class PckcError(Exception):
    """
    Base of every error PCKC raises on purpose.

    Args:
        message: What happened, in one sentence.
        remedy: What the caller can do about it; empty when nothing is known to help.
    """

    code = "error"

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class InvalidInputError(PckcError):
    """An argument or an input file breaks a documented rule."""

    code = "invalid_input"


class NotFoundError(PckcError):
    """A named thing does not exist; raised by use cases only, ports answer ``None``."""

    code = "not_found"


class ConflictError(PckcError):
    """A write contradicts what is stored."""

    code = "conflict"


class ConfigurationError(PckcError):
    """A setting, an installed package or a stored format does not fit."""

    code = "configuration"


class BackendError(PckcError):
    """A store or service failed."""

    code = "backend"


class BackendUnavailableError(BackendError):
    """A store or service cannot be reached, written or opened now; trying again may help."""

    code = "backend_unavailable"
