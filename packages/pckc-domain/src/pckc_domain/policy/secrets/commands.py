"""
The credentials given to a program on its command line, as data.

Patterns find a flag with its argument; which program it belongs to is judged from the words before it, up to the
start of the command. They read lower-cased text, so whether `-p` or `-P` was written is judged as well.
"""

import re
from collections.abc import Callable

from pckc_domain.policy.secrets.kinds import Candidate, Kind
from pckc_domain.policy.secrets.values import SIGNS, is_placeholder, is_scrambled

_REACH = 400
"""Characters before a flag in which its program is looked for."""
_GAP = r"(?:[ \t]+|=|\\*[\"'],[ \t]*)"
_ARGUMENT = (
    r"(?:\\*\"(?P<double>[^\"\\\n]{4,512}+)(?=\\*\")|\\*'(?P<single>[^'\\\n]{4,512}+)(?=\\*')"
    r"|(?P<bare>[^\s\"'`\\;|&<>]{4,512}+))"
)
_USER = r"[^\s:\"'/\\<>]{1,128}"
_LOGIN = (
    rf"(?:\\*\"{_USER}:(?P<double>[^\"\\\n]{{4,256}}+)(?=\\*\")|\\*'{_USER}:(?P<single>[^'\\\n]{{4,256}}+)(?=\\*')"
    rf"|\\*[\"']?{_USER}:(?P<bare>[^\s\"'`\\;|&<>]{{4,256}}+))"
)
_NO_VALUE = re.compile(r"[$%]\w+%?$|\$\(|-")
"""A variable, a command to run, or the next flag."""


def _program(names: str) -> re.Pattern[str]:
    """Return the pattern of a program's name with all that follows it, on one line or on continued ones."""
    return re.compile(rf"(?<![\w/:.@-])(?:\S{{0,40}}/)?(?:{names})(?:\.exe)?[\"']?,?[ \t](?:[^\n|;&]|\\\n)*$")


_WEB_CLIENT = _program("curl|wget|https?|xh")
_REDIS = _program("redis-cli")
_ASKED = _program(r"sshpass|mongo\w*|(?:docker|podman|az|az acr|oc)[ \t]+login")
_ASKED_UPPER = _program("sqlcmd")
_READER = re.compile(r"(?:(?<![\w-])sudo[ \t](?:[^\n|;&]*[ \t])?-\w*s\w*|--password-stdin|--stdin)(?:[ \t][^\n|;&]*)?$")
"""What reads a password from its input, with all that follows it."""
_JOINED = _program("(?:mysql|mariadb)[a-z-]*")
"""After a blank, their `-p` asks for the password, and the name of a database follows."""


def _argument(candidate: Candidate) -> bool:
    """Accept an argument in quotes, or one that is no word of a sentence about the flag."""
    secret = candidate.secret
    if is_placeholder(secret) or _NO_VALUE.match(secret):
        return False
    return candidate.quoted or any(c.isdigit() or c in SIGNS for c in secret) or is_scrambled(secret)


def _given_to(candidate: Candidate, program: re.Pattern[str]) -> bool:
    start = candidate.match.start()
    return program.search(candidate.searched[max(0, start - _REACH) : start]) is not None


def _accept(program: re.Pattern[str]) -> Callable[[Candidate], bool]:
    return lambda candidate: _argument(candidate) and _given_to(candidate, program)


def _p(candidate: Candidate) -> bool:
    """Accept the argument of `-p`, of `-P`, or joined to `-p`, of the programs that take a password so."""
    if not _argument(candidate):
        return False
    start = candidate.match.start()
    if candidate.text[start + 1] == "P":
        return _given_to(candidate, _ASKED_UPPER)
    joined = candidate.match["gap"] is None
    return _given_to(candidate, _ASKED) or (joined and _given_to(candidate, _JOINED))


def _here(candidate: Candidate) -> bool:
    """Accept a here-string of a program that reads its password from the input."""
    secret = candidate.secret
    if is_placeholder(secret) or _NO_VALUE.match(secret):
        return False
    return _given_to(candidate, _READER)


COMMANDS: tuple[Kind, ...] = (
    Kind("command-password", rf"-p(?<=[\s\"']-p)(?P<gap>{_GAP})?{_ARGUMENT}", ("-p",), _p),
    Kind("command-password", rf"-a(?<=[\s\"']-a){_GAP}{_ARGUMENT}", ("-a",), _accept(_REDIS)),
    Kind(
        "command-password",
        rf"-u(?:ser)?(?:(?<=[\s\"']-u)|(?<=-user)){_GAP}?{_LOGIN}",
        ("-u",),
        _accept(_WEB_CLIENT),
    ),
    Kind(
        "command-password", rf"-a(?:uth)?(?:(?<=[\s\"']-a)|(?<=--auth)){_GAP}?{_LOGIN}", ("-a",), _accept(_WEB_CLIENT)
    ),
    *(
        Kind(
            "command-password",
            rf"{printer}[ \t]+(?:-n[ \t]+|[\"']?%s(?:\\n)?[\"']?[ \t]+)?{_ARGUMENT}\\*[\"']?[ \t]*\|"
            r"[^\n]{0,120}?(?:--password-stdin|sudo (?:-\w+ )*-s|passwd --stdin|chpasswd)",
            ("pass", "sudo"),
            _argument,
            also=(f"{printer} ",),
        )
        for printer in ("echo", "printf")
    ),
    Kind("command-password", rf"<<<[ \t]*{_ARGUMENT}", ("<<<",), _here),
    Kind("command-password", rf"sshpass={_ARGUMENT}", ("pass",), _argument),
)
