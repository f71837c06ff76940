"""Rules for what tools did: constants and settings in changed files, packages installed, tests run. No prose is read."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.findings import EXACT, Finding
from pckc_domain.policy.green_runs import FAILED, GREEN, OUTCOME, PASSED, Run, green_runs
from pckc_domain.policy.subjects import VALUE, normalize_value

MAX_CHARACTERS = 100_000
"""What stands behind in a change or an output is not read."""

MAX_FINDINGS = 200
"""A change with more settings than this is a generated file: the rest stays evidence only."""

_REFUSED = re.compile(
    r"\s*(?:<tool_use_error>|Error\b|error:|The user (?:doesn't|does not) want to|The user (?:declined|rejected))"
)
_LINE = re.compile(r"[^\n]+")
_CONSTANT = re.compile(
    r"(?:\s*(?:(?:export|public|private|static|final|const|constexpr|readonly|pub)\s+)+(?:[\w<>\[\]]+\s+)?)?(?P<name>[A-Z][A-Z0-9_]{2,60})"
    r"\s*(?::\s*[\w\[\], |&']+?)?\s*:?=\s*(?P<value>[^=\s].{0,119}?)\s*[;,]?\s*(?:(?:#|//).*)?$"
)
_LITERAL = re.compile(r"[-+]?\d[\d_.]*(?:[eE][-+]?\d+)?|\"[^\"]{0,100}\"|'[^']{0,100}'|[Tt]rue|[Ff]alse")
_DIFF = re.compile(r"^(?:@@ |\+(?!\+\+)|-(?!--)\S)", re.MULTILINE)
_ARROW = re.compile(r"^(?P<before>.{1,200}?)`?\s*(?:→|->|=>)\s*`?(?P<after>.{1,200}?)`?$")
_ARROWS = ("→", "->", "=>")
_CONFIG_FILE = re.compile(r"(?:\.(?:toml|ini|cfg|properties|ya?ml)|(?:^|/)\.env[\w.]*)$")
_SECTIONED = re.compile(r"\.(?:toml|ini|cfg)$")
_SECTION = re.compile(r"\[+\s*([\w.\"'-]+)\s*\]+\s*(?:[#;].*)?$")
_CONFIG = re.compile(r"(?P<name>[A-Za-z][\w.-]{1,60})\s*[:=]\s*(?P<value>[^\s#].{0,100}?)\s*(?:\s#.*)?$")
_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|fixtures?|examples?|node_modules|vendor)/|(?:^|/)test_|_test\.|\.spec\."
)

_INSTALL = re.compile(
    r"(?:^|&&|;|\n|\|)\s*(?:sudo\s+)?(?:\$ )?(?:npm (?:install|i|add)|yarn add|pnpm (?:add|install|i)|bun add|pip3? install|uv (?:add|pip install)|"
    r"poetry add|cargo add|go get|gem install|composer require)\s+(?P<packages>[^\n&;|]+)"
)
_PINNED = re.compile(r"(?P<name>@?[A-Za-z][\w./-]*?)(?:\[[\w,]+\])?(?:==|@)v?\^?~?(?P<version>\d[\w.+-]*)")

_PYTEST = re.compile(
    r"^(?:(?P<before>FAILED|ERROR|PASSED) (?P<name>[\w./-]+(?:::[\w.\[\]-]+)+)|(?P<name2>[\w./-]+(?:::[\w.\[\]-]+)+) (?P<after>PASSED|FAILED|ERROR))",
    re.MULTILINE,
)
_GO_TEST = re.compile(r"^--- (?P<after>PASS|FAIL): (?P<name2>Test\w+)", re.MULTILINE)
_JEST = re.compile(r"^(?P<before>PASS|FAIL) (?P<name>\S+\.(?:test|spec)\.\w+)", re.MULTILINE)
_CARGO = re.compile(r"^test (?P<name2>[\w:]+) \.\.\. (?P<after>ok|FAILED)$", re.MULTILINE)
_RUNNERS = (("::", _PYTEST), ("--- ", _GO_TEST), (".", _JEST), ("test ", _CARGO))
"""How runners print outcomes, each with what a text must hold for it."""

_OUTCOMES = {
    "FAILED": FAILED,
    "ERROR": FAILED,
    "FAIL": FAILED,
    "PASSED": PASSED,
    "PASS": PASSED,
    "ok": PASSED,
}
_SUMMARY_FAILED = re.compile(r"\b[1-9]\d* (?:failed|failing|errors?)\b|\bFAILED\b|\bFAIL\b")
_SUMMARY_PASSED = re.compile(r"\b[1-9]\d* (?:passed|passing)\b|\btest result: ok\b|\bPASSED\b|^ok\s", re.MULTILINE)


@attrs.frozen
class Reading:
    """A finding with the line it was read in, as a span of the event's text."""

    finding: Finding
    start: int
    end: int


def read_tool_event(event: Event) -> Iterator[Reading]:
    """Yield what a file change, a command or a test's output states by its structure."""
    text = event.text[:MAX_CHARACTERS]
    if event.kind is EventKind.FILE_CHANGE:
        yield from _limited(_changed_settings(event.path, text))
    elif event.kind is EventKind.COMMAND and event.exit_code in {0, None}:
        yield from _packages(text)
    elif event.kind is EventKind.TEST_RESULT:
        yield from _limited(_test_outcomes(text))


def fails(event: Event) -> bool:
    """Return whether *event* is a result that says that what was asked for did not happen."""
    return event.kind is EventKind.ERROR or bool(event.exit_code) or bool(_REFUSED.match(event.text))


def passes(event: Event) -> bool:
    """Return whether *event* is a test run that passed as a whole."""
    if event.kind is not EventKind.TEST_RESULT or event.exit_code not in {0, None}:
        return False
    text = event.text[:MAX_CHARACTERS]
    return bool(_SUMMARY_PASSED.search(text)) and not _SUMMARY_FAILED.search(text)


def read_run(event: Event, run: Run) -> Iterator[Reading]:
    """Yield what *event*, the output of *run*, says of its tests as a whole: nothing unless all passed."""
    for scope, start, end in green_runs(event.text[:MAX_CHARACTERS], run) if passes(event) else ():
        finding = Finding(
            rule="code.green_run",
            type=ClaimType.FACT,
            subject=scope,
            attribute=GREEN,
            value=PASSED,
            confidence=EXACT,
        )
        yield Reading(finding, start, end)


def setting_in(path: str, line: str, section: str = "") -> Finding | None:
    """
    Return the constant or setting that one line of the file at *path* sets to a literal, ``None`` when it sets none.

    Subject is the name in lower case, behind its *section* and a dot when it has one; attribute ``value``; *path* tells
    equal names in several files apart.
    """
    match = _CONSTANT.match(line) if "=" in line else None
    match = match or (_CONFIG.match(line) if _CONFIG_FILE.search(path) else None)
    if match is None or not _LITERAL.fullmatch(match["value"]):
        return None
    return Finding(
        rule="code.setting",
        type=ClaimType.IMPLEMENTATION_DETAIL,
        subject=(f"{section}.{match['name']}" if section else match["name"]).casefold(),
        attribute=VALUE,
        value=normalize_value(match["value"]),
        path=path,
        confidence=EXACT,
    )


def _limited(readings: Iterator[Reading]) -> Iterator[Reading]:
    for number, reading in enumerate(readings):
        if number == MAX_FINDINGS:
            return
        yield reading


def _changed_settings(path: str, text: str) -> Iterator[Reading]:
    """
    Yield the settings of the lines that a change adds, of a text that is no diff those of all lines.

    Tests and examples set nothing; a name set to two values in one change says nothing, and neither does a name of a
    sectioned file without its section.
    """
    if _TEST_PATH.search(path):
        return
    readings: dict[str, Reading] = {}
    unclear: set[str] = set()
    section, needs_section = "", bool(_SECTIONED.search(path))
    for content, start in _added_lines(text):
        if header := _SECTION.match(content) if needs_section else None:
            section = header[1]
        finding = setting_in(path, content, section) if section or not needs_section else None
        if finding is None:
            continue
        known = readings.setdefault(finding.subject, Reading(finding, start, start + len(content)))
        if known.finding.value != finding.value:
            unclear.add(finding.subject)
    yield from (reading for subject, reading in readings.items() if subject not in unclear)


def _added_lines(text: str) -> Iterator[tuple[str, int]]:
    is_diff = bool(_DIFF.search(text))
    has_arrows = any(arrow in text for arrow in _ARROWS)
    for line in _LINE.finditer(text):
        content, start = line[0], line.start()
        if is_diff:
            if not content.startswith("+") or content.startswith("+++"):
                continue
            content, start = content[1:], start + 1
        if has_arrows and (arrow := _ARROW.match(content)):
            content, start = arrow["after"], start + arrow.start("after")
        yield content, start


def _packages(text: str) -> Iterator[Reading]:
    for command in _INSTALL.finditer(text):
        start = command.start("packages")
        for pinned in _PINNED.finditer(command["packages"]):
            yield Reading(_dependency(pinned["name"], pinned["version"]), start + pinned.start(), start + pinned.end())


def _dependency(name: str, version: str) -> Finding:
    return Finding(
        rule="code.dependency",
        type=ClaimType.IMPLEMENTATION_DETAIL,
        subject=name.casefold(),
        attribute="version",
        value=normalize_value(version),
        confidence=EXACT,
    )


def _test_outcomes(text: str) -> Iterator[Reading]:
    for mark, pattern in _RUNNERS:
        for match in pattern.finditer(text) if mark in text else ():
            groups = match.groupdict()
            outcome = groups.get("before") or groups["after"]
            line_end = text.find("\n", match.end())
            yield Reading(
                Finding(
                    rule="code.test",
                    type=ClaimType.FACT,
                    subject=(groups.get("name") or groups["name2"]),
                    attribute=OUTCOME,
                    value=_OUTCOMES[outcome],
                    path=(groups.get("name") or "").split("::")[0],
                    confidence=EXACT,
                ),
                match.start(),
                min(line_end if line_end >= 0 else len(text), match.start() + 300),
            )
