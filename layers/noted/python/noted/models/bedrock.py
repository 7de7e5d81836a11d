"""Chat models of Amazon Bedrock through Converse.

Every request carries its purpose as request metadata `noted-call`. Data is asked for by forcing a tool that
is named after the purpose: the tool's input is the data. A stream needs the right
`bedrock:InvokeModelWithResponseStream`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol, cast

from noted.errors import ModelUnavailable
from noted.models.bedrock_reply import read_reply
from noted.models.bedrock_request import request_body
from noted.models.bedrock_stream import read_stream
from noted.models.retry import (
    CONNECT_SECONDS,
    TRY_SECONDS,
    Retry,
    TryError,
    seconds_for,
)
from noted.models.seam import Prompt, Reply, Usage

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

# The error codes that a later try may not meet, and the word for each.
_PASSING = {
    "ThrottlingException": "throttled",
    "TooManyRequestsException": "throttled",
    "ModelTimeoutException": "timeout",
    "RequestTimeout": "timeout",
    "ModelErrorException": "failed",
    "ModelStreamErrorException": "failed",
    "ModelNotReadyException": "failed",
    "ServiceUnavailableException": "failed",
    "InternalServerException": "failed",
}


class BedrockRuntime(Protocol):
    """What is used of boto3's `bedrock-runtime` client."""

    def converse(self, **request: Any) -> dict[str, Any]: ...

    def converse_stream(self, **request: Any) -> dict[str, Any]: ...

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

    def call(self, prompt: Prompt) -> Reply:
        """One reply in at most two tries. Raises ModelUnavailable, ModelRefused or MalformedOutput."""
        request = request_body(self._model, prompt)

        def attempt(_seconds: float) -> Reply:
            return read_reply(prompt, send(self._client.converse, request))

        return self._retry.call(attempt, seconds_for(prompt))

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The pieces of a reply, then the reply. Raises ModelUnavailable (`broken` where the connection was
        lost half way), ModelRefused or MalformedOutput."""
        request = request_body(self._model, prompt)

        def attempt(_seconds: float) -> Generator[str | Reply, None, None]:
            with closing(self._events(request)) as events:
                yield from read_stream(prompt, events)

        return self._retry.stream(attempt, seconds_for(prompt))

    def _events(self, request: Mapping[str, Any]) -> Generator[Mapping[str, Any], None, None]:
        """The events of one streamed reply. Raises TryError."""
        from botocore import exceptions
        from botocore.eventstream import ParserError
        from urllib3 import exceptions as connection

        with closing(send(self._client.converse_stream, request)["stream"]) as events:
            try:
                yield from events
            except exceptions.EventStreamError as error:
                raise _event_failure(error) from None
            except connection.TimeoutError:
                raise TryError(ModelUnavailable("timeout"), again=True) from None
            except (connection.HTTPError, ParserError, OSError, ValueError):
                # The stream is not wrapped by the client: these are the errors of its connection and of bytes
                # that are not whole.
                raise TryError(ModelUnavailable("broken"), again=True) from None


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


def _event_failure(error: ClientError) -> TryError:
    """An exception that came as an event. Its name there begins with a small letter; one without a known name
    came from Bedrock's own side, since the request was accepted."""
    code = error.response.get("Error", {}).get("Code", "")
    if code == "validationException":
        return TryError(ModelUnavailable("rejected"), again=False)
    return TryError(ModelUnavailable(_PASSING.get(code[:1].upper() + code[1:], "failed")), again=True)
