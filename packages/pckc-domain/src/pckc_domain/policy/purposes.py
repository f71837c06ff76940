"""What a thing is used for, said as a deed: `format code with X` is `use X for formatting`. English and Russian."""

# ruff: noqa: E501  # patterns read best on one line

import re

from pckc_domain.policy.findings import compiled, russian
from pckc_domain.policy.subjects import kind_of_value, names_kind, normalize_value

_REST = r"(?P<rest>(?:,? (?:instead of|rather than|and not|not|вместо|а не|не) (?:the |an? )?\S+?(?: [a-z-]+){0,2}| now| instead| from now on|,? again| теперь)*)[.!]?$"
_NOUNS = {"deploy": "deployment", "format": "formatting", "lint": "linting", "test": "testing", "build": "builds"}
"""Nouns of deeds by which they are also called; all other deeds have none but the gerund."""

_RUSSIAN_NOUNS = {"депло": "деплоя", "форматир": "форматирования", "тестир": "тестирования", "собира": "сборки"}
"""By the stem of the verb."""

_CODE_DEED = compiled(
    r"^(?P<we>we (?:now )?)?(?P<deed>format|lint) (?:(?:the |all |our )?code )?(?:with|using) (?P<x>[^\s,]+(?: format)?)"
    + _REST
)
_DEED = compiled(
    r"^(?P<we>we (?:now )?)?(?P<deed>[a-z]{3,}) (?:(?:the |all |our )?code |(?:all |our )?(?:the (?=\w+s ))?(?P<object>[a-z-]+(?: (?!only\b|always\b)[a-z-]+)?) )?(?P<always>only |always )?"
    r"(?:with|using|(?P<through>via|through)) (?P<x>[A-Za-z][\w.+#/-]*?\w(?: (?:(?-i:[A-Z])[\w.+#-]*|(?P<command>(?!now\b|instead\b|again\b|from\b|not\b|and\b|rather\b)[a-z][\w:-]*)))?)"
    + _REST
)
_DEED_RU = russian(
    r"^(?P<lead>(?:мы )?(?:теперь )?)(?P<before>[а-яё]+ )?(?:теперь )?(?P<verb>деплой(?:те)?|[а-яё]+?(?:[аяуе]й(?:те)?|и(?:те)?|[еи]м|ём)) (?P<object>(?!(?:теперь|только|всегда)\b)[а-яё]+ )?"
    r"(?:теперь |только |всегда )*(?:(?:через|с помощью|при помощи)|(?P<on>на)) (?P<x>[A-Za-z][\w.+#/-]*?\w(?: [A-Za-z][\w.+#:-]*)?)"
    + _REST
)
_TO_DEED = compiled(r"(?<=\w) to (?P<deed>format|lint)(?: (?:the |all |our )?code)?(?=$| instead\b| now\b)")
_TOGETHER = frozenset(
    """
    add agree align chat check combine compare connect consult continue coordinate deal discuss end exchange fill finish
    go help integrate join match meet merge mix pair play proceed replace share speak start stay stick swap sync talk
    try work begin come follow cross-check convert create draft draw fix generate implement make migrate plot port
    prepare refactor rewrite
    """.split()
)
"""Deeds whose `with` names no tool (a companion, the other side, a part), and those that are done once."""

_CONTRAST = compiled(r",? (?:instead of|rather than|(?:and )?not) ")
_ORDERING = compiled(r"[а-яё]+(?:[аяуео]й|и)(?:те)?$")
_ONCE = compiled(
    r"(?:на|по|со?|за|пере|вы|до|при|от|у|раз|рас|под|об|про)[а-яё]+[иь](?:те)?$|(?:созда|сдела|переда|узна|прочита|да|дава|начина)й(?:те)?$"
)
"""Orders of what is done once: `напиши`, not `пиши`."""

_ONE_THING = frozenset(
    """
    it this that them these those all everything something things me us him her you only
    это этот эту эти его её ее их всё все только лишь меня мне нас нам там тут так
    """.split()
)


def by_purpose(clause: str) -> str:
    """Return `format code with X`, `deploy with X` and `use X to format code` as `use X for …`; else *clause* as it is."""
    if match := _CODE_DEED.match(clause):
        return _used(match, match["x"], _NOUNS[match["deed"].casefold()])
    if (match := _DEED.match(clause)) and (purpose := _purpose(match)):
        return _used(match, match["x"], purpose)
    if match := _DEED_RU.match(clause):
        return _russian(match) or clause
    return _TO_DEED.sub(lambda match: f" for {_NOUNS[match['deed'].casefold()]}", clause)


def _used(match: re.Match[str], x: str, purpose: str) -> str:
    return f"{match['we'] or ''}use {_quoted(x)} for {purpose}{match['rest']}"


def _quoted(x: str) -> str:
    """Return a command of two words as the name that it is."""
    return f"`{x}`" if " " in x and x.islower() else x


def _purpose(match: re.Match[str]) -> str:
    """Return what a thing is used for by a deed without objects, or with many: `migrate it with X` is one deed of today."""
    deed, thing = match["deed"].casefold(), (match["object"] or "").casefold()
    is_run = deed == "run" and bool(thing and match["through"] and (match["we"] or match["always"]))
    if (match["command"] and not is_run) or (
        match["through"] == "through" and (not thing or deed == "run") and not is_run
    ):
        return ""
    is_tool = is_run or _names_tool(match["x"]) or bool(_CONTRAST.match(match["rest"]))
    if deed in _TOGETHER or not is_tool or not _ONE_THING.isdisjoint(thing.split()):
        return ""
    if not thing:
        return _NOUNS.get(deed) or gerund(deed)
    if not re.search(r"(?<![isu])s$", thing):
        return ""
    is_kind = names_kind(thing, kind_of_value(normalize_value(match["x"])))
    return thing if is_kind or deed in {"write", "run", "do"} else f"{thing} {gerund(deed)}"


def _names_tool(x: str) -> bool:
    return bool(kind_of_value(normalize_value(x))) or x[:1].isupper() or bool(re.search(r"\w[._/@+#-]\w|\d", x))


def _russian(match: re.Match[str]) -> str:
    x, verb = match["x"], match["verb"].casefold()
    thing = (match["object"] or match["before"] or "").strip().casefold()
    is_known = bool(kind_of_value(normalize_value(x)))
    is_contrasted = any(kind_of_value(normalize_value(word)) for word in match["rest"].split())
    is_tool = is_known if match["on"] else _names_tool(x) or " " in x or is_contrasted
    if not is_tool or is_done_once(verb):
        return ""
    purpose = thing or next((noun for stem, noun in _RUSSIAN_NOUNS.items() if verb.startswith(stem)), "")
    if (
        not purpose
        or not _ONE_THING.isdisjoint(thing.split())
        or (match["before"] and re.search("[йь] ?$", match["before"]))
    ):
        return ""
    if thing and not names_kind(thing, kind_of_value(normalize_value(x))):
        purpose = f"{thing} {verb}"
    used = "используй" if _ORDERING.match(verb) else "мы используем"
    return f"{used} {_quoted(x)} для {purpose}{match['rest']}"


def is_done_once(verb: str) -> bool:
    """Return whether a Russian imperative asks for one deed (`напиши`), not for a way to do things (`пиши`)."""
    return bool(_ONCE.match(verb))


def gerund(verb: str) -> str:
    """Return `committing` of `commit`, `deleting` of `delete`."""
    stem = verb.removesuffix("e")
    return f"{stem}{stem[-1] if verb == 'commit' or _SHORT.fullmatch(verb) else ''}ing"


_SHORT = re.compile(r"[^aeiou]+[aeiou][bdgmnpt]")
"""One syllable whose last consonant is written twice before an ending."""
