"""
The symbols of languages that no reader knows: what begins like a function or a type, by a few patterns, without calls.

Where the code outline knows the language it tells the definitions; in others a definition ends before the next one that
is no deeper.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from pckc_domain.model.code_facts import Rationale
from pckc_domain.model.declared_facts import Declaration, DeclaredFacts
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.cutting.code_outline import outline
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.source_text import SourceText

_OUTLINED = frozenset(("dart", "groovy", "proto", "graphql"))
"""Languages of which the code outline knows the definitions, and no grammar is at hand."""

_KINDS = {
    "function": NodeKind.FUNCTION,
    "method": NodeKind.METHOD,
    "macro": NodeKind.FUNCTION,
    "plain": NodeKind.FUNCTION,
    "rpc": NodeKind.FUNCTION,
    "class": NodeKind.CLASS,
    "record": NodeKind.CLASS,
    "object": NodeKind.CLASS,
    "mixin": NodeKind.TRAIT,
    "trait": NodeKind.TRAIT,
    "struct": NodeKind.STRUCT,
    "message": NodeKind.STRUCT,
    "input": NodeKind.STRUCT,
    "union": NodeKind.STRUCT,
    "table": NodeKind.STRUCT,
    "view": NodeKind.STRUCT,
    "interface": NodeKind.INTERFACE,
    "protocol": NodeKind.INTERFACE,
    "service": NodeKind.INTERFACE,
    "enum": NodeKind.ENUM,
    "module": NodeKind.NAMESPACE,
    "namespace": NodeKind.NAMESPACE,
    "package": NodeKind.NAMESPACE,
    "type": NodeKind.TYPE_ALIAS,
    "constant": NodeKind.CONSTANT,
}
_HOLDERS = frozenset((NodeKind.CLASS, NodeKind.TRAIT, NodeKind.STRUCT, NodeKind.INTERFACE, NodeKind.ENUM))

_ANY_CASE = re.MULTILINE | re.IGNORECASE
_HEADS: dict[str, re.Pattern[str]] = {
    "shell": re.compile(
        r"^[ \t]*(?:function[ \t]+(?P<function>[\w:.-]+)|(?P<plain>[\w:.-]+)[ \t]*\([ \t]*\)[ \t]*(?=[{(\n]))", re.MULTILINE
    ),
    "perl": re.compile(r"^[ \t]*(?:sub[ \t]+(?P<function>[\w:]+)|package[ \t]+(?P<package>[\w:]+))", re.MULTILINE),
    "r": re.compile(r"^[ \t]*(?P<function>[\w.]+)[ \t]*(?:<-|=)[ \t]*function\b", re.MULTILINE),
    "sql": re.compile(
        r"^[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:temp(?:orary)?[ \t]+|unique[ \t]+|materialized[ \t]+)*"
        r"(?:(?:function|procedure|trigger)[ \t]+(?P<function>[\w.\"`\[\]]+)"
        r"|table[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?(?P<table>[\w.\"`\[\]]+)"
        r"|view[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?(?P<view>[\w.\"`\[\]]+)|type[ \t]+(?P<type>[\w.\"]+))",
        _ANY_CASE,
    ),
    "powershell": re.compile(r"^[ \t]*(?:(?:function|filter)[ \t]+(?P<function>[\w:-]+)|class[ \t]+(?P<class>\w+))", _ANY_CASE),
    "haskell": re.compile(
        r"^(?:(?P<function>[a-z_][\w']*)[ \t]*::|(?:data|newtype)[ \t]+(?P<struct>[A-Z]\w*)|type[ \t]+(?P<type>[A-Z]\w*)"
        r"|class[ \t]+(?:[^\n=]*=>[ \t]*)?(?P<trait>[A-Z]\w*)|module[ \t]+(?P<module>[\w.]+))",
        re.MULTILINE,
    ),
    "ocaml": re.compile(
        r"^[ \t]*(?:let[ \t]+(?:rec[ \t]+)?(?P<function>[a-z_][\w']*)[ \t]+[^=\n]*\w[^=\n]*=|type[ \t]+(?:'\w+[ \t]+)?(?P<type>\w+)"
        r"|module[ \t]+(?:type[ \t]+)?(?P<module>[A-Z]\w*))",
        re.MULTILINE,
    ),
    "erlang": re.compile(r"^(?:(?P<function>[a-z]\w*)\([^\n]*\)[^\n]*->|-record\((?P<struct>\w+)|-module\((?P<module>\w+))", re.MULTILINE),
    "clojure": re.compile(
        r"^\((?:defn-?[ \t]+(?:\^\S+[ \t]+)*(?P<function>[^\s()\[\]]+)|defmacro[ \t]+(?P<macro>[^\s()\[\]]+)"
        r"|defrecord[ \t]+(?P<record>\w+)|defprotocol[ \t]+(?P<protocol>\w+)|ns[ \t]+(?P<namespace>[\w.-]+))",
        re.MULTILINE,
    ),
    "fsharp": re.compile(
        r"^[ \t]*(?:let[ \t]+(?:rec[ \t]+|inline[ \t]+)*(?P<function>[a-z_][\w']*)[ \t]+[^=\n]*\w[^=\n]*="
        r"|type[ \t]+(?P<class>\w+)|module[ \t]+(?P<module>[\w.]+))",
        re.MULTILINE,
    ),
    "nim": re.compile(r"^[ \t]*(?:(?:proc|func|method|iterator|template|macro)[ \t]+(?P<function>`?[\w=+*/<>-]+`?)|type[ \t]+(?P<type>\w+))", re.MULTILINE),
    "scheme": re.compile(r"^[ \t]*\(define[ \t]+\(?(?P<function>[^\s()]+)", re.MULTILINE),
    "cmake": re.compile(r"^[ \t]*(?:function|macro)[ \t]*\([ \t]*(?P<function>\w+)", _ANY_CASE),
    "make": re.compile(r"^(?P<function>[\w./%-]+)(?:[ \t]+[\w./%-]+)*[ \t]*::?(?!=)", re.MULTILINE),
    "nix": re.compile(r"^[ \t]*(?P<function>[\w'-]+)[ \t]*=[ \t]*(?:\{[^{}\n]*\}|\w+)[ \t]*:", re.MULTILINE),
}  # fmt: skip
# The patterns read better on one line.
# ruff: noqa: E501

FALLBACK_LANGUAGES = _OUTLINED | _HEADS.keys()
"""The languages whose symbols are read so."""

_MARKED = re.compile(
    r"^[ \t]*(?:#+|//+|--+|;+|%+|/?\*+|\(\*)[ \t]*(WHY|NOTE|IMPORTANT|TODO|FIXME|HACK)\b[:(]?[ \t]*([^\n]*)",
    re.MULTILINE,
)
_COMMENT = re.compile(r"^[ \t]*(?:#+(?!!)|//+|--+|;+|%+|/?\*+|\(\*)[ \t]*(.*?)[ \t]*(?:\*/|\*\))?$")
_LONGEST_SIGNATURE = 300


class _Head(NamedTuple):
    kind: NodeKind
    name: str
    first: int
    last: int
    depth: int


def fallback_facts(path: str, text: str, *, language: str) -> DeclaredFacts:
    """Return the symbols of a file, and its comments that say why; of an unknown language only the module."""
    source = SourceText(text)
    offsets = list(accumulate((len(line.encode("utf-8", "replace")) + 1 for line in text.split("\n")), initial=0))
    declarations = [_declaration(source, offsets, -1, _module(path, source))]
    around: list[tuple[int, _Head]] = []
    for head in _heads(source, language):
        while around and (head.depth <= around[-1][1].depth or head.first > around[-1][1].last):
            around.pop()
        parent = around[-1][0] if around else 0
        is_member = head.kind is NodeKind.FUNCTION and declarations[parent].kind in _HOLDERS
        head = head._replace(kind=NodeKind.METHOD) if is_member else head
        around.append((len(declarations), head))
        declarations.append(_declaration(source, offsets, parent, head))
    return DeclaredFacts(
        path=path,
        language=language,
        namespace="",
        declarations=tuple(declarations),
        rationale=tuple(_rationale(source, declarations)),
    )


def _module(path: str, source: SourceText) -> _Head:
    return _Head(NodeKind.MODULE, path.rpartition("/")[2].partition(".")[0], 1, source.line_count, -1)


def _heads(source: SourceText, language: str) -> Iterator[_Head]:
    if language in _OUTLINED:
        for one in outline(mask(source, language), language):
            if one.name and one.kind in _KINDS:
                yield _Head(_KINDS[one.kind], one.name, one.start, one.end, len(one.scope))
    elif (pattern := _HEADS.get(language)) is not None:
        yield from _matched(source, pattern)


def _matched(source: SourceText, pattern: re.Pattern[str]) -> Iterator[_Head]:
    """Yield what *pattern* matches; each ends before the next one that is indented no more."""
    found: list[tuple[str, str, int, int]] = []
    for match in pattern.finditer(source.text):
        kind, name = next((key, value) for key, value in match.groupdict().items() if value)
        line = source.text[match.start() : match.end()]
        found.append((kind, name.strip('"`[]'), source.line_at(match.start()), len(line) - len(line.lstrip(" \t"))))
    for index, (kind, name, first, depth) in enumerate(found):
        if index and found[index - 1][:2] == (kind, name):  # a clause more of the same function
            continue
        later = (
            row for other, again, row, level in found[index + 1 :] if level <= depth and (other, again) != (kind, name)
        )
        last = next(later, source.line_count + 1) - 1
        trimmed = source.trim(first, last)
        yield _Head(_KINDS[kind], name, first, trimmed[1] if trimmed else first, depth)


def _declaration(source: SourceText, offsets: Sequence[int], parent: int, head: _Head) -> Declaration:
    is_module = parent < 0
    return Declaration(
        parent=parent,
        kind=head.kind,
        name=head.name,
        start_line=head.first,
        end_line=head.last,
        start_byte=offsets[head.first - 1],
        end_byte=offsets[head.last] - 1,
        signature="" if is_module else " ".join(source.line(head.first).split())[:_LONGEST_SIGNATURE].rstrip(" {"),
        doc="" if is_module else _doc_above(source, head.first),
    )


def _doc_above(source: SourceText, line: int) -> str:
    """Return the first line of the comment right above *line*."""
    found = ""
    while line > 1 and (match := _COMMENT.match(source.line(line - 1))):
        found = match[1] or found
        line -= 1
    return found


def _rationale(source: SourceText, declarations: Sequence[Declaration]) -> Iterator[Rationale]:
    for match in _MARKED.finditer(source.text):
        line = source.line_at(match.start(1))
        below = next((row for row in range(line + 1, source.line_count + 1) if not _COMMENT.match(source.line(row))), 0)
        owner = next((index for index, one in enumerate(declarations) if index and one.start_line == below), None)
        if owner is None:
            around = [index for index, one in enumerate(declarations) if one.start_line <= line <= one.end_line]
            owner = max(around, key=lambda index: declarations[index].start_line, default=0)
        yield Rationale(match[1], match[2].strip(), line, owner)
