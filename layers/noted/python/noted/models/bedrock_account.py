"""What Amazon Bedrock keeps of what models are told: two switches of an account, in each Region for itself.

The retention mode: under `none` nothing is kept, and a model that has to keep is refused (Amazon Bedrock User
Guide, "Data retention"); a Region where nobody has set one falls back to what each model does by default. And
the log of invocations, which holds whole prompts and answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

_NOTHING = "none"
# What of a log's settings says that texts go into it: those that models answer, and those that are embedded.
_OF_TEXTS = ("textDataDeliveryEnabled", "embeddingDataDeliveryEnabled")


class KeptByBedrock(Exception):
    """Bedrock keeps what models are told. The message says how, for the person who deploys."""


class BedrockControl(Protocol):
    """What is used of boto3's `bedrock` client."""

    def put_account_data_retention(self, **request: Any) -> dict[str, Any]: ...

    def get_account_data_retention(self) -> dict[str, Any]: ...

    def get_model_invocation_logging_configuration(self) -> dict[str, Any]: ...


def bedrock_control(environment: Mapping[str, str]) -> BedrockControl:
    """A client in the Region of AWS_REGION."""
    import boto3

    return cast(BedrockControl, boto3.client("bedrock", region_name=environment["AWS_REGION"]))


class BedrockAccount:
    """The two switches of this account in this Region."""

    def __init__(self, client: BedrockControl) -> None:
        self._client = client

    def keep_nothing(self) -> None:
        """Sets the retention mode. Raises KeptByBedrock, and sets nothing, while invocations are logged: the
        log may be somebody else's, so it is not turned off here."""
        self._refuse_log()
        self._client.put_account_data_retention(mode=_NOTHING)

    def check(self) -> None:
        """Raises KeptByBedrock if anything is kept."""
        mode = self._client.get_account_data_retention()["mode"]
        if mode != _NOTHING:
            raise KeptByBedrock(f"Bedrock's data retention mode is {mode} in this Region, not none.")
        self._refuse_log()

    def _refuse_log(self) -> None:
        settings = self._client.get_model_invocation_logging_configuration().get("loggingConfig")
        # What a log does not say about texts, it may take in.
        if settings and any(settings.get(kind, True) for kind in _OF_TEXTS):
            raise KeptByBedrock(
                "Bedrock logs the invocations of models in this Region, with whole prompts and answers. "
                "Turn that off: aws bedrock delete-model-invocation-logging-configuration"
            )
