"""Pages served on loopback."""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs
import pytest
from pckc_adapters_sources.documents.settings import DocumentSettings
from pckc_adapters_sources.documents.source import Documents
from pckc_adapters_sources.documents.web import Page, Web, usual_form
from pckc_domain.errors import BackendUnavailableError, InvalidInputError
from pckc_domain.model.document import DocumentKind

PAGE = (
    b"<html><head><title>Ports</title></head><body><h1>Ports</h1><p>The server listens on port 9090.</p></body></html>"
)
LOOPBACK = ("127.0.0.1/32",)
Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by the path; *answers* is set by each server."""

    answers: dict[str, Answer]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a request and note it."""
        self.server.asked.append(self.path)  # type: ignore[attr-defined]  # see `serving`
        with_default = self.answers.get(self.path.partition("?")[0], sends(b"", status=404))
        try:
            with_default(self)
        except OSError:
            self.close_connection = True  # the reader had enough

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def sends(body: bytes, *, status: int = 200, **headers: str) -> Answer:
    """Return an answer with this body."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def redirects(target: str, status: int = 302) -> Answer:
    """Return an answer that points elsewhere."""
    return sends(b"", status=status, Location=target)


def endless(handler: Handler) -> None:
    """Promise two gigabytes and send what is taken of them."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(2 << 30))
    handler.end_headers()
    for _ in range(2 << 10):
        handler.wfile.write(bytes(1 << 20))
        handler.server.sent += 1 << 20  # type: ignore[attr-defined]  # see `serving`


@attrs.frozen
class Site:
    """A server on loopback."""

    server: ThreadingHTTPServer
    answers: dict[str, Answer]

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def asked(self) -> list[str]:
        """Return the paths that were asked for, in order."""
        return self.server.asked  # type: ignore[attr-defined,no-any-return]  # see `serving`


@contextmanager
def serving(answers: dict[str, Answer]) -> Iterator[Site]:
    """Serve *answers* by path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"answers": answers}))
    server.asked, server.sent = [], 0  # type: ignore[attr-defined]  # what the tests look at
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield Site(server, answers)
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    """Return a site with one page, at ``/``."""
    with serving({"/": sends(PAGE, Content_Type="text/html; charset=utf-8")}) as site:
        yield site


def get(url: str, resolver: Callable[[str, int], list[str]] | None = None, **settings: Any) -> Page:
    """Fetch a page; loopback may be reached."""
    more = {} if resolver is None else {"resolver": resolver}
    with Web(DocumentSettings(**{"private_networks": LOOPBACK, **settings}), **more) as web:
        return web.get(url)


def test_a_page_is_read_from_end_to_end(site: Site) -> None:
    document = Documents(DocumentSettings(private_networks=LOOPBACK)).read(f"{site.url}/#top")
    assert (document.uri, document.fetched_from) == (f"{site.url}/", f"{site.url}/")
    assert (document.kind, document.title) == (DocumentKind.WEB, "Ports")
    assert [(part.place, part.text) for part in document.parts] == [
        ("heading=Ports", "# Ports\n\nThe server listens on port 9090.")
    ]
    assert document.size_bytes == len(PAGE)


def test_redirects_are_followed_and_named(site: Site) -> None:
    site.answers.update({"/old": redirects("/older?x=1", 301), "/older": redirects(f"{site.url}/", 307)})
    page = get(f"{site.url}/old")
    assert (page.asked, page.url, page.data) == (f"{site.url}/old", f"{site.url}/", PAGE)


@pytest.mark.parametrize(
    "target",
    [
        "http://10.0.0.1/",
        "http://127.0.0.2/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://2130706434/",
        "http://169.254.169.254/latest/meta-data/",
        "//192.168.1.1/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1/",
        "http://user:secret@127.0.0.1/",
    ],
)
def test_a_redirect_to_what_may_not_be_read_is_refused(site: Site, target: str) -> None:
    site.answers["/away"] = redirects(target)
    with pytest.raises(InvalidInputError):
        get(f"{site.url}/away")


def test_a_circle_of_redirects_ends(site: Site) -> None:
    site.answers["/round"] = redirects("/round")
    with pytest.raises(InvalidInputError, match="more than 10 times"):
        get(f"{site.url}/round")
    assert site.asked.count("/round") == 11


def test_a_name_is_looked_up_once_and_its_checked_address_used(site: Site) -> None:
    port = site.server.server_address[1]
    answers = iter([["127.0.0.1"], ["127.0.0.1"], ["10.0.0.1"]])
    page = get(f"http://rebinding.test:{port}/", resolver=lambda *_: next(answers))
    assert page.data == PAGE  # one look-up for robots.txt, one for the page; a third would have been refused
    assert next(answers) == ["10.0.0.1"]


def test_a_name_with_one_private_address_is_refused(site: Site) -> None:
    with pytest.raises(InvalidInputError, match="private network"):
        get("http://mixed.test/", resolver=lambda *_: ["93.184.215.14", "10.0.0.1"])


def test_a_download_ends_at_the_cap(site: Site) -> None:
    site.answers["/huge"] = endless
    with pytest.raises(InvalidInputError, match="larger than") as error:
        get(f"{site.url}/huge", max_bytes=3 << 20)
    assert "max_bytes" in error.value.remedy
    assert site.server.sent < 64 << 20  # type: ignore[attr-defined]  # what fits into the buffers of sockets


def test_a_cookie_is_not_carried_to_another_name_of_the_same_machine(site: Site) -> None:
    port = site.server.server_address[1]
    cookies: list[str | None] = []
    site.answers["/one"] = sends(b"", status=302, Location=f"http://two.test:{port}/two", Set_Cookie="who=me")

    def two(handler: Handler) -> None:
        cookies.append(handler.headers["Cookie"])
        sends(PAGE)(handler)

    site.answers["/two"] = two
    assert get(f"http://one.test:{port}/one", resolver=lambda *_: ["127.0.0.1"]).data == PAGE
    assert cookies == [None]


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_packed_bomb_ends_at_the_cap(site: Site, packing: str) -> None:
    import zlib

    bomb = gzip.compress(bytes(64 << 20)) if packing == "gzip" else zlib.compress(bytes(64 << 20))
    site.answers["/bomb"] = sends(bomb, Content_Encoding=packing)
    with pytest.raises(InvalidInputError, match="larger than"):
        get(f"{site.url}/bomb", max_bytes=1 << 20)


def test_a_packed_page_is_unpacked(site: Site) -> None:
    site.answers["/packed"] = sends(gzip.compress(PAGE), Content_Encoding="gzip")
    assert get(f"{site.url}/packed").data == PAGE


@pytest.mark.parametrize("body", [b"no gzip at all", gzip.compress(PAGE)[:40]], ids=["other", "cut"])
def test_a_damaged_packing(site: Site, body: bytes) -> None:
    site.answers["/packed"] = sends(body, Content_Encoding="gzip")
    with pytest.raises(InvalidInputError, match="damaged"):
        get(f"{site.url}/packed")


def test_a_packing_that_was_not_asked_for_is_refused(site: Site) -> None:
    site.answers["/packed"] = sends(PAGE, Content_Encoding="zstd")
    with pytest.raises(InvalidInputError, match="zstd"):
        get(f"{site.url}/packed")


@pytest.mark.parametrize("status", [401, 403, 429, 451])
def test_a_blocked_page_asks_for_a_snippet(site: Site, status: int) -> None:
    site.answers["/blocked"] = sends(b"no", status=status)
    with pytest.raises(InvalidInputError, match="blocked") as error:
        get(f"{site.url}/blocked")
    assert "snippet" in error.value.remedy


@pytest.mark.parametrize("title", ["Just a moment...", "Are you a robot?", "Attention Required! | Guard", "Captcha"])
@pytest.mark.parametrize("status", [200, 503])
def test_a_question_for_humans_asks_for_a_snippet(site: Site, title: str, status: int) -> None:
    site.answers["/asks"] = sends(PAGE.replace(b"<title>Ports", f"<title>{title}".encode()), status=status)
    with pytest.raises(InvalidInputError, match="blocked") as error:
        get(f"{site.url}/asks")
    assert "snippet" in error.value.remedy


@pytest.mark.parametrize(
    ("status", "error"), [(404, InvalidInputError), (410, InvalidInputError), (502, BackendUnavailableError)]
)
def test_a_page_that_is_not_there(site: Site, status: int, error: type[Exception]) -> None:
    site.answers["/none"] = sends(b"", status=status)
    with pytest.raises(error, match=str(status)):
        get(f"{site.url}/none")


def test_robots_are_respected(site: Site) -> None:
    site.answers["/robots.txt"] = sends(
        b"User-agent: *\nDisallow: /private\nAllow: /private/open$\n\nUser-agent: pckc\nDisallow: /*.bak"
    )
    site.answers.update({"/private/open": sends(PAGE), "/x.bak": sends(PAGE)})
    assert get(f"{site.url}/private/open").data == PAGE
    with pytest.raises(InvalidInputError, match=r"robots\.txt") as error:
        get(f"{site.url}/x.bak")
    assert "snippet" in error.value.remedy
    assert "/x.bak" not in site.asked
    with pytest.raises(InvalidInputError, match=r"robots\.txt"):
        get(f"{site.url}/private", user_agent="other/1.0")
    assert get(f"{site.url}/x.bak", respect_robots=False).data == PAGE


def test_robots_count_for_where_a_redirect_leads(site: Site) -> None:
    site.answers.update(
        {
            "/robots.txt": sends(b"User-agent: *\nDisallow: /closed"),
            "/away": redirects("/closed"),
            "/closed": sends(PAGE),
        }
    )
    with pytest.raises(InvalidInputError, match=r"robots\.txt"):
        get(f"{site.url}/away")
    assert "/closed" not in site.asked


def test_a_site_that_cannot_tell_its_rules_is_not_read(site: Site) -> None:
    site.answers["/robots.txt"] = sends(b"", status=500)
    with pytest.raises(BackendUnavailableError, match=r"robots\.txt"):
        get(f"{site.url}/")
    assert "/" not in site.asked


def test_endless_rules_are_cut(site: Site) -> None:
    site.answers["/robots.txt"] = endless
    assert get(f"{site.url}/").data == PAGE


def test_a_server_that_never_answers(site: Site) -> None:
    done = threading.Event()
    site.answers["/silent"] = lambda _: (done.wait(30), None)[1]
    with pytest.raises(BackendUnavailableError, match="in time"):
        get(f"{site.url}/silent", connect_timeout_seconds=0.2)
    done.set()


def test_a_server_that_answers_by_drops_is_ended(site: Site) -> None:
    done = threading.Event()

    def drips(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(3_000):
            if done.wait(0.02):
                return
            handler.wfile.write(f"X-{number}: drop\r\n".encode())

    site.answers["/drops"] = drips
    with pytest.raises(BackendUnavailableError, match="longer than"):
        Documents(DocumentSettings(private_networks=LOOPBACK, timeout_seconds=3)).read(f"{site.url}/drops")
    done.set()


def test_a_closed_port(site: Site) -> None:
    with serving({}) as gone:
        url = gone.url
    with pytest.raises(BackendUnavailableError, match="cannot be reached"):
        get(url)


def test_an_unknown_host() -> None:
    def nobody(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(BackendUnavailableError, match="not known"):
        get("http://nowhere.test/", resolver=nobody)


@pytest.mark.parametrize(
    "body", [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", b"\x00\xff\x00", b"HTTP/9 what\r\n\r\n"]
)
def test_a_broken_answer(site: Site, body: bytes) -> None:
    def breaks(handler: Handler) -> None:
        handler.wfile.write(body)
        handler.close_connection = True

    site.answers["/broken"] = breaks
    with pytest.raises(BackendUnavailableError, match="cannot be reached"):
        get(f"{site.url}/broken")


@pytest.mark.parametrize(
    ("url", "usual"),
    [
        ("HTTP://Example.ORG:80", "http://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
        ("https://example.org.:8443/", "https://example.org:8443/"),
        ("http://пример.рф/страница", "http://xn--e1afmkfd.xn--p1ai/страница"),
        ("http://[2001:db8::1]:80/", "http://[2001:db8::1]/"),
        (" http://exa\tmple.org/a\n", "http://example.org/a"),
    ],
)
def test_the_usual_form(url: str, usual: str) -> None:
    assert usual_form(url) == usual
    assert usual_form(usual) == usual


@pytest.mark.parametrize(
    "url", ["http://", "http://:80/", "http://a:b/", "http://[::1/", "mailto:a@b", "http://" + "a" * 70 + ".org/"]
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(InvalidInputError):
        usual_form(url)
