"""Places outside of the tables that hold what a user said: another memory service, a help desk, a data lake.
A deployer registers each; an erasure of everything is told to all of them and is not finished before each has
acknowledged it.

Only what was registered is ever called: no address comes from a request. A call is a POST with a JSON body,
signed by the key that signs receipts, so that the other side knows it for ours:

    POST <url>
    Content-Type: application/json
    Noted-Key: <kid>
    Noted-Signature: <base64url of the ECDSA signature (P-256, SHA-256; r and s, 32 bytes each) of the body>

    {"request_id": "er_…", "sent_at": "…", "subject": {"sub": "…", "iss": "…", "org": "…"}}

Any 2xx with `{"id": "<1 to 200 printable ASCII characters>"}` acknowledges it. The same request may come more
than once, always under the same `request_id`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from noted.clock import Clock, timestamp
from noted.privacy.connectors import Connector, is_loopback
from noted.privacy.sealing import Place, Sealer
from noted.store.tables import CONTROL

if TYPE_CHECKING:
    from noted.identity import Secrets
    from noted.privacy.signing import Signer

_ACKNOWLEDGEMENT = re.compile(r"[\x21-\x7e]{1,200}")
_TIMEOUT_SECONDS = 10
_MAX_BYTES = 64 * 1024


class NotAcknowledged(Exception):
    """The other side has not erased it yet. `reason` is one word or a status, never a text of theirs."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Subject:
    """Who is to be erased, as other systems know them: the claims of their tokens. `organisation` is empty
    where tokens name none."""

    subject: str
    issuer: str
    organisation: str = ""


class Satellite(Protocol):
    """A place outside of the tables."""

    name: str

    def erase(self, subject: Subject, request_id: str) -> str:
        """Has everything of a subject erased, and gives what the place acknowledges it with. Again is fine.
        Raises NotAcknowledged."""
        ...


Post = Callable[[str, bytes, Mapping[str, str]], bytes]


class HttpSatellite:
    """A registered connector. `post` sends a body to an address and gives the reply's, or raises
    NotAcknowledged."""

    def __init__(
        self, connector: Connector, signer: Callable[[], Signer], clock: Clock, post: Post | None = None
    ) -> None:
        self.name = connector.name
        self._url = connector.url
        self._signer = signer
        self._clock = clock
        self._post = post or posted

    def erase(self, subject: Subject, request_id: str) -> str:
        """See `Satellite`."""
        told = {
            "request_id": request_id,
            "sent_at": timestamp(self._clock.now()),
            "subject": {"sub": subject.subject, "iss": subject.issuer, "org": subject.organisation},
        }
        body, signer = json.dumps(told).encode(), self._signer()
        headers = {
            "Content-Type": "application/json",
            "Noted-Key": signer.kid,
            "Noted-Signature": signer.sign(body),
        }
        try:
            reply = json.loads(self._post(self._url, body, headers))
        except ValueError:
            raise NotAcknowledged("no-json") from None
        acknowledged = reply.get("id") if isinstance(reply, dict) else None
        if not isinstance(acknowledged, str) or not _ACKNOWLEDGEMENT.fullmatch(acknowledged):
            raise NotAcknowledged("no-id")
        return acknowledged


def posted(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    """The body of a 2xx reply, at most 64 KB of it; a redirect is none. Raises NotAcknowledged."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

    class NoRedirect(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            """None: who is erased is told to the registered address and to no other."""

    # A proxy of the environment has no business on the loopback interface.
    direct = [ProxyHandler({})] if is_loopback(urlsplit(url).hostname or "") else []
    request = Request(url, data=body, headers=dict(headers), method="POST")  # noqa: S310 (checked above)
    try:
        with build_opener(NoRedirect, *direct).open(request, timeout=_TIMEOUT_SECONDS) as response:
            content: bytes = response.read(_MAX_BYTES)
    except HTTPError as error:
        error.close()
        raise NotAcknowledged(str(error.code)) from None
    except (OSError, HTTPException):
        raise NotAcknowledged("unreachable") from None
    return content


class Subjects:
    """Seals who an erasure means, for as long as a satellite may still have to be told."""

    def __init__(self, secrets: Secrets) -> None:
        self._sealer = Sealer(secrets.key("subjects of erasures"))

    def seal(self, subject: Subject, erasure_id: str) -> bytes:
        """Bound to this erasure's job."""
        return self._sealer.seal_json(vars(subject), _place(erasure_id))

    def open(self, sealed: bytes, erasure_id: str) -> Subject:
        """Raises CannotOpen."""
        return Subject(**self._sealer.open_json(sealed, _place(erasure_id)))


def satellites_of(
    connectors: Sequence[Connector], signer: Callable[[], Signer], clock: Clock
) -> tuple[Satellite, ...]:
    """The registered satellites."""
    return tuple(HttpSatellite(connector, signer, clock) for connector in connectors)


def _place(erasure_id: str) -> Place:
    return Place(CONTROL.name, erasure_id, "job", "subject")
