"""Versions of dependencies and platforms in the files that people write; lock files are not read."""

# patterns read best on one line

import re
from collections.abc import Callable, Iterator

from pckc_domain.model.fact import StatedFact
from pckc_domain.policy.facts.naming import versioned

_SPECIFIER = r"(?:===?|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+(?:\s*,\s*(?:===?|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+)*"
_REQUIREMENT = re.compile(rf"(?P<name>[A-Za-z][\w.-]*)\s*(?:\[[\w\s,.-]*\])?\s*\(?(?P<version>{_SPECIFIER})")
_QUOTED_REQUIREMENT = re.compile(
    rf"[\"'](?P<name>[A-Za-z][\w.-]*)\s*(?:\[[\w\s,.-]*\])?\s*\(?(?P<version>{_SPECIFIER})[^\"']*[\"']"
)
_SECTION = re.compile(r"\s*\[\s*([^\]\[]+?)\s*\]\s*(?:#.*)?$")
_TABLE_ENTRY = re.compile(
    r"\s*[\"']?(?P<name>[A-Za-z][\w.-]*)[\"']?\s*=\s*(?:\{[^}\n]*?\bversion\s*=\s*)?[\"'](?P<version>[^\"'\n]+)[\"']"
)
_LIST_START = re.compile(r"\s*(?P<key>[\w.-]+)\s*=\s*\[")
_REQUIRES_PYTHON = re.compile(r"\s*requires-python\s*=\s*[\"'](?P<version>[^\"']+)[\"']")
_JSON_OPEN = re.compile(r"\s*\"(?P<key>[\w-]+)\"\s*:\s*\{\s*$")
_JSON_ENTRY = re.compile(r"\s*\"(?P<name>@?[\w./-]+)\"\s*:\s*\"(?P<version>[\^~<>=v]*\d[^\":/]*)\"")
_NPM_SECTIONS = frozenset("dependencies devDependencies peerDependencies optionalDependencies engines".split())
_COMPOSER_SECTIONS = frozenset(("require", "require-dev"))
_GO_REQUIRE = re.compile(
    r"(?:require\s+|\t)(?P<name>[\w.-]+(?:/[\w.~-]+)+)\s+v(?P<version>\d[\w.+-]*)(?!.*//\s*indirect)"
)
_GO_VERSION = re.compile(r"go\s+(?P<version>\d+(?:\.\d+)+)\s*$")
_CARGO_TABLES = re.compile(r"(?:target\..+\.|workspace\.)?(?:dev-|build-)?dependencies$")
_CARGO_ONE = re.compile(r"(?:dev-|build-)?dependencies\.(?P<name>[\w-]+)$")
_POETRY_TABLES = re.compile(r"tool\.poetry\.(?:group\.[\w-]+\.|dev-)?dependencies$")
_VERSION_LINE = re.compile(r"\s*version\s*=\s*[\"'](?P<version>[^\"']+)[\"']")
_MAVEN = re.compile(
    r"<artifactId>\s*(?P<name>[\w.-]+)\s*</artifactId>\s*<version>\s*(?P<version>\d[\w.-]*)\s*</version>"
)
_MAVEN_PARENT = re.compile(r"<dependenc(?:y|ies)>|<parent>|<plugin>")
_GRADLE = re.compile(r"[\"'](?P<group>[\w.-]+):(?P<name>[\w.-]+):(?P<version>\d[\w.+-]*)[\"']")
_GEM = re.compile(r"\s*gem\s+[\"'](?P<name>[\w-]+)[\"']\s*,\s*[\"'](?P<version>[~<>=]*\s*\d[\w.]*)[\"']")


def _requirements(text: str) -> Iterator[StatedFact]:
    for number, line in enumerate(text.split("\n"), 1):
        if match := _REQUIREMENT.match(line):
            yield from _found(match["name"], match["version"], line, number)


def _pyproject(text: str) -> Iterator[StatedFact]:
    section, is_list = "", False
    for number, line in enumerate(text.split("\n"), 1):
        if not is_list and (header := _SECTION.match(line)):
            section = header[1]
        elif match := _REQUIRES_PYTHON.match(line):
            yield from _found("python", match["version"], line, number)
        elif _POETRY_TABLES.match(section) and (match := _TABLE_ENTRY.match(line)):
            yield from _found(match["name"], match["version"], line, number)
        elif is_list or _names_dependencies(section, line):
            is_list = _stays_open(line, is_list=is_list)
            for match in _QUOTED_REQUIREMENT.finditer(line):
                yield from _found(match["name"], match["version"], line, number)


def _names_dependencies(section: str, line: str) -> bool:
    start = _LIST_START.match(line)
    if start is None:
        return False
    return start["key"] == "dependencies" or section in ("project.optional-dependencies", "dependency-groups")


def _stays_open(line: str, *, is_list: bool) -> bool:
    bare = re.sub(r"\"[^\"]*\"|'[^']*'|#.*$", "", line)
    return (is_list or "[" in bare) and bare.count("]") < bare.count("[") + is_list


def _cargo(text: str) -> Iterator[StatedFact]:
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _SECTION.match(line):
            section = header[1]
        elif _CARGO_TABLES.fullmatch(section) and (match := _TABLE_ENTRY.match(line)):
            yield from _found(match["name"], _caret(match["version"]), line, number)
        elif (one := _CARGO_ONE.fullmatch(section)) and (match := _VERSION_LINE.match(line)):
            yield from _found(one["name"], _caret(match["version"]), line, number)
        elif section == "package" and (match := re.match(r"\s*rust-version\s*=\s*\"([^\"]+)\"", line)):
            yield from _found("rust", f">={match[1]}", line, number)


def _caret(version: str) -> str:
    """A bare version in Cargo is a range: ``1.2`` is ``^1.2``."""
    return f"^{version}" if version[:1].isdigit() else version


def _json_sections(text: str, sections: frozenset[str]) -> Iterator[StatedFact]:
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if opened := _JSON_OPEN.match(line):
            section = opened["key"]
        elif "}" in line:
            section = ""
        elif section in sections and (match := _JSON_ENTRY.match(line)):
            yield from _found(match["name"], match["version"], line, number)


def _package_json(text: str) -> Iterator[StatedFact]:
    return _json_sections(text, _NPM_SECTIONS)


def _composer(text: str) -> Iterator[StatedFact]:
    return _json_sections(text, _COMPOSER_SECTIONS)


def _go_mod(text: str) -> Iterator[StatedFact]:
    for number, line in enumerate(text.split("\n"), 1):
        if match := _GO_VERSION.match(line):
            yield from _found("go", f">={match['version']}", line, number)
        elif match := _GO_REQUIRE.match(line):
            yield from _found(match["name"], match["version"], line, number)


def _pom(text: str) -> Iterator[StatedFact]:
    for match in _MAVEN.finditer(text):
        before = text[max(0, match.start() - 300) : match.start()]
        if _MAVEN_PARENT.search(before):
            number = text.count("\n", 0, match.start("version")) + 1
            line = text.split("\n", number)[number - 1]
            yield from _found(match["name"], match["version"], line, number)


def _gradle(text: str) -> Iterator[StatedFact]:
    for number, line in enumerate(text.split("\n"), 1):
        for match in _GRADLE.finditer(line):
            yield from _found(match["name"], match["version"], line, number)


def _gemfile(text: str) -> Iterator[StatedFact]:
    for number, line in enumerate(text.split("\n"), 1):
        if match := _GEM.match(line):
            yield from _found(match["name"], match["version"], line, number)


def _found(name: str, version: str, line: str, number: int) -> Iterator[StatedFact]:
    if fact := versioned(name, version, text=f"{name} {version}", line=number, excerpt=line):
        yield fact


_READERS: tuple[tuple[re.Pattern[str], Callable[[str], Iterator[StatedFact]]], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (
            r"(?:^|/)(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$|(?:^|/)requirements/[\w.-]+\.(?:txt|in)$",
            _requirements,
        ),
        (r"(?:^|/)pyproject\.toml$", _pyproject),
        (r"(?:^|/)Cargo\.toml$", _cargo),
        (r"(?:^|/)package\.json$", _package_json),
        (r"(?:^|/)composer\.json$", _composer),
        (r"(?:^|/)go\.mod$", _go_mod),
        (r"(?:^|/)pom\.xml$", _pom),
        (r"\.gradle(?:\.kts)?$", _gradle),
        (r"(?:^|/)Gemfile$", _gemfile),
    )
)


def dependencies(path: str, text: str) -> Iterator[StatedFact]:
    """Yield the versions that the dependency file at *path* asks for; nothing when it is none."""
    for pattern, reader in _READERS:
        if pattern.search(path):
            yield from reader(text)
