"""Stories that the search once came upon and that are easily got wrong, as its steps."""

from __future__ import annotations

from tests.stateful.client import LEARNT_A_DAY
from tests.stateful.models import words_in
from tests.stateful.service import Message, Plan
from tests.stateful.stories import alice


def test_a_corrected_fact_that_is_confirmed_stays_corrected() -> None:
    with alice() as story:
        fact = story.told()
        assert story.sent(story.clients.correct(fact)).status == 200
        assert story.sent(story.clients.judge(fact, "confirmed")).status == 201


def test_nothing_is_learnt_from_a_turn_that_has_expired() -> None:
    with alice() as story:
        story.sent(story.clients.say(story.chat, "tea"))
        story.service.clock.forward(days=4)


def test_a_verdict_that_is_sent_again_does_not_undo_a_later_one() -> None:
    with alice() as story:
        fact = story.told()
        rejected = story.clients.judge(fact, "rejected")
        assert story.sent(rejected).status == 201
        assert story.sent(story.clients.judge(fact, "confirmed")).status == 201
        assert story.sent(rejected).status == 201


def test_a_verdict_whose_process_died_after_the_commit_stands() -> None:
    for at in range(4, 12):
        with alice() as story:
            fact = story.told()
            assert story.sent(story.clients.judge(fact, "rejected")).status == 201
            story.clients.send(story.clients.judge(fact, "confirmed"), Plan(at, crash="after"))


def test_a_conversation_that_is_erased_while_it_is_learnt_from_takes_the_fact_with_it() -> None:
    for at in range(1, 20):
        with alice() as story:
            story.sent(story.clients.say(story.chat, "tea"))
            erasing = story.clients.erase_conversation(story.chat)
            plan = Plan(at, work=lambda story=story, erasing=erasing: story.clients.send(erasing))  # type: ignore[misc]
            story.clients.deliver(story.service.queue.pop(), plan)


def test_a_worker_that_dies_at_any_operation_has_learnt_once_in_the_end() -> None:
    for at in range(1, 20):
        with alice() as story:
            story.sent(story.clients.say(story.chat, "tea"))
            message = story.service.queue.pop()
            story.clients.deliver(Message(message.body), Plan(at, crash="after"))


def test_a_client_whose_service_dies_at_any_operation_is_told_the_same_in_the_end() -> None:
    for at in range(1, 16):
        for kind in ("tea", "remember"):
            with alice() as story:
                story.clients.send(story.clients.say(story.chat, kind), Plan(at, crash="after"))
                # The lease of a key whose claimant died ends after a minute.
                story.service.clock.forward(minutes=2)
                while story.clients.unanswered:
                    assert story.sent(story.clients.unanswered.pop()).status == 201


def test_an_eraser_that_dies_at_any_operation_is_followed_by_another() -> None:
    for at in range(1, 40):
        with alice() as story:
            story.told()
            story.erased()
            story.clients.scheduled("erasure", "run-erasures", Plan(at, crash="after"))


def test_what_is_kept_anew_after_it_was_erased_stays() -> None:
    with alice() as story:
        assert story.sent(story.clients.say(story.chat, "remember")).status == 201
        word = story.word
        assert story.sent(story.clients.erase_fact(word)).status == 202
        assert story.sent(story.clients.again(story.chat)).body["answer"] == "Noted."
        story.service.clock.forward(minutes=20)
        story.clients.scheduled("erasure", "run-erasures")
        facts = story.clients.look("GET", "/v1/facts?status=live&limit=100", "alice")
        assert facts is not None
        assert word.word in words_in(facts.text)


def test_a_fact_that_was_learnt_and_erased_since_a_backup_is_not_learnt_again() -> None:
    with alice() as story:
        story.sent(story.clients.say(story.chat, "tea"))
        story.machine.back_up()
        story.clients.deliver(story.service.queue.pop())
        story.look()
        word = story.word
        assert story.sent(story.clients.erase_fact(word)).status == 202
        story.service.clock.forward(minutes=20)
        story.clients.scheduled("erasure", "run-erasures")
        story.machine.restore(whole=False, replayed=True)
        story.clients.scheduled("extraction", "sweep-outbox")
        while story.service.queue:
            story.clients.deliver(story.service.queue.pop())
        facts = story.clients.look("GET", "/v1/facts?status=live&limit=100", "alice")
        assert facts is not None
        assert word.word not in words_in(facts.text)


def test_what_is_written_right_after_a_restore_of_the_keys_can_be_read() -> None:
    with alice() as story:
        story.clients.send(story.clients.erase_everything("alice", officer=False))
        story.machine.back_up()
        story.told()
        story.machine.restore(whole=True, replayed=False)
        # A process keeps a key for longer than it trusts what it knows of the tables.
        story.machine.run_erasures(fault=None)
        assert story.clients.send(story.clients.tell("alice")) is not None
        word = story.word
        story.service.clock.forward(minutes=10)
        facts = story.clients.look("GET", "/v1/facts?status=live&limit=100", "alice")
        assert facts is not None
        assert word.word in words_in(facts.text)


def test_an_answer_may_tell_what_its_conversation_told_when_it_began() -> None:
    for at in range(1, 20):
        with alice() as story:
            fact = story.told()
            assert story.sent(story.clients.ask(story.chat)).status == 201
            assert story.sent(story.clients.correct(fact)).status == 200
            erasing = story.clients.erase_everything("alice", officer=False)
            plan = Plan(at, work=lambda story=story, erasing=erasing: story.clients.send(erasing))  # type: ignore[misc]
            story.clients.send(story.clients.say(story.chat, "tea"), plan)


def test_what_a_worker_stored_before_it_died_stands_when_memory_is_turned_off() -> None:
    for at in range(1, 20):
        with alice() as story:
            story.sent(story.clients.say(story.chat, "tea"))
            message = story.service.queue.pop()
            story.clients.deliver(Message(message.body), Plan(at, crash="before"))
            story.clients.send(story.clients.pause("alice", paused=True))
            story.clients.deliver(Message(message.body))
            story.look()


def test_a_fact_that_a_hindered_worker_stored_is_not_learnt_twice() -> None:
    with alice() as story:
        story.sent(story.clients.say(story.chat, "tea"))
        message = story.service.queue.pop()
        story.service.queue.append(Message(message.body))
        said = story.clients.say(story.chat, "tea")
        story.clients.deliver(message, Plan(1, work=lambda: story.clients.send(said)))  # type: ignore[arg-type]
        story.look()
        fact = next(iter(story.clients.oracle.words.values()))
        assert story.sent(story.clients.erase_fact(fact)).status == 202
        story.clients.send(story.clients.again(story.chat), Plan(1, crash="before"))


def test_a_day_has_no_room_for_more_than_so_many_facts() -> None:
    with alice() as story:
        for _ in range(LEARNT_A_DAY + 2):
            story.clients.send(story.clients.say(story.chat, "tea"))
            while story.service.queue:
                story.clients.deliver(story.service.queue.pop(0))
        story.look()
        listed = story.clients.look("GET", "/v1/facts?limit=100", "alice")
        assert listed is not None
        assert len(listed.body["items"]) == LEARNT_A_DAY


def test_a_conversation_that_an_erasure_left_half_done_may_be_told_until_everything_is_erased() -> None:
    for at in range(1, 20):
        with alice() as story:
            for _ in range(3):
                story.sent(story.clients.say(story.chat, "tea"))
                story.clients.deliver(story.service.queue.pop())
            story.clients.send(story.clients.erase_conversation(story.chat), Plan(14, crash="before"))
            chat = story.sent(story.clients.begin("alice", private=False))
            assert chat.status == 201
            erasing = story.clients.erase_everything("alice", officer=False)
            plan = Plan(at, work=lambda story=story, erasing=erasing: story.clients.send(erasing))  # type: ignore[misc]
            story.clients.send(story.clients.say(story.clients.mine("alice")[-1], "tea"), plan)


def test_an_episode_that_is_written_later_does_not_tell_an_erased_fact() -> None:
    with alice() as story:
        for _ in range(3):
            story.sent(story.clients.say(story.chat, "tea"))
            story.clients.deliver(story.service.queue.pop())
        story.look()
        fact = next(iter(story.clients.oracle.words.values()))
        assert story.sent(story.clients.erase_fact(fact)).status == 202
        story.service.clock.forward(minutes=35)
        story.clients.scheduled("extraction", "sweep-episodes")
        while story.service.queue:
            story.clients.deliver(story.service.queue.pop())
        assert story.sent(story.clients.begin("alice", private=False)).status == 201
        later = story.clients.mine("alice")[-1]
        assert story.sent(story.clients.say(later, "tea")).status == 201
        told = story.clients.look("GET", "/v1/episodes", "alice")
        assert told is not None
        [episode] = told.body["items"]
        words = list(story.clients.oracle.words)
        assert [each for each in words[:3] if each in repr(episode)] == words[1:3]
