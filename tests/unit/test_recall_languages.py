"""Recall in the scripts that people write in: by words, and by meaning where a question shares no word with
the fact that answers it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from noted.models import embedder
from noted.models.seam import Embedder
from noted.recall import vectors
from noted.recall.lexical import tokens
from noted.recall.ranking import Candidate, rank

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)

# For each language facts, a question that has a word of the second one in another form, and one that asks for
# the third in other words.
LANGUAGES = {
    "English": (
        ["Is allergic to peanuts", "Bought a red bicycle in Porto", "Works as a nurse in a hospital"],
        "which bicycles did I buy?",
        "What is my job?",
    ),
    "German": (
        [
            "Ist gegen Erdnüsse allergisch",
            "Hat in Köln ein rotes Fahrrad gekauft",
            "Arbeitet als Krankenpfleger",
        ],
        "Was ist mit dem FAHRRAD aus Koeln oder Köln?",
        "Welchen Beruf habe ich?",
    ),
    "Russian": (
        ["Аллергия на арахис", "Купил красный велосипед в Казани", "Работает медсестрой в больнице"],
        "Какой у меня велосипедом цвет в Казань?",
        "Кем я по профессии?",
    ),
    "Arabic": (
        ["لديه حساسية من الفول السوداني", "اشترى دراجة حمراء من القاهرة", "يعمل ممرضا في مستشفى"],
        "ما لون الدراجة؟",
        "ما هي مهنتي؟",
    ),
    "Persian": (
        ["به بادام زمینی حساسیت دارد", "یک دوچرخه قرمز در شیراز خرید", "در بیمارستان پرستار است"],
        "دوچرخه‌های من چه رنگی است؟",
        "شغل من چیست؟",
    ),
    "Hebrew": (
        ["אלרגי לבוטנים", "קנה אופניים אדומים בחיפה", "עובד כאח בבית חולים"],
        "אילו אופניים יש לי?",
        "מה המקצוע שלי?",
    ),
    "Chinese": (
        ["对花生过敏", "在上海买了一辆红色自行车", "在医院当护士"],
        "我的自行车是什么颜色?",
        "我的职业是什么?",
    ),
    "Japanese": (
        ["ピーナッツアレルギーがある", "京都で赤い自転車を買った", "病院で看護師として働いている"],
        "私の自転車は何色ですか?",
        "私の仕事は何ですか?",
    ),
    "Korean": (
        ["땅콩 알레르기가 있다", "부산에서 빨간 자전거를 샀다", "병원에서 간호사로 일한다"],
        "내 자전거는 무슨 색이야?",
        "내 직업이 뭐야?",
    ),
}
EACH = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def local() -> Embedder:
    """The embedder whose weights are installed."""
    return embedder("local")


def first(query: str, texts: list[str], model: Embedder | None) -> str:
    """The fact that comes first."""
    packed = [vectors.pack(vector) for vector in model.embed_facts(texts)] if model else [None] * len(texts)
    candidates = [
        Candidate(str(place), text, vector, NOW, "other", confirmed=False)
        for place, (text, vector) in enumerate(zip(texts, packed, strict=True))
    ]
    asked = model.embed_query(query) if model else None
    return rank(query, asked, candidates, now=NOW, limit=1)[0].candidate.text


@EACH
def test_a_word_is_found_in_another_form(language: str) -> None:
    texts, by_word, _ = LANGUAGES[language]
    assert set(tokens(by_word)) & set(tokens(texts[1]))
    assert first(by_word, texts, None) == texts[1]


@EACH
def test_a_meaning_is_found_without_a_shared_word(language: str, local: Embedder) -> None:
    texts, _, by_meaning = LANGUAGES[language]
    assert first(by_meaning, texts, local) == texts[2]


@pytest.mark.parametrize(
    "question,expected",
    [
        ("Какая у меня аллергия?", "Is allergic to peanuts"),
        ("我对什么过敏?", "Is allergic to peanuts"),
        ("شغل من چیست؟", "Работает медсестрой в больнице"),
    ],
)
def test_a_question_finds_a_fact_of_another_language(question: str, expected: str, local: Embedder) -> None:
    texts = ["Is allergic to peanuts", "Купил красный велосипед в Казани", "Работает медсестрой в больнице"]
    assert first(question, texts, local) == expected
