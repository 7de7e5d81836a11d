"""The rules on what a user sets: limits that only ever end more, consents, language tags."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.preferences import Consent, Preferences, is_language_tag
from noted.retention import Limit, Retention

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAYS = st.none() | st.integers(1, 3650)


def changed(before: Preferences, now: datetime, days: int | None = None, **consents: bool) -> Preferences:
    return before.changed(now, retention_days=days, timezone=None, language=None, consents=consents)


@given(st.lists(st.tuples(DAYS, st.integers(0, 10_000_000)), max_size=8))
def test_what_a_limit_has_ended_stays_so_whatever_follows(steps: list[tuple[int | None, int]]) -> None:
    preferences, now = Preferences(), NOON
    floor = None
    for days, seconds in steps:
        for moment in (now, now + timedelta(seconds=seconds)):
            reached = preferences.limit.floor(moment)
            assert floor is None or (reached is not None and reached >= floor)
            floor = reached
        now += timedelta(seconds=seconds)
        preferences = changed(preferences, now, days)
        assert Preferences.of(preferences.row(1), 1).limit.floor(now) == preferences.limit.floor(now)


def test_a_limit_ends_what_is_older_and_nothing_else() -> None:
    month = Limit(30)
    assert month.end(NOON) == NOON + timedelta(days=30)
    assert month.floor(NOON) == NOON - timedelta(days=30)
    assert Limit().end(NOON) is None
    # It was a month until noon, and is a year since.
    year = Limit(365, ended=NOON - timedelta(days=30))
    assert year.end(NOON - timedelta(days=30)) == NOON - timedelta(days=30)
    assert year.end(NOON - timedelta(days=29)) == NOON + timedelta(days=336)


def test_a_limit_shortens_every_time_and_lengthens_none() -> None:
    service = Retention()
    capped = service.within(45)
    assert capped.turn(NOON) == capped.verdict(NOON) == capped.episode(NOON) == NOON + timedelta(days=45)
    assert capped.fact("identity", NOON) == NOON + timedelta(days=45)
    assert capped.fact("identity", NOON, held=True) == NOON + timedelta(days=30)
    assert capped.idempotency(NOON) == NOON + timedelta(hours=24)
    assert service.within(None) == service
    assert service.within(3650) == service


def test_a_consent_keeps_its_time_until_it_changes() -> None:
    later = NOON + timedelta(days=1)
    first = changed(Preferences(), NOON, health=True)
    again = changed(first, later, health=True)
    assert again.consents["health"].at == NOON
    withdrawn = changed(again, later, health=False)
    assert withdrawn.consents["health"] == Consent(
        given=False, at=later, version=first.consents["health"].version
    )
    assert [str(each) for each in first.special_categories] == ["health"]
    assert withdrawn.special_categories == frozenset()
    # Memory is consented to until that is withdrawn, everything else only once it is given.
    assert Preferences().consents_to("memory")
    assert not Preferences().consents_to("health")
    assert not changed(first, later, memory=False).consents_to("memory")


def test_settings_end_with_their_generation() -> None:
    preferences = changed(Preferences(), NOON, 30, health=True)
    assert Preferences.of(preferences.row(3), 3) == preferences
    assert Preferences.of(preferences.row(3), 4) == Preferences(revision=1)
    assert Preferences.of(None, 1) == Preferences()


@pytest.mark.parametrize(
    "tag", ["en", "pt-BR", "zh-Hant-TW", "es-419", "de-CH-1996", "sl-rozaj", "en-a-bbb-x-a", "fas"]
)
def test_language_tags(tag: str) -> None:
    assert is_language_tag(tag)


@pytest.mark.parametrize(
    "text", ["", "e", "english please", "pt_BR", "en-", "-en", "en--US", "en\n", "é", "en-" + "a1b2c" * 9]
)
def test_what_is_no_language_tag(text: str) -> None:
    assert not is_language_tag(text)
