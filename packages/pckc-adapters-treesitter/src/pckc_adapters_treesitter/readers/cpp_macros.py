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

_ARGUMENTS = rb"(?:[ \t]*\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\))?"
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
_ENDS = re.compile(rb"\s*(?:[{;:]|const\b|override\b|noexcept\b|final\b|=\s*0|" + _MACRO + rb"\b)")
_TYPE_BEFORE = re.compile(rb"[\w>*&]\s*\Z")
_NO_TYPE = re.compile(rb"(?:return|else|case|goto|throw|new|delete|typedef|sizeof|do)\s*\Z")
_STATEMENT_BEFORE = re.compile(rb"(?:[;{}]|\A|\*/|:)\s*\Z")

_CPP_ONLY = re.compile(
    rb"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:)",
    re.MULTILINE,
)

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
        best = _better(best, _blank(heads, list(_hiding(heads))), source.grammar)
    return best


def reads_better_as_cpp(source: Source) -> bool:
    """Return whether a C header speaks C++ outside of what only C++ compilers read."""
    return bool(_CPP_ONLY.search(source.bytes)) and source.root.has_error


def read_as(source: Source, grammar: Language) -> Source:
    """Return *source* with a tree of another grammar, when that understands no less of it."""
    return _better(source, source.bytes, grammar)


def _better(source: Source, text: bytes, grammar: Language, *, always: bool = False) -> Source:
    tree = parse(grammar, text)
    if tree is None or (not always and _lost(tree.root_node) >= _lost(source.root)):
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
        blanked[start:end] = re.sub(rb"[^\r\n]", b" ", text[start:end])
    return bytes(blanked)


def _hiding(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield macros that stand where a declaration has no place for them."""
    for match in _TOKENS.finditer(text):
        if match["macro"] is None or _KEPT.match(match["macro"]):
            continue
        before = text[max(0, match.start() - 80) : match.start()]
        with_arguments = match.start(), match.end()
        if _begins_statement(before) and _LINE_AFTER.match(text, match.end()):
            yield with_arguments
        elif before.rstrip().endswith(b")"):  # behind the parameters
            if _ENDS.match(text, match.end()):
                yield with_arguments
        elif not _NO_TYPE.search(before):
            names = not match["arguments"] and _TYPE_BEFORE.search(before) and _NAMES.match(text, match.end())
            if names or _DECLARES.match(text, match.end()):
                yield with_arguments


def _begins_statement(before: bytes) -> bool:
    return before.endswith(b"\n") or not before.strip() or bool(_STATEMENT_BEFORE.search(before))


def called_by_macro(text: str, parameters: frozenset[str], place: Place) -> Iterator[Call]:
    """Yield what the text of a macro calls, all of it at the macro's place."""
    for match in _CALL_IN_MACRO.finditer(_QUOTED.sub("''", text)):
        if match[1] not in _NO_CALL and match[1] not in parameters:
            yield Call(Name(match[1]), (), (), place)
