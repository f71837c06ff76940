"""Linking files of one family of languages, again and again."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pckc_domain.model.declared_facts import DeclaredFacts
from pckc_domain.model.linking import FileChange, LinkedFile, LinkMemory
from pckc_domain.model.progress import Progress, ProgressListener
from pckc_domain.policy.graph.declared.assembly import link_file
from pckc_domain.policy.graph.declared.index import Index, Names
from pckc_domain.policy.graph.declared.outline import Outline, Row, last_name, outline_facts
from pckc_domain.policy.graph.declared.packing import pack, unpack
from pckc_domain.policy.graph.declared.rules import Rules
from pckc_domain.policy.graph.linking import Linker

_FACTS, _OUTLINE, _NAMES, _EXPORTS = "facts", "outline", "names", "exports"


class DeclaredLinker(Linker):
    """
    Links the files of one family of languages with declared types.

    It remembers of every file its facts, its outline, the names it has, and a digest of everything that others may
    have asked for. A change re-links the changed files, and those that asked for something whose digest changed, came
    or went; when the settings change, all files.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def languages(self) -> frozenset[str]:
        """Return the languages it links."""
        return self._rules.languages

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
    ) -> Iterable[LinkedFile]:
        """Return every file whose part of the graph or memory changed."""
        return _Run(self._rules, known, settings, memory).link(changed, gone, progress)


class _Run:
    """One call of `DeclaredLinker.link`."""

    def __init__(self, rules: Rules, known: Mapping[str, str], settings: Mapping[str, str], memory: LinkMemory) -> None:
        self._rules = rules
        self._known = known
        self._memory = memory
        self._settings = settings
        self._hashes: dict[str, str] = {}
        self._index = Index(known, settings, self._outlines)

    def link(
        self, changed: Iterable[FileChange], gone: Collection[str], progress: ProgressListener
    ) -> Iterator[LinkedFile]:
        sections: dict[str, dict[str, bytes]] = {}
        names: dict[str, Names] = {}
        exports: dict[str, dict[str, str]] = {}
        for change in changed:
            facts = change.facts
            if not isinstance(facts, DeclaredFacts):
                raise TypeError(f"{facts.path}: facts of another kind of language")
            shown = outline_facts(facts)
            outline = self._outlined(shown)
            names[facts.path] = _names(outline)
            exports[facts.path] = outline.exports()
            self._hashes[facts.path] = change.content_hash
            sections[facts.path] = {
                _FACTS: pack(facts),
                _OUTLINE: pack(shown),
                _NAMES: self._pack_names(names[facts.path], change.content_hash),
                _EXPORTS: json.dumps(exports[facts.path]).encode("utf-8", "surrogatepass"),
            }
            self._index.keep(outline)
        is_all_new = self._fill(names)
        paths = self._to_link(exports, gone, is_all_new=is_all_new)
        for done, path in enumerate(paths, start=1):
            yield self._linked(path, sections.pop(path, {}), is_all_new=is_all_new)
            progress(Progress(stage="linking code", done=done, total=len(paths)))

    def _outlined(self, facts: DeclaredFacts) -> Outline:
        return Outline(facts, self._rules.namespace(facts.path, facts.namespace, self._settings))

    def _fill(self, fresh: Mapping[str, Names]) -> bool:
        """Fill the index from what is fresh and what is remembered; return whether the settings are others now."""
        old = [path for path in self._known if path not in fresh]
        stored = self._memory.load(_NAMES, old) if old else {}
        mark = self._settings_mark()
        is_all_new = False
        remembered: dict[str, Names] = {}
        for path, content in stored.items():
            said, self._hashes[path], spaces, reexports, implementations, included, given, rows = json.loads(content)
            is_all_new = is_all_new or said != mark
            lists = spaces, reexports, implementations, included, given
            remembered[path] = Names([Row(*row) for row in rows], *lists)
        if is_all_new:
            remembered = {path: self._renamed(path) for path in remembered}
        for path in sorted(self._known):
            found = fresh.get(path) or remembered.get(path)
            if found is not None:
                self._index.add(path, found)
        return is_all_new

    def _renamed(self, path: str) -> Names:
        """Return the names of a file under new settings."""
        return _names(self._index.outline(path))

    def _to_link(self, exports: Mapping[str, dict[str, str]], gone: Collection[str], *, is_all_new: bool) -> list[str]:
        if is_all_new:
            return sorted(self._known)
        before = self._memory.load(_EXPORTS, sorted({*exports, *gone}))
        keys: set[str] = set()
        for path in {*exports, *gone}:
            old = json.loads(before[path]) if path in before else {}
            new = exports.get(path, {})
            keys.update(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        askers = self._memory.askers(sorted(keys)) if keys and len(exports) < len(self._known) else ()
        return sorted({*exports, *(path for path in askers if path in self._known)})

    def _linked(self, path: str, sections: dict[str, bytes], *, is_all_new: bool) -> LinkedFile:
        content = sections.get(_FACTS) or self._memory.load(_FACTS, [path])[path]
        own = self._outlined(unpack(content))
        graph, asked = link_file(own, self._index, self._rules)
        if is_all_new and not sections:
            shown = self._index.outline(path)
            exports = json.dumps(shown.exports()).encode("utf-8", "surrogatepass")
            sections = {_NAMES: self._pack_names(_names(shown), self._hashes[path]), _EXPORTS: exports}
        return LinkedFile(
            path=path,
            language=self._known[path],
            content_hash=self._hashes[path],
            graph=graph,
            sections=sections,
            asked=asked,
        )

    def _outlines(self, paths: Sequence[str]) -> Iterator[Outline]:
        for content in self._memory.load(_OUTLINE, paths).values():
            yield self._outlined(unpack(content))

    def _pack_names(self, names: Names, content_hash: str) -> bytes:
        lists = names.spaces, names.reexports, names.implementations, names.included, names.given, names.rows
        whole = [self._settings_mark(), content_hash, *lists]
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    def _settings_mark(self) -> str:
        return json.dumps(sorted(self._settings.items()))


def _names(outline: Outline) -> Names:
    facts = outline.facts
    return Names(
        list(outline.rows()),
        outline.spaces(),
        sorted({outline.keys[fact.declaration] for fact in facts.imports if fact.is_exported}),
        sorted({(last_name(one.trait.name), last_name(one.type.name)) for one in facts.implementations}),
        outline.included(),
        sorted(outline.gifts),
    )
