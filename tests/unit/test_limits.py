"""How much is learnt, whatever a model proposes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from noted.facts.fact import Status, Verdict
from noted.facts.limits import A_DAY, LIVE, REPEATED
from tests.unit.consolidating import Memory, at, knowing, statement


def test_a_day_teaches_so_many_facts_and_the_next_day_as_many_again() -> None:
    memory = Memory()
    for day in (1, 2):
        said = [statement(f"Owns boat {number}", day) for number in range(day * 100, day * 100 + A_DAY + 10)]
        for start in range(0, len(said), 5):
            memory.learn(*said[start : start + 5])
        assert len(memory.live()) == day * A_DAY
    assert f"Owns boat {100 + A_DAY - 1}" in memory.live()
    assert f"Owns boat {100 + A_DAY}" not in memory.live()


def test_what_is_said_again_counts_for_nothing() -> None:
    memory = Memory()
    memory.learn(*(statement(f"Owns boat {number}", 1) for number in range(A_DAY)))
    change = memory.learn(statement("Owns boat 3", 1), statement("Owns a car", 1))
    assert [fact.text for fact in change.kept] == ["Owns boat 3"]


def test_what_is_told_by_hand_has_no_limit_and_takes_no_room() -> None:
    memory = Memory()
    memory.learn(*(statement(f"Owns boat {number}", 1, chat=None) for number in range(60)), by_user=True)
    memory.learn(*(statement(f"Owns car {number}", 1) for number in range(A_DAY)))
    assert len(memory.live()) == 60 + A_DAY


def test_of_live_facts_the_one_that_was_last_said_longest_ago_makes_room() -> None:
    memory = Memory(day=400)
    facts = {
        fact.fact_id: fact for fact in (statement(f"Owns boat {number}", number) for number in range(LIVE))
    }
    memory.facts = {
        fact_id: replace(fact, created_at=at(0) + timedelta(minutes=number), last_confirmed_at=at(100))
        for number, (fact_id, fact) in enumerate(facts.items())
    }
    first, second, *_ = sorted(memory.facts)
    memory.facts[first] = replace(memory.facts[first], last_confirmed_at=at(300))
    memory.learn(statement("Owns a car", 399))
    assert len(memory.live()) == LIVE
    assert memory.facts[second].status(at(400)) is Status.EXPIRED
    assert memory.facts[first].status(at(400)) is Status.LIVE
    assert "Owns a car" in memory.live()


def test_no_flood_ends_what_was_confirmed() -> None:
    memory = Memory(day=900)
    judged, told = statement("Is allergic to nuts", 1), statement("Lives in Porto", 1, chat=None)
    memory.learn(judged)
    memory.judge(judged, Verdict.CONFIRMED, day=2, sequence=2)
    memory.facts[judged.fact_id] = replace(memory.facts[judged.fact_id], provenance="confirmed")
    memory.learn(told, by_user=True)
    flood = [statement(f"Owns boat {number}", 10 + number // A_DAY) for number in range(LIVE)]
    memory.facts |= {fact.fact_id: fact for fact in flood}
    for number in range(20):
        memory.learn(statement(f"Owns car {number}", 100))
    assert len(memory.live()) == LIVE + 2
    assert {"Is allergic to nuts", "Lives in Porto"} <= set(memory.live())


def test_a_mind_that_changes_by_the_minute_ends_with_its_last_word_and_a_short_history() -> None:
    vegetarian, fish = "Is vegetarian", "Eats fish"
    memory = Memory(ask=knowing({(vegetarian, fish): "UPDATE", (fish, vegetarian): "UPDATE"}), day=1)
    for number in range(100):
        moment = at(1) + timedelta(seconds=36 * number)
        said = replace(
            statement((vegetarian, fish)[number % 2], 1),
            created_at=moment,
            last_confirmed_at=moment,
            sequence=number,
        )
        memory.learn(replace(said, fact_id=f"fc_{number:04}"))
    memory.day = 2
    assert memory.live() == [fish]
    kept = [fact for fact in memory.facts.values() if fact.expires_at and fact.expires_at > at(2)]
    assert len(kept) <= 2 * REPEATED
