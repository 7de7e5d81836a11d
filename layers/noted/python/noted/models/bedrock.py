"""Chat models of Amazon Bedrock through Converse.

Every request carries its purpose as request metadata `noted-call`. Data is asked for by forcing a tool that
is named after the purpose: the tool's input is the data.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.parsing import plain_object, read_object, without_surrogates
from noted.models.retry import (
    CONNECT_SECONDS,
    TRY_SECONDS,
    Retry,
    TryError,
    seconds_for,
)
from noted.models.seam import Block, Prompt, Reply, Usage

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

PURPOSE_KEY = "noted-call"
# Converse takes four cache points in a request.
_MAX_CACHE_POINTS = 4
_CACHE_POINT = {"cachePoint": {"type": "default"}}
# Bedrock refuses a request with a cache point for a model that has no prompt cache. An application inference
# profile does not tell its model: it gets them.
_CACHING = ("anthropic.claude", "amazon.nova", "application-inference-profile")
_NOT_CACHING = (
    "claude-v2",
    "claude-instant",
    "claude-3-haiku",
    "claude-3-sonnet",
    "claude-3-opus",
    "claude-3-5-sonnet-20240620",
)
# The error codes that a later try may not meet, and the word for each.
_PASSING = {
    "ThrottlingException": "throttled",
    "TooManyRequestsException": "throttled",
    "ModelTimeoutException": "timeout",
    "RequestTimeout": "timeout",
    "ModelErrorException": "failed",
    "ModelNotReadyException": "failed",
    "ServiceUnavailableException": "failed",
    "InternalServerException": "failed",
}


class BedrockRuntime(Protocol):
    """What is used of boto3's `bedrock-runtime` client."""

    def converse(self, **request: Any) -> dict[str, Any]: ...

    def invoke_model(self, **request: Any) -> dict[str, Any]: ...


def bedrock_runtime(environment: Mapping[str, str]) -> BedrockRuntime:
    """A client in the region of AWS_REGION that makes each request once. Raises ValueError without one."""
    import boto3
    from botocore.config import Config

    # At level DEBUG the client logs whole requests.
    logging.getLogger("botocore").setLevel(logging.INFO)
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if not region:
        raise ValueError("bedrock:<id> needs AWS_REGION")
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=TRY_SECONDS,
        retries={"mode": "standard", "total_max_attempts": 1},
    )
    return cast(BedrockRuntime, boto3.client("bedrock-runtime", region_name=region, config=config))


class BedrockLanguageModel:
    """A chat model behind Converse. `model` is a model id or the id or ARN of an inference profile."""

    def __init__(self, model: str, client: BedrockRuntime, retry: Retry | None = None) -> None:
        self.name = f"bedrock:{model}"
        self._model = model
        self._client = client
        self._retry = retry or Retry()
        self._caching = any(part in model for part in _CACHING) and not any(
            part in model for part in _NOT_CACHING
        )

    def call(self, prompt: Prompt) -> Reply:
        """One reply in at most two tries. Raises ModelUnavailable, ModelRefused or MalformedOutput."""
        request = self._request(prompt)

        def attempt(_seconds: float) -> Reply:
            return _reply(prompt, send(self._client.converse, request))

        return self._retry.call(attempt, seconds_for(prompt.purpose))

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        points = _cache_points(prompt, _MAX_CACHE_POINTS if self._caching else 0)
        system = _content(prompt.system, points)
        request: dict[str, Any] = {
            "modelId": self._model,
            "messages": [
                {"role": message.role, "content": _content(message.blocks, points)}
                for message in prompt.messages
            ],
            "inferenceConfig": {"maxTokens": prompt.max_output_tokens},
            "requestMetadata": {PURPOSE_KEY: prompt.purpose.value},
        }
        if system:
            request["system"] = system
        if prompt.schema is not None:
            name = prompt.purpose.value
            specification = {
                "name": name,
                "description": f"Takes the result of the {name}.",
                "inputSchema": {"json": prompt.schema},
            }
            request["toolConfig"] = {
                "tools": [{"toolSpec": specification}],
                "toolChoice": {"tool": {"name": name}},
            }
        return request


def _cache_points(prompt: Prompt, most: int) -> Iterator[bool]:
    """For each block that asks for a cache point, in order, whether it gets one: the last ones do."""
    blocks = [*prompt.system, *(block for message in prompt.messages for block in message.blocks)]
    asking = sum(block.cache_point and bool(block.text) for block in blocks)
    return (number >= asking - most for number in range(asking))


def _content(blocks: Sequence[Block], points: Iterator[bool]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for block in blocks:
        if block.text:
            content.append({"text": without_surrogates(block.text)})
            if block.cache_point and next(points):
                content.append(_CACHE_POINT)
    return content


def send(operation: Callable[..., Any], request: Mapping[str, Any]) -> Any:
    """What Bedrock answered to one request. Raises TryError."""
    from botocore import exceptions

    never_sent = Usage(model_calls=0)
    try:
        return operation(**request)
    except exceptions.ClientError as error:
        raise _client_failure(error) from None
    except exceptions.ConnectTimeoutError:
        raise TryError(ModelUnavailable("timeout"), again=True, usage=never_sent) from None
    except exceptions.ReadTimeoutError:
        raise TryError(ModelUnavailable("timeout"), again=True) from None
    except exceptions.EndpointConnectionError:
        raise TryError(ModelUnavailable("unreachable"), again=True, usage=never_sent) from None
    except (exceptions.HTTPClientError, exceptions.ConnectionError, exceptions.IncompleteReadError):
        raise TryError(ModelUnavailable("unreachable"), again=True) from None
    except exceptions.BotoCoreError:
        # No credentials, or a request that the client itself finds wrong.
        raise TryError(ModelUnavailable("rejected"), again=False, usage=never_sent) from None


def _client_failure(error: ClientError) -> TryError:
    code = error.response.get("Error", {}).get("Code", "")
    metadata = error.response.get("ResponseMetadata")
    status = metadata.get("HTTPStatusCode", 0) if metadata else 0
    reason = _PASSING.get(code) or ("failed" if status >= 500 else None)
    if reason is None:
        return TryError(ModelUnavailable("rejected"), again=False)
    headers = metadata.get("HTTPHeaders", {}) if metadata else {}
    try:
        after = float(headers["retry-after"])
    except (KeyError, ValueError):
        after = None
    return TryError(ModelUnavailable(reason), again=True, after=after)


def _reply(prompt: Prompt, response: Mapping[str, Any]) -> Reply:
    reason = response.get("stopReason")
    usage = _usage(response.get("usage", {}))
    if reason in ("guardrail_intervened", "content_filtered"):
        word = "guardrail" if reason == "guardrail_intervened" else "filtered"
        raise TryError(ModelRefused(word), again=False, usage=usage)
    content = response.get("output", {}).get("message", {}).get("content", [])
    text = without_surrogates("".join(block["text"] for block in content if "text" in block))
    # The same prompt would run out of the context window again.
    again = reason != "model_context_window_exceeded"
    if prompt.schema is None:
        ended = reason in ("end_turn", "stop_sequence", "max_tokens", "model_context_window_exceeded")
        if ended and text.strip():
            return Reply(text, usage=usage)
        raise TryError(MalformedOutput("malformed"), again=again, usage=usage)
    if reason in ("max_tokens", "model_context_window_exceeded"):
        raise TryError(MalformedOutput("truncated"), again=again, usage=usage)
    try:
        return Reply(text, _data(prompt, reason, content, text), usage)
    except MalformedOutput as error:
        raise TryError(error, again=True, usage=usage) from None


def _data(prompt: Prompt, reason: object, content: Sequence[Mapping[str, Any]], text: str) -> dict[str, Any]:
    """The forced tool's input; from a model that writes the object as text instead, that object."""
    if reason not in ("tool_use", "end_turn", "stop_sequence"):
        raise MalformedOutput("malformed")
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    if not uses:
        return read_object(text)
    if len(uses) > 1 or uses[0].get("name") != prompt.purpose.value:
        raise MalformedOutput("malformed")
    return plain_object(uses[0].get("input"))


def _usage(counts: Mapping[str, int]) -> Usage:
    return Usage(
        counts.get("inputTokens", 0),
        counts.get("outputTokens", 0),
        counts.get("cacheReadInputTokens", 0),
        counts.get("cacheWriteInputTokens", 0),
        model_calls=1,
    )
