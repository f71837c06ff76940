"""What may be read, and how much of it."""

import attrs
from attrs import validators

MEGABYTE = 1 << 20


def _is_networks(_: object, attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]) -> None:
    from ipaddress import ip_network  # the command line starts faster without it

    for network in value:
        try:
            ip_network(network)
        except ValueError as error:
            raise ValueError(f"{attribute.name}: {network!r} is no network, such as 10.1.0.0/16: {error}") from error


@attrs.frozen(kw_only=True)
class DocumentSettings:
    """
    Settings of the document source.

    Attributes:
        folders: Files are read from these and the folders in them only; ``.`` is the folder that PCKC runs in.
        file_addresses: Whether a file in the folders may be named by a ``file:`` address, too.
        private_networks: Networks that are not public and may be read from all the same, such as ``127.0.0.0/8``.
        proxy: ``http://``, ``https://``, ``socks5://`` or ``socks5h://`` address of a proxy; ``""`` means the variable
            ``PROXY_URL``, and no proxy when that is empty too.
        user_agent: What the reader calls itself; rules in ``robots.txt`` are looked up by its first word.
        respect_robots: Whether pages that ``robots.txt`` forbids are refused.
        max_redirects: Redirects that are followed, each checked like the first address.
        connect_timeout_seconds: How long connecting and any pause in an answer may take.
        timeout_seconds: How long one document may take in all.
        max_bytes: Larger documents are refused; a download ends there.
        max_unpacked_bytes: How much a compressed document may unpack to.
        max_memory_bytes: What the process that reads a document may use.
        max_text_characters: Documents with more text are refused.
        max_pages: Pages of a PDF that are read; a note says when there are more.
    """

    folders: tuple[str, ...] = (".",)
    file_addresses: bool = False
    private_networks: tuple[str, ...] = attrs.field(default=(), validator=_is_networks)
    proxy: str = ""
    user_agent: str = "pckc/0.1 (knowledge reader)"
    respect_robots: bool = True
    max_redirects: int = attrs.field(default=10, validator=validators.ge(0))
    connect_timeout_seconds: float = attrs.field(default=10.0, validator=validators.gt(0))
    timeout_seconds: float = attrs.field(default=60.0, validator=validators.gt(0))
    max_bytes: int = attrs.field(default=50 * MEGABYTE, validator=validators.ge(1))
    max_unpacked_bytes: int = attrs.field(default=200 * MEGABYTE, validator=validators.ge(1))
    max_memory_bytes: int = attrs.field(default=1024 * MEGABYTE, validator=validators.ge(256 * MEGABYTE))
    max_text_characters: int = attrs.field(default=20_000_000, validator=validators.ge(1))
    max_pages: int = attrs.field(default=2000, validator=validators.ge(1))
