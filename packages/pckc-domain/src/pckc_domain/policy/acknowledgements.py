"""Words that only take note of what was said: they stand beside an answer, and hold none."""

from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.stop_words import STOP_WORDS

MOST_CHARACTERS = 120
"""What is longer says something besides."""

ASSENT = frozenset(
    text_tokens(
        """
        ack acknowledged agreed alright absolutely awesome certainly cool course definitely excellent fine follow
        following glad good got gotcha great indeed keep mind nice note noted ok okay perfect remember remembered
        right roger sounds sure thank thanks thx understood welcome yeah yep yup
        ага благодарю виду голове держать договорились запомнил запомнила запомню замечательно записал записала
        здорово исполню конечно ладно ок окей отлично отметил отметила понял поняла понятно понято пожалуйста
        постараюсь прекрасно придерживаться принял приняла принято разумеется следовать согласен согласна сделаю
        спасибо супер угу учла учту учёл хорошо ясно
        """
    )
)
"""What people take note with."""

_BESIDE = STOP_WORDS.union("yes done always буду будем этому этим".split()).difference(
    "no not nor cannot couldn didn doesn don hadn hasn haven isn wasn weren won wouldn не нет ни".split(),
    "is are was were did does has have had be been being был была были было быть есть".split(),
)
"""What may stand beside it: words without a meaning of their own, but for denials and verbs that tell how it is."""

_PHRASES = frozenset({"will do", "i will", "no problem", "no worries", "not a problem", "без проблем"})


def acknowledges(text: str) -> bool:
    """
    Return whether *text* only takes note: words of assent among words without a meaning of their own, and no question.

    A denial, or a bare yes, is an answer.
    """
    if len(text) > MOST_CHARACTERS or text.rstrip().endswith(("?", "？")):
        return False
    words = text_tokens(text)
    if " ".join(words) in _PHRASES:
        return True
    return any(word in ASSENT for word in words) and all(word in ASSENT or word in _BESIDE for word in words)
