"""What to do when the operating system refuses a file: one answer for every command."""

import errno

from pckc_domain.errors import BackendUnavailableError

REMEDIES = {
    errno.ENOSPC: "free some space there; what was committed is kept",
    errno.EDQUOT: "free some space there; what was committed is kept",
    errno.EIO: "check the disk",
    errno.EROFS: "its file system is read-only: use a place that can be written",
    errno.EACCES: "check the permissions of it and of its folder",
    errno.EPERM: "check the permissions of it and of its folder",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.ELOOP: "check where its links lead",
    errno.ENOENT: "check that it is still there",
    errno.EMFILE: "raise the number of files that a process may open, such as with `ulimit -n`",
}


def remedy_of(error: OSError) -> str:
    """Return what the caller can do about *error*; ``""`` when nothing is known to help."""
    return REMEDIES.get(error.errno or 0, "")


def as_told(error: OSError) -> BackendUnavailableError:
    """Return an *error* that no command expected as one to report: which file, and why."""
    place = f"{error.filename}: " if error.filename else ""
    return BackendUnavailableError(f"{place}{error.strerror or error}", remedy=remedy_of(error))
