"""Statements in code: docstrings, comments, raised errors, assertions, constants and safety switches."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from pckc_domain.model.identity import normalize
from pckc_domain.model.passage import PropositionType
from pckc_domain.policy.cutting.code_outline import Definition
from pckc_domain.policy.cutting.docstrings import Sentence, first_sentence, further_sentences, one_line
from pckc_domain.policy.cutting.extraction import Candidate, classify
from pckc_domain.policy.cutting.masking import Masked
from pckc_domain.policy.cutting.proposition_rules import MARKERS
from pckc_domain.policy.cutting.python_outline import module_docstring
from pckc_domain.policy.document_kinds import CONFIGURATION

MAX_VALUE_CHARACTERS = 120
MAX_CONDITION_CHARACTERS = 160
MAX_SETTINGS = 300
"""Most settings taken from one file: longer ones are lock files and data."""

MAX_ASSERTIONS = 6
"""Most assertions taken from one test."""

_TOLD_BY_COMMENTS = frozenset(
    (
        PropositionType.SECURITY_RULE,
        PropositionType.CONSTRAINT,
        PropositionType.DECISION,
        PropositionType.RISK,
    )
)
_TOLD_BY_SENTENCES = _TOLD_BY_COMMENTS | {PropositionType.BEHAVIOR}

_RAISE = re.compile(r"\n[ \t]*+(?:raise|throw new|throw)[ \t]++((?:\w++\.)*+[A-Z]\w*+)([^\n]*+)")
_THROW = re.compile(r"\b(?:throw (?:new )?((?:\w++(?:\.|::))*+[A-Z]\w*+)|(panic|unreachable|unimplemented|bail|fatalError|Err|fmt\.Errorf|errors\.New)(?=!?\())([^\n]*+)")  # fmt: skip
_FAILURES = {"panic": "panics", "Err": "returns an error", "fmt.Errorf": "returns an error", "errors.New": "returns an error"}  # fmt: skip
_CONDITION = re.compile(
    r"[ \t]*+(?:\}[ \t]*+)?((?:el|else )?if\b|except\b|case\b|catch\b)[ \t]*+(.*?)[ \t]*+[:{]?[ \t]*+\Z", re.DOTALL
)
_STRING = re.compile(r"\"\"\"(.*?)\"\"\"|\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|`([^`]*+)`", re.DOTALL)
_CONSTANT = re.compile(r"\n(?: {4}|\t)?+(?:(?:pub(?:\([^)\n]*+\))?|export|public|private|protected|internal|static|final|const|constexpr|let|val|readonly|self)[ \t]++)*+(?:[\w<>\[\]]++[ \t]++)??((?<=const )\w++|[A-Z][A-Z0-9_]++)[ \t]*+(?::[^=\n]{1,80})?=(?!=)[ \t]*+([^\n]++)")  # fmt: skip
_FIELD = re.compile(r"\n(?: {4}|\t)([a-z_]\w*+)[ \t]*+:[ \t]*+([^=\n]{1,80}?)[ \t]*+=(?!=)[ \t]*+([^\n]++)")
_DEFINE = re.compile(r"\n#[ \t]*+define[ \t]++([A-Z][A-Z0-9_]++)[ \t]++([^\n]++)")
_LITERAL = re.compile(r"[-+]?[\d.][\w.]*+|[rbuf]{0,2}[\"'`]|(?:True|False|None|true|false|null|nil)\b|[(\[{]|(?:frozenset|Path|timedelta|re\.compile|Duration)\b")  # fmt: skip
_LIMIT = re.compile(r"(?:^|_)(?:MAX|MIN|LIMIT|TIMEOUT|SIZE|BUDGET|THRESHOLD|CAP|QUOTA|DEADLINE|RETRIES|DEPTH|TTL|LENGTH)(?:_|$)", re.IGNORECASE)  # fmt: skip
_SWITCH = re.compile(r"=[ \t]*+(?:True|False)\b")
_SWITCH_OR_KEY = re.compile(r"[=:][ \t]*+(?:true|false)\b")
_SWITCHES = frozenset(("shell", "verify", "check_hostname", "verify_ssl", "autoescape", "strict_ssl", "allow_pickle", "secure", "httponly", "rejectUnauthorized"))  # fmt: skip
_LAST_NAME = re.compile(r"\w+\Z")
_ALLOWLIST = re.compile(r"list(?:(?<=[wteyk]list)|(?<=[wteyk]_list))\w*+[ \t]*+(?::[^=\n]{1,80})?=(?!=)")
_ALLOWLIST_NAME = re.compile(r"\w*(?:allow|allowed|white|deny|black|block|safe)_?list\w*\Z", re.IGNORECASE)
_ASSERT = re.compile(r"\n[ \t]*+(?:assert[ \t]++([^\n]++)|((?:self\.)?assert\w*+!?\([^\n]++)|(with (?:pytest|self)\.(?:raises|assertRaises)\w*+\([^\n]++)|(expect\([^\n]++))")  # fmt: skip
_TEST_NAME = re.compile(r"(?:^|\.)[tT]est(?:_|[A-Z])?\w+$")
_NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CASE = re.compile(r"\n[ \t]*+(?:it|test|describe|specify|context)(?:\.\w++)?[ \t(]++[\"']")
_MARKER = re.compile(r"(?:" + "|".join(MARKERS) + r")\b[:\s(]")
_MARGIN = re.compile(r"(?m)^[ \t]*+(?:/\*\*?+!?|\*/|\*(?!/)|//[/!]?|#[!:=]?|--+\[*|;+)?[ \t]?|[ \t]*+\*+/[ \t]*$")
_CODE_LINE = re.compile(r"(?:[\w.]+ ?= ?\S|[\w.]+\([^ ]*\)?$|(?:if|for|while|def|class|return|import|from|print|elif|else)\b.*[:)]$|[{}();]+$)")  # fmt: skip
_SETTING = re.compile(r"\n[ \t]*+(?:-[ \t]++)?(?:export[ \t]++|ENV[ \t]++|ARG[ \t]++)?[\"']?([A-Za-z_][\w.-]*+)[\"']?[ \t]*+[:=?]=?[ \t]*+([^\n]++)")  # fmt: skip
_TABLE_HEADER = re.compile(r"\n\[{1,2}([^\]\n]++)\]{1,2}[ \t]*+(?=\n|\Z)")
_DOC_COMMENT_STARTS = ("/**", "///", "//!", "//", "#", "--", "/*", ";;")


def code_candidates(
    masked: Masked, definitions: Sequence[Definition], *, language: str, module: str, is_test: bool
) -> Iterator[Candidate]:
    """
    Yield the statements in a program.

    Args:
        masked: The program.
        definitions: Its definitions in order, outer before inner.
        language: In lower case.
        module: What speaks where no definition does.
        is_test: Whether the file tests other code.
    """
    if language in CONFIGURATION or language in ("make", "dockerfile"):
        yield from _settings(masked, module)
        yield from _comments(masked, _Owners(definitions, module))
        return
    owners = _Owners(definitions, module)
    yield from _docstrings(masked, definitions, module, language)
    yield from _comments(masked, owners)
    yield from _raised(masked, owners, language)
    yield from _constants(masked, owners, definitions)
    yield from _safety(masked, owners, language)
    yield from _assertions(masked, owners, is_test)
    if is_test:
        yield from _test_names(masked, definitions)


class _Owners:
    """Finds the innermost definition around a line."""

    def __init__(self, definitions: Sequence[Definition], module: str) -> None:
        self._definitions = definitions
        self._starts = [definition.first for definition in definitions]
        self._parents: list[int] = []
        self._names: list[str] = []
        self._module = module
        around: list[int] = []
        for index, definition in enumerate(definitions):
            while around and definitions[around[-1]].end < definition.start:
                around.pop()
            self._parents.append(around[-1] if around else -1)
            self._names.append(definition.qualified_name)
            around.append(index)

    def index_at(self, line: int) -> int:
        """Return the index of the innermost definition around *line*; -1 outside all."""
        index = bisect_right(self._starts, line) - 1
        while index >= 0 and self._definitions[index].end < line:
            index = self._parents[index]
        return index

    def name_at(self, line: int) -> str:
        """Return the qualified name around *line*, the module's outside all definitions."""
        index = self.index_at(line)
        return self._names[index] if index >= 0 else self._module

    def kind_at(self, line: int) -> str:
        """Return the kind of the innermost definition around *line*; ``""`` outside all."""
        index = self.index_at(line)
        return self._definitions[index].kind if index >= 0 else ""


def _docstrings(masked: Masked, definitions: Sequence[Definition], module: str, language: str) -> Iterator[Candidate]:
    text, source = masked.source.text, masked.source
    if language == "python":
        span = module_docstring(masked)
        if span:
            yield from _doc_sentences(masked, *_unquoted(text, *span), module, None)
    elif definitions or masked.comments:
        yield from _module_comment(masked, definitions, module)
    for definition in definitions:
        kind = PropositionType.TEST_EVIDENCE if _TEST_NAME.search(definition.name) else None
        if definition.docstring:
            start, end = _unquoted(text, *definition.docstring)
            yield from _doc_sentences(masked, start, end, definition.qualified_name, kind)
        elif definition.first < definition.start:
            start, end = source.start_of(definition.first), source.start_of(definition.start)
            if text[start:end].lstrip().startswith(_DOC_COMMENT_STARTS):
                yield from _doc_sentences(masked, start, end, definition.qualified_name, kind, is_comment=True)


def _module_comment(masked: Masked, definitions: Sequence[Definition], module: str) -> Iterator[Candidate]:
    """Read the comment that opens a file, unless it belongs to the first definition."""
    if not masked.comments:
        return
    text, source = masked.source.text, masked.source
    start, end = masked.comments[0]
    if text[:start].strip() or text.startswith("#!", start):
        return
    for following in masked.comments[1:60]:
        if text[end : following[0]].strip() or text.count("\n", end, following[0]) > 1:
            break
        end = following[1]
    if not definitions or source.line_at(end - 1) < definitions[0].first:
        yield from _doc_sentences(masked, start, end, module, None, is_comment=True)


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    width = 3 if text[start : start + 3] in ('"""', "'''") else 1
    return start + width, max(start + width, end - width)


def _doc_sentences(
    masked: Masked, start: int, end: int, name: str, kind: PropositionType | None, *, is_comment: bool = False
) -> Iterator[Candidate]:
    source = masked.source
    raw = source.text[start:end]
    if is_comment:
        raw = _MARGIN.sub(lambda match: " " * len(match[0]), raw)
    summary = first_sentence(raw)
    if summary is None:
        return

    def candidate(sentence: Sentence, text: str, kind: PropositionType | None) -> Candidate:
        first, last = source.line_at(start + sentence.start), source.line_at(start + sentence.end - 1)
        allowed = _TOLD_BY_SENTENCES if sentence.role == "text" else frozenset()
        return Candidate(text, first, last, name, kind, sentence.text, allowed)

    yield candidate(summary, f"`{name}`: {summary.text}", kind)
    if len(raw) - summary.end < 12:
        return
    for sentence in further_sentences(raw, summary.end):
        if sentence.role == "raises":
            yield candidate(sentence, f"`{name}` raises {sentence.text}", PropositionType.RISK)
        elif sentence.role == "returns":
            worded = f"`{name}` returns {_lower_first(sentence.text)}"
            yield candidate(sentence, worded, PropositionType.BEHAVIOR)
        else:
            yield candidate(sentence, f"`{name}`: {sentence.text}", None)


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:] if text[1:2].islower() else text


def _comments(masked: Masked, owners: _Owners) -> Iterator[Candidate]:
    """Yield the sentences of comments that state a rule, or open with a marker."""
    text, source = masked.source.text, masked.source
    for start, end in _joined_comments(masked):
        content = one_line(text[start:end].replace("#", " ")).lstrip("/*!-; ")
        if len(content) < 10:
            continue
        marker = _MARKER.match(content)
        if not marker and classify(normalize(content))[0] not in _TOLD_BY_COMMENTS:
            continue
        raw = _MARGIN.sub(lambda match: " " * len(match[0]), text[start:end])
        name = owners.name_at(source.line_at(end))
        if marker:
            word = content[: marker.end() - 1]
            summary = first_sentence(raw)
            if summary:
                first, last = source.line_at(start + summary.start), source.line_at(start + summary.end - 1)
                body = summary.text[marker.end() :] or summary.text
                yield Candidate(f"`{name}`: {summary.text}", first, last, name, MARKERS[word], body)
            at = summary.end if summary else 0
        else:
            at = 0
        for sentence in further_sentences(raw, at):
            if sentence.role == "text" and not _CODE_LINE.match(sentence.text):
                first, last = source.line_at(start + sentence.start), source.line_at(start + sentence.end - 1)
                worded = f"`{name}`: {sentence.text}"
                yield Candidate(worded, first, last, name, None, sentence.text, _TOLD_BY_COMMENTS)


def _joined_comments(masked: Masked) -> Iterator[tuple[int, int]]:
    """Join comments on adjacent lines of their own."""
    text = masked.source.text
    begin = end = -1
    for start, stop in masked.comments:
        if begin >= 0:
            between = text[end:start] if start - end < 200 else ""
            if between.isspace() and between.count("\n") == 1:
                end = stop
                continue
            yield begin, end
        begin, end = start, stop
    if begin >= 0:
        yield begin, end


def _raised(masked: Masked, owners: _Owners, language: str) -> Iterator[Candidate]:
    """Yield raised errors, each with its message and the condition right above it."""
    text, source, logical = masked.source.text, masked.source, masked.logical
    for pattern in (_RAISE,) if language == "python" else (_RAISE, _THROW):
        for match in pattern.finditer(logical):
            if (
                pattern is _THROW
                and logical[logical.rfind("\n", 0, match.start()) + 1 : match.start()].isspace()
                and match[1]
            ):
                continue  # a statement of its own: found by the first pattern
            start = match.start() if pattern is _RAISE else match.start() - 1
            first, last = source.line_at(start), source.line_at(max(start, match.end() - 2))
            error = match[1] or match[2]
            arguments = match.span(match.lastindex or 0)
            message = _message(text[arguments[0] - 1 : arguments[1] - 1])
            opened = match.start() if pattern is _RAISE else logical.rfind("\n", 0, match.start())
            condition = (pattern is _THROW and _worded_condition(text[opened:start])) or _condition(masked, opened)
            name = owners.name_at(first)
            if pattern is _THROW and not match[1]:
                if not message:
                    continue
                parts = f"`{name}` {_FAILURES.get(error, 'fails')}: {message}"
            else:
                verb = "raises" if "raise" in match[0][:40] else "throws"
                parts = f"`{name}` {verb} {error}" + (f": {message}" if message else "")
            if condition:
                parts += f" ({condition})"
            yield Candidate(parts, first, last, name, PropositionType.RISK)


def _message(arguments: str) -> str:
    strings = ["".join(found).strip() for found in _STRING.findall(arguments[:600])]
    return one_line(" ".join(filter(None, strings)))[:200]


def _condition(masked: Masked, at: int) -> str:
    """Return the condition on the logical line above the one that starts at *at*, worded; ``""`` without one."""
    if at <= 0:
        return ""
    above = masked.logical.rfind("\n", 0, at)
    if above < 0 or at - above > 400:
        return ""
    return _worded_condition(masked.source.text[above:at])


def _worded_condition(line: str) -> str:
    match = _CONDITION.match(line[:400])
    if not match or not match[2]:
        return ""
    word = "on" if match[1] in ("except", "catch") else "in case" if match[1] == "case" else "if"
    condition = one_line(match[2]).rstrip(":{ ")
    if len(condition) > MAX_CONDITION_CHARACTERS:
        return ""
    return f"{word} `{condition}`"


def _constants(masked: Masked, owners: _Owners, definitions: Sequence[Definition]) -> Iterator[Candidate]:
    """Yield constants and defaults with their values."""
    text, source, logical = masked.source.text, masked.source, masked.logical
    for pattern in (_CONSTANT, _DEFINE):
        for match in pattern.finditer(logical):
            value = _value(text[match.start(2) - 1 : match.end(2) - 1])
            if value:
                first, last = source.line_at(match.start()), source.line_at(match.end() - 2)
                kind = PropositionType.CONSTRAINT if _LIMIT.search(match[1]) else PropositionType.IMPLEMENTATION_DETAIL
                around = owners.name_at(first)
                yield Candidate(f"`{match[1]}` = {value} in `{around}`", first, last, match[1], kind)
    if not any(definition.kind == "class" for definition in definitions):
        return
    for match in _FIELD.finditer(logical):
        first = source.line_at(match.start())
        if owners.kind_at(first) != "class":
            continue
        value = _value(text[match.start(3) - 1 : match.end(3) - 1])
        if value:
            name = f"{owners.name_at(first)}.{match[1]}"
            kind = PropositionType.CONSTRAINT if _LIMIT.search(match[1]) else PropositionType.IMPLEMENTATION_DETAIL
            last = source.line_at(match.end() - 2)
            yield Candidate(f"`{name}` defaults to {value} (type {one_line(match[2])})", first, last, name, kind)


def _value(text: str) -> str:
    """Return a literal on one line; ``""`` for anything computed or too long to tell."""
    if not _LITERAL.match(text):
        return ""
    value = one_line(text[: MAX_VALUE_CHARACTERS * 4]).rstrip(";, ")
    return value if len(value) <= MAX_VALUE_CHARACTERS else value[:MAX_VALUE_CHARACTERS].rstrip() + " …"


def _safety(masked: Masked, owners: _Owners, language: str) -> Iterator[Candidate]:
    """Yield safety switches such as ``shell=False``, and lists of what is allowed."""
    text, source, logical = masked.source.text, masked.source, masked.logical
    for match in (_SWITCH if language == "python" else _SWITCH_OR_KEY).finditer(logical):
        start = match.start()
        switch = _LAST_NAME.search(logical[max(0, start - 24) : start].rstrip())
        if switch and switch[0] in _SWITCHES:
            line = source.line_at(start - 1)
            name = owners.name_at(line)
            content = one_line(source.line(line)[:1_000])[:160]
            worded = f"`{name}` sets {switch[0]}{one_line(match[0]).replace(' ', '')}: `{content}`"
            yield Candidate(worded, line, line, name, PropositionType.SECURITY_RULE)
    folded = logical.lower()
    for match in _ALLOWLIST.finditer(folded) if len(folded) == len(logical) else ():
        begin = logical.rfind("\n", 0, match.start())
        target = logical[max(begin + 1, match.start() - 80) : match.end() - 1].partition(":")[0].rstrip()
        named = _ALLOWLIST_NAME.search(target)
        if not named:
            continue
        end = logical.find("\n", match.end())
        first = source.line_at(match.start() - 1)
        last = min(source.line_at((end if end >= 0 else len(logical)) - 2), first + 40)
        name = owners.name_at(first)
        content = one_line(text[match.end() - 1 : match.end() + 300].partition("\n\n")[0])[:200]
        worded = f"`{named[0]}` in `{name}` lists what is allowed or denied: {content}"
        yield Candidate(worded, first, max(first, last), named[0], PropositionType.SECURITY_RULE)


def _assertions(masked: Masked, owners: _Owners, is_test: bool) -> Iterator[Candidate]:
    """Yield what tests assert, and the invariants that other code asserts."""
    text, source, logical = masked.source.text, masked.source, masked.logical
    taken: dict[str, int] = {}
    for match in _ASSERT.finditer(logical):
        first, last = source.line_at(match.start()), source.line_at(max(match.start(), match.end() - 2))
        name = owners.name_at(first)
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > MAX_ASSERTIONS:
            continue
        start, end = match.span(match.lastindex or 0)
        content = one_line(text[start - 1 : end - 1]).rstrip(":; {")[:240]
        kind = PropositionType.TEST_EVIDENCE if is_test else PropositionType.CONSTRAINT
        yield Candidate(f"`{name}` asserts `{content}`", first, last, name, kind)


def _test_names(masked: Masked, definitions: Sequence[Definition]) -> Iterator[Candidate]:
    """Yield what the names of tests say they check."""
    text, source = masked.source.text, masked.source
    for definition in definitions:
        if definition.kind in ("function", "method") and _TEST_NAME.search(definition.name):
            words = " ".join(word.lower() for word in _NAME_WORDS.findall(definition.name)[1:])
            name = definition.qualified_name
            if " " not in words:
                continue
            yield Candidate(
                f"Test `{name}` checks: {words}", definition.start, definition.end, name, PropositionType.TEST_EVIDENCE
            )
    for match in _CASE.finditer(masked.logical):
        found = _STRING.match(text, match.end() - 2)
        if found:
            title = one_line("".join(filter(None, found.groups())))[:240]
            line = source.line_at(match.end() - 2)
            yield Candidate(f"Test checks: {title}", line, line, title, PropositionType.TEST_EVIDENCE)


def _settings(masked: Masked, module: str) -> Iterator[Candidate]:
    """Yield the keys and values of a configuration file, each with the table around it."""
    text, source, logical = masked.source.text, masked.source, masked.logical
    headers = [(match.start(), match[1].strip()) for match in _TABLE_HEADER.finditer(logical)]
    starts = [start for start, _ in headers]
    for match in islice(_SETTING.finditer(logical), MAX_SETTINGS):
        value = one_line(text[match.start(2) - 1 : min(match.end(2), match.start(2) + 400) - 1]).rstrip(", ")
        if not value or value in ("{", "[", "|", ">", "|-", ">-"):
            continue
        index = bisect_right(starts, match.start()) - 1
        name = f"{headers[index][1]}.{match[1]}" if index >= 0 else match[1]
        line = source.line_at(match.start(1) - 1)
        kind = PropositionType.CONSTRAINT if _LIMIT.search(match[1]) else PropositionType.IMPLEMENTATION_DETAIL
        shown = value if len(value) <= MAX_VALUE_CHARACTERS else value[:MAX_VALUE_CHARACTERS].rstrip() + " …"
        yield Candidate(f"`{name}` = {shown} in `{module}`", line, line, name, kind)


# ruff: noqa: E501 - patterns read better on one line
