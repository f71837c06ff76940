"""
Macros of C and C++, which the grammars cannot know: where they hide what is declared, they are blanked to equal length.

``class EXPORT Name {`` is blanked at once; the rest only in a file that has errors, and only when fewer are left then.
"""

import re
from collections.abc import Iterator

from pckc_domain.model.declared_facts import Call, Name, Place
from tree_sitter import Language, Node

from pckc_adapters_treesitter.parsing import parse
from pckc_adapters_treesitter.readers.source import Source

_ARGUMENTS = rb"(?:[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\)){0,800}\))?"
_MACRO = rb"(?:[A-Z_][A-Z0-9_]*[A-Z][A-Z0-9_]*|__\w+|\w+_(?:EXPORT|API|export|api))"
_HEAD = re.compile(
    rb"\b(?:class|struct|union|enum(?:\s+class)?)\s+((?:" + _MACRO + _ARGUMENTS + rb"\s+)+)"
    rb"(?=[A-Za-z_][\w:]*(?:<[^<>;{}]*>)?\s*(?:final\s*)?(?:\{|:[^:]))"
)

_KEPT = re.compile(
    rb"__(?:attribute(?:__)?|declspec|extension__|asm(?:__)?|volatile__|inline(?:__)?|restrict|const|signed__|typeof__"
    rb"|cdecl|stdcall|fastcall|thiscall|vectorcall|based|unaligned|alignof|func__|FILE__|LINE__|int\d+|builtin_\w+)$"
    rb"|(?:NULL|TRUE|FALSE|EOF|FILE|DIR|BOOL)$"
)

_TOKENS = re.compile(
    rb"(?P<other>//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'|^[ \t]*#(?:[^\n\\]|\\.)*)"
    rb"|\b(?P<macro>" + _MACRO + rb")(?P<arguments>" + _ARGUMENTS + rb")(?!\w)",
    re.DOTALL | re.MULTILINE,
)
_LINE_AFTER = re.compile(rb"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?\r?(?:\n|\Z)")
_DECLARES = re.compile(
    rb"\s+(?:(?:struct|class|enum|union)\s+)?(?:(?:[\w:]+(?:<[^<>;{}()]*>)?)[ \t\r\n*&]+)+[\w:~]+\s*[(;={,\[]"
)
_NAMES = re.compile(rb"\s*[*&]*\s*[A-Za-z_~][\w:]*\s*\(")
_POINTS = re.compile(rb"\s*\*?\s*\w+\s*\)\s*\(")
_ENUMERATOR_ENDS = re.compile(rb"\s*[=,}]")
_ENDS = re.compile(rb"\s*(?:[{}:;]|const\b|override\b|noexcept\b|final\b|=\s*0|" + _MACRO + rb"\b)")
_TYPE_BEFORE = re.compile(rb"(?:[>*&]|(?<!\w)(?!(?:static|inline|extern|virtual|explicit|friend|constexpr)\b)\w+)\s*\Z")
_NO_TYPE = re.compile(rb"(?:return|else|case|goto|throw|new|delete|typedef|sizeof|do)\s*\Z")
_STATEMENT_BEFORE = re.compile(rb"(?:[;{}]|\A|\*/|(?<!:):|^[ \t]*(?:#|//)[^\n]*\n)\s*\Z", re.MULTILINE)
_LINKAGE = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)__cplusplus[^\n]*\n"
    rb"(\s*(?:extern[ \t]+\"C\"[ \t\r\n]*\{|\})[ \t]*(?:/\*[^\n]*\*/|//[^\n]*)?)\s*^[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
_IDENTITY = re.compile(rb"^([ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P=name)[ \t]*)$", re.MULTILINE)
_SLOTS = re.compile(
    rb"\b(?:public|protected|private)[ \t]+(Q_SLOTS|slots)[ \t]*:|^[ \t]*(Q_SIGNALS|signals)[ \t]*:", re.MULTILINE
)
_ASSERTION = re.compile(rb"^[ \t]*(\w*STATIC_ASSERT\w*" + _ARGUMENTS + rb"[ \t]*;)", re.MULTILINE)
_LONE_NAME = re.compile(
    rb"(?<=[;{}\n])([ \t]*[A-Za-z]\w*_[A-Z]\w*)[ \t]*\r?\n(?=\s*(?:[A-Za-z_]\w*[ \t]+[\w*]|\}|/[/*]|#))"
)

_WHOLE = (_LINKAGE, _IDENTITY, _ASSERTION, _SLOTS, _LONE_NAME)
"""What is blanked wherever it stands: the last group that matched."""

_CPP_ONLY = re.compile(
    rb"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:)",
    re.MULTILINE,
)

_CLEAR_LEAD = 20
"""What part of a text one grammar must understand more of to be the right one."""

_NO_BREAK = re.compile(rb"[^\r\n]")
_BEFORE = 80
"""Bytes that are looked at before a macro."""

_CALL_IN_MACRO = re.compile(r"(?<![\w.>#])([A-Za-z_]\w*)[ \t]*\(")
_NO_CALL = frozenset(
    "if for while switch return sizeof defined do else typeof __typeof__ alignof __attribute__".split()
)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)+'")


def without_macros(source: Source) -> Source:
    """Return *source* with its best tree: as it is, with macros blanked, or as C++ where it was C."""
    best = source
    heads = _blank(source.bytes, [match.span(1) for match in _HEAD.finditer(source.bytes)])
    if heads != source.bytes:
        best = _better(source, heads, source.grammar, always=True)
    if best.root.has_error:
        best = _better(best, _without_hiding(heads), source.grammar, ties=True)
    return best


def as_cpp(source: Source, grammar: Language) -> Source | None:
    """Return a C header as C++, when it has lines of that, and C, which takes much of it for its own, no clear lead."""
    if not source.path.endswith(".h") or not _CPP_ONLY.search(source.bytes):
        return None
    tree = parse(grammar, source.bytes)
    if tree is None:
        return None
    found = without_macros(Source(source.path, source.bytes, tree.root_node, grammar))
    return found if _lost(found.root) <= _lost(source.root) + len(source.bytes) // _CLEAR_LEAD else None


def _better(source: Source, text: bytes, grammar: Language, *, always: bool = False, ties: bool = False) -> Source:
    tree = parse(grammar, text)
    if tree is None or (not always and _lost(tree.root_node) >= _lost(source.root) + ties):
        return source
    return Source(source.path, source.bytes, tree.root_node, grammar)


def _lost(root: Node) -> int:
    """Return how many bytes of the text the grammar made nothing of, and how many signs it put in."""
    if not root.has_error:
        return 0
    lost, stack = 0, [root]
    while stack:
        node = stack.pop()
        if node.is_error:
            lost += 1 + node.end_byte - node.start_byte
        elif node.is_missing:
            lost += 1
        elif node.has_error:
            stack += node.children
    return lost


def _blank(text: bytes, spans: list[tuple[int, int]]) -> bytes:
    if not spans:
        return text
    blanked = bytearray(text)
    for start, end in spans:
        blanked[start:end] = _NO_BREAK.sub(b" ", text[start:end])
    return bytes(blanked)


def _without_hiding(text: bytes) -> bytes:
    """Blank macros that stand where a declaration has no place for them."""
    spans = [match.span(match.lastindex or 0) for kind in _WHOLE for match in kind.finditer(text)]
    blanked = bytearray(_blank(text, spans))
    for match in _TOKENS.finditer(bytes(blanked)):
        if match["macro"] is not None and not _KEPT.match(match["macro"]):
            start, end = match.span()
            if _hides(match, bytes(blanked[max(0, start - _BEFORE) : start]), text):
                blanked[start:end] = _NO_BREAK.sub(b" ", text[start:end])
    return bytes(blanked)


def _hides(match: re.Match[bytes], before: bytes, text: bytes) -> bool:
    end = match.end()
    if not before.strip() or _STATEMENT_BEFORE.search(before):
        if _LINE_AFTER.match(text, end):
            return True
    elif before.rstrip().endswith(b")"):  # behind the parameters
        return bool(_ENDS.match(text, end))
    elif match["arguments"].strip().startswith(b'("') and _ENUMERATOR_ENDS.match(text, end):
        return True
    elif before.rstrip().endswith(b"("):  # in a pointer to a function
        return not match["arguments"] and bool(_POINTS.match(text, end))
    if _NO_TYPE.search(before):
        return False
    names = not match["arguments"] and _TYPE_BEFORE.search(before) and _NAMES.match(text, end)
    return bool(names or _DECLARES.match(text, end))


def called_by_macro(text: str, parameters: frozenset[str], place: Place) -> Iterator[Call]:
    """Yield what the text of a macro calls, all of it at the macro's place."""
    for match in _CALL_IN_MACRO.finditer(_QUOTED.sub("''", text)):
        if match[1] not in _NO_CALL and match[1] not in parameters:
            yield Call(Name(match[1]), (), (), place)
