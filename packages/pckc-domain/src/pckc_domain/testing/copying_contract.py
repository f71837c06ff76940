"""Contract of copying: whatever a store holds, another one holds after it."""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from datetime import timedelta

import attrs
import pytest

from pckc_domain.errors import ConfigurationError, ConflictError, InvalidInputError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, ClaimStatus, Governance, LinkKind
from pckc_domain.model.fact import FactPlace, Place
from pckc_domain.model.gap import GapPriority, GapStatus
from pckc_domain.model.graph import Community, GraphLayer
from pckc_domain.model.graph_index import CLAIM_GRAPH
from pckc_domain.model.inference import Derivation, EdgeKey, InferenceState, InferredEdge
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.scope import Scope
from pckc_domain.model.trace import TraceKind
from pckc_domain.policy.graph.indexing import graph_name
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    claim,
    episode,
    event,
    evidence,
    link,
    proof,
    rejection,
    session,
)
from pckc_domain.testing.curated_samples import distillation, gap, trace, verdict
from pckc_domain.testing.graph_samples import edge, linked, node, node_id, open_call, state
from pckc_domain.testing.holdings import everything_of
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import SCOPE, TIME, checkout, content, document, entry
from pckc_domain.usecases.archive import FORMAT, VERSION, archive_lines, check_archive, restore_lines
from pckc_domain.usecases.migrate import Migrator
from pckc_domain.usecases.stocktaking import PAGE

OTHER = Scope(project="other")
BOOK = "file:///books/a.pdf"
CALLER, CALLEE = node_id("a.py", "f"), node_id("b.py", "g")


def fill(canonical: Canonical) -> None:
    """Give a store something of everything, also of what only time brings about."""
    with canonical.writing(SCOPE) as work:
        _fill_index(work)
        _fill_beliefs(work)
        _fill_graph(work)
        fill_curated(work)
    with canonical.writing(OTHER) as work:
        work.documents.put(content(document("other.md", scope=OTHER), "Of another project."))


def _fill_index(work: UnitOfWork) -> None:
    for version in (1, 2):  # the first one turns stale
        work.documents.put(content(document("src/app.py", version), f"Version {version} must be quick."))
        work.manifest.put("co_one", [entry(document("src/app.py", version))])
    empty = attrs.evolve(document("src/empty.py"), size_bytes=0)
    work.documents.put(content(empty))
    skipped = attrs.evolve(entry(empty, path="big.bin"), document_id=None, skipped="too large")
    work.manifest.put("co_one", [entry(empty), skipped])
    work.documents.put(content(document("never/held.md"), "A book that nobody checked out."))
    work.manifest.record(checkout())
    work.manifest.record(checkout("co_two", is_complete=False))


def _fill_beliefs(work: UnitOfWork) -> None:
    one, two = session("one"), session("two", parent_id=session("one").id)
    said = [event(one, 0, "Use the parser."), event(one, 11, "Привет, parser.", is_sidechain=True, exit_code=3)]
    work.sessions.put(one, said)
    episodes = [episode(one, 0), episode(one, 1)]
    work.evidence.replace(one.id, episodes, [evidence(each, of) for each, of in zip(said, episodes, strict=True)])
    work.rejections.replace(one.id, [rejection(one), rejection(one, 4, excerpt="perhaps")])
    work.sessions.put(two, [event(two, 0, "Never derived.")])
    old = claim("The parser is lenient.", valid_to=claim().valid_from + timedelta(days=2))
    new, loose = claim("The parser is strict."), claim("The port is 8000.", session_id="", document_id="d1")
    work.assertions.replace(one.id, {"parser": [assertion(old), assertion(new, 1)]})
    work.assertions.replace("owner of facts", {"port": [assertion(loose)]})
    work.facts.replace(
        "owner of facts",
        [
            FactPlace(
                slot="port",
                owner_id="owner of facts",
                place=Place(branch="", path="src/app.py"),
                topic="t",
                is_live=False,
                joined="parser",
            )
        ],
    )
    work.claims.settle({"port": Beliefs(claims=(loose,), proofs=(proof(loose),))})
    work.claims.settle(
        {
            "parser": Beliefs(
                claims=(old, new),
                proofs=(proof(old), proof(new)),
                # One link leads to a slot that is written later.
                links=(link(new, old), link(new, loose, LinkKind.CONFIRMS)),
            )
        }
    )
    work.proofs.attach([proof(new, "seen later", excerpt="line 3"), proof(new, excerpt="in its place")])
    work.claims.note_check(loose.id, stale_reason="the line is gone")
    for decision in (act(new), act(new, Governance.ARCHIVED), act(old), act(claim("Never settled."))):
        work.governance.append(decision)
    work.imports.remember("/t/0", TranscriptPosition(offset=10, records=2, prefix_hash="ab", state='{"a": "é"}'))


def _fill_graph(work: UnitOfWork) -> None:
    graph = work.graph("co_one", GraphLayer.REPOSITORY)
    graph.files.put(
        [
            linked(
                "a.py",
                [node("a.py", "f", doc="Does it.")],
                [edge(CALLER, CALLEE)],
                [open_call(CALLER, "x.g", line=2, candidates=(CALLEE,)), open_call(CALLER, "os.getcwd", external="os")],
                sections={"facts": b"\0\xff", "links": b"b"},
                asked=("g", "x"),
            ),
            linked("b.py", [node("b.py", "g", line=4)], problems=("line 1",), asked=("g",)),
            linked("c.min.js", skipped="too long lines"),
        ]
    )
    members = (CALLER, CALLEE)
    graph.communities.put(
        [Community(id=3, level=0, parent=None, name="f", members=members, central=(CALLEE,))], modularity=0.25
    )
    graph.state.put(state(7))
    follows = InferredEdge(
        source=CALLER,
        target=CALLEE,
        kind="needs",
        confidence=0.5,
        depth=2,
        derivation=Derivation(rule_id="claim_rule", premises=(EdgeKey(CALLER, CALLEE, "calls"),)),
    )
    for name, edges in ((graph_name("co_one", GraphLayer.REPOSITORY), [follows]), (CLAIM_GRAPH, [])):
        work.inferences.replace(name, InferenceState(fingerprint="ab", stopped="more", edges=len(edges)), edges)


def fill_curated(work: UnitOfWork) -> None:
    """Give a store an ingested document, in two versions, and something of everything that is curated."""
    book = document(BOOK)
    cut = content(book, "What the book says.")
    work.documents.put(attrs.evolve(cut, passages=tuple(attrs.evolve(one, place="page=3") for one in cut.passages)))
    older = document(BOOK, 0)
    work.documents.put(content(older, "What it said before."))
    work.documents.retire([older.id])
    work.distillations.put(
        [
            distillation("done", book, is_done=True, refused=2, at=TIME + timedelta(days=1)),
            distillation("failed", book, error="no answer — «да»", attempts=3),
            distillation("waiting", older, attempts=0),
        ]
    )
    work.verdicts.put(
        [verdict("claim_a", "claim_b", similarity=0.1 + 0.2, reason="Same slot."), verdict("claim_a", method="model:m")]
    )
    for number in range(2):
        work.gaps.put(gap(f"gap_{number}", question=f"Вопрос {number}?", reason="It matters."))
    work.gaps.put(
        gap("gap_closed", status=GapStatus.CLOSED, priority=GapPriority.HIGH, closed_by=("claim_b", "claim_a"))
    )
    work.traces.add([trace("t1", session_id="one"), trace("t2", TraceKind.PLAN, at=TIME + timedelta(hours=1))])


class CopyingContract:
    """A subclass provides the fixture ``canonical``: an empty store."""

    def test_there_and_back_nothing_is_lost(self, canonical: Canonical) -> None:
        """From the memory store into this one, and into another memory store: all hold the same."""
        before, after = MemoryCanonical(), MemoryCanonical()
        fill(before)
        Migrator(before, canonical).run(before.scopes())
        Migrator(canonical, after).run(canonical.scopes())
        assert canonical.scopes() == before.scopes() == after.scopes()
        for scope in before.scopes():
            assert everything_of(canonical, scope) == everything_of(before, scope)
            assert everything_of(after, scope) == everything_of(before, scope)

    def test_what_the_ports_do_not_list_is_there(self, canonical: Canonical) -> None:
        """Stale versions, documents without passages, attached proofs, checks and link memory."""
        before = MemoryCanonical()
        fill(before)
        Migrator(before, canonical).run([SCOPE])
        with canonical.reading(SCOPE) as work:
            assert [one.is_stale for one in work.documents.at("src/app.py")] == [False, True]
            assert work.documents.at("src/empty.py")
            [stale] = work.claims.find(where=ClaimFilter(statuses=frozenset({ClaimStatus.STALE})), limit=9)
            assert stale.claim.status_reason == "the line is gone"
            strict = claim("The parser is strict.")
            assert {each.excerpt for each in work.proofs.of([strict.id])[strict.id]} == {"line 3", "in its place"}
            graph = work.graph("co_one", GraphLayer.REPOSITORY)
            assert graph.memory.load("facts", ["a.py"]) == {"a.py": b"\0\xff"}
            assert graph.memory.askers(["g"]) == ["a.py", "b.py"]
            assert graph.memory.askers(["x"]) == ["a.py"]
            assert work.governance.of([claim("Never settled.").id])
            newer, older = work.documents.at(BOOK)
            assert (newer.is_stale, older.is_stale) == (False, True)
            assert {one.passage.place for one in work.passages.of_documents([newer.id])} == {"page=3"}

    def test_a_check_that_is_taken_back_shows_the_status_before(self, canonical: Canonical) -> None:
        """What a claim was settled as is copied too."""
        before = MemoryCanonical()
        fill(before)
        Migrator(before, canonical).run([SCOPE])
        loose = claim("The port is 8000.")
        with canonical.writing(SCOPE) as work:
            work.claims.note_check(loose.id, stale_reason="")
            [found] = work.claims.get([loose.id])
        assert found.claim.status is ClaimStatus.VERIFIED

    def test_a_version_that_was_held_is_erased_with_its_path(self, canonical: Canonical) -> None:
        """A copy knows which documents came from work trees."""
        before = MemoryCanonical()
        fill(before)
        for store in (before, canonical):
            if store is canonical:
                Migrator(before, canonical).run([SCOPE])
            with store.writing(SCOPE) as work:
                work.manifest.remove("co_one", ["src/app.py", "never/held.md"])
                assert not work.documents.at("src/app.py")
                assert work.documents.at("never/held.md")
            before = MemoryCanonical()
            fill(before)

    def test_everything_is_queued_for_projections(self, canonical: Canonical) -> None:
        """The projections of the new store find every document, claim and episode."""
        before = MemoryCanonical()
        fill(before)
        Migrator(before, canonical).run([SCOPE])
        queues = []
        for store in (before, canonical):
            with store.reading(SCOPE) as work:
                entries = work.outbox.pending("new", limit=1000)
                queues.append({(entry.kind, entry.entity_id) for entry in entries if entry.operation == "upsert"})
        assert queues[0] == queues[1]
        assert {kind for kind, _ in queues[0]} == set(OutboxKind) - {OutboxKind.LINK}  # the claims bring theirs

    def test_again_nothing_is_written(self, canonical: Canonical) -> None:
        """A second run passes over what is there, as one after an interruption does."""
        before = MemoryCanonical()
        fill(before)
        Migrator(before, canonical).run([OTHER])
        assert [one.was_there for one in Migrator(before, canonical).run(before.scopes())] == [True, False]

    def test_something_else_is_not_overwritten(self, canonical: Canonical) -> None:
        """A project that holds something else is refused, and merged when told to."""
        before = MemoryCanonical()
        fill(before)
        with canonical.writing(SCOPE) as work:
            work.documents.put(content(document("mine.md"), "Mine."))
        held = everything_of(canonical, SCOPE)
        with pytest.raises(ConflictError, match="something else"):
            Migrator(before, canonical).run([SCOPE])
        assert everything_of(canonical, SCOPE) == held
        for _ in range(2):  # adding again adds nothing
            Migrator(before, canonical).run([SCOPE], is_merging=True)
            with canonical.reading(SCOPE) as work:
                assert work.documents.at("mine.md")
                assert len(work.documents.at("src/app.py")) == 2
                assert len(work.inventory.acts()) == 4

    def test_an_interruption_leaves_a_project_out(self, canonical: Canonical) -> None:
        """A project is copied whole or not at all."""
        before = MemoryCanonical()
        fill(before)
        steps = itertools.count()

        def stop(_: object) -> None:
            if next(steps) == 8:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Migrator(before, canonical).run([SCOPE], progress=stop)
        assert SCOPE not in canonical.scopes()
        Migrator(before, canonical).run([SCOPE])
        assert everything_of(canonical, SCOPE) == everything_of(before, SCOPE)

    def test_an_archive_restores_everything(self, canonical: Canonical) -> None:
        """Into lines of text and back."""
        before, after = MemoryCanonical(), MemoryCanonical()
        fill(before)
        Migrator(before, canonical).run(before.scopes())
        lines = list(archive_lines(canonical, canonical.scopes()))
        assert check_archive(lines) == before.scopes()
        restore_lines(after, lines)
        for scope in before.scopes():
            assert everything_of(after, scope) == everything_of(before, scope)
        assert list(archive_lines(before, before.scopes())) == lines

    def test_an_older_archive_is_read(self, canonical: Canonical) -> None:
        """One of the first format names neither places nor curated knowledge."""
        before = MemoryCanonical()
        with before.writing(SCOPE) as work:
            _fill_index(work)
            _fill_beliefs(work)
        lines = _as_written_first(list(archive_lines(before, [SCOPE])))
        assert check_archive(lines) == [SCOPE]
        assert [one.was_there for one in restore_lines(canonical, lines)] == [False]
        assert everything_of(canonical, SCOPE) == everything_of(before, SCOPE)
        assert [one.was_there for one in restore_lines(canonical, lines)] == [True]

    def test_many_of_each_are_copied(self, canonical: Canonical) -> None:
        """More than are read at a time."""
        before, many = MemoryCanonical(), range(PAGE + 1)
        with before.writing(SCOPE) as work:
            work.distillations.put([distillation(f"o{number}", document()) for number in many])
            work.verdicts.put([verdict(f"c{number}", "other") for number in many])
            for number in many:
                work.gaps.put(gap(f"g{number}"))
            work.traces.add([trace(f"t{number}") for number in many])
        Migrator(before, canonical).run([SCOPE])
        assert everything_of(canonical, SCOPE) == everything_of(before, SCOPE)

    def test_a_damaged_archive_is_refused(self, canonical: Canonical) -> None:
        """Cut short anywhere, or changed anywhere: the first line that is not as it was written is named."""
        fill(canonical)
        lines = list(archive_lines(canonical, [SCOPE]))
        for place, damaged in _damaged(lines):
            with pytest.raises(InvalidInputError, match=place):
                check_archive(damaged)
        for nothing in (['{"some": "thing"}'], ["text"], ["[1]"], ["{}"]):
            with pytest.raises(InvalidInputError, match="no archive"):
                check_archive(nothing)

    def test_an_archive_of_what_nobody_wrote_is_refused(self) -> None:
        """With hashes that fit, too: a part that cannot be read is found before anything is written."""
        for wrong in ('{"gap": {"gap": 7}}', '{"unknown": {}}', '{"scope": {"tenant": 1}}', '{"act": []}'):
            body = [json.dumps({FORMAT: 2}), wrong]
            end = json.dumps({"sha256": hashlib.sha256("".join(body).encode()).hexdigest()})
            with pytest.raises(InvalidInputError, match="line 2"):
                check_archive([*body, end])

    def test_an_archive_of_a_newer_version_is_refused(self, canonical: Canonical) -> None:
        """It says so, rather than that something is damaged."""
        lines = list(archive_lines(canonical, []))
        with pytest.raises(ConfigurationError, match="newer version"):
            check_archive([lines[0].replace(str(VERSION), str(VERSION + 1), 1), *lines[1:]])


def _as_written_first(lines: list[str]) -> list[str]:
    """Return an archive that holds no curated knowledge as the first format has it."""
    kinds = ("distillations", "verdicts", "gaps", "traces")
    body = [json.loads(line) for line in lines[:-1]]
    body[0] = {FORMAT: 1}
    for line in body:
        for kind in kinds:
            line.get("counts", {}).pop(kind, None)
        for layer in ("chunks", "paragraphs", "propositions", "summaries"):
            for passage in line.get("document", {}).get(layer, ()):
                del passage["place"]
    for line in body[1:]:
        del line["sha256"]
    written = [json.dumps(line, separators=(",", ":")) for line in body]
    return [*written, json.dumps({"sha256": hashlib.sha256("".join(written).encode()).hexdigest()})]


def _damaged(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    for at in range(1, len(lines)):
        yield f"behind line {at}$", lines[:at]
        yield f"line {at + 1}:", [*lines[:at], lines[at][:-5], *lines[at + 1 :]]
        digit = re.search("[1-8]", lines[at])
        if digit:
            changed = f"{lines[at][: digit.start()]}9{lines[at][digit.end() :]}"
            yield f"line {at + 1}:", [*lines[:at], changed, *lines[at + 1 :]]
    for at in range(1, len(lines) - 1):
        yield f"line {at + 1}:", [*lines[:at], *lines[at + 1 :]]
    yield f"line {len(lines) + 1}:", [*lines, lines[-1]]
    yield "cut short", []
