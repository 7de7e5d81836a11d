"""The guards over an extraction: what a proposed fact must be before it may be kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.facts.guards import Guard, failing, is_slice, passed
from noted.facts.proposed import ProposedFact
from noted.text.questions import QUESTION_MARKS, QUESTION_WORDS


def judged(text: str, quote: str | None = None, said: str | None = None, **tokens: list[str]) -> Guard | None:
    """The guard that a fact fails; its words are its own quote and all that was said, unless given."""
    quote = text if quote is None else quote
    return failing(ProposedFact("fact", text, quote), quote if said is None else said, **tokens)


class TestQuestion:
    @pytest.mark.parametrize(
        "text",
        [
            "What whisky goes with cheese",
            "what's for dinner",
            "Who’s coming on Friday",
            "WHOSE turn it is",
            "  How to renew a passport",
            "(Where the clinic is)",
            "- why it failed",
            "¿Which one",
            "Ｗｈａｔ it costs",
            "“Where the parcel is”",
            "Wants to know the price",
            "The user wants to know the price",
            "Also wants to know more",
            "Would love to know the opening hours",
            "Would also like to know the opening hours",
            "Would like to find out whether it rains",
            "Wonders about the fee",
            "Was wondering if it rains",
            "Is asking about mortgages",
            "Asks whether the pool is heated",
            "Is curious why it rains",
            "Quiere saber el precio",
            "Möchte wissen, ob es regnet",
            "Se demande si le train part",
        ],
    )
    def test_a_text_that_opens_like_a_question_is_dropped(self, text: str) -> None:
        assert judged(text) is Guard.QUESTION

    @pytest.mark.parametrize(
        "text",
        [
            "Is a fan of Doctor Who",
            "Has two kids",
            "Does yoga",
            "Can swim",
            "Will move in May",
            "Was born in Lagos",
            "Whichever way, takes the train",
            "Whole-grain bread only",
            "Whoever calls first gets the sofa",
            "How-to books are a hobby",
            "Howard is the cat",
            "Wonder Woman is the favourite film",
            "Wants to learn how to fly a plane",
            "Wants to see how far the money goes",
            "Wants to ask for a raise",
            "Asks for extra salt on fries",
            "Is curious about astronomy",
            "Is asking her boss for a raise",
            "Does not know where the passport is",
            "“Who Framed Roger Rabbit” is the favourite film",
            "Como pescado los viernes",
            "Wohnt in Berlin",
            "Où que ce soit, prend le train",
        ],
    )
    def test_a_statement_stays_whatever_words_it_is_made_of(self, text: str) -> None:
        assert judged(text) is None

    @pytest.mark.parametrize("mark", sorted(QUESTION_MARKS))
    @pytest.mark.parametrize("after", ["", " ", "!", " ! ", ")", "”", "…", " 🤔", "\u200b", "**"])
    def test_the_question_mark_of_any_script_ends_a_question(self, mark: str, after: str) -> None:
        assert judged(f"The gym opens at six{mark}{after}") is Guard.QUESTION

    @pytest.mark.parametrize(
        "text",
        [
            "'Is it open?'",
            "«La gare est ouverte ?»",
            "「店は開いていますか？」",
            '"“Is it open?”"',
            "The pharmacy (it is open?)",
            "Πού είναι το φαρμακείο;",
            "Որտե՞ղ է բանկը",
        ],
    )
    def test_quotes_around_the_whole_text_and_brackets_do_not_hide_the_mark(self, text: str) -> None:
        assert judged(text) is Guard.QUESTION

    @pytest.mark.parametrize(
        "text",
        [
            'Favourite show is "Who Wants to Be a Millionaire?"',
            "Favourite show is «Où est Charlie ?»",
            "好きな番組は「クイズミリオネア？」",
            "Said 'why me?' and 'why not?'",
            "Wifi name is guest?5g",
            "Likes tea;",
            "Likes tea!",
        ],
    )
    def test_a_mark_that_does_not_end_the_statement_does_not_count(self, text: str) -> None:
        assert judged(text) is None

    @given(st.sampled_from(sorted(QUESTION_WORDS)), st.text("abcdefghijklmnop", min_size=1))
    def test_only_the_whole_first_word_counts(self, word: str, more: str) -> None:
        assert judged(f"{word} x y") is Guard.QUESTION
        if word + more not in QUESTION_WORDS:
            assert judged(f"{word}{more} x y") is None


class TestAsked:
    """What a fact rests on must be stated, not asked."""

    @pytest.mark.parametrize(
        "text, quote, said",
        [
            ("Likes tea", "Do I like tea", "Do I like tea?"),
            ("Likes tea", "I like tea", "do I like tea"),
            ("Likes tea", "Hi. Do I like tea?", "Hi. Do I like tea? Thanks!"),
            ("Likes tea", "I like coffee. Do I like tea?", "I like coffee. Do I like tea?"),
            ("Is vegetarian", "a vegetarian", "Am I a vegetarian"),
            ("Has a pregnant wife", "my wife pregnant", "Is my wife pregnant?"),
            ("Might like crypto", "I might like crypto", "Could you note whether I might like crypto?"),
            ("Might like crypto", "whether I might like crypto", "Note whether I might like crypto."),
            ("Likes tea", "I like tea", "I wonder if I like tea"),
            ("Likes coffee", "coffee", "Do I like tea, coffee, or milk?"),
            ("Likes tea", "I like tea", "Is it true that I like tea?"),
            ("Lives in Porto", "I live in Porto", "I live in Porto?"),
            ("Lives in Porto", "I live in Porto", "I live in Porto, right?"),
            ("Lives in Porto", "I live in Porto", "Tell me, do I live in Porto?"),
            ("Needs a visa", "I need a visa", "Can you check if I need a visa?"),
            ("Owns a boat", "I own a boat", "What if I own a boat?"),
            ("Is allergic to nuts", "I'm allergic to nuts", "I don't know whether I'm allergic to nuts"),
            ("Le gusta el té", "me gusta el té", "¿Me gusta el té?"),
            ("Mag Tee", "Mag ich Tee", "Mag ich Tee?"),
            ("喜欢茶", "我喜欢茶", "我喜欢茶吗？"),
        ],
    )
    def test_words_that_ask_state_nothing(self, text: str, quote: str, said: str) -> None:
        assert judged(text, quote, said) is Guard.QUESTION

    @pytest.mark.parametrize(
        "text, quote, said",
        [
            ("Lives in Porto", "I live in Porto", "I live in Porto, where shall I eat?"),
            ("Lives in Porto", "I live in Porto. Where shall I eat?", "I live in Porto. Where shall I eat?"),
            ("Lives in Porto", "I live in Porto", "I live in Porto where should I eat?"),
            ("Lives in Porto", "I live in Porto", "Where shall I eat?\nI live in Porto"),
            ("Lives in Porto", "I live in Porto", "Do I live in Porto? I live in Porto."),
            ("Is vegetarian", "I'm vegetarian", "I'm vegetarian can you suggest dinner?"),
            ("Is vegetarian", "I'm vegetarian", "What should I cook, I'm vegetarian?"),
            ("Is vegetarian", "I'm vegetarian", "Any ideas for dinner? I'm vegetarian"),
            ("Loves sushi", "I love sushi", "Could you recommend a place because I love sushi?"),
            ("Likes tea", "I like tea", "Could you please note that I like tea?"),
            ("Likes tea", "I like tea", "Please remember that I like tea."),
            ("Lives in Porto", "I live in Porto", "Did you know I live in Porto?"),
            ("Had a dog as a child", "When I was a child I had a dog", "When I was a child I had a dog."),
            ("Has a vegan wife", "my vegan wife", "What can I cook for my vegan wife?"),
            ("Has two dogs", "I have two dogs", "I have two dogs (do you like dogs?)"),
            ("Is deciding whether to move", "I'm deciding whether to move", "I'm deciding whether to move"),
            ("Knows how to sail", "I know how to sail", "I know how to sail."),
            ('Loves "Who Wants to Be a Millionaire?"', 'I love "Who Wants to Be a Millionaire?"', None),
            ("Has my mother's eyes", "Has my mother's eyes", None),
            ("Vive en Oporto", "Vivo en Oporto", "Vivo en Oporto, ¿dónde como?"),
            ("Wohnt in Porto", "Ich wohne in Porto", "Ich wohne in Porto, wo soll ich essen?"),
        ],
    )
    def test_what_is_stated_beside_a_question_stays(self, text: str, quote: str, said: str | None) -> None:
        assert judged(text, quote, said) is None


class TestPlaceholder:
    @pytest.mark.parametrize("token", ["<PERSON_A>", "<IBAN_1>", "[earlier PERSON_A]", "<CREDIT_CARD_B>"])
    def test_a_placeholder_must_be_this_users(self, token: str) -> None:
        assert judged(f"Shares a flat with {token}") is Guard.PLACEHOLDER
        assert judged(f"Shares a flat with {token}", own_tokens=[token]) is None

    @pytest.mark.parametrize("bent", ["<person_a>", "< PERSON_A >", "‹PERSON_A›", "＜PERSON_B＞", "<PERSON>"])
    def test_a_bent_placeholder_is_nobodys(self, bent: str) -> None:
        assert judged(f"Lives with {bent}", own_tokens=["<PERSON_A>"]) is Guard.PLACEHOLDER

    def test_one_foreign_placeholder_among_own_ones_is_enough(self) -> None:
        assert judged("<PERSON_A> knows <PERSON_B>", own_tokens=["<PERSON_A>"]) is Guard.PLACEHOLDER

    @pytest.mark.parametrize("text", ["Loves <3", "Earns < 5 and > 3", "Writes <b>bold</b>"])
    def test_other_angle_brackets_are_ordinary_text(self, text: str) -> None:
        assert judged(text) is None


class TestField:
    def test_a_field_must_have_been_filled(self) -> None:
        assert judged("Has [account.balance] left") is Guard.FIELD
        assert judged("Has [account.balance] left", filled_fields=["account.balance"]) is None
        assert judged("Has [account.balance] left", filled_fields=["account"]) is Guard.FIELD

    def test_a_name_without_a_dot_is_a_field_only_when_known(self) -> None:
        assert judged("Has [balance] left") is None
        assert judged("Has [balance] left", known_fields=["balance"]) is Guard.FIELD
        assert judged("Has [balance] left", known_fields=["balance"], filled_fields=["balance"]) is None

    @pytest.mark.parametrize("text", ["Spells it 'Luvv' [sic]", "Paid [3.5] euros", "Likes it [e.g. tea]"])
    def test_other_brackets_are_ordinary_text(self, text: str) -> None:
        assert judged(text) is None


class TestQuote:
    @pytest.mark.parametrize(
        "quote, said",
        [
            ("I live in Porto", "Hi! I live in Porto now."),
            ("i LIVE in porto", "I live in Porto"),
            ("I'm “here”", 'I’m "here"'),
            ("I  live\nin Porto", "I live in   Porto"),
            ("ｃａｆé", "my cafe\u0301"),
            ("al-Andalus", "al‑Andalus"),
            ("上海工作", "我在上海工作了"),
            ("서울", "저는 서울에 살아요"),
            ("I move on 14 May", "I move on 14 May 2027"),
        ],
    )
    def test_a_piece_of_what_was_said_in_any_form(self, quote: str, said: str) -> None:
        assert is_slice(quote, said)

    @pytest.mark.parametrize(
        "quote, said",
        [
            ("", "I live in Porto"),
            (" \u200b ", "I live in Porto"),
            ("I live in Lisbon", "I live in Porto"),
            ("I Porto", "I live in Porto"),
            ("happy", "I am unhappy"),
            ("owe 20", "I owe 200"),
            ("owe 1", "I owe 1,200"),
            ("200 euros", "I owe 1,200 euros"),
            ("weighs 1", "it weighs 1.5 kg"),
            ("have two", "I have two hundred"),
            ("five kids", "I have twenty-five kids"),
        ],
    )
    def test_no_other_words_and_no_word_or_number_cut_in_two(self, quote: str, said: str) -> None:
        assert not is_slice(quote, said)

    def test_a_later_whole_occurrence_counts(self) -> None:
        assert is_slice("I owe 20", "Once I owed 200, I owe 200 to him and I owe 20 to her")

    @given(st.lists(st.sampled_from("I eat no meat, Rex! 42 は 猫".split()), min_size=1), st.data())
    def test_every_run_of_whole_words_is_a_piece(self, words: list[str], data: st.DataObject) -> None:
        start = data.draw(st.integers(0, len(words) - 1))
        end = data.draw(st.integers(start + 1, len(words)))
        assert is_slice(" ".join(words[start:end]), "  ".join(words))

    def test_the_quote_guard_drops_a_fact_whose_words_were_not_said(self) -> None:
        assert judged("Lives in Porto", "I live in Porto", "I like Porto") is Guard.QUOTE


class TestNumber:
    @pytest.mark.parametrize(
        "text, quote",
        [
            ("Budget is 1200 euros", "my budget is 1,200 euros"),
            ("Budget is 1,200 euros", "my budget is 1 200 euros"),
            ("Presupuesto de 1200 euros", "mi presupuesto es de 1.200 euros"),
            ("Has 2 kids", "I have two kids"),
            ("Has twenty-one cats", "I have 21 cats"),
            ("Has 3 kids", "لدي ٣ أطفال"),
            ("Owns 5 shops", "I own ５ shops"),
            ("Earns 90k", "I earn 90,000"),
            ("Weighs 80 kg", "I weigh 80kg"),
            ("Flies BA2490", "I fly ba2490"),
            ("Keeps <IBAN_1>", "my account is <IBAN_1>"),
            ("Sister <PERSON_A> is 44", "my sister <PERSON_A> is 44"),
        ],
    )
    def test_a_number_of_the_same_value_is_in_the_quote(self, text: str, quote: str) -> None:
        assert judged(text, quote, own_tokens=["<IBAN_1>", "<PERSON_A>"]) is None

    @pytest.mark.parametrize(
        "text, quote",
        [
            ("Budget is 120 euros", "my budget is 1,200 euros"),
            ("Retires at 55.5", "I retire at 55"),
            ("Runs 15 km", "I run 1.5 km"),
            ("Is 36", "I was born in 1990"),
            ("Born in the 90s", "I was born in 1990"),
            ("Has three kids", "I have two kids"),
            ("Has 2 kids", "I have kids"),
            ("Code is 0042", "my code is 42"),
            ("Flies BA2491", "I fly BA2490"),
            ("Moves on 15 May 2027", "I move on 14 May 2027"),
            ("Moves on 14 June 2027", "I move on 14 May 2027"),
        ],
    )
    def test_a_number_of_another_value_is_not(self, text: str, quote: str) -> None:
        assert judged(text, quote) is Guard.NUMBER

    @pytest.mark.parametrize(
        "text, quote",
        [
            ("Had surgery on 2026-03-08", "I had surgery yesterday"),
            ("Moved to Porto in 2025", "I moved to Porto last year"),
            ("Moves in May 2027", "I move next May"),
            ("Moves on 14 May 2027", "I move on 14 May"),
            ("Started on 9 March 2026", "I started 3 weeks ago"),
            ("Zog letztes Jahr (2025) um", "ich zog letztes Jahr um"),
            ("去年2025年搬家", "我去年搬家"),
            ("Déménage en 2027", "je déménage l'année prochaine"),
        ],
    )
    def test_a_date_may_be_resolved_from_the_quote(self, text: str, quote: str) -> None:
        assert judged(text, quote) is None

    @pytest.mark.parametrize(
        "text, quote",
        [
            ("Moved to Porto in 2025", "I moved to Porto"),
            ("Had 3 surgeries on 2026-03-08", "I had surgeries yesterday"),
            ("Owns 2025 books", "I bought books last year"),
            ("Moves in June 2027", "I move next May"),
            ("Moves on 15 May 2027", "I move on 14 May"),
            ("Is 40 since last year", "I had a birthday last year"),
        ],
    )
    def test_only_a_date_and_only_what_the_quote_leaves_open(self, text: str, quote: str) -> None:
        assert judged(text, quote) is Guard.NUMBER

    @given(st.integers(2, 10**9), st.integers(2, 10**9))
    def test_two_whole_numbers_are_the_same_only_by_value(self, one: int, other: int) -> None:
        expected = None if one == other else Guard.NUMBER
        assert judged(f"Owes {one} euros", f"I owe {other:,} euros") is expected
        assert judged(f"Owes {one:,} euros", f"I owe {one} euros") is None


class TestAll:
    @pytest.mark.parametrize("text", ["", "   ", "...", "\u200b", "—"])
    def test_a_text_without_a_word_is_no_fact(self, text: str) -> None:
        assert judged(text, "I live in Porto") is Guard.EMPTY

    def test_passed_splits_an_extraction_and_names_each_guard(self) -> None:
        lives = ProposedFact("fact", "Lives in Porto", "I live in Porto")
        asks = ProposedFact("fact", "Where the clinic is", "where is the clinic")
        invented = ProposedFact("goal", "Wants a boat", "I want a boat", turn=2)
        elsewhere = ProposedFact("fact", "Likes tea", "I like tea", turn=3)
        said = {1: "I live in Porto, where is the clinic", 2: "I like tea"}
        kept, dropped = passed([lives, asks, invented, elsewhere], said)
        assert kept == [lives]
        assert dropped == [(asks, Guard.QUESTION), (invented, Guard.QUOTE), (elsewhere, Guard.QUOTE)]

    @given(st.text(), st.text(), st.text())
    def test_no_text_makes_a_guard_fail_with_an_error(self, text: str, quote: str, said: str) -> None:
        assert judged(text, quote, said) in {None, *Guard}
