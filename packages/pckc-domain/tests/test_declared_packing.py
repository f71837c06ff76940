"""Facts of languages with declared types come back from bytes as they were."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.code_facts import Rationale
from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    Declaration,
    DeclaredFacts,
    Expression,
    Implementation,
    ImportFact,
    Item,
    Literal,
    Local,
    Mention,
    Name,
    New,
    Parameter,
    Part,
    Place,
    Select,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.graph.declared.outline import Outline, outline_facts
from pckc_domain.policy.graph.declared.packing import pack, unpack

NAMES = st.sampled_from(["a", "B", "c.D", "", "имя", "\ud800"])
NUMBERS = st.integers(0, 9)
PLACES = st.builds(Place, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
TYPES = st.recursive(
    st.builds(TypeRef, NAMES),
    lambda inner: st.builds(TypeRef, NAMES, st.tuples(inner) | st.tuples(inner, inner)),
    max_leaves=2,
)


def _larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    optional = st.none() | inner
    passed = st.lists(optional, max_size=2).map(tuple)
    return st.one_of(
        st.builds(Select, optional, NAMES),
        st.builds(Call, inner, passed, st.lists(TYPES, max_size=2).map(tuple), PLACES),
        st.builds(New, TYPES, passed, PLACES),
        st.builds(Cast, optional, TYPES),
        st.builds(Item, inner, st.booleans()),
        st.builds(Part, inner, NUMBERS),
        st.builds(Choice, st.lists(inner, max_size=2).map(tuple)),
    )


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(
        st.builds(Name, NAMES),
        st.builds(This, st.booleans()),
        st.builds(Literal, TYPES),
        st.builds(Closure, NUMBERS),
    ),
    _larger,
    max_leaves=4,
)


KINDS = st.sampled_from([NodeKind.CLASS, NodeKind.METHOD, NodeKind.FIELD, NodeKind.LAMBDA])


def _declaration(parent: int, kind: NodeKind, name: str, start: int, receiver: TypeRef | None) -> Declaration:
    return Declaration(
        parent=parent,
        kind=kind,
        name=name,
        start_line=1,
        end_line=2,
        start_byte=start,
        end_byte=start + 1,
        receiver=receiver,
    )


MODULE = _declaration(-1, NodeKind.MODULE, "b", 0, None)


def _facts(*declarations: Declaration) -> DeclaredFacts:
    return DeclaredFacts(path="a/b.x", language="x", namespace="n", declarations=(MODULE, *declarations))


@given(EXPRESSIONS, TYPES, NAMES, PLACES)
def test_facts_come_back(expression: Expression, kind: TypeRef, name: str, place: Place) -> None:
    whole = attrs.evolve(
        _declaration(0, NodeKind.METHOD, name, 3, kind),
        signature=name,
        doc=name,
        visibility=name,
        is_static=True,
        is_constructor=True,
        has_body=False,
        type_parameters=(TypeParameter(name), TypeParameter(name, (kind,))),
        parameters=(Parameter(name, None), Parameter(name, kind, is_optional=True, is_rest=True)),
        type=kind,
        value=expression,
        bases=(kind, kind),
        interfaces=(kind,),
        implemented=kind,
        locals=(Local(name, None, None, 3), Local(name, kind, expression, 4)),
        result=(expression,),
        calls=(expression, expression),
        mentions=(Mention(expression, place),),
    )
    facts = attrs.evolve(
        _facts(whole),
        imports=(ImportFact(name, name, name, 0, 5, name, is_exported=True),),
        implementations=(Implementation(kind, kind, 0, 6),),
        rationale=(Rationale(name, name, 7, 0),),
        problems=(name,),
    )
    assert unpack(pack(facts)) == facts


@st.composite
def trees(draw: st.DrawFn) -> DeclaredFacts:
    """Draw the declarations of a file."""
    found: list[Declaration] = []
    for index in range(draw(st.integers(0, 5))):
        parent, kind, name = draw(st.integers(0, index)), draw(KINDS), draw(st.sampled_from(["a", "b", "", "c.d"]))
        found.append(_declaration(parent, kind, name, draw(NUMBERS), draw(st.none() | st.just(TypeRef("A")))))
    return _facts(*found)


@given(trees())
def test_ids_are_unique_and_an_outline_keeps_them(facts: DeclaredFacts) -> None:
    outline = Outline(facts, "space")
    nodes = [
        identity
        for identity, declaration in zip(outline.ids, facts.declarations, strict=True)
        if declaration.kind is not NodeKind.LAMBDA
    ]
    assert len(set(nodes)) == len(nodes)
    shown = Outline(unpack(pack(outline_facts(facts))), "space")
    assert (shown.ids, shown.keys) == (outline.ids, outline.keys)
    assert shown.exports() == outline.exports()
