"""Proxies and TLS, with small servers on loopback."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import attrs
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pckc_adapters_sources.documents.settings import DocumentSettings
from pckc_adapters_sources.documents.source import Documents
from pckc_adapters_sources.documents.web import Page, Web
from pckc_domain.errors import BackendUnavailableError, ConfigurationError, InvalidInputError

PAGE = (
    b"<html><head><title>Ports</title></head><body><h1>Ports</h1><p>The server listens on port 9090.</p></body></html>"
)
LOOPBACK = ("127.0.0.1/32",)


class Site(BaseHTTPRequestHandler):
    """A site with one page, that notes which host it was asked as, and would keep connections."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        self.server.seen.append(self.headers["Host"])  # type: ignore[attr-defined]  # see `running`
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def joined(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until one side has had enough."""

    def carry(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    back = threading.Thread(target=carry, args=(other, one), daemon=True)
    back.start()
    carry(one, other)
    back.join()


class HttpProxy(BaseHTTPRequestHandler):
    """A proxy that knows all hosts as the one site."""

    def do_CONNECT(self) -> None:
        """Open a tunnel."""
        self.server.seen.append(self.path)  # type: ignore[attr-defined]  # see `running`
        with socket.create_connection(self.server.target) as upstream:  # type: ignore[attr-defined]  # see `running`
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            joined(self.connection, upstream)

    def do_GET(self) -> None:
        """Pass a request on."""
        self.server.seen.append(self.path)  # type: ignore[attr-defined]  # see `running`
        with socket.create_connection(self.server.target) as upstream:  # type: ignore[attr-defined]  # see `running`
            path = "/" + self.path.split("/", 3)[3]
            upstream.sendall(f"GET {path} HTTP/1.0\r\nHost: {self.headers['Host']}\r\n\r\n".encode())
            while data := upstream.recv(1 << 16):
                self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


class Socks5(StreamRequestHandler):
    """A SOCKS proxy that knows all hosts as the one site."""

    def handle(self) -> None:
        """Serve one connection; RFC 1928."""
        methods = self.rfile.read(self.rfile.read(2)[1])
        assert 0 in methods
        self.wfile.write(b"\x05\x00")
        _, _, _, kind = self.rfile.read(4)
        size = self.rfile.read(1)[0] if kind == 3 else {1: 4, 4: 16}[kind]
        host = self.rfile.read(size)
        name = host.decode() if kind == 3 else str(ipaddress.ip_address(host))
        port = int.from_bytes(self.rfile.read(2), "big")
        self.server.seen.append(f"{name}:{port}")  # type: ignore[attr-defined]  # see `running`
        with socket.create_connection(self.server.target) as upstream:  # type: ignore[attr-defined]  # see `running`
            self.wfile.write(b"\x05\x00\x00\x01" + bytes(6))
            joined(self.connection, upstream)


class Tcp(ThreadingTCPServer):
    """A server whose threads end with the test."""

    daemon_threads = True


@attrs.frozen
class Running:
    """A server, and what it was asked for."""

    port: int
    seen: list[str]


@contextmanager
def running(handler: Any, target: int = 0, context: ssl.SSLContext | None = None) -> Iterator[Running]:
    """Run a server; a proxy leads all to the port *target*."""
    kind = ThreadingHTTPServer if issubclass(handler, BaseHTTPRequestHandler) else Tcp
    server = kind(("127.0.0.1", 0), handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.seen, server.target = [], ("127.0.0.1", target)  # type: ignore[union-attr]  # what the handlers look at
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Running(server.server_address[1], server.seen)  # type: ignore[union-attr]  # set above
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def site() -> Iterator[Running]:
    """Return a site of plain HTTP."""
    with running(Site) as site:
        yield site


def unknown(host: str, _: int) -> list[str]:
    """Know loopback and literal addresses only, as behind a proxy."""
    with suppress(ValueError):
        return [str(ipaddress.ip_address(host))]
    if host == "inner.test":
        return ["10.0.0.1"]
    if host == "outer.test":
        return ["93.184.215.14"]
    raise OSError("no such name")


def get(url: str, proxy: str, **settings: Any) -> Page:
    """Fetch a page through *proxy*."""
    with Web(DocumentSettings(**settings), proxy=proxy, resolver=unknown) as web:
        return web.get(url)


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_is_given_the_name_that_only_it_knows(site: Running, scheme: str) -> None:
    with running(Socks5, site.port) as proxy:
        assert get("http://far.test/", f"{scheme}://127.0.0.1:{proxy.port}").data == PAGE
        assert set(proxy.seen) == {"far.test:80"}
    assert set(site.seen) == {"far.test"}


def test_a_socks_proxy_is_given_the_checked_address(site: Running) -> None:
    with running(Socks5, site.port) as proxy:
        assert get("http://outer.test:8080/", f"socks5://127.0.0.1:{proxy.port}").data == PAGE
        assert set(proxy.seen) == {"93.184.215.14:8080"}
    assert set(site.seen) == {"outer.test:8080"}


@pytest.mark.parametrize("host", ["far.test", "outer.test"])
def test_an_http_proxy_is_given_the_name(site: Running, host: str) -> None:
    with running(HttpProxy, site.port) as proxy:
        assert get(f"http://{host}/", f"http://127.0.0.1:{proxy.port}").data == PAGE
        assert set(proxy.seen) == {f"http://{host}/robots.txt", f"http://{host}/"}
    assert set(site.seen) == {host}


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://inner.test/", "http://[::1]/"])
@pytest.mark.parametrize("kind", [Socks5, HttpProxy])
def test_a_proxy_is_no_way_around_the_check(site: Running, kind: type, url: str) -> None:
    with running(kind, site.port) as proxy:
        scheme = "socks5" if kind is Socks5 else "http"
        with pytest.raises(InvalidInputError, match="private network"):
            get(url, f"{scheme}://127.0.0.1:{proxy.port}")
        assert not proxy.seen


@pytest.mark.parametrize("scheme", ["socks5", "http"])
def test_a_proxy_that_is_down(scheme: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(BackendUnavailableError, match="cannot be reached") as error:
        get("http://far.test/", f"{scheme}://127.0.0.1:{port}")
    assert "PROXY_URL" in error.value.remedy


@pytest.mark.parametrize("proxy", ["127.0.0.1:1080", "ftp://127.0.0.1:21", "nonsense", "socks4://127.0.0.1:1"])
def test_what_is_no_proxy(proxy: str) -> None:
    with pytest.raises(ConfigurationError, match="proxy"):
        get("http://far.test/", proxy)


def test_the_variable_names_the_proxy(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(Socks5, site.port) as proxy:
        monkeypatch.setenv("PROXY_URL", f"socks5://127.0.0.1:{proxy.port}")
        document = Documents(DocumentSettings()).read("http://far.invalid/")
        assert set(proxy.seen) == {"far.invalid:80"}
    assert document.title == "Ports"


def test_other_variables_do_not(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(HttpProxy, site.port) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        with Web(DocumentSettings(private_networks=LOOPBACK)) as web:
            assert web.get(f"http://127.0.0.1:{site.port}/").data == PAGE
        assert not proxy.seen


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a certificate and key of ``secure.test``, trusted through the usual variable."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "secure.test")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("secure.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = tmp_path / "secure.pem"
    path.write_bytes(signed.public_bytes(pem) + private)
    return path


@contextmanager
def secure(certificate: Path) -> Iterator[Running]:
    """Run a site of HTTPS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with running(Site, context=context) as site:
        yield site


def loopback(*_: object) -> list[str]:
    """Know every host as loopback."""
    return ["127.0.0.1"]


def test_https_is_checked_against_the_name(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings = DocumentSettings(private_networks=LOOPBACK)
    with secure(certificate) as site, Web(settings, resolver=loopback) as web:
        assert web.get(f"https://secure.test:{site.port}/").data == PAGE
        assert set(site.seen) == {f"secure.test:{site.port}"}
        with pytest.raises(BackendUnavailableError, match="cannot be reached"):
            web.get(f"https://other.test:{site.port}/")


def test_https_without_a_trusted_certificate_is_refused(certificate: Path) -> None:
    with secure(certificate) as site, Web(DocumentSettings(private_networks=LOOPBACK), resolver=loopback) as web:
        with pytest.raises(BackendUnavailableError, match="cannot be reached"):
            web.get(f"https://secure.test:{site.port}/")
        assert not site.seen


@pytest.mark.parametrize("kind", [Socks5, HttpProxy])
def test_https_through_a_proxy(certificate: Path, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with secure(certificate) as site, running(kind, site.port) as proxy:
        scheme = "socks5" if kind is Socks5 else "http"
        assert get("https://secure.test/", f"{scheme}://127.0.0.1:{proxy.port}").data == PAGE
        assert set(proxy.seen) == {"secure.test:443"}
    assert set(site.seen) == {"secure.test"}
