"""Logs of one machine hold no user text."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from local import logs


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    root, stream = logging.getLogger(), io.StringIO()
    before = root.handlers[:], root.level
    logs.configure(stream)
    yield stream
    root.handlers[:], root.level = before


def test_a_record_of_ours_is_its_message_and_known_fields(written: io.StringIO) -> None:
    logging.getLogger("noted.access").info(
        "request", extra={"method": "GET", "status": 200, "query": "my cat"}
    )
    line = written.getvalue()
    assert line.endswith("INFO noted.access: request method=GET status=200\n")
    assert "cat" not in line


def test_arguments_and_errors_are_not_written(written: io.StringIO) -> None:
    try:
        int("Alice likes tea")
    except ValueError:
        logging.getLogger("noted.answer").exception("failed %s", "Alice", extra={"function": "answer"})
    line = written.getvalue()
    assert line.count("\n") == 1
    assert "error_type=ValueError" in line
    assert "Alice" not in line


def test_a_library_is_not_quoted(written: io.StringIO) -> None:
    logging.getLogger("openai").warning("could not send {'content': 'Alice likes tea'}")
    line = written.getvalue()
    assert "WARNING openai: test_local_logs.test_a_library_is_not_quoted" in line
    assert "Alice" not in line


def test_a_library_is_heard_from_warnings_on(written: io.StringIO) -> None:
    logging.getLogger("httpx").info("GET http://127.0.0.1/?q=tea")
    assert written.getvalue() == ""
