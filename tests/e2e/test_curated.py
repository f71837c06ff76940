"""Documents, gaps and verdicts through the real program: a PDF, an EPUB and a web page, from the place to the claim."""

import re
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote
from zipfile import ZipFile

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mkepub import Book
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from .program import PCKC, Program, Repository, kill

PAGE = """<html><head><title>Memgraph notes</title></head><body><article>
<h1>Memgraph notes</h1>
<p>Memgraph is an in-memory graph database that speaks the Bolt protocol.</p>
<h2>Ports</h2>
<p>The default port of Memgraph is 7687.</p>
</article></body></html>"""


class Pages(BaseHTTPRequestHandler):
    """Serves pages by path; one that is not there is forbidden."""

    pages: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        body = self.pages.get(self.path, "").encode()
        self.send_response(200 if body else 404 if self.path == "/robots.txt" else 403)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    """The address of a web server on this machine."""
    Pages.pages = {"/memgraph.html": PAGE}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def local(repository: Repository, pckc: Program) -> Program:
    """The program, allowed to read pages of this machine."""
    repository.write("pckc.toml", '[documents]\nprivate_networks = ["127.0.0.0/8"]\n')
    return pckc


def write_pdf(file: Path, *pages: str) -> None:
    canvas = Canvas(str(file))
    for text in pages:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()


def write_epub(file: Path, **chapters: str) -> None:
    book = Book(title="A book of stores")
    for title, text in chapters.items():
        book.add_page(title, f"<p>{text}</p>")
    book.save(str(file))
    book.tempdir.cleanup()


def chapters_of(file: Path) -> dict[str, str]:
    """Return the text of each chapter by its title, read without PCKC."""
    with ZipFile(file) as book:
        pages = [book.read(name).decode() for name in book.namelist() if name.endswith(".xhtml")]
    texts = [re.sub(r"<[^>]+>", "", page) for page in pages]
    titles = [re.search(r"<title>(.*?)</title>", page) for page in pages]
    return {title[1]: text for title, text in zip(titles, texts, strict=True) if title}


def only(answer: Mapping[str, Any]) -> dict[str, Any]:
    (document,) = answer["documents"]
    return dict(document)


def claims_of(program: Program) -> dict[str, dict[str, Any]]:
    return {claim["text"]: claim for claim in program("claims", "--json").json["results"]}


class TestEveryClaimIsFollowed:
    def test_pdf(self, pckc: Program, tmp_path: Path) -> None:
        file = tmp_path / "papers" / "qdrant.pdf"
        file.parent.mkdir()
        write_pdf(file, "A title page.", "Qdrant is a vector database written in Rust.", "The default port is 6333.")
        document = only(pckc("ingest", file, "--json").json)
        assert document["type"] == "pdf"
        for claim in claims_of(pckc).values():
            (proof,) = claim["proofs"]
            page = int(proof["source_ref"].rpartition("page%3D")[2])
            assert proof["excerpt"] in PdfReader(file).pages[page - 1].extract_text()
        assert claims_of(pckc)["The default port is 6333."]["proofs"][0]["source_ref"].endswith("#page%3D3")
        assert pckc("verify", "--json", *document["claims"]).json["counts"]["live"] == len(document["claims"]) >= 2

    def test_epub(self, pckc: Program, tmp_path: Path) -> None:
        file = tmp_path / "stores.epub"
        write_epub(file, Graphs="Memgraph is a graph database.", Vectors="Qdrant is a vector database.")
        document = only(pckc("ingest", file, "--json").json)
        chapters = chapters_of(file)
        for claim in claims_of(pckc).values():
            (proof,) = claim["proofs"]
            section = unquote(proof["source_ref"].rpartition("section%3D")[2])
            assert proof["excerpt"] in chapters[section]
        assert pckc("verify", "--json", *document["claims"]).json["counts"]["live"] == len(document["claims"]) >= 2

    def test_web(self, local: Program, site: str) -> None:
        document = only(local("ingest", f"{site}/memgraph.html", "--json").json)
        assert document["title"] == "Memgraph notes"
        for claim in claims_of(local).values():
            (proof,) = claim["proofs"]
            heading = unquote(proof["source_ref"].rpartition("heading%3D")[2]).rpartition(" > ")[2]
            under = PAGE[PAGE.index(f">{heading}</h") :].partition("<h2>")[0]
            assert proof["excerpt"] in under
        assert local("verify", "--json", *document["claims"]).json["counts"]["live"] == len(document["claims"]) >= 2
        found = local("search", "bolt protocol", "--layer", "passages", "--json").json["results"]
        assert any(hit["proofs"][0]["authority"] == "document_derived" for hit in found)


class TestChanges:
    def test_again_and_changed(self, pckc: Program, tmp_path: Path) -> None:
        file = tmp_path / "notes.md"
        file.write_text("# Notes\n\nQdrant is a vector database.\n\nThe default port is 6333.\n")
        assert not only(pckc("ingest", file, "--json").json)["unchanged"]
        assert only(pckc("ingest", file, "--json").json)["unchanged"]
        file.write_text("# Notes\n\nQdrant is a vector database.\n\nThe default port is 6334.\n")
        assert only(pckc("ingest", file, "--json").json)["ceased"] == 1
        claims = claims_of(pckc)
        assert "The default port is 6333." not in claims
        old = next(
            claim for claim in pckc("claims", "--all", "--json").json["results"] if claim["text"].endswith("6333.")
        )
        assert old["superseded_by"] == claims["The default port is 6334."]["id"]

    def test_two_documents(self, pckc: Program, tmp_path: Path) -> None:
        for name, port in (("a", 6333), ("b", 6333), ("c", 7000)):
            file = tmp_path / f"{name}.md"
            file.write_text(f"# {name}\n\nThe default timeout of Qdrant is {port} seconds.\n")
            pckc("ingest", file)
            statuses = {claim["status"] for claim in claims_of(pckc).values()}
            assert statuses == {"a": {"candidate"}, "b": {"verified"}, "c": {"contested"}}[name]

    def test_cross_checks(self, pckc: Program) -> None:
        pckc("ingest", "--text", "The service of Qdrant is enabled.", "--name", "one")
        pckc("ingest", "--text", "The service of Qdrant is disabled.", "--name", "two")
        checked = pckc("verify", "--cross", "--json", check=False)
        assert checked.json["counts"]["contradicts"] or {c["status"] for c in claims_of(pckc).values()} == {"contested"}


class TestKills:
    def test_a_killed_run_is_gone_on_with(self, pckc: Program, tmp_path: Path) -> None:
        """Killed at any moment, and run again: the claims are those of a run that nobody disturbed."""
        files = []
        for name in "abc":
            lines = [f"The size of Part{name}{number} is {number}.\n" for number in range(400)]
            file = tmp_path / f"{name}.md"
            file.write_text("\n".join([f"# {name}\n", *lines]))
            files.append(file)
        for delay in (0.6, 1.2):
            process = pckc.start("ingest", *files)
            time.sleep(delay)
            kill(process)
        pckc("ingest", *files)
        stats = pckc("stats", "--json").json
        assert stats["distillations"]["failed"] == stats["distillations"].get("waiting", 0) == 0
        disturbed = {(c["text"], c["status"]) for c in pckc("claims", "--limit", "5000", "--json").json["results"]}
        assert len(disturbed) == 1200
        assert all(document["unchanged"] for document in pckc("ingest", *files, "--json").json["documents"])


class TestRefusals:
    def test_a_private_page(self, pckc: Program, site: str) -> None:
        answer = pckc("ingest", f"{site}/memgraph.html", "--json", check=False)
        assert answer.code == 2
        assert "private" in only(answer.json)["error"]
        assert only(answer.json)["remedy"]

    def test_a_page_that_is_blocked_is_kept_by_its_snippet(self, local: Program, site: str) -> None:
        assert local("ingest", f"{site}/closed", "--json", check=False).code == 2
        snippet = "Memgraph is an in-memory graph database."
        document = only(local("ingest", f"{site}/closed", "--snippet", snippet, "--json").json)
        assert any("snippet" in note for note in document["notes"])
        assert snippet in claims_of(local)

    def test_one_bad_source_leaves_the_others(self, pckc: Program, tmp_path: Path) -> None:
        (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
        (tmp_path / "good.md").write_text("Qdrant is a vector database.\n")
        answer = pckc(
            "ingest", tmp_path / "broken.pdf", tmp_path / "good.md", tmp_path / "none.md", "--json", check=False
        )
        assert [bool(one["error"]) for one in answer.json["documents"]] == [True, False, True]
        assert all(one["remedy"] for one in answer.json["documents"] if one["error"])

    def test_nothing(self, pckc: Program) -> None:
        assert "nothing to ingest" in pckc("ingest", "--json", check=False).error["message"]
        assert only(pckc("ingest", "--text", " ", "--json", check=False).json)["error"] == "the text is empty"


class TestGaps:
    def test_raised_researched_and_closed(self, pckc: Program) -> None:
        (gap,) = pckc("gaps", "add", "What is the default port of Qdrant?", "--priority", "high", "--json").json["gaps"]
        assert pckc("gaps", "--status", "open", "--json").json["gaps"] == [gap]
        pckc("gaps", "update", gap["id"], "--status", "researching")
        closed = pckc("ingest", "--text", "The default port of Qdrant is 6333.", "--json").json["closed_gaps"]
        assert [one["id"] for one in closed] == [gap["id"]]
        (shown,) = pckc("gaps", "get", gap["id"], "--json").json["gaps"]
        assert shown["status"] == "closed"
        assert shown["closed_by"] == [claims_of(pckc)["The default port of Qdrant is 6333."]["id"]]
        pckc("gaps", "delete", gap["id"])
        assert pckc("gaps", "get", gap["id"], check=False).code == 5

    def test_traces_are_no_knowledge(self, pckc: Program) -> None:
        pckc("traces", "add", "The moon is made of basalt.", "--kind", "observation", "--session", "s1")
        assert [one["type"] for one in pckc("traces", "--json").json["traces"]] == ["observation"]
        found = pckc("search", "moon basalt", "--layer", "all", "--json").json["results"]
        assert not any("basalt" in hit["text"] for hit in found)


def test_the_tools_through_the_mcp_client(repository: Repository, environ: Mapping[str, str], site: str) -> None:
    """Every tool of the seed's set, listed and called."""
    repository.write("pckc.toml", 'tools = "pegas"\n\n[documents]\nprivate_networks = ["127.0.0.0/8"]\n')
    called: list[str] = []

    async def talk() -> set[str]:
        server = StdioServerParameters(command=str(PCKC), args=["serve"], cwd=repository.root, env=dict(environ))
        async with Client(server) as client:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                assert result.structured_content is not None
                called.append(tool)
                return result.structured_content

            (gap,) = (await call("memory_add_gap", question="What is the default port of Memgraph?"))["gaps"]
            page = (await call("memory_ingest", source=f"{site}/memgraph.html"))["closed_gaps"]
            assert [one["id"] for one in page] == [gap["id"]]
            assert (await call("memory_get_gap", id=gap["id"]))["gaps"][0]["status"] == "closed"
            assert (await call("memory_update_gap", id=gap["id"], priority="low"))["gaps"][0]["priority"] == "low"
            assert len((await call("memory_list_gaps", status="closed"))["gaps"]) == 1
            assert (await call("memory_delete_gap", id=gap["id"]))["deleted"] == gap["id"]
            cited = await call(
                "memory_store",
                claim="Memgraph speaks the Bolt protocol",
                source=f"{site}/memgraph.html",
                quote="speaks the Bolt protocol",
            )
            assert cited["outcome"] == "admitted"
            rule = await call(
                "memory_store",
                claim="What a module imports it depends on.",
                type="logical_rule",
                content='{"if": "imports", "then": "depends_on"}',
            )
            assert rule["outcome"] == "candidate"
            assert (await call("memory_verify", limit=5))["checked"]
            results = (await call("memory_search", query="graph database Bolt"))["results"]
            assert any("Bolt" in hit["text"] for hit in results)
            await call("memory_get_context", query="Which port does Memgraph use?")
            await call("memory_stats")
            await call("memory_store_code")
            await call("memory_search_code", query="retry")
            await call("memory_code_graph")
            concluded = await call("memory_infer")
            assert concluded["rules"]
            await call("memory_query_graph")
            await call("memory_add_trace", kind="plan", text="Read about Memgraph.")
            assert len((await call("memory_list_traces"))["traces"]) == 1
            return {tool.name for tool in (await client.list_tools()).tools}

    listed = anyio.run(talk)
    assert listed == set(called)
    assert len(listed) == 18
