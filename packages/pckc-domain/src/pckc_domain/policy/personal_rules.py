"""
Rules for what people say of themselves and theirs, in ordinary talk. English.

The subject of `I` is the speaker, so these rules read people's words only. Attributes of which a person has one
(residence, employer, diet) replace each other; what one may have many of (likes, allergies) is an attribute each.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.identity import normalize
from pckc_domain.policy.findings import STATED, Finding, polarity
from pckc_domain.policy.subjects import YES, attribute_name, kind_of_value, normalize_subject, normalize_value
from pckc_domain.policy.vocabulary import OCCUPATIONS, RELATIVES

_I = r"\b(?:I|i)"
_AM = rf"{_I}(?:'m| am)"
_NAME = r"(?:(?:[A-ZÀ-ÖØ-Þ][\w'&.-]*\w|[A-Z])(?: (?:of |de |del |la |the )?[A-ZÀ-ÖØ-Þ][\w'&-]*){0,3})"
_LOWER = r"(?:[a-z]{3,}(?=\s*(?:$|[.,;!]|\snow\b)))"
_NO_PLACE = frozenset(
    "peace fear hope town city here there denial style bed private public work home school person love".split()
)
_END = r"(?=\s*(?:$|[.,;:!?()]|\s(?:and|but|so|because|since|now|these|for|in|on|with|as|when|while|too|anymore|any more|though|last|this|to|at|who|which|after|every|yesterday|today|recently|already|again|next|since|from|then|where)\b))"
_WORDS = r"(?P<x>[\w'-]+(?: [\w'-]+){0,3}?)" + _END
_NOT = r"(?P<not>(?:do not|don't|no longer|never) |can't |cannot )?"
_RELATIVE = "|".join(sorted((re.escape(name) for name in RELATIVES if name.isascii()), key=len, reverse=True))
_MY = rf"\b[Mm]y (?:(?:older|younger|elder|little|big|new|best|late) )?(?P<rel>{_RELATIVE})"

_LIVES = re.compile(
    rf"(?:{_I}|\b[Ww]e)(?P<no> no longer| don't| do not)? ?(?:'m |am |have been |'ve been )?(?:currently |now |still )?(?:live|living|based|reside) in (?P<x>{_NAME}|{_LOWER})"
)
_MOVED = re.compile(
    rf"(?:{_I}|\b[Ww]e(?=(?:'ve| have)? (?:just |recently )?relocated))(?:'ve| have)? ?(?:just |recently |finally )?(?:moved|relocated)(?: back| over)?(?: from {_NAME})? to (?P<x>{_NAME}|{_LOWER})"
)
_ORIGIN = re.compile(rf"{_AM} (?:originally )?from (?P<x>{_NAME})|{_I} (?:come|grew up) (?:from|in) (?P<y>{_NAME})")
_WORKS = re.compile(
    rf"{_I}(?:'m| am)?(?P<no> no longer| don't| do not| not)? ?(?:currently |now |still )?(?:work|working|employed)(?: as an? [\w -]{{2,30}}?)? (?:at|for|with) (?P<x>{_NAME})"
)
_JOINED = re.compile(
    rf"(?:{_I}|\band|,)(?:'ve| have)? ?(?:just |recently )?(?:joined|started (?:working )?at|started a (?:new )?job at|got (?:a|the) (?:new )?job at|got hired (?:by|at)|began working at) (?P<x>{_NAME})"
)
_LEFT = re.compile(
    rf"{_I}(?:'ve| have)? ?(?:just |recently )?(?:left|quit|resigned from|got laid off from|was laid off from) (?:my job at )?(?P<x>{_NAME}){_END}"
)
_OCCUPATION = re.compile(
    rf"(?:{_AM}|{_I} work as|{_I} became) (?:now )?an? (?P<x>(?:[\w-]+ ){{0,2}}(?:{'|'.join(sorted(OCCUPATIONS))}))\b"
)
_NAMED = re.compile(rf"\b[Mm]y (?:full |first )?name(?:'s| is) (?P<x>{_NAME})|\b[Cc]all me (?P<y>{_NAME})")
_DIET = re.compile(
    rf"{_AM}(?P<no> not| no longer)? ?(?:now |currently |a |strictly )*(?P<x>vegetarian|vegan|pescatarian)\b|{_I} (?:became|went|turned|have become|'ve become) (?:a )?(?P<y>vegetarian|vegan|pescatarian)\b"
)
_ALLERGY = re.compile(
    rf"{_AM}(?P<no> not| no longer)? ?(?:also |very |severely |deathly )?allergic to (?P<x>[\w-]+(?: (?!and\b)[\w-]+)?(?:(?:,| and|, and) [\w-]+)*){_END}"
)
_EATS = re.compile(
    rf"{_I} (?P<no>don't|do not|never|no longer) (?P<verb>eat|drink|smoke){_END}(?: (?P<x>[\w-]+(?: [\w-]+)?){_END})?|{_I} (?P<no2>don't|do not|never|no longer) (?P<verb2>eat|drink) (?P<x2>(?!(?:or|and|much|that|it|any|enough|well|the|this|anything)\b)[\w-]+(?: [\w-]+)?){_END}"
)
_PREFERS = re.compile(
    rf"{_I}(?:'d| would)? ?(?:also |really |always |usually |generally |still |now )?(?P<no>don't |no longer )?prefer (?P<x>[\w'-]+(?: (?!over\b|to\b)[\w'-]+){{0,4}}?)(?: (?:over|to|rather than|instead of) (?P<z>[\w'-]+(?: [\w'-]+){{0,2}}?))?{_END}"
)
_LIKES = re.compile(
    rf"{_I} (?:really |also |absolutely |just |still )?{_NOT}(?:really )?(?P<verb>like|love|enjoy|hate|dislike|can't stand|adore) {_WORDS}"
)
_FAVOURITE = re.compile(
    rf"\b(?P<who>[Mm]y|{_MY}(?:'s)) favou?rite (?P<what>[\w-]+(?: [\w-]+)?) (?:is|are) (?:now |still )?(?P<x>(?:the )?[\w'-]+(?: [\w'-]+){{0,3}}?){_END}"
)
_RELATIVE_NAME = re.compile(
    rf"{_MY}(?:'s) name(?:'s| is) (?:now )?(?P<x>{_NAME})|{_MY.replace('<rel>', '<rel2>')},? (?:is (?:named|called)|named|called) (?P<y>{_NAME})"
)
_RELATIVE_LIVES = re.compile(
    rf"{_MY}(?: (?P<name>{_NAME}))? (?:now |currently )?(?:(?P<lives>lives in|moved to|is living in)|(?P<works>works (?:at|for)|joined)) (?P<x>{_NAME})"
)
_RELATIVE_JOB = re.compile(
    rf"{_MY} (?:is|works as) (?:now )?an? (?P<x>(?:[\w-]+ )?(?:{'|'.join(sorted(OCCUPATIONS))}))\b"
)
_HAS = re.compile(
    rf"\b(?:I|i|[Ww]e)(?:'ve)? (?:just |recently |also )?(?:have|got|have got|adopted|bought) (?:a|an|two|three|one) (?:new )?(?P<rel>{_RELATIVE}),? (?:named|called|whose name is) (?P<x>{_NAME})"
)
_ATTRIBUTE = re.compile(
    rf"\b[Mm]y (?P<rel>(?:{_RELATIVE})(?:'s) )?(?P<a>email|e-mail|address|birthday|age|job|occupation|hometown|nickname|timezone|salary|budget|deadline|title|time zone|phone number|shoe size|blood type|wedding|anniversary|flight|appointment) (?:is|was moved to|has moved to)(?: on| at| now)* (?P<x>[\w@.+:/'-]+(?: [\w@.+:/'-]+){{0,3}}?){_END}"
)
_AGE = re.compile(
    rf"{_AM} (?P<x>\d{{1,3}})(?: years old|-years-old| y\.?o\.?\b)|{_AM} (?P<y>\d\d)(?=[.,!]|$)|{_I} (?:just )?turned (?P<z>\d{{1,3}})\b"
)
_MARITAL = re.compile(
    rf"{_AM}(?: now| currently| happily)? (?P<x>married|single|divorced|engaged|widowed)\b|{_I} got (?P<y>married|divorced|engaged)\b"
)
_SPEAKS = re.compile(
    rf"{_I} (?:can |also )?(?P<no>don't |do not |can't )?speak (?P<x>(?:fluent |some |a little )?[A-Z][a-z]+(?:(?:,| and|, and) [A-Z][a-z]+)*)"
)
_BORN = re.compile(rf"{_I} was born (?P<prep>in|on) (?P<x>{_NAME}(?: \d{{1,2}}(?:, \d{{4}})?)?|\d{{4}})")
_USES = re.compile(
    rf"{_I} (?:now |currently |mostly |still )?(?P<no>no longer |don't )?use (?P<x>[A-Z`][\w`.+-]*(?: [A-Z][\w.+-]*)?){_END}"
)
_HABIT = re.compile(
    rf"(?:^|\b(?:and|but|also),? ){_I} (?P<word>always|never) (?P<x>[\w'-]+(?: [\w'-]+){{0,6}}?)(?=\s*(?:$|[.,;!]))"
)
_NO_HABIT = re.compile(
    r"(?:thought|knew|heard|saw|seen|said|wanted|had|been|have|be|get|feel|know|understand|remember|forget|want|mind|think|"
    r"overdo|like|love|eat|drink|use|prefer|did|felt|got|liked|met)\b"
)
_POLITE = re.compile(
    r"^(?:something|anything|everything|nothing|people|the|a|an|it|that|this|how|your|to|you|what|when|where|him|her|them|these|those|if|some|one)\b|^(?:idea|sound)",
    re.IGNORECASE,
)


_OWN = re.compile(r"\b(?:I|i|[Mm]y|[Ww]e|[Cc]all me)\b")


def find_personal(sentence: str, speaker: str) -> Iterator[Finding]:
    """Yield what a person called *speaker* (`user` when unknown) says of themselves in *sentence*; several at once."""
    if not _OWN.search(sentence):
        return
    sentence = sentence.replace("’", "'")
    for find in (_work, _homes, _body, _tastes, _relatives, _rest):
        yield from find(sentence, speaker)


def _fact(
    rule: str, subject: str, attribute: str, value: str, *, negative: object = False, is_event: bool = False
) -> Finding:
    return Finding(
        rule=f"personal.{rule}",
        type=ClaimType.FACT,
        subject=subject,
        attribute=attribute,
        value=value,
        polarity=polarity(negative),
        is_event=is_event,
    )


def _homes(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _MOVED.search(sentence):
        if normalize(match["x"]) not in _NO_PLACE:
            yield _fact("moved", speaker, "residence", normalize_value(match["x"]), is_event=True)
    elif (match := _LIVES.search(sentence)) and normalize(match["x"]) not in _NO_PLACE:
        yield _fact("lives", speaker, "residence", normalize_value(match["x"]), negative=match["no"])
    if match := _ORIGIN.search(sentence):
        yield _fact("origin", speaker, "origin", normalize_value(match["x"] or match["y"]))
    if match := _BORN.search(sentence):
        attribute = "birthplace" if match["prep"] == "in" and not re.search(r"\d", match["x"]) else "birthday"
        yield _fact("born", speaker, attribute, normalize_value(match["x"]))


def _work(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _WORKS.search(sentence):
        yield _fact("works", speaker, "employer", normalize_value(match["x"]), negative=match["no"])
    elif match := _LEFT.search(sentence):
        yield _fact("left", speaker, "employer", normalize_value(match["x"]), negative=True, is_event=True)
    if match := _JOINED.search(sentence):
        yield _fact("joined", speaker, "employer", normalize_value(match["x"]), is_event=True)
    if match := _OCCUPATION.search(sentence):
        yield _fact("occupation", speaker, "occupation", normalize_value(match["x"]))


def _body(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _DIET.search(sentence):
        yield _fact("diet", speaker, "diet", normalize(match["x"] or match["y"]), negative=match["no"])
    if match := _ALLERGY.search(sentence):
        for thing in re.split(r",? and |, ", match["x"]):
            yield _fact("allergy", speaker, f"allergic to {normalize(thing)}", YES, negative=match["no"])
    if match := _EATS.search(sentence):
        verb, thing = match["verb"] or match["verb2"], match["x"] or match["x2"] or ""
        yield _fact("eats", speaker, f"{verb} {normalize(thing)}".strip(), YES, negative=True)
    if match := _AGE.search(sentence):
        yield _fact("age", speaker, "age", match["x"] or match["y"] or match["z"])
    if match := _MARITAL.search(sentence):
        yield _fact("marital", speaker, "marital status", match["x"] or match["y"])


def _tastes(sentence: str, speaker: str) -> Iterator[Finding]:
    if (match := _PREFERS.search(sentence)) and not _POLITE.match(match["x"]):
        yield preference(match["x"], match["z"] or "", speaker, negative=match["no"])
    if (match := _LIKES.search(sentence)) and not _POLITE.match(match["x"]):
        dislikes = match["verb"] in {"hate", "dislike", "can't stand"}
        yield _fact("likes", speaker, f"likes {normalize(match['x'])}", YES, negative=bool(match["not"]) != dislikes)
    if match := _FAVOURITE.search(sentence):
        owner = f"{speaker}'s {RELATIVES[match['rel']]}" if match["rel"] else speaker
        what = " ".join(map(attribute_name, normalize(match["what"]).split()))
        yield _fact("favourite", owner, f"favourite {what}", normalize_value(match["x"]))


def preference(liked: str, other: str, speaker: str, *, negative: object = False) -> Finding:
    """
    Return that *speaker* prefers *liked*, perhaps over *other*.

    Values of a known kind fill the slot of that kind, a comparison the slot of its two sides, another preference its own.
    """
    value = normalize_value(liked)
    if kind := kind_of_value(value):
        attribute = f"preferred {kind}"
    elif other:
        attribute = "prefers " + " or ".join(sorted((value, normalize_value(other))))
    else:
        attribute, value = f"prefers {value}", YES
    return Finding(
        rule="personal.prefers",
        type=ClaimType.CONSTRAINT,
        subject=speaker,
        attribute=attribute,
        value=value,
        polarity=polarity(negative),
        confidence=STATED,
        is_standing=True,
    )


def _relatives(sentence: str, speaker: str) -> Iterator[Finding]:
    for match in _RELATIVE_NAME.finditer(sentence):
        relative = RELATIVES[match["rel"] or match["rel2"]]
        yield _fact("relative", f"{speaker}'s {relative}", "name", normalize_value(match["x"] or match["y"]))
    for match in _HAS.finditer(sentence):
        yield _fact("relative", f"{speaker}'s {RELATIVES[match['rel']]}", "name", normalize_value(match["x"]))
    for match in _RELATIVE_LIVES.finditer(sentence):
        attribute = "residence" if match["lives"] else "employer"
        if match["name"]:
            yield _fact("relative", f"{speaker}'s {RELATIVES[match['rel']]}", "name", normalize_value(match["name"]))
        yield _fact("relative", f"{speaker}'s {RELATIVES[match['rel']]}", attribute, normalize_value(match["x"]))
    for match in _RELATIVE_JOB.finditer(sentence):
        yield _fact("relative", f"{speaker}'s {RELATIVES[match['rel']]}", "occupation", normalize_value(match["x"]))


def _rest(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _NAMED.search(sentence):
        yield _fact("name", speaker, "name" if match["x"] else "nickname", normalize_value(match["x"] or match["y"]))
    for match in _ATTRIBUTE.finditer(sentence):
        if match["a"] != "name":
            relative = (match["rel"] or "")[:-3]
            owner = f"{speaker}'s {RELATIVES[relative]}" if relative else speaker
            yield _fact("attribute", owner, attribute_name(match["a"]), normalize_value(match["x"]))
    if match := _SPEAKS.search(sentence):
        for language in re.split(r",? and |, ", match["x"]):
            yield _fact("speaks", speaker, f"speaks {normalize_subject(language)}", YES, negative=match["no"])
    if match := _USES.search(sentence):
        yield _fact("uses", speaker, f"uses {normalize_value(match['x'])}", YES, negative=match["no"])
    if match := _HABIT.search(sentence):
        verb = normalize(match["x"])
        if not _NO_HABIT.match(verb):
            yield _fact("habit", speaker, verb, YES, negative=match["word"] == "never")
