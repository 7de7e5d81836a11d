"""How places outside of the tables are registered and told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from noted.privacy.connectors import Connector, read_connectors
from noted.privacy.satellites import HttpSatellite, NotAcknowledged, Subject, Subjects
from noted.privacy.sealing import CannotOpen
from noted.privacy.signing import is_signed
from noted.settings import Settings
from tests.erasing import SIGNER
from tests.store.builders import SECRETS, FixedClock

ALICE = Subject("alice", "https://issuer.test", "acme")
REQUEST = "er_00000000000000000000000000"


class Elsewhere:
    """A server on this machine that notes what it gets."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.reply: tuple[int, bytes, dict[str, str]] = (200, b'{"id": "del-1"}', {})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.got.append((self.path, dict(self.headers), body))
                status, content, headers = outer.reply
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST  # noqa: N815 (the name that the server looks for)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/erasures"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    server = Elsewhere()
    yield server
    server.close()


def satellite(url: str) -> HttpSatellite:
    return HttpSatellite(Connector("crm", url), lambda: SIGNER, FixedClock())


def test_a_place_outside_is_told_whom_to_erase_and_can_check_who_says_so(elsewhere: Elsewhere) -> None:
    assert satellite(elsewhere.url).erase(ALICE, REQUEST) == "del-1"
    [(path, headers, body)] = elsewhere.got
    assert path == "/erasures"
    assert json.loads(body) == {
        "request_id": REQUEST,
        "sent_at": "2026-03-10T12:00:00.000Z",
        "subject": {"sub": "alice", "iss": "https://issuer.test", "org": "acme"},
    }
    told = {name.lower(): value for name, value in headers.items()}
    assert told["noted-key"] == SIGNER.kid
    assert is_signed(body, told["noted-signature"], SIGNER.jwk)


@pytest.mark.parametrize(
    "reply,reason",
    [
        ((503, b"", {}), "503"),
        ((404, b'{"id": "x"}', {}), "404"),
        ((200, b"done", {}), "no-json"),
        ((204, b"", {}), "no-json"),
        ((200, b'["x"]', {}), "no-id"),
        ((200, b"{}", {}), "no-id"),
        ((200, b'{"id": ""}', {}), "no-id"),
        ((200, json.dumps({"id": "x" * 201}).encode(), {}), "no-id"),
        ((200, json.dumps({"id": "two words"}).encode(), {}), "no-id"),
        # Who is erased is told to the registered address alone.
        ((302, b"", {"location": "/elsewhere"}), "302"),
        ((307, b"", {"location": "/elsewhere"}), "307"),
    ],
)
def test_anything_but_a_2xx_with_an_id_is_no_acknowledgement(
    elsewhere: Elsewhere, reply: tuple[int, bytes, dict[str, str]], reason: str
) -> None:
    elsewhere.reply = reply
    with pytest.raises(NotAcknowledged, match=f"^{reason}$"):
        satellite(elsewhere.url).erase(ALICE, REQUEST)
    assert [path for path, _, _ in elsewhere.got] == ["/erasures"]


def test_a_place_that_nobody_reaches_has_not_acknowledged(elsewhere: Elsewhere) -> None:
    url = elsewhere.url
    elsewhere.close()
    with pytest.raises(NotAcknowledged, match="unreachable"):
        satellite(url).erase(ALICE, REQUEST)


@pytest.mark.parametrize(
    "url",
    [
        "https://crm.example.com/v1/erasures",
        "https://crm.example.com:8443/",
        "http://127.0.0.1:9000/erasures",
        "http://[::1]:9000/",
        "http://localhost/erasures",
    ],
)
def test_a_place_is_registered_by_an_https_address_or_on_this_machine(url: str) -> None:
    text = json.dumps([{"name": "crm", "url": url}])
    assert read_connectors(text) == (Connector("crm", url),)
    assert Settings.from_environment({"NOTED_ERASURE_CONNECTORS": text}).erasure_connectors == (
        Connector("crm", url),
    )


def one(name: object = "crm", url: object = "https://crm.example.com/") -> list[dict[str, Any]]:
    return [{"name": name, "url": url}]


@pytest.mark.parametrize(
    "given",
    [
        "crm",
        {"name": "crm", "url": "https://crm.example.com/"},
        [{"name": "crm"}],
        [{"name": "crm", "url": "https://crm.example.com/", "secret": "s"}],
        one(name=""),
        one(name="CRM"),
        one(name="a b"),
        one(name=7),
        one(url=None),
        one(url=""),
        one(url="crm.example.com"),
        one(url="http://crm.example.com/"),
        one(url="http://127.0.0.1.example.com/"),
        one(url="http://10.0.0.1/"),
        one(url="http://169.254.169.254/latest/meta-data/"),
        one(url="file:///etc/passwd"),
        one(url="https://user:word@crm.example.com/"),
        one(url="https://crm.example.com/?to=all"),
        one(url="https://crm.example.com/#part"),
        one(url="https://crm.example.com:port/"),
        one(url="https://crm.example.com/a b"),
        one(url="https:///path"),
        one() + one(),
        [each for number in range(21) for each in one(name=f"a{number}")],
    ],
)
def test_what_cannot_be_a_place_is_refused_when_the_service_starts(given: object) -> None:
    with pytest.raises(ValueError, match="NOTED_ERASURE_CONNECTORS"):
        Settings.from_environment({"NOTED_ERASURE_CONNECTORS": json.dumps(given)})


def test_who_is_meant_is_sealed_for_one_erasure() -> None:
    subjects = Subjects(SECRETS)
    sealed = subjects.seal(ALICE, REQUEST)
    assert b"alice" not in sealed
    assert subjects.open(sealed, REQUEST) == ALICE
    with pytest.raises(CannotOpen):
        subjects.open(sealed, "er_00000000000000000000000001")
