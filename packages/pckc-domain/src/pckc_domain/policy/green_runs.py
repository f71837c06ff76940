"""
What a green run of tests says of failures before it.

Runners name the tests that failed, but sum up those that passed. A run in which nothing failed ends the failures in the
scope that it covers: all tests, a folder, a file, a class or one test. A command that leaves tests out, or that may,
covers nothing; its output ends what it names and no more.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import Claim

OUTCOME = "outcome"
"""Attribute of a test: how it ended."""

FAILED = "failed"
PASSED = "passed"

GREEN = "green run"
"""Attribute of a scope of tests: at that moment, none of them failed."""

_SUMMARIES = {
    "cargo test": re.compile(r"^test result: ok\b[^\n]{0,200}", re.MULTILINE),
    "go test": re.compile(r"^ok[ \t]+\S{1,200}[ \t]+(?:\d|\(cached)[^\n]{0,100}", re.MULTILINE),
    "js test": re.compile(
        r"^[ \t]{0,8}(?:Tests:?[ \t]+[^\n]{0,100}\b\d{1,9} passed|\d{1,9} passing)[^\n]{0,100}", re.MULTILINE
    ),
    "pytest": re.compile(r"^[^\n]{0,100}\b\d{1,9} passed\b[^\n]{0,100} in \d[^\n]{0,100}", re.MULTILINE),
}
"""How each family of runners sums up a run in which nothing failed."""

_LEFT_OUT = re.compile(r"\b[1-9]\d* (?:deselected|filtered out)\b")
"""How runners tell that a setting, which no command names, left tests out."""

_WITHOUT_PATHS = frozenset({"cargo test", "go test"})
"""Families whose output names no file: only a run of everything covers their failures."""

MAX_COMMAND_CHARACTERS = 2_000
"""A longer command line is a script: what it runs is not read."""

_SEPARATOR = re.compile(r"&&|\|\||[;|&\n()]")
_REDIRECTION = re.compile(r"\d?>&\d|&?\d?>>?\s*[\w./-]+")
_CHANGE_FOLDER = re.compile(r"\s*(?:cd|pushd)\s+(\S+)\s*$")
_RUN = re.compile(
    r"\s*(?:\w+=\S*\s+)*"
    r"(?:(?:(?:uv|poetry|pdm|hatch|pipenv|rye) run(?: --[\w-]+)*|npx|bunx|pnpm exec|time|timeout \S+|(?:\S*/)?py(?:thon[\d.]*)? -m)\s+)*"
    r"(?:(?:\S*/)?(?:pytest|py\.test|jest|mocha)|(?:\S*/)?vitest(?: run)?|(?:npm|pnpm|yarn|bun)(?: run)? test(?: --(?=\s|$))?|"
    r"go test(?=\s(?:\S+\s)*\./\.\.\.)|cargo (?:test|nextest run)|(?:make|just|task) (?:test|check)|tox|nox)(?=\s|$)"
)
_NEUTRAL = re.compile(
    r"-[qvslx]+|-r\w+|-n\s?\w+|-race|-count=1|-j\s?\d+|--(?:quiet|verbose|silent|exitfirst|no-header|no-summary|showlocals|"
    r"(?:tb|durations|color|maxfail|timeout|dist|numprocesses|log-level|log-cli-level|reporter|hypothesis-profile|capture)[= ]\S+|"
    r"cov(?:-\w+)*(?:=\S+)?|coverage|no-cov|ci|run|watchAll=false|runInBand|workspace|all|release|all-features|strict-\w+|"
    r"no-fail-fast|nocapture)"
)
"""Options that leave no test out."""

_TARGET = re.compile(r"(?!-)[\w./\[\]:@+-]+")
_VARIABLE = re.compile(r"[~$`*]")
_FILE = re.compile(r"[^:]*\.\w+$")


@attrs.frozen
class Run:
    """
    A command that runs tests.

    Attributes:
        folder: Where it runs, from where the session does; ``""`` for there.
        scopes: What it covers, from where the session runs: ``""`` for all, else a path of a folder, file or test;
            empty when it may leave tests out.
    """

    folder: str
    scopes: tuple[str, ...]


def run_of(command: str, cwd: str = "") -> Run | None:
    """Return the run of tests in a *command* line given in the folder *cwd*; ``None`` when there is not just one."""
    if len(command) > MAX_COMMAND_CHARACTERS:
        return None
    folder, runs = "", []
    for part in _SEPARATOR.split(_REDIRECTION.sub(" ", command)):
        if moved := _CHANGE_FOLDER.match(part):
            folder = _joined(folder, moved[1])
        elif match := _RUN.match(part):
            runs.append((folder, part[match.end() :]))
    if len(runs) != 1:
        return None
    folder, arguments = runs[0]
    return Run(_placed(folder, cwd), () if _VARIABLE.search(folder) else tuple(_scopes(folder, arguments, cwd)))


def green_runs(text: str, run: Run) -> Iterator[tuple[str, int, int]]:
    """Yield the scopes that *text*, the output of a *run* in which nothing failed, tells of, with the span that does."""
    for family, summary in () if _LEFT_OUT.search(text) else _SUMMARIES.items():
        found = summary.search(text)
        for scope in run.scopes if found else ():
            if found and (family not in _WITHOUT_PATHS or scope == run.folder):
                yield _named(family, scope), found.start(), found.end()


def failure_scopes(claim: Claim) -> tuple[str, ...]:
    """Return the scopes, see `green_runs`, whose green runs end *claim*; none when it tells of no test's failure."""
    if claim.attribute != OUTCOME or claim.value != FAILED:
        return ()
    test = claim.subject
    head, _, inner = test.partition("::")
    is_in_file = bool(_FILE.match(head))
    names = [name for name in inner.partition("[")[0].split("::") if name] if is_in_file else []
    path = claim.path or (head if is_in_file else "")
    parts = path.split("/") if path else []
    scopes = ["/".join(parts[:length]) for length in range(2 if path.startswith("/") else 0, len(parts) + 1)]
    scopes += ["::".join([path, *names[:length]]) for length in range(1, len(names) + 1)]
    if "[" in inner and is_in_file:
        scopes.append(f"{path}::{inner}")
    return tuple(_named(_family(test), scope) for scope in scopes)


def _family(test: str) -> str:
    head = test.partition("::")[0]
    if head.endswith(".py"):
        return "pytest"
    if _FILE.match(head):
        return "js test"
    return "cargo test" if "::" in test or not test.startswith("Test") else "go test"


def _named(family: str, scope: str) -> str:
    return f"{family} {scope}".strip()


def _scopes(folder: str, arguments: str, cwd: str) -> Iterator[str]:
    words = _without_options(arguments)
    targets = [word for word in words or () if word != "./..."]
    if words is not None and all(_TARGET.fullmatch(word) for word in targets):
        yield from (_placed(_joined(folder, target), cwd) for target in targets or [""])


def _without_options(arguments: str) -> list[str] | None:
    """Return the words of *arguments* that are no options; ``None`` when an option may leave tests out."""
    rest = arguments
    words: list[str] = []
    while rest := rest.lstrip():
        option = _NEUTRAL.match(rest) if rest.startswith("-") else None
        end = option.end() if option else len(rest.split(maxsplit=1)[0])
        if rest.startswith("-") and (option is None or rest[end : end + 1].strip()):
            return None
        words += [] if option else [rest[:end]]
        rest = rest[end:]
    return words


def _joined(folder: str, path: str) -> str:
    return path if path.startswith("/") or not folder else f"{folder}/{path}"


def _placed(path: str, cwd: str) -> str:
    """Return *path* as seen from *cwd*, ``""`` for that itself; the whole of one that lies elsewhere."""
    whole = _plain(_joined(cwd, path))
    root = _plain(cwd)
    return whole[len(root) :].strip("/") if f"{whole}/".startswith(f"{root}/") else whole


def _plain(path: str) -> str:
    """Return *path* without `.`, `..` and doubled slashes."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)
