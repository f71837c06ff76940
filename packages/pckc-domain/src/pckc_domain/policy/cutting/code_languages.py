"""What the code outline knows of languages: how strings and comments look, and how definitions begin."""

import re
from enum import Enum
from itertools import count

import attrs

_LINE = r"//[^\n]*+"
_BLOCK = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_HASH = r"#[^\n]*+"
_DOUBLE = r'"[^"\\\n]*+(?:\\.?+[^"\\\n]*+)*+"?+'
_SINGLE = r"'[^'\\\n]*+(?:\\.?+[^'\\\n]*+)*+'?+"
_CHARACTER = r"'(?:\\[^\n]{1,9}?|[^'\\\n])'"
_BACKTICK = r"`[^`\\]*+(?:\\.?+[^`\\]*+)*+`?+"
_RAW_BACKTICK = r"`[^`]*+`?+"
_TRIPLE = r'"""(?:[^"]++|"(?!""))*+(?:"""|\Z)'
_RUST_RAW = r'\br(#{0,9})"(?:[^"]++|"(?!\1))*+(?:"\1|\Z)'
_REGEX = r"(?<=[(,=:\[!&|?;{}\n])[ ]?/(?![/*])(?:[^/\\\n\[]++|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,200}+\])++/"
_LUA_LONG = r"(?:--)?+\[\[(?:[^\]]++|\](?!\]))*+(?:\]\]|\Z)"
_RUBY_BLOCK = r"(?<=\n)=begin\b(?:[^\n]*+\n(?!=end))*+"
_JULIA_BLOCK = r"#=(?:[^=]++|=(?!#))*+(?:=#|\Z)"


class Family(Enum):
    """How the end of a definition is found."""

    BRACE = "brace"
    INDENT = "indent"


@attrs.frozen
class Language:
    """
    How to outline a language without a parser.

    Attributes:
        family: How ends are found.
        noise: Matches strings and comments.
        definition: Matches a definition from the line break before it; ``kind`` and ``owner`` (a
            receiver's type) are optional, ``name`` is not.
    """

    family: Family
    noise: re.Pattern[str]
    definition: re.Pattern[str]


def _language(family: Family, noise: tuple[str, ...], *definitions: str) -> Language:
    starts = "|".join(definitions)
    names = count()
    starts = re.sub(r"<(kind|name|owner)>", lambda match: f"<{match[1]}{next(names)}>", starts)
    return Language(family, re.compile("|".join(noise), re.DOTALL), re.compile(r"\n[ \t]*+(?:" + starts + ")"))


_C_NOISE = (_LINE, _BLOCK, _DOUBLE, _CHARACTER)
_NOT_A_CALL = (
    r"(?!(?:if|for|foreach|while|switch|catch|return|else|do|new|throw|case|using|lock|await|sizeof|defined)\b)"
)
_MODIFIERS = r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|override|sealed|partial|virtual|open|data|inner|readonly|unsafe|extern|implicit|lazy|case|inline|suspend|operator|infix|tailrec|mutating|fileprivate|indirect|required|convenience|strictfp|native|synchronized|default|actual|expect|annotation|value|companion|pub|export)[ \t]++)*+"  # fmt: skip
_TYPE = r"(?P<kind>class|interface|struct|enum|record|trait|object|namespace|module|protocol|extension|actor|union)[ \t]++(?!(?:for|of|in)\b)(?P<name>\w++)"  # fmt: skip
_TYPED_METHOD = _NOT_A_CALL + r"(?:@\w++[ \t]++)*+" + _MODIFIERS + _NOT_A_CALL + r"(?:<[^\n>]*+>[ \t]*+)?+(?:[\w:.]++(?:<[^\n(){};=<>]*+(?:<[^\n(){};=<>]*+>[^\n(){};=<>]*+)*+>)?[&*?\[\] \t]++){1,3}(?P<name>~?\w++)[ \t]*+\((?=[^\n;]*+\n|[^\n]*\{)"  # fmt: skip

_SCRIPT = _language(
    Family.BRACE,
    (_LINE, _BLOCK, _DOUBLE, _SINGLE, _BACKTICK, _REGEX),
    _MODIFIERS + r"(?P<kind>function)\b[ \t]*+\*?[ \t]*+(?P<name>[\w$]++)",
    _MODIFIERS + _TYPE,
    _MODIFIERS
    + r"(?:const|let|var)[ \t]++(?P<name>[\w$]++)[^\n=]*+=[ \t]*+(?:async\b[ \t]*+)?(?:function\b|\([^\n]{0,300}?\)[^\n=]{0,100}=>|\([ \t]*+\n|\w++[ \t]*+=>)",
    _NOT_A_CALL
    + r"(?!function\b)"
    + _MODIFIERS
    + r"(?:(?:get|set)[ \t]++)?+\*?(?P<name>[\w$#]++)[ \t]*+\((?=[^\n]*\{[ \t]*+(?:\n|\Z)|[ \t]*+\n)",
)
_C = _language(
    Family.BRACE,
    _C_NOISE,
    r"(?:typedef[ \t]++|static[ \t]++|template[^\n{;(]*>[ \t]*+)*+" + _TYPE + r"(?=[^\n;()=]*+(?:\{|\n))",
    r"(?:static|inline|extern|const|constexpr|virtual|explicit|unsigned|template[ \t]*+<[^\n]{0,200}?>)?[ \t]*+"
    + _TYPED_METHOD.replace(r"~?\w++", r"(?:\w++::)*+~?\w++"),
)

LANGUAGES: dict[str, Language] = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "vue": _SCRIPT,
    "svelte": _SCRIPT,
    "java": _language(Family.BRACE, (_TRIPLE, *_C_NOISE), _MODIFIERS + _TYPE, _TYPED_METHOD),
    "csharp": _language(Family.BRACE, _C_NOISE, _MODIFIERS + _TYPE, _TYPED_METHOD),
    "dart": _language(Family.BRACE, (_LINE, _BLOCK, _TRIPLE, _DOUBLE, _SINGLE), _MODIFIERS + _TYPE, _TYPED_METHOD),
    "groovy": _language(Family.BRACE, (_LINE, _BLOCK, _TRIPLE, _DOUBLE, _SINGLE), _MODIFIERS + _TYPE, _TYPED_METHOD),
    "c": _C,
    "cpp": _C,
    "go": _language(
        Family.BRACE,
        (_LINE, _BLOCK, _DOUBLE, _CHARACTER, _RAW_BACKTICK),
        r"(?P<kind>func)[ \t]++(?:\((?:\w++[ \t]++)?+\*?(?P<owner>\w++)[^\n)]*+\)[ \t]*+)?+(?P<name>\w++)",
        r"(?P<kind>type)[ \t]++(?P<name>\w++)[^\n]*?\b(?:struct|interface)\b",
    ),
    "rust": _language(
        Family.BRACE,
        (_LINE, _BLOCK, _RUST_RAW, _DOUBLE.replace(r"\n", ""), _CHARACTER),
        r"(?:pub(?:\([^\n)]*+\))?[ \t]++)?+(?:default[ \t]++)?+(?:const[ \t]++)?+(?:async[ \t]++)?+(?:unsafe[ \t]++)?+(?:extern[ \t]++\"*+[ \t]*+)?+(?P<kind>fn|struct|enum|trait|mod|union)[ \t]++(?P<name>\w++)",
        r"(?:unsafe[ \t]++)?+(?P<kind>impl)\b(?:<[^\n{]{0,200}?>(?=[ \t]+\w))?(?:[^\n{]{0,300}?\bfor\b)?[ \t]*+(?:&|mut[ \t]|dyn[ \t]|\w+::)*(?P<name>\w++)",
        r"(?P<kind>macro_rules)![ \t]*+(?P<name>\w++)",
    ),
    "kotlin": _language(
        Family.BRACE,
        (_LINE, _BLOCK, _TRIPLE, _DOUBLE, _CHARACTER),
        _MODIFIERS + r"(?:fun[ \t]++)?" + _TYPE,
        _MODIFIERS + r"(?P<kind>fun)[ \t]++(?:<[^\n>]*+>[ \t]*+)?+(?:[\w<>?]++\.)*+(?P<name>\w++)",
    ),
    "scala": _language(
        Family.BRACE,
        (_LINE, _BLOCK, _TRIPLE, _DOUBLE, _CHARACTER),
        _MODIFIERS + _TYPE,
        _MODIFIERS + r"(?P<kind>def)[ \t]++(?P<name>\w++)",
    ),
    "php": _language(
        Family.BRACE,
        (_LINE, _BLOCK, r"#(?!\[)[^\n]*+", _DOUBLE.replace(r"\n", ""), _SINGLE.replace(r"\n", "")),
        _MODIFIERS + _TYPE,
        _MODIFIERS + r"(?P<kind>function)[ \t]++&?(?P<name>\w++)",
    ),
    "swift": _language(
        Family.BRACE,
        (_LINE, _BLOCK, _TRIPLE, _DOUBLE),
        r"(?:@\w++[ \t]++)*+" + _MODIFIERS + _TYPE,
        r"(?:@\w++[ \t]++)*+" + _MODIFIERS + r"(?:class[ \t]++)?(?P<kind>func)[ \t]++(?P<name>\w++)",
        _MODIFIERS + r"(?P<name>init|deinit)\b(?=[?(! {])",
    ),
    "zig": _language(
        Family.BRACE,
        (_LINE, r"\\\\[^\n]*+", _DOUBLE, _CHARACTER),
        r"(?:pub[ \t]++)?(?:export[ \t]++|inline[ \t]++|extern[ \t]++\"*+[ \t]*+)?(?P<kind>fn)[ \t]++(?P<name>\w++)",
        r"(?:pub[ \t]++)?const[ \t]++(?P<name>\w++)[ \t]*+=[ \t]*+(?:packed[ \t]++|extern[ \t]++)?(?P<kind>struct|enum|union|opaque)\b",
    ),
    "shell": _language(
        Family.BRACE, (r"(?<![\w$\\{])#[^\n]*+", _DOUBLE.replace(r"\n", ""), r"'[^']*+'?+"),
        r"(?:function[ \t]++)?(?P<name>[\w:.-]++)[ \t]*+\(\)[ \t]*+(?=[{\n])",
    ),
    "terraform": _language(
        Family.BRACE, (_HASH, _LINE, _BLOCK, _DOUBLE),
        r"(?P<kind>resource|data|module|variable|output|provider|locals)\b(?P<name>)(?=[ \t\"]*+\{)",
    ),
    "proto": _language(Family.BRACE, _C_NOISE, r"(?P<kind>message|service|enum)[ \t]++(?P<name>\w++)"),
    "graphql": _language(Family.BRACE, (_HASH, _TRIPLE, _DOUBLE), r"(?P<kind>type|interface|enum|input|union)[ \t]++(?P<name>\w++)"),
    "ruby": _language(
        Family.INDENT,
        (_HASH, _DOUBLE, _SINGLE, _RUBY_BLOCK),
        r"(?P<kind>class|module)[ \t]++(?:\w++::)*+(?P<name>\w++)",
        r"(?:private[ \t]++|protected[ \t]++)?(?P<kind>def)[ \t]++(?:self\.)?(?P<name>[\w?!=]++)",
    ),
    "lua": _language(
        Family.INDENT,
        (_LUA_LONG, r"--[^\n]*+", _DOUBLE, _SINGLE),
        r"(?:local[ \t]++)?(?P<kind>function)[ \t]++(?P<name>[\w.:]++)",
        r"(?:local[ \t]++)?(?P<name>[\w.]++)[ \t]*+=[ \t]*+(?P<kind>function)\b",
    ),
    "elixir": _language(
        Family.INDENT,
        (_HASH, _TRIPLE, _DOUBLE, _SINGLE),
        r"(?P<kind>defmodule|defprotocol|defimpl)[ \t]++(?P<name>[\w.]++)",
        r"(?P<kind>defp?|defmacrop?|defguard)[ \t]++(?P<name>[\w?!]++)",
    ),
    "julia": _language(
        Family.INDENT,
        (_JULIA_BLOCK, _HASH, _TRIPLE, _DOUBLE),
        r"(?:mutable[ \t]++)?(?P<kind>function|struct|module|macro)[ \t]++(?:\w++\.)*+(?P<name>[\w!]++)",
    ),
}  # fmt: skip

KINDS = {
    "def": "function",
    "defp": "function",
    "fn": "function",
    "fun": "function",
    "func": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "macro_rules": "macro",
    "defmodule": "module",
    "mod": "module",
    "defprotocol": "protocol",
    "defimpl": "impl",
    "type": "struct",
}
"""Keyword → kind, where they differ."""

CONTAINERS = frozenset(
    "class struct trait interface enum module namespace object protocol extension impl record actor union type".split()
)
"""Kinds whose definitions are parts of their own once the container is long."""

LEAD_STARTS = ("//", "/*", "*/", "* ", "#[", "#!", "--", "%%", ";;", "@")
"""How a line above a definition begins that belongs to it: comments, attributes, annotations."""

NO_HASH_COMMENTS = frozenset(
    name for name, known in LANGUAGES.items() if known.family is Family.BRACE and not known.noise.search("#x#")
) | frozenset(("css", "html", "xml", "sql", "haskell", "ocaml", "fsharp", "clojure", "scheme"))
"""Languages in which ``#`` opens no comment."""
# ruff: noqa: E501 - patterns read better on one line
