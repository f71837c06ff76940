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
_STOPS = ".,;:!?"
_CODE = frozenset(",.+;:=?%&|<>)]}/~")
"""What begins the code between two strings, or a path."""
_INNER_SIGN = re.compile(r"\w(?:[!@#$%^&*?~]+|\\ )\w")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+", re.IGNORECASE)
_HYPHENATED = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]{3,}){2,}")
_TERM = r"(?i:sha|md|base|utf|oauth|argon|aes|rsa|pbkdf|pkcs|http|v)[-_]?\d|\d+-?[A-Z]?[a-z-]+$"
"""What a sentence says of passwords in general: *base64*, *12-character*."""
_QUALITY = (
    r"(?i)(?:^|-)(?:and|the|for|not|one|two|new|old|time|way|user|login|auth|default|pass\w*|secret|token|key|парол\w*"
    r"|\w+(?:ed|able|ing|only|based|less|free|safe))(?:-|$)"
)
"""What a hyphenated word says of passwords in general: *one-way-hashed*. Compiled when a text needs it: few do."""
_PROSE = (
    r"(?i)(?<!\w)(?:pass(?:words?|wd|phrases?|codes?)|pwd|secrets?|tokens?|login|log in|sign in|credentials?|users?"
    r"|username|accounts?|must|should|cannot|can't|don't|not|no|is|are|required|optional|invalid|incorrect|wrong|missing"
    r"|enter|type|choose|confirm|repeat|forgot(?:ten)?|reset|change[ds]?|new|current|please|your|characters?|at least"
    r"|hash(?:ed|es)?|salt|encrypt\w*|plain ?text|field|value|default|used|uses?|none|null|str|string|bytes|select"
    r"|парол\w*|введите|повторите|неверн\w*|долж\w+|символ\w*|не|обязател\w*|пользовател\w*|нов\w+|ваш\w*"
    r"|mot de passe|passwort|kennwort|contraseña|senha)(?!\w)|%[sdr]|[=|]\s|\s[=+|]\s|\(\)|\\n"
)
"""The words in which forms, errors and documents speak of passwords, and signs of code."""
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


def has_random(value: str) -> bool:
    """Return whether one of the words of *value* looks generated; what begins or ends with a blank is no value."""
    return value == value.strip() and any(map(is_random, value[:_JUDGED].split()))


def is_hyphenated(value: str) -> bool:
    """Return whether *value* is three or more words joined by hyphens, none of which speaks of passwords."""
    value = value[:_JUDGED].rstrip(_STOPS)
    return _HYPHENATED.fullmatch(value) is not None and not is_placeholder(value) and re.search(_QUALITY, value) is None


def is_term(value: str) -> bool:
    """Return whether *value* is what a sentence says of passwords in general."""
    return re.match(_TERM, value) is not None


def is_scrambled(value: str) -> bool:
    """Return whether *value* is letters of both cases that make no words: at least 8, in pieces too short for words."""
    value = value[:_JUDGED].rstrip(_STOPS)
    if len(value) < 8 or not (value.isascii() and value.isalpha()) or is_placeholder(value):
        return False
    if value in (value.lower(), value.upper()):
        return False
    sizes = [len(piece) for piece in _PIECE.findall(value)]
    return len(value) < 3 * len(sizes) or sum(size <= 2 for size in sizes) >= 2 or bool(_CONSONANTS.search(value))


def is_unusual(value: str) -> bool:
    """Return whether *value* is no ordinary word: a sign inside it, or letters of both cases that make no words."""
    value = value[:_JUDGED].rstrip(_STOPS)
    if len(value) < 8 or is_placeholder(value) or _ADDRESS.fullmatch(value):
        return False
    return _INNER_SIGN.search(value) is not None or is_scrambled(value)


def is_passphrase(value: str) -> bool:
    """
    Return whether *value*, words in quotes assigned to something called a password, could be one.

    It is none if it stands between two strings (`"a" + b + "c"`), or tells of passwords, as the text of a form does,
    unless its first word is a password by itself.
    """
    value = value[:_JUDGED]
    if value != value.strip() or value[0] in _CODE or is_placeholder(value):
        return False
    first = value.split()[0].rstrip(_STOPS)
    return is_password(first, quoted=True) or (any(map(str.isalpha, value)) and re.search(_PROSE, value) is None)


def is_password(value: str, *, quoted: bool) -> bool:
    """
    Return whether *value*, assigned to something called a password, could be one.

    Quoted values need six characters, and a letter with a digit or sign, or only digits, or several words. Bare
    values may be code, so they need a letter and a digit, and dotted names do not count.
    """
    value = value[:_JUDGED]
    if quoted and any(map(str.isspace, value)):
        return len(value) >= 6 and is_passphrase(value)
    if len(value) < 6 or is_placeholder(value):
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    if not quoted:
        dotted = "." in value.rstrip(_STOPS) or "::" in value
        return has_digit and has_letter and value[0] != "$" and not (dotted and is_wordy(value))
    has_sign = any(c in SIGNS for c in value)
    return (has_letter and (has_digit or has_sign)) or value.isdigit() or is_random(value)
