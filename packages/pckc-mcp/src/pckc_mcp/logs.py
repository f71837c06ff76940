"""
What PCKC says on stderr: lines for people, or JSON lines for machines; never a secret, nor a text that was recalled.

Standard library only and nothing heavy: every command says things.
"""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime

from pckc_domain.errors import ConfigurationError

FORM = "PCKC_LOG"
LEVEL = "PCKC_LOG_LEVEL"
FORMS = ("plain", "json")
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def check_log_settings(environ: Mapping[str, str] = os.environ) -> None:
    """
    Check the two variables.

    Raises:
        ConfigurationError: One of them has a value that is not known.
    """
    for name, known in ((FORM, FORMS), (LEVEL, tuple(LEVELS))):
        if (value := environ.get(name)) and value not in known:
            raise ConfigurationError(f"{name} cannot be {value!r}", remedy=f"one of: {', '.join(known)}")


def is_json() -> bool:
    """Return whether machines read along."""
    return os.environ.get(FORM) == "json"


def is_wanted(level: str) -> bool:
    """Return whether something of this level is said; by default all that PCKC has to tell people is."""
    return LEVELS[level] >= LEVELS.get(os.environ.get(LEVEL, ""), LEVELS["info"])


def json_line(level: str, message: str, **fields: str) -> str:
    """Return one object on one line: ``time``, ``level``, ``message``, and *fields*; secrets are redacted."""
    said = {"time": datetime.now(UTC).isoformat(), "level": level, "message": without_secrets(message)}
    return json.dumps(said | {name: without_secrets(value) for name, value in fields.items() if value}) + "\n"


def without_secrets(text: str) -> str:
    """Return *text* as it may be said."""
    from pckc_domain.policy.redaction import redact  # its patterns cost a start 10 ms

    return redact(text).text
