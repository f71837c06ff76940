"""What every canonical store must do for repository facts: inherit `FactContract`, provide *canonical*."""

from datetime import timedelta

import attrs
import pytest

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.fact import FactPlace, Place
from pckc_domain.model.session import EventKind
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import assertion, claim
from pckc_domain.testing.conversations import SCOPE
from pckc_domain.testing.fact_situations import SITUATIONS, Situation
from pckc_domain.testing.fact_world import FactWorld

ONE = FactPlace(slot="slot_1", owner_id="o1", place=Place(branch="", path="ä/a.py"), topic="t1", tail="t2", joined="t9")
TWO = FactPlace(slot="slot_2", owner_id="o1", place=Place(branch="x", path="b.py"), topic="t2", is_live=False)
THREE = FactPlace(slot="slot_3", owner_id="o2", place=Place(branch="", path="b.py"), topic="t3")


class FactContract:
    """Places of facts, and what sessions and files make of each other."""

    def test_places_are_found_by_owner_topic_and_path(self, canonical: Canonical) -> None:
        """Every way to a place answers it once, by slot; an empty topic names none."""
        with canonical.writing(SCOPE) as work:
            work.facts.replace("o1", [TWO, ONE])
            work.facts.replace("o2", [THREE])
        with canonical.reading(SCOPE) as work:
            assert list(work.facts.of_owners(["o1", "o2", "unknown"])) == [ONE, TWO, THREE]
            assert list(work.facts.about(["t2"])) == [ONE, TWO]
            assert list(work.facts.about(["t1", "t9", ""])) == [ONE]
            assert list(work.facts.about(["", "unknown"])) == []
            assert list(work.facts.at("b.py")) == [TWO, THREE]
            assert list(work.facts.at("ä/a.py")) == [ONE]

    def test_replacing_makes_all_there_is_of_an_owner(self, canonical: Canonical) -> None:
        """Others stay, and the same places once more change nothing."""
        with canonical.writing(SCOPE) as work:
            work.facts.replace("o1", [ONE, TWO])
            work.facts.replace("o2", [THREE])
            work.facts.replace("o1", [attrs.evolve(ONE, is_live=False)])
            work.facts.replace("o1", [attrs.evolve(ONE, is_live=False)])
            assert list(work.facts.of_owners(["o1", "o2"])) == [attrs.evolve(ONE, is_live=False), THREE]
            work.facts.replace("o1", [])
            assert list(work.facts.of_owners(["o1", "o2"])) == [THREE]

    def test_joining(self, canonical: Canonical) -> None:
        """A joined place is found by what it joined, until it stands alone again; unknown slots are fine."""
        with canonical.writing(SCOPE) as work:
            work.facts.replace("o2", [THREE])
            work.facts.join({THREE.slot: "t7", "unknown": "t7"})
            assert list(work.facts.about(["t7"])) == [attrs.evolve(THREE, joined="t7")]
            work.facts.join({THREE.slot: ""})
            assert list(work.facts.about(["t7"])) == []
            assert list(work.facts.about(["t3"])) == [THREE]

    def test_assertions_by_owner(self, canonical: Canonical) -> None:
        """Each owner's, by slot and event time."""
        old, new = sorted((assertion(claim("a")), assertion(claim("b"))), key=lambda one: one.claim.id)
        with canonical.writing(SCOPE) as work:
            work.assertions.replace("o1", {"s1": [new, old]})
            work.assertions.replace("o2", {"s1": [old]})
            found = work.assertions.of_owners(["o1", "o2", "unknown"])
        assert {owner: {slot: list(all_) for slot, all_ in of.items()} for owner, of in found.items()} == {
            "o1": {"s1": [old, new]},
            "o2": {"s1": [old]},
        }
        with canonical.reading(SCOPE) as work:
            assert work.assertions.of_owners([]) == {}

    def test_slots_that_name_versions(self, canonical: Canonical) -> None:
        """A name counts at the start of value and subject, and behind the attribute's first word."""
        texts = {
            "s1": {"value": "django 5.1"},
            "s2": {"subject": "django 5.1", "value": "yes"},
            "s3": {"attribute": "uses django 5.1"},
            "s4": {"value": "django", "subject": "django", "attribute": "uses django"},
            "s5": {"value": "my django 5.1", "subject": "djangoes 5", "attribute": "django 5.1"},
        }
        with canonical.writing(SCOPE) as work:
            work.assertions.replace(
                "o", {slot: [assertion(claim(f"claim_{slot}", **fields))] for slot, fields in texts.items()}
            )
            assert work.assertions.slots_naming((), (), versions_of={"django"}) == {"s1", "s2", "s3"}
            assert work.assertions.slots_naming({"django"}, (), versions_of={"flask"}) == {"s4"}

    def test_said_and_set_claims_are_told_apart(self, canonical: Canonical) -> None:
        """A filter may keep what sessions said, or what the repository alone sets."""
        world = FactWorld(canonical)
        world.play(["user The cache TTL is 5 minutes.", "file a/a.py TIMEOUT = 60", "file b/b.py RETRIES = 3"])

        def texts(where: ClaimFilter) -> set[str]:
            with canonical.reading(SCOPE) as work:
                found = [stored.claim.text for stored in work.claims.find(where=where, limit=9)]
                hits = work.claims.search(analyze_query("cache timeout retries"), where=where, limit=9)
            assert {hit.stored.claim.text for hit in hits} == set(found)
            return set(found)

        said, one, two = "The cache TTL is 5 minutes.", "TIMEOUT = 60", "RETRIES = 3"
        assert texts(ClaimFilter(is_said=True)) == {said}
        assert texts(ClaimFilter(is_said=False)) == {one, two}
        assert texts(ClaimFilter(set_below=frozenset({"a/", "c"}))) == {said, one}
        assert texts(ClaimFilter(set_below=frozenset({"c"}))) == {said}

    def test_a_forgotten_version_leaves_its_place_to_others_who_name_it(self, canonical: Canonical) -> None:
        """What the file sets met who speaks of the version; without that, it meets who said that it is used."""
        world = FactWorld(canonical)
        world.play(["user We use Django 5.1."])
        world.clock.advance(timedelta(hours=1))
        version = world.say(EventKind.PROMPT, "The Django version is 4.2.")
        world.play(["file requirements.txt django==5.1.4"])
        assert world.outcomes("We use") == ["superseded"]
        world.forget(version)
        assert world.outcomes("We use") == ["confirmed"]

    @pytest.mark.parametrize("situation", SITUATIONS, ids=[name for name, _, _ in SITUATIONS])
    def test_situation(self, canonical: Canonical, situation: Situation) -> None:
        """What sessions say and what files set lead to these beliefs."""
        _, steps, outcomes = situation
        world = FactWorld(canonical)
        world.play(steps)
        known = [(one.outcome, one.claim.text, one.claim.status_reason) for one in world.claims()]
        assert {words: tuple(world.outcomes(words)) for words in outcomes} == outcomes, known
