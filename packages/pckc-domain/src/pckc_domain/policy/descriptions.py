"""How bugs, fixes and tasks are described: their words, and the file or name in code that they speak of."""

# ruff: noqa: E501  # the list of file endings reads best on one line

import re

from pckc_domain.model.identity import normalize
from pckc_domain.policy.subjects import normalize_subject

FILE = r"(?:[\w.-]+/)*[\w-]+\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|lua|ex|sql|sh|toml|ya?ml|json|md|html|css|vue|tf|ini|cfg)"
FILE_NAME = re.compile(rf"(?<![\w/.-])({FILE})(?![\w/-])")
EDGES = " \t.!,;:"

_CODE_NAME = re.compile(r"`([^`\s]{2,60})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|\w+\(\))")


_KIND_OF_NAME = re.compile(
    r"(?:tests?|function|method|class|file|module|script|job|endpoint|тест|функция|метод|класс|файл|модуль|скрипт|эндпоинт) "
    r"(?=\S*[_/().]\S*$)"
)


def trouble_subject(text: str) -> str:
    """Return *text* as the subject of a bug or fix: `the test test_refund` is `test_refund`; ``""`` when it names none."""
    return _KIND_OF_NAME.sub("", normalize_subject(text))


def described(text: str) -> str:
    """Return a description as a comparable value."""
    return normalize(text).strip(EDGES)


def continued(text: str, more: str) -> str:
    """Return *text* and what was said *more* as sentences that follow each other."""
    border = " " if not text or text[-1] in ".!?…" else ". "
    return f"{text}{border}{more}".strip()


def file_in(text: str) -> str:
    """Return the first file named in *text*, ``""`` when it names none."""
    match = FILE_NAME.search(text)
    return match[1] if match else ""


def code_name_in(text: str) -> str:
    """Return the first name in code that stands in *text*, as a subject; ``""`` when it holds none."""
    match = _CODE_NAME.search(text)
    return normalize_subject(match[1] or match[2]) if match else ""
