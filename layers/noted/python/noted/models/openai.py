"""Chat models behind any server that speaks OpenAI's protocol.

Every request carries its purpose in the header `X-Noted-Call`.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.parsing import read_object, without_surrogates
from noted.models.retry import CONNECT_SECONDS, Retry, TryError, seconds_for
from noted.models.seam import Block, Prompt, Reply, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from openai import APIStatusError, OpenAI

PURPOSE_HEADER = "X-Noted-Call"
_OPENAI_URL = "https://api.openai.com/v1"
# One of these headers is how the client finds its own way back to the raw body.
_PLATFORM_HEADER = re.compile(r"x-stainless-(?!raw-response$)", re.IGNORECASE)
# What OpenAI's strict mode takes of JSON schema; a schema with any other word is sent without `strict`.
_STRICT_KEYWORDS = frozenset(
    (
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"),
        *("description", "title"),
    )
)


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

    def call(self, prompt: Prompt) -> Reply:
        """One reply in at most two tries. Raises ModelUnavailable, ModelRefused or MalformedOutput."""
        request = self._request(prompt)

        def attempt(seconds: float) -> Reply:
            body = send(
                self._client.chat.completions.with_raw_response.create, prompt.purpose, request, seconds
            )
            return _reply(prompt, body)

        return self._retry.call(attempt, seconds_for(prompt.purpose))

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        messages = [{"role": "system", "content": _joined(prompt.system)}] if prompt.system else []
        messages += [
            {"role": message.role, "content": _joined(message.blocks)} for message in prompt.messages
        ]
        request: dict[str, Any] = {
            "model": self._model,
            "messages": messages,
            self._limit: prompt.max_output_tokens,
        }
        if prompt.schema is not None:
            json_schema: dict[str, Any] = {"name": prompt.purpose.value, "schema": prompt.schema}
            if _is_strict(prompt.schema):
                json_schema["strict"] = True
            request["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        return request


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


def _joined(blocks: Sequence[Block]) -> str:
    """One text of a message's blocks, so that equal leading blocks are equal leading bytes."""
    return without_surrogates("\n\n".join(block.text for block in blocks if block.text))


def _is_strict(schema: object) -> bool:
    """Whether OpenAI's strict mode takes the schema: known words, no object with open or optional fields."""
    if not isinstance(schema, Mapping) or not _STRICT_KEYWORDS.issuperset(schema):
        return False
    properties = schema.get("properties")
    if schema.get("type") == "object" or properties is not None:
        if not isinstance(properties, Mapping) or schema.get("additionalProperties") is not False:
            return False
        if set(schema.get("required", ())) != set(properties):
            return False
    nested = [*(properties or {}).values(), *schema.get("anyOf", ())]
    if "items" in schema:
        nested.append(schema["items"])
    return all(_is_strict(part) for part in nested)


def send(
    create: Callable[..., Any], purpose: str, request: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    """The body of the server's answer to one request. Raises TryError."""
    import openai
    from openai import Timeout

    try:
        response = create(
            **request,
            extra_headers={PURPOSE_HEADER: str(purpose)},
            timeout=Timeout(seconds, connect=min(CONNECT_SECONDS, seconds)),
        )
        body = json.loads(response.content)
    except openai.APITimeoutError as error:
        raise TryError(ModelUnavailable("timeout"), again=True, usage=_sent(error)) from None
    except openai.APIConnectionError as error:
        raise TryError(ModelUnavailable("unreachable"), again=True, usage=_sent(error)) from None
    except openai.APIStatusError as error:
        raise _status_failure(error) from None
    except openai.OpenAIError:
        raise TryError(ModelUnavailable("rejected"), again=False) from None
    except (ValueError, RecursionError):
        raise TryError(MalformedOutput("malformed"), again=True) from None
    if not isinstance(body, dict):
        raise TryError(MalformedOutput("malformed"), again=True)
    return body


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


def _reply(prompt: Prompt, body: Mapping[str, Any]) -> Reply:
    usage = _usage(body.get("usage"))
    try:
        choice = body["choices"][0]
        message = choice["message"]
        reason = choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise TryError(MalformedOutput("malformed"), again=True, usage=usage) from None
    if refusal or reason == "content_filter":
        raise TryError(ModelRefused("refused" if refusal else "filtered"), again=False, usage=usage)
    text = _text(content)
    if reason not in ("stop", "length", None) or not text.strip():
        # No tool was offered, so a tool call is no answer.
        raise TryError(MalformedOutput("malformed"), again=True, usage=usage)
    if prompt.schema is None:
        return Reply(text, usage=usage)
    if reason == "length":
        raise TryError(MalformedOutput("truncated"), again=True, usage=usage)
    try:
        return Reply(text, read_object(text), usage)
    except MalformedOutput as error:
        raise TryError(error, again=True, usage=usage) from None


def _text(content: object) -> str:
    """The text of a message: a string, or a list of parts as some servers send it."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return without_surrogates(content) if isinstance(content, str) else ""


def _usage(counts: object) -> Usage:
    fields = counts if isinstance(counts, dict) else {}
    details = fields.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    return Usage(
        _count(fields.get("prompt_tokens")),
        _count(fields.get("completion_tokens")),
        _count(details.get("cached_tokens")),
        _count(details.get("cache_write_tokens")),
        model_calls=1,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
