"""
What may be spooled of what a host told: without secrets, and without what a user asks not to keep.

The whole is redacted again when it is taken in.
"""

import json
from typing import Any

from pckc_domain.policy.discretion import without_unkept
from pckc_domain.policy.redaction import redact

LONG_NUMBER = 10**11
"""A number from here on may be one of a payment card."""


def redacted(data: dict[str, Any]) -> dict[str, Any]:
    """
    Return *data* without secrets: those in a text, and those that the name or the word beside a text tells.

    A prompt comes without what it asks not to keep.
    """
    if isinstance(prompt := data.get("prompt"), str):
        data = {**data, "prompt": without_unkept(prompt).text}
    known = {name: _redacted(value) for name, value in data.items()}
    beside = _loaded(redact(json.dumps(known, ensure_ascii=False)).text)
    return beside if isinstance(beside, dict) else known


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [_redacted(item) for item in value]
    if isinstance(value, dict):
        return {_text(name): _redacted(item) for name, item in value.items()}
    if isinstance(value, int) and abs(value) >= LONG_NUMBER:
        text = str(value)
        return value if _text(text) == text else _text(text)
    return value


def _text(text: str) -> str:
    """Return *text* without secrets; what was JSON stays JSON."""
    clean = redact(text).text
    if clean == text or text.lstrip()[:1] not in ("{", "[") or _loaded(clean) is not None:
        return clean
    told = _loaded(text)
    return clean if told is None else json.dumps(_redacted(told), ensure_ascii=False)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
