"""Rules that stand in a text as JSON: ``{"if": KIND or [KIND, …], "then": KIND}``."""

import json
import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim, RefusedClaim
from pckc_domain.policy.distillation.pieces import Found
from pckc_domain.policy.findings import EXACT

MAX_CHAIN = 16
"""Kinds of one rule's premise."""

_KINDS = r'(?:"[^"\n]{0,200}"|\[[^\[\]{}]{0,2000}\])'
_RULE = re.compile(
    rf'\{{\s*(?:"if"\s*:\s*{_KINDS}\s*,\s*"then"\s*:\s*{_KINDS}|"then"\s*:\s*{_KINDS}\s*,\s*"if"\s*:\s*{_KINDS})\s*\}}'
)
_KIND = re.compile(r"[^\W\d][\w.-]{0,63}")


def find_rules(text: str) -> Iterator[Found | RefusedClaim]:
    """Yield the rules of *text* in order, and those whose form is wrong."""
    for match in _RULE.finditer(text):
        rule = _read(match[0])
        if isinstance(rule, str):
            yield RefusedClaim(text=match[0], reason=rule)
        else:
            claim = DistilledClaim(
                type=ClaimType.LOGICAL_RULE,
                text=match[0],
                quote=match[0],
                value=json.dumps({"if": rule[:-1], "then": rule[-1]}, ensure_ascii=False),
                confidence=EXACT,
                rule="rules.json",
            )
            yield Found(match.start(), claim)


def without_rules(text: str) -> str:
    """Return *text* with its rules blanked, as long as before: what is left is prose and code."""
    return _RULE.sub(lambda match: "".join("\n" if character == "\n" else " " for character in match[0]), text)


def _read(text: str) -> list[str] | str:
    """Return the premise's kinds and the conclusion, or what is wrong."""
    try:
        content = json.loads(text)
    except ValueError:
        return "the rule is no JSON"
    premise = content["if"] if isinstance(content["if"], list) else [content["if"]]
    if not 0 < len(premise) <= MAX_CHAIN:
        return f"a rule's premise has 1 to {MAX_CHAIN} kinds"
    kinds = [*premise, content["then"]]
    if not all(isinstance(kind, str) and _KIND.fullmatch(kind) for kind in kinds):
        return "a kind is one word"
    return kinds
