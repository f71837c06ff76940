"""What a model may answer: schemas, and the check of an answer against them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs
from attrs import validators
from cattrs import Converter, transform_error
from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.model.verdict import VerdictKind

READ_BY_MODEL = (ClaimType.FACT, ClaimType.DEFINITION, ClaimType.TEXT)
"""Tables, code and rules are read by PCKC itself."""

MAX_TEXT = 600
MAX_QUOTE = 1_200

T = TypeVar("T")


class AnswerError(Exception):
    """An answer that does not fit, and why, in words that the model is told."""


@attrs.frozen(kw_only=True)
class ClaimAnswer:
    """A claim as a model gives it; see `DistilledClaim`."""

    type: str = attrs.field(validator=validators.in_([kind.value for kind in READ_BY_MODEL]))
    text: str = attrs.field(validator=[validators.min_len(1), validators.max_len(MAX_TEXT)])
    quote: str = attrs.field(validator=[validators.min_len(1), validators.max_len(MAX_QUOTE)])
    subject: str = attrs.field(validator=validators.max_len(120))
    attribute: str = attrs.field(validator=validators.max_len(120))
    value: str = attrs.field(validator=validators.max_len(300))
    polarity: str = attrs.field(validator=validators.in_([kind.value for kind in Polarity]))
    confidence: float = attrs.field(validator=[validators.ge(0), validators.le(1)])


@attrs.frozen(kw_only=True)
class ClaimsAnswer:
    """All claims of a chunk."""

    claims: list[ClaimAnswer]


@attrs.frozen(kw_only=True)
class VerdictAnswer:
    """A verdict; *against* is the number of the other claim, from 1, and 0 for ``new``."""

    verdict: str = attrs.field(validator=validators.in_([kind.value for kind in VerdictKind]))
    against: int = attrs.field(validator=validators.ge(0))


def claims_schema(max_claims: int) -> Mapping[str, Any]:
    """Return the JSON Schema of a `ClaimsAnswer`."""
    text = {"type": "string"}
    claim = _object(
        {
            "type": {"type": "string", "enum": [kind.value for kind in READ_BY_MODEL]},
            "text": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT},
            "quote": {"type": "string", "minLength": 1, "maxLength": MAX_QUOTE},
            "subject": text,
            "attribute": text,
            "value": text,
            "polarity": {"type": "string", "enum": [kind.value for kind in Polarity]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        }
    )
    return _object({"claims": {"type": "array", "maxItems": max_claims, "items": claim}})


def verdict_schema(others: int) -> Mapping[str, Any]:
    """Return the JSON Schema of a `VerdictAnswer`."""
    return _object(
        {
            "verdict": {"type": "string", "enum": [kind.value for kind in VerdictKind]},
            "against": {"type": "integer", "minimum": 0, "maximum": others},
        }
    )


def _object(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def read_claims(content: str, *, max_claims: int) -> list[ClaimAnswer]:
    """
    Return the claims of an answer.

    Raises:
        AnswerError: It is no JSON, or not of the schema.
    """
    answer = _structured(content, ClaimsAnswer)
    if len(answer.claims) > max_claims:
        raise AnswerError(f"{len(answer.claims)} claims are too many; give the {max_claims} most important")
    return answer.claims


def read_verdict(content: str, *, others: int) -> VerdictAnswer:
    """
    Return the verdict of an answer.

    Raises:
        AnswerError: It is no JSON, not of the schema, or names a claim that is not there.
    """
    answer = _structured(content, VerdictAnswer)
    if (answer.verdict == VerdictKind.NEW) != (answer.against == 0):
        raise AnswerError("against is 0 for new and the number of a claim for every other verdict")
    if answer.against > others:
        raise AnswerError(f"against is at most {others}")
    return answer


def _structured(content: str, form: type[T]) -> T:
    if not content.strip():
        raise AnswerError("the answer is empty")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"the answer is no JSON: {error}") from error
    try:
        return _CONVERTER.structure(value, form)
    except Exception as error:  # cattrs raises groups of whatever hooks and validators raise
        raise AnswerError("; ".join(transform_error(error)[:5])) from error


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    """Return a hook that takes a JSON value of *kind* as it is, and no other: cattrs would make a text of anything."""

    def hook(value: Any, _: Any) -> Any:
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ValueError(f"expected {kind.__name__}, not {type(value).__name__}")
        return value

    return hook


_CONVERTER = Converter(forbid_extra_keys=True)
for _kind in (str, int, float):
    _CONVERTER.register_structure_hook(_kind, _strict(_kind))
