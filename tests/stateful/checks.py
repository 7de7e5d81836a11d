"""The invariants of the service that can be looked at from outside: over its interface, and in the rows, the
queue and the log. Each is named as docs/testing.md names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from noted.clock import instant
from tests.stateful.client import Clients
from tests.stateful.models import words_in
from tests.stateful.oracle import Sight, Word

Json = dict[str, Any]


def facts_are_as_told(clients: Clients, user: str) -> None:
    """The list of live facts holds what must be seen, once, and nothing that must not (INV-1, 3, 5 to 9)."""
    oracle, now = clients.oracle, clients.now
    reply = clients.look("GET", "/v1/facts?status=live&limit=100", user)
    if reply is None or reply.status != 200:
        return
    seen: Counter[str] = Counter()
    for fact in reply.body["items"]:
        for found in words_in(fact["text"]):
            told = oracle.words[found]
            seen[found] += 1
            told.fact_id = fact["fact_id"]
            # A worker that was hindered had stored it by then.
            told.extracted = told.extracted or told.tried
            if told.live is Sight.MAYBE and fact["expires_at"]:
                told.expires_at = instant(fact["expires_at"])
            clients.expect(not told.is_banned(oracle.moment), f"{found} is live although it was taken back")
            clients.expect(told.live is not Sight.NO, f"{found} is live although nothing was to be learnt")
            clients.expect(not told.has_expired(now), f"{found} is live although its time is over")
            clients.expect(
                (fact["provenance"] == "confirmed") <= told.confirmed, f"{found} was confirmed by nobody"
            )
    for found, times in seen.items():
        clients.expect(times == 1, f"{found} is there {times} times")
    for told in oracle.of(user):
        if told.must_be_live(now):
            clients.expect(told.word in seen, f"{told.word} is not live although it was kept")


def history_is_of_this_user(clients: Clients, user: str) -> None:
    """Every fact, whatever its status, names a turn of its user that told it, and none was erased (INV-2)."""
    reply = clients.look("GET", "/v1/facts?status=all&limit=100", user)
    if reply is None or reply.status != 200:
        return
    for fact in reply.body["items"]:
        for found in words_in(fact["text"]):
            told = clients.oracle.words[found]
            clients.expect(not told.fact_erased, f"{found} is in the history although it was erased")
            if fact["source"] is not None and told.turn is not None:
                clients.expect(fact["source"]["turn_id"] == told.turn, f"{found} names another turn")
                clients.expect(found in fact["source"]["quote"], f"{found} has no evidence")


def turns_are_there(clients: Clients, user: str) -> None:
    """Every turn that was answered is among those of its conversation (INV-1)."""
    for chat in clients.mine(user):
        told = [each for each in clients.oracle.of(user) if each.conversation == chat.id]
        if not any(each.must_be_said(clients.now) for each in told):
            continue
        reply = clients.look("GET", f"/v1/conversations/{chat.id}/turns?limit=100", user)
        if reply is None or reply.status == 503:
            return
        stored = Counter(words_in(reply.text))
        for each in told:
            if each.must_be_said(clients.now):
                clients.expect(each.word in stored, f"the turn of {each.word} is lost")


def recall_finds(clients: Clients, user: str, told: Word) -> None:
    """A fact that must be seen is recalled by its word, one that must not is not (INV-3, 8, 9, 12)."""
    reply = clients.look("POST", "/v1/recall", user, {"query": f"{told.word} tea", "limit": 50})
    if reply is None or reply.status != 200:
        return
    found = set(words_in(reply.text))
    for each in found:
        other = clients.oracle.words[each]
        clients.expect(not other.is_banned(clients.oracle.moment), f"{each} is recalled although taken back")
        clients.expect(not other.has_expired(clients.now), f"{each} is recalled although its time is over")
        clients.expect(other.live is not Sight.NO, f"{each} is recalled although nothing was to be learnt")
    if clients.oracle.paused.get(user):
        clients.expect(not found, "something is recalled although memory is paused")
    elif told.must_be_live(clients.now):
        clients.expect(told.word in found, f"{told.word} is not recalled")


def nothing_leaks(clients: Clients) -> None:
    """No word of a user is in the queue, among the dead letters or in the log (INV-14)."""
    service = clients.service
    for body in (*(message.body for message in service.queue), *service.dead_letters):
        clients.expect(not words_in(body), "the queue holds a user's words")
    clients.expect(not service.log, f"the log holds a user's words: {service.log[:1]}")


def generations(clients: Clients) -> dict[str, int]:
    """The generation of each user, by partition."""
    return {
        key[0]: int(item["generation"]["N"])
        for table, key, item in clients.rows()
        if table == "control" and key[1] == "META"
    }


def verdicts(clients: Clients) -> dict[tuple[str, str], Json]:
    """The rows of all verdicts."""
    return {key: item for table, key, item in clients.rows() if table == "verdicts"}


def rows_of(clients: Clients, user: str) -> dict[tuple[str, str, str], Json]:
    """Every row of a user's own partitions."""
    return {
        (table, *key): item
        for table, key, item in clients.rows()
        if clients.user_of("#".join(key[0].split("#")[:2])) == user
    }


def everything_erased_is_gone(clients: Clients) -> None:
    """When all work is done: no row of an ended generation, no erased word in any row, whatever opens it, and
    no word in the open anywhere (INV-4, 5, 14)."""
    oracle = clients.oracle
    for table, (partition, sort_key), item in clients.rows():
        owner, _, generation = partition.rpartition("#g")
        user = clients.user_of(owner)
        if user is not None and generation.isdigit():
            clients.expect(
                int(generation) >= oracle.epoch(user), f"a row of an ended generation: {table} {sort_key[:5]}"
            )
        clients.expect(not words_in(repr(item)), f"a word in the open: {table} {sort_key[:5]}")
        for sealed in _sealed(item):
            content = clients.service.sealed.get(sealed, b"").decode("utf-8", "replace")
            for found in words_in(content):
                told = oracle.words[found]
                where = f"{found} in {table} {sort_key[:6]}"
                clients.expect(told.user == user, f"{where}, of another user")
                own = any(each in sort_key for each in (*told.tellers(), told.conversation) if each)
                clients.expect(told.gone_at is None or own, f"{where}, although it was erased")
                clients.expect(not told.fact_erased or own, f"{where}, although its fact was erased")


def receipts_are_complete(clients: Clients) -> None:
    """Every erasure that was answered has its receipt (INV-16)."""
    for erasure_id, user in clients.erasures.items():
        reply = clients.look("GET", f"/v1/erasures/{erasure_id}", user)
        if reply is not None and reply.status == 200:
            clients.expect(reply.body["status"] == "complete", f"an erasure is {reply.body['status']}")
            clients.expect(reply.body["receipt"] is not None, "an erasure has no receipt")
        else:
            clients.expect(False, "an erasure is not known")


def learnt_once(clients: Clients) -> None:
    """Every turn that was to be remembered has been, once (INV-1, 6)."""
    for told in clients.oracle.words.values():
        if told.turn is None or not told.learns or told.gone_at is not None or told.conversation is None:
            continue
        if not told.must_be_said(clients.now):
            continue
        path = f"/v1/conversations/{told.conversation}/turns/{told.turn}/saved"
        reply = clients.look("GET", path, told.user)
        if reply is None or reply.status != 200:
            clients.expect(False, f"what became of {told.word} is not known")
            continue
        clients.expect(reply.body["status"] == "done", f"{told.word} is {reply.body['status']}")
        if told.banned_at is None and told.live is Sight.MAYBE and not told.home and not told.extracted:
            clients.oracle.kept(told, clients.now)


def last_home_stands(clients: Clients, user: str) -> None:
    """Of what fills one field of the profile, the latest statement stands, in whatever order they were worked
    off (INV-17)."""
    oracle, epoch = clients.oracle, clients.oracle.epoch(user)
    homes = [each for each in oracle.of(user) if each.home and each.turn and each.epoch == epoch]
    if any(each.banned_at or each.gone_at or not each.learns or each.fact_erased for each in homes):
        return
    if not all(each.must_be_said(clients.now) for each in homes):
        return
    reply = clients.look("GET", "/v1/facts?status=live&limit=100", user)
    if reply is None or reply.status != 200 or not homes:
        return
    live = words_in(" ".join(fact["text"] for fact in reply.body["items"]))
    standing = [each.word for each in homes if each.word in live]
    latest = max(homes, key=lambda each: each.turn or "")
    clients.expect(standing == [latest.word], f"{standing} stand, and {latest.word} was said last")


def _sealed(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _sealed(each)
    elif isinstance(value, list):
        for each in value:
            yield from _sealed(each)


def told_nothing_wrong(clients: Clients) -> None:
    """Raises what was found."""
    if clients.wrong:
        raise AssertionError("; ".join(dict.fromkeys(clients.wrong)))
