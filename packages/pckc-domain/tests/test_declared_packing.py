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


def _tuples(values: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(values, max_size=1).map(tuple)


def _declarations(parents: st.SearchStrategy[int]) -> st.SearchStrategy[Declaration]:
    return st.builds(
        Declaration,
        parent=parents,
        kind=st.sampled_from([NodeKind.CLASS, NodeKind.METHOD, NodeKind.FIELD, NodeKind.LAMBDA]),
        name=NAMES,
        start_line=NUMBERS,
        end_line=NUMBERS,
        start_byte=NUMBERS,
        end_byte=NUMBERS,
        signature=NAMES,
        is_static=st.booleans(),
        has_body=st.booleans(),
        type_parameters=_tuples(st.builds(TypeParameter, NAMES, _tuples(TYPES))),
        parameters=_tuples(st.builds(Parameter, NAMES, st.none() | TYPES, st.booleans(), st.booleans())),
        type=st.none() | TYPES,
        value=st.none() | EXPRESSIONS,
        bases=_tuples(TYPES),
        receiver=st.none() | TYPES,
        locals=_tuples(st.builds(Local, NAMES, st.none() | TYPES, st.none() | EXPRESSIONS, NUMBERS)),
        result=_tuples(EXPRESSIONS),
        calls=_tuples(EXPRESSIONS),
        mentions=_tuples(st.builds(Mention, EXPRESSIONS, PLACES)),
    )


@st.composite
def facts(draw: st.DrawFn) -> DeclaredFacts:
    """Draw the facts of a file."""
    module = attrs.evolve(draw(_declarations(st.just(-1))), kind=NodeKind.MODULE, receiver=None)
    others = [draw(_declarations(st.integers(0, index))) for index in range(draw(st.integers(0, 3)))]
    return DeclaredFacts(
        path="a/b.x",
        language="x",
        namespace=draw(NAMES),
        declarations=(module, *others),
        imports=tuple(draw(_tuples(st.builds(ImportFact, NAMES, NAMES, NAMES, st.just(0), NUMBERS, NAMES)))),  # type: ignore[arg-type] # drawn as objects
        implementations=tuple(draw(_tuples(st.builds(Implementation, TYPES, TYPES, st.just(0), NUMBERS)))),  # type: ignore[arg-type] # drawn as objects
        rationale=tuple(draw(_tuples(st.builds(Rationale, NAMES, NAMES, NUMBERS, st.just(0))))),  # type: ignore[arg-type] # drawn as objects
        problems=tuple(draw(st.lists(NAMES, max_size=2))),
    )


@given(facts())
def test_facts_come_back(one: DeclaredFacts) -> None:
    assert unpack(pack(one)) == one


@given(facts())
def test_ids_are_unique_and_an_outline_keeps_them(one: DeclaredFacts) -> None:
    outline = Outline(one, "space")
    nodes = [
        identity
        for identity, declaration in zip(outline.ids, one.declarations, strict=True)
        if declaration.kind is not NodeKind.LAMBDA
    ]
    assert len(set(nodes)) == len(nodes)
    shown = Outline(unpack(pack(outline_facts(one))), "space")
    assert (shown.ids, shown.keys) == (outline.ids, outline.keys)
    assert shown.exports() == outline.exports()
