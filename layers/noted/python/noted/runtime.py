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
from noted.models.metering import Meter, Metered, MeteredEmbedder
from noted.models.seam import Embedder, LanguageModel, Reranker
from noted.settings import Settings

if TYPE_CHECKING:
    from botocore.config import Config
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.privacy.masking import Detector, Masker
    from noted.store.index_cache import IndexCache
    from noted.store.memory import Memory
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
        self.environment = environment

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
    def meter(self) -> Meter:
        """Where the calls of models are counted."""
        return Meter(self.clock)

    @cached_property
    def language_model(self) -> LanguageModel:
        """The model that answers."""
        return self._metered(self.settings.model)

    @cached_property
    def extraction_model(self) -> LanguageModel:
        """The model of the background calls."""
        return self._metered(self.settings.extraction_model)

    @cached_property
    def embedder(self) -> Embedder:
        """The model that turns texts into vectors."""
        inner = models.embedder(self.settings.embedder, environment=self.environment)
        return MeteredEmbedder(inner, self.meter)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The model that reads the best facts again, None where there is none."""
        return models.reranker(self.settings.reranker, environment=self.environment)

    @cached_property
    def detector(self) -> Detector:
        """What finds personal values."""
        from noted.privacy.masking import Detector
        from noted.privacy.names import names_detector

        return Detector(names_detector(self.settings.names), self.settings.phone_region)

    def masker(self, memory: Memory) -> Masker:
        """What masks the texts of one user."""
        from noted.privacy.masking import Masker

        return Masker(memory.sealer.blind, self.detector)

    @cached_property
    def _index_cache(self) -> IndexCache:
        from noted.store.index_cache import IndexCache

        return IndexCache()

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
            self._index_cache,
        )

    def _metered(self, setting: str) -> LanguageModel:
        return Metered(models.language_model(setting, environment=self.environment), self.meter)

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
