"""One name for all spellings of a remote repository's address."""

import re
from urllib.parse import unquote, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418, "git+ssh": 22, "ssh+git": 22}
_SCP = re.compile(r"(?:[^/\\]*@)?(?P<host>\[[^\]]+\]|[^/\\:@\[\]]{2,}):(?P<path>(?!//).*)", re.DOTALL)


def normalize_url(url: str) -> str | None:
    """
    Return ``host/path`` for the address *url*; ``None`` when it names a folder of this machine, see `local_path`.

    User, password, scheme, default port, query, fragment, a trailing ``.git`` and superfluous slashes are dropped; the
    host is put in lower case. Another port stays: two services on one machine are two places. So does the path's case.

    >>> normalize_url("https://me:token@GitHub.com/Org/Tool.git")
    'github.com/Org/Tool'
    >>> normalize_url("git@github.com:Org/Tool")
    'github.com/Org/Tool'
    """
    url = url.strip()
    if "://" in url:
        return _from_url(url)
    scp = _SCP.fullmatch(url)
    return _join(scp["host"], "", scp["path"]) if scp else None


def local_path(url: str) -> str | None:
    """Return the path in *url*, which may be relative, when `normalize_url` has no name for it."""
    url = url.strip()
    if url.lower().startswith("file://"):
        return unquote(urlsplit(url).path)
    return None if "://" in url or _SCP.fullmatch(url) else url


def _from_url(url: str) -> str | None:
    scheme, _, rest = url.partition("://")
    if scheme.lower() == "file":
        return None
    authority, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    # The last "@" ends the credentials, even if a password holds an unescaped one.
    host, colon, port = authority.rpartition("@")[2].partition(":") if "[" not in authority else _ip6(authority)
    if colon and port.isdecimal() and int(port) == _DEFAULT_PORTS.get(scheme.lower()):
        port = ""
    return _join(host, port, unquote(path) if slash else "")


def _ip6(authority: str) -> tuple[str, str, str]:
    host, bracket, port = authority.rpartition("@")[2].partition("]")
    return host + bracket, ":", port.removeprefix(":")


def _join(host: str, port: str, path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and parts[-1] != ".git":
        parts[-1] = parts[-1].removesuffix(".git")
    place = host.lower() + (f":{port}" if port else "")
    return "/".join((place, *parts))
