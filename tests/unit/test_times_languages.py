"""The time that a query in another language than English names."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from noted.recall import calendar, solar_hijri
from noted.recall.languages import spoken
from noted.recall.times import asks_when_told, window
from noted.text.folding import fold
from tests.unit.cldr_phrases import PHRASES

WEDNESDAY = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)


def read(query: str, zone: str = "UTC") -> tuple[str, str] | None:
    """A window as local ends, read on Wednesday, 18 March 2026, at half past three: a date for a midnight,
    else a date and a time, "" for an open end."""
    found = window(query, WEDNESDAY.replace(tzinfo=ZoneInfo(zone)), zone)
    if found is None:
        return None
    ends = [end.astimezone(ZoneInfo(zone)) if end else None for end in (found.since, found.until)]
    since, until = (f"{end:%Y-%m-%d %H:%M}".removesuffix(" 00:00") if end else "" for end in ends)
    return since, until


class TestPhrasesOfTheCldr:
    @pytest.mark.parametrize(
        "phrase, unit, count", [phrase for phrases in PHRASES.values() for phrase in phrases]
    )
    def test_each_names_the_whole_unit_that_it_leads_to(self, phrase: str, unit: str, count: int) -> None:
        of = calendar.earlier(WEDNESDAY.date(), count, unit)
        expected = calendar.unit(unit, of)
        found = window(phrase, WEDNESDAY, "UTC")
        assert found
        assert (found.since, found.until) == tuple(end.replace(tzinfo=UTC) for end in expected)


class TestWindows:
    """Counted by hand from Wednesday, 18 March 2026."""

    @pytest.mark.parametrize(
        "query, since, until",
        [
            # Spanish
            ("¿Qué te dije anoche?", "2026-03-17 17:00", "2026-03-18 06:00"),
            ("¿Qué compré en los últimos 5 días?", "2026-03-13", "2026-03-19"),
            ("¿Qué comí el lunes pasado por la tarde?", "2026-03-16 12:00", "2026-03-16 18:00"),
            ("del 3 al 5 de febrero", "2026-02-03", "2026-02-06"),
            ("¿Dónde vivía antes de 2020?", "", "2020-01-01"),
            ("lo que dije el 3/4/2025", "2025-04-03", "2025-04-04"),
            # French
            ("qu'ai-je fait lundi ?", "2026-03-16", "2026-03-17"),
            ("ce que j'ai lu depuis le 3 mars", "2026-03-03", ""),
            ("au cours des 3 derniers mois", "2025-12-18", "2026-03-19"),
            ("Où étais-je l'été dernier ?", "2025-06-01", "2025-09-01"),
            # Portuguese
            ("O que fiz na segunda?", "2026-03-16", "2026-03-17"),
            ("entre 3 e 9 de março", "2026-03-03", "2026-03-10"),
            ("o que fiz em maio", "2025-05-01", "2025-06-01"),
            # Italian
            ("Cosa ho fatto negli ultimi 5 giorni?", "2026-03-13", "2026-03-19"),
            ("dal 3 al 5 marzo", "2026-03-03", "2026-03-06"),
            ("un'ora fa cosa ti ho chiesto", "2026-03-18 13:30", "2026-03-18 15:30"),
            # German
            ("Was habe ich zwischen dem 3. und dem 9. März gemacht?", "2026-03-03", "2026-03-10"),
            ("Was war am Montag, dem 3. März 2025?", "2025-03-03", "2025-03-04"),
            ("am 28.10. war was?", "2025-10-28", "2025-10-29"),
            ("Was habe ich seit April 2025 gelernt?", "2025-04-01", ""),
            ("vorletztes Jahr war ich wo?", "2024-01-01", "2025-01-01"),
            ("Was habe ich am zweiten März gesagt?", "2026-03-02", "2026-03-03"),
            # Dutch
            ("Wat heb ik maandag gedaan?", "2026-03-16", "2026-03-17"),
            ("van 3 tot 5 maart", "2026-03-03", "2026-03-06"),
            ("waar woonde ik voor 2020", "", "2020-01-01"),
            # Russian
            ("что я делал в понедельник?", "2026-03-16", "2026-03-17"),
            ("с 3 по 5 марта", "2026-03-03", "2026-03-06"),
            ("в мае прошлого года", "2025-05-01", "2025-06-01"),
            ("несколько дней назад", "2026-03-12", "2026-03-17"),
            # Japanese
            ("去年の夏に行った所", "2025-06-01", "2025-09-01"),
            ("2月から4月まで何を読みましたか", "2025-02-01", "2025-05-01"),
            ("二月三日に会った人", "2026-02-03", "2026-02-04"),
            ("今朝何を食べた", "2026-03-18", "2026-03-18 12:00"),
            # Chinese
            ("最近三个月我去了哪里", "2025-12-18", "2026-03-19"),
            ("上个星期一我说了什么", "2026-03-09", "2026-03-10"),
            ("這個月我說過什麼", "2026-03-01", "2026-04-01"),
            ("三月以前", "", "2026-03-01"),
            # Arabic
            ("ماذا فعلت قبل يومين؟", "2026-03-16", "2026-03-17"),
            ("من 3 إلى 5 مارس", "2026-03-03", "2026-03-06"),
            ("في آذار ٢٠٢٥", "2025-03-01", "2025-04-01"),
            # Persian
            ("۵ روز گذشته", "2026-03-13", "2026-03-19"),
            ("از ۳ تا ۵ ژانویه", "2026-01-03", "2026-01-06"),
            ("هفته‌ی گذشته چه گفتم", "2026-03-09", "2026-03-16"),
        ],
    )
    def test_of_every_language(self, query: str, since: str, until: str) -> None:
        assert read(query) == (since, until)

    @pytest.mark.parametrize(
        "query", ["que comi hace tres dias", "O que fiz ha tres dias", "Wo war ich vor drei Tagen"]
    )
    def test_accents_may_be_missing(self, query: str) -> None:
        assert read(query) == ("2026-03-15", "2026-03-16")

    def test_letters_of_another_keyboard_are_the_same(self) -> None:
        assert read("ماذا قلت امس") == read("ماذا قلت أمس") == ("2026-03-17", "2026-03-18")
        assert read("سه شنبه گذشته") == read("سه‌شنبه گذشته") == ("2026-03-17", "2026-03-18")


class TestNone:
    @pytest.mark.parametrize(
        "query",
        [
            "¿Qué hago el lunes?",
            "¿Qué reunión tengo mañana por la mañana?",
            "Corro todos los lunes",
            "Quiero marchar al mar con mi hermana mayor",
            "en 2020 pasos",
            "Que vais-je faire cette semaine ?",
            "le lundi je cours",
            "La planète Mars est-elle visible ?",
            "Quero a segunda opção e a terça parte",
            "O que vou fazer hoje?",
            "il lunedì corro",
            "Cosa mangio oggi?",
            "Guten Morgen",
            "Was mache ich am Montag?",
            "Die letzte Frage hatte 3 Teile",
            "Das war in der letzten Woche des Sommers",
            "Wat doe ik maandag?",
            "Klik hier om alles te zien",
            "каждый понедельник я бегаю",
            "что делать в понедельник?",
            "Сколько стоит билет на 3 дня?",
            "月曜日は開いていますか",
            "毎週月曜日に走りました",
            "2日間の旅行",
            "三周一次",
            "周一开门吗",
            "这本书有2023页",
            "ماذا أفعل يوم الاثنين؟",
            "أركض كل يوم اثنين",
            "آذر دوست من است",
            "۵ دقیقه",
            "دوشنبه چی کار کنم؟",
        ],
    )
    def test_habits_plans_and_words_that_mean_something_else(self, query: str) -> None:
        assert read(query) is None

    @pytest.mark.parametrize(
        "query",
        [
            "Did I see Mayo or Marta in June?",
            "I like fine dining",
            "Did he hier someone?",
            "What is the die size?",
        ],
    )
    def test_english_stays_english(self, query: str) -> None:
        assert spoken(fold(query)) is None or read(query) is None


class TestTimeOfTelling:
    @pytest.mark.parametrize(
        "query",
        [
            "¿Qué te dije ayer?",
            "Ayer, ¿qué te conté?",
            "todo lo que dije la semana pasada",
            "Qu'est-ce que je t'ai dit hier ?",
            "O que eu te disse ontem?",
            "Che cosa ti ho detto ieri?",
            "Was habe ich dir gestern über die Party gesagt?",
            "was ich dir letzte Woche erzählt habe",
            "Wat heb ik je gisteren verteld?",
            "Что я тебе вчера говорил?",
            "昨日あなたに何を話しましたか？",
            "我昨天跟你说了什么？",
            "ماذا قلت لك أمس؟",
            "دیروز بهت چی گفتم؟",
        ],
    )
    def test_it_stands_beside_the_telling(self, query: str) -> None:
        assert asks_when_told(query)

    @pytest.mark.parametrize(
        "query",
        [
            "¿Qué te dije sobre la fiesta la semana pasada?",
            "¿Qué dijo mi madre ayer?",
            "Qu'est-ce que ma mère a dit hier ?",
            "O que a minha mãe disse ontem?",
            "Che cosa ha detto mia madre ieri?",
            "Was habe ich dir über die Party letzte Woche gesagt?",
            "Was habe ich gestern gekauft?",
            "Моя мама вчера сказала",
            "母が昨日言ったこと",
            "昨天妈妈告诉你什么了",
            "أمي قالت أمس",
            "مادرم دیروز گفت",
        ],
    )
    def test_any_other_time_may_be_the_one_a_fact_speaks_of(self, query: str) -> None:
        assert not asks_when_told(query)


class TestSolarHijri:
    # The first day of spring as Iran's calendar had it.
    @pytest.mark.parametrize(
        "year, first",
        [
            (1357, date(1978, 3, 21)),
            (1375, date(1996, 3, 20)),
            (1399, date(2020, 3, 20)),
            (1400, date(2021, 3, 21)),
            (1403, date(2024, 3, 20)),
            (1404, date(2025, 3, 21)),
            (1405, date(2026, 3, 21)),
        ],
    )
    def test_years_begin_with_spring(self, year: int, first: date) -> None:
        assert solar_hijri.first_day(year) == first
        assert solar_hijri.month_of(first) == (year, 1)

    def test_a_day_belongs_to_the_month_that_holds_it(self) -> None:
        for year in (1403, 1404):
            for month in range(1, 13):
                span = solar_hijri.month(year, month)
                last = date.fromordinal(span.until.date().toordinal() - 1)
                assert solar_hijri.month_of(span.since.date()) == (year, month)
                assert solar_hijri.month_of(last) == (year, month)

    def test_a_month_has_no_more_days_than_it_has(self) -> None:
        assert solar_hijri.date_of(1403, 12, 30) == date(2025, 3, 20)  # a leap year
        with pytest.raises(ValueError, match="no such day"):
            solar_hijri.date_of(1404, 12, 30)

    @pytest.mark.parametrize(
        "query, since, until",
        [
            ("ماه پیش چه خریدم", "2026-01-21", "2026-02-20"),  # Bahman 1404
            ("سال گذشته", "2024-03-20", "2025-03-21"),
            ("هفته گذشته", "2026-03-07", "2026-03-14"),  # from Saturday
            ("دو هفته پیش", "2026-02-28", "2026-03-07"),
            ("۳ فروردین", "2025-03-23", "2025-03-24"),
            ("در مهر ۱۴۰۳", "2024-09-22", "2024-10-22"),
            ("۱۴۰۳/۰۱/۱۵ کجا بودم", "2024-04-03", "2024-04-04"),
            ("بین دی و بهمن", "2025-12-22", "2026-02-20"),
            ("تابستان ۱۴۰۳ کجا بودم", "2024-06-21", "2024-09-22"),
        ],
    )
    def test_it_counts_in_iran(self, query: str, since: str, until: str) -> None:
        assert read(query, "Asia/Tehran") == (since, until)

    def test_its_months_are_known_elsewhere_too(self) -> None:
        assert read("در مهر ۱۴۰۳ کجا بودم") == ("2024-09-22", "2024-10-22")
        assert read("ماه پیش") == ("2026-02-01", "2026-03-01")


class TestAnyText:
    @pytest.mark.parametrize(
        "part",
        [
            "ayer ",
            "que ",
            "habe ich dir ",
            "entre 3 y ",
            "hace ",
            "между ",
            "昨日",
            "上个",
            "قبل ",
            "از ",
            "l' ",
            "wat ik ",
        ],
    )
    def test_the_longest_query_is_read_to_its_end(self, part: str) -> None:
        padding = (part * (16_000 // len(part)))[:15_900]
        assert window(f"{padding} . 2024-03-09", WEDNESDAY, "UTC") is not None
        asks_when_told(padding)
