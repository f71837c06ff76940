"""Summaries: what a module or document is for, what it holds and what it talks to, from its own words."""

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from pckc_domain.model.passage import GranularityLevel, PropositionType
from pckc_domain.policy.cutting.code_languages import CONTAINERS
from pckc_domain.policy.cutting.code_outline import Definition
from pckc_domain.policy.cutting.extraction import Statement
from pckc_domain.policy.cutting.segmentation import Section
from pckc_domain.policy.cutting.source_text import SourceText

MAX_KEY_SYMBOLS = 15
MAX_RESPONSIBILITIES = 12
MAX_CONSTRAINTS = 8
MAX_INTERACTIONS = 15
LONG_FILE_LINES = 600
"""A longer file also gets a summary for each cluster of paragraphs."""

CLUSTER_LINES = 300
MODULE_HEAD_LINES = 60
"""A sentence about the module further down does not tell what it is for."""

_NAME = re.compile(r"[A-Z]\w+")
_ROLES = tuple(
    "Service Manager Resolver Repository Store Client Handler Adapter Provider Factory Gateway Controller Router Engine"
    " Registry Scheduler Dispatcher Worker Queue Cache Pool Backend Connector Middleware Builder".split()
)
_MODULE_IMPORT = re.compile(
    r"\n[ \t]*+(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+(?:static[ \t]+)?([\w.]++)(?![^\n]{0,300}\bfrom\b))"
)
_PATH_IMPORT = re.compile(
    r"\n[ \t]*+(?:(?:import|export)\b[^\n]{0,300}?\bfrom[ \t]+|require_relative[ \t(]+|[^\n=]{0,80}=[ \t]*require\()[\"'](\.[^\"'\n]{1,200})[\"']"
)
_OWN_IMPORT = re.compile(r"\n[ \t]*+(?:use[ \t]+((?:crate|super|self)::[\w:]+)|#include[ \t]+\"([^\"\n]{1,200})\")")
_RULES = frozenset((PropositionType.SECURITY_RULE, PropositionType.CONSTRAINT))


@attrs.frozen
class Digest:
    """A summary before it has an id; fields as in ``Summary``."""

    first: int
    last: int
    text: str
    level: GranularityLevel
    purpose: str
    key_symbols: tuple[str, ...]
    responsibilities: tuple[str, ...]
    constraints_mentioned: tuple[str, ...]
    important_interactions: tuple[str, ...]


def summarize_code(
    source: SourceText,
    sections: Sequence[Section],
    definitions: Sequence[Definition],
    statements: Sequence[Statement],
    described: dict[str, str],
    *,
    module: str,
) -> list[Digest]:
    """
    Return the summary of a module, then those of its clusters when it is long; nothing for an empty one.

    Args:
        source: The program.
        sections: Its paragraphs, in order.
        definitions: Its definitions, in order.
        statements: Its propositions, in order.
        described: What ``describe`` says of it.
        module: Dotted name; modules with the same first part are the project's own.
    """
    if not sections:
        return []
    purpose = described.get(module, "")
    interactions = _interactions(source.text, definitions, module)
    whole = _digest_code(
        sections[0].first, sections[-1].last, GranularityLevel.MODULE, module, purpose, definitions, statements, described,
        interactions,
    )  # fmt: skip
    if source.line_count <= LONG_FILE_LINES:
        return [whole]
    digests = [whole]
    for cluster in _clusters(sections):
        first, last = cluster[0].first, cluster[-1].last
        inner = [found for found in definitions if first <= found.start <= last]
        said = [found for found in statements if first <= found.first <= last]
        names = _interactions(source.lines(first, last), definitions, module)
        digests.append(_digest_code(first, last, GranularityLevel.CHUNK, module, "", inner, said, described, names))
    return digests


def describe(
    source: SourceText, definitions: Sequence[Definition], statements: Sequence[Statement], *, module: str
) -> dict[str, str]:
    """Return the first documented sentence of each definition and of the module, by qualified name."""
    spans: dict[str, tuple[int, int]] = {module: (1, MODULE_HEAD_LINES)}
    for found in definitions:
        if found.docstring:
            start, end = found.docstring
            spans.setdefault(found.qualified_name, (source.line_at(start), source.line_at(end - 1)))
        elif found.first < found.start:
            spans.setdefault(found.qualified_name, (found.first, found.start - 1))
    described: dict[str, str] = {}
    for statement in statements:
        first, last = spans.get(statement.subject, (0, -1))
        opening = f"`{statement.subject}`: "
        if first <= statement.first <= last and statement.text.startswith(opening):
            described.setdefault(statement.subject, statement.text[len(opening) :])
    return described


def summarize_prose(
    source: SourceText, sections: Sequence[Section], statements: Sequence[Statement], *, title: str, purpose: str
) -> list[Digest]:
    """Return the summary of a document, then those of its clusters when it is long; nothing for an empty one."""
    if not sections:
        return []
    digests = [_digest_prose(sections, statements, GranularityLevel.DOCUMENT, title, purpose)]
    if source.line_count > LONG_FILE_LINES:
        for cluster in _clusters(sections):
            first, last = cluster[0].first, cluster[-1].last
            said = [found for found in statements if first <= found.first <= last]
            digests.append(_digest_prose(cluster, said, GranularityLevel.CHUNK, title, ""))
    return digests


def _clusters(sections: Sequence[Section]) -> Iterator[list[Section]]:
    cluster: list[Section] = []
    for section in sections:
        if cluster and section.last - cluster[0].first >= CLUSTER_LINES:
            yield cluster
            cluster = []
        cluster.append(section)
    if cluster:
        yield cluster


def _digest_code(
    first: int,
    last: int,
    level: GranularityLevel,
    module: str,
    purpose: str,
    definitions: Sequence[Definition],
    statements: Sequence[Statement],
    described: dict[str, str],
    interactions: tuple[str, ...],
) -> Digest:
    prominent = _prominent(definitions, described)
    symbols = tuple(found.qualified_name for found in prominent)
    duties = tuple(f"{name}: {described[name]}" for name in symbols if name in described)[:MAX_RESPONSIBILITIES]
    rules = _rules(statements)
    if not purpose and duties:
        purpose = f"Holds {_and(symbols[:5])}."
    where = f"`{module}`" if level is GranularityLevel.MODULE else f"`{module}`, lines {first}-{last}"
    text = _worded(
        f"{where}: {purpose}" if purpose else where,
        ("Key symbols", symbols), ("Responsibilities", duties), ("Rules", rules), ("Works with", interactions),
    )  # fmt: skip
    return Digest(first, last, text, level, purpose, symbols, duties, rules, interactions)


def _digest_prose(
    sections: Sequence[Section],
    statements: Sequence[Statement],
    level: GranularityLevel,
    title: str,
    purpose: str,
) -> Digest:
    headings = tuple(dict.fromkeys(section.heading for section in sections if section.heading))
    symbols: dict[str, int] = {}
    for section in sections:
        for name in section.symbols:
            symbols[name] = symbols.get(name, 0) + 1
    key = tuple(sorted(symbols, key=lambda name: -symbols[name]))[:MAX_KEY_SYMBOLS]
    decisions = tuple(
        found.text for found in statements if found.type in (PropositionType.DECISION, PropositionType.ARCHITECTURE)
    )[:MAX_RESPONSIBILITIES]
    rules = _rules(statements)
    first, last = sections[0].first, sections[-1].last
    where = title if level is GranularityLevel.DOCUMENT else f"{title}, lines {first}-{last}"
    interactions = _roles("\n".join(section.text for section in sections))
    text = _worded(
        f"{where}: {purpose}" if purpose else where,
        ("Sections", headings[:30]), ("Key points", decisions), ("Rules", rules), ("Names", key),
    )  # fmt: skip
    return Digest(first, last, text, level, purpose, key, decisions, rules, interactions)


def _prominent(definitions: Sequence[Definition], described: dict[str, str]) -> list[Definition]:
    """Return the most prominent definitions: public before private, outer before inner, classes first, then larger."""

    def rank(found: Definition) -> tuple[bool, int, bool, bool, int, int]:
        is_private = any(name.startswith("_") for name in (*found.scope, found.name))
        is_described = found.qualified_name in described
        return (
            is_private,
            len(found.scope),
            found.kind not in CONTAINERS,
            not is_described,
            found.start - found.end,
            found.start,
        )

    distinct = {found.qualified_name: found for found in reversed(definitions)}
    return sorted(distinct.values(), key=rank)[:MAX_KEY_SYMBOLS]


def _rules(statements: Iterable[Statement]) -> tuple[str, ...]:
    found = [statement for statement in statements if statement.type in _RULES]
    best = sorted(found, key=lambda statement: (-statement.confidence, statement.first))[:MAX_CONSTRAINTS]
    return tuple(statement.text for statement in sorted(best, key=lambda statement: statement.first))


def _interactions(text: str, definitions: Sequence[Definition], module: str) -> tuple[str, ...]:
    """Return the project's modules that are imported, then classes named after a role that are not defined here."""
    own = {found.name for found in definitions}
    root = module.partition(".")[0]
    text = "\n" + text
    imported: dict[str, None] = {}
    if "import" in text:
        for match in _MODULE_IMPORT.finditer(text):
            name = match[1] or match[2]
            if name.strip(".") and name.partition(".")[0] in ("", root):
                imported[name] = None
    for pattern, word in ((_PATH_IMPORT, "."), (_OWN_IMPORT, "use "), (_OWN_IMPORT, "#include")):
        if word in text and (word != "." or "from " in text or "require" in text):
            for match in pattern.finditer(text):
                imported[match[match.lastindex or 0]] = None
    roles = [name for name in _roles(text) if name not in own]
    return tuple(dict.fromkeys([*imported, *roles]))[:MAX_INTERACTIONS]


def _roles(text: str) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for name in _NAME.findall(text):
        if name.endswith(_ROLES) and name not in _ROLES:
            counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))[:MAX_INTERACTIONS]


def _worded(opening: str, *parts: tuple[str, tuple[str, ...]]) -> str:
    lines = [opening]
    for label, items in parts:
        if items and label in ("Key symbols", "Works with", "Sections", "Names"):
            lines.append(f"{label}: {', '.join(items)}")
        elif items:
            lines += [f"{label}:", *(f"- {item}" for item in items)]
    return "\n".join(lines)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# ruff: noqa: E501 - patterns read better on one line
