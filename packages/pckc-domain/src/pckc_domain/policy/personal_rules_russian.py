"""Rules for what people say of themselves and theirs, in ordinary talk. Russian; see `personal_rules`."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.identity import normalize
from pckc_domain.policy.findings import Finding, polarity
from pckc_domain.policy.personal_rules import preference
from pckc_domain.policy.subjects import YES, normalize_value
from pckc_domain.policy.vocabulary import RELATIVES

_I = r"\b[Яя] "
_NAME = r"(?:[A-ZА-ЯЁ][\w-]+(?: [A-ZА-ЯЁ][\w-]+){0,2})"
_RELATIVE = "|".join(sorted((name for name in RELATIVES if not name.isascii()), key=len, reverse=True))
_MY = rf"\b[Мм](?:ой|оя|оё|оего|оему|оей|ою|оих) (?:старш\w+ |младш\w+ )?(?P<rel>{_RELATIVE})"
_WORDS = r"(?P<x>[\wё-]+(?: [\wё-]+){0,3}?)(?=\s*(?:$|[.,;:!?()]|\s(?:и|а|но|потому|так|теперь|больше|в|на|с|по|для|когда|чем)\b))"

_LIVES = re.compile(rf"{_I}(?:сейчас |теперь |пока )?(?P<no>больше не |не )?(?:живу|проживаю) в (?P<x>{_NAME})")
_MOVED = re.compile(
    rf"{_I}(?:недавно |уже |только что )?(?:переехала?|перебралась|перебрался)(?: из {_NAME})? в (?P<x>{_NAME})"
)
_ORIGIN = re.compile(rf"{_I}(?:родом |сам |сама )?из (?P<x>{_NAME})|{_I}родил(?:ся|ась) в (?P<y>{_NAME})")
_WORKS = re.compile(rf"{_I}(?:сейчас |теперь )?(?P<no>больше не |уже не |не )?работаю (?:\w+ )?в (?P<x>{_NAME})")
_JOINED = re.compile(
    rf"(?:{_I}|\bи )(?:недавно |уже )?(?:устроил(?:ся|ась)|перешла?|вышла? на работу) в (?P<x>{_NAME})"
)
_LEFT = re.compile(rf"{_I}(?:недавно |уже )?(?:уволил(?:ся|ась)|ушла?) из (?P<x>{_NAME})")
_NAMED = re.compile(rf"\b[Мм]еня зовут (?P<x>{_NAME})|\b[Мм]о[её] имя (?:[—-] )?(?P<y>{_NAME})")
_RELATIVE_NAME = re.compile(
    rf"{_MY} зовут (?P<x>{_NAME})|\b[Ии]мя мо(?:его|ей) (?P<rel2>{_RELATIVE}) (?:[—-] )?(?P<y>{_NAME})"
)
_RELATIVE_LIVES = re.compile(
    rf"{_MY} (?:сейчас |теперь )?(?:(?P<lives>живёт|живет|переехала?)|(?P<works>работает)) в (?P<x>{_NAME})"
)
_DIET = re.compile(
    rf"{_I}(?:теперь |стал |стала |сейчас |— )*(?P<no>больше не |не )?(?P<x>вегетариан(?:ец|ка|цем|кой)|веган(?:ка|ом|кой)?)\b"
)
_ALLERGY = re.compile(
    r"\b[Уу] меня (?P<no>больше нет |нет )?(?:сильная )?аллерги[яи] на (?P<x>[\wё-]+(?:(?:, | и )[\wё-]+)*)"
)
_EATS = re.compile(rf"{_I}(?:больше |никогда )?не (?P<verb>ем|пью|курю)(?: (?P<x>[\wё-]+))?(?=\s*(?:$|[.,;!]))")
_PREFERS = re.compile(
    rf"{_I}(?:обычно |всегда |теперь |больше )?(?P<no>не )?предпочитаю (?P<x>[\wё-]+(?: [\wё-]+){{0,3}}?)(?:,? (?:а не|вместо|чем) (?P<z>[\wё-]+(?: [\wё-]+)?))?(?=\s*(?:$|[.,;!]))"
)
_LIKES = re.compile(
    rf"{_I}(?:очень |больше |всё ещё )*(?P<no>не )?(?P<verb>люблю|обожаю|ненавижу|терпеть не могу) {_WORDS}"
)
_FAVOURITE = re.compile(
    r"\b[Мм](?:ой|оя|оё|ое) любим(?:ый|ая|ое) (?P<what>[\wё-]+)(?: сейчас| теперь)? ?(?:[—–-]|это) ?(?:это )?(?P<x>[\wё-]+(?: [\wё-]+){0,3}?)(?=\s*(?:$|[.,;!]))"
)
_AGE = re.compile(r"\b[Мм]не (?:уже |сейчас |исполнилось )?(?P<x>\d{1,3}) (?:лет|год|года)\b")
_MARITAL = re.compile(rf"{_I}(?:теперь |уже )?(?P<x>женат|замужем|разведён|разведен|разведена|холост)\b")
_BIRTHDAY = re.compile(r"\b[Мм]ой день рождения (?:[—–-] )?(?P<x>\d{1,2} [а-я]+)")
_MARITAL_NAMES = {"женат": "married", "замужем": "married", "холост": "single"}


def find_personal_russian(sentence: str, speaker: str) -> Iterator[Finding]:
    """Yield what a person called *speaker* says of themselves in a Russian *sentence*; several at once."""
    if sentence.isascii():
        return
    for find in (_work, _homes, _body, _tastes, _relatives):
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
        yield _fact("moved", speaker, "residence", normalize_value(match["x"]), is_event=True)
    elif match := _LIVES.search(sentence):
        yield _fact("lives", speaker, "residence", normalize_value(match["x"]), negative=match["no"])
    if match := _ORIGIN.search(sentence):
        yield _fact("origin", speaker, "origin", normalize_value(match["x"] or match["y"]))


def _work(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _WORKS.search(sentence):
        yield _fact("works", speaker, "employer", normalize_value(match["x"]), negative=match["no"])
    elif match := _LEFT.search(sentence):
        yield _fact("left", speaker, "employer", normalize_value(match["x"]), negative=True, is_event=True)
    if match := _JOINED.search(sentence):
        yield _fact("joined", speaker, "employer", normalize_value(match["x"]), is_event=True)


def _body(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _DIET.search(sentence):
        diet = "vegetarian" if match["x"].startswith("вегетариан") else "vegan"
        yield _fact("diet", speaker, "diet", diet, negative=match["no"])
    if match := _ALLERGY.search(sentence):
        for thing in re.split(r", | и ", match["x"]):
            yield _fact("allergy", speaker, f"allergic to {normalize(thing)}", YES, negative=match["no"])
    if match := _EATS.search(sentence):
        verb = {"ем": "eat", "пью": "drink", "курю": "smoke"}[match["verb"]]
        yield _fact("eats", speaker, f"{verb} {normalize(match['x'] or '')}".strip(), YES, negative=True)
    if match := _AGE.search(sentence):
        yield _fact("age", speaker, "age", match["x"])
    if match := _MARITAL.search(sentence):
        yield _fact("marital", speaker, "marital status", _MARITAL_NAMES.get(match["x"], "divorced"))
    if match := _BIRTHDAY.search(sentence):
        yield _fact("born", speaker, "birthday", normalize_value(match["x"]))


def _tastes(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _PREFERS.search(sentence):
        yield preference(match["x"], match["z"] or "", speaker, negative=match["no"])
    if match := _LIKES.search(sentence):
        dislikes = match["verb"] in {"ненавижу", "терпеть не могу"}
        yield _fact("likes", speaker, f"likes {normalize(match['x'])}", YES, negative=bool(match["no"]) != dislikes)
    if match := _FAVOURITE.search(sentence):
        yield _fact("favourite", speaker, f"favourite {normalize(match['what'])}", normalize_value(match["x"]))


def _relatives(sentence: str, speaker: str) -> Iterator[Finding]:
    if match := _NAMED.search(sentence):
        yield _fact("name", speaker, "name", normalize_value(match["x"] or match["y"]))
    for match in _RELATIVE_NAME.finditer(sentence):
        relative = RELATIVES[match["rel"] or match["rel2"]]
        yield _fact("relative", f"{speaker}'s {relative}", "name", normalize_value(match["x"] or match["y"]))
    for match in _RELATIVE_LIVES.finditer(sentence):
        attribute = "residence" if match["lives"] else "employer"
        yield _fact("relative", f"{speaker}'s {RELATIVES[match['rel']]}", attribute, normalize_value(match["x"]))
