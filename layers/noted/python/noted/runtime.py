"""What a function runs on: its settings, the clock, the store and the models.

In Lambda it is made from the environment, and each part when it is first used, since an import that a
function does not need is paid for at every cold start. On one machine and in tests the parts are handed in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from noted import models
from noted.clock import Clock, SystemClock
from noted.identity import Principal, Secrets
from noted.models.seam import Embedder, LanguageModel
from noted.settings import Settings

if TYPE_CHECKING:
    from botocore.config import Config
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.store.queue import Queue
    from noted.store.repository import Repository


class Runtime:
    """The parts that handlers share. `drained` tells whether every writer that began before an instant has
    ended; by default that is known only by waiting for the longest timeout of any writer."""

    def __init__(
        self,
        settings: Settings,
        *,
        secrets: Callable[[], Secrets],
        dynamodb: Callable[[], DynamoDBClient],
        queue: Callable[[], Queue],
        clock: Clock | None = None,
        drained: Callable[[datetime], bool] | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock(settings.now)
        self._secrets = secrets
        self._dynamodb = dynamodb
        self._queue = queue
        self.drained = drained or self._drained_by_waiting
        self._environment = environment

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Runtime:
        """The runtime of a Lambda function."""
        settings = Settings.from_environment(environment)
        return cls(
            settings,
            secrets=lambda: _secret(environment["NOTED_SECRET_ARN"]),
            dynamodb=_dynamodb,
            queue=lambda: _queue(settings),
            environment=environment,
        )

    @cached_property
    def secrets(self) -> Secrets:
        """The keys of this service."""
        return self._secrets()

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """The client of the tables."""
        return self._dynamodb()

    @cached_property
    def queue(self) -> Queue:
        """Where work for later goes."""
        return self._queue()

    @cached_property
    def language_model(self) -> LanguageModel:
        """The model that answers."""
        return models.language_model(self.settings.model, environment=self._environment)

    @cached_property
    def extraction_model(self) -> LanguageModel:
        """The model of the background calls."""
        return models.language_model(self.settings.extraction_model, environment=self._environment)

    @cached_property
    def embedder(self) -> Embedder:
        """The model that turns texts into vectors."""
        return models.embedder(self.settings.embedder, environment=self._environment)

    def repository(self, principal: Principal) -> Repository:
        """The rows of one user, and of no other."""
        from noted.store.repository import Repository

        return Repository(
            self.dynamodb,
            self.settings.table_prefix,
            principal,
            self.secrets,
            self.settings.retention,
            self.clock,
        )

    def _drained_by_waiting(self, since: datetime) -> bool:
        return self.clock.now() >= since + timedelta(seconds=self.settings.drain_seconds)


def _client_config(read_timeout: float) -> Config:
    from botocore.config import Config

    # A stuck connection must not eat the caller's time; three attempts with jitter ride out a throttle.
    return Config(
        connect_timeout=1, read_timeout=read_timeout, retries={"mode": "standard", "total_max_attempts": 3}
    )


def _dynamodb() -> DynamoDBClient:
    import boto3

    client: DynamoDBClient = boto3.client("dynamodb", config=_client_config(2))
    return client


def _queue(settings: Settings) -> Queue:
    import boto3

    from noted.store.queue import SqsQueue

    if not settings.queue_url:
        raise ValueError("NOTED_QUEUE_URL is not set")
    return SqsQueue(boto3.client("sqs", config=_client_config(2)), settings.queue_url)


def _secret(arn: str) -> Secrets:
    import boto3

    client = boto3.client("secretsmanager", config=_client_config(5))
    return Secrets(client.get_secret_value(SecretId=arn)["SecretString"].encode())
