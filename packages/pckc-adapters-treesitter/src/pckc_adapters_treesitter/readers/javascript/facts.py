"""The facts of a file of JavaScript or TypeScript."""

from pckc_domain.model.code_facts import CodeFacts, Rationale, ScopeFacts, ScopeKind

from pckc_adapters_treesitter.readers.comments import Comments
from pckc_adapters_treesitter.readers.javascript.bindings import BindingTable
from pckc_adapters_treesitter.readers.javascript.names import Block, Names
from pckc_adapters_treesitter.readers.javascript.statements import Statements
from pckc_adapters_treesitter.readers.source import Source, last_line

LONGEST_LINE = 20_000
"""A file mostly of longer lines, in bytes, was written by a program, and nobody calls what is in it by name."""


def javascript_facts(source: Source) -> CodeFacts:
    """Return what a file of JavaScript says."""
    return _facts(source, "javascript")


def typescript_facts(source: Source) -> CodeFacts:
    """Return what a file of TypeScript says."""
    return _facts(source, "typescript")


def tsx_facts(source: Source) -> CodeFacts:
    """Return what a file of TypeScript with JSX says."""
    return _facts(source, "tsx")


def _facts(source: Source, language: str) -> CodeFacts:
    lines = 1 + source.bytes.count(b"\n")
    name = source.path.rpartition("/")[2].rpartition(".")[0]
    if problem := _left_out(source):
        alone = ScopeFacts(parent=-1, kind=ScopeKind.MODULE, name=name, ordinal=0, start_line=1, end_line=lines)
        return CodeFacts(
            path=source.path, language=language, scopes=(alone,), variables=1, steps=(), sites=(), problems=(problem,)
        )
    reader = _read(source, name)
    names = reader.names
    spans = [(one.start_line, lines if one.index == 0 else last_line(one.node)) for one in names.scopes]
    return CodeFacts(
        path=source.path,
        language=language,
        scopes=tuple(one.facts(last) for one, (_, last) in zip(names.scopes, spans, strict=True)),
        variables=names.variables,
        steps=tuple(names.steps),
        sites=tuple(names.sites),
        stars=tuple(names.stars),
        exports=tuple(names.scopes[0].members),
        rationale=tuple(Rationale(*one) for one in reader.comments.rationale(spans)),
        problems=(*source.problems(), *reader.problems),
    )


def _read(source: Source, name: str) -> Statements:
    table = BindingTable(source.root, source.grammar)
    names = Names(table.shared)
    reader = Statements(source, names, table, Comments(source))
    scope = names.open(ScopeKind.MODULE, name, source.root)
    scope.start_line = 1
    scope.bindings = table.of(source.root)
    names.scope, names.block = scope, Block(None, scope)
    reader.module()
    scope.members = reader.exported_members()
    names.finish()
    return reader


def _left_out(source: Source) -> str:
    """Return why a file is not read; ``""`` when it is."""
    if len(source.bytes) <= LONGEST_LINE:
        return ""
    longer = [len(one) for one in source.bytes.split(b"\n") if len(one) > LONGEST_LINE]
    if 2 * sum(longer) < len(source.bytes):
        return ""
    return f"left out: a line of {max(longer)} bytes, as programs write them"
