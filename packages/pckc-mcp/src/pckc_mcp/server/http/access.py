"""Bearers and the tenants they stand for."""

import hashlib
import ipaddress
from collections.abc import Mapping, Sequence

import attrs
from pckc_domain.errors import ConfigurationError

from pckc_mcp.config import ENVIRONMENT, AccessConfig, HttpConfig

LEAST_CHARACTERS = 16
"""Shorter secrets can be guessed."""

PREFIX = "PCKC_"
"""A project's configuration may come from strangers: it must not make a bearer of what they can guess."""


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


@attrs.frozen
class Access:
    """
    Which tenant a request is of.

    Attributes:
        tenants: Tenant by the digest of a bearer, so that comparing takes no longer for a better guess; empty when
            everybody may ask.
        default: The tenant of everybody.
    """

    tenants: Mapping[bytes, str] = attrs.field(repr=False)
    default: str

    @classmethod
    def of(cls, configured: Sequence[AccessConfig], default: str, environ: Mapping[str, str]) -> "Access":
        """
        Read the bearers from the variables that *configured* names.

        Raises:
            ConfigurationError: A variable has no name for it, is not set, too short, or has another one's secret.
        """
        tenants: dict[bytes, str] = {}
        for one in configured:
            if not one.variable.startswith(PREFIX) or one.variable in ENVIRONMENT:
                raise ConfigurationError(
                    f"{one.variable!r} cannot hold a bearer", remedy=f"name a variable such as {PREFIX}TEAM_ACCESS"
                )
            secret = environ.get(one.variable, "")
            if len(secret) < LEAST_CHARACTERS:
                raise ConfigurationError(
                    f"{one.variable} holds no secret of {LEAST_CHARACTERS} characters or more",
                    remedy=f"set it, such as to the output of `openssl rand -hex 32` (access of tenant {one.tenant})",
                )
            if _digest(secret) in tenants:
                raise ConfigurationError(f"{one.variable} holds the secret of another access", remedy="make a new one")
            tenants[_digest(secret)] = one.tenant
        return cls(tenants, default)

    @classmethod
    def of_server(cls, http: HttpConfig, default: str, environ: Mapping[str, str]) -> "Access":
        """
        Read who may ask a server.

        Raises:
            ConfigurationError: Others could reach it without a bearer; or as `of`.
        """
        access = cls.of(http.access, default, environ)
        if not _is_loopback(http.host) and not access.is_required:
            raise ConfigurationError(
                f"{http.host} can be reached by others, who could read and write this memory",
                remedy="add [[http.access]] with a variable that holds a secret, or listen on 127.0.0.1",
            )
        return access

    @property
    def is_required(self) -> bool:
        """Whether only bearers may ask."""
        return bool(self.tenants)

    @property
    def served(self) -> frozenset[str]:
        """Every tenant that can ask."""
        return frozenset(self.tenants.values()) or frozenset({self.default})

    def tenant_of(self, authorization: str | None) -> str | None:
        """Return whose memory the Authorization header opens; ``None`` when it opens none."""
        if not self.is_required:
            return self.default
        kind, _, secret = (authorization or "").partition(" ")
        return self.tenants.get(_digest(secret.strip())) if kind.lower() == "bearer" else None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
