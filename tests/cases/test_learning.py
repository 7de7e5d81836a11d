"""What of one extraction is kept: the collected cases of repeats and of other scripts, over HTTP. The rules
themselves are met in `test_rules`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api.helpers import Json, begin, facts, ok, saved, say, texts, wrong_fields
from tests.cases.helpers import Cases, parts

if TYPE_CHECKING:
    import httpx

    from tests.api.conftest import ServiceUnderTest


def extracted(service: ServiceUnderTest, client: httpx.Client, items: list[Json]) -> Json:
    """What is kept from a message of which a model makes these facts. Each line says one of the user."""
    message = "\n".join(f"I am one who {item['text']}" for item in items)
    proposed = [{"quote": item["text"], **item} for item in items]
    service.standin.reply("extraction", service.standin.facts(*proposed))
    kept = saved(client, say(client, begin(client), message))
    assert kept["status"] == "done"
    # What was kept is what is there.
    there = {fact["fact_id"] for fact in facts(client)}
    assert there == {fact["fact_id"] for fact in kept["facts"]}
    return kept


def told(fact: Json) -> Json:
    """A fact as the cases write it."""
    return {"kind": fact["kind"], "text": fact["text"]}


def test_dedup_01(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "dedup-01")
    kept = extracted(service, service.client("u-1"), given["extractor_returns"])
    assert then["order"] == "as extracted"
    assert [told(fact) for fact in kept["facts"]] == then["kept"]
    assert kept["dropped"] == {"repeat": len(given["extractor_returns"]) - len(then["kept"])}


def test_dedup_02(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "dedup-02")
    for number, (run, must) in enumerate(zip(given["runs"], then["must_be_kept"], strict=True)):
        kept = extracted(service, service.client(f"u-{number}"), run)
        assert set(must) <= set(texts(kept["facts"]))


def test_dedup_03(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "dedup-03")
    for number, (run, expected) in enumerate(zip(given["runs"], then["kept"], strict=True)):
        kept = extracted(service, service.client(f"u-{number}"), run)
        assert texts(kept["facts"]) == expected


def test_i18n_01(cases: Cases, service: ServiceUnderTest) -> None:
    """The same by the user's own hand: the guards are the same ones."""
    given, then = parts(cases, "i18n-01")
    kept = extracted(service, service.client("u-1"), given["extractor_returns"])
    assert texts(kept["facts"]) == then["kept"]
    assert kept["dropped"] == {"question": then["dropped_count"]}

    own = service.client("u-2")
    returned = ok(own.post("/v1/facts:batch", json={"facts": given["extractor_returns"]}))["items"]
    assert [item["text"] for item in returned if "error" not in item] == then["kept"]
    assert sum("error" in item for item in returned) == then["dropped_count"]
    for item in given["extractor_returns"]:
        if item["text"] not in then["kept"]:
            assert wrong_fields(own.post("/v1/facts", json=item)) == {"text"}
    assert sorted(texts(facts(own))) == sorted(then["kept"])
