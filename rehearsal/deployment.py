"""A deployment as its tests meet it: where it answers, and what an operator may look at."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from noted.identity import Secrets
from noted.runtime import Runtime
from noted.settings import Settings
from rehearsal.emulator import Emulator

_SETTLED_SECONDS = 0.3


@dataclass(frozen=True)
class Deployment:
    """`stack` also begins the names of its tables and functions; `model_port` is where the functions look for
    the stand-in for models. Kept in a file for the program that tests it."""

    address: str
    authority: str
    region: str
    stack: str
    outputs: Mapping[str, str]
    issuer: str
    issuer_keys: str
    model_port: int

    def write(self, path: Path) -> None:
        """Keeps it in a file."""
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Deployment:
        """The one of a file."""
        return cls(**json.loads(path.read_text()))

    @property
    def emulator(self) -> Emulator:
        """Where it is deployed."""
        return Emulator(self.address, Path(self.authority), self.region, 0)

    @property
    def url(self) -> str:
        """The HTTP API. The emulator takes its name from the path, since nobody resolves its host."""
        return f"{self.address}/_aws/execute-api/{_api(self.outputs['Address'])}/$default"

    @property
    def streaming_url(self) -> str:
        """The REST API."""
        told = self.outputs["StreamingAddress"]
        return f"{self.address}/_aws/execute-api/{_api(told)}{urlsplit(told).path}"

    def function(self, name: str) -> str:
        """The name of a function."""
        return f"{self.stack}-{name}"

    def table(self, name: str) -> str:
        """The name of a table."""
        return f"{self.stack}-{name}"

    def invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        """What a function returns. Raises RuntimeError if it failed."""
        functions = self.emulator.client("lambda")
        reply = functions.invoke(FunctionName=self.function(function), Payload=json.dumps(event).encode())
        payload = json.loads(reply["Payload"].read() or b"null")
        if "FunctionError" in reply:
            raise RuntimeError(f"{function} failed: {payload.get('errorType')}")
        return payload

    @cached_property
    def secrets(self) -> Secrets:
        """The service's secret, as its functions read it."""
        arn = self._environment("recall")["NOTED_SECRET_ARN"]
        kept = self.emulator.client("secretsmanager").get_secret_value(SecretId=arn)
        return Secrets(kept["SecretString"].encode())

    @cached_property
    def runtime(self) -> Runtime:
        """The tables and the secret as an operator reaches them, whom no role holds to one user's rows. The
        rest of a runtime is the functions' alone."""

        def withheld() -> Any:
            raise RuntimeError("only the functions have this")

        return Runtime(
            Settings(table_prefix=self.stack),
            secrets=lambda: self.secrets,
            dynamodb=lambda: self.emulator.client("dynamodb"),
            queue=withheld,
            key_wrapper=withheld,
            receipt_signer=withheld,
        )

    @cached_property
    def queues(self) -> DeployedQueue:
        """The queue of extraction and the one of its dead letters."""
        return DeployedQueue(self.emulator.client("sqs"), self._environment("answer")["NOTED_QUEUE_URL"])

    def _environment(self, function: str) -> Mapping[str, str]:
        functions = self.emulator.client("lambda")
        found = functions.get_function_configuration(FunctionName=self.function(function))
        variables: Mapping[str, str] = found["Environment"]["Variables"]
        return variables


class DeployedQueue:
    """What an operator sees of a queue. Nobody but the functions may send to it."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self.url = url
        policy = self.attributes(url)["RedrivePolicy"]
        self.dead_letters: str = client.get_queue_url(
            QueueName=json.loads(policy)["deadLetterTargetArn"].rpartition(":")[2]
        )["QueueUrl"]

    def attributes(self, url: str) -> Mapping[str, str]:
        """All that the queue at `url` tells of itself."""
        told: Mapping[str, str] = self._client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])[
            "Attributes"
        ]
        return told

    def waiting(self, url: str) -> int:
        """How many messages it holds, those that are being worked on too."""
        told = self.attributes(url)
        return int(told["ApproximateNumberOfMessages"]) + int(told["ApproximateNumberOfMessagesNotVisible"])

    def show_again_after(self, seconds: int) -> None:
        """How long a failed message stays hidden."""
        self._client.set_queue_attributes(QueueUrl=self.url, Attributes={"VisibilityTimeout": str(seconds)})

    def empty(self, url: str) -> list[str]:
        """Takes all messages out and gives their bodies."""
        bodies = []
        while messages := self._client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                bodies.append(message["Body"])
                self._client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return bodies

    def purge(self) -> None:
        """Throws away what is left in it."""
        self._client.purge_queue(QueueUrl=self.url)

    def drain(self, timeout: float = 60) -> None:
        """Returns when every message has been worked off or is a dead letter. Raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while self.waiting(self.url):
            if time.monotonic() > deadline:
                raise TimeoutError("messages are left")
            time.sleep(_SETTLED_SECONDS)


def _api(output: str) -> str:
    host = urlsplit(output).hostname or ""
    return host.partition(".")[0]
