"""
Hypothesis strategies for the model.

Everything comes from small pools, so that versions, paths and words meet again. The words are such that every stemmer
of English agrees on them.
"""

import attrs
from hypothesis import strategies as st

from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.identity import digest
from pckc_domain.model.passage import (
    DocumentContent,
    GranularityLevel,
    Layer,
    PassageFilter,
    PropositionType,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.analysis import index_terms
from pckc_domain.testing.samples import document, entry, passages

WORDS = (
    "parser parsers parsing lock locked locks café cafe C++ getHTTPName read_only 8420 сервер серверы 数据库 AND ✓"
).split()

DOCUMENTS = tuple(document(uri, version) for uri in ("src/a.py", "src/b.py", "docs/a_b.md") for version in (1, 2, 3))
CHECKOUTS = ("co_one", "co_two")
PATHS = tuple(dict.fromkeys(each.uri for each in DOCUMENTS))
PROJECTIONS = ("vector", "graph")

words = st.sampled_from(WORDS)
texts = st.lists(words, min_size=1, max_size=5).map(" ".join)
document_ids = st.lists(st.sampled_from([each.id for each in DOCUMENTS]), max_size=3)
paths = st.lists(st.sampled_from(PATHS), max_size=3)


@st.composite
def contents(draw: st.DrawFn) -> DocumentContent:
    """Return one of `DOCUMENTS` with passages of every layer."""
    of = draw(st.sampled_from(DOCUMENTS))
    place = draw(st.sampled_from(("", "page=3", "heading=Установка > Linux")))
    cut = [
        attrs.evolve(passage, place=place)
        for text in draw(st.lists(texts, max_size=3, unique=True))
        for passage in passages(
            of,
            text,
            terms=index_terms(text),
            heading=draw(st.sampled_from(("", "lock", "getHTTPName"))),
            type=draw(st.sampled_from(PropositionType)),
            level=draw(st.sampled_from(GranularityLevel)),
        ).values()
    ]
    return DocumentContent(document=of, passages=tuple(cut))


@st.composite
def entries(draw: st.DrawFn) -> ManifestEntry:
    """Return an entry of a path that holds one of its versions, or was skipped."""
    path = draw(st.sampled_from(PATHS))
    version = draw(st.sampled_from([None, *(each for each in DOCUMENTS if each.uri == path)]))
    if version is None:
        return ManifestEntry(path=path, size_bytes=draw(st.integers(0, 2**40)), mtime_ns=0, skipped="binary")
    return entry(version)


def subsets(values: object) -> st.SearchStrategy[frozenset[object]]:
    """Return small subsets of a pool."""
    return st.frozensets(st.sampled_from(values), max_size=2)  # type: ignore[call-overload]  # any pool


filters = st.builds(
    PassageFilter,
    types=subsets(PropositionType),
    levels=subsets(GranularityLevel),
    uris=subsets(PATHS),
    uri_prefixes=st.sampled_from(((), ("src/",), ("docs/a_", "src/b"), ("docs/a%",))),
    digests=st.sampled_from((frozenset(), frozenset({digest("lock"), digest("parser")}))),
    names=st.sampled_from((frozenset(), frozenset({"Parser"}), frozenset({"load_settings", "parse"}))),
    checkout=st.sampled_from((None, *CHECKOUTS)),
    include_stale=st.booleans(),
)

queries = st.builds(
    LexicalQuery,
    words=st.lists(words, max_size=3).map(tuple),
    phrases=st.lists(st.lists(words, min_size=2, max_size=3).map(tuple), max_size=2).map(tuple),
    names=st.lists(st.lists(words, min_size=1, max_size=2).map(tuple), max_size=1).map(tuple),
    terms=st.lists(st.sampled_from(("cplusplus", "сервер", "数据", "数据库", "http", "8420")), max_size=2).map(tuple),
)

layers = st.sampled_from(Layer)
