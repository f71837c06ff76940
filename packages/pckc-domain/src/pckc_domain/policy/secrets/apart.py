"""
The kinds of secrets that stand apart from what names them, as data: on the next line, in a field of their own, before
the name, or behind a user's name.

Their patterns read lower-cased text.
"""

import binascii
import re
from collections.abc import Callable

from pckc_domain.policy.secrets.assignments import CLOSE, KEY_NAME, MARKUP, PLAIN, SUFFIX
from pckc_domain.policy.secrets.kinds import Candidate, Kind, is_key
from pckc_domain.policy.secrets.values import (
    has_random,
    is_hyphenated,
    is_password,
    is_placeholder,
    is_scrambled,
    is_term,
)

_BREAK = r"(?:\r?\n|\\r\\n|\\n)"
_NEXT_LINE = (
    rf"(?P<line>(?:[ \t]+[\w.@'-]{{1,30}}){{0,5}}?:{MARKUP}?[ \t]*{_BREAK}(?:[ \t]*```\w{{0,16}}{_BREAK})?[ \t]*)"
)
_FIELD = (
    r"(?P<field>(?:\s*\{[^{}]{0,300}?(?<![\w-])|\s*,\s*|\s+)[\\\"']{0,4}\w{0,16}?(?:default|value)[\\\"']{0,4}"
    r"[ \t]*[:=][ \t]*)"
)
"""What leads to the value of the thing named: `variable "x" { default =`, `name: x, value:`, `key="x" value=`."""
_LED_TO = ("value", "default", ":\n", ": \n", ":\r", ":\\n", ":\\r", ":*", ":_")
_LINE_END = re.compile(r"[`\"']*[ \t]*(?:[\r\n\\]|$)")

_VALUE = rf"(?:\\*[\"'`](?P<quoted>[^\"'`\\\n]{{4,512}}+)|(?P<bare>{PLAIN}{{6,512}}+)(?![(\[{{]))"
_BARE = rf"[\"'`«]?(?P<bare>{PLAIN}{{6,128}}+)[\"'`»]?"
_NAMED = r"(?:[\w.-]{1,30}[ \t]+){0,3}?"
_NOUN = r"pass(?:word|phrase|code)|pwd"
_NO_COMPOUND = (
    r"(?=[ \t]*(?:[^\w \t-]|$)|[ \t]+[—–-][ \t]"
    r"|[ \t]+(?:for|on|of|to|in|at|when|and|now|then|here|please|from|it|there)\b)"
)
"""What follows a noun that stands for itself: `as the password`, not `as the password hash`."""
_OF = rf"(?:[ \t]*/[ \t]*pass(?:word)?)?{CLOSE}(?:[ \t]*[:=—–-]|[ \t]+(?:is|are|это))?[ \t]*"
_USER = r"[\"'`«]?[\w.@+-]{1,64}[\"'`»]?"
_GAP = r"(?:\s|\\n)+"

_ACCOUNT_WORDS = ("login", "user", "cred", "логин", "учетка", "учётка", "доступ")
_ACCOUNT = rf"(?:login|user(?:name)?|cred(?:ential)?s?|логин|уч[её]тка|доступы?){_OF}{_USER}$"
_ACCOUNT_TOLD = rf"(?:login|user(?:name)?)(?:[ \t]*[:=]|[ \t]+is)?[ \t]+{_USER}[,;]?[ \t]+(?:(?:and|with)[ \t]+)?$"
_USER_NAME = r"(?<![\w./-])[a-z][\w$#]{1,30}$"
_ORACLE_TOOLS = ("sqlplus", "sqlldr", "expdp", "impdp", "rman target")
_ORACLE_TOOL = rf"(?:{'|'.join(_ORACLE_TOOLS)})[^\n]{{0,40}}?{_USER_NAME}"
_ORACLE_WORDS = ("oracle", "dsn", "connect")
_ORACLE = rf"(?:(?:oracle|dsn)[^\n]{{0,40}}?|connect(?:[ \t]+(?:as|with))?[ \t:=]*[\"'(]{{0,2}}){_USER_NAME}"
"""What stands before a password behind a user's name: `login: me / …`, `sqlplus me/…@db`."""
_ORACLE_VALUE = r"/(?<=[\w$#]/)(?P<bare>[^\s/@\"'`<>(){}]{4,64})@(?!v?\d)(?=[\w(/\"'])"
_REACH = 120
"""Characters before a password in which it is looked for."""

_CREDENTIALS = re.compile(r"[\x21-\x39\x3b-\x7e]+:[\x20-\x7e]+")
_NOT_SAID = re.compile(r"[\\/@(){}]|\.\w|://")
"""What a path, an address or code has."""
_PHRASE_WORD = re.compile(r"[^\W_]{1,16}")
_FUNCTION_WORDS = frozenset(
    "a an and are as at be by can for from has have if in into is it may must not of on or our should that the this to"
    " used uses when which will with you your в во и или из как на не от по с со что это для ваша ваш".split()
)
"""Words that a sentence about a passphrase has, and a passphrase of chosen words has not."""


def _is_alone(candidate: Candidate) -> bool:
    """Return whether a value on the line after its name is all that stands there."""
    return candidate.match["line"] is None or _LINE_END.match(candidate.text, candidate.span[1]) is not None


def _is_plain_password(candidate: Candidate) -> bool:
    """Accept what a password looks like, not a term, a path, an address or code."""
    secret = candidate.secret
    if is_term(secret) or _NOT_SAID.search(secret):
        return False
    return is_password(secret, quoted=candidate.quoted) or is_scrambled(secret) or is_hyphenated(secret)


def _password(candidate: Candidate) -> bool:
    if candidate.match["field"] is not None and candidate.quoted:
        return is_password(candidate.secret, quoted=True) or is_scrambled(candidate.secret)
    return _is_alone(candidate) and not is_hyphenated(candidate.secret) and _is_plain_password(candidate)


def _follows(before: str, accept: Callable[[Candidate], bool] = _is_plain_password) -> Callable[[Candidate], bool]:
    """Return what accepts a password behind what the pattern *before* tells."""

    def accepted(candidate: Candidate) -> bool:
        start = candidate.match.start()
        return accept(candidate) and re.search(before, candidate.searched[max(0, start - _REACH) : start]) is not None

    return accepted


def _random(candidate: Candidate) -> bool:
    return _is_alone(candidate) and has_random(candidate.secret)


def _netrc(candidate: Candidate) -> bool:
    """Accept the password of a host with a dot, on lines of its own, or one that looks like one."""
    secret = candidate.secret
    if is_placeholder(secret) or secret[0] in "$%":
        return False
    entry = candidate.match[0]
    return "." in (candidate.match["host"] or "") or "\n" in entry or "\\n" in entry or _is_plain_password(candidate)


def _encoded(candidate: Candidate) -> bool:
    """Accept the base64 of a user's name and password."""
    secret = candidate.secret
    try:
        decoded = binascii.a2b_base64(secret + "=" * (-len(secret) % 4)).decode("ascii")
    except ValueError:
        return False
    return _CREDENTIALS.fullmatch(decoded) is not None


def _chosen_words(candidate: Candidate) -> bool:
    words = candidate.secret.lower().split()
    return not is_placeholder(candidate.secret) and all(
        _PHRASE_WORD.fullmatch(word) and word not in _FUNCTION_WORDS for word in words
    )


def _pin(candidate: Candidate) -> bool:
    return len(set(candidate.secret)) > 1


def _apart(kind: str, word: str, anchor: str, accept: Callable[[Candidate], bool]) -> Kind:
    """Return the kind of a value on the line after a name, or in the field that belongs to it."""
    return Kind(kind, rf"{word}{SUFFIX}{CLOSE}(?:{_NEXT_LINE}|{_FIELD}){_VALUE}", (anchor,), accept, also=_LED_TO)


APART: tuple[Kind, ...] = (
    _apart("password", r"pass(?:w(?:or)?d|phrase|code|(?<![a-z]pass))", "pass", _password),
    _apart("password", "pwd", "pwd", _password),
    _apart("password", r"парол(?:ь|я)", "парол", _password),
    _apart("secret", "secret", "secret", _random),
    _apart("token", "token", "token", _random),
    _apart("token", "токен", "токен", _random),
    _apart("api-key", KEY_NAME, "key", _random),
    Kind(
        "netrc-password",
        rf"(?:machine{_GAP}(?P<host>[\w.:-]{{1,255}})|default){_GAP}(?:(?:login|account){_GAP}[^\s\"'<>\\]{{1,128}}{_GAP}){{1,2}}"
        r"password(?:\s|\\n)+(?P<secret>[^\s\"'`\\]{3,256}+)",
        ("pass",),
        _netrc,
        also=("machine ", "default login"),
    ),
    Kind(
        "basic-credentials",
        r"auth(?<=[\"'_]auth)[\\\"']{0,4}[ \t]*[:=]\s*[\\\"']{0,4}(?P<secret>[a-z0-9+/]{8,512}+={0,2})",
        ("auth",),
        _encoded,
        also=('auth"', "_auth", "auth\\", "auth'"),
    ),
    Kind(
        "password",
        rf"(?:use|using|set|enter|type|try)(?<![\w-]use)(?<![\w-]set)[ \t]+{_BARE}[ \t]+as[ \t]+"
        rf"(?:(?:the|my|your|our|a|its)[ \t]+)?{_NAMED}(?:{_NOUN}|token|secret|pin){_NO_COMPOUND}",
        ("pass", "pwd", "token", "secret", "pin"),
        _is_plain_password,
        also=("as the ", "as my ", "as our ", "as your ", "as pass"),
    ),
    Kind(
        "password",
        rf"(?<!\S){_BARE}[ \t]+is[ \t]+(?:the|my|our)[ \t]+pass(?:word|phrase|code){_NO_COMPOUND}",
        ("pass",),
        _is_plain_password,
        also=("is my pass", "is the pass", "is our pass"),
    ),
    Kind(
        "password",
        rf"(?<!\S){_BARE}[ \t]+(?:как|в качестве|это|[—–-])[ \t]+{_NAMED}пароль(?!\w)",
        ("парол",),
        _is_plain_password,
    ),
    Kind("password", rf"[ \t]/(?<=[\w\"'`»][ \t]/)[ \t]+{_BARE}", (" / ",), _follows(_ACCOUNT), also=_ACCOUNT_WORDS),
    Kind(
        "password",
        rf"(?:cred(?:ential)?s?|доступы?){_OF}{_USER}:(?!//){_BARE}",
        ("cred", "доступ"),
        _is_plain_password,
    ),
    Kind("password", _ORACLE_VALUE, ("@",), _follows(_ORACLE_TOOL, is_key), also=_ORACLE_TOOLS),
    Kind("password", _ORACLE_VALUE, ("@",), _follows(_ORACLE), also=_ORACLE_WORDS),
    Kind("password", rf"{_ORACLE_VALUE}(?=//[\w.-]+(?::\d+)?/)", ("@//",), _follows(_USER_NAME)),
    Kind("password", rf"pass(?:word)?[ \t]+{_BARE}", ("pass",), _follows(_ACCOUNT_TOLD), also=_ACCOUNT_WORDS),
    Kind(
        "passphrase",
        r"(?:passphrase|(?:seed|recovery|mnemonic|secret) (?:phrase|words)|mnemonic|парольная фраза|сид[ -]?фраза)"
        rf"{CLOSE}(?:[ \t]*[:=—–][ \t]*|[ \t]+(?:is|это)[ \t]+)[\"'`«]?"
        r"(?P<bare>[^\W_]{1,16}(?:[ \t]+[^\W_]{1,16}){3,23})(?![ \t]*[\w(=/{\[-])",
        ("phrase", "mnemonic", "фраза"),
        _chosen_words,
    ),
    *(
        Kind(
            "pin",
            rf"{word}(?<![a-zа-я0-9]{word})(?:[ _-]?(?:code|number|код))?{CLOSE}(?:[ \t]+(?:for|to|от|для)"
            rf"(?:[ \t]+[\w.-]{{1,30}}){{1,4}}?)?(?:[ \t]*(?:==?|[:—–-])|[ \t]+(?:is|was|это)|(?<=code)|(?<=код))"
            r"[ \t]*[\"'`]?(?P<secret>\d{4,8})(?![\w]|[.,:/-]\d)",
            (word,),
            _pin,
        )
        for word in ("pin", "пин")
    ),
)
