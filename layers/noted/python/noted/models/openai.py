"""Chat models behind any server that speaks OpenAI's protocol.

Every request carries its purpose in the header `X-Noted-Call`.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.openai_reply import read_reply
from noted.models.openai_request import request_body
from noted.models.openai_stream import read_stream
from noted.models.retry import CONNECT_SECONDS, Retry, TryError, seconds_for
from noted.models.seam import Prompt, Reply, Usage

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI, Timeout

PURPOSE_HEADER = "X-Noted-Call"
_OPENAI_URL = "https://api.openai.com/v1"
# One of these headers is how the client finds its own way back to the raw body.
_PLATFORM_HEADER = re.compile(r"x-stainless-(?!raw-response$)", re.IGNORECASE)


def openai_client(environment: Mapping[str, str]) -> OpenAI:
    """A client of the server in OPENAI_BASE_URL, or of OpenAI itself, that makes each request once.

    Raises ValueError where there is neither a server nor a key in OPENAI_API_KEY.
    """
    import openai

    # At level DEBUG the client logs whole requests.
    logging.getLogger("openai").setLevel(logging.WARNING)
    base_url = environment.get("OPENAI_BASE_URL")
    key = environment.get("OPENAI_API_KEY")
    if not base_url and not key:
        raise ValueError("openai:<model> needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own")
    http_client = openai.DefaultHttpxClient(
        # No text goes to a place that the deployer did not name.
        follow_redirects=False,
        # A proxy cannot reach a server on this machine.
        trust_env=_host(base_url or _OPENAI_URL) not in ("localhost", "127.0.0.1", "::1"),
        event_hooks={"request": [_without_platform_headers]},
    )
    return openai.OpenAI(
        base_url=base_url or _OPENAI_URL,
        api_key=key or "not-needed",
        max_retries=0,
        http_client=http_client,
    )


class OpenAILanguageModel:
    """A chat model behind OpenAI's chat completions."""

    def __init__(self, model: str, client: OpenAI, retry: Retry | None = None) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._client = client
        self._retry = retry or Retry()
        # OpenAI's newer models refuse `max_tokens`; many other servers know nothing else.
        host = client.base_url.host
        official = host.endswith((".openai.com", ".openai.azure.com"))
        self._limit = "max_completion_tokens" if official else "max_tokens"
        # Whether the server is asked to count the tokens of a stream.
        self._counting = True

    def call(self, prompt: Prompt) -> Reply:
        """One reply in at most two tries. Raises ModelUnavailable, ModelRefused or MalformedOutput."""
        request = request_body(self._model, prompt, self._limit)

        def attempt(seconds: float) -> Reply:
            create = self._client.chat.completions.with_raw_response.create
            return read_reply(prompt, send(create, prompt.purpose, request, seconds))

        return self._retry.call(attempt, seconds_for(prompt))

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The pieces of a reply, then the reply. Raises ModelUnavailable (`broken` where the connection was
        lost half way), ModelRefused or MalformedOutput."""
        request = request_body(self._model, prompt, self._limit) | {"stream": True}

        def attempt(seconds: float) -> Generator[str | Reply, None, None]:
            with closing(self._chunks(prompt, request, seconds)) as chunks:
                yield from read_stream(prompt, chunks)

        return self._retry.stream(attempt, seconds_for(prompt))

    def _chunks(
        self, prompt: Prompt, request: Mapping[str, Any], seconds: float
    ) -> Generator[object, None, None]:
        """The chunks of one streamed reply. Raises TryError."""
        import openai

        body = {**request, "stream_options": {"include_usage": True}} if self._counting else request
        opened = False
        try:
            # The chunks as they are: the typed call would build a model of each.
            with self._client.post(
                "/chat/completions",
                cast_to=object,
                body=body,
                options={"headers": {PURPOSE_HEADER: str(prompt.purpose)}, "timeout": _timeout(seconds)},
                stream=True,
                stream_cls=openai.Stream[object],
            ) as chunks:
                opened = True
                yield from chunks
        except openai.APIStatusError as error:
            if self._counting and error.status_code in (400, 422) and "stream_options" in str(error.body):
                # A server that does not know the option refuses it by name.
                self._counting = False
                raise TryError(ModelUnavailable("rejected"), again=True, usage=Usage()) from None
            raise _failure(error) from None
        except openai.APIConnectionError as error:
            if opened and not isinstance(error, openai.APITimeoutError):
                raise TryError(ModelUnavailable("broken"), again=True) from None
            raise _failure(error) from None
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            raise _failure(error) from None


def _host(url: str) -> str | None:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).hostname
    except ValueError:
        raise ValueError("OPENAI_BASE_URL is not a URL") from None


def _without_platform_headers(request: Any) -> None:
    """The client would tell the server this machine's system, processor and Python version."""
    for name in [name for name in request.headers if _PLATFORM_HEADER.match(name)]:
        del request.headers[name]


def send(
    create: Callable[..., Any], purpose: str, request: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    """The body of the server's answer to one request. Raises TryError."""
    import openai

    try:
        response = create(**request, extra_headers={PURPOSE_HEADER: str(purpose)}, timeout=_timeout(seconds))
        body = json.loads(response.content)
    except (openai.OpenAIError, ValueError, RecursionError) as error:
        raise _failure(error) from None
    if not isinstance(body, dict):
        raise TryError(MalformedOutput("malformed"), again=True)
    return body


def _timeout(seconds: float) -> Timeout:
    from openai import Timeout

    return Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))


def _failure(error: Exception) -> TryError:
    """What an error of the client, or of reading what it brought, means for a try."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return TryError(ModelUnavailable("timeout"), again=True, usage=_sent(error))
    if isinstance(error, openai.APIConnectionError):
        return TryError(ModelUnavailable("unreachable"), again=True, usage=_sent(error))
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    if isinstance(error, openai.APIError):
        # An error that the server told in the middle of a stream.
        if error.code == "content_filter":
            return TryError(ModelRefused("filtered"), again=False)
        return TryError(ModelUnavailable("failed"), again=True)
    if isinstance(error, openai.OpenAIError):
        return TryError(ModelUnavailable("rejected"), again=False)
    return TryError(MalformedOutput("malformed"), again=True)


def _sent(error: Exception) -> Usage:
    """A request whose connection was never made is no call."""
    cause = type(error.__cause__).__name__
    return Usage(model_calls=0 if cause in ("ConnectError", "ConnectTimeout") else 1)


def _status_failure(error: APIStatusError) -> TryError:
    status = error.status_code
    if error.code == "content_filter":
        return TryError(ModelRefused("filtered"), again=False)
    if status == 429:
        return TryError(ModelUnavailable("throttled"), again=True, after=_retry_after(error))
    if status == 408:
        return TryError(ModelUnavailable("timeout"), again=True)
    if status >= 500:
        return TryError(ModelUnavailable("failed"), again=True, after=_retry_after(error))
    return TryError(ModelUnavailable("rejected"), again=False)


def _retry_after(error: APIStatusError) -> float | None:
    try:
        return float(error.response.headers["retry-after"])
    except (KeyError, ValueError):
        return None
