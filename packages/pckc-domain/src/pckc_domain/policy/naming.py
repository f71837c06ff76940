"""The names that passages bear, the names that a query speaks of, and which passage defines one."""

import re

from pckc_domain.model.document import SourceClass
from pckc_domain.model.passage import Chunk, Paragraph, Passage, Proposition, StoredPassage, Summary
from pckc_domain.policy.analysis import split_camel

DEFINES_ITSELF = 0.98
DEFINES_MEMBER = 0.9
DEFINES_INSIDE = 0.8
"""How surely a passage is the definition asked for: it is called so, its last part is, or it holds one called so."""

FAULTS = frozenset(("error", "exception", "warning"))
"""Who asks about an error wants the place that raises it rather than its class."""

_NAME = re.compile(
    r"""
    (?<![\w./:-])
    (?: (?P<called>[^\W\d]\w*+(?:(?:\.|::)[^\W\d]\w*+)*+)(?=\()     # send(
      | (?P<dotted>[^\W\d]\w*+(?:(?:\.|::)[^\W\d]\w*+)++)           # Session.send
      | (?P<marked>(?=\w*[^\W_]_\w|_+[^\W\d]|\w*[a-z][A-Z]|[A-Z]{2,}[a-z])[^\W\d]\w*+)  # super_len, QuerySet
    )(?![\w/-]|:\s)  # before a colon it is an exception and its message
    | `(?P<quoted>[^\W\d][\w.:]*)(?:\(\))?`
    """,
    re.VERBOSE,
)
_LONE = re.compile(r"\s*[^\W\d]\w*\s*")


def own_name(qualified: str) -> str:
    """Return the last part of a qualified name: ``send`` of ``Session.send``."""
    return qualified.rpartition(".")[2]


def names_of(passage: Passage) -> frozenset[str]:
    """Return the names that *passage* bears: its heading or subject, the last part of that, and its symbols."""
    match passage:
        case Chunk():
            heading, symbols = passage.heading, passage.symbols
        case Paragraph():
            heading, symbols = passage.section_heading, passage.symbol_names
        case Proposition():
            heading, symbols = passage.subject, ()
        case Summary():
            heading, symbols = "", passage.key_symbols
        case _:
            raise TypeError(type(passage))
    return frozenset((heading, own_name(heading), *symbols)) - {""}


def names_in(query: str) -> tuple[str, ...]:
    """Return the identifiers that *query* speaks of, qualified as they stand there, in order; a lone word is one."""
    if _LONE.fullmatch(query):
        return (query.strip(),)
    found = (match[match.lastgroup or 0].strip(".:").replace("::", ".") for match in _NAME.finditer(query))
    return tuple(dict.fromkeys(name for name in found if name and (name == query.strip() or not _is_fault(name))))


def definition(stored: StoredPassage, names: tuple[str, ...]) -> float:
    """Return in 0..1 how surely code defines one of *names*, as `names_in` gives them; case counts."""
    passage = stored.passage
    if stored.document.source is not SourceClass.CODE or not isinstance(passage, Paragraph):
        return 0.0
    return max((_surely_defines(passage, stored.document.uri, name) for name in names), default=0.0)


def _surely_defines(passage: Paragraph, uri: str, name: str) -> float:
    heading = passage.section_heading
    around = heading.rpartition(".")[0]  # of a section that holds a class and its first method
    if own_name(name) not in map(own_name, passage.symbol_names) or _is_overload(passage.text):
        return 0.0
    if name in (heading, around) or any(part and _stands_in(uri, part, name) for part in (heading, around)):
        return DEFINES_ITSELF
    if any(part.endswith(f".{name}") for part in (heading, around)):
        return DEFINES_MEMBER
    owner = name.rpartition(".")[0]
    return DEFINES_INSIDE if owner in ("", heading) else 0.0


def _is_fault(name: str) -> bool:
    return not FAULTS.isdisjoint(split_camel(own_name(name))[-1:])


def _is_overload(text: str) -> bool:
    """Whether a Python definition only tells types; the one behind it counts."""
    decorator = text.lstrip().partition("\n")[0]
    return decorator.startswith("@") and decorator.rstrip().endswith("overload")


def _stands_in(uri: str, heading: str, name: str) -> bool:
    """Whether *name* is *heading* with a module of this path before it, as ``requests.Session`` is."""
    owner = name.removesuffix(f".{heading}")
    return owner != name and own_name(owner) in uri.replace(".", "/").split("/")
