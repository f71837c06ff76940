"""Store one typed claim that an agent hands over: cited from an ingested document, or on its own word."""

import json
from typing import TYPE_CHECKING, Any

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.model.reflection import Outcome, Reflection

from pckc_mcp.forms import Form

if TYPE_CHECKING:
    from pckc_mcp.engine import Engine

CONFIDENCE = 0.8
"""Of a claim that someone handed over with the words that say so; a constant, not a measurement."""

BY = "agent"
RULE_FORM = '{"if": "imports", "then": "depends_on"} or {"if": ["calls", "calls"], "then": "reaches"}'


def store_claim(
    engine: "Engine",
    kind: ClaimType,
    claim: str,
    *,
    content: str = "",
    subject: str = "",
    source: str = "",
    quoted: str = "",
) -> Form:
    """
    Store *claim* and return ``outcome``, ``id`` and ``reason``.

    Raises:
        InvalidInputError: The claim is empty or too long, its content is no rule, or a quote has no source or is not
            in it.
        NotFoundError: The source is not ingested.
    """
    if not claim.strip():
        raise InvalidInputError("the claim is empty", remedy="state it in one sentence")
    if bool(source) != bool(quoted):
        raise InvalidInputError(
            "a citation needs both the source and the words quoted from it", remedy="give source and quote, or neither"
        )
    from pckc_domain.policy.claim_length import check_claim
    from pckc_domain.policy.curation import DEFINITION

    value = rule_value(content or claim) if kind is ClaimType.LOGICAL_RULE else ""
    is_block = kind in (ClaimType.CODE, ClaimType.TABLE) and content
    text = f"{claim.strip()}\n{content.rstrip()}" if is_block else claim.strip()
    attribute = DEFINITION if kind is ClaimType.DEFINITION and subject else ""
    if source:
        read = DistilledClaim(
            type=kind,
            text=text,
            quote=quoted,
            subject=subject,
            attribute=attribute,
            value=value or (text if attribute else ""),
            confidence=CONFIDENCE,
            rule=BY,
        )
        claim_id = engine.citer().cite(engine.scope, source, read, by=BY)
        return {
            "outcome": str(Outcome.ADMITTED),
            "id": claim_id,
            "reason": "cited from its document",
            "source_ref": source,
        }
    item = Reflection(type=kind, text=text, subject=subject, attribute=attribute, value=value)
    check_claim(item)
    (one,) = engine.reflector().write(engine.scope, [item], branch=engine.checkout.branch)
    return {"outcome": str(one.outcome), "id": one.claim_id, "reason": one.reason, "source_ref": one.source_ref}


def rule_value(text: str) -> str:
    """
    Return a logical rule's JSON in its canonical form.

    Raises:
        InvalidInputError: *text* is no rule.
    """
    try:
        rule: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"a logical_rule is JSON: {error}", remedy=f"such as {RULE_FORM}") from error
    body = rule.get("if") if isinstance(rule, dict) else None
    kinds = [body] if isinstance(body, str) else body
    if not isinstance(kinds, list) or not kinds or rule.keys() != {"if", "then"}:
        kinds = [None]
    if not all(isinstance(kind, str) and _is_kind(kind) for kind in [*kinds, rule.get("then")]):
        raise InvalidInputError("not a rule: kinds are single words", remedy=f"such as {RULE_FORM}")
    return json.dumps({"if": kinds, "then": rule["then"]}, ensure_ascii=False, separators=(",", ":"))


def _is_kind(text: str) -> bool:
    return bool(text) and not any(character.isspace() for character in text)
