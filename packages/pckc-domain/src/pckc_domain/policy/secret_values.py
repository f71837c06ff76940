"""Tell a secret value from a placeholder, a word, or an expression."""

import math
import re
from collections import Counter

_PLACEHOLDER = re.compile(
    r"^<|^\$(?:[{(]|(?-i:[A-Z_][A-Z0-9_]*)$)|^%\w+%$|^#\{|^\[.*\]$"  # <token>, $VAR, ${VAR}, %VAR%, #{name}, [token]
    r"|^(?:file|env|vault|secret|ref|sm|op)s?:|^(?:https?|file)://|^arn:"  # a reference to where the secret is kept
    r"|\$\{|\{\{|\{\w*\}|%\(\w+\)|<[\w -]+>"  # templates inside a value
    r"|a-z|0-9a-f|0-9[A-Z]-"  # a pattern's character class
    r"|\*\*\*|\.\.\.|…|x{4}|•{3}|/\*$|\\[xuU][0-9a-fA-F]{2}"
    r"|example|placeholder|redacted|change.?me|replace.?(?:me|with)|insert.?your|your[-_. ]|[-_]here\b"
    r"|^(?:my|your|test|some|fake|dummy|sample|the|a|an)?[-_ ]?"
    r"(?:super|api|auth|access|client|db|user|root|admin)?[-_ ]?"
    r"(?:password|passwd|passphrase|pass|pwd|pw|secret|token|key|credentials?|пароль)"
    r"[-_ ]?(?:key|value|token)?s?\d{0,2}$"
    r"|^(?:null|none|nil|undefined|true|false|todo|tbd|foo|bar|foobar|string|dummy|sample|test)$"
    r"|environ|getenv|process\.env|\benv\.|secrets\.|config\.|settings\.",
    re.IGNORECASE,
)
SIGNS = frozenset("!@#$%^&*?+=~|")
"""What passwords hold and words do not."""
_JUDGED = 128
"""Characters looked at: enough to judge, and a text of huge values stays cheap."""
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6}", re.IGNORECASE)
_INNER_DIGITS = re.compile(r"(?<=[a-z])\d+(?=[a-z])", re.IGNORECASE)
_VOWEL = re.compile(r"[aeiou]", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_placeholder(value: str) -> bool:
    """Return whether *value* stands for a secret without being one: a template, a mask, a sample word."""
    value = value[:_JUDGED]
    return len(set(value)) < 4 or _PLACEHOLDER.search(value) is not None


def is_uuid(value: str) -> bool:
    """Return whether *value* is one UUID in its usual spelling."""
    return _UUID.fullmatch(value) is not None


def is_wordy(value: str) -> bool:
    """
    Return whether *value* reads as words joined by case or punctuation, as identifiers and paths do.

    Random text changes between lower case, upper case and digits every one or two characters; words do
    so every four or more, hold digits at their ends and a vowel in every third letter.
    """
    pieces = _PIECE.findall(value)
    words = [piece for piece in pieces if not piece.isdigit()]
    numbers = [piece for piece in pieces if piece.isdigit()]
    letters = sum(map(len, words))
    if not words or len(_INNER_DIGITS.findall(value)) > 1:
        return False
    return (
        letters >= 3 * len(words)
        and (letters < 10 or len(_VOWEL.findall(value)) >= letters * 0.25)
        and len(numbers) <= max(2, len(words))
        and sum(map(len, numbers)) <= max(2, len(value) // 4)
        and _CONSONANTS.search(value) is None
    )


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters of *value*, in bits per character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def is_random(value: str) -> bool:
    """Return whether *value* looks generated: at least 10 characters, digits and letters (or mixed case), no words."""
    value = value[:_JUDGED]
    if len(value) < 10 or is_placeholder(value) or is_wordy(value):
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    mixed_case = value != value.lower() and value != value.upper()
    return entropy(value) >= 2.7 and ((has_digit and has_letter) or (mixed_case and len(value) >= 20))


def is_password(value: str, *, quoted: bool) -> bool:
    """
    Return whether *value*, assigned to something called a password, could be one.

    Quoted values need six characters, and a letter with a digit or sign, or only digits. Bare values may be
    code, so they need a letter and a digit, and dotted names do not count.
    """
    value = value[:_JUDGED]
    if len(value) < 6 or is_placeholder(value):
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    if not quoted:
        dotted = "." in value or "::" in value
        return has_digit and has_letter and value[0] != "$" and not (dotted and is_wordy(value))
    has_sign = any(c in SIGNS for c in value)
    return (has_letter and (has_digit or has_sign)) or value.isdigit() or is_random(value)
