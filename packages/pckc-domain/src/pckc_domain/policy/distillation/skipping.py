"""What is never distilled: navigation, boilerplate, questions, guesses."""

# ruff: noqa: E501  # word lists read best on one line

import re

from pckc_domain.model.identity import normalize
from pckc_domain.policy.cutting.proposition_rules import JUNK_START, JUNK_WORDS

_SECTION = re.compile(
    r"(?:table of )?contents$|on this page|navigation|menu$|see also|related (?:articles|posts|pages|links)|further reading|external links|references$|bibliography"
    r"|footnotes?$|share this|comments?$|leave a (?:reply|comment)|subscribe|newsletter|about the author|acknowledg|contributors?$|sponsors?$|cookies?(?: policy)?$|copyright|licen[cs]e notice"
    r"|оглавление|содержание$|навигация|меню$|см\. также|смотрите также|читайте также|похожие (?:статьи|записи)|ссылки$|примечания$|литература$|список литературы|источники$|комментари(?:й|и)$|об авторе|благодарности|подпис"
)
_BOILERPLATE = re.compile(
    r"(?:click|tap) (?:here|the|on)\b|(?:skip|jump|back) to (?:main |the )?(?:content|navigation|top)|read more\b|learn more\b|sign (?:up|in)\b|log ?in\b|subscribe\b|follow us\b|share (?:this|on)\b"
    r"|(?:next|previous|prev)(?: (?:page|chapter|article|post))?:? |all rights reserved|we use cookies|this (?:site|website) uses cookies|accept (?:all )?cookies|terms of (?:use|service)\b|privacy policy"
    r"|thanks? (?:for|to)\b|thank you\b|welcome to\b|in this (?:chapter|section|article|post|tutorial|guide|book)\b|this (?:chapter|section|article|post|tutorial|guide|page|book) (?:is|will|shows|explains|describes|covers|discusses|introduces)"
    r"|(?:see|refer to|visit|check out|have a look at|consult)\b|(?:last|page) (?:updated|modified|edited)\b|posted (?:on|by)\b|published (?:on|by)\b|written by\b|photo\b|image\b|figure \d|fig\. ?\d|table \d"
    r"|нажмите\b|перейти к\b|перейдите\b|читать далее|подробнее\b|узнать больше|подпи(?:саться|шитесь|сывайтесь)\b|войти\b|зарегистрир|поделиться\b|следующая (?:страница|глава)|предыдущая|все права защищены|мы используем (?:файлы )?cookie|этот сайт использует"
    r"|in the (?:following|next|previous) (?:section|chapter|part|article)s?\b|all (?:other )?trademarks\b|for (?:more|further) (?:information|details)\b|stay tuned\b|keep reading\b|read on\b"
    r"|в следующ\w+ (?:разделе|главе|статье|части)|в предыдущ\w+ (?:разделе|главе|статье|части)|читайте\b|все торговые марки"
    r"|спасибо\b|добро пожаловать|в этой (?:главе|статье|части)|в этом (?:разделе|руководстве)|эта (?:глава|статья)|этот раздел|см\. |смотри(?:те)?\b|обновлено\b|опубликовано\b|автор:|фото\b|рис\. ?\d|рисунок \d|таблица \d"
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|presumably|arguably|supposedly|allegedly|reportedly|might|seems?|appears? to|apparently|i think|i guess|i believe|we think|we believe|we hope|not sure|unclear|likely|unlikely|could be|may be|rumou?r\w*|tbd|todo)\b"
    r"|\b(?:может быть|возможно|вероятно|наверное|наверняка|кажется|похоже|видимо|по-видимому|скорее всего|предположительно|якобы|думаю|полагаю|неясно|не уверен\w*|по слухам)\b"
)
_LINKS_ONLY = re.compile(r"(?:[\s|•·>/–—,-]*!?\[[^\]]*\]\([^)]*\))+[\s|•·>/.,–—-]*$")
_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|we|us|our|ours|you|your|я|мне|мой|моя|мы|нас|нам|наш\w{0,3}|вы|вам|ваш\w{0,3})\b"
)


def is_skipped_section(heading: str) -> bool:
    """Return whether what stands under *heading* is navigation or back matter."""
    return _SECTION.match(normalize(heading).strip(" :#.0123456789")) is not None


def is_noise(raw: str, text: str) -> bool:
    """Return whether a sentence states nothing: a question, a guess, navigation; *raw* has its marks, *text* has not."""
    folded = normalize(text)
    return (
        folded.rstrip("\"')»* ").endswith(("?", "…", "..."))
        or _LINKS_ONLY.match(raw) is not None
        or _BOILERPLATE.match(folded) is not None
        or _HEDGE.search(folded) is not None
        or JUNK_START.match(folded) is not None
        or any(word in folded for word in JUNK_WORDS)
    )


def speaks_to_someone(text: str) -> bool:
    """Return whether *text* is about its writer or reader, whom a document's reader cannot tell."""
    return _FIRST_PERSON.search(normalize(text)) is not None
