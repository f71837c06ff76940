"""
Standing instructions: what a user told an agent to do from then on. English and Russian.

The rules that make claims of them (`standing_rules`) must understand what is said; these here only have to notice that
it is said, so that it is at hand when a request comes. They look at one sentence at a time, and add up what speaks for it.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from functools import lru_cache

from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.analysis import stem_russian
from pckc_domain.policy.spelling import with_apostrophes

MIN_STRENGTH = 0.4
"""From here on a passage is a standing instruction: one clear sign, or two faint ones."""

HEAD_CHARACTERS = 1_200
"""People put their instructions first, and paste long things behind them."""

HUMAN_KINDS = frozenset({EventKind.PROMPT, EventKind.ANNOTATION})


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_NAMED = _compiled(
    r"""
    \b(?:from\ (?:now|here|this\ point|today)\ on(?:wards?)?|going\ forward|henceforth|in\ (?:the\ )?future|at\ all\ times
    |as\ a\ rule|by\ default|no\ matter\ (?:what|how|who)|under\ no\ circumstances|in\ no\ case|without\ exception
    |until\ (?:i\ say|further\ notice)|unless\ i|every\ single\ time)\b
    |\b(?:house|hard|firm|standing|general|golden|new|one|my|our|the)\ rules?\b
    |^(?:rules?|policy|convention)\b|\b(?:rule|policy|convention)\s*:
    |\b(?:отныне|впредь|с\ этого\ момента|с\ этих\ пор|в\ дальнейшем|на\ будущее|по\ умолчанию|ни\ в\ коем\ случае
    |ни\ при\ каких|без\ исключений|правило|запомни(?:те)?)\b
    """
)
"""It says that it is one."""

_ALWAYS = _compiled(
    r"\b(?:always|never|ever|whenever|every\ time|each\ time|any\ ?time|всегда|никогда|каждый\ раз|всякий\ раз|нельзя|запрещено)\b"
)
_TOLD = _compiled(
    r"""
    \b(?:i|he|she|it|they|who|that|there|you)(?:['’](?:ve|d|ll|s|m|re))?\ (?:(?:have|had|has|almost|could|can|would|will|am|is|was)\ )?
    (?:always|never|ever)\b
    |\balways\ (?:have|did|do|has|had|was)\b|\b(?:я|он|она|они|оно|мы)\ (?:\w+\ )?(?:всегда|никогда|каждый\ раз)\b
    """
)
"""`I never cook`: a habit that is told, not an instruction."""

_DEEDS = (
    "make|use|add|run|update|write|include|ask|show|check|start|tell|give|answer|reply|keep|create|remind|mention|put|bump"
    "|format|name|leave|stick|avoid|prefer|assume|convert|translate|call|say|state|list|cite|explain|wait|stop|skip|quote"
    "|print|return|test|commit|round|offer|suggest|propose|limit|let|treat|pick|choose"
)
_MANNERS = (
    "show|give|quote|state|use|write|answer|reply|explain|format|keep|put|call|name|round|express|prefer|cite|list|spell"
    "|label|prefix|wrap|sign|tell"
)
_ADDRESSED = _compiled(
    rf"""
    ^(?:(?:and|also|but|so|oh|ok(?:ay)?),?\ )*(?:please\ )?(?:do\ not|don['’]t|never|stop|quit|avoid|refrain|no\ more|skip|leave\ out)\b
    |\b(?:please|so|and|then)\ (?:do\ not|don['’]t|stop|avoid)\b
    |^(?:no|without)\ \w+
    |^(?:if|when|whenever|before|after|once|for|in)\b[^,.?!]{{3,80}},?\ (?:(?:please|also|then|always|never|do\ not|don['’]t)\ )*(?:{_DEEDS})\b
    |\bask\ (?:me\ )?(?:first|before)\b|\bbefore\ you\b|\bwithout\ asking\b
    |\bi\ (?:do\ not|don['’]t|never)\ (?:ever\ )?want\b|\bi(?:['’]d|\ would)?\ (?:prefer|rather|like\ you\ to|want\ you\ to|need\ you\ to)\b
    |\bi\ (?:expect|insist|refuse|require)\b
    |\b(?:make\ sure|be\ sure\ to|remember\ (?:to|that|i|we|my)|keep\ in\ mind|bear\ in\ mind)\b
    |\b(?:must|mustn['’]t|shall)\b|\b(?:has|have|needs?)\ to\ (?:be|stay|go|come)\b|\bonly\ (?:ever\ )?use\b|\buse\ only\b
    |\byour\ (?:answers?|repl(?:y|ies)|responses?|messages?|output|suggestions?|commits?|code|summar(?:y|ies))\b
    |\b(?:answer|reply|respond|write|explain|speak|talk|address|call)\ (?:to\ )?(?:me|us)\b
    |^(?:please\ )?(?:{_MANNERS})\b.*\b(?:in|as|with|of|under|below|within|only|not|instead)\b
    |^(?:please\ )?(?:assume|treat|use|stick|be|prefer)\b|^\w+(?:\ \w+)?\ only\b
    |^(?:anything|everything|whatever|nothing|every|each|all)\b
    |\bat\ most\b|\bno\ (?:more|longer)\ than\b
    |(?:^|[,;:]\ *|\bи\ |\bпожалуйста,?\ )не\ \w+(?:й|йте|ь|ьте|и|ите)\b
    |\b(?:хватит|перестань(?:те)?|прекрати(?:те)?|больше\ не|должн[аоы]|должен|обязательно|нужно|надо|только)\b
    |^(?:если|когда|прежде\ чем|перед|при)\b[^.?!]{{3,100}},
    |\b(?:отвечай|пиши|говори|показывай|указывай|спрашивай|используй|называй|давай|предлагай|считай|объясняй)(?:те)?\b
    """
)
"""It tells somebody what to do or to leave."""

_ONCE = _compiled(
    r"""
    \b(?:(?:just\ )?this\ (?:time|once|one\ time)|for\ (?:today|now|this\ one)|today|tonight|right\ now|exception)\b
    |\b(?:в\ этот\ раз|на\ этот\ раз|сегодня|сейчас|один\ раз|пока)\b
    """
)
"""It holds for once only."""

_EVERY = _compiled(
    r"""
    \b(?:every|each|all|any|anything|anyone|everything|everywhere|whatever|wherever|nothing|nobody|none|no|only|both)\b
    |\b(?:все|всё|всех|всем|всеми|всего|любо\w{1,3}|любы\w|любая|кажд\w+|никак\w+|ничего|ничто|никто|везде|только|всюду)\b
    """
)
"""It speaks of all cases."""

_SERVICE = _compiled(
    r"""
    \b(?:you|you['’]ll|you['’]re)\ (?:\w+\ )?(?:recommend|suggest|propose|offer|write|send|make|plan|explain|give|show|answer|reply|use|say|touch
    |change|edit|add|draft|book|pick|choose|cook|post|push|commit|merge|deploy|delete|create|tell|list|quote|translate|do|not)\b
    |\b(?:keep|bear|have)\ (?:\w+\ )?in\ mind\b|\bplan\ accordingly\b|\bstick\ (?:to|with)\b|\b(?:call|address)\ me\b|\bplease\b
    |\b(?:учитывай|учти|имей\s+в\s+виду|прошу|пожалуйста|обращайся|договоримся|(?:не\ )?(?:со)?ветуй|(?:не\ )?предлагай)\w*\b
    """
)
"""It speaks of what the agent does for the user."""

_NEED = _compiled(
    r"""
    \b(?:i|we|my\ \w+)(?:['’](?:m|re|s)|\ am|\ are|\ is|\ has|\ have)?\ (?:\w+\ )?(?:allergic|intolerant|vegan|vegetarian|coeliac|celiac|diabetic
    |pregnant|dyslexic|colou?r-?blind|deaf|blind|off|against|bad\ \w+|asthma)\b
    |\b(?:i|we)\ (?:do\ not|don['’]t|cannot|can['’]t|won['’]t|hate|dislike|detest|loathe|prefer|only|need|want|like|support|use|refuse)\b
    |\b(?:у\ меня|у\ нас|у\ \w+)\ (?:\w+\ )?(?:аллергия|астма|диабет|непереносимость|только)\b|\bя\ (?:не|только|веган\w*|вегетариан\w+|предпочитаю|хочу|люблю)\b
    """
)
"""It speaks of a need or a dislike."""

_NORM = _compiled(
    r"""
    \b(?:should|need|needs|goes|go|gets?|stays?|belongs?|counts?|treat|is\ for|are\ for|is\ to|are\ to|style\ guide|convention|standard|exceptions?)\b
    |,\ so\ (?:\w+\ )?(?:\w+)\b|\bnot\ (?:in|with|on|to)\b
    |^(?:\w+\ ){1,3}\w+(?:й|йте|ь|ьте|и|ите)\b|\b\w+(?:ай|яй|уй|ей)(?:те)?\b|\b\w+(?:аем|яем|уем|ём|дим|ним)\b
    """
)
"""It says how things are done."""

DIRECTIVE_WORDS = LexicalQuery(
    words=tuple(
        """
        always never ever whenever every each time from now on forward future rule policy convention default matter unless
        please don do not stop avoid quit skip refrain no without if when before after ask want prefer rather expect refuse
        sure remember mind must shall only your answer reply respond write explain show give use keep call most instead
        all any anything everything everywhere whatever nothing both you need like support allergic vegan vegetarian hate
        should goes go get treat so stick assume style guide be
        """.split()
    ),
    terms=tuple(
        stem_russian(word)
        for word in """
        всегда никогда каждый всякий нельзя запрещено отныне впредь момента дальнейшем будущее умолчанию правило запомни не
        хватит перестань прекрати больше должен обязательно нужно надо только если когда прежде перед при отвечай пиши говори
        показывай указывай спрашивай используй называй давай предлагай считай объясняй без все всё любой никаких ничего
        учитывай учти прошу обращайся советуй аллергия астма я мы у добавляй оформляй храним кладём округляй
        """.split()
    ),
)
"""Words of which a standing instruction holds at least one: what finds them in a full-text index."""

_SIGNS = (
    (_NAMED, 0.6),
    (_ADDRESSED, 0.4),
    (_EVERY, 0.2),
    (_SERVICE, 0.2),
    (_NEED, 0.2),
    (_NORM, 0.2),
    (_ONCE, -0.5),
)
_ALWAYS_COUNTS = 0.5


@lru_cache(maxsize=4096)  # a server reads the same instructions for every request
def directive_strength(text: str) -> float:
    """Return how clearly a sentence of *text* is a standing instruction, in 0..1; questions are none."""
    spoken = (sentence.strip(" \"'*-") for sentence in _SENTENCE.findall(with_apostrophes(text[:HEAD_CHARACTERS])))
    strengths = (_strength(sentence) for sentence in spoken if sentence and not sentence.endswith("?"))
    return min(1.0, max(strengths, default=0.0))


def is_directive(evidence: Evidence) -> bool:
    """Return whether *evidence* holds a standing instruction by a user to an agent; people do not instruct each other."""
    is_user = evidence.kind in HUMAN_KINDS and not evidence.speaker
    return is_user and directive_strength(evidence.text) >= MIN_STRENGTH


def _strength(sentence: str) -> float:
    strength = sum(weight for sign, weight in _SIGNS if sign.search(sentence))
    if _ALWAYS.search(sentence) and not _TOLD.search(sentence):
        strength += _ALWAYS_COUNTS
    return max(0.0, strength)
