"""From a task to its sub-goals: the things a context must speak of."""

import re
from collections.abc import Iterable, Iterator, Sequence

from pckc_domain.model.context import SubGoal, SubGoalKind
from pckc_domain.model.intent import GranularityPreference
from pckc_domain.policy.analysis import content_words, split_camel, stem_english, stem_russian, text_tokens
from pckc_domain.policy.redaction import without_marks
from pckc_domain.policy.stop_words import STOP_WORDS

MAX_ENTITIES = 12
MAX_TOPICS = 8

_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]*\w|(?<![\w/.-])\w[\w-]*\.[a-z]{1,5}\b(?!\()")
_SYMBOL = re.compile(
    r"\b(?:[A-Za-z_]\w*(?:\.|::))*(?:[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*|[A-Za-z]\w*_\w+|[A-Za-z_]\w*(?=\())"
)
_CYRILLIC = re.compile("[а-яё]")
_QUOTED = re.compile(r'"([^"\n]{2,80})"|`([^`\n]{2,80})`|“([^”\n]{2,80})”|«([^»\n]{2,80})»')

EMPTY_WORDS = frozenset(
    """
    add allow bug build change check clean code create debug describe document error explain extend failing failure file
    find fix function help implement improve introduce investigate issue make method module need new project question
    refactor remove rename repository request run show support task test tests understand update use using want work
    works write class correctly properly option want
    баг добавить добавь исправить исправь как код найди найти нужно объясни ошибка ошибку покажи почини проект работает
    реализуй реализовать сделай сделать тест тесты удали удалить файл функция функцию
    """.split()
)
"""Words that say what to do rather than what about; the intent speaks for them."""


_FILLERS = frozenset(
    """
    architecture architectural behave behaves behavior behaviour break breaks broken bug bugs build builds built call
    called calls cause causes changed changes changing check codebase correct crash crashes current currently design
    detail details different drop dropped drops either ensure etc every existing fails fixed fixes fixing follow
    get gets getting give given gives go goes going got handle handled handles handling happen happens idea instead
    know let like look looks lose loses lost make makes making many may might must need needs never new old one overview
    part please possible problem properly put raise raised raises really receive received receives repo return returned
    returns review reviewing right second see seem seems send sending sends sent set sets show shows since something
    start starts still stop stops structure structured sure take taken takes tell thing things turn turns two used uses
    via way whether within worked working would wrong wrongly
    вместо делаем делать должен должна должно должны используем используется используют использовать лежит меняется
    можно находится начинает нужен нужна нужны падает падают перестал перестала почини работать сейчас стоит стал стала
    теперь через
    """.split()
)
"""Verbs of change and fillers: they tell what happens to a topic, and are none themselves."""


def topic_words(task: str) -> tuple[str, ...]:
    """Return the words of *task* that name what it is about, in order, the Cyrillic ones last."""
    cyrillic = (word for word in text_tokens(task) if _CYRILLIC.match(word) and word not in STOP_WORDS)
    words = dict.fromkeys([*content_words(task), *cyrillic])
    return tuple(word for word in words if word not in EMPTY_WORDS | _FILLERS and len(word) > 2)


def find_subgoals(
    task: str,
    preference: GranularityPreference,
    *,
    files: Sequence[str] = (),
    symbols: Sequence[str] = (),
) -> tuple[SubGoal, ...]:
    """
    Return the sub-goals of *task*: its entities (paths, symbols, quoted terms), its topics, and what its intent wants.

    Args:
        task: The caller's words.
        preference: The route; its proposition types become the intent's sub-goal.
        files: Paths that the caller names on top.
        symbols: Symbols that the caller names on top.
    """
    task = without_marks(task)
    entities = list(dict.fromkeys([*files, *symbols, *_entities(task)]))[:MAX_ENTITIES]
    goals = [_goal(SubGoalKind.ENTITY, entity, entity_words(entity)) for entity in entities]
    taken = {word for goal in goals for word in (*goal.words, *split_camel(goal.goal))}
    topics = topic_words(task)
    stems = dict.fromkeys(stem(word) for word in topics if word not in taken)
    words = {stem(word): word for word in reversed(topics)}
    goals += [_goal(SubGoalKind.TOPIC, words[key], (words[key],)) for key in list(stems)[:MAX_TOPICS]]
    if preference.proposition_types:
        wanted = ", ".join(sorted(preference.proposition_types))
        key = f"{SubGoalKind.INTENT}:{preference.intent}"
        goals.append(SubGoal(key=key, kind=SubGoalKind.INTENT, goal=f"{wanted} that bear on this {preference.intent}"))
    return tuple(goals)


def entity_words(entity: str) -> tuple[str, ...]:
    """Return the words by which a text speaks of *entity*: a path counts by its last part, a symbol by its own name."""
    name = entity.rstrip("/").rsplit("/", 1)[-1]
    name = name.split("::")[-1]
    tokens = text_tokens(name if "/" in entity else name.replace(".", " "))
    return tuple(dict.fromkeys(tokens))


def covers(subgoal: SubGoal, tokens: frozenset[str]) -> bool:
    """Return whether a text with these stemmed *tokens* speaks of all words of *subgoal*."""
    return bool(subgoal.words) and all(stem(word) in tokens for word in subgoal.words)


def stemmed_tokens(texts: Iterable[str]) -> frozenset[str]:
    """Return the stems of every word of *texts*, parts of camelCase names included."""
    return frozenset(map(stem, _words(texts)))


def found_stems(stems: frozenset[str], texts: Iterable[str]) -> frozenset[str]:
    """Return those of *stems* that a word of *texts* has; only words that begin like one are stemmed."""
    initials = {stem[:1] for stem in stems}
    if "е" in initials:
        initials.add("ё")  # its stem has no dots
    return stems.intersection(stem(word) for word in _words(texts) if word[0] in initials)


def _words(texts: Iterable[str]) -> set[str]:
    text = "\n".join(texts)
    parts = {part for word in set(text.split()) for part in split_camel(word)}
    return parts.union(text_tokens(text))


def stem(word: str) -> str:
    """Return the stem of a lower-case *word*."""
    return stem_english(word) if word.isascii() else stem_russian(word)


def _goal(kind: SubGoalKind, name: str, words: tuple[str, ...]) -> SubGoal:
    return SubGoal(key=f"{kind}:{name}", kind=kind, goal=name, words=words)


def _entities(task: str) -> Iterator[str]:
    for groups in _QUOTED.findall(task):
        yield "".join(groups).strip()
    for pattern in (_PATH, _SYMBOL):
        for match in pattern.finditer(task):
            yield match[0]
