"""
How a name and its secret are written together: the parts of patterns that read lower-cased text.

What separates the two is the group `separator`; the secret is the last group, called `bare` if it stands in no quotes.
"""

SUFFIX = (
    r"(?:[_.-]?(?:access|key|base|value|string|text|secret|token|prod|production|dev|staging|live|root|admin"
    r"|data|\d{1,3})(?![a-z]))*+s?(?:(?!\w)|(?=__\W))"
)
MARKUP = r"(?:\*{1,3}|__|</?(?:b|i|em|strong|code|tt|kbd|span|p|li|t[dh]|d[td])>)"
CLOSE = rf"[\\\"'`\])]{{0,5}}+{MARKUP}?"
_TYPE = r"(?:str|string|bytes|&str|&'static str|optional\[str\]|str ?\| ?none|final|any|char ?\*|secretstr)"
_WORDS = r"(?:[ \t]+(?:https?:)?[\w.@/'\"`«»*-]{1,60}+(?::\d{1,5}(?!\w))?){1,5}?"
_PHRASE = rf"(?:[ \t]+(?:for|of|on|to|in|at|from){_WORDS}|[ \t]*\([^()\n]{{1,40}}+\))"
"""What a secret is for: *for the staging database*, *(staging)*."""
_IS = r"[ \t]+(?:is|are|was|to)(?![\w])(?:[ \t]+(?:now|still|currently|set to|changed to))?:?[ \t]+"
SEPARATOR = (
    rf"(?P<separator>[ \t]*(?::[ \t]*{_TYPE}[ \t]*=|=>|[:=!]?==?=?|:|>(?![ \t])|(?<=[\"'`]),(?=[ \t]*\\*[\"'`])"
    rf"|\((?=\\*[\"'`])|\|(?!\|)|<t[dh]>|[—–])(?:{MARKUP}(?=[ \t\"'`]))?[ \t]*"
    rf"|{_PHRASE}(?:{_IS}|[ \t]*[:=—–](?!//)[ \t]*)|{_IS}|[ \t]+)"
)
_WRAPPER = (
    r"(?:\*{1,3}(?=[\"'`]))?"
    r"(?:[\w.:&]{0,16}(?:str|string|bytes?|secret|from|of)[\]]?\((?=\\*[\"'`]))?(?:[bruf]{1,2}(?=[\"']))?"
)
_QUOTED = (
    # Up to the closing quote, escapes and blanks included.
    r"\\+\"(?P<escaped_double>[^\"\\\n]{4,512}+)(?=\\+\")"
    r"|\\+'(?P<escaped_single>[^'\\\n]{4,512}+)(?=\\+')"
    r"|\"(?P<double>(?:[^\"\\\n]|\\[^\n]){4,512}+)(?=\")"
    r"|'(?P<single>(?:[^'\\\n]|\\[^\n]|''|'\\''){4,512}+)(?=')"
    r"|`(?P<tick>(?:[^`\\\n]|\\[^\n]){4,512}+)(?=`)"
    r"|«(?P<angled>[^«»\n]{4,512}+)(?=»)"
    r"|(?<=>)(?P<element>[^<>\"'\n]{4,512}+)(?=</[\w:.-]{0,40}(?:pass|pwd|secret))"
    # Never closed: up to the first blank.
    r"|\\+[\"'](?P<open_escaped>[^\s\"'\\]{4,512}+)"
    r"|\"(?P<open_double>(?:[^\s\"\\]|\\\S){4,512}+)"
    r"|'(?P<open_single>(?:[^\s'\\]|\\\S){4,512}+)"
    r"|`(?P<open_tick>(?:[^\s`\\]|\\\S){4,512}+)"
)
PLAIN = r"[^\s\"'`<>(){}\[\],;&\\]"
VALUE = rf"(?:{_QUOTED}|(?P<bare>{PLAIN}{{6,512}}+)(?![(\[{{]))"
_INNER = (
    # A sign goes on with the word, but not before the next setting (`;server=`) or command, nor at the word's end.
    r"(?:[,;&(\[{](?![\w .-]{1,40}[=:])|[)\]}<>]|(?<=\w)[\"']|\\[ &;|()$!#*<>]|\\(?![nrtbfuxv0]))"
    r"(?=[^\W_])"
)
PASSWORD_VALUE = rf"(?:{_QUOTED}|(?P<bare>(?=\S{{6}}){PLAIN}{{2,512}}+(?:{_INNER}{PLAIN}{{1,512}}+){{0,8}}+))"


RUSSIAN_SEPARATOR = (
    rf"(?P<separator>{_WORDS}[ \t]*[:=—–](?!//)[ \t]*(?:{MARKUP}[ \t]+)?"
    rf"|[ \t]*(?:=>|[:=—–|-])(?:{MARKUP}(?=[ \t\"'`]))?[ \t]*"
    rf"|[ \t]+(?:это|теперь)[ \t]+|[ \t]+(?:от|для|к|ко|на|у){_WORDS}[ \t]+|[ \t]+){_WRAPPER}"
)


def assigned(word: str, value: str = VALUE) -> str:
    """Return the pattern of a name that ends with *word*, what stands between, and its value."""
    return rf"{word}{SUFFIX}{CLOSE}{SEPARATOR}{_WRAPPER}{value}"


_KEY_WORDS = (
    *("api", "access", "private", "auth", "encryption", "signing", "master", "account", "subscription", "app"),
    *("application", "client", "license", "session", "shared", "storage", "deploy", "integration", "consumer", "hmac"),
)
KEY_NAME = "key(?:" + "|".join(f"(?<={word}{joint}key)" for word in _KEY_WORDS for joint in ("", *"_-. ")) + ")"
