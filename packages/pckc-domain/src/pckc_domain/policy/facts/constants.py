"""Constants of programs: names in capitals, and exported ones, that a module sets to a literal."""

# ruff: noqa: E501  # patterns read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.fact import StatedFact
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.facts.literals import literal
from pckc_domain.policy.facts.naming import named

_UPPER = r"(?P<name>[A-Z][A-Z0-9_]{2,60})"
_VALUE = r"(?P<value>[^=\s>][^\n]{0,140})"
_TYPE = r"(?:\s*:\s*[\w<>\[\]&' .,|?]{1,60}?)?"
_PLAIN = rf"^{_UPPER}{_TYPE}\s*:?=\s*{_VALUE}$"
_MODIFIER = r"(?:(?:export|default|declare|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|const|constexpr|inline|readonly|val|let|var|local|companion|open|override)\s+)"
_MODIFIED = rf"^[ \t]{{0,8}}{_MODIFIER}+(?:[\w<>\[\]:.?]+\s+){{0,2}}{_UPPER}{_TYPE}(?:\[\])?\s*=\s*{_VALUE}$"
_BY_LANGUAGE = {
    "python": (_PLAIN,),
    "ruby": (_PLAIN, rf"^  {_UPPER}\s*=\s*{_VALUE}$"),
    "shell": (rf"^(?:(?:export|readonly|declare(?: -\w+)?)\s+)*{_UPPER}=(?P<value>[^\s$`][^\n]{{0,140}})$",),
    "javascript": (
        rf"^(?:export\s+)?(?:const|let|var)\s+{_UPPER}{_TYPE}\s*=\s*{_VALUE}$",
        rf"^export\s+const\s+(?P<name>[a-z]\w{{2,60}}){_TYPE}\s*=\s*{_VALUE}$",
    ),
    "go": (
        rf"^(?:const|var)\s+(?P<name>[A-Za-z]\w{{2,60}})(?:\s+[\w.\[\]]+)?\s*=\s*{_VALUE}$",
        rf"^\t(?P<name>[A-Z]\w{{2,60}}|[a-z]\w{{2,60}})(?:[ \t]+[\w.\[\]]+)?[ \t]*=[ \t]*{_VALUE}$",
    ),
    "rust": (rf"^[ \t]{{0,4}}(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+{_UPPER}\s*:\s*[^=\n]{{1,60}}=\s*{_VALUE}$",),
    "c": (rf"^#[ \t]*define[ \t]+{_UPPER}[ \t]+(?P<value>[^\n]{{1,140}})$", _MODIFIED),
    "csharp": (rf"^[ \t]{{0,8}}{_MODIFIER}*const\s+[\w.?]+\s+(?P<name>[A-Z]\w{{2,60}})\s*=\s*{_VALUE}$", _MODIFIED),
    "kotlin": (
        rf"^[ \t]{{0,8}}{_MODIFIER}*const\s+val\s+(?P<name>[A-Za-z]\w{{2,60}}){_TYPE}\s*=\s*{_VALUE}$",
        _MODIFIED,
    ),
    "elixir": (rf"^  @(?P<name>[a-z]\w{{2,60}})\s+{_VALUE}$",),
    "zig": (rf"^(?:pub\s+)?const\s+(?P<name>[a-z]\w{{2,60}}){_TYPE}\s*=\s*{_VALUE}$", _MODIFIED),
    "php": (_MODIFIED, rf"^define\(['\"]{_UPPER}['\"],\s*(?P<value>[^\n]{{1,140}}?)\);?$"),
    "swift": (
        rf"^[ \t]{{0,8}}(?:(?:public|internal|private|static)\s+)*let\s+(?P<name>[A-Za-z]\w{{2,60}}){_TYPE}\s*=\s*{_VALUE}$",
    ),
}
_SAME = {
    "typescript": "javascript",
    "tsx": "javascript",
    "vue": "javascript",
    "svelte": "javascript",
    "cpp": "c",
}
_OTHERS = (_PLAIN, _MODIFIED)
_READ = frozenset("java scala groovy lua julia perl r dart haskell ocaml nim make fsharp".split()).union(
    _BY_LANGUAGE, _SAME
)
_PATTERNS = {
    language: tuple(
        re.compile(pattern, re.MULTILINE) for pattern in _BY_LANGUAGE.get(_SAME.get(language, language), _OTHERS)
    )
    for language in _READ
}
_ELIXIR_DOCS = frozenset({"doc", "moduledoc", "spec", "type", "impl"})


def constants(text: str, language: str) -> Iterator[StatedFact]:
    """Yield the constants that a program sets to literals, by line; a name set twice is no constant."""
    found = [
        (match, value)
        for pattern in _PATTERNS.get(language, ())
        for match in pattern.finditer(text)
        if (value := literal(match["value"], match["name"]))
    ]
    if not found:
        return
    source = SourceText(text)
    masked = mask(source, language).logical
    in_const = _const_blocks(text) if language == "go" else None
    starts: set[int] = set()
    for match, value in sorted(found, key=lambda item: item[0].start()):
        start, name = match.start("name"), match["name"]
        is_blanked = masked[start + 1 : start + 1 + len(name)] != name and not _is_quoted_name(match)
        if start in starts or is_blanked or (language == "elixir" and name in _ELIXIR_DOCS):
            continue
        if in_const is not None and match[0].startswith("\t") and not any(a < start < b for a, b in in_const):
            continue
        starts.add(start)
        number = source.line_at(match.start("name"))
        excerpt = source.line(number)
        if fact := named(name, value, text=excerpt.strip(), line=number, excerpt=excerpt):
            yield fact


def _is_quoted_name(match: re.Match[str]) -> bool:
    return match[0].startswith("define(")


def _const_blocks(text: str) -> list[tuple[int, int]]:
    """Return where Go's ``const ( … )`` and ``var ( … )`` blocks stand."""
    return [match.span() for match in re.finditer(r"^(?:const|var) \([^)]*\)", text, re.MULTILINE)]
