"""One small document from one host over HTTP, for tools that look something up.

Bounded in time and size, and held to the host that the deployer named: a redirect to another one is refused,
since that is how a request is led to a place that nobody allowed.
"""

from __future__ import annotations

import time
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

_CHUNK = 16_384
_USER_AGENT = "noted"


class NotFetched(Exception):
    """There is no document; the message is one word such as `status`, and holds nothing of the address."""


def checked_url(name: str, url: str) -> str:
    """The address, if it is one of HTTP with a host and without a user. Raises ValueError, naming the
    setting."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError(f"{name} must be an http or https address")
    return url


def fetched(url: str, *, seconds: float, most_bytes: int) -> bytes:
    """The document at an address that `checked_url` has passed. Raises NotFetched."""
    deadline = time.monotonic() + seconds
    request = Request(url, headers={"User-Agent": _USER_AGENT})  # noqa: S310 (the scheme is checked)
    try:
        with build_opener(_SameHost()).open(request, timeout=seconds) as response:
            return _read(response, deadline, most_bytes)
    except HTTPError as error:
        error.close()
        raise NotFetched("status") from None
    except (OSError, HTTPException, ValueError):
        raise NotFetched("unreachable") from None


class _SameHost(HTTPRedirectHandler):
    """Follows redirects within the scheme, host and port of the request, and no others."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise NotFetched("redirect")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _read(response: HTTPResponse, deadline: float, most_bytes: int) -> bytes:
    # The time-out of a socket starts again with every byte, so a slow sender needs a deadline of its own.
    document = b""
    while piece := response.read1(_CHUNK):
        document += piece
        if len(document) > most_bytes:
            raise NotFetched("size")
        if time.monotonic() > deadline:
            raise NotFetched("time")
    return document
