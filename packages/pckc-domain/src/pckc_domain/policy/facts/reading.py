"""The facts of one file: which files set anything, and how much of it is worth a claim."""

# patterns read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.fact import FileFacts, StatedFact
from pckc_domain.policy.document_kinds import CONFIGURATION, classify, is_test_path
from pckc_domain.policy.facts.constants import constants
from pckc_domain.policy.facts.dependencies import dependencies
from pckc_domain.policy.facts.settings import READERS, env_settings

MAX_FACTS = 80
"""Facts of one file: one with more is data."""

MAX_CHARACTERS = 400_000

_ELSEWHERE = re.compile(
    r"(?:^|/)(?:examples?|samples?|fixtures?|testdata|mocks?|vendor|third_party|node_modules|locales?|i18n|l10n|translations?|"
    r"migrations|snapshots|__snapshots__|benchmarks?|docs?|demos?|tutorials?)/",
    re.IGNORECASE,
)
_LOCKS = re.compile(
    r"(?:^|/)(?:[\w.-]*[.-]lock(?:\.\w+)?|[\w.-]*lock\.(?:json|yaml|yml|toml)|npm-shrinkwrap\.json|go\.sum)$",
    re.IGNORECASE,
)
_JSON_SETTINGS = re.compile(
    r"(?:^|/)(?:\.?[\w.-]*(?:config|settings|options|defaults|conf)[\w.-]*\.json[c5]?|\.\w+rc(?:\.json)?)$",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(r"(?:^|/)\.?env(?:\.[\w.-]+)?$|\.env$", re.IGNORECASE)
_PIPELINES = re.compile(
    r"(?:^|/)(?:\.github|\.gitlab|\.circleci)/|(?:^|/)(?:mkdocs|openapi|swagger|\.pre-commit-config|codecov|\.codecov)[\w.-]*\.ya?ml$",
    re.IGNORECASE,
)


def read_facts(path: str, text: str) -> FileFacts:
    """
    Return the facts of the file at *path*, by line; tests, examples, translations, vendored and lock files have none.

    A name that one file sets to two values says nothing and is left out.

    Args:
        path: Relative to the work tree, POSIX.
        text: Redacted: what is not there cannot become a claim.
    """
    if is_test_path(path) or _ELSEWHERE.search(path) or _LOCKS.search(path) or len(text) > MAX_CHARACTERS:
        return FileFacts()
    by_name: dict[tuple[str, str], StatedFact] = {}
    unclear: set[tuple[str, str]] = set()
    for fact in _facts(path, text):
        name = fact.subject, fact.attribute
        if "redacted" in fact.text.casefold():
            continue
        if by_name.setdefault(name, fact).value != fact.value:
            unclear.add(name)
    facts = sorted((fact for name, fact in by_name.items() if name not in unclear), key=lambda fact: fact.line)
    return FileFacts(facts=tuple(facts[:MAX_FACTS]), left_out=max(0, len(facts) - MAX_FACTS))


def _facts(path: str, text: str) -> Iterator[StatedFact]:
    versions = list(dependencies(path, text))
    taken = {fact.line for fact in versions}
    yield from versions
    yield from (fact for fact in _settings(path, text) if fact.line not in taken)


def _settings(path: str, text: str) -> Iterator[StatedFact]:
    _, _, language = classify(path)
    if _ENVIRONMENT.search(path):
        yield from env_settings(text)
    elif (language == "json" and not _JSON_SETTINGS.search(path)) or (language == "yaml" and _PIPELINES.search(path)):
        return
    elif reader := READERS.get(language):
        yield from reader(text)
    elif language not in CONFIGURATION:
        yield from constants(text, language)
