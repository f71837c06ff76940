"""Whether what a person said states something: a question or an order tells nothing once it was answered or done."""

import re

from pckc_domain.policy.spelling import with_apostrophes

_QUESTIONS = """
    what what's which who who's whom whose where where's when why how how's is are am was were do does did can could
    would will should shall may might must has have had isn't aren't wasn't weren't don't doesn't didn't can't couldn't
    wouldn't won't shouldn't hasn't haven't
    что чего чем чему какой какая какое какие какую каким какого каком кто кого кому чей чья чьё чьи где куда откуда
    когда почему зачем отчего как сколько разве неужели ли можно можешь можете
    """
_ORDERS = """
    add adjust analyse analyze apply ask benchmark build bump call change check clean clone close commit compare
    compile configure continue convert copy correct create debug delete deploy describe design disable document
    download draft drop edit enable ensure estimate evaluate examine execute expand explain explore export extend
    extract fetch figure find finish fix format generate get give go handle help implement import improve inline
    insert inspect install integrate investigate list locate log look make measure merge migrate modify move open
    optimise optimize output package parse patch plan port prepare print profile propose prove publish pull push put
    raise read rebase rebuild redesign reduce refactor reformat release reload remove rename reorganise reorganize
    repair replace reply reproduce research reset resolve restart restore restructure retry return revert review
    rework rewrite roll rotate run save scan search send separate set ship shorten show simplify solve sort speed
    split start stop submit suggest summarise summarize swap switch sync tell test tidy trace track translate
    troubleshoot try tune undo uninstall update upgrade upload use validate verify view wait walk wire wrap write
    let's let please kindly
    давай давайте пожалуйста помоги помогите
    """
_QUESTION_WORDS = frozenset(_QUESTIONS.split())
_ORDER_WORDS = frozenset(_ORDERS.split())

_RUSSIAN_ORDER = re.compile(
    r"(?:до|за|из|ис|на|об|от|пере|по|под|при|про|раз|рас|с|у|вы|в)?(?:бав|чин|прав|пиш|дела|дел|каж|смотр|ищ|ищи|"
    r"веря|верь|вер|нови|дал|мест|мен|работ|строй|став|чит|пуст|кат|ясн|ход|след|тестиру|тест|фактор|рефактор|грузи|"
    r"реализу|оптимизиру|запус|созда|наход|найд|бер|вед|объясн|удал|обнов|останов|подключ|отключ|включ)"
    r"[а-яё]{0,6}?(?:й|йте|ь|ьте|и|ите)"
)
"""The imperative or infinitive of a verb of work, with or without a prefix."""

_RUSSIAN_TOLD = re.compile(r"(?!(?:у|раз|от|вы|опре|по)д[ае]ли$|удали$)[а-яё]+(?:ли|лись|ки|ции|ии|ий|ост[ьи])")
"""What ends alike and orders nothing: a past tense (`исправили`), a noun (`настройки`, `проверки`)."""

_ASKS = re.compile(
    r"(?:i|we)(?:'d| would)? (?:like|want|need) (?:you )?to\b|(?:i|we)(?:'d| would)? (?:like|want|need) you\b"
    r"|(?:what|how) about\b|(?:any|some) (?:idea|tip|suggestion|advice)s?\b|(?:нужно|надо|хочу|хотелось бы)(?!\w)"
    r"|не мог(?:ли|л|ла)? бы\b"
)
_LEAD = re.compile(
    r"^(?:\W|(?:(?:and|but|so|now|ok|okay|then|next|also|first|hey|hi|hello|please|just|quickly|а|и|но|ну|теперь|"
    r"затем|потом|ещё|еще|сначала|пожалуйста|привет)(?!\w)))+"
)
_IN_FRONT = frozenset("in on at for by with from since to under of about в на о об с у к для по из от".split())
_WORD = re.compile(r"[\w'-]+")


def is_statement(text: str) -> bool:
    """
    Return whether *text*, of any length, opens by stating something rather than by asking or ordering it.

    The first sentence speaks for the rest: what follows an order belongs to it. A text that ends by asking is no
    statement either. English and Russian; in another language only a question mark tells.
    """
    opening = _LEAD.sub("", with_apostrophes(text[:400]).casefold())
    words = _WORD.findall(opening)
    if not words or text.rstrip()[-1:] in "?？" or _ASKS.match(opening):
        return False
    if words[0] in _IN_FRONT:  # `in which file is …`
        words = words[1:]
    if not words or words[0] in _QUESTION_WORDS or " ли " in opening.split(".")[0]:
        return False
    is_order = _RUSSIAN_ORDER.fullmatch(words[0]) and not _RUSSIAN_TOLD.fullmatch(words[0])
    return words[0] not in _ORDER_WORDS and not is_order
