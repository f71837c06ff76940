"""Which machines may be spoken to: the public ones, and the private networks that the settings name."""

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from pckc_domain.errors import BackendUnavailableError, InvalidInputError

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Sequence[str]]
"""Host and port to addresses, in the order to try them; raises OSError when there is none."""

_CARRYING = tuple(map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")))
"""Networks of IPv6 whose last 32 bits are an address of IPv4."""


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of *host* as the system knows them; it understands 2130706433 and 0x7f.1, too."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in found))


class Gate:
    """
    Tells which addresses may be connected to.

    Args:
        private_networks: Networks that are not public and may be reached all the same.
        resolver: Tells a host's addresses.
    """

    def __init__(self, private_networks: Sequence[str], *, resolver: Resolver = resolve) -> None:
        self._networks = [ip_network(network) for network in private_networks]
        self._resolver = resolver

    def admitted(self, host: str, port: int) -> str:
        """
        Return the address to connect to for *host*.

        Raises:
            InvalidInputError: One of its addresses is private: then none is trusted.
            BackendUnavailableError: It has no address.
        """
        try:
            addresses = [ip_address(address) for address in self._resolver(host, port)]
        except (OSError, UnicodeError, ValueError) as error:
            raise BackendUnavailableError(
                f"The host {host} is not known", remedy="Check the address, and that there is a network"
            ) from error
        for address in addresses:
            if not self._may_reach(address):
                raise InvalidInputError(
                    f"{host} is no public machine: {address} belongs to a private network",
                    remedy="If it is meant, name its network in private_networks under [documents]",
                )
        return str(addresses[0])

    def _may_reach(self, address: Address) -> bool:
        target = embedded(address) or address
        allowed = any(candidate in network for candidate in (address, target) for network in self._networks)
        return allowed or is_public(target)


def is_public(address: Address) -> bool:
    """Return whether *address* belongs to a single machine of the public net."""
    special = address.is_multicast or address.is_reserved or (address.version == 6 and address.is_site_local)
    return address.is_global and not special


def embedded(address: Address) -> IPv4Address | None:
    """Return the address of IPv4 that one of IPv6 stands for: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return None
    if found := address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None):
        return found
    if any(address in network for network in _CARRYING):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None
