"""The fast way to what is believed now."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pckc_adapters_sqlite import belief_probe, fts, shelf
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_adapters_sqlite.belief_probe import BeliefProbe, is_writable, open_beliefs
from pckc_adapters_sqlite.shelf import Part
from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, Governance
from pckc_domain.model.passage import Layer
from pckc_domain.model.proof import AuthorityClass, EventLocator
from pckc_domain.model.scope import Branch
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import assertion, claim, episode, event, evidence, proof, session
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
    assert {table.view: table.rank for table in tables} == shelf.RANKS
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


def tell(store: Canonical, texts: Mapping[str, Sequence[str]], *, elsewhere: str = "") -> None:
    """Record a session in which each of *texts* was said; what stands beside each was made an assertion of."""
    of = session()
    events = [event(of, number, text) for number, text in enumerate(texts)]
    events.append(event(of, len(events), "The pool is fine.", kind=EventKind.AGENT_MESSAGE))
    within = episode(of)
    asserted = [
        assertion_of(each, words, elsewhere) for each in events[:-1] for words in texts[each.text] if words in each.text
    ]
    with store.writing(SCOPE) as work:
        work.sessions.put(of, events)
        work.evidence.replace(of.id, [within], [evidence(one, within) for one in events])
        work.assertions.replace(of.id, {f"slot_{number}": [one] for number, one in enumerate(asserted)})


def assertion_of(said: Event, words: str, elsewhere: str) -> Assertion:
    start = said.text.index(words)
    place = EventLocator(session_id=said.session_id, seq=said.seq, start=start, end=start + len(words))
    made = claim(words, session_id=said.session_id, event_id=said.id)
    return assertion(made, seq=said.seq, proof=proof(made, source_ref=elsewhere or str(place)))


def said(path: Path, word: str, **changes: Any) -> list[str]:
    """Return what was said that *word* finds, and that still holds it where something is left out."""
    part = Part("word", word)
    with opened(path, **changes) as beliefs:
        rows = beliefs.said.best([(3, part)], limit=5)
        kept = beliefs.said.among(part, [row.key for row in rows])
    return sorted(row.text for row in rows if row.key in kept)


def test_what_was_said_counts_until_a_claim_is_made_of_it(store: Canonical, path: Path) -> None:
    """Then the claim speaks, or is silent for a reason; what agents say and what this session knows is left out."""
    tell(store, {"The pool was drained.": (), "The pool holds ten.": ["The pool holds ten."]})
    assert said(path, "pool") == ["The pool was drained."]
    assert said(path, "pool", session=session().id) == []


@pytest.mark.parametrize(
    ("text", "claimed", "left"),
    [
        ("The API is slow. We swim daily.", ["The API is slow."], "We swim daily."),
        ("We swim daily. The API is slow.", ["The API is slow."], "We swim daily."),
        ("We swim daily. The API is slow. Pools are wet.", ["The API is slow."], "We swim daily. … Pools are wet."),
        ("A is one. We swim daily. B is two.", ["A is one.", "B is two."], "We swim daily."),
        ("1. The API is slow.\n2. We swim daily.", ["The API is slow."], "We swim daily."),
        ("Мы плаваем daily. API медленный.", ["API медленный."], "Мы плаваем daily."),
        ("We swim daily.", [], "We swim daily."),
    ],
)
def test_a_claim_hides_its_own_sentence_alone(
    store: Canonical, path: Path, text: str, claimed: list[str], left: str
) -> None:
    """What else the same message says is found, by its own words."""
    tell(store, {text: claimed})
    assert said(path, "daily") == [left]
    assert [said(path, word) for word in ("slow", "api")] == [[], []]


def test_a_claim_made_of_a_message_as_a_whole_hides_it(store: Canonical, path: Path) -> None:
    """Its proof names no words of it."""
    tell(store, {"The API is slow. We swim daily.": ["The API is slow."]}, elsewhere="repo:a.py@1#L1-L2")
    assert said(path, "daily") == []


def test_many_messages_of_claims_hide_no_other(store: Canonical, path: Path) -> None:
    """They take no place of what is told."""
    texts = {f"We swim daily, {number}.": [f"We swim daily, {number}."] for number in range(9)}
    tell(store, {**texts, "Swimming is what we do daily, as every other team here does.": ()})
    assert said(path, "daily") == ["Swimming is what we do daily, as every other team here does."]


def test_what_is_written_is_what_files_hold_now(store: Canonical, path: Path) -> None:
    """With its place."""
    with store.writing(SCOPE) as work:
        work.documents.put(content(document("pool.md"), "The pool is filled in spring."))
    word = Part("word", "spring")
    with opened(path) as beliefs:
        (row,) = beliefs.written.best([(beliefs.written.count(word), word)], limit=5)
    assert (row.uri, row.start_line, row.end_line, row.text) == ("pool.md", 3, 9, "The pool is filled in spring.")


def test_a_name_is_looked_for_in_subjects_alone(store: Canonical, path: Path) -> None:
    """What only speaks of it is much more."""
    settle(
        store, claim("The pool is deep.", id="claim_pool", subject="pool"), claim("A pool has tiles.", subject="tile")
    )
    with opened(path) as beliefs:
        assert [row.id for row in beliefs.claims.best([(1, Part("name", "pool"))], limit=9)] == ["claim_pool"]
        assert beliefs.claims.count(Part("word", "pool")) == 2


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
