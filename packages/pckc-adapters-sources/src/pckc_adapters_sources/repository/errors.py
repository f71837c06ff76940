"""Git's failures as PCKC's errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError

from pckc_adapters_sources.repository.process import GitError, GitTimeoutError


@contextmanager
def translated(root: str) -> Iterator[None]:
    """Raise the domain's errors in place of git's about the work tree at *root*, and of the file system's."""
    try:
        yield
    except GitTimeoutError as error:
        raise BackendUnavailableError(f"{root}: {error}") from error
    except GitError as error:
        if error.is_untrusted:
            raise ConfigurationError(
                f"Git does not trust {root}: another user owns it",
                remedy=f"git config --global --add safe.directory '{root}'",
            ) from error
        raise BackendError(f"Git failed in {root}: {error}") from error
    except OSError as error:
        raise BackendUnavailableError(f"{root} cannot be read: {error.strerror}") from error
