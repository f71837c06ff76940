"""What the graph of declared languages says beside who calls whom: proofs, evidence, what stays open, other edges."""

from collections.abc import Mapping

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.graph import Edge, EdgeEvidence, EdgeKind, FileGraph, ImportLink, Node, NodeKind, OpenCall, Span
from pckc_domain.model.linking import FileChange
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.declared.linker import DeclaredLinker

LONG = 400


class Nothing:
    """Remembers nothing."""

    def load(self, _: str, _paths: object, /) -> Mapping[str, bytes]:
        """Return nothing."""
        return {}

    def askers(self, _: object, /) -> tuple[str, ...]:
        """Return nobody."""
        return ()


def linked(language: str, files: Mapping[str, str]) -> dict[str, FileGraph]:
    """Return the graph of a program, file by file."""
    reader = TreeSitterCodeReader()
    settings = {path: text for path, text in files.items() if path.endswith(".mod")}
    sources = {path: text for path, text in files.items() if path not in settings}
    changes = []
    for path, text in sources.items():
        facts = reader.facts(path, text, language=language)
        assert facts is not None
        changes.append(FileChange(facts=facts, content_hash=""))
    found = DeclaredLinker(RULES_OF[language]).link(
        changes,
        gone=(),
        known=dict.fromkeys(sources, language),
        settings=settings,
        memory=Nothing(),
        progress=ignore_progress,
    )
    return {file.path: file.graph for file in found if file.graph}


def edges(graphs: Mapping[str, FileGraph], kind: EdgeKind) -> dict[tuple[str, str], Edge]:
    """Return the edges of a kind by the names in the ids of their ends."""
    found = [edge for graph in graphs.values() for edge in graph.edges if edge.kind is kind]
    return {(edge.source.split("#")[1], edge.target.split("#")[1]): edge for edge in found}


def nodes(graphs: Mapping[str, FileGraph]) -> dict[str, Node]:
    """Return the nodes by the name in their ids."""
    return {node.id.split("#")[1]: node for graph in graphs.values() for node in graph.nodes}


def open_calls(graphs: Mapping[str, FileGraph]) -> dict[str, OpenCall]:
    """Return the open calls by what they call."""
    return {call.name: call for graph in graphs.values() for call in graph.open_calls}


def test_a_call_is_proved_by_its_site_and_the_import() -> None:
    graphs = linked(
        "go",
        {
            "go.mod": "module m\n",
            "a.go": 'package a\n\nimport q "m/sub"\n\nfunc Use() {\n\tüber := q.New()\n\t_ = über\n}\n',
            "sub/b.go": "package sub\n\nfunc New() int { return 1 }\n",
        },
    )
    call = edges(graphs, EdgeKind.CALLS)["Use", "New"]
    assert call.sites == (Span("a.go", 6, 10, 6, 17),)
    assert call.imports == (ImportLink("a.go", 3, 'import q "m/sub"'),)
    assert call.evidence is EdgeEvidence.EXTRACTED
    assert ("", "") in edges(graphs, EdgeKind.IMPORTS)


def test_implementations_are_inferred_and_many_are_ambiguous() -> None:
    several = "".join(f"class C{number} implements I {{ public void run() {{}} }}\n" for number in range(3))
    many = "".join(f"class C{number} implements I {{ public void run() {{}} }}\n" for number in range(12))
    use = "interface I { void run(); }\nclass Use { void go(I i) { i.run(); } }\n"
    few = edges(linked("java", {"A.java": several + use}), EdgeKind.CALLS)
    assert few["Use.go", "I.run"].evidence is EdgeEvidence.EXTRACTED
    assert few["Use.go", "C1.run"].evidence is EdgeEvidence.INFERRED
    lots = edges(linked("java", {"A.java": many + use}), EdgeKind.CALLS)
    assert lots["Use.go", "C11.run"].evidence is EdgeEvidence.AMBIGUOUS


def test_unknown_calls_keep_their_candidates_and_outside_ones_are_said_to_be() -> None:
    graphs = linked(
        "java",
        {
            "p/A.java": "package p; class A { void save() {} }",
            "p/Use.java": "package p; import x.Far;\n"
            "class Use { void go(Far far) { far.get().save(); mystery().save(); } }",
        },
    )
    calls = open_calls(graphs)
    assert calls["far.get().save"].external == "x.Far.get().save"
    assert calls["far.get().save"].candidates == ()
    assert calls["mystery().save"].external == ""
    assert calls["mystery().save"].candidates == ("p/A.java#A.save#method#0",)
    assert not edges(graphs, EdgeKind.CALLS)


def test_production_never_binds_to_tests() -> None:
    files = {"p/a.go": "package p\n\nfunc Use() { help() }\n", "p/a_test.go": "package p\n\nfunc help() { Use() }\n"}
    assert list(edges(linked("go", files), EdgeKind.CALLS)) == [("help", "Use")]


def test_symbols_and_what_joins_them() -> None:
    graphs = linked(
        "java",
        {
            "A.java": "class Base { void run(int n) {} }\n"
            "/** What it is for. */\n"
            "public class A extends Base implements I {\n"
            "  // TODO: less of it\n"
            "  @Override\n"
            "  public void run(int n) { list(this::each); }\n"
            "  private Base each(A a) { return new A(); }\n"
            "  void list(Object o) {}\n"
            "}\n"
            "interface I { int LIMIT = 3; void run(int n); }\n",
        },
    )
    found = nodes(graphs)
    assert (found["A"].doc, found["A"].visibility) == ("What it is for.", "public")
    assert found["A"].signature == "public class A extends Base implements I"
    assert (found["A.each"].kind, found["A.each"].visibility) == (NodeKind.METHOD, "private")
    assert found["I.LIMIT"].kind is NodeKind.CONSTANT
    assert found["A.run.TODO"].text == "less of it"
    assert ("A", "Base") in edges(graphs, EdgeKind.INHERITS)
    assert ("A", "I") in edges(graphs, EdgeKind.IMPLEMENTS)
    assert ("A.run", "Base.run") in edges(graphs, EdgeKind.OVERRIDES)
    assert ("A.each", "A") in edges(graphs, EdgeKind.PARAMETER_TYPE)
    assert ("A.each", "Base") in edges(graphs, EdgeKind.RETURN_TYPE)
    assert {("A.run", "A.each"), ("A.each", "A")} <= edges(graphs, EdgeKind.REFERENCES).keys()
    assert ("A", "A.run") in edges(graphs, EdgeKind.CONTAINS)


def _numbered(line: str) -> str:
    return "\n".join(line.format(one=number, next=number + 1) for number in range(LONG))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ruby", _numbered("def f{one}\n  f{next}\nend") + "\ndef go\n  f0.x\nend\n"),
        ("kotlin", _numbered("fun f{one}() = f{next}()")),
        ("go", "package p\n" + _numbered("type T{one} = T{next}") + "\nfunc f(t T0) { t.x() }\n"),
        ("go", "package p\n" + _numbered("var v{one} = v{next}.f()")),
        ("go", "package p\nfunc h(n int) int { return n }\nfunc g() { " + "h(" * LONG + "1" + ")" * LONG + " }\n"),
        ("java", "class A { " + _numbered("class C{one} extends C{next} {{}}") + " void g(C0 c) { c.m(); } }"),
        ("cpp", "namespace a { " * LONG + "void f() { f(); }" + " }" * LONG),
    ],
)
def test_no_chain_ends_the_run(language: str, text: str) -> None:
    graphs = linked(language, {"a.x": text})
    assert len(graphs["a.x"].edges) > 1
