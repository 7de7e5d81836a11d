"""What new statements do to the facts that are stored: in code, with a model, late, again and again."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.pairs import PAIRS, Pair
from noted.errors import MalformedOutput, ModelUnavailable
from noted.facts.entailment import Relation
from noted.facts.fact import Status, Verdict
from noted.models.seam import Prompt, Purpose, Reply
from tests.unit.consolidating import Memory, asked, at, decision, knowing, statement


def unasked(_: Prompt) -> Reply:
    raise AssertionError("a model is asked about what code has settled")


class TestInCode:
    @pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.stored} | {pair.new}")
    def test_each_pair_ends_as_it_should(self, pair: Pair) -> None:
        memory = Memory()
        memory.learn(statement(pair.stored, 1))
        change = memory.learn(statement(pair.new, 5))
        expected = {
            Relation.SAME: [pair.stored],
            Relation.RICHER: [pair.new],
            Relation.POORER: [pair.stored],
            Relation.OTHER: sorted([pair.stored, pair.new]),
        }[pair.relation]
        assert memory.live() == memory.live_rows() == expected
        [kept] = change.kept
        assert kept.text in expected
        assert kept.last_confirmed_at == at(5)
        if pair.relation is Relation.RICHER:
            [old] = memory.named(pair.stored)
            assert (old.superseded_by, old.valid_until) == (kept.fact_id, at(5))
            assert kept.supersedes == old.fact_id
            assert memory.as_of(3) == [pair.stored]

    def test_what_is_said_again_is_confirmed_and_keeps_where_it_came_from(self) -> None:
        memory = Memory(ask=unasked)
        first = statement("Is allergic to nuts", 1, chat="one")
        memory.learn(first)
        change = memory.learn(statement("is allergic to nuts!", 40, chat="one"))
        [fact] = memory.facts.values()
        assert change.kept == (fact,)
        assert change.added == ()
        assert (fact.fact_id, fact.source, fact.created_at) == (first.fact_id, first.source, at(1))
        assert fact.provenance == "said"
        # "other" is kept for a year, counted from the day on which it was kept again.
        assert (fact.last_confirmed_at, fact.expires_at) == (at(40), at(memory.day + 365))

    def test_an_expiry_is_never_brought_forward(self) -> None:
        memory = Memory(day=10)
        memory.learn(statement("Has a cat", 1, expires_at=at(4000)))
        memory.learn(statement("Has a cat", 2))
        assert memory.named("Has a cat")[0].expires_at == at(4000)
        forever = Memory()
        forever.learn(statement("Has a dog", 1, expires_at=None))
        forever.learn(statement("Has a dog", 2))
        assert forever.named("Has a dog")[0].expires_at is None

    def test_told_by_hand_again_it_is_confirmed_by_the_user(self) -> None:
        memory = Memory()
        memory.learn(statement("Has a cat", 1))
        memory.learn(statement("Has a cat", 2, chat=None), by_user=True)
        assert [fact.provenance for fact in memory.named("Has a cat")] == ["confirmed"]

    def test_another_kind_is_another_fact(self) -> None:
        memory = Memory(ask=unasked)
        memory.learn(statement("Runs a marathon", 1))
        memory.learn(statement("Runs a marathon", 2, kind="goal"))
        assert len(memory.live_rows()) == 2

    def test_statements_of_one_set_are_compared_with_each_other(self) -> None:
        memory = Memory()
        change = memory.learn(
            statement("Has a dog", 1), statement("Has a dog", 1), statement("Has a brown dog", 1)
        )
        assert memory.live_rows() == ["Has a brown dog"]
        assert [fact.text for fact in change.kept] == ["Has a dog", "Has a dog", "Has a brown dog"]
        assert change.kept[0].fact_id == change.kept[1].fact_id

    @pytest.mark.parametrize("verdict", [Verdict.REJECTED, Verdict.INACCURATE])
    def test_a_rejected_fact_holds_nothing_up(self, verdict: Verdict) -> None:
        memory = Memory()
        old = statement("Is vegetarian", 1)
        memory.learn(old)
        memory.judge(old, verdict, day=5, sequence=5)
        assert memory.live() == []
        change = memory.learn(statement("Is vegetarian", 20))
        assert memory.live() == ["Is vegetarian"]
        assert len(memory.facts) == 2
        assert change.kept[0].status(at(20)) is Status.LIVE

    def test_a_replay_from_before_a_rejection_adds_nothing(self) -> None:
        memory = Memory()
        old = statement("Is vegetarian", 1)
        memory.learn(old)
        memory.judge(old, Verdict.REJECTED, day=5, sequence=5)
        change = memory.learn(statement("is vegetarian", 3, sequence=9))
        assert (memory.live(), len(memory.facts)) == ([], 1)
        assert [fact.fact_id for fact in change.kept] == [old.fact_id]

    def test_what_has_ended_holds_nothing_up(self) -> None:
        memory = Memory()
        memory.learn(statement("Is on leave", 1, valid_until=at(30)))
        memory.day = 40
        memory.learn(statement("Is on leave", 40))
        assert memory.live_rows() == ["Is on leave"]
        assert len(memory.facts) == 2

    def test_an_end_that_is_named_is_news(self) -> None:
        memory = Memory(day=10)
        memory.learn(statement("Is on leave", 1))
        memory.learn(statement("Is on leave", 5, valid_until=at(30)))
        [old, new] = memory.named("Is on leave")
        assert (old.superseded_by, new.valid_until) == (new.fact_id, at(30))
        memory.learn(statement("Is on leave", 6))
        assert len(memory.facts) == 2

    def test_two_periods_are_two_facts(self) -> None:
        memory = Memory(day=10)
        memory.learn(statement("Is on call", 1, valid_from=at(20), valid_until=at(30)))
        memory.learn(statement("Is on call", 5, valid_from=at(40), valid_until=at(50)))
        assert len(memory.live_rows()) == 2

    def test_a_day_that_is_counted_from_another_day_is_another_day(self) -> None:
        memory = Memory()
        memory.learn(statement("Sees the dentist tomorrow", 1))
        memory.learn(statement("Sees the dentist tomorrow", 1))
        assert len(memory.facts) == 1
        memory.learn(statement("Sees the dentist tomorrow", 8))
        assert len(memory.facts) == 2

    def test_a_doubtful_statement_neither_confirms_nor_ends_anything(self) -> None:
        memory = Memory(ask=unasked)
        memory.learn(statement("Has a dog", 1))
        before = dict(memory.facts)
        memory.learn(statement("Has a dog", 2, held=True))
        assert memory.facts == before
        memory.learn(statement("Has a brown dog", 3, held=True))
        memory.learn(statement("Has a brown dog", 4, held=True))
        assert memory.live_rows() == ["Has a dog"]
        assert len(memory.facts) == 2
        memory.learn(statement("Has a brown dog", 5))
        assert memory.live_rows() == ["Has a brown dog"]

    def test_what_is_past_already_is_kept_once_as_history(self) -> None:
        memory = Memory()
        for _ in range(2):
            memory.learn(statement("Lives in Porto", 1, valid_until=at(9)))
        memory.learn(statement("Lives in Porto", 2))
        assert memory.live_rows() == ["Lives in Porto"]
        assert len(memory.facts) == 2

    def test_a_second_delivery_changes_nothing(self) -> None:
        memory = Memory()
        said = [statement("Has a dog", 1), statement("Has a brown dog", 1)]
        memory.learn(*said)
        before = dict(memory.facts)
        change = memory.learn(*said)
        assert memory.facts == before
        assert [fact.fact_id for fact in change.kept] == [fact.fact_id for fact in said]

    def test_five_hundred_turns_of_the_same_ten_facts_end_with_ten(self) -> None:
        memory = Memory()
        ten = [
            "Lives in Porto", "Works nights", "Has two kids", "Is allergic to nuts", "Drives a van",
            "Plays the cello", "Is vegetarian", "Speaks French", "Was born in 1984", "Prefers tea to coffee",
        ]  # fmt: skip
        for turn in range(500):
            memory.learn(*(statement(text, turn, chat=str(turn % 7)) for text in ten))
        assert memory.live_rows() == sorted(ten)
        # One copy each, for the day on which a first conversation is erased.
        assert len(memory.facts) == 20


class TestErasure:
    def test_a_fact_of_two_conversations_outlives_the_first(self) -> None:
        memory = Memory()
        memory.learn(statement("Has a cat", 1, chat="one"))
        memory.learn(statement("has a cat", 2, chat="two"))
        assert memory.live_rows() == ["Has a cat"]
        memory.forget("one")
        assert memory.live_rows() == ["has a cat"]
        memory.learn(statement("Has a cat", 3, chat="three"))
        assert memory.live_rows() == ["has a cat"]

    def test_and_the_second(self) -> None:
        memory = Memory()
        memory.learn(statement("Has a cat", 1, chat="one"))
        memory.learn(statement("Has a cat", 2, chat="two"))
        memory.forget("two")
        assert memory.live_rows() == ["Has a cat"]
        memory.learn(statement("Has a cat", 3, chat="three"))
        memory.forget("one")
        assert memory.live_rows() == ["Has a cat"]

    def test_a_copy_ends_with_its_fact(self) -> None:
        memory = Memory(ask=knowing({("Lives in Braga", "Lives in Porto"): "UPDATE"}))
        memory.learn(statement("Lives in Porto", 1, chat="one"))
        memory.learn(statement("Lives in Porto", 2, chat="two"))
        memory.learn(statement("Lives in Braga", 3, chat="three"))
        memory.forget("one")
        assert memory.live_rows() == ["Lives in Braga"]


class TestWithAModel:
    def test_an_update_ends_what_was_so_before(self) -> None:
        memory = Memory(ask=knowing({("Lives in Braga", "Lives in Porto"): "UPDATE"}))
        memory.learn(statement("Lives in Porto", 1))
        change = memory.learn(statement("Lives in Braga", 5))
        assert memory.live() == ["Lives in Braga"]
        [old] = memory.named("Lives in Porto")
        assert (old.superseded_by, old.valid_until) == (change.kept[0].fact_id, at(5))
        assert change.kept[0].supersedes == old.fact_id
        assert (memory.as_of(4), memory.as_of(5)) == (["Lives in Porto"], ["Lives in Braga"])

    def test_it_holds_since_the_user_says_it_does(self) -> None:
        memory = Memory(ask=knowing({("Lives in Braga", "Lives in Porto"): "UPDATE"}))
        memory.learn(statement("Lives in Porto", 1))
        memory.learn(statement("Lives in Braga", 50, valid_from=at(30)))
        assert memory.named("Lives in Porto")[0].valid_until == at(30)
        assert (memory.as_of(29), memory.as_of(30)) == (["Lives in Porto"], ["Lives in Braga"])

    def test_what_will_be_so_ends_nothing_yet(self) -> None:
        memory = Memory(ask=knowing({("Moves to Braga", "Lives in Porto"): "UPDATE"}), day=6)
        memory.learn(statement("Lives in Porto", 1))
        memory.learn(statement("Moves to Braga", 5, valid_from=at(90)))
        assert memory.live() == ["Lives in Porto", "Moves to Braga"]
        memory.day = 90
        assert memory.live() == ["Moves to Braga"]

    def test_a_deletion_keeps_what_was_said(self) -> None:
        memory = Memory(ask=knowing({("Sold the van", "Drives a van"): "DELETE"}))
        memory.learn(statement("Drives a van", 1))
        memory.learn(statement("Sold the van", 5))
        assert memory.live() == ["Sold the van"]
        assert memory.as_of(3) == ["Drives a van"]

    def test_a_paraphrase_confirms(self) -> None:
        memory = Memory(ask=knowing({("Is a resident of Porto", "Lives in Porto"): "NOOP"}))
        memory.learn(statement("Lives in Porto", 1))
        change = memory.learn(statement("Is a resident of Porto", 5))
        assert memory.live_rows() == ["Lives in Porto"]
        assert len(memory.facts) == 1
        assert (change.kept[0].text, change.kept[0].last_confirmed_at) == ("Lives in Porto", at(5))

    def test_one_call_is_made_for_all(self) -> None:
        memory = Memory(ask=knowing({}))
        memory.learn(statement("Lives in Porto", 1), statement("Works nights", 2))
        assert memory.prompts == []
        memory.learn(statement("Lives in Braga", 5), statement("Has a cat", 5), statement("Works nights", 5))
        [prompt] = memory.prompts
        assert prompt.purpose is Purpose.CONSOLIDATION
        assert asked(prompt) == [
            (1, "Lives in Braga", [(1, "Lives in Porto"), (2, "Works nights")]),
            (2, "Has a cat", [(1, "Lives in Porto"), (2, "Works nights")]),
        ]

    def test_only_the_same_kind_is_shown(self) -> None:
        memory = Memory(ask=knowing({}))
        memory.learn(statement("Plans to retire at 55", 1, kind="goal"), statement("Is 41", 1))
        memory.learn(statement("Plans to retire at 60", 5, kind="goal"))
        [prompt] = memory.prompts
        assert asked(prompt) == [(1, "Plans to retire at 60", [(1, "Plans to retire at 55")])]

    def test_of_many_those_most_alike_are_shown(self) -> None:
        memory = Memory(ask=knowing({}))
        memory.learn(*(statement(f"Owns book {number}", 1) for number in range(20)))
        memory.learn(statement("Lives in Porto", 2))
        memory.prompts.clear()
        memory.learn(statement("Lives in Braga", 5))
        [prompt] = memory.prompts
        assert asked(prompt) == [(1, "Lives in Braga", [(1, "Lives in Porto")])]

    @pytest.mark.parametrize("failure", [ModelUnavailable("timeout"), MalformedOutput("malformed")])
    def test_without_a_model_everything_is_added(self, failure: Exception) -> None:
        def fail(_: Prompt) -> Reply:
            raise failure

        for ask in (fail, None, lambda _: Reply("", {"decisions": "none"}), lambda _: Reply("", None)):
            memory = Memory(ask=ask)
            memory.learn(statement("Lives in Porto", 1))
            memory.learn(statement("Lives in Braga", 5))
            assert memory.live() == ["Lives in Braga", "Lives in Porto"]

    def test_a_fact_becomes_true_again(self) -> None:
        """The collected case: three statements, a fact that ends and comes back."""
        model = knowing(
            {("Eats fish again", "Is vegetarian"): "UPDATE", ("Is vegetarian", "Eats fish again"): "UPDATE"}
        )
        memory = Memory(ask=model)
        for day, text in ((9, "Is vegetarian"), (63, "Eats fish again"), (151, "Is vegetarian")):
            memory.learn(statement(text, day))
        assert memory.live() == ["Is vegetarian"]
        assert memory.as_of(90) == ["Eats fish again"]
        assert memory.as_of(20) == ["Is vegetarian"]
        assert len(memory.facts) == 3


class TestRefused:
    def deciding(self, *decisions: Any, stored: tuple[str, ...], new: tuple[str, ...]) -> Memory:
        memory = Memory()
        for day, text in enumerate(stored, start=1):
            memory.learn(statement(text, day))
        memory.ask = lambda _: Reply("", {"decisions": list(decisions)})
        memory.learn(*(statement(text, 30) for text in new))
        return memory

    def test_a_bad_operation_is_left_out_alone(self, caplog: pytest.LogCaptureFixture) -> None:
        """The collected case: an invented target and an invented verb."""
        with caplog.at_level(logging.DEBUG):
            memory = self.deciding(
                decision(1, "UPDATE", 12),
                decision(2, "DELETE", 2),
                decision(3, "ADD", None),
                decision(4, "MERGE", 1),
                stored=("Lives in Porto", "Works nights"),
                new=("Lives in Braga", "Stopped working nights", "Has a cat", "Likes the river"),
            )
        assert memory.live() == [
            "Has a cat", "Likes the river", "Lives in Braga", "Lives in Porto", "Stopped working nights",
        ]  # fmt: skip
        assert memory.refused == {"target": 1, "action": 1}
        [warning] = [entry for entry in caplog.records if entry.levelno == logging.WARNING]
        assert vars(warning)["refused"] == {"target": 1, "action": 1}
        assert not any(word in str(vars(warning)) for word in ("Porto", "Braga", "nights", "cat", "river"))

    @pytest.mark.parametrize(
        "refused, bad",
        [
            ("unreadable", "UPDATE"),
            ("unreadable", {"fact": 1, "action": "UPDATE", "target": "1"}),
            ("unreadable", {"fact": True, "action": "UPDATE", "target": 1}),
            ("unreadable", {"reason": "", "action": "UPDATE", "target": 1}),
            ("fact", decision(0, "UPDATE", 1)),
            ("fact", decision(2, "UPDATE", 1)),
            ("action", decision(1, "REPLACE", 1)),
            ("target", decision(1, "UPDATE", None)),
            ("target", decision(1, "NOOP", None)),
            ("target", decision(1, "DELETE", 0)),
            ("target", decision(1, "DELETE", -1)),
        ],
    )
    def test_what_cannot_be_meant_is_counted(self, refused: str, bad: Any) -> None:
        memory = self.deciding(bad, stored=("Lives in Porto",), new=("Lives in Braga",))
        assert memory.live() == ["Lives in Braga", "Lives in Porto"]
        assert memory.refused == {refused: 1}

    def test_another_attribute(self) -> None:
        for action in ("UPDATE", "DELETE"):
            memory = self.deciding(
                decision(1, action, 1), stored=("Works at Acme",), new=("Administers the GitHub org",)
            )
            assert memory.live() == ["Administers the GitHub org", "Works at Acme"]
            assert memory.refused == {"attribute": 1}

    def test_an_exception_is_no_change(self) -> None:
        memory = self.deciding(
            decision(1, "UPDATE", 1), stored=("Is vegetarian",), new=("Had fish at a wedding",)
        )
        assert memory.live() == ["Had fish at a wedding", "Is vegetarian"]
        assert memory.refused == {"exception": 1}

    @pytest.mark.parametrize(
        "stored, new",
        [
            ("Eats meat", "Never eats meat"),
            ("Is allergic to nuts", "Is not allergic to nuts"),
            ("Has 2 kids", "Has 3 kids"),
            ("Works nights", "Works nights until June"),
            ("Isst Fleisch", "Isst kein Fleisch"),
        ],
    )
    def test_news_is_no_repeat(self, stored: str, new: str) -> None:
        memory = self.deciding(decision(1, "NOOP", 1), stored=(stored,), new=(new,))
        assert memory.live() == sorted([stored, new])
        assert memory.refused == {"news": 1}

    def test_one_target_is_ended_once(self) -> None:
        memory = self.deciding(
            decision(1, "UPDATE", 1),
            decision(2, "UPDATE", 1),
            stored=("Lives in Porto",),
            new=("Lives in Braga", "Lives in Faro"),
        )
        assert memory.live() == ["Lives in Braga", "Lives in Faro"]
        assert memory.refused == {"taken": 1}

    def test_a_fact_that_is_decided_on_is_decided_on(self) -> None:
        memory = self.deciding(
            decision(1, "ADD", None),
            decision(1, "UPDATE", 1),
            stored=("Lives in Porto",),
            new=("Lives in Braga",),
        )
        assert memory.live() == ["Lives in Braga", "Lives in Porto"]
        assert memory.refused == {"decided": 1}

    def test_one_fact_may_end_two(self) -> None:
        memory = self.deciding(
            decision(1, "UPDATE", 1),
            decision(1, "DELETE", 2),
            stored=("Lives in Porto", "Lives with Ana in Porto"),
            new=("Lives in Braga",),
        )
        assert memory.live() == ["Lives in Braga"]

    def test_a_repeat_is_never_put_to_a_model(self) -> None:
        """The collected case: a model would delete what is said again."""
        memory = self.deciding(
            decision(1, "DELETE", 1), stored=("Is allergic to nuts",), new=("Is allergic to nuts",)
        )
        assert memory.live() == ["Is allergic to nuts"]
        assert (len(memory.facts), memory.refused) == (1, {})


# A model that knows of these that one ends the other.
_HOMES = ("Lives in Porto", "Lives in Braga", "Lives in Faro", "Moved to Lagos")
HOMES = knowing(dict.fromkeys(itertools.permutations(_HOMES, 2), "UPDATE"))


class TestLate:
    def test_a_late_statement_is_history_at_once(self) -> None:
        memory = Memory(ask=HOMES)
        memory.learn(statement("Lives in Braga", 20))
        memory.learn(statement("Lives in Porto", 10))
        assert memory.live() == ["Lives in Braga"]
        assert memory.refused == {"late": 1}
        [old] = memory.named("Lives in Porto")
        assert (old.superseded_by, old.valid_until) == (memory.named("Lives in Braga")[0].fact_id, at(20))

    @pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
    def test_every_order_ends_with_the_same_history(self, order: tuple[int, ...]) -> None:
        said = [("Lives in Porto", 10), ("Lives in Braga", 20), ("Lives in Faro", 30), ("Moved to Lagos", 40)]
        memory = Memory(ask=HOMES)
        for place in order:
            memory.learn(statement(*said[place]))
        assert memory.live_rows() == ["Moved to Lagos"]
        assert len(memory.facts) == 4
        days = (5, 10, 15, 20, 25, 30, 35, 40, 45)
        assert [memory.as_of(day) for day in days] == [
            [],
            *[["Lives in Porto"]] * 2,
            *[["Lives in Braga"]] * 2,
            *[["Lives in Faro"]] * 2,
            *[["Moved to Lagos"]] * 2,
        ]
        chain = [memory.named(text)[0] for text, _ in said]
        for earlier, later in itertools.pairwise(chain):
            assert (earlier.superseded_by, later.supersedes) == (later.fact_id, earlier.fact_id)
            assert earlier.valid_until == later.created_at

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_so_does_a_fact_of_two_periods(self, order: tuple[int, ...]) -> None:
        said = [("Is vegetarian", 9), ("Eats fish again", 63), ("Is vegetarian", 151)]
        memory = Memory(
            ask=knowing(
                {
                    ("Eats fish again", "Is vegetarian"): "UPDATE",
                    ("Is vegetarian", "Eats fish again"): "UPDATE",
                }
            )
        )
        for place in order:
            memory.learn(statement(*said[place]))
        assert memory.live_rows() == ["Is vegetarian"]
        assert memory.as_of(8) == []
        assert memory.as_of(20) == ["Is vegetarian"]
        assert memory.as_of(90) == ["Eats fish again"]
        assert memory.as_of(160) == ["Is vegetarian"]
        assert len(memory.facts) == 3

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_and_a_text_that_grew(self, order: tuple[int, ...]) -> None:
        said = [("Has a dog", 1), ("Has a brown dog named Rex", 2), ("Has a dog", 3)]
        memory = Memory()
        for place in order:
            memory.learn(statement(*said[place]))
        assert memory.live_rows() == ["Has a brown dog named Rex"]
        assert memory.named("Has a brown dog named Rex")[0].last_confirmed_at == at(3)

    @given(st.permutations(range(12)))
    def test_repeats_in_any_order_make_one_fact(self, order: list[int]) -> None:
        memory = Memory()
        for day in order:
            memory.learn(statement("Has a cat", day))
        [fact] = memory.facts.values()
        assert (fact.began, fact.last_confirmed_at) == (at(0), at(11))
        assert memory.as_of(0) == ["Has a cat"]

    def test_of_two_at_one_instant_the_later_in_the_write_order_stands(self) -> None:
        for first, second in ((1, 2), (2, 1)):
            memory = Memory(ask=HOMES)
            texts = {1: "Lives in Porto", 2: "Lives in Braga"}
            for sequence in (first, second):
                memory.learn(statement(texts[sequence], 10, sequence=sequence))
            assert memory.live() == ["Lives in Braga"]

    def test_what_the_user_confirmed_later_outweighs_a_late_statement(self) -> None:
        memory = Memory(ask=HOMES)
        memory.learn(statement("Lives in Porto", 10))
        memory.learn(statement("Lives in Porto", 30))
        memory.learn(statement("Lives in Braga", 20))
        assert memory.live() == ["Lives in Porto"]
        assert [memory.as_of(day) for day in (15, 25, 35)] == [
            ["Lives in Porto"],
            ["Lives in Braga"],
            ["Lives in Porto"],
        ]


class TestRace:
    def test_the_same_case_is_asked_once(self) -> None:
        """Another worker adds something unrelated between the reading and the writing."""
        from noted.facts.consolidating import Consolidation
        from noted.retention import Retention

        memory = Memory()
        memory.learn(statement("Lives in Porto", 1))
        calls: list[Prompt] = []

        def ask(prompt: Prompt) -> Reply:
            calls.append(prompt)
            return Reply("", {"decisions": [decision(1, "UPDATE", 1)]})

        consolidation = Consolidation([statement("Lives in Braga", 5)], at(9), Retention(), ask)
        consolidation.change(memory.stored())
        memory.learn(statement("Plans a trip", 2, kind="goal"))
        change = consolidation.change(memory.stored())
        assert len(calls) == 1
        assert [altered.after.text for altered in change.altered] == ["Lives in Porto"]
        assert change.revision == 2

    def test_when_the_facts_change_it_is_asked_again_and_then_added(self) -> None:
        from noted.facts.consolidating import Consolidation
        from noted.retention import Retention

        memory = Memory()
        memory.learn(statement("Lives in Porto", 1))
        calls: list[Prompt] = []

        def ask(prompt: Prompt) -> Reply:
            calls.append(prompt)
            return Reply("", {"decisions": [decision(1, "UPDATE", 1)]})

        consolidation = Consolidation([statement("Lives in Braga", 5)], at(9), Retention(), ask)
        for day in (2, 3):
            assert len(consolidation.change(memory.stored()).altered) == 1
            memory.learn(statement(f"Has {day} cats", day))
        change = consolidation.change(memory.stored())
        assert len(calls) == 2
        assert (len(change.added), change.altered) == (1, ())

    def test_another_worker_that_says_the_same_makes_it_a_repeat(self) -> None:
        from noted.facts.consolidating import Consolidation
        from noted.retention import Retention

        memory = Memory()
        consolidation = Consolidation([statement("Has a cat", 5)], at(9), Retention(), None)
        assert len(consolidation.change(memory.stored()).added) == 1
        memory.learn(statement("Has a cat", 5))
        assert consolidation.change(memory.stored()).added == ()
