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
from noted.breaker import Breaker
from noted.clock import Clock, SystemClock
from noted.deadline import NO_DEADLINE, Deadline
from noted.identity import Principal, Secrets, subject_reference
from noted.models.breaking import Breaking, BreakingEmbedder
from noted.models.metering import Meter, Metered, MeteredEmbedder
from noted.settings import Settings

if TYPE_CHECKING:
    from botocore.config import Config
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient

    from noted.models.seam import Embedder, LanguageModel, Reranker
    from noted.privacy.masking import Detector, Masker
    from noted.privacy.satellites import Satellite
    from noted.privacy.signing import Signer
    from noted.privacy.wrapping import KeyWrapper
    from noted.store.caches import Caches
    from noted.store.dead_letters import DeadLetters
    from noted.store.memory import Memory
    from noted.store.queue import Queue
    from noted.store.repository import Repository
    from noted.store.restoring import TablesInUse
    from noted.store.sessions import Credentials, SessionClients, Sts


class Runtime:
    """The parts that handlers share. `drained` tells whether every writer that began before an instant has
    ended; by default that is known only by waiting for the longest timeout of any writer."""

    def __init__(  # noqa: PLR0913 (each part is handed in by its name)
        self,
        settings: Settings,
        *,
        secrets: Callable[[], Secrets],
        dynamodb: Callable[[], DynamoDBClient],
        queue: Callable[[], Queue],
        key_wrapper: Callable[[], KeyWrapper],
        receipt_signer: Callable[[], Signer],
        clock: Clock | None = None,
        drained: Callable[[datetime], bool] | None = None,
        dead_letters: Callable[[], DeadLetters] | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock(settings.now)
        self._secrets = secrets
        self._dynamodb = dynamodb
        self._queue = queue
        self._key_wrapper = key_wrapper
        self._receipt_signer = receipt_signer
        self.drained = drained or self._drained_by_waiting
        self._dead_letters = dead_letters or (lambda: _dead_letters(settings))
        self.environment = environment
        self._cached: tuple[Mapping[str, str], Caches] | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Runtime:
        """The runtime of a Lambda function."""
        settings = Settings.from_environment(environment)
        return cls(
            settings,
            secrets=lambda: _secret(environment["NOTED_SECRET_ARN"]),
            dynamodb=_dynamodb,
            queue=lambda: _queue(settings),
            key_wrapper=lambda: _kms(environment.get("NOTED_KMS_KEY", "")),
            receipt_signer=lambda: _signer(environment["NOTED_RECEIPT_KEY"]),
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

    def client_of(self, principal: Principal) -> DynamoDBClient:
        """The client through which one user's rows are reached: one for all users, unless a role is set under
        which each has their own. Raises Unavailable."""
        if self._sessions is None:
            return self.dynamodb
        return self._sessions.of(principal, subject_reference(principal, self.secrets))

    @cached_property
    def _sessions(self) -> SessionClients | None:
        return _sessions(self.settings.session_role) if self.settings.session_role else None

    @cached_property
    def queue(self) -> Queue:
        """Where work for later goes."""
        return self._queue()

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """What the queue has given up. Raises ValueError in a function that is not told where."""
        return self._dead_letters()

    @cached_property
    def key_wrapper(self) -> KeyWrapper:
        """What wraps the data keys of users."""
        return self._key_wrapper()

    @cached_property
    def receipt_signer(self) -> Signer:
        """What signs receipts of erasures."""
        return self._receipt_signer()

    @cached_property
    def satellites(self) -> tuple[Satellite, ...]:
        """The places outside of the tables that are told of an erasure."""
        from noted.privacy.satellites import satellites_of

        connectors = self.settings.erasure_connectors
        return satellites_of(connectors, lambda: self.receipt_signer, self.clock)

    @cached_property
    def tables_in_use(self) -> TablesInUse:
        """What refuses to serve from a table that was restored."""
        from noted.store.database import Database
        from noted.store.restoring import TablesInUse

        prefix = self.settings.table_prefix
        database = Database(self.dynamodb, prefix, self.clock)
        return TablesInUse(self.dynamodb, prefix, database, self.clock)

    @cached_property
    def meter(self) -> Meter:
        """Where the calls of models are counted."""
        return Meter(self.clock)

    @cached_property
    def language_model(self) -> LanguageModel:
        """The model that answers."""
        return self._guarded(self.settings.model, "language-model")

    @cached_property
    def extraction_model(self) -> LanguageModel:
        """The model of the background calls. It has a breaker of its own, so that what goes wrong in the
        background keeps nobody from an answer."""
        return self._guarded(self.settings.extraction_model, "extraction-model")

    @cached_property
    def embedder(self) -> Embedder:
        """The model that turns texts into vectors."""
        inner = models.embedder(self.settings.embedder, environment=self.environment)
        return BreakingEmbedder(MeteredEmbedder(inner, self.meter), Breaker("embedder", self.clock))

    @cached_property
    def recall_breaker(self) -> Breaker:
        """Whether an answer waits for what the tables remember."""
        return Breaker("recall", self.clock)

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

    def repository(self, principal: Principal, deadline: Deadline = NO_DEADLINE) -> Repository:
        """The rows of one user, and of no other, until a deadline. Raises Restoring while there can be erased
        rows among them that a backup brought back."""
        self.tables_in_use.refuse_unless_replayed()
        return self.repository_in_repair(principal, deadline)

    def repository_in_repair(self, principal: Principal, deadline: Deadline = NO_DEADLINE) -> Repository:
        """The same, whatever was restored: for erasing, which nobody is to wait for."""
        from noted.store.repository import Deployment, Repository

        deployment = Deployment(
            self.settings.table_prefix,
            self.secrets,
            self.settings.retention,
            self.clock,
            self.key_wrapper,
            self._caches,
        )
        return Repository(self.client_of(principal), deployment, principal, deadline)

    @property
    def _caches(self) -> Caches:
        from noted.store.caches import Caches

        # A key in the cache may be one that the restored table of keys does not have.
        tables = self.tables_in_use.seen
        if self._cached is None or self._cached[0] != tables:
            self._cached = tables, Caches()
        return self._cached[1]

    def _guarded(self, setting: str, name: str) -> LanguageModel:
        model = models.language_model(setting, environment=self.environment)
        return Breaking(Metered(model, self.meter), Breaker(name, self.clock))

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


def _sessions(role: str) -> SessionClients:
    import boto3

    from noted.store.sessions import SessionClients

    # One session for all: it is its reading of service descriptions that makes a first client dear.
    session = boto3.Session()

    def client(credentials: Credentials) -> DynamoDBClient:
        made: DynamoDBClient = session.client(
            "dynamodb",
            config=_client_config(2),
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
        )
        return made

    sts: Sts = session.client("sts", config=_client_config(2))
    return SessionClients(role, sts, client)


def _queue(settings: Settings) -> Queue:
    import boto3

    from noted.store.queue import SqsQueue

    if not settings.queue_url:
        raise ValueError("NOTED_QUEUE_URL is not set")
    return SqsQueue(boto3.client("sqs", config=_client_config(2)), settings.queue_url)


def _dead_letters(settings: Settings) -> DeadLetters:
    import boto3

    from noted.store.dead_letters import SqsDeadLetters

    if not settings.dead_letters_url:
        raise ValueError("NOTED_DEAD_LETTERS_URL is not set")
    return SqsDeadLetters(boto3.client("sqs", config=_client_config(2)), settings.dead_letters_url)


def _kms(key_id: str) -> KeyWrapper:
    from noted.store.kms import KmsWrapper

    def client() -> KMSClient:
        import boto3

        made: KMSClient = boto3.client("kms", config=_client_config(2))
        return made

    return KmsWrapper(client, key_id)


def _signer(key_id: str) -> Signer:
    import boto3

    from noted.store.kms_signing import KmsSigner

    return KmsSigner(boto3.client("kms", config=_client_config(2)), key_id)


def _secret(arn: str) -> Secrets:
    import boto3

    client = boto3.client("secretsmanager", config=_client_config(5))
    return Secrets(client.get_secret_value(SecretId=arn)["SecretString"].encode())
