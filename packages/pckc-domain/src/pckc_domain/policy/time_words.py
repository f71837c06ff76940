"""Words that tell whether a question is about the present or the past, and whether a statement tells of a change."""

import re
from enum import StrEnum

HEAD_CHARACTERS = 300
"""People tell of a change before they explain it; what stands far behind is about something else, or pasted."""

_BEFORE = re.compile(
    r"\b(?:ago|before|used\s+to|previous(?:ly)?|former(?:ly)?|original(?:ly)?|at\s+first|initial(?:ly)?|earlier|prior|back\s+then"
    r"|in\s+the\s+past|no\s+longer|history|over\s+time|yesterday|first\s+time)\b"
    r"|\b(?:раньше|прежде|прежн\w+|сначала|изначально|первоначальн\w+|до\s+(?:того|этого)|бывш\w+|истори\w+|назад|вчера)\b",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:decided?|settled?|chosen?|chose|choose|agreed?|picked?|end(?:ed)?\s+up|g[eo]t?\s+with|went\s+with|land(?:ed)?\s+on"
    r"|finally|in\s+the\s+end|currently|still|now)\b"
    r"|\b(?:решил\w*|выбрал\w*|договорил\w*|остановил\w*|в\s+итоге|теперь|сейчас|ещё|еще)\b",
    re.IGNORECASE,
)
_NARRATED = re.compile(
    r"\b(?:did|didn['’]t|was|wasn['’]t|were|weren['’]t|had|so\s+far"
    r"|last\s+(?:week|month|year|time|summer|winter|spring|autumn|fall|night)|happened|went|since\s+when)\b"
    r"|^\W*(?:what|who|which\s+\w+)\s+(?:(?!need\b|feed\b)\w{2,}ed|broke|made|led|came|took|gave|got|caused|brought|won|lost|sent"
    r"|wrote|said|told|found|kept|let|put)\b"
    r"|\b(?:прошл\w+|с\s+каких\s+пор|был[аои]?|ш[её]л|шл[аои])\b"
    r"|\b(?!или\b|если\b|мили\b|недели\b|цели\b|модели\b|дела\b|числа\b|школа\b)[а-яё]{2,}[аеиоуыя]л(?:[аои]|ся|[аои]сь)?\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|instead|no\s+longer|any\s?more|chang(?:ed?|es|ing)|switch\w*|mov(?:ed?|es|ing)|replac\w+|drop(?:ped|ping)?"
    r"|gave\s+up|given\s+up|quit|left|new|turned\s+down|forget|takes?\s+back|scrap\w*|cancel\w*|rather\s+than|finally|actually"
    r"|from\s+now|until\s+now|used\s+to|swap\w*|sold|bought|thrown\s+out|let['’]s|as\s+of|off)\b"
    r"|\b(?:теперь|больше\s+не|вместо|передумал\w*|пере(?:еха|бира|е[зш])\w*|снова|опять|уже\s+не|отмен\w+|наконец\w*|нов\w{2,3}"
    r"|бросил\w*|отдал\w*|смен\w+|поменя\w+|продал\w*|купил\w*|ушел|ушла|забудь\w*)\b",
    re.IGNORECASE,
)


class Tense(StrEnum):
    """What time a question is about."""

    PRESENT = "present"
    NARRATED = "narrated"
    BEFORE = "before"


def tense_of(query: str) -> Tense:
    """
    Return whether *query* asks what holds now, what happened, or what held before.

    What was decided holds now, however it is asked: `what did we settle on` is about the present.
    """
    if _BEFORE.search(query):
        return Tense.BEFORE
    return Tense.NARRATED if _NARRATED.search(query) and not _SETTLED.search(query) else Tense.PRESENT


def tells_of_change(text: str) -> bool:
    """Return whether *text* has words with which people tell that something is no longer what it was."""
    return _CHANGE.search(text, 0, HEAD_CHARACTERS) is not None
