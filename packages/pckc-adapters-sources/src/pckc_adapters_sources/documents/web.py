"""Pages of the web, one at a time: every hop is checked, and nothing is read without an end."""

import os
import re
import ssl
import zlib
from collections.abc import Iterator
from email.message import Message
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import Self
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

import attrs
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, InvalidInputError

from pckc_adapters_sources.documents.addresses import Gate, Resolver, resolve
from pckc_adapters_sources.documents.errors import missing, too_large
from pckc_adapters_sources.documents.robots import ROBOTS_BYTES, Robots
from pckc_adapters_sources.documents.settings import DocumentSettings

try:
    import certifi
    import httpx
except ImportError as _error:
    raise missing("httpx") from _error

_REDIRECTS = (301, 302, 303, 307, 308)
_BLOCKED = (401, 402, 403, 407, 429, 451)
_CHALLENGE = re.compile(
    rb"<title[^>]*>[^<]*(?:just a moment|attention required|captcha|access denied|pardon our interruption"
    rb"|security check|are you (?:a )?(?:human|robot)|verify (?:that )?you are)",
    re.IGNORECASE,
)
_LONGEST_CHALLENGE = 100_000
_SNIPPET = "Copy the text that you need from the page and pass it as a snippet"
_MOST_UNPACKED_AT_ONCE = 1 << 20


@attrs.frozen(kw_only=True)
class Page:
    """
    An answer of the web.

    Attributes:
        asked: The address that was asked for, in its usual form, without the fragment.
        url: The one that answered.
        status: Of HTTP.
        content_type: In lower case, without parameters; ``""`` when it does not say.
        charset: As it says; ``""`` when it does not.
        is_challenge: It asks whether a human reads it.
        data: Its body, unpacked.
    """

    asked: str
    url: str
    status: int
    content_type: str
    charset: str
    is_challenge: bool
    data: bytes

    @property
    def path(self) -> str:
        """Return the path of the address that answered."""
        return urlsplit(self.url).path


class Web:
    """
    Fetches pages; use it in a ``with`` block.

    Args:
        settings: Limits, and which private networks may be reached.
        proxy: Address of a proxy; ``""`` for none.
        resolver: Tells a host's addresses.

    Raises:
        ConfigurationError: *proxy* is no address of a proxy, or a library is not installed.
    """

    def __init__(self, settings: DocumentSettings, *, proxy: str = "", resolver: Resolver = resolve) -> None:
        self._settings = settings
        self._proxy = urlsplit(proxy).scheme.lower() if proxy else ""
        self._gate = Gate(settings.private_networks, resolver=resolver)
        self._robots = Robots(settings.user_agent, self._robots_file)
        try:
            self._client = httpx.Client(
                proxy=proxy.replace("socks5h:", "socks5:", 1) or None,
                timeout=settings.connect_timeout_seconds,
                follow_redirects=False,
                trust_env=False,
                # Hosts are asked by their addresses: what one name was given or has proven is not for another's use.
                limits=httpx.Limits(max_keepalive_connections=0),
                verify=ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where()),
                headers={"User-Agent": settings.user_agent, "Accept-Encoding": "gzip", "Accept": "*/*"},
            )
        except ImportError as error:
            raise missing("socksio") from error
        except (ValueError, httpx.InvalidURL) as error:
            raise ConfigurationError(
                "The proxy is no address such as socks5://127.0.0.1:1080 or http://proxy:3128",
                remedy="Correct PROXY_URL, or proxy under [documents]",
            ) from error

        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close its connections."""
        self._client.close()

    def get(self, url: str) -> Page:
        """
        Return the page at *url*, redirects followed.

        Raises:
            InvalidInputError: The address, or one that it redirects to, is refused; the page is blocked, gone or too
                large.
            BackendUnavailableError: It cannot be reached, or fails now.
        """
        asked = usual_form(url)
        page = self._follow(asked, self._settings.max_bytes)
        _check_status(page)
        return page

    def _follow(self, asked: str, limit: int, *, is_robots_file: bool = False) -> Page:
        url = asked
        for _ in range(self._settings.max_redirects + 1):
            asks_robots = self._settings.respect_robots and not is_robots_file
            if asks_robots and not self._robots.allow(url, _site(url)):
                raise InvalidInputError(f"{url} is closed to programs by robots.txt", remedy=_SNIPPET)
            page, location = self._fetch(asked, url, limit, cut=is_robots_file)
            if not location:
                return page
            url = usual_form(urljoin(url, location))
        raise InvalidInputError(f"{asked} redirects more than {self._settings.max_redirects} times")

    def _robots_file(self, url: str) -> tuple[int, str]:
        page = self._follow(url, ROBOTS_BYTES, is_robots_file=True)
        return page.status, page.data.decode("utf-8", "replace")

    def _fetch(self, asked: str, url: str, limit: int, *, cut: bool) -> tuple[Page, str]:
        """Return the answer of one address, and where it redirects to."""
        parts = urlsplit(url)
        address = self._address(parts)
        target = urlunsplit(parts._replace(netloc=_netloc(address, parts.port))) if address else url
        extensions = {"sni_hostname": parts.hostname} if address and parts.scheme == "https" else {}
        try:
            with self._client.stream(
                "GET", target, headers={"Host": _netloc(parts.hostname or "", parts.port)}, extensions=extensions
            ) as answer:
                if answer.status_code in _REDIRECTS and answer.headers.get("location"):
                    return _page(asked, url, answer, b""), answer.headers["location"]
                return _page(asked, url, answer, _body(answer, url, limit, cut=cut)), ""
        except httpx.TimeoutException as error:
            raise BackendUnavailableError(f"{url} did not answer in time", remedy="Try again later") from error
        except (httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError) as error:
            raise InvalidInputError(f"{url} is no address that can be asked") from error
        except httpx.HTTPError as error:
            raise BackendUnavailableError(
                f"{url} cannot be reached: {error or type(error).__name__}",
                remedy="Check the address, the network and PROXY_URL",
            ) from error

    def _address(self, parts: SplitResult) -> str:
        """
        Return the checked address to connect to, so that no second look-up can give another one.

        It is ``""`` where the proxy has to be given the name: an HTTP proxy always, others when the name is known to
        the proxy alone.
        """
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        try:
            address = self._gate.admitted(host, port)
        except BackendUnavailableError:
            if self._proxy:
                return ""
            raise
        return "" if self._proxy.startswith("http") else address


def usual_form(url: str) -> str:
    """
    Return *url* in its usual form: host in lower case and ASCII, no default port, no fragment.

    Raises:
        InvalidInputError: It is no address of http or https, or holds a user's name.
    """
    try:
        parts = urlsplit("".join(sign for sign in url.strip() if sign > " "))
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
        host = host if ":" in host else host.encode("idna").decode("ascii").lower()
    except (ValueError, UnicodeError) as error:
        raise InvalidInputError(f"{url[:200]!r} is no address of the web") from error
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host:
        raise InvalidInputError(
            f"{url[:200]!r} is no address of http or https", remedy="Only pages of http and https are read"
        )
    if parts.username or parts.password:
        raise InvalidInputError("The address holds a user's name or password", remedy="Leave them out")
    usual = None if port == (443 if scheme == "https" else 80) else port
    return urlunsplit((scheme, _netloc(host, usual), parts.path or "/", parts.query, ""))


def _netloc(host: str, port: int | None) -> str:
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{port}" if port else host


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _page(asked: str, url: str, answer: "httpx.Response", data: bytes) -> Page:
    header = Message()
    header["content-type"] = answer.headers.get("content-type", "")
    said = answer.headers.get("content-type", "").strip()
    return Page(
        asked=asked,
        url=url,
        status=answer.status_code,
        content_type=header.get_content_type() if said else "",
        charset=header.get_content_charset() or "",
        is_challenge=answer.headers.get("cf-mitigated") == "challenge"
        or (len(data) <= _LONGEST_CHALLENGE and _CHALLENGE.search(data) is not None),
        data=data,
    )


def _body(answer: "httpx.Response", url: str, limit: int, *, cut: bool) -> bytes:
    """
    Return the body, unpacked; a longer one than *limit* is refused, or *cut*.

    Raises:
        InvalidInputError: It is too large, or packed in a way that was not asked for.
    """
    body = bytearray()
    for piece in _unpacked(answer, url):
        body += piece
        if len(body) > limit:
            if cut:
                break
            raise too_large(url, limit, "max_bytes")
    return bytes(body[:limit])


def _unpacked(answer: "httpx.Response", url: str) -> Iterator[bytes]:
    """Yield the body in pieces of bounded size, however well it is packed."""
    packing = answer.headers.get("content-encoding", "").strip().lower()
    if packing in ("", "identity"):
        yield from answer.iter_raw(1 << 16)
        return
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise InvalidInputError(f"{url} is packed as {packing[:40]!r}, which was not asked for", remedy=_SNIPPET)
    unpacker = zlib.decompressobj(wbits=47)
    for piece in answer.iter_raw(1 << 16):
        while piece:
            try:
                yield unpacker.decompress(piece, _MOST_UNPACKED_AT_ONCE)
            except zlib.error as error:
                raise InvalidInputError(f"{url} is damaged: {error}") from error
            piece = unpacker.unconsumed_tail
    if not unpacker.eof:
        raise InvalidInputError(f"{url} is damaged: it ends too early", remedy="Try again")


def _check_status(page: Page) -> None:
    """
    Raise what the status of *page* means, if it is no answer.

    Raises:
        InvalidInputError: It is forbidden, gone, or asks for a human.
        BackendUnavailableError: The server fails now.
    """
    if page.status in _BLOCKED or page.is_challenge:
        raise InvalidInputError(f"{page.url} is blocked for programs (status {page.status})", remedy=_SNIPPET)
    if page.status >= 500:
        raise BackendUnavailableError(f"{page.url} fails now (status {page.status})", remedy="Try again later")
    if page.status != 200:
        raise InvalidInputError(f"{page.url} is not there (status {page.status})", remedy="Check the address")
