"""The second wall: a DynamoDB client for each user, under credentials that reach this user's rows alone.

A function assumes a role with session tags that say whose rows it is about to touch; the role's policy
compares them with the leading key of every request (`dynamodb:LeadingKeys`). So also code that builds a wrong
key, or goes around this package, is refused by the database.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from botocore.exceptions import BotoCoreError, ClientError

from noted.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.identity import Principal

ORGANISATION_TAG, USER_TAG, REFERENCE_TAG = "o", "u", "s"

# A role that is assumed by a role lasts for an hour at most (IAM's limit on role chaining).
_SECONDS = 3600
# No request begins under credentials that may run out while it runs: the longest takes minutes.
_MARGIN = timedelta(minutes=10)


class Credentials(TypedDict):
    """What STS gives for an assumed role."""

    AccessKeyId: str
    SecretAccessKey: str
    SessionToken: str
    Expiration: datetime


class Sts(Protocol):
    """The one operation of STS that is used here."""

    def assume_role(
        self,
        *,
        RoleArn: str,  # noqa: N803 (STS's own names)
        RoleSessionName: str,  # noqa: N803
        DurationSeconds: int,  # noqa: N803
        Tags: list[dict[str, str]],  # noqa: N803
    ) -> Mapping[str, Any]:
        """The assumed role; its `Credentials` are the ones above."""
        ...


class SessionClients:
    """Clients by role, organisation and user: a client that is kept for one user is never handed out for
    another. At most `most` are kept, those used last; each for less than the hour that its credentials last.

    `client` makes a client that uses these credentials; `now` is the real time, by which credentials expire.
    """

    def __init__(
        self,
        role: str,
        sts: Sts,
        client: Callable[[Credentials], DynamoDBClient],
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        most: int = 256,
    ) -> None:
        self._role = role
        self._sts = sts
        self._client = client
        self._now = now
        self._most = most
        self._kept: OrderedDict[tuple[str, str, str], tuple[DynamoDBClient, datetime]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, principal: Principal, reference: str) -> DynamoDBClient:
        """The client for one user's rows; `reference` is the user's name in the ledger. One call of STS when
        none is kept. Raises Unavailable."""
        key = (self._role, principal.organisation, principal.user)
        with self._lock:
            kept = self._kept.get(key)
            if kept and self._now() < kept[1]:
                self._kept.move_to_end(key)
                return kept[0]
        credentials = self._assumed(principal, reference)
        made = self._client(credentials)
        with self._lock:
            self._kept[key] = (made, credentials["Expiration"] - _MARGIN)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made

    def _assumed(self, principal: Principal, reference: str) -> Credentials:
        try:
            answer = self._sts.assume_role(
                RoleArn=self._role,
                RoleSessionName=principal.user,
                DurationSeconds=_SECONDS,
                Tags=[
                    {"Key": ORGANISATION_TAG, "Value": principal.organisation},
                    {"Key": USER_TAG, "Value": principal.user},
                    {"Key": REFERENCE_TAG, "Value": reference},
                ],
            )
        except (ClientError, BotoCoreError) as error:
            raise Unavailable("The memory cannot be reached at the moment.") from error
        credentials: Credentials = answer["Credentials"]
        return credentials
