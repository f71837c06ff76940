"""
What links each language.

A run mostly changes files of one language, and a family's rules take a while to import: those of the others wait until
they are needed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from pckc_domain.model.linking import FileChange, LinkedFile, LinkMemory
from pckc_domain.model.progress import ProgressListener
from pckc_domain.policy.graph.code_files import code_language, settings_languages
from pckc_domain.policy.graph.fallback import FALLBACK_LANGUAGES
from pckc_domain.policy.graph.linking import Linker

_PYTHON = frozenset(("python",))
_SCRIPT = frozenset(("javascript", "typescript", "tsx"))
_DECLARED = FALLBACK_LANGUAGES | {
    "c", "cpp", "csharp", "elixir", "go", "java", "julia", "kotlin", "lua", "php", "ruby", "rust", "scala", "swift",
    "zig",
}  # fmt: skip


def all_linkers() -> Sequence[Linker]:
    """Return a linker for every language, each language in one of them."""
    return [
        LateLinker(_PYTHON, _python_linkers),
        LateLinker(_SCRIPT, _script_linkers),
        LateLinker(_DECLARED, _declared_linkers),
    ]


class LateLinker(Linker):
    """
    Linkers that are made when one of their files changed.

    Args:
        languages: What they link together.
        make: Makes them; no two link the same language.
    """

    def __init__(self, languages: frozenset[str], make: Callable[[], Sequence[Linker]]) -> None:
        self._languages = languages
        self._make = make

    def languages(self) -> frozenset[str]:
        """Return what they link together."""
        return self._languages

    def link(
        self,
        changed: Iterable[FileChange],
        /,
        *,
        gone: Collection[str],
        known: Mapping[str, str],
        settings: Mapping[str, str],
        memory: LinkMemory,
        progress: ProgressListener,
    ) -> Iterator[LinkedFile]:
        """Yield what each linker whose files changed gives."""
        linkers = self._make()
        if len(linkers) == 1:
            yield from linkers[0].link(
                changed, gone=gone, known=known, settings=settings, memory=memory, progress=progress
            )
            return
        changes: dict[str, list[FileChange]] = {}
        for change in changed:
            changes.setdefault(change.facts.language, []).append(change)
        for linker in linkers:
            languages = linker.languages()
            own = [change for language in sorted(languages & changes.keys()) for change in changes[language]]
            own_gone = [path for path in gone if code_language(path, languages)]
            if own or own_gone:
                yield from linker.link(
                    own,
                    gone=own_gone,
                    known={path: language for path, language in known.items() if language in languages},
                    settings={path: text for path, text in settings.items() if languages & settings_languages(path)},
                    memory=memory,
                    progress=progress,
                )


def _python_linkers() -> Sequence[Linker]:
    from pckc_domain.policy.graph.flow_linker import FlowLinker
    from pckc_domain.policy.graph.python.family import PYTHON

    return [FlowLinker(PYTHON)]


def _script_linkers() -> Sequence[Linker]:
    from pckc_domain.policy.graph.flow_linker import FlowLinker
    from pckc_domain.policy.graph.javascript.family import SCRIPT

    return [FlowLinker(SCRIPT)]


def _declared_linkers() -> Sequence[Linker]:
    from pckc_domain.policy.graph.declared.languages import RULES
    from pckc_domain.policy.graph.declared.linker import DeclaredLinker

    return [DeclaredLinker(rules) for rules in RULES]
