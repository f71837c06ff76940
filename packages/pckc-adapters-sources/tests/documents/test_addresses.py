"""Which machines may be reached."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.documents.addresses import Gate, embedded, is_public
from pckc_domain.errors import InvalidInputError

PUBLIC = ("8.8.8.8", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1")
CLOSED = (
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "192.0.2.1",  # noqa: S104 - nothing is bound to them
    "192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "fc00::1",
    "fd12::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:a00:1", "64:ff9b::7f00:1",
    "64:ff9b::a00:1", "2002:7f00:1::", "2002:c0a8:1::",
)  # fmt: skip


def admits(address: str, *networks: str) -> bool:
    """Return whether a host with this address may be reached."""
    try:
        return Gate(networks, resolver=lambda *_: [address]).admitted("host", 80) == str(ip_address(address))
    except InvalidInputError:
        return False


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert admits(address)


@pytest.mark.parametrize("address", CLOSED)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not admits(address)


def test_a_network_that_the_settings_name() -> None:
    assert admits("10.1.2.3", "10.1.0.0/16")
    assert admits("::ffff:10.1.2.3", "10.1.0.0/16")
    assert admits("fd12::1", "fd00::/8")
    assert not admits("10.2.2.3", "10.1.0.0/16")
    assert not admits("fd12::1", "10.1.0.0/16")


@given(st.ip_addresses(v=4))
def test_an_address_carried_in_another_is_judged_alike(address: IPv4Address) -> None:
    number = int(address)
    carried = [
        IPv6Address(0xFFFF << 32 | number),
        IPv6Address(0x64FF9B << 96 | number),
        IPv6Address(0x2002 << 112 | number << 80),
    ]
    for form in carried:
        assert embedded(form) == address
        assert admits(str(form)) == is_public(address)


@given(st.ip_addresses())
def test_what_is_private_is_never_admitted(address: IPv4Address | IPv6Address) -> None:
    if address.is_private or address.is_loopback or address.is_link_local or address.is_multicast:
        target = embedded(address) or address
        assert admits(str(address)) == is_public(target)
        assert target != address or not admits(str(address))
