"""The fast way to what is believed now."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pckc_adapters_sqlite import belief_probe, fts
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_adapters_sqlite.belief_probe import BeliefProbe, Part, is_writable, open_beliefs
from pckc_domain.model.claim import Beliefs, Claim, ClaimStatus, Governance
from pckc_domain.model.passage import Layer
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.model.scope import Branch
from pckc_domain.model.session import EventKind
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import claim, episode, event, evidence, proof, session
from pckc_domain.testing.samples import SCOPE, TIME, content, document

NOW_US = int((TIME + timedelta(days=1)).timestamp() * 1e6)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Canonical]:
    with CANONICAL.open(SqliteSettings(path=path)) as opened:
        yield opened


def settle(store: Canonical, *claims: Claim) -> None:
    with store.writing(SCOPE) as work:
        work.claims.settle({f"slot_{one.id}": Beliefs(claims=(one,), proofs=(proof(one),)) for one in claims})


def looked_up(path: Path, word: str, **changes: Any) -> list[str]:
    """Return the ids of the current claims that hold *word*."""
    with opened(path, **changes) as beliefs:
        assert beliefs is not None
        part = Part("word", word)
        rows = beliefs.claims.best([(beliefs.claims.count(part), part)], limit=10)
        assert beliefs.claims.among(part, [row.key for row in rows]) == {row.key for row in rows}
        return sorted(row.id for row in rows)


def opened(path: Path, **changes: Any) -> Any:
    asked = {"tenant": SCOPE.tenant, "project": SCOPE.project, "branches": "[]", "now_us": NOW_US, **changes}
    return open_beliefs(str(path), **asked)


def test_its_constants_are_those_of_the_rest() -> None:
    """They stand here a second time, since importing them is slow."""
    tables = (fts.CLAIMS, fts.EVIDENCE, fts.TABLES[Layer.PARAGRAPH])
    assert {table.view: table.rank for table in tables} == belief_probe.RANKS
    assert frozenset(belief_probe._DURABLE) == {str(authority) for authority in DURABLE}


def test_only_what_holds_now_is_found(store: Canonical, path: Path) -> None:
    """Not what is closed, still to come, rejected, unconfirmed or stale."""
    later = TIME + timedelta(days=9)
    settle(
        store,
        claim("The pool holds ten rows.", id="claim_good"),
        claim("The pool holds nine rows.", id="claim_closed", valid_to=TIME + timedelta(hours=1)),
        claim("The pool holds eight rows.", id="claim_to_come", valid_from=later),
        claim("The pool holds seven rows.", id="claim_rejected", governance=Governance.REJECTED),
        claim("The pool holds six rows.", id="claim_unconfirmed", authority=AuthorityClass.MODEL_INFERRED),
        claim("The pool holds five rows.", id="claim_candidate", status=ClaimStatus.CANDIDATE),
        claim("The pool holds four rows.", id="claim_stale"),
        claim("The pool holds three rows.", id="claim_contested", status=ClaimStatus.CONTESTED),
    )
    with store.writing(SCOPE) as work:
        work.claims.note_check("claim_stale", stale_reason="its line is gone")
    assert looked_up(path, "pool") == ["claim_contested", "claim_good"]
    assert looked_up(path, "fountain") == []


def test_of_what_the_repository_says_the_branch_counts(store: Canonical, path: Path) -> None:
    """What was said counts on every branch."""
    here, there = Branch(name="topic"), Branch(name="other")
    settle(
        store,
        claim("port is 1", id="claim_here", session_id="", branch=here),
        claim("port is 2", id="claim_there", session_id="", branch=there),
        claim("port is 3", id="claim_said", branch=there),
    )
    assert looked_up(path, "port", branches='["topic", "", "main"]') == ["claim_here", "claim_said"]
    assert len(looked_up(path, "port")) == 3


def test_no_other_project_is_read(store: Canonical, path: Path) -> None:
    """Nor one that the store does not know."""
    settle(store, claim("The pool holds ten rows."))
    with opened(path, project="another") as beliefs:
        assert beliefs is None
    with opened(path, tenant="another") as beliefs:
        assert beliefs is None


def test_standing_rules_come_pinned_first_then_newest(store: Canonical, path: Path) -> None:
    """Each with its proof."""
    settle(
        store,
        claim("Rule one.", id="claim_one", is_standing=True),
        claim("Rule two.", id="claim_two", is_standing=True, valid_from=TIME + timedelta(minutes=1)),
        claim("Rule three.", id="claim_three", is_standing=True, governance=Governance.PINNED),
        claim("No rule.", id="claim_four"),
    )
    with opened(path) as beliefs:
        rows = beliefs.standing(limit=2)
    assert [row.id for row in rows] == ["claim_three", "claim_two"]
    assert all(row.proof for row in rows)


def test_what_was_said_counts_until_a_claim_is_made_of_it(store: Canonical, path: Path) -> None:
    """Then the claim speaks, or is silent for a reason; what agents say and what this session knows is left out."""
    of = session()
    events = [
        event(of, 0, "The pool was drained."),
        event(of, 1, "The pool holds ten."),
        event(of, 2, "The pool is fine.", kind=EventKind.AGENT_MESSAGE),
    ]
    within = episode(of)
    with store.writing(SCOPE) as work:
        work.sessions.put(of, events)
        work.evidence.replace(of.id, [within], [evidence(one, within) for one in events])
    settle(store, claim("The pool holds ten.", session_id=of.id, event_id=events[1].id, governance=Governance.REJECTED))
    part = Part("word", "pool")
    for asking, found in (("", ["The pool was drained."]), (of.id, [])):
        with opened(path, session=asking) as beliefs:
            assert [row.text for row in beliefs.said.best([(3, part)], limit=5)] == found


def test_what_is_written_is_what_files_hold_now(store: Canonical, path: Path) -> None:
    """With its place."""
    with store.writing(SCOPE) as work:
        work.documents.put(content(document("pool.md"), "The pool is filled in spring."))
    word = Part("word", "spring")
    with opened(path) as beliefs:
        (row,) = beliefs.written.best([(beliefs.written.count(word), word)], limit=5)
    assert (row.uri, row.start_line, row.end_line, row.text) == ("pool.md", 3, 9, "The pool is filled in spring.")


def test_any_text_may_be_looked_up(store: Canonical, path: Path) -> None:
    """Quotes end no expression."""
    settle(store, claim("The pool holds ten rows."))
    with opened(path) as beliefs:
        for text in ('a"b', '"', "NEAR(", "*", "a AND", "\u202e"):
            assert beliefs.claims.count(Part("word", text)) == 0
        assert beliefs.claims.best([(0, Part("word", "pool"))], limit=5) == []


class TestFaults:
    """Nobody waits."""

    def test_there_is_no_store(self, path: Path) -> None:
        """None is made."""
        with pytest.raises(sqlite3.Error), opened(path):
            pass
        assert not path.exists()

    def test_it_is_no_store(self, path: Path) -> None:
        """Another file is left alone."""
        path.write_bytes(b"no store at all" * 100)
        with pytest.raises(sqlite3.Error), opened(path):
            pass
        assert path.read_bytes() == b"no store at all" * 100
        assert not is_writable(str(path))

    def test_it_is_of_another_version(self, store: Canonical, path: Path) -> None:
        """Which the ordinary way may understand."""
        settle(store, claim("The pool holds ten rows."))
        with closing(sqlite3.connect(path)) as raw:
            raw.execute("PRAGMA user_version = 9999")
        with opened(path) as beliefs:
            assert beliefs is None

    def test_someone_writes(self, store: Canonical, path: Path) -> None:
        """It can be read meanwhile, and is known not to be free."""
        settle(store, claim("The pool holds ten rows.", id="claim_one"))
        assert is_writable(str(path))
        with closing(sqlite3.connect(path, isolation_level=None)) as raw:
            raw.execute("BEGIN IMMEDIATE")
            assert looked_up(path, "pool") == ["claim_one"]
            assert not is_writable(str(path))


def test_the_probe_only_reads(store: Canonical, path: Path) -> None:
    """Whatever it is asked."""
    settle(store, claim("The pool holds ten rows."))
    with opened(path) as beliefs:
        assert isinstance(beliefs, BeliefProbe)
        with pytest.raises(sqlite3.OperationalError):
            beliefs._connection.execute("DELETE FROM claim")
