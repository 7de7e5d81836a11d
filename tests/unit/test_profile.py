"""The structured profile: what fills it, what its values are, when they count, how a prompt tells them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from noted.errors import InvalidRequest
from noted.facts import extraction
from noted.facts.change import Stored
from noted.facts.fact import Fact, Verdict
from noted.facts.fields import filled_field
from noted.facts.filling import Filling
from noted.facts.profile import Known, as_told, is_stale, profile_of, statement, value_of
from noted.facts.profile_schema import FIELDS, ProfileField, by_name
from noted.facts.proposed import ProposedFact
from noted.facts.telling import filling
from noted.models.seam import Block
from noted.retention import Retention
from tests.unit.consolidating import Memory, at, knowing
from tests.unit.consolidating import statement as said


def field(name: str, **changes: Any) -> ProfileField:
    """A field of the tests' own, so that they hold whatever fields a deployment has."""
    values: dict[str, Any] = {
        "name": name,
        "label": name.capitalize(),
        "meaning": f"their {name}",
        "category": "identity",
        "max_age": 100,
        "openings": ("Lives in", "Moved to"),
    }
    return ProfileField(**(values | changes))


HOME = field("home")
JOB = field("job", openings=("Works as", "Is"), max_age=None)
ALLERGIES = field("allergies", openings=("Is allergic to",), several=True)
OURS = by_name([HOME, JOB, ALLERGIES])


def known(facts: list[Fact], day: int) -> dict[str, Known | None]:
    return profile_of(facts, at(day), OURS)


def values(facts: list[Fact], day: int) -> dict[str, str | None]:
    return {name: each.value if each else None for name, each in known(facts, day).items()}


class TestSchema:
    @pytest.mark.parametrize(
        "wrong",
        [
            {"name": "Home town"},
            {"name": ""},
            {"name": "9lives"},
            {"label": " "},
            {"meaning": ""},
            {"openings": ()},
            {"openings": ("Lives in", " ")},
            {"max_age": 0},
            {"max_age": -1},
        ],
    )
    def test_a_field_that_cannot_work_is_refused(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"field|max_age"):
            field(**({"name": "home"} | wrong))

    def test_two_fields_of_one_name_are_refused(self) -> None:
        with pytest.raises(ValueError, match="home"):
            by_name([field("home"), field("job"), field("home")])

    def test_the_extraction_prompt_names_every_field_in_the_order_of_the_schema(self) -> None:
        prompt = extraction.prompt("I live in Porto", at(0), "UTC", asked=False)
        instructions = prompt.system[0]
        assert isinstance(instructions, Block)
        assert instructions.cache_point
        lines = [f"- {each.name}: {each.meaning}." for each in FIELDS.values()]
        assert instructions.text.endswith("\n".join(lines))

    @pytest.mark.parametrize("each", FIELDS.values(), ids=FIELDS)
    def test_what_a_user_enters_comes_back_as_it_was_entered(self, each: ProfileField) -> None:
        for value in ("Porto", "a nurse", "Wolfgang & Söhne", "no pork, no fish", "港区"):
            assert value_of(each, statement(each, value)) == value


class TestFilling:
    def proposed(self, text: str, name: str | None, **more: Any) -> ProposedFact:
        return ProposedFact(**({"kind": "fact", "text": text, "quote": text, "profile_field": name} | more))

    def test_a_proposed_fact_fills_the_field_that_it_names(self) -> None:
        assert filled_field(self.proposed("Lives in Porto", "home"), OURS) is HOME
        assert filled_field(self.proposed("Lives in Porto", " home "), OURS) is HOME

    @pytest.mark.parametrize("name", [None, "", "Home", "shoe_size", "home; job"])
    def test_a_name_that_is_no_fields_is_left_out(self, name: str | None) -> None:
        assert filled_field(self.proposed("Lives in Porto", name), OURS) is None

    def test_a_goal_fills_nothing(self) -> None:
        assert filled_field(self.proposed("Moves to Porto one day", "home", kind="goal"), OURS) is None

    def test_what_happened_once_fills_nothing(self) -> None:
        assert filled_field(self.proposed("Had fish at a wedding", "home"), OURS) is None


class TestValues:
    @pytest.mark.parametrize(
        "text, value",
        [
            ("Lives in Porto", "Porto"),
            ("lives in Porto, close to the river", "Porto, close to the river"),
            ("Moved to Braga", "Braga"),
            ("Lives in: Porto", "Porto"),
            ("Lives in ⟦address:abcdefghijklmnop⟧", "⟦address:abcdefghijklmnop⟧"),
            # Without an opening, the whole text is the value.
            ("Wohnt in Porto", "Wohnt in Porto"),
            ("Does not live in Porto", "Does not live in Porto"),
            ("Lives in", "Lives in"),
            ("Lives inside a lighthouse", "Lives inside a lighthouse"),
        ],
    )
    def test_a_value_is_what_follows_an_opening(self, text: str, value: str) -> None:
        assert value_of(HOME, text) == value

    def test_a_value_becomes_a_statement(self) -> None:
        assert statement(HOME, "  Porto ") == "Lives in Porto"
        assert statement(HOME, "moved to Porto") == "moved to Porto"
        assert statement(JOB, "Isabel's assistant") == "Works as Isabel's assistant"


class TestProfile:
    def test_every_field_is_there_and_null_where_nothing_is_known(self) -> None:
        assert known([], 0) == {"home": None, "job": None, "allergies": None}
        assert list(known([], 0)) == ["home", "job", "allergies"]

    def test_a_live_fact_fills_its_field(self) -> None:
        fact = said("Lives in Porto", 3, profile_field="home")
        found = known([fact, said("Has a cat", 4)], 5)["home"]
        assert found is not None
        assert (found.value, found.fact_id, found.recorded_at) == ("Porto", fact.fact_id, at(3))
        assert (found.provenance, found.stale) == ("said", False)

    def test_the_newest_fact_holds_whatever_order_they_are_read_in(self) -> None:
        facts = [
            said("Lives in Porto", 1, profile_field="home"),
            said("Lives in Braga", 8, profile_field="home"),
            said("Lives in Faro", 5, profile_field="home"),
        ]
        for order in itertools.permutations(facts):
            assert values(list(order), 9)["home"] == "Braga"
        # Said again later: it is the newest word.
        facts[0] = replace(facts[0], last_confirmed_at=at(9))
        assert values(facts, 9)["home"] == "Porto"

    def test_at_one_instant_the_write_order_decides(self) -> None:
        first = said("Lives in Porto", 1, profile_field="home", sequence=4)
        second = said("Lives in Braga", 1, profile_field="home", sequence=5)
        assert values([first, second], 2)["home"] == values([second, first], 2)["home"] == "Braga"

    @pytest.mark.parametrize("verdict", [Verdict.REJECTED, Verdict.INACCURATE])
    def test_what_was_rejected_fills_nothing(self, verdict: Verdict) -> None:
        memory = Memory()
        fact = said("Lives in Porto", 1, profile_field="home")
        memory.learn(fact)
        memory.judge(fact, verdict, day=2, sequence=9)
        assert values(list(memory.facts.values()), 3)["home"] is None

    def test_neither_does_what_has_ended_is_held_or_has_not_begun(self) -> None:
        ended = said("Lives in Porto", 1, profile_field="home", valid_until=at(5))
        superseded = said("Lives in Porto", 1, profile_field="home", superseded_by="ft_x", valid_until=at(5))
        doubtful = said("Lives in Porto", 1, profile_field="home", held=True)
        coming = said("Lives in Porto", 1, profile_field="home", valid_from=at(8))
        for fact in (ended, superseded, doubtful, coming):
            assert values([fact], 6)["home"] is None
        assert values([ended], 4)["home"] == values([coming], 8)["home"] == "Porto"

    def test_a_field_that_is_no_longer_in_the_schema_is_not_told(self) -> None:
        assert values([said("Has size 43", 1, profile_field="shoe_size")], 2) == {
            "home": None,
            "job": None,
            "allergies": None,
        }

    def test_several_facts_fill_a_field_of_which_there_may_be_several(self) -> None:
        facts = [
            said("Is allergic to nuts", 1, profile_field="allergies"),
            said("Is allergic to penicillin", 4, profile_field="allergies", provenance="confirmed"),
            said("Is allergic to nuts", 3, profile_field="allergies"),
        ]
        found = known(facts, 5)["allergies"]
        assert found is not None
        assert found.value == "penicillin; nuts"
        assert (found.fact_id, found.recorded_at, found.provenance) == (facts[1].fact_id, at(4), "said")


class TestStaleness:
    def test_a_value_is_stale_from_its_last_day_on_and_confirming_refreshes_it(self) -> None:
        fact = said("Lives in Porto", 10, profile_field="home")
        assert [is_stale(fact, at(day), OURS) for day in (10, 109, 110, 200)] == [False, False, True, True]
        almost = at(110) - timedelta(milliseconds=1)
        assert not is_stale(fact, almost, OURS)
        confirmed = replace(fact, last_confirmed_at=at(60))
        assert [is_stale(confirmed, at(day), OURS) for day in (159, 160)] == [False, True]

    def test_a_field_without_an_age_never_is(self) -> None:
        assert not is_stale(said("Works as a nurse", 1, profile_field="job"), at(99_999), OURS)
        assert not is_stale(said("Has a cat", 1), at(99_999), OURS)

    def test_a_stale_value_is_still_told_to_its_owner(self) -> None:
        found = known([said("Lives in Porto", 10, profile_field="home")], 110)["home"]
        assert found is not None
        assert (found.value, found.stale, found.recorded_at) == ("Porto", True, at(10))

    def test_of_several_only_what_is_fresh_counts_while_anything_is(self) -> None:
        facts = [
            said("Is allergic to nuts", 1, profile_field="allergies"),
            said("Is allergic to penicillin", 50, profile_field="allergies"),
        ]
        for day, value, stale in [
            (100, "penicillin; nuts", False),
            (101, "penicillin", False),
            (150, "penicillin; nuts", True),
        ]:
            found = known(facts, day)["allergies"]
            assert found is not None
            assert (found.value, found.stale) == (value, stale)


class TestTelling:
    def lines(self, facts: list[Fact], day: int, *beside: Fact) -> list[str]:
        return [fact.text for fact in as_told(facts, at(day), beside, OURS)]

    def test_the_profile_comes_first_in_the_order_of_its_fields(self) -> None:
        facts = [
            said("Has a cat", 1),
            said("Works as a nurse", 2, profile_field="job"),
            said("Has size 43", 3, profile_field="shoe_size"),
            said("Lives in Porto", 4, profile_field="home"),
            said("Likes tea", 5),
        ]
        assert self.lines(facts, 6) == [
            "Lives in Porto",
            "Works as a nurse",
            "Has a cat",
            "Has size 43",
            "Likes tea",
        ]

    def test_a_stale_field_is_told_as_unknown_with_its_day_and_nothing_of_its_value(self) -> None:
        fact = said("Lives in Porto", 10, profile_field="home", entities={"⟦text:abcdefghijklmnop⟧": "x"})
        [told] = as_told([fact], at(110), (), OURS)
        assert told.text == "Home: unknown (last told 2026-01-11)"  # the tenth day after the first of January
        assert told.entities == {}
        assert told.fact_id == fact.fact_id
        assert as_told([fact], at(109), (), OURS) == [fact]

    def test_a_field_is_told_as_unknown_once_and_not_beside_what_is_known_of_it(self) -> None:
        old, older = (
            said(f"Lives in {place}", day, profile_field="home") for place, day in (("A", 5), ("B", 1))
        )
        fresh = said("Lives in Braga", 100, profile_field="home")
        assert self.lines([older, old], 110) == ["Home: unknown (last told 2026-01-06)"]
        assert self.lines([older, fresh, old], 110) == ["Lives in Braga"]
        assert self.lines([old, said("Has a cat", 1)], 110, fresh) == ["Has a cat"]
        assert self.lines([old], 110, older) == []


class TestConsolidation:
    def test_the_newer_of_one_field_ends_the_older_which_stays_as_history(self) -> None:
        memory = Memory()
        memory.learn(said("Lives in Porto", 1, profile_field="home_town"))
        memory.learn(said("Has moved to Braga", 5, profile_field="home_town"))
        assert memory.live() == ["Has moved to Braga"]
        assert memory.as_of(3) == ["Lives in Porto"]
        porto, braga = memory.facts.values()
        assert (porto.superseded_by, porto.valid_until) == (braga.fact_id, at(5))
        assert braga.supersedes == porto.fact_id

    def test_a_late_one_is_history_and_ends_nothing(self) -> None:
        memory = Memory()
        memory.learn(said("Lives in Braga", 5, profile_field="home_town"))
        memory.learn(said("Lives in Porto", 1, profile_field="home_town"))
        assert memory.live() == ["Lives in Braga"]
        assert memory.as_of(3) == ["Lives in Porto"]

    def test_what_a_person_has_several_of_ends_nothing(self) -> None:
        memory = Memory()
        memory.learn(said("Is allergic to nuts", 1, profile_field="allergies"))
        memory.learn(said("Is allergic to penicillin", 5, profile_field="allergies"))
        assert memory.live() == ["Is allergic to nuts", "Is allergic to penicillin"]

    def test_neither_does_one_of_another_field_kind_or_matter(self) -> None:
        memory = Memory()
        memory.learn(said("Works as a nurse", 1, profile_field="occupation"))
        memory.learn(said("Works for Siemens", 2, profile_field="employer"))
        # The words do not bear out what the model said of the field.
        memory.learn(said("Likes the rain", 3, profile_field="occupation"))
        memory.learn(said("Works as a teacher", 4, kind="goal", profile_field="occupation"))
        assert len(memory.live()) == 4

    def test_two_of_one_message_stay(self) -> None:
        memory = Memory()
        memory.learn(
            said("Lives in Porto", 1, profile_field="home_town"),
            said("Lives in Braga", 1, profile_field="home_town"),
        )
        assert memory.live() == ["Lives in Braga", "Lives in Porto"]

    def test_said_again_with_its_field_a_fact_fills_it(self) -> None:
        memory = Memory()
        memory.learn(said("Lives in Porto", 1))
        memory.learn(said("Lives in Porto", 5, profile_field="home_town"))
        memory.learn(said("Lives in Porto", 6))
        memory.learn(said("Lives in Porto", 7, profile_field="timezone"))
        [fact] = memory.facts.values()
        assert (fact.profile_field, fact.last_confirmed_at) == ("home_town", at(7))

    def test_a_fact_that_says_more_fills_the_field_of_the_one_that_it_ends(self) -> None:
        memory = Memory()
        memory.learn(said("Lives in Porto", 1, profile_field="home_town"))
        change = memory.learn(said("Lives in Porto, Portugal", 5))
        assert [fact.profile_field for fact in change.kept] == ["home_town"]

    def test_so_does_one_that_a_model_puts_in_its_place_but_not_one_that_only_ends_it(self) -> None:
        for action, filled in (("UPDATE", "home_town"), ("DELETE", None)):
            memory = Memory(ask=knowing({("Lives in Braga", "Lives in Porto"): action}))
            memory.learn(said("Lives in Porto", 1, profile_field="home_town"))
            [kept] = memory.learn(said("Lives in Braga", 5)).kept
            assert memory.live() == ["Lives in Braga"]
            assert kept.profile_field == filled


class TestByHand:
    def fill(self, stored: list[Fact], *statements: Fact, clear: tuple[str, ...] = ()) -> tuple[Any, Filling]:
        change = Filling(statements, clear, at(50), Retention())
        return change.change(Stored(1, tuple(stored))), change

    def by_hand(self, text: str, name: str) -> Fact:
        return said(text, 50, chat=None, profile_field=name)

    def test_a_value_takes_the_place_of_all_that_filled_the_field(self) -> None:
        # The words of these two share nothing, so only the user can know that one follows the other.
        old, older = (
            said("Goes by Wolf", 9, profile_field="name"),
            said("Is called Wolfgang", 2, profile_field="name"),
        )
        change, filled = self.fill(
            [old, older, said("Has a cat", 3)], self.by_hand("Is called Amadé", "name")
        )
        [added] = change.added
        assert (added.text, added.provenance, added.supersedes) == (
            "Is called Amadé",
            "confirmed",
            old.fact_id,
        )
        assert [
            (each.after.text, each.after.superseded_by, each.after.valid_until) for each in change.altered
        ] == [
            ("Goes by Wolf", added.fact_id, at(50)),
            ("Is called Wolfgang", added.fact_id, at(50)),
        ]
        assert change.kept == (added,)
        assert filled.denied == ()

    def test_all_allergies_are_replaced_at_once(self) -> None:
        nuts, milk = (
            said(f"Is allergic to {what}", 3, profile_field="allergies") for what in ("nuts", "milk")
        )
        change, _ = self.fill([nuts, milk], self.by_hand("Is allergic to nuts", "allergies"))
        assert [fact.copy_of for fact in change.added] == [nuts.fact_id]  # should its conversation be erased
        by_text = {each.after.text: each.after for each in change.altered}
        assert by_text["Is allergic to milk"].superseded_by == nuts.fact_id
        kept = by_text["Is allergic to nuts"]
        assert (kept.provenance, kept.last_confirmed_at, kept.superseded_by) == ("confirmed", at(50), None)

    def test_the_same_value_confirms_and_another_spelling_replaces(self) -> None:
        porto = said("Lives in porto", 3, profile_field="home_town")
        same, _ = self.fill([porto], self.by_hand("Lives in porto", "home_town"))
        assert [fact.copy_of for fact in same.added] == [porto.fact_id]
        assert [each.after.provenance for each in same.altered] == ["confirmed"]
        spelt, _ = self.fill([porto], self.by_hand("Lives in Porto", "home_town"))
        assert [fact.text for fact in spelt.added] == ["Lives in Porto"]

    def test_a_fact_of_no_field_or_another_one_that_says_it_fills_it(self) -> None:
        for name in (None, "timezone"):
            told = said("Lives in Porto", 3, profile_field=name)
            change, _ = self.fill([told], self.by_hand("Lives in Porto", "home_town"))
            assert [(each.after.profile_field, each.after.provenance) for each in change.altered] == [
                ("home_town", "confirmed")
            ]

    def test_a_cleared_field_denies_every_fact_that_fills_it_and_its_copies(self) -> None:
        braga = said("Lives in Braga", 9, profile_field="home_town", copied_as="ft_copy")
        copy = replace(braga, fact_id="ft_copy", copy_of=braga.fact_id, copied_as=None)
        porto = said("Lives in Porto", 3, profile_field="home_town")
        filled = Filling((), ("home_town", "diet"), at(50), Retention())
        change = filled.change(Stored(1, (braga, porto, said("Has a cat", 1)), (copy,)))
        assert (change.added, change.altered) == ((), ())
        assert filled.denied == ((braga, copy), (porto,))

    def test_every_value_that_cannot_be_kept_is_named(self) -> None:
        with pytest.raises(InvalidRequest) as refused:
            filling({"home_town": "Porto?", "diet": "vegan", "employer": "⟦phone:abcdefghijklmnop⟧"}, at(0))
        assert [name for name, _ in refused.value.errors] == ["home_town", "employer"]
        [entry] = filling({"diet": "vegan"}, at(0))
        assert (entry.kind, entry.text, entry.category) == ("fact", "Eats vegan", "constraint")
        assert entry.profile_field == "diet"
