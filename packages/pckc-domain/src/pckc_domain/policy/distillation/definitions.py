"""What a term means: sentences that define, glossaries, lists of terms. English and Russian."""

# ruff: noqa: E501  # patterns read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.model.identity import normalize
from pckc_domain.policy.cutting.markdown_outline import plain
from pckc_domain.policy.distillation.pieces import Found, Piece, Sentence
from pckc_domain.policy.findings import READ, STATED
from pckc_domain.policy.proper_names import names_in
from pckc_domain.policy.subjects import normalize_subject

_TERM = r"(?P<term>[`\"«“(]?\w[\w`'’\"»”()./:@#+&-]*(?: [\w`'’\"«»“”()./:@#+&-]+){0,5}?)"
_SAID = (
    rf"(?:(?:an?|the) )?{_TERM}(?:, or [\w -]{{2,40}},)? (?:is|are) (?:an?|any|one of (?:the|a)) (?!(?:lot|bit|must|problem|mistake|shame|good|great|bad|big|huge|better|matter|few|little|lie)\b)(?P<what>\S+.*)",
    rf"(?:(?:an?|the) )?{_TERM} (?:is|are) the (?:process|practice|name|term|ability|act|art|study|science|number|part|set|measure|method|amount|rate|time|property|state|smallest|largest|percentage|ratio|collection|degree|point|unit) (?P<what>\S+ \S+.*)",
    rf"(?:(?:an?|the) )?{_TERM} (?:(?:is|are) (?:defined as|short for|an? (?:acronym|abbreviation) (?:for|of)|understood as)|(?:usually |generally )?refers? to|means|stands for|denotes?) (?P<what>\S+ \S+.*)",
    rf"by (?:an?|the )?{_TERM},? (?:we|one) means? (?P<what>\S+ \S+.*)",
    rf"(?P<what>an? \S+ .{{10,300}}?) (?:is|are) (?:called|known as|termed) (?:an?|the )?{_TERM}",
    rf"{_TERM}(?: \([^)]{{1,80}}\))? (?:[—–]|-(?= )) (?:это )?(?!не\b)(?P<what>[\w«\"`(]\S*.*)",
    rf"{_TERM}(?: \([^)]{{1,80}}\))?,? это (?!не\b)(?P<what>\S+.*)",
    rf"{_TERM} (?:является|являются|представля(?:ет|ют) собой|означает|обозначает|определяется как|расшифровывается как) (?P<what>\S+ \S+.*)",
    rf"под {_TERM} (?:понима(?:ется|ют|ем|ются)|подразумева(?:ется|ют)) (?P<what>\S+ \S+.*)",
    rf"(?P<what>(?!(?:эт|он|так|не)\w* )\S+ \S+ .{{10,300}}?) называ(?:ется|ются|ют) {_TERM}",
)
_SENTENCES = tuple(re.compile(pattern + r"$", re.IGNORECASE) for pattern in _SAID)
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_MARKED = re.compile(
    r"(?:\*\*|__)(?P<term>[^*_\n]{1,60}?)(?P<colon>[:.]?)(?:\*\*|__)(?P<mark>[ \t]*(?::|[—–]|-(?=[ \t])))?\s+(?P<what>\S.*)",
    re.DOTALL,
)
_CODED = re.compile(r"`(?P<term>[^`\n]{1,60})`[ \t]*(?::|[—–]|-(?=[ \t]))\s+(?P<what>\S.*)", re.DOTALL)
_KEYED = re.compile(r"(?P<term>[^\s:*`][^:*`\n]{0,50}?)(?::|[ \t][—–]|[ \t]-)[ \t]+(?P<what>\S.*)", re.DOTALL)
_DEFINITION_LIST = re.compile(r"(?m)^(?P<term>[^\s:][^\n:]{0,60})\n:[ \t]+(?P<what>\S.*)$")
_GLOSSARY = re.compile(
    r"glossary|terms|terminology|definitions|vocabulary|concepts|abbreviations|acronyms|глоссарий|термин|определени|словарь|понятия|сокращени"
)
_LABELS = frozenset(
    """
    note notes warning caution important tip hint example examples todo fixme usage see default defaults returns return raises args arguments
    parameters params options required optional question answer q a step requirements output input result results author authors date version
    status source license copyright summary conclusion first second third finally also however update pros cons deprecated changed added fixed removed
    примечание внимание важно совет пример примеры вопрос ответ шаг итог вывод автор дата версия статус источник лицензия результат например
    по умолчанию также наконец во-первых во-вторых
    """.split()
)
_SENTENCE_STARTS = re.compile(
    r"(?:this|that|these|those|it|there|here|he|she|they|we|you|i|what|which|who|where|when|if|as|in|on|at|for|with|by|from|but|and|or|so|because|one|all|some|each|every|no|not|both|such|another|its|their|his|her"
    r"|это|этот|эта|эти|он|она|они|оно|мы|вы|я|там|здесь|тут|если|когда|как|в|на|по|для|с|из|но|и|а|или|что|который|один|все|каждый|не|так|такой|такая|его|её|их)\b",
    re.IGNORECASE,
)
_VERB_INSIDE = re.compile(r" (?:is|are|was|were|has|have|can|will|must|should|may|uses?|does|do) ", re.IGNORECASE)


def find_definition(sentence: Sentence) -> Found | None:
    """Return the definition that *sentence* is; ``None`` when it defines nothing."""
    return _of_item(sentence) if sentence.is_item else _of_sentence(sentence)


def find_definition_list(piece: Piece) -> Iterator[Found]:
    """Yield the definitions of a paragraph whose terms stand on a line above their ``: meaning``."""
    for match in _DEFINITION_LIST.finditer(piece.raw):
        term, text = plain(match["term"]), plain(match[0])
        if normalize_subject(term):
            yield _found(piece.at + match.start(), match[0], term, text, STATED, "rules.definition.list")


def _of_sentence(sentence: Sentence) -> Found | None:
    bold = _MARKED.match(sentence.raw)
    if bold and (bold["colon"] == ":" or bold["mark"]) and _is_meaning(bold["term"], bold["what"]):
        return _in_list(sentence, bold, STATED)
    text = sentence.text.rstrip(" .!;")
    if text.endswith(":"):
        return None
    is_russian = _CYRILLIC.search(text) is not None
    for place, pattern in enumerate(_SENTENCES):
        if is_russian is (place >= 5) and (match := pattern.match(text)):
            if not _is_term(match["term"]) or (len(match["what"].split()) < 2 and not _is_name(match["term"], text)):
                return None
            term = match["term"].strip('`"«»“”')
            return _found(sentence.at, sentence.raw, term, sentence.text, STATED, "rules.definition")
    return None


def _of_item(sentence: Sentence) -> Found | None:
    bold, coded = _MARKED.match(sentence.raw), _CODED.match(sentence.raw)
    if match := coded or (bold if bold and (bold["colon"] or bold["mark"]) else None):
        return _in_list(sentence, match, STATED) if _is_meaning(match["term"], match["what"]) else None
    keyed = _KEYED.match(sentence.raw)
    if keyed and _is_term(keyed["term"]) and _is_meaning(keyed["term"], keyed["what"]):
        is_glossary = _GLOSSARY.search(normalize(sentence.heading)) is not None
        return _in_list(sentence, keyed, STATED if is_glossary else READ)
    return _of_sentence(Sentence(sentence.raw, sentence.at, sentence.text, sentence.heading, is_item=False))


def _in_list(sentence: Sentence, match: re.Match[str], confidence: float) -> Found | None:
    term = plain(match["term"]).strip("`")
    if not normalize_subject(term):
        return None
    return _found(sentence.at, sentence.raw, term, sentence.text, confidence, "rules.definition.list")


def _is_term(term: str) -> bool:
    plain_term = term.strip('`"«»“”')
    return (
        bool(normalize_subject(plain_term))
        and not _SENTENCE_STARTS.match(plain_term)
        and not _VERB_INSIDE.search(f" {plain_term} ")
    )


def _is_name(term: str, text: str) -> bool:
    """Return whether *term* is a proper name: what it is may be said in one word."""
    return term.casefold() in names_in(text)


def _is_meaning(term: str, what: str) -> bool:
    """Return whether *what* explains *term*, rather than being a value or a remark with a label."""
    words = what.split()
    return normalize(term).strip(" .:") not in _LABELS and len(words) >= 3 and any(map(str.isalpha, words))


def _found(at: int, raw: str, term: str, text: str, confidence: float, rule: str) -> Found:
    claim = DistilledClaim(
        type=ClaimType.DEFINITION,
        text=text,
        quote=raw,
        subject=normalize_subject(term),
        confidence=confidence,
        rule=rule,
    )
    return Found(at, claim)
