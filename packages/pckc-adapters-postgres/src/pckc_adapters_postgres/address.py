"""A server's url: who logs in where, told without what is secret in it."""

import re

import attrs
import psycopg
from pckc_domain.errors import ConfigurationError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_SCHEMES = ("postgresql://", "postgres://")
_HOST = re.compile(r"[^@\s]*")
_PORT = re.compile(r"(\d+(,\d+)*)?")
_DATABASE = re.compile(r"[^@/:?\s]*")


@attrs.frozen(kw_only=True)
class Address:
    """
    Where a login goes.

    Attributes:
        conninfo: What the driver connects with; it may hold a password.
        place: Host, port and database, nothing else.
        user: Who logs in; ``""`` leaves it to the driver.
        has_password: Whether the url holds one.
    """

    conninfo: str = attrs.field(repr=False)
    place: str
    user: str
    has_password: bool

    @classmethod
    def of(cls, url: str) -> "Address":
        """
        Read *url*.

        A password with a ``/`` or an ``@`` in it shifts what follows: a part of it would pass for a host, a port or a
        database, and be told. So whatever does not look like one is refused.

        Raises:
            ConfigurationError: It cannot be read for sure; nothing of it is quoted.
        """
        try:
            parts = {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
        except psycopg.Error:
            raise _unreadable() from None  # it may quote a password
        host, port, database = (parts.get(name, "") for name in ("host", "port", "dbname"))
        shapes = ((_HOST, host), (_PORT, port), (_DATABASE, database))
        if not all(shape.fullmatch(part) for shape, part in shapes) or not _is_plain(url):
            raise _unreadable()
        return cls(
            conninfo=url,
            place=f"{host or 'local socket'}{f':{port}' if port else ''}/{database}",
            user=parts.get("user", ""),
            has_password=bool(parts.get("password")),
        )

    def with_password(self, password: str) -> "Address":
        """Return the same with this password."""
        return attrs.evolve(self, conninfo=make_conninfo(self.conninfo, password=password))


def _is_plain(url: str) -> bool:
    """Return whether a url has one ``@`` at most, before its path; what is no url has keywords, which do not shift."""
    scheme = next((each for each in _SCHEMES if url.startswith(each)), "")
    if not scheme:
        return "://" not in url
    authority = re.split(r"[/?]", url.removeprefix(scheme), maxsplit=1)[0]
    return url.count("@") == authority.count("@") <= 1


def _unreadable() -> ConfigurationError:
    return ConfigurationError(
        "the PostgreSQL url cannot be read",
        remedy='write url = "postgresql://user@host:5432/database"; write special characters of a password'
        " percent-encoded, or use password_variable",
    )
