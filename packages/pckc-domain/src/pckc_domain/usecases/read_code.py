"""Read the facts of source files, each on its own: one file's trouble is no other's."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from pckc_domain.model.code_facts import CodeFacts, ScopeFacts, ScopeKind
from pckc_domain.model.declared_facts import Declaration, DeclaredFacts
from pckc_domain.model.graph import NodeKind
from pckc_domain.model.linking import FileFacts
from pckc_domain.policy.graph.fallback import FALLBACK_LANGUAGES, fallback_facts
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.policy.redaction import redact
from pckc_domain.ports.code_reader import CodeReader

VALUE_LANGUAGES = frozenset(("python", "javascript", "typescript", "tsx"))
"""Those whose facts are `CodeFacts`; the others' are `DeclaredFacts`."""

GAVE_UP = "the grammar gave up on it"
TOO_DEEP = "nested too deeply"
CRASHED = "the grammar crashed on it"
TOO_SLOW = "reading it took too long"


class CodeText(NamedTuple):
    """A source file to read."""

    path: str
    language: str
    text: str


class ReadCode(NamedTuple):
    """
    The facts of a file.

    *packed* are value facts as `policy.graph.codec` packs them, where they came from another process so; else ``b""``.
    """

    facts: FileFacts
    packed: bytes = b""


class CodeReading(Protocol):
    """Reads many files, perhaps in several processes."""

    @abstractmethod
    def languages(self) -> frozenset[str]:
        """Return the languages it reads."""

    @abstractmethod
    def read(self, files: Sequence[CodeText], /) -> Iterator[ReadCode]:
        """Yield the facts of every file, in order; see `read_facts`."""


class SerialReading(CodeReading):
    """Reads one file after the other, in this process."""

    def __init__(self, reader: CodeReader | None = None) -> None:
        self._reader = reader

    def languages(self) -> frozenset[str]:
        """Return what needs no reader, and what the reader reads."""
        return readable(self._reader)

    def read(self, files: Sequence[CodeText], /) -> Iterator[ReadCode]:
        """Yield the facts of every file, in order."""
        return (ReadCode(read_facts(file, self._reader)) for file in files)


def readable(reader: CodeReader | None) -> frozenset[str]:
    """Return the languages that can be read with *reader*; those that need none are Python and what patterns read."""
    return FALLBACK_LANGUAGES | {"python"} | (reader.languages() if reader else frozenset())


def read_facts(file: CodeText, reader: CodeReader | None) -> FileFacts:
    """Return the facts of a file, secrets redacted; those of an empty one, with the reason, where reading fails."""
    text = redact(file.text).text
    try:
        if file.language == "python":
            facts: FileFacts | None = python_facts(file.path, text)
        elif file.language in FALLBACK_LANGUAGES:
            facts = fallback_facts(file.path, text, language=file.language)
        else:
            facts = reader.facts(file.path, text, language=file.language) if reader else None
    except (RecursionError, MemoryError):
        return no_facts(file, TOO_DEEP)
    return facts or no_facts(file, GAVE_UP)


def no_facts(file: CodeText, problem: str) -> FileFacts:
    """Return the facts of a file that could not be read: there is a module, and why no more is known."""
    lines = file.text.count("\n") + 1
    name = file.path.rpartition("/")[2].partition(".")[0]
    if file.language in VALUE_LANGUAGES:
        scope = ScopeFacts(parent=-1, kind=ScopeKind.MODULE, name=name, ordinal=0, start_line=1, end_line=lines)
        return CodeFacts(
            path=file.path,
            language=file.language,
            scopes=(scope,),
            variables=1,
            steps=(),
            sites=(),
            problems=(problem,),
        )
    module = Declaration(
        parent=-1, kind=NodeKind.MODULE, name=name, start_line=1, end_line=lines, start_byte=0, end_byte=0
    )
    return DeclaredFacts(
        path=file.path, language=file.language, namespace="", declarations=(module,), problems=(problem,)
    )
