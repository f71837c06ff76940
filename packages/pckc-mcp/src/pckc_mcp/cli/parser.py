"""The commands and their options."""

import argparse
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from pckc_domain.errors import InvalidInputError, NotFoundError

COMMANDS = {
    "init": "prepare a project: create its store and say where it is",
    "index": "index the work tree, with embeddings when an embedder is installed",
    "sync": "bring the index up to date; returns at once when nothing changed",
    "watch": "keep the index, the graph and embeddings fresh while files change, until it is stopped",
    "search": "search claims, evidence and passages",
    "context": "compile the proven context of a task within a token budget",
    "import": "read agent sessions into proven, current belief",
    "ingest": "read documents, pages of the web or text into claims with citations",
    "gaps": "questions that what is known does not answer: list, add, get, update, delete",
    "traces": "an agent's own plans, actions, observations and reflections: list, add",
    "claims": "list claims, or the texts that did not become one",
    "history": "show how a claim's value changed, and what people decided about it",
    "why": "explain a claim or a passage: its proofs, and whether they still hold",
    "why-not": "explain why a text is not among the current claims",
    "verify": "follow proofs and say which are live, moved, changed or gone",
    "pin": "keep a claim: nothing closes it automatically",
    "archive": "hide a claim from answers",
    "reject": "declare a claim wrong: it takes no part any more",
    "undo": "take back the last decision about a claim",
    "forget": "erase a claim, a session, a document or the project, everywhere",
    "retention": "report claims and versions of files that have outlived their use; with --apply erase them",
    "compact": "give disk space of the store back, and leave no erased text behind",
    "graph": "ask the graph of the source code who calls what, what a change touches, what is dead; or export it",
    "infer": "apply the rules among the claims to a graph, and say what follows from what",
    "report": "summarise the graph: hubs, communities, cycles, what is unresolved, what is worth asking",
    "eval": "measure retrieval on questions with known evidence",
    "rebuild": "make a projection anew from the store, such as after a change of embedder",
    "migrate": "copy the store into another one, on whatever engine it runs",
    "backup": "write all that the store holds to one file",
    "restore": "fill the store from a file that backup or export wrote",
    "export": "write all that the store holds to one file of documented JSON lines",
    "import-archive": "fill the store from a file that export or backup wrote, as restore does",
    "worker": "bring projections and sessions up to date until it is stopped; run more of it to share the work",
    "stats": "count what the store holds",
    "doctor": "check the installation, the configuration and the store",
    "serve": "run the MCP server on standard input and output, or with REST over HTTP",
    "setup": "connect an agent host: add the server and hooks to its configuration",
    "uninstall": "take back what setup added to an agent host's configuration",
    "hook": "answer an event of an agent host, told as JSON on standard input: recall into its context, or record",
    "new-adapter": "write the skeleton of an adapter package",
}

READING = (
    "search",
    "context",
    "why",
    "why-not",
    "verify",
    "stats",
    "claims",
    "history",
    "backup",
    "export",
    "migrate",
    "retention",
    "compact",
)
"""Commands that have nothing to say of a store that does not exist."""

INTENTS = (
    "bug_fix", "test_failure", "refactor", "feature_implementation", "architecture_review", "code_explanation",
    "repository_onboarding", "workflow_question", "documentation", "trivial_edit", "unknown",
)  # fmt: skip
PASSAGE_LAYERS = ("chunk", "paragraph", "proposition", "summary")
LAYERS = ("passages", *PASSAGE_LAYERS, "claims", "evidence", "symbols", "all")
GRAPH_QUESTIONS = (
    "search", "hubs", "neighbors", "path", "callers", "callees", "impact", "communities", "goal", "dead", "cycles",
    "sessions", "report", "export", "build", "coverage",
)  # fmt: skip
PROJECTIONS = ("vectors", "graph")
GRAPH_LAYERS = ("repository", "session")
INFERENCE_GRAPHS = ("repository", "session", "claims")
GRAPH_FORMATS = ("json", "graphml", "cypher", "html")
CYCLE_KINDS = ("imports", "calls", "inherits")
GAP_ACTS = ("list", "add", "get", "update", "delete", "close")
GAP_PRIORITIES = ("high", "medium", "low")
GAP_STATUSES = ("open", "researching", "closed", "dismissed")
MOST = 1_000_000
"""What may be asked for at once."""

TRACE_KINDS = ("plan", "action", "observation", "reflection")
HOOK_HOSTS = ("claude", "codex", "dsh")
SETUP_HOSTS = ("claude", "codex", "dsh", "gemini")
FORMATS = ("auto", "plain", "claude", "codex", "gemini", "dsh")


class _Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that ``--json`` callers get an error object."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the whole command line; what every command takes stands behind the command."""
        name = args[0].partition("=")[0] if args else ""
        if name in ("--json", "--quiet", "--store", "--project"):
            raise InvalidInputError(f"{name} stands before the command", remedy="put it after the command")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        raise InvalidInputError(message, remedy=f"see `{self.prog} --help`")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(prog="pckc", description="Proof-carrying memory and knowledge for coding agents.")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    added = {name: commands.add_parser(name, help=text, description=text) for name, text in COMMANDS.items()}
    for name, command in added.items():
        if name in ("setup", "uninstall"):
            _add_setup_options(command)
        elif name != "new-adapter":
            _add_common(command)
    _add_index_options(added["index"])
    _add_index_options(added["sync"])
    _add_watch_options(added["watch"])
    _add_search_options(added["search"])
    _add_context_options(added["context"])
    added["init"].add_argument("--config", action="store_true", help="also write a commented pckc.toml")
    _add_import_options(added["import"])
    _add_curated_options(added)
    _add_claim_options(added)
    _add_graph_options(added["graph"])
    _add_infer_options(added["infer"])
    _add_layer(added["report"])
    added["why"].add_argument("id", help="id of a claim or a passage, as search prints it")
    added["why-not"].add_argument("text", help="what you expected to find")
    added["verify"].add_argument("ids", nargs="*", metavar="ID", help="claims or passages to verify; none means all")
    added["verify"].add_argument("--pack", type=Path, metavar="FILE", help="verify every proof of a saved context")
    added["verify"].add_argument("--path", action="append", default=[], help="verify what stands under this path")
    added["verify"].add_argument(
        "--cross", action="store_true", help="compare claims with those nearest to them; without ids, new candidates"
    )
    added["verify"].add_argument(
        "--limit", type=_count, default=200, help="most candidates that --cross looks at (default: 200)"
    )
    rebuilt = added["rebuild"].add_mutually_exclusive_group(required=True)
    rebuilt.add_argument("--vectors", action="store_true", help="make all vectors anew")
    rebuilt.add_argument("--graph", action="store_true", help="fill the graph index anew")
    rebuilt.add_argument("--all", action="store_true", help="every projection that is configured")
    worker = added["worker"]
    worker.add_argument("--once", action="store_true", help="end when nothing is left to do")
    worker.add_argument(
        "--projection", action="append", default=[], choices=PROJECTIONS, help="bring only this up to date"
    )
    worker.add_argument(
        "--poll", type=_positive_seconds, default=2.0, metavar="SECONDS", help="look again so often (default: 2)"
    )
    worker.add_argument("--retry", action="store_true", help="first try again what was set aside")
    hook = added["hook"]
    hook.add_argument("event", nargs="?", default="", help="such as UserPromptSubmit; drain takes in what is recorded")
    hook.add_argument("--host", choices=HOOK_HOSTS, default="claude", help="who asks (default: claude)")
    added["doctor"].add_argument("--check", action="store_true", help="also run the store's integrity check")
    added["retention"].add_argument("--apply", action="store_true", help="erase what the report names")
    _add_copy_options(added)
    serve = added["serve"]
    serve.add_argument("--http", action="store_true", help="serve MCP and REST over HTTP, for several clients at once")
    serve.add_argument("--host", help="address to listen on (default: 127.0.0.1); any other needs [[http.access]]")
    serve.add_argument("--port", type=_port, help="port to listen on (default: 8730); 0 takes a free one")
    added["new-adapter"].add_argument("slot", help="port to adapt, such as vector or embedder")
    added["new-adapter"].add_argument("name", help="short name of the adapter, such as faiss")
    added["new-adapter"].add_argument("--into", type=Path, default=Path("packages"), help="folder of the packages")
    return parser


def _positive_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number of seconds, not {text[:40]!r}") from None
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0")
    return seconds


def _count(text: str, *, least: int = 1) -> int:
    """Return a number of things; every store can take it."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST))) or not least <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {MOST:,}, not {text[:40]!r}")
    return int(text)


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 65535, not {text[:40]!r}") from None
    if not 0 <= port <= 65_535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return port


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.add_argument("--quiet", action="store_true", help="no progress, no notes")
    command.add_argument(
        "--store", type=Path, default=_environment_path("PCKC_STORE"), help="path of the embedded store"
    )
    command.add_argument(
        "--project", type=Path, default=_environment_path("PCKC_PROJECT") or Path(), help="folder of the project"
    )


def _add_setup_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("host", choices=SETUP_HOSTS, help="whose configuration")
    level = command.add_mutually_exclusive_group()
    level.add_argument("--user", action="store_true", help="for all of your projects (the default)")
    level.add_argument(
        "--project", action="store_true", help="for everyone in the project that the current folder lies in"
    )
    command.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.add_argument("--quiet", action="store_true", help="no notes")
    command.set_defaults(store=None)


def _environment_path(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(value) if value else None


def _add_index_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--from-scratch", action="store_true", help="read every file again")
    command.add_argument("--no-embed", action="store_true", help="leave embedding for later")
    command.add_argument(
        "--embed-seconds",
        type=float,
        default=60.0,
        metavar="N",
        help="embed for so long at most (default: 60); the next run goes on, and so does the server",
    )


def _add_watch_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--no-embed", action="store_true", help="leave embedding to others, such as the server")
    command.add_argument(
        "--embed-seconds",
        type=_positive_seconds,
        default=2.0,
        metavar="N",
        help="embed for so long before looking at the files again (default: 2)",
    )
    command.add_argument(
        "--poll",
        type=_positive_seconds,
        metavar="SECONDS",
        help="look so often instead of listening to events, as it does by itself where there are none",
    )


def _add_search_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("query", nargs="?", default="", help="any text")
    command.add_argument("--layer", choices=LAYERS, action="append", help="what to search (default: all)")
    command.add_argument("--type", action="append", default=[], help="keep propositions or claims of this type")
    command.add_argument("--status", action="append", default=[], help="keep claims with this status")
    command.add_argument("--session", action="append", default=[], help="keep what comes from this session")
    command.add_argument("--as-of", metavar="TIME", help="answer what held then")
    command.add_argument("--known-at", metavar="TIME", help="answer what was known then")
    command.add_argument("--cursor", default="", help="go on where an answer's next_cursor says")
    command.add_argument("--intent", choices=INTENTS, default="unknown", help="what you are about to do")
    command.add_argument("--path", action="append", default=[], help="keep what stands under this path")
    command.add_argument("--limit", type=_count, default=10, help="most results (default: 10)")
    command.add_argument("--batch", type=Path, metavar="FILE", help="answer a JSON query a line, in order; - is stdin")
    _add_semantic(command)


def _add_context_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("task", help="what you want to do, in your words")
    command.add_argument("--intent", choices=INTENTS, default="unknown", help="what you are about to do")
    command.add_argument("--budget", type=int, default=6000, help="tokens (default: 6000)")
    command.add_argument("--file", action="append", default=[], help="a file the task is about")
    command.add_argument("--symbol", action="append", default=[], help="a symbol the task is about")
    command.add_argument("--layer", choices=PASSAGE_LAYERS, action="append", default=[], help="override the layers")
    command.add_argument("--type", action="append", default=[], help="override the proposition types")
    command.add_argument("--raise-gaps", action="store_true", help="register what nothing proven was found for")
    _add_semantic(command)


def _add_import_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="files or folders (default: the hosts' own)"
    )
    command.add_argument("--format", choices=FORMATS, default="auto", help="what the files are (default: by content)")
    command.add_argument("--roots", action="append", default=[], metavar="DIR", help="look in this folder")
    command.add_argument(
        "--host", action="append", default=[], choices=FORMATS[1:], help="keep transcripts of this host"
    )
    command.add_argument("--from", dest="from_", metavar="TIME", help="skip events before this time")
    command.add_argument("--to", metavar="TIME", help="skip events after this time")
    command.add_argument("--since", metavar="TIME", help="skip files not modified since, such as 7d")
    command.add_argument("--fresh", action="store_true", help="read every file from its start again")
    command.add_argument("--dry-run", action="store_true", help="count, store nothing")
    command.add_argument("--concurrency", type=_count, default=1, help="processes that read (default: 1)")
    command.add_argument("--batch-size", type=_count, default=500, help="events stored in one commit (default: 500)")
    command.add_argument("--max-files", type=partial(_count, least=0), help="read the newest files only")
    command.add_argument("--all-projects", action="store_true", help="also sessions that ran in other folders")
    command.add_argument("--yes", action="store_true", help="do not ask before a large import")


def _add_graph_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("question", choices=GRAPH_QUESTIONS, help="what to ask")
    command.add_argument(
        "name",
        nargs="?",
        default="",
        help="a symbol: its qualified name, the end of one, or its id; for search words; for communities an id; for"
        " sessions also a path",
    )
    command.add_argument("to", nargs="?", default="", help="where the path leads; for goal what to get to, in words")
    command.add_argument(
        "--diff", metavar="REV|FILE", help="impact of what changed since a revision, or of a diff in a file; - is stdin"
    )
    _add_layer(command)
    command.add_argument("--depth", type=_count, help="how far to go, 1 to 5 for neighbors (default: 1)")
    command.add_argument("--limit", type=_count, help="most results")
    command.add_argument("--kind", choices=CYCLE_KINDS, default="", help="edges of cycles (default: imports)")
    command.add_argument("--level", type=int, choices=(0, 1), help="communities of this level")
    command.add_argument("--inferred", action="store_true", help="neighbors, path: also along what rules conclude")
    command.add_argument("--format", choices=GRAPH_FORMATS, default="json", help="form of the export (default: json)")
    command.add_argument("--output", type=Path, metavar="FILE", help="write the export here")
    command.add_argument("--language", action="append", default=[], help="export nodes in this language only")
    command.add_argument(
        "--semantic", choices=("always", "never"), default="never", help="goal: meaning counts beside words"
    )


def _add_infer_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--graph", choices=INFERENCE_GRAPHS, default="repository", help="which graph (default: repository)"
    )
    command.add_argument("--dry-run", action="store_true", help="say what follows, store nothing")
    command.add_argument("--limit", type=_count, default=40, help="most edges shown (default: 40)")
    command.add_argument("--no-sync", action="store_true", help="take the stored graph as it is")


def _add_layer(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--layer", choices=GRAPH_LAYERS, default="repository", help="which graph (default: repository)"
    )
    command.add_argument("--no-sync", action="store_true", help="answer from the stored graph as it is")


def _add_curated_options(added: Mapping[str, argparse.ArgumentParser]) -> None:
    ingest = added["ingest"]
    ingest.add_argument("sources", nargs="*", metavar="SOURCE", help="files or addresses; - is text on stdin")
    ingest.add_argument("--text", help="ingest this text")
    ingest.add_argument("--name", default="", help="what the text is known by, to replace it later")
    ingest.add_argument("--title", default="", help="title of the text")
    ingest.add_argument("--snippet", default="", help="keep this when the page cannot be read")
    ingest.add_argument(
        "--embed-seconds",
        type=float,
        default=60.0,
        metavar="N",
        help="embed and compare for so long at most (default: 60); `pckc index` and the server go on",
    )
    ingest.add_argument("--retry", action="store_true", help="also distil chunks that are left or failed before")
    gaps = added["gaps"]
    gaps.add_argument("act", nargs="?", choices=GAP_ACTS, default="list", help="what to do (default: list)")
    gaps.add_argument("what", nargs="?", default="", help="the gap's id; for add the question")
    gaps.add_argument("--question", help="new words of the question")
    gaps.add_argument("--reason", help="why it matters")
    gaps.add_argument("--priority", choices=GAP_PRIORITIES, help="how much it matters (default: medium)")
    gaps.add_argument("--status", choices=GAP_STATUSES, help="list or set this status")
    gaps.add_argument("--closed-by", action="append", default=[], metavar="CLAIM", help="a claim that answers it")
    gaps.add_argument("--limit", type=_count, default=50, help="most results (default: 50)")
    traces = added["traces"]
    traces.add_argument("act", nargs="?", choices=("list", "add"), default="list", help="what to do (default: list)")
    traces.add_argument("text", nargs="?", default="", help="for add: what to note")
    traces.add_argument("--kind", choices=TRACE_KINDS, action="append", default=[], help="what it is")
    traces.add_argument("--session", help="the session it belongs to")
    traces.add_argument("--limit", type=_count, default=50, help="most results (default: 50)")


def _add_claim_options(added: Mapping[str, argparse.ArgumentParser]) -> None:
    claims = added["claims"]
    claims.add_argument("--type", action="append", default=[], help="keep claims of this type")
    claims.add_argument("--status", action="append", default=[], help="keep claims with this status")
    claims.add_argument("--standing", action="store_true", help="standing rules only")
    claims.add_argument("--facts", action="store_true", help="also what only the repository says")
    claims.add_argument("--all", action="store_true", help="also closed, archived and rejected ones")
    claims.add_argument("--rejected", action="store_true", help="list texts that did not become a claim, and why")
    claims.add_argument("--limit", type=_count, default=50, help="most results (default: 50)")
    added["history"].add_argument("id", help="id of a claim")
    for name in ("pin", "archive", "reject", "undo"):
        added[name].add_argument("id", help="id of a claim")
        added[name].add_argument("--reason", default="", help="why, for the history")
        added[name].add_argument("--actor", default="", help="who decides (default: the user)")
    forget = added["forget"]
    forget.add_argument("--claim", metavar="ID", help="erase a claim and the words that prove it")
    forget.add_argument("--session", metavar="ID", help="erase a session and all that came from it")
    forget.add_argument("--document", metavar="PATH", help="erase a document")
    forget.add_argument("--all", dest="all_of_project", action="store_true", help="erase everything of the project")
    forget.add_argument("--yes", action="store_true", help="do not ask; needed where there is no terminal to ask on")
    evaluate = added["eval"]
    evaluate.add_argument("what", choices=("retrieval",), help="what to measure")
    evaluate.add_argument("questions", type=Path, help="questions with evidence_ids, one JSON object a line")
    evaluate.add_argument("--dump", type=Path, metavar="FILE", help="write the ranked ids")
    evaluate.add_argument("--baseline", action="store_true", help="also measure a plain FTS5 OR-query")
    _add_semantic(evaluate)


def _add_copy_options(added: Mapping[str, argparse.ArgumentParser]) -> None:
    migrate = added["migrate"]
    migrate.add_argument(
        "--to", type=Path, required=True, metavar="CONFIG", help="file like pckc.toml that names the store to fill"
    )
    migrate.add_argument(
        "--from",
        dest="from_",
        type=Path,
        metavar="CONFIG",
        help="names the store to copy (default: the one in use)",
    )
    added["backup"].add_argument("file", type=Path, metavar="FILE", help="archive to write, such as monday.pckc.gz")
    added["export"].add_argument(
        "file", type=Path, metavar="FILE", help="archive to write, such as monday.jsonl; compressed when named .gz"
    )
    for name in ("restore", "import-archive"):
        added[name].add_argument("file", type=Path, metavar="FILE", help="archive to read, compressed or not")
    for name in ("migrate", "backup", "export"):
        added[name].add_argument("--this-project", action="store_true", help="leave other projects out")
    for name in ("migrate", "restore", "import-archive"):
        added[name].add_argument("--merge", action="store_true", help="also into a project that holds something else")


def _add_semantic(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--semantic",
        choices=("auto", "always", "never"),
        default="auto",
        help="use embeddings: auto means in batches only, since loading the model takes about a second",
    )


def check_store(options: argparse.Namespace) -> None:
    """
    Refuse to read a store that was named and is not there: it would be created, empty.

    Raises:
        NotFoundError: There is no such file.
    """
    if options.command in READING and options.store and not options.store.expanduser().exists():
        raise NotFoundError(
            f"no store at {options.store}", remedy="`pckc index` or `pckc init` with the same --store makes it"
        )


def wants_json(arguments: Sequence[str]) -> bool:
    """Return whether the raw *arguments* ask for JSON, also when they cannot be parsed."""
    return "--json" in arguments
