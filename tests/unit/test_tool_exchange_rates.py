"""Exchange rates from a feed, which a small server on this machine gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from functions.answer.tools import exchange_rates
from functions.answer.tools.exchange_rates import MalformedFeed, read_rates
from functions.answer.tools.fetching import NotFetched, checked_url, fetched
from noted.conversation.tools import ArgumentsRefused, ToolContext, ToolOutcome

# As the feed has it, with the rates of 28 June 2024.
FEED = b"""<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
 xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='2024-06-28'>
\t\t\t<Cube currency='USD' rate='1.0705'/>
\t\t\t<Cube currency='JPY' rate='171.94'/>
\t\t\t<Cube currency='GBP' rate='0.84638'/>
\t\t\t<Cube currency='IDR' rate='17487.21'/>
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>"""

Respond = Callable[[BaseHTTPRequestHandler], None]


def document(body: bytes, status: int = 200, **headers: str) -> Respond:
    def respond(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    return respond


@contextmanager
def serving(respond: Respond) -> Iterator[str]:
    """A server on a free port of this machine; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                respond(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever proxy this machine's environment names, it cannot reach a server of a test."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def asked(url: str, **arguments: Any) -> ToolOutcome:
    tool = exchange_rates.tool({exchange_rates.SETTING: f"{url}/daily.xml"})
    context = ToolContext(datetime(2024, 6, 30, 12, tzinfo=UTC), "UTC", 5)
    outcome = tool.function(tool.read(arguments), context)
    tool.check(outcome, arguments)
    return outcome


def values(outcome: ToolOutcome) -> dict[str, str]:
    return {figure.name: figure.value for figure in outcome.figures}


@pytest.fixture
def feed() -> Iterator[str]:
    with serving(document(FEED)) as url:
        yield url


def test_the_rate_of_a_currency_to_the_euro_is_the_feeds(feed: str) -> None:
    outcome = asked(feed, source="EUR", target="USD")
    assert values(outcome) == {"eur_usd": "1.0705", "day": "2024-06-28"}
    assert not outcome.failed


@pytest.mark.parametrize(
    "source, target, rate",
    [
        ("USD", "EUR", "0.93414"),  # 1 / 1.0705 = 0.934143...
        ("USD", "GBP", "0.79064"),  # 0.84638 / 1.0705 = 0.790640...
        ("JPY", "USD", "0.0062260"),  # 1.0705 / 171.94 = 0.00622600...
        ("EUR", "JPY", "171.94"),
        ("EUR", "IDR", "17,487.21"),
        ("GBP", "GBP", "1.0000"),
    ],
)
def test_other_rates_are_worked_out_over_the_euro(feed: str, source: str, target: str, rate: str) -> None:
    assert values(asked(feed, source=source, target=target))[f"{source}_{target}".lower()] == rate


def test_an_amount_is_converted_at_the_exact_rate(feed: str) -> None:
    outcome = asked(feed, source="USD", target="GBP", amount=1000)
    # 1000 * 0.84638 / 1.0705 = 790.6398...; at the rounded rate too it would be 790.64
    assert values(outcome)["usd_gbp_amount"] == "790.64"
    # 1,000,000 * 0.84638 / 1.0705 = 790,639.888...; the rounded rate would give 790,640.00
    assert values(asked(feed, source="USD", target="GBP", amount="1000000"))["usd_gbp_amount"] == "790,639.89"


def test_a_currency_without_a_rate_is_told_as_such(feed: str) -> None:
    outcome = asked(feed, source="EUR", target="XAU")
    assert outcome == ToolOutcome(text="There is no rate for XAU.", failed=True)


def test_it_is_a_live_lookup_with_labels_of_its_own() -> None:
    tool = exchange_rates.tool({})
    assert tool.live
    assert tool.namespace == "rate"


@pytest.mark.parametrize(
    "arguments",
    [
        {"source": "EUR"},
        {"source": "eur", "target": "USD"},
        {"source": "EUR\n", "target": "USD"},
        {"source": "EUR", "target": "US Dollar"},
        {"source": "EUR", "target": "USD", "amount": 0},
        {"source": "EUR", "target": "USD", "amount": "1E20"},
        {"source": "EUR", "target": "USD", "url": "http://127.0.0.1/"},
    ],
)
def test_what_names_no_currencies_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ArgumentsRefused):
        exchange_rates.tool({}).read(arguments)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/a", "file:///etc/passwd", "example.org", "http://", "", "http://u:p@h/"]
)
def test_an_address_that_is_none_of_http_is_refused_when_the_tool_is_made(url: str) -> None:
    with pytest.raises(ValueError, match="NOTED_EXCHANGE_RATES_URL"):
        checked_url(exchange_rates.SETTING, url)


def test_the_address_is_a_setting() -> None:
    with pytest.raises(ValueError, match="NOTED_EXCHANGE_RATES_URL"):
        exchange_rates.tool({"NOTED_EXCHANGE_RATES_URL": "gopher://example.org"})


@pytest.mark.parametrize("status", [404, 429, 500, 503])
def test_a_server_that_fails_gives_nothing(status: int) -> None:
    with serving(document(b"sorry", status)) as url, pytest.raises(NotFetched, match=r"^status$"):
        asked(url, source="EUR", target="USD")


def test_a_server_that_is_not_there_gives_nothing() -> None:
    with serving(document(FEED)) as url:
        pass
    with pytest.raises(NotFetched, match=r"^unreachable$"):
        asked(url, source="EUR", target="USD")


def test_a_redirect_within_the_host_is_followed() -> None:
    def respond(request: BaseHTTPRequestHandler) -> None:
        moved = request.path == "/daily.xml"
        (document(b"", 302, Location="/new.xml") if moved else document(FEED))(request)

    with serving(respond) as url:
        assert values(asked(url, source="EUR", target="USD"))["eur_usd"] == "1.0705"


@pytest.mark.parametrize(
    "location", ["http://localhost:{port}/daily.xml", "file:///etc/passwd", "ftp://127.0.0.1/x"]
)
def test_a_redirect_to_anywhere_else_is_refused(location: str) -> None:
    asked_for: list[str | None] = []

    def respond(request: BaseHTTPRequestHandler) -> None:
        asked_for.append(request.headers["Host"])
        port = request.headers["Host"].rpartition(":")[2]
        document(b"", 302, Location=location.format(port=port))(request)

    with serving(respond) as url, pytest.raises(NotFetched):
        asked(url, source="EUR", target="USD")
    assert len(asked_for) == 1


def test_a_redirect_without_end_is_given_up() -> None:
    with serving(document(b"", 302, Location="/daily.xml")) as url, pytest.raises(NotFetched):
        asked(url, source="EUR", target="USD")


@pytest.mark.parametrize("length", ["200000", None])
def test_a_document_that_is_too_large_is_given_up(length: str | None) -> None:
    def respond(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if length:
            request.send_header("Content-Length", length)
        request.end_headers()
        for _ in range(200):
            request.wfile.write(b" " * 1000)

    with serving(respond) as url, pytest.raises(NotFetched, match=r"^size$"):
        asked(url, source="EUR", target="USD")


def test_a_server_that_sends_byte_by_byte_is_given_up_in_time() -> None:
    """Every byte comes within the time-out of the socket; the whole document does not."""
    stop = threading.Event()

    def respond(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not stop.wait(0.02):
            request.wfile.write(b" ")
            request.wfile.flush()

    with serving(respond) as url:
        try:
            with pytest.raises(NotFetched, match=r"^time$"):
                fetched(url, seconds=0.2, most_bytes=10**9)
        finally:
            stop.set()


def test_a_server_that_says_nothing_is_given_up() -> None:
    stop = threading.Event()

    def respond(_: BaseHTTPRequestHandler) -> None:
        stop.wait(60)

    with serving(respond) as url:
        try:
            with pytest.raises(NotFetched, match=r"^unreachable$"):
                fetched(url, seconds=0.1, most_bytes=1000)
        finally:
            stop.set()


def test_the_feed_is_read_with_the_euro_itself() -> None:
    rates = read_rates(FEED)
    assert rates.day == date(2024, 6, 28)
    assert rates.to_euro == {
        "EUR": Decimal(1),
        "USD": Decimal("1.0705"),
        "JPY": Decimal("171.94"),
        "GBP": Decimal("0.84638"),
        "IDR": Decimal("17487.21"),
    }


ENTITIES = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "feed",
    [
        b"",
        b"<html>Not found</html>",
        b"rates",
        FEED[:-20],
        FEED.replace(b"1.0705", b"a lot"),
        FEED.replace(b"1.0705", b"-1"),
        FEED.replace(b"1.0705", b"0"),
        FEED.replace(b"1.0705", b"NaN"),
        FEED.replace(b"1.0705", b"Infinity"),
        FEED.replace(b"rate='1.0705'", b""),
        FEED.replace(b"2024-06-28", b"yesterday"),
        FEED.replace(b" time='2024-06-28'", b""),
        FEED.replace(b"<gesmes:subject>", ENTITIES + b"<gesmes:subject>"),
        FEED.replace(b"\n<gesmes:Envelope", b"\n" + ENTITIES + b"<gesmes:Envelope"),
        FEED.replace(b"USD", b"\xff\xfe"),
    ],
)
def test_what_is_no_list_of_rates_is_refused(feed: bytes) -> None:
    with pytest.raises(MalformedFeed):
        read_rates(feed)
