"""Command lines that run tests, and whether their exit code is that of the tests."""

import re
from collections.abc import Iterator, Mapping

_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_REDIRECTION = re.compile(r"\d?>&\d|&>>?|<&\d")
_SEPARATOR = re.compile(r"(&&|\|\||[;|&\n()])")
_ASSIGNMENT = re.compile(r"\w+=")

_RUNNERS = frozenset(
    "pytest py.test unittest nose2 tox nox jest vitest mocha rspec phpunit ctest behave pest gotestsum trial".split()
)
_WRAPPERS = frozenset("sudo time env nice exec npx bunx xvfb-run".split())
_TWO_WORD_WRAPPERS = frozenset(
    f"{tool} {verb}"
    for verb, tools in {"run": "uv poetry pdm hatch pipenv rye coverage", "exec": "bundle pnpm yarn npm"}.items()
    for tool in tools.split()
)
_PYTHON = re.compile(r"py(?:thon[\d.]*)?$")
_TEST = re.compile(r"(?:test|nextest)$")
_SCRIPT = re.compile(r"(?:test|t)(?:[:_-]\S*)?$")
_TARGET = re.compile(r"(?:test|tests|check|verify)(?:[:_-]\S*)?$|\S*:test$")
# Tools with many commands: how the one that tests is spelled.
_TOOLS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys("go cargo dotnet swift mix bazel deno rake sbt flutter dart meson".split(), _TEST),
    **dict.fromkeys("stack cabal lein playwright rails zig".split(), _TEST),
    **dict.fromkeys("npm pnpm yarn bun".split(), _SCRIPT),
    **dict.fromkeys("make gmake just task mvn mvnw gradle gradlew ninja".split(), _TARGET),
}
_OTHER_WORK = frozenset("install i ci add remove publish init create".split())
_NOT_A_RUN = frozenset("--version --help -h --collect-only --co --list --listTests".split())


def is_test(command: str) -> bool:
    """Say whether *command* runs tests."""
    return any(_runs_tests(words) for words, _ in _simple_commands(command))


def has_own_status(command: str) -> bool:
    """Say whether the exit code of *command* tells how its tests ended: nothing but ``&&`` may follow them."""
    is_after_tests = False
    for words, separator in _simple_commands(command):
        if is_after_tests and words:
            return False
        if _runs_tests(words) or is_after_tests:
            is_after_tests = separator != "&&"
        if is_after_tests and separator == "&":
            return False
    return True


def _simple_commands(command: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each simple command, quoted ones left blank, and what stands between it and the next."""
    pieces = _SEPARATOR.split(_REDIRECTION.sub(" ", _QUOTED.sub("_", command)))
    for at in range(0, len(pieces), 2):
        yield pieces[at].split(), pieces[at + 1] if at + 1 < len(pieces) else ""


def _runs_tests(words: list[str]) -> bool:
    words = _unwrapped(words)
    if not words or not _NOT_A_RUN.isdisjoint(words):
        return False
    name = words[0].rsplit("/", 1)[-1]
    if name in _RUNNERS:
        return True
    spelling = _TOOLS.get(name)
    if spelling is None:
        return False
    rest = [word for word in words[1:] if not word.startswith(("-", "+"))]
    if spelling is _TEST:
        return bool(rest) and bool(_TEST.match(rest[0]) or rest[:2] == ["build", "test"])
    return rest[:1] != [] and rest[0] not in _OTHER_WORK and any(spelling.match(word) for word in rest)


def _unwrapped(words: list[str]) -> list[str]:
    """Return *words* from the program that does the work on."""
    while words:
        name = words[0].rsplit("/", 1)[-1]
        is_pair = f"{name} {''.join(words[1:2])}" in _TWO_WORD_WRAPPERS
        is_module = _PYTHON.match(name) and words[1:2] == ["-m"]
        if is_pair or is_module or name == "timeout":
            words = words[2:]
        elif name in _WRAPPERS or name.startswith("-") or _ASSIGNMENT.match(words[0]):
            words = words[1:]
        else:
            break
    return words
