"""Words are found as people write them, and ranked by BM25 exactly."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.recall.lexical import K1, B, Index, pack, tokens


def found(query: str, *texts: str) -> list[int]:
    """The places of the texts that hold a word of the query, best first."""
    scores = Index([pack(tokens(text)) for text in texts]).scores(tokens(query)).tolist()
    return [place for place in sorted(range(len(texts)), key=lambda p: -scores[p]) if scores[place] > 0]


@pytest.mark.parametrize(
    "text,expected",
    [
        ("Lives in Porto", ["live", "porto"]),
        ("The customer's cats aren't big", ["custom", "cat", "big"]),
        ("Saves 1,200 euros or 55.5 % a month", ["save", "1200", "euro", "55.5", "month"]),
        ("55,5", ["55.5"]),
        ("1,234,567.89", ["1234567.89"]),
        ("Order #48213", ["order", "48213"]),
        ("PO-7741", ["po7741", "po", "7741"]),
        ("PO7741", ["po7741", "po", "7741"]),
        ("at 19:30 on 2026-03-18", ["19-30", "19", "30", "2026-03-18", "2026", "03", "18"]),
        ("self-employed", ["selfemploy", "self", "employ"]),
        ("5pm on the 3rd", ["5pm", "5", "pm", "3rd", "3"]),
        ("O’Brien", ["obrien", "o", "brien"]),
        ("Café MÜLLER, Łódź", ["cafe", "muller", "lodz"]),
        ("Ｏｒｄｅｒ　４８", ["order", "48"]),
        ("", []),
        ("it is what it is", []),
        ("… — !?", []),
        ("\u200d\u0301\ufe0f", []),
    ],
)
def test_a_text_becomes_folded_stemmed_words_and_whole_numbers(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "text,expected",
    [
        ("Loves 🎉!", ["love", "🎉"]),
        ("👍🏽", ["👍"]),
        ("❤️", ["❤"]),
        ("🇵🇹🇩🇪", ["🇵🇹", "🇩🇪"]),
        ("👩‍🚀", ["👩‍🚀", "👩", "🚀"]),
    ],
)
def test_an_emoji_is_a_word_whatever_its_skin_tone(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "text,expected",
    [
        ("上海", ["上", "上海", "海"]),
        ("ロンドン", ["ロン", "ンド", "ドン"]),
        ("서울에", ["서", "서울", "울", "울에", "에"]),
        # Thai vowel and tone marks stay with their consonant: ถั่ว is two letters, ถั่ and ว.
        ("ถั่ว", ["ถั่ว"]),
        ("iPhone手机", ["iphon", "手", "手机", "机"]),
    ],
)
def test_scripts_without_blanks_become_pairs_of_characters(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "query,text",
    [
        ("Where do I live?", "Lives in Porto"),
        ("order 48213", "The number is 48213."),
        ("7741", "Order PO-7741 is late"),
        ("po 7741", "Order PO7741 is late"),
        ("1200", "Pays 1,200 a month"),
        ("email", "My e-mail is down"),
        ("e-mail", "My email is down"),
        ("anna.smith@example.com", "Write to Anna.Smith@example.com"),
        ("cafe", "Loves the Café Central"),
        ("🎂", "Birthday 🎂 in May"),
        ("猫", "我有一只猫"),
        ("上海", "在上海的晨星公司工作"),
        ("東京に住む", "東京在住"),
        ("서울", "서울에 살아요"),
        ("ถั่วลิสง", "ฉันแพ้ถั่วลิสง"),
        ("گربه", "دو گربه‌ها دارم"),
        ("كتاب", "کتاب‌ها را دوست دارم"),
        ("۴۸۲۱۳", "Order 48213"),
        ("القهوة", "لا أشرب قهوة"),
        ("المدرسة", "مُدَرِّسة... مَدْرَسة"),
        ("книга", "Люблю книги"),
        ("Ёлка", "елки"),
        ("σκύλος", "ΣΚΎΛΟΙ"),
        ("किताबें", "किताब"),
        ("vegetariana", "Es vegetariana"),
    ],
)
def test_a_query_finds_the_same_thing_written_another_way(query: str, text: str) -> None:
    assert found(query, "xyzzy", text) == [1]


@pytest.mark.parametrize(
    "query,text",
    [
        ("48213", "48217"),
        ("1200", "200"),
        ("1930", "at 19:30"),
        ("55", "55.5"),
        ("porto", "Portugal"),
        ("👍", "👎"),
    ],
)
def test_different_things_stay_different(query: str, text: str) -> None:
    assert found(query, text) == []


def test_bm25_of_two_documents_worked_out_by_hand() -> None:
    # N = 2, lengths 2 and 4, mean 3; k1 = 0.6, b = 0.3, so the norms are
    # 0.6 (0.7 + 0.3 * 2/3) = 0.54 and 0.6 (0.7 + 0.3 * 4/3) = 0.66.
    # green is in one document: idf = ln(1 + 1.5/1.5) = 0.693147; tea in both: ln(1 + 0.5/2.5) = 0.182322.
    # First:  (0.693147 + 0.182322) * 1 * 1.6 / (1 + 0.54) = 0.875469 * 1.038961 = 0.909578.
    # Second: 0.182322 * 2 * 1.6 / (2 + 0.66)             = 0.182322 * 1.203008 = 0.219335.
    index = Index([pack(["green", "tea"]), pack(["tea", "tea", "milk", "cup"])])
    assert index.scores(["green", "tea"]).tolist() == pytest.approx([0.909578, 0.219335], abs=2e-6)


WORDS = st.lists(st.sampled_from(["tea", "milk", "cup", "48213", "上海", "🎉"]), max_size=8)


@given(documents=st.lists(WORDS, max_size=6), query=WORDS)
def test_scores_are_those_of_the_formula(documents: list[list[str]], query: list[str]) -> None:
    mean = sum(map(len, documents)) / max(1, len(documents)) or 1.0
    expected = [0.0] * len(documents)
    for word in query:
        frequency = sum(word in document for document in documents)
        idf = math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
        for place, document in enumerate(documents):
            count = document.count(word)
            if count:
                norm = K1 * (1 - B + B * len(document) / mean)
                expected[place] += idf * count * (K1 + 1) / (count + norm)
    scores = Index([pack(document) for document in documents]).scores(query)
    assert scores.tolist() == pytest.approx(expected)


def test_postings_say_where_each_word_is() -> None:
    index = Index([pack(["tea"]), pack([]), pack(["milk", "tea", "milk"])])
    documents, words, counts = index.postings(["milk", "tea", "gin"])
    assert sorted(zip(documents.tolist(), words.tolist(), counts.tolist(), strict=True)) == [
        (0, 1, 1),
        (2, 0, 2),
        (2, 1, 1),
    ]


def test_a_rarer_word_weighs_more() -> None:
    assert found("tea 48213", "tea", "tea", "48213", "tea") == [2, 0, 1, 3]


def test_no_documents_and_no_words_are_no_error() -> None:
    assert Index([]).scores(["tea"]).tolist() == []
    assert Index([pack(["tea"]), pack([])]).scores([]).tolist() == [0.0, 0.0]
    assert Index([pack([]), pack([])]).scores(["tea"]).tolist() == [0.0, 0.0]


def test_a_packed_document_takes_four_bytes_a_token() -> None:
    # The CRC-32 of "123456789" is 0xCBF43926 (the check value of the algorithm's catalogue).
    assert pack(["123456789"]) == bytes.fromhex("2639f4cb")
    assert len(pack(tokens("Order PO-7741"))) == 4 * 4


def test_a_damaged_packed_document_is_refused() -> None:
    with pytest.raises(ValueError, match="four bytes"):
        Index([b"12345"])


@given(st.text(max_size=60))
def test_any_text_can_be_cut_and_packed(text: str) -> None:
    words = tokens(text)
    assert all(words)
    assert len(pack(words)) == 4 * len(words)
