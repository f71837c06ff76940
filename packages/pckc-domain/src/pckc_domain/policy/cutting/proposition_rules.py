"""
What makes a statement a proposition, and of which type: patterns and confidence ranges as data.

Types and ranges follow the multi-granularity design, with a range for ``behavior`` between ``procedure`` and
``constraint``.
"""

import re

from pckc_domain.model.passage import PropositionType

CONFIDENCE: dict[PropositionType, tuple[float, float]] = {
    PropositionType.SECURITY_RULE: (0.85, 0.99),
    PropositionType.CONSTRAINT: (0.78, 0.93),
    PropositionType.ARCHITECTURE: (0.80, 0.95),
    PropositionType.DECISION: (0.80, 0.95),
    PropositionType.RISK: (0.80, 0.80),
    PropositionType.TEST_EVIDENCE: (0.72, 0.87),
    PropositionType.PROCEDURE: (0.70, 0.85),
    PropositionType.BEHAVIOR: (0.75, 0.88),
    PropositionType.IMPLEMENTATION_DETAIL: (0.70, 0.85),
}
"""Lowest and highest confidence of each type."""

EVIDENCE_FOR_HIGHEST = 3
"""So many pieces of evidence give the highest confidence, none the lowest."""

PATTERNS: dict[PropositionType, str] = {
    PropositionType.SECURITY_RULE: (
        r"shell ?= ?(?:false|true)|allow-?list(?:s|ed|ing)?\b|white-?list(?:s|ed|ing)?\b|deny-?list(?:s|ed|ing)?\b"
        r"|black-?list(?:s|ed|ing)?\b|block-?list(?:s|ed|ing)?\b|sanitiz\w*|sanitis\w*"
        r"|untrusted|injection|csrf|xss|sandbox(?:ed|ing)?\b|vulnerab\w*|path traversal|constant[- ]time|redact\w*"
        r"|credentials?\b|least privilege|security (?:rule|policy|risk|hole|issue|reason)\w*|for security"
        r"|insecure\w*|secrets? (?:must|are|is|never)|безопасност\w*|уязвим\w*|секрет\w*|белый список|чёрный список"
    ),
    PropositionType.DECISION: (
        r"decided|decision\b|decisions? (?:is|was|were|made)|chose\b|chosen\b|we (?:use|prefer|picked|opted|settled)\b|rationale|trade-?offs?\b"
        r"|in favou?r of|alternatives? considered|opted for|settled on|deliberately|on purpose|by design"
        r"|реши(?:ли|л|ла)\b|решено|решение:|выбра(?:ли|л|н|на|но|ны)\b|отказались|приняли решение|предпочли"
    ),
    PropositionType.CONSTRAINT: (
        r"must\b|mustn't|cannot\b|can't\b|can not\b|never\b|always\b|should not\b|shouldn't|should never|shall\b"
        r"|required\b|mandatory|invariants?\b|forbidden|prohibited|not allowed|disallowed|do not\b|don't\b|only (?:if|when|one|once|the|for|on|a|an|in|be|with|by)\b"
        r"|at most|at least|no more than|not exceed|exceeds?\b|may not\b|limited to|ensure that|guarantee\w*|not supported|unsupported|requires\b"
        r"|нельзя|долж(?:ен|на|но|ны)\b|обязательн\w*|обязан\w*|никогда|всегда|запрещ\w*|только|не более|не менее"
        r"|необходимо|требует\w*|недопустим\w*|не может|не могут|не допускается|не следует"
    ),
    PropositionType.RISK: (
        r"raises?\b|throws?\b|panics?\b|risk\w*|danger\w*|warning\b|beware|caution\b|data loss|race conditions?|deadlock\w*"
        r"|leaks?\b|unsafe\b|corrupt\w*|crash(?:es)?\b|fails? (?:if|when|with|on)\b|may (?:fail|block|hang|break)|deprecated"
        r"|опасн\w*|риск\w*|осторожно|внимание|утечк\w*|устарел\w*"
    ),
    PropositionType.TEST_EVIDENCE: (
        r"asserts?\b|verif(?:y|ies|ied)\b|expect(?:s|ed)? (?:that|to)\b|tests? (?:that|pass|cover|check)\w*|covered by tests"
        r"|regression test|проверя(?:ет|ем|ют)\b|тест(?:ы|ами)? "
    ),
    PropositionType.PROCEDURE: (
        r"steps? \d|how to\b|workflow|procedure|to (?:install|run|build|deploy|upgrade|start|release|publish|reproduce)\b|follow these"
        r"|install with|run `|run the\b|first,? .{1,200}? then\b|шаг \d|порядок действий|чтобы (?:установить|запустить|собрать)"
        r"|установите|запустите|выполните|инструкц\w*"
    ),
    PropositionType.BEHAVIOR: (
        r"returns?\b|yields?\b|when\b.{1,200}?[, ](?:then|is|are|it|the)\b|if\b.{1,200}?[, ]then\b|defaults? (?:to|is)\b|by default|falls? back|fallback|emits?\b"
        r"|triggers?\b|automatically|ignores?\b|ignored\b|overrides?\b|is called|are called|возвращает|по умолчанию|автоматически|если .{1,200}?, то|когда .{1,200}?,"
    ),
    PropositionType.ARCHITECTURE: (
        r"interfaces?\b|layers?\b|boundar(?:y|ies)\b|components?\b|services?\b|adapters?\b|depends on\b|dependency inversion|dependencies point|protocols?\b"
        r"|pipelines?\b|subsystems?\b|architectur\w*|abstraction\w*|middleware|gateways?\b|backends?\b|base class|delegates to|consists of|plug-?ins?\b|domain\b|ports\b"
        r"|архитектур\w*|сло(?:й|и|я|ёв|ев)\b|компонент\w*|модул\w*|интерфейс\w*|зависимост\w*|адаптер\w*|состоит из"
    ),
}
"""Words that tell the type, first match by order of the types; each stands at the start of a word, in folded text."""

_ASCII_BOUNDARY = "[\\s(\"'`*\\[/-]"
_BOUNDARY = "[\\s(\"'`*\\[«“/—-]"


def _alternatives(pattern: str) -> list[str]:
    """Split a pattern at the bars outside its groups."""
    parts, depth = [""], 0
    for character in pattern:
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


Classifier = tuple[re.Pattern[str], tuple[PropositionType, ...]]


def _classifier(*, ascii_only: bool) -> Classifier:
    """Group words by their first two letters, so that most places in a text are passed over at once."""
    letters: dict[str, dict[str, dict[PropositionType, list[str]]]] = {}
    for kind, pattern in PATTERNS.items():
        for word in _alternatives(pattern):
            if not ascii_only or word.isascii():
                letters.setdefault(word[0], {}).setdefault(word[1], {}).setdefault(kind, []).append(word[2:])
    groups: list[PropositionType] = []
    branches: list[str] = []
    for first, seconds in letters.items():
        inner: list[str] = []
        for second, kinds in seconds.items():
            groups += kinds
            inner.append(second + "(?:" + "|".join(f"({'|'.join(ends)})" for ends in kinds.values()) + ")")
        branches.append(f"{first}(?:{'|'.join(inner)})")
    boundary = _ASCII_BOUNDARY if ascii_only else _BOUNDARY
    return re.compile(f"{boundary}(?:{'|'.join(branches)})"), tuple(groups)


CLASSIFIER = _classifier(ascii_only=False)
"""Finds typed words in folded text that has a space in front, and the type of each of its groups."""

ASCII_CLASSIFIER = _classifier(ascii_only=True)
"""The same for ASCII text, where Russian words need not be tried."""

MARKERS: dict[str, PropositionType | None] = {
    "SECURITY": PropositionType.SECURITY_RULE,
    "SAFETY": PropositionType.CONSTRAINT,
    "INVARIANT": PropositionType.CONSTRAINT,
    "IMPORTANT": PropositionType.CONSTRAINT,
    "WARNING": PropositionType.RISK,
    "FIXME": PropositionType.RISK,
    "BUG": PropositionType.RISK,
    "HACK": PropositionType.RISK,
    "XXX": PropositionType.RISK,
    "TODO": PropositionType.IMPLEMENTATION_DETAIL,
    "NOTE": None,
}
"""Words that open a comment worth keeping → type, where the word alone tells it."""

HEADING_TYPES: tuple[tuple[PropositionType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (PropositionType.SECURITY_RULE, r"\bsecurity\b|безопасност"),
        (PropositionType.DECISION, r"\bdecisions?\b|\brationale\b|\balternatives\b|\bdesign choices\b|^why\b|решени|обоснован"),
        (PropositionType.PROCEDURE, r"\binstall|\bsetup\b|\bhow to\b|\bsteps?\b|\bworkflow\b|\bprocedure\b|getting started|quick ?start|\busage\b|\bbuild|\bdeploy|\brelease process|\bcontribut|установк|порядок|инструкц|запуск|как "),
        (PropositionType.CONSTRAINT, r"\brequirements?\b|\bconstraints?\b|\blimit(?:ation)?s?\b|\brules\b|\binvariants?\b|требован|ограничен|правил"),
        (PropositionType.RISK, r"\brisks?\b|\bcaveats?\b|\bwarnings?\b|\bknown issues\b|\bconsequences\b|риск|последств"),
        (PropositionType.ARCHITECTURE, r"\barchitecture\b|\bdesign\b|\bcomponents?\b|\blayers?\b|архитектур|компонент"),
        (PropositionType.TEST_EVIDENCE, r"\btests?\b|\btesting\b|\bverification\b|тест|проверк"),
    )
)  # fmt: skip
"""Types of list items by the heading above them, in folded text, where their own words tell none."""

COMMANDS = re.compile(
    r"(?:\$ )?(?:sudo )?(?:pip|pipx|uv|uvx|poetry|conda|npm|npx|pnpm|yarn|cargo|go|make|cmake|docker|podman|kubectl|helm|git|apt|apt-get|brew|curl|wget|python3?|pytest|node|ruby|gem|bundle|mvn|gradle|\./\S+)\s\S.*"
)
"""A shell command worth keeping from a fenced block."""

JUNK_WORDS = ("licensed under", "copyright (", "permission is hereby", "all rights reserved", "without warrant", "public license")  # fmt: skip
JUNK_START = re.compile(
    r"copyright\b|licensed to\b|see (?:base|super|parent|also|above|below|the docstring)\b"
    r"|(?:type|noqa|pragma|pylint|mypy|flake8|ruff|fmt|isort|eslint|nosec|region|endregion|coding|vim?|-\*-)\b ?[:=-]"
)
"""Folded text that has such words, or such a start, says nothing of the project."""
# ruff: noqa: E501 - word lists read better on long lines
