"""What was done with a user's memory, as the user gets it."""

from __future__ import annotations

from typing import Literal

from noted.api.replies.common import Reply, Time
from noted.store.activity import Act, Action


class ActivityReply(Reply):
    """One act. `client` is the reference of the compliance system that acted, `object_ids` what was acted
    on."""

    activity_id: str
    action: Action
    at: Time
    route: str
    result: str
    actor: Literal["user", "compliance"]
    client: str | None
    object_ids: list[str]


def act(done: Act) -> ActivityReply:
    """One act."""
    return ActivityReply(
        activity_id=done.activity_id,
        action=done.action,
        at=done.at,
        route=done.route,
        result=done.result,
        actor=done.actor.value,
        client=done.client,
        object_ids=list(done.objects),
    )
