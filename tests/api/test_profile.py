"""The structured profile: filled from what a user says, set and cleared by their own hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from noted.facts.profile_schema import FIELDS
from tests.api.helpers import (
    TIME,
    Json,
    begin,
    correct,
    erase,
    facts,
    fits,
    judge,
    look_up,
    ok,
    problem,
    saved,
    say,
    tell,
    texts,
    wrong_fields,
)
from tests.standin.replies import extraction_item

if TYPE_CHECKING:
    import httpx

    from tests.api.conftest import ServiceUnderTest, StartService

FIELD: Json = {
    "value": str,
    "recorded_at": TIME,
    "provenance": ("said", "confirmed"),
    "stale": bool,
    "fact_id": str,
}
NOTHING: Json = dict.fromkeys(FIELDS)


def profile(client: httpx.Client) -> Json:
    """The profile, after a look at its shape."""
    found = ok(client.get("/v1/profile"))
    assert fits(found, dict.fromkeys(FIELDS, (None, FIELD)))
    return found


def values(client: httpx.Client) -> dict[str, str]:
    """What the profile knows, by field."""
    return {name: each["value"] for name, each in profile(client).items() if each}


def fill(client: httpx.Client, **fields: str | None) -> Json:
    """Sets or clears fields and gives the profile, which must be what is read afterwards."""
    filled = ok(client.patch("/v1/profile", json=fields))
    assert profile(client) == filled
    return filled


def pause(service: ServiceUnderTest) -> None:
    """Pauses the memory of the one user there is."""
    table = f"{service.runtime.settings.table_prefix}-control"
    [meta] = [
        item
        for item in service.runtime.dynamodb.scan(TableName=table)["Items"]
        if item["sk"] == {"S": "META"}
    ]
    service.runtime.dynamodb.update_item(
        TableName=table,
        Key={"pk": meta["pk"], "sk": meta["sk"]},
        UpdateExpression="SET #state = :paused",
        ExpressionAttributeNames={"#state": "state"},
        ExpressionAttributeValues={":paused": {"S": "paused"}},
    )


def learn(
    service: ServiceUnderTest,
    client: httpx.Client,
    text: str,
    name: str | None,
    conversation_id: str | None = None,
) -> Json:
    """Says a text, of which the model makes a fact for a field; gives the fact."""
    found = extraction_item(text, quote=text, profile_field=name)
    service.standin.reply("extraction", {"facts": [found]})
    message = f"I say: {text}"
    [fact] = saved(client, say(client, conversation_id or begin(client), message))["facts"]
    assert fact["text"] == text
    return dict(fact)


def test_every_field_is_told_and_null_where_nothing_is_known(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    assert profile(alice) == NOTHING
    tell(alice, "Has a cat")
    assert profile(alice) == NOTHING


def test_what_a_user_says_fills_a_field(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    fact = learn(service, alice, "Lives in Porto", "home_town")
    assert fact["category"] == "identity"  # the field's, whatever the model said
    assert profile(alice) == NOTHING | {
        "home_town": {
            "value": "Porto",
            "recorded_at": fact["last_confirmed_at"],
            "provenance": "said",
            "stale": False,
            "fact_id": fact["fact_id"],
        }
    }
    assert profile(bob) == NOTHING


def test_the_model_is_told_the_fields_in_a_prefix_that_stays_the_same(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "Lives in Porto", "home_town")
    learn(service, alice, "Works as a nurse", "occupation")
    first, second = (call.messages[0]["content"] for call in service.standin.calls["extraction"])
    told = [first.index(f"- {field.name}: {field.meaning}") for field in FIELDS.values()]
    assert told == sorted(told)
    assert second[: told[-1]] == first[: told[-1]]


@pytest.mark.parametrize("name", ["shoe_size", "", "home town", None])
def test_a_field_that_nobody_knows_is_ignored_and_the_fact_is_kept(
    service: ServiceUnderTest, name: str | None
) -> None:
    alice = service.client("alice")
    learn(service, alice, "Lives in Porto", name)
    assert texts(facts(alice)) == ["Lives in Porto"]
    assert profile(alice) == NOTHING


def test_the_newest_statement_holds_and_the_older_one_is_history(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    porto = learn(service, alice, "Lives in Porto", "home_town")
    braga = learn(service, alice, "Has moved to Braga", "home_town")
    assert values(alice) == {"home_town": "Braga"}
    assert texts(facts(alice)) == ["Has moved to Braga"]
    old = look_up(alice, porto)
    assert (old["status"], old["superseded_by"]) == ("superseded", braga["fact_id"])


def test_verdicts_corrections_and_erasures_act_on_the_profile_at_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = learn(service, alice, "Lives in Porto", "home_town")
    judge(alice, fact, "confirmed")
    assert profile(alice)["home_town"]["provenance"] == "confirmed"
    corrected = correct(alice, fact, "Lives in Faro")
    assert values(alice) == {"home_town": "Faro"}
    assert profile(alice)["home_town"]["fact_id"] == corrected["fact_id"]
    judge(alice, corrected, "rejected")
    assert profile(alice) == NOTHING
    judge(alice, corrected, "confirmed")
    assert values(alice) == {"home_town": "Faro"}
    erase(alice, f"/v1/facts/{corrected['fact_id']}")
    assert profile(alice) == NOTHING


def test_what_was_said_twice_outlives_the_erasure_of_its_first_conversation(
    service: ServiceUnderTest,
) -> None:
    alice = service.client("alice")
    first = begin(alice)
    # The field is named only the second time, and the first conversation is the one that goes.
    learn(service, alice, "Lives in Porto", None, conversation_id=first)
    learn(service, alice, "Lives in Porto", "home_town")
    assert values(alice) == {"home_town": "Porto"}
    erase(alice, f"/v1/conversations/{first}")
    assert values(alice) == {"home_town": "Porto"}


def test_a_value_is_stale_past_its_age_until_it_is_confirmed(start_service: StartService) -> None:
    service = start_service(NOTED_NOW="2026-03-10T12:00:00Z")
    alice = service.client("alice")
    fill(alice, home_town="Porto", name="Alice")
    [town] = facts(alice, q="Porto")
    later = start_service(NOTED_NOW="2027-03-10T12:10:00Z")  # 365 days and 10 minutes later
    alice = later.client("alice")
    aged = profile(alice)
    assert (aged["home_town"]["value"], aged["home_town"]["stale"]) == ("Porto", True)
    assert (aged["name"]["value"], aged["name"]["stale"]) == ("Alice", False)
    judge(alice, town, "confirmed")
    fresh = profile(alice)["home_town"]
    assert (fresh["value"], fresh["stale"]) == ("Porto", False)
    assert fresh["recorded_at"].startswith("2027-03-10")


# By their own hand.


def test_a_user_sets_fields(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    filled = fill(alice, home_town=" Porto ", diet="no pork")
    assert {name: each["value"] for name, each in filled.items() if each} == {
        "home_town": "Porto",
        "diet": "no pork",
    }
    assert (filled["home_town"]["provenance"], filled["home_town"]["stale"]) == ("confirmed", False)
    town = look_up(alice, filled["home_town"])
    assert (town["text"], town["kind"], town["category"], town["status"], town["source"]) == (
        "Lives in Porto",
        "fact",
        "identity",
        "live",
        None,
    )
    assert town["last_confirmed_at"] == filled["home_town"]["recorded_at"]
    assert service.standin.calls["extraction"] == service.standin.calls["consolidation"] == []


def test_what_a_user_sets_takes_the_place_of_what_they_said(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    said = learn(service, alice, "Is called Wolfgang", "name")
    filled = fill(alice, name="Amadé")
    assert texts(facts(alice)) == ["Is called Amadé"]
    detail = look_up(alice, filled["name"])
    assert texts(detail["history"]["supersedes"]) == ["Is called Wolfgang"]
    assert look_up(alice, said)["status"] == "superseded"
    again = fill(alice, name="Amadé")
    assert again["name"]["fact_id"] == filled["name"]["fact_id"]  # nothing new, only confirmed
    assert again["name"]["recorded_at"] >= filled["name"]["recorded_at"]


def test_what_a_user_told_as_a_fact_fills_the_field_when_they_set_it(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    told = tell(alice, "Lives in Porto")
    assert fill(alice, home_town="Porto")["home_town"]["fact_id"] == told["fact_id"]
    assert len(facts(alice, status="all")) == 1


def test_allergies_are_gathered_and_set_as_a_whole(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "Is allergic to nuts", "allergies")
    learn(service, alice, "Is allergic to penicillin", "allergies")
    assert values(alice) == {"allergies": "penicillin; nuts"}
    fill(alice, allergies="milk")
    assert values(alice) == {"allergies": "milk"}
    assert texts(facts(alice)) == ["Is allergic to milk"]


def test_of_values_that_are_set_at_once_one_holds(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "Lives in Porto", "home_town")
    towns = [f"Town {letter}" for letter in "ABCDEF"]
    with ThreadPoolExecutor(len(towns)) as pool:
        replies = pool.map(lambda town: alice.patch("/v1/profile", json={"home_town": town}), towns)
        assert [reply.status_code for reply in replies] == [200] * len(towns)
    [live] = facts(alice)
    assert live["text"] in [f"Lives in {town}" for town in towns]
    assert profile(alice)["home_town"]["fact_id"] == live["fact_id"]
    assert len(facts(alice, status="all")) == 1 + len(towns)


def test_which_fields_a_person_has_filled_stands_nowhere_in_plain(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "Is allergic to nuts", None)
    learn(service, alice, "Is allergic to nuts", "allergies")  # the row learns its field later
    fill(alice, diet="vegan")
    table = f"{service.runtime.settings.table_prefix}-memory"
    stored = repr(service.runtime.dynamodb.scan(TableName=table)["Items"])
    assert "FACT#" in stored
    assert not any(word in stored for word in ("allergies", "allergic", "diet", "vegan"))


def test_a_user_clears_a_field(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = learn(service, alice, "Lives in Porto", "home_town")
    filled = fill(alice, home_town=None, name="Alice", diet=None)
    assert [name for name, each in filled.items() if each] == ["name"]
    detail = look_up(alice, fact)
    assert detail["status"] == "inaccurate"
    assert [each["verdict"] for each in detail["verdicts"]] == ["inaccurate"]
    # What was said once more is a new statement.
    fill(alice, home_town="Porto")
    assert values(alice) == {"name": "Alice", "home_town": "Porto"}


def test_a_personal_value_is_told_to_its_owner_and_to_no_model(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fill(alice, birth_date="3 May 1990")
    assert values(alice) == {"birth_date": "3 May 1990"}
    conversation_id = begin(alice)
    say(alice, conversation_id, "How old am I?")
    for call in (*service.standin.calls["answer"], *service.standin.calls["embedding"]):
        assert "1990" not in call.prompt
    assert "Was born on <BIRTH_DATE_A>" in service.standin.calls["answer"][-1].prompt


def test_an_erasure_takes_the_profile_with_it(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fill(alice, home_town="Porto", allergies="nuts")
    erase(alice)
    assert profile(alice) == NOTHING


def test_nothing_changes_on_an_error(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fill(alice, home_town="Porto")
    before = profile(alice), facts(alice, status="all")
    for body, wrong in [
        ({"shoe_size": "43"}, {"shoe_size"}),
        ({"home_town": "Braga", "shoe_size": "43"}, {"shoe_size"}),
        ({"home_town": 7}, {"home_town"}),
        ({"home_town": ""}, {"home_town"}),
        ({"home_town": " "}, {"home_town"}),
        ({"home_town": "x" * 501}, {"home_town"}),
        ({"home_town": {"value": "Braga"}}, {"home_town"}),
        ({"home_town": ["Braga"]}, {"home_town"}),
        ({"home_town": None, "diet": "what?"}, {"diet"}),
        ({"home_town": "Braga", "name": "⟦phone:abcdefghijklmnop⟧", "diet": "fish?"}, {"name", "diet"}),
    ]:
        assert wrong_fields(alice.patch("/v1/profile", json=body)) == wrong
    problem(alice.patch("/v1/profile", content="{"), 400, "malformed")
    problem(alice.patch("/v1/profile", json=[]), 422, "invalid")
    stale = {"If-Memory-Epoch": "99"}
    problem(alice.patch("/v1/profile", json={"home_town": "Faro"}, headers=stale), 409, "epoch-changed")
    assert (profile(alice), facts(alice, status="all")) == before
    assert ok(alice.patch("/v1/profile", json={})) == before[0]


def test_while_memory_is_paused_nothing_is_set_but_it_can_be_cleared(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fill(alice, home_town="Porto", diet="vegan")
    pause(service)
    before = profile(alice), facts(alice, status="all")
    for body in ({"home_town": "Braga"}, {"home_town": "Porto"}, {"diet": None, "name": "Alice"}):
        problem(alice.patch("/v1/profile", json=body), 409, "memory-paused")
    assert (profile(alice), facts(alice, status="all")) == before
    fill(alice, diet=None)
    assert values(alice) == {"home_town": "Porto"}
