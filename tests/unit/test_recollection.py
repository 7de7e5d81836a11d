"""Recollection: which messages ask for it, which replies may be sent, and the list that code writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.conversation.replies import LIST_GOES_ON, LIST_LEAD
from noted.facts.fact import Kind
from noted.recall.recollection import LONGEST_REPLY, asks_for_recollection, listed, reply_passes

FACTS = [
    "Budget is 1,200 euros",
    "Has two kids",
    "Runs 1.5 km",
    "Moves on 14 May 2027",
    "Rent account is <IBAN_B>",
    "Works with Node.js and ASP.NET",
    "Lives on the third floor",
    "Flight BA2490 leaves at 10:30",
]


class TestRoute:
    @pytest.mark.parametrize(
        "message",
        [
            "What did I tell you?",
            "WHAT DID I TELL YOU ABOUT MY SISTER",
            "What did I tell you about my sister and her kids?",
            "what have I told you so far",
            "What'd I tell you last week?",
            "Hi! What did I say about my job? Thanks!",
            "What was it that I told you?",
            "What did I ask you to remember?",
            "Where did I say I live?",
            "How many kids did I say I have?",
            "Did I tell you about my allergy?",
            "Have I mentioned my sister?",
            "Can you tell me what I told you about my sister?",
            "Do you remember what I told you yesterday?",
            "Please list everything I told you",
            "Remind me what I said about the gate code",
            "Remember what I told you?",
            "What do you know about me?",
            "What do you remember about my job?",
            "Tell me everything you know about me",
            "Show me what you have stored about me",
            "What have you saved about me so far?",
            "What's in your memory?",
            "What did I tell you about my sister? And about my job?",
        ],
    )
    def test_a_message_that_only_asks_what_was_said(self, message: str) -> None:
        assert asks_for_recollection(message)

    @pytest.mark.parametrize(
        "message",
        [
            "What did I tell you about my budget, and can I afford a car?",
            "What did I tell you about my budget and how much is left?",
            "What did I tell you about jazz and recommend a club",
            "What did I tell you about my sister? She moved to London.",
            "What did I tell you about Rome? Is it worth a visit?",
            "What did I tell you about my budget, because now I have 2000",
            "I moved to Porto. What did I tell you about my sister?",
            "Based on what I told you, suggest a restaurant",
            "What should I eat, given what I told you?",
            "What did my boss tell you?",
            "What did I tell my sister?",
            "What did I say to my boss?",
            "What did you tell me?",
            "What do you know about Paris?",
            "What's my name?",
            "I told you I hate onions",
            "You know what I told you about onions",
            "Remember that I told you about onions",
            "Tell me a joke",
            "Suggest a pizza",
            "",
        ],
    )
    def test_every_other_message_is_answered(self, message: str) -> None:
        assert not asks_for_recollection(message)

    @given(st.text())
    def test_any_text_is_routed(self, message: str) -> None:
        assert asks_for_recollection(message) in (True, False)
        assert asks_for_recollection(f"What did I tell you about my {message}") in (True, False)


class TestReply:
    @pytest.mark.parametrize(
        "reply",
        [
            "Your budget is 1200 euros.",
            "Your budget is 1 200 euros.",
            "Your budget is 1,200.00 euros.",
            "You have ٢ kids.",
            "You run 1.50 km.",
            "You move on May 14th, 2027.",
            "You move on 2027-05-14.",
            "You move in May 2027.",
            "Your rent account is <IBAN_B>.",
            "You live on the 3rd floor.",
            "BA2490 leaves at 10:30.",
            "You work with ASP.NET and Node.js.",
            "No one else was named; the one with kids is you.",
        ],
    )
    def test_the_same_values_pass_however_they_are_written(self, reply: str) -> None:
        assert reply_passes(reply, FACTS)

    @pytest.mark.parametrize(
        "reply",
        [
            "Your budget is 120 euros.",
            "Your budget is 1,300 euros.",
            "You run 15 km.",
            "You run 0.93 miles.",
            "You have three kids and four cats.",
            "You have one kid.",
            "You have ٤ kids.",
            "You have ④ kids.",
            "您有五个孩子。",
            "Tienes cinco hijos.",
            "You move on 15 May 2027.",
            "You move on 14 June 2027.",
            "You move on 14 May 2028.",
            "You were born in the 90s.",
            "You were born in the nineties.",
            "Your rent account is <IBAN_C>.",
            "Your rent account is PT50000201231234567890154.",
            "Your rent account is PT50 0002 0123 1234 5678 9015 4.",
            "BA2491 leaves at 10:30.",
            "BA2490 leaves at 10:45.",
            "Your balance is [account.balance].",
            "Your balance is \\[account.balance\\].",
            "Your fifth child is Ana.",
        ],
    )
    def test_a_figure_that_is_not_in_the_facts_fails(self, reply: str) -> None:
        assert not reply_passes(reply, FACTS)

    @pytest.mark.parametrize(
        "reply",
        [
            "1. You have kids.\n2. You run.\n3. You move.\n4. You work.",
            "1) You have kids 2) You run 3) You move 4) You work",
            "**1.** You have kids\n**2.** You run",
            "① You have kids\n② You run\n③ You move\n④ You work",
            "1️⃣ You have kids\n2️⃣ You run\n3️⃣ You move\n4️⃣ You work",
            "One thing you told me: you run.",
            "You told me four things: you run.",
            "Here are 8 facts about you.",
            "First, you run. Second, you move. Third, you work. Fourth, you fly.",
            "Firstly, you run; fourthly, you fly.",
            "The first thing is that you run. The fifth is that you move.",
        ],
    )
    def test_what_only_orders_the_reply_is_no_number(self, reply: str) -> None:
        assert reply_passes(reply, FACTS)

    @pytest.mark.parametrize(
        "reply",
        [
            "16. You have kids.",
            "1. You have kids.\n7. You run.",
            "You told me twelve things.",
            "Your seventh, you said, is Ana.",
        ],
    )
    def test_a_number_in_the_place_of_a_marker_is_one_unless_it_counts_up(self, reply: str) -> None:
        assert not reply_passes(reply, FACTS)

    @pytest.mark.parametrize(
        "reply",
        [
            "See https://example.org/me",
            "See HTTPS://EXAMPLE.ORG",
            "See www.example.org",
            "See example.org",
            "See Example.org/me",
            "See example。org",
            "See bücher.de",
            "See evil.party/abc",
            "You live in Porto, see [your page](/me).",
            "![pixel](x)",
            "Write to mailto:a@b.c",
            "Write to ana@example.com",
            "javascript:alert()",
            "See //cdn.example",
            "<a href=x>you</a>",
        ],
    )
    def test_a_link_fails_in_any_form(self, reply: str) -> None:
        assert not reply_passes(reply, [*FACTS, reply])

    @pytest.mark.parametrize(
        "reply",
        [
            "You work with Node.js, Vue.js, ASP.NET and VB.NET.",
            "You live in Porto.It is nice.",
            "Your notes are in plan.txt, e.g. tea.",
            "You said: tea/milk.",
        ],
    )
    def test_a_name_with_a_dot_is_no_link(self, reply: str) -> None:
        assert reply_passes(reply, FACTS)

    @pytest.mark.parametrize("reply", ["", "  \n ", "\u200b\u200b", "...", "—"])
    def test_an_empty_reply_fails(self, reply: str) -> None:
        assert not reply_passes(reply, FACTS)

    def test_a_reply_is_at_most_as_long_as_the_limit(self) -> None:
        assert reply_passes("x" * LONGEST_REPLY, FACTS)
        assert not reply_passes("x" * (LONGEST_REPLY + 1), FACTS)

    @given(st.integers(0, 10**9), st.integers(0, 10**9))
    def test_whole_numbers_pass_only_by_value(self, told: int, replied: int) -> None:
        assert reply_passes(f"You owe {replied:,} euros.", [f"Owes {told} euros"]) is (told == replied)

    @given(st.text(), st.lists(st.text()))
    def test_any_text_is_judged(self, reply: str, facts: list[str]) -> None:
        assert reply_passes(reply, facts) in (True, False)


KINDS = st.sampled_from(["fact", "goal"])


class TestList:
    def test_facts_come_first_and_goals_after_under_the_lead(self) -> None:
        facts: list[tuple[Kind, str]] = [
            ("goal", "Retire at 55"),
            ("fact", "Lives in Porto"),
            ("fact", "Has two kids"),
        ]
        assert listed(facts) == f"{LIST_LEAD}\n- Lives in Porto\n- Has two kids\n- Retire at 55"

    def test_a_fact_with_a_link_is_left_to_the_list_of_the_memory(self) -> None:
        facts: list[tuple[Kind, str]] = [("fact", "Site is www.example.org"), ("fact", "Lives in Porto")]
        assert listed(facts) == f"{LIST_LEAD}\n- Lives in Porto\n{LIST_GOES_ON}"

    def test_facts_for_which_there_is_no_room_are_too(self) -> None:
        told = listed([("fact", f"Likes tea number {number}") for number in range(500)])
        assert told.startswith(f"{LIST_LEAD}\n- Likes tea number 0\n- Likes tea number 1\n")
        assert told.endswith(f"\n{LIST_GOES_ON}")
        assert len(told) <= LONGEST_REPLY

    @given(st.lists(st.tuples(KINDS, st.text(max_size=200)), min_size=1, max_size=30))
    def test_the_list_passes_the_check_of_a_reply(self, facts: list[tuple[Kind, str]]) -> None:
        assert reply_passes(listed(facts), [text for _, text in facts])
