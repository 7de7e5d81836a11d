"""The time that a query names: which window it is, when there is none, and when it is the time of telling."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from noted.facts.fact import Fact
from noted.recall import calendar
from noted.recall.search import Query, candidates
from noted.recall.times import Window, asks_when_told, window

WEDNESDAY = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)


def read(query: str, now: datetime = WEDNESDAY, zone: str = "UTC") -> tuple[str | None, str | None] | None:
    """A window as local ends: a date for a midnight, else a date and a time; None for no window."""
    found = window(query, now, zone)
    if found is None:
        return None
    return shown(found.since, zone), shown(found.until, zone)


def shown(end: datetime | None, zone: str) -> str | None:
    """An end as it is read there, without its clock at midnight."""
    if end is None:
        return None
    local = end.astimezone(ZoneInfo(zone))
    return f"{local:%Y-%m-%d}" + (f" {local:%H:%M}" if local.hour or local.minute else "")


class TestWindows:
    """Counted by hand from Wednesday, 18 March 2026, 15:30 UTC."""

    @pytest.mark.parametrize(
        "query, since, until",
        [
            ("What did I tell you today?", "2026-03-18", "2026-03-19"),
            ("What did I eat earlier today", "2026-03-18", "2026-03-19"),
            ("What did I say this morning?", "2026-03-18", "2026-03-18 12:00"),
            ("What did I say yesterday?", "2026-03-17", "2026-03-18"),
            ("WHAT WAS YESTERDAY'S PLAN", "2026-03-17", "2026-03-18"),
            ("what happened yesterday evening", "2026-03-17 17:00", "2026-03-18"),
            ("What was I worried about last night?", "2026-03-17 17:00", "2026-03-18 06:00"),
            ("the day before yesterday I bought something", "2026-03-16", "2026-03-17"),
            ("what did we talk about two days ago", "2026-03-16", "2026-03-17"),
            ("what did I tell you a couple of days ago", "2026-03-16", "2026-03-17"),
            ("what did I tell you a few days ago", "2026-03-12", "2026-03-17"),
            ("what did I do 2 weeks ago", "2026-03-02", "2026-03-09"),
            ("what did I do a month ago", "2026-02-01", "2026-03-01"),
            ("where did I work three years ago", "2023-01-01", "2024-01-01"),
            ("what did I ask you an hour ago", "2026-03-18 13:30", "2026-03-18 15:30"),
            ("what did I say in the last 2 hours", "2026-03-18 13:30", "2026-03-18 15:30"),
            ("conversations from the past 3 days", "2026-03-15", "2026-03-19"),
            ("what happened over the last couple of weeks", "2026-03-04", "2026-03-19"),
            ("what happened in the past week", "2026-03-11", "2026-03-19"),
            ("Which restaurant did I mention last week?", "2026-03-09", "2026-03-16"),
            ("what has changed this week", "2026-03-16", "2026-03-23"),
            ("what did I do the week before last", "2026-03-02", "2026-03-09"),
            ("what did I do last weekend", "2026-03-14", "2026-03-16"),
            ("what did I do over the weekend", "2026-03-14", "2026-03-16"),
            ("anything I told you last month about my car", "2026-02-01", "2026-03-01"),
            ("what did I earn last quarter", "2025-10-01", "2026-01-01"),
            ("what changed this year", "2026-01-01", "2027-01-01"),
            ("what did I learn the previous year", "2025-01-01", "2026-01-01"),
        ],
    )
    def test_relative_to_now(self, query: str, since: str, until: str) -> None:
        assert read(query) == (since, until)

    @pytest.mark.parametrize(
        "query, since, until",
        [
            ("what happened on Monday", "2026-03-16", "2026-03-17"),
            ("What did I buy last Friday?", "2026-03-13", "2026-03-14"),
            ("what did I say on Wednesday", "2026-03-11", "2026-03-12"),  # today is one: the one before
            ("what did I say Sunday about cars", "2026-03-15", "2026-03-16"),
            ("what did I say on Tues", "2026-03-17", "2026-03-18"),
            ("what did I say Monday morning", "2026-03-16", "2026-03-16 12:00"),
            ("what did I say on Monday last week", "2026-03-09", "2026-03-10"),
            ("what did I do in March", "2026-03-01", "2026-04-01"),
            ("what did I do last March", "2025-03-01", "2025-04-01"),
            ("Where did I travel in December?", "2025-12-01", "2026-01-01"),
            ("what happened in May last year", "2025-05-01", "2025-06-01"),
            ("my notes from Dec. 2024", "2024-12-01", "2025-01-01"),
            ("what did I say in mid-March 2025", "2025-03-01", "2025-04-01"),
            ("what happened on March 3", "2026-03-03", "2026-03-04"),
            ("what happened on the 3rd of May", "2025-05-03", "2025-05-04"),
            ("what did I do on Saturday, 3 May 2025", "2025-05-03", "2025-05-04"),
            ("April 3rd, 2025 was what?", "2025-04-03", "2025-04-04"),
            ("notes from 2025-12-24", "2025-12-24", "2025-12-25"),
            ("what was said on 24.12.2025", "2025-12-24", "2025-12-25"),
            ("what was said on 12/25/2024", "2024-12-25", "2024-12-26"),
            ("what was I reading in the summer of 2024", "2024-06-01", "2024-09-01"),
            ("what did I do last summer", "2025-06-01", "2025-09-01"),
            ("what did I do last winter", "2025-12-01", "2026-03-01"),
            ("where did I go in the spring", "2026-03-01", "2026-06-01"),
            ("how many books did I read in 2025", "2025-01-01", "2026-01-01"),
            ("my sales in Q4 2025", "2025-10-01", "2026-01-01"),
        ],
    )
    def test_by_name(self, query: str, since: str, until: str) -> None:
        assert read(query) == (since, until)

    @pytest.mark.parametrize(
        "query, since, until",
        [
            ("Since Monday, what have I told you?", "2026-03-16", None),
            ("meetings since March 10", "2026-03-10", None),
            ("what did I do after February", "2026-03-01", None),
            ("what did I do after the beginning of February", "2026-02-01", None),
            ("events before February", None, "2026-02-01"),
            ("events before the end of February", None, "2026-03-01"),
            ("what did I say until yesterday", None, "2026-03-18"),
            ("where did I live before 2020", None, "2020-01-01"),
            ("What did I say between 1 February and 10 February?", "2026-02-01", "2026-02-11"),
            ("what did I say between Jan 2025 and yesterday", "2025-01-01", "2026-03-18"),
            ("what did I say from Friday to Monday", "2026-03-13", "2026-03-17"),
            ("from November to March what did I do", "2025-11-01", "2026-04-01"),
            ("what did I do from 3 to 5 March", "2026-03-03", "2026-03-06"),
            ("what did I do March 3-5, 2025", "2025-03-03", "2025-03-06"),
            ("where was I between 2021 and 2023", "2021-01-01", "2024-01-01"),
            ("what did I do after March 1 and before March 10", "2026-03-02", "2026-03-10"),
            ("what did I say between March and now", "2026-03-01", None),
            ("did I call on Tuesday or on Monday", "2026-03-16", "2026-03-18"),
            ("notes from the week of March 5", "2026-03-02", "2026-03-09"),
        ],
    )
    def test_with_open_ends_and_two_of_them(self, query: str, since: str | None, until: str | None) -> None:
        assert read(query) == (since, until)

    @pytest.mark.parametrize(
        "query",
        ["¿Qué te dije ayer?", "O que eu disse ontem?", "Che cosa ho detto ieri?", "Was war gestern?",
         "Qu'est-ce que je t'ai dit hier ?"],
    )  # fmt: skip
    def test_yesterday_in_other_languages(self, query: str) -> None:
        assert read(query) == ("2026-03-17", "2026-03-18")

    @pytest.mark.parametrize(
        "query",
        [
            "la semana pasada",
            "a semana passada",
            "la semaine dernière",
            "letzte Woche",
            "la settimana scorsa",
        ],
    )
    def test_last_week_in_other_languages(self, query: str) -> None:
        assert read(query) == ("2026-03-09", "2026-03-16")

    def test_the_time_of_telling_counts_before_another_time(self) -> None:
        query = "About my March 3 exam, what did I tell you yesterday?"
        assert read(query) == ("2026-03-17", "2026-03-18")
        assert read("What did I do last summer and what last week?") == ("2025-06-01", "2025-09-01")


class TestNone:
    @pytest.mark.parametrize(
        "query",
        [
            "What is the price of gold?",
            "Who may I ask about my second sister?",
            "This may take longer than a march.",
            "does she like to march in parades",
            "May 3 people come?",
            "Did I march 10 miles?",
            "I sat down by the sun",
            "Did we win the fall?",
            "How did they wed?",
            "Which of my friends is called April or June?",
            "Did I pay 2024 euros in 2000 parts?",
            "was it in 2000 steps",
            "Did I install version 3.12 or 2024.1.2?",
            "Did I call +86 2010-2015-86 or 020-2024-01-02-3?",
            "Did I work from 9 to 5?",
            "Was she 24 years old or 3 weeks?",
            "Did I like Ruby Tuesday and Black Friday?",
            "Did I train every Monday?",
            "Did I go there on Mondays?",
            "what did I mention recently",
            "what was on 3/4/2025",
            "what was on 30 February 2025",
            "Was ist hier?",
            "",
        ],
    )
    def test_words_and_figures_that_mean_something_else(self, query: str) -> None:
        assert read(query) is None

    @pytest.mark.parametrize(
        "query",
        [
            "What did I plan for tomorrow?",
            "what did I want to do next week",
            "did I book anything for next Monday",
            "what did I plan for the coming summer",
            "what did I say about 2027-01-01",
            "what did I plan for 5 May 2031",
            "did I mention anything for this Friday",
        ],
    )
    def test_what_lies_ahead(self, query: str) -> None:
        assert read(query) is None

    @pytest.mark.parametrize(
        "query",
        [
            "What should I cook today?",
            "How are you today?",
            "What am I doing this weekend?",
            "Do I have piano on Monday?",
            "Where will I be in May?",
            "When's my dentist on March 10?",
        ],
    )
    def test_questions_about_the_present_and_the_future(self, query: str) -> None:
        assert read(query) is None

    def test_a_present_question_may_still_name_what_is_over(self) -> None:
        assert read("Do you know what is in my notes from last week?") == ("2026-03-09", "2026-03-16")


class TestCalendar:
    def test_a_day_is_the_users_local_day(self) -> None:
        # In Auckland it is already 10 March, 12:30, and clocks are 13 hours ahead.
        now = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)
        expected = Window(datetime(2026, 3, 8, 11, tzinfo=UTC), datetime(2026, 3, 9, 11, tzinfo=UTC))
        assert window("What did I tell you yesterday?", now, "Pacific/Auckland") == expected

    def test_a_day_on_which_clocks_go_forward_has_23_hours_and_back_25(self) -> None:
        # Berlin: 29 March 2026 from +01:00 to +02:00, 25 October 2026 back.
        spring = window("yesterday", datetime(2026, 3, 30, 12, tzinfo=UTC), "Europe/Berlin")
        autumn = window("yesterday", datetime(2026, 10, 26, 12, tzinfo=UTC), "Europe/Berlin")
        assert spring == Window(datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC))
        assert autumn == Window(
            datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC)
        )

    def test_a_day_whose_midnight_is_skipped_begins_at_the_skip(self) -> None:
        # Havana: at midnight of 8 March 2026 clocks went from 00:00 -05:00 to 01:00 -04:00.
        found = window("yesterday", datetime(2026, 3, 9, 16, tzinfo=UTC), "America/Havana")
        assert found == Window(datetime(2026, 3, 8, 5, tzinfo=UTC), datetime(2026, 3, 9, 4, tzinfo=UTC))

    def test_a_day_that_a_place_skipped_is_none(self) -> None:
        # Samoa went from 29 to 31 December 2011.
        assert window("on 2011-12-30", WEDNESDAY, "Pacific/Apia") is None

    def test_hours_are_counted_over_a_change_of_clocks(self) -> None:
        now = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # 02:30 in Berlin for the second time
        found = window("what did I say in the last 2 hours", now, "Europe/Berlin")
        assert found == Window(now - timedelta(hours=2), now)

    @pytest.mark.parametrize(
        "query, now, since, until",
        [
            ("yesterday", "2026-03-01", "2026-02-28", "2026-03-01"),
            ("yesterday", "2024-03-01", "2024-02-29", "2024-03-01"),
            ("last month", "2026-01-31", "2025-12-01", "2026-01-01"),
            ("a month ago", "2026-03-31", "2026-02-01", "2026-03-01"),
            ("in the last month", "2026-03-31", "2026-02-28", "2026-04-01"),
            ("last week", "2026-01-01", "2025-12-22", "2025-12-29"),
            ("last weekend", "2026-03-15", "2026-03-07", "2026-03-09"),
            ("what was on 29 February", "2026-03-15", "2024-02-29", "2024-03-01"),
            ("what was on December 31", "2026-01-01", "2025-12-31", "2026-01-01"),
            ("last quarter", "2026-01-10", "2025-10-01", "2026-01-01"),
            ("last winter", "2026-02-10", "2024-12-01", "2025-03-01"),
            ("last sunday", "2026-03-16", "2026-03-15", "2026-03-16"),
        ],
    )
    def test_ends_of_months_and_years(self, query: str, now: str, since: str, until: str) -> None:
        assert read(query, datetime.fromisoformat(f"{now}T10:00:00+00:00")) == (since, until)

    @pytest.mark.parametrize("zone", ["Pacific/Auckland", "Australia/Perth", "Africa/Johannesburg"])
    def test_summer_is_in_january_in_the_south(self, zone: str) -> None:
        assert read("last summer", zone=zone) == ("2025-12-01", "2026-03-01")

    @given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.integers(0, 5000))
    def test_going_back_by_months_stays_within_the_month_it_leads_to(self, of: date, count: int) -> None:
        months = of.year * 12 + of.month - 1 - count
        there = calendar.earlier(of, count, "month")
        assert there.year * 12 + there.month - 1 == months
        assert there.day == of.day or (there.day < of.day and (there + timedelta(days=1)).day == 1)


class TestAnyText:
    WORDS = (
        "what did i tell you yesterday last next this past week month march may 3 31 2024 2024-02-30 99 ago"
        " days since before and between to until now the of in on friday night a few summer q1 , . -"
        " 12.13.2024 years 999"
    ).split()

    @given(
        st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=60),
        st.integers(0, 2**33).map(lambda seconds: datetime.fromtimestamp(seconds - 2**31, UTC)),
        st.sampled_from(["UTC", "Pacific/Auckland", "America/Havana", "Pacific/Apia"]),
    )
    @example("what did i say 999 years ago", datetime(901, 1, 1, tzinfo=UTC), "UTC")
    @example("what did i say last week", datetime.min.replace(tzinfo=UTC), "UTC")
    def test_a_window_has_an_end_and_is_not_empty(self, query: str, now: datetime, zone: str) -> None:
        found = window(query, now, zone)
        if found is None:
            return
        assert found.since or found.until
        assert not (found.since and found.until) or found.since < found.until
        assert found.since is None or found.since <= now

    @pytest.mark.parametrize(
        "part",
        [
            "yesterday ",
            "may ",
            "between 3 and ",
            "the last few ",
            "march 3 to ",
            "a ",
            "1,",
            "in ",
            "-",
            "i told you ",
        ],
    )
    def test_the_longest_query_is_read_to_its_end(self, part: str) -> None:
        padding = (part * (16_000 // len(part)))[: 16_000 - 30]
        padding += "x " * ((16_000 - 30 - len(padding)) // 2)
        assert window(f"{padding} . in March 2024", WEDNESDAY, "UTC") is not None
        asks_when_told(padding)


class TestTimeOfTelling:
    @pytest.mark.parametrize(
        "query",
        [
            "What did I tell you yesterday?",
            "What did I say on Monday about cars?",
            "Which restaurant did I mention last week?",
            "anything I told you in March",
            "What did I tell you about me last month?",
            "What have I told you since Monday?",
            "Since Monday, what have I told you?",
            "Yesterday, what did I tell you?",
            "So last night I told you something, what was it?",
            "what did we discuss over the last couple of weeks",
            "what did we talk about two days ago",
        ],
    )
    def test_it_stands_beside_the_telling(self, query: str) -> None:
        assert asks_when_told(query)

    @pytest.mark.parametrize(
        "query",
        [
            "What did I tell you about the party last week?",
            "What did I tell you about my flight on March 3?",
            "Where was I in May?",
            "What did my boss say yesterday?",
            "What did I do yesterday?",
            "What did I tell you?",
            "Did I say that on Monday I have piano?",
        ],
    )
    def test_any_other_time_may_be_the_one_a_fact_speaks_of(self, query: str) -> None:
        assert not asks_when_told(query)


class TestCandidates:
    def told(self, *days: int) -> list[Fact]:
        facts = []
        for day in days:
            said = datetime(2026, 3, day, 12, tzinfo=UTC)
            facts.append(Fact(str(day), "fact", "other", f"Owns book {day}", "said", day, said, said))
        return facts

    def found(self, text: str) -> list[str]:
        query = Query(text)
        about = query.time(WEDNESDAY)
        return [fact.fact_id for fact in candidates(self.told(15, 16, 17, 18), query, about, WEDNESDAY)]

    def test_the_time_of_telling_bounds_what_is_found(self) -> None:
        assert self.found("What did I tell you yesterday?") == ["17"]
        assert self.found("What have I told you since Monday?") == ["16", "17", "18"]

    def test_another_time_leaves_all_to_the_ranking(self) -> None:
        assert self.found("What did I buy yesterday?") == ["15", "16", "17", "18"]
