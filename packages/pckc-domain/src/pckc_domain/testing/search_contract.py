"""What lexical search must find in every canonical store."""

import pytest

from pckc_domain.model.document import Document
from pckc_domain.model.identity import digest
from pckc_domain.model.passage import (
    DocumentContent,
    GranularityLevel,
    Layer,
    PassageFilter,
    PassageHit,
    PropositionType,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import analyze_query, index_terms
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.samples import SCOPE, document, entry, passages

LIBRARY = {
    "shell": "Commands start with shell=False; an allowlist holds them.",
    "parser": "HTTPServerName is parsed by parse_header_line().",
    "cpp": "The C++ binding must not throw.",
    "flag": "Pass --dry-run to print the plan.",
    "russian": "Сервер упал ночью из-за переполненных журналов.",
    "chinese": "数据库连接超时。",
    "japanese": "キャッシュを無効にする",
    "accents": "Le café est fermé.",
    "operators": "Use AND, OR and NOT near the NEAR operator.",
    "nul": "left\x00right",
    "numbers": "Port 8420 is the default.",
}

QUESTIONS = [
    ("command", {"shell"}),
    ("allowlists", {"shell"}),
    ("shell=False", {"shell"}),
    ('"shell False"', {"shell"}),
    ("server name", {"parser"}),
    ("HTTPServerName", {"parser"}),
    ("parse_header_line", {"parser"}),
    ("C++", {"cpp"}),
    ("--dry-run", {"flag"}),
    ("переполненный", {"russian"}),
    ("серверы", {"russian"}),
    ("数据库", {"chinese"}),
    ("キャッシュ", {"japanese"}),
    ("cafe", {"accents"}),
    ("CAFÉ", {"accents"}),
    ("left", {"nul"}),
    ("right\x00nowhere", {"nul"}),
    ("8420", {"numbers"}),
    ("ports unheardof", {"numbers"}),
    ("unheardof", set()),
    ("", set()),
    ("?!.,;", set()),
]

HOSTILE = [
    "AND",
    "OR OR",
    "NOT x",
    "NEAR(a b, 2)",
    'one "two',
    '"""',
    "a*",
    "^start",
    "text:",
    "terms : x",
    "{content} : x",
    "-minus",
    "(((",
    "x)",
    "a + b",
    "'; DROP TABLE passage; --",
    "\x00",
    "\ud800",
    "%s",
    "\\",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﬁ ẞ",
    "word " * 20_000,
    " ".join(f"w{i}" for i in range(20_000)),
]


def texts(hits: list[PassageHit]) -> set[str]:
    """Return the texts found."""
    return {hit.stored.passage.text for hit in hits}


class SearchContract:
    """Membership and order of search results."""

    @pytest.mark.parametrize("layer", Layer)
    @pytest.mark.parametrize(("question", "expected"), QUESTIONS)
    def test_questions_find_their_passage(
        self, canonical: Canonical, layer: Layer, question: str, expected: set[str]
    ) -> None:
        """Languages, identifiers, symbols and accents, in every layer."""
        put_texts(canonical, *LIBRARY.values())
        assert texts(search(canonical, analyze_query(question), layer)) == {LIBRARY[name] for name in expected}

    @pytest.mark.parametrize("part", HOSTILE, ids=range(len(HOSTILE)))
    def test_any_query_is_safe(self, canonical: Canonical, part: str) -> None:
        """Operators, quotes, NULs, surrogates and huge queries are only words."""
        put_texts(canonical, "an innocent text", "another text")
        queries = [analyze_query(part), LexicalQuery(words=(part,), phrases=((part, part),), terms=(part,))]
        for query in queries:
            assert texts(search(canonical, query)) <= {"an innocent text", "another text"}

    def test_words_are_found_in_headings_and_symbols(self, canonical: Canonical) -> None:
        """Not only in the text itself."""
        of = document()
        found = passages(of, "plain", heading="Retry policy")
        with canonical.writing(SCOPE) as work:
            work.documents.put(DocumentContent(document=of, passages=tuple(found.values())))
        for layer in Layer:
            assert texts(search(canonical, LexicalQuery(words=("policies",)), layer)) == {"plain"}
        for layer in (Layer.CHUNK, Layer.PARAGRAPH):
            assert texts(search(canonical, LexicalQuery(words=("settings",)), layer)) == {"plain"}
        assert search(canonical, LexicalQuery(words=("constraint",)), Layer.PROPOSITION) == []
        assert search(canonical, LexicalQuery(words=("module",)), Layer.SUMMARY) == []

    def test_phrases_stand_together(self, canonical: Canonical) -> None:
        """In order, without a gap, and never across fields or in the extra terms."""
        put_texts(canonical, "the read timeout is short", "timeout read", "read the timeout")
        phrase = LexicalQuery(phrases=(("read", "timeouts"),))
        assert texts(search(canonical, phrase)) == {"the read timeout is short"}

    def test_terms_are_found_among_the_extra_terms_only(self, canonical: Canonical) -> None:
        """And words there too."""
        of = document()
        found = passages(of, "cplusplus stands here", terms="csharp сервер")
        with canonical.writing(SCOPE) as work:
            work.documents.put(DocumentContent(document=of, passages=tuple(found.values())))
        for query, is_found in (
            (LexicalQuery(terms=("cplusplus",)), False),
            (LexicalQuery(words=("cplusplus",)), True),
            (LexicalQuery(terms=("csharp",)), True),
            (LexicalQuery(words=("csharp",)), True),
            (LexicalQuery(phrases=(("csharp", "сервер"),)), False),
        ):
            assert bool(search(canonical, query)) is is_found, query

    def test_parts_are_alternatives(self, canonical: Canonical) -> None:
        """A passage needs only one of them; one that has more and rarer ones comes first."""
        others = [f"filler{i} grey" for i in range(20)]
        put_texts(canonical, *others, "red", "green", "red green stripes", "red red", "red paint")
        hits = search(canonical, LexicalQuery(words=("red", "green", "missing")))
        assert texts(hits) == {"red", "green", "red green stripes", "red red", "red paint"}
        assert hits[0].stored.passage.text == "red green stripes"

    def test_order_is_total(self, canonical: Canonical) -> None:
        """Best first, equal scores by id, and a limit cuts the same list."""
        put_texts(canonical, *(f"same words number{i}" for i in range(12)), "same same")
        query = LexicalQuery(words=("same",))
        hits = search(canonical, query)
        assert len(hits) == 13
        keys = [(-hit.score, hit.stored.passage.id) for hit in hits]
        assert keys == sorted(keys)
        for limit in (0, 1, 5, 12):
            assert search(canonical, query, limit=limit) == hits[:limit]

    def test_common_words_do_not_hide_anything(self, canonical: Canonical) -> None:
        """A word in nearly every passage still finds those that hold nothing else of the query."""
        put_texts(canonical, *(f"common filler{i}" for i in range(30)), "rare")
        hits = search(canonical, LexicalQuery(words=("common", "rare")), limit=100)
        assert len(hits) == 31
        assert hits[0].stored.passage.text == "rare"

    def test_type_filters_come_before_the_limit(self, canonical: Canonical) -> None:
        """Many better hits of another type do not push out the one asked for, in both filtered layers."""
        of = document()
        crowd = [
            passage
            for i in range(20)
            for passage in passages(of, f"alpha alpha {i}", type=PropositionType.RISK).values()
        ]
        wanted = passages(
            of, "alpha beta gamma delta", type=PropositionType.SECURITY_RULE, level=GranularityLevel.DOCUMENT
        )
        with canonical.writing(SCOPE) as work:
            work.documents.put(DocumentContent(document=of, passages=(*crowd, *wanted.values())))
        where = PassageFilter(
            types=frozenset({PropositionType.SECURITY_RULE}), levels=frozenset({GranularityLevel.DOCUMENT})
        )
        query = LexicalQuery(words=("alpha",))
        for layer in (Layer.PROPOSITION, Layer.SUMMARY):
            assert texts(search(canonical, query, layer, where=where, limit=1)) == {"alpha beta gamma delta"}
            with canonical.reading(SCOPE) as work:
                assert [p.passage.text for p in work.passages.find(layer, where=where, limit=1)] == [
                    "alpha beta gamma delta"
                ]
        for layer in (Layer.CHUNK, Layer.PARAGRAPH):
            assert len(search(canonical, query, layer, where=where, limit=100)) == 21

    def test_place_filters_come_before_the_limit(self, canonical: Canonical) -> None:
        """Exact uris and prefixes; ``%`` and ``_`` in them are plain characters."""
        uris = [*(f"src/a{i}.py" for i in range(9)), "src/a_b.py", "docs/100%.md", "docs/100x.md"]
        for uri in uris:
            put_texts(canonical, "alpha", of=document(uri))
        for where, expected in (
            (PassageFilter(uris=frozenset({"docs/100%.md"})), {"docs/100%.md"}),
            (PassageFilter(uri_prefixes=("docs/100%",)), {"docs/100%.md"}),
            (PassageFilter(uri_prefixes=("src/a_",)), {"src/a_b.py"}),
            (PassageFilter(uri_prefixes=("docs/", "src/a1")), {"docs/100%.md", "docs/100x.md", "src/a1.py"}),
            (PassageFilter(uris=frozenset({"src/a1.py"}), uri_prefixes=("docs/",)), set()),
            (PassageFilter(digests=frozenset({digest("alpha")}), uris=frozenset({"src/a1.py"})), {"src/a1.py"}),
            (PassageFilter(digests=frozenset({digest("beta")})), set()),
        ):
            limit = max(len(expected), 1)
            hits = search(canonical, LexicalQuery(words=("alpha",)), where=where, limit=limit)
            assert {hit.stored.document.uri for hit in hits} == expected, where
            with canonical.reading(SCOPE) as work:
                found = work.passages.find(Layer.CHUNK, where=where, limit=limit)
            assert {each.document.uri for each in found} == expected, where

    def test_name_filters_are_exact_and_come_before_the_limit(self, canonical: Canonical) -> None:
        """A name is the heading, its last part, or a symbol; case and every character count."""
        headings = [*(f"alpha.other{i}" for i in range(9)), "Session.send", "Session", "session", "resend", "a.b.c"]
        for i, heading in enumerate(headings):
            of = document(f"{i}.py")
            with canonical.writing(SCOPE) as work:
                found = passages(of, f"alpha {i}", heading=heading)
                work.documents.put(DocumentContent(document=of, passages=tuple(found.values())))
        for names, expected in (
            ({"send"}, {"Session.send"}),
            ({"Session.send"}, {"Session.send"}),
            ({"Session"}, {"Session"}),
            ({"session", "Session"}, {"Session", "session"}),
            ({"b.c"}, set()),
            ({"%"}, set()),
            ({""}, set()),
            ({"Parser"}, set(headings)),
            ({"parser"}, set()),
        ):
            where = PassageFilter(names=frozenset(names))
            hits = search(canonical, LexicalQuery(words=("alpha",)), where=where, limit=max(len(expected), 1))
            assert {hit.stored.passage.section_heading for hit in hits} == expected, names  # type: ignore[attr-defined]  # paragraphs

    def test_a_checkout_sees_its_own_versions(self, canonical: Canonical) -> None:
        """And documents that no checkout ever held."""
        mine, theirs, loose = document("a.py", 1), document("a.py", 2), document("https://example.org/")
        for each in (mine, theirs, loose):
            put_texts(canonical, "alpha", of=each)
        with canonical.writing(SCOPE) as work:
            work.manifest.put("co_one", [entry(mine)])
            work.manifest.put("co_two", [entry(theirs)])
        for checkout, expected in (
            ("co_one", {mine.id, loose.id}),
            ("co_two", {theirs.id, loose.id}),
            ("co_unknown", {loose.id}),
            (None, {mine.id, theirs.id, loose.id}),
        ):
            where = PassageFilter(checkout=checkout)
            hits = search(canonical, LexicalQuery(words=("alpha",)), where=where, limit=len(expected))
            assert {hit.stored.document.id for hit in hits} == expected

    def test_search_stays_in_its_scope(self, canonical: Canonical) -> None:
        """However well the other scope's passages match."""
        for i in range(9):
            put_texts(canonical, f"alpha {i}", of=document(f"{i}.py"), scope=Scope(project="another"))
        put_texts(canonical, "alpha beta gamma delta")
        hits = search(canonical, LexicalQuery(words=("alpha",)), limit=1)
        assert texts(hits) == {"alpha beta gamma delta"}

    def test_erased_text_is_not_found(self, canonical: Canonical) -> None:
        """Not in the same transaction either, and the search index holds no trace of it."""
        of = document()
        put_texts(canonical, "alpha", of=of)
        with canonical.writing(SCOPE) as work:
            work.documents.remove([of.id])
            assert not work.passages.search(
                Layer.CHUNK, LexicalQuery(words=("alpha",)), where=PassageFilter(include_stale=True), limit=9
            )
        assert search(canonical, LexicalQuery(words=("alpha",)), where=PassageFilter(include_stale=True)) == []
        assert canonical.info(check=True).problems == ()


def put_texts(canonical: Canonical, *stored: str, of: Document | None = None, scope: Scope = SCOPE) -> None:
    """Store a document with one passage of each layer for each text, with its extra terms."""
    of = of or document()
    cut = [passage for text in stored for passage in passages(of, text, terms=index_terms(text)).values()]
    with canonical.writing(scope) as work:
        work.documents.put(DocumentContent(document=of, passages=tuple(cut)))


def search(
    canonical: Canonical,
    query: LexicalQuery,
    layer: Layer = Layer.PARAGRAPH,
    *,
    where: PassageFilter | None = None,
    limit: int = 50,
) -> list[PassageHit]:
    """Search in a snapshot of its own."""
    with canonical.reading(SCOPE) as work:
        return list(work.passages.search(layer, query, where=where or PassageFilter(), limit=limit))
