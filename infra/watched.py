"""What of a deployment is watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

from noted.store.tables import Table


@dataclass(frozen=True)
class Watched:
    """The parts of a deployment that are watched. `functions` by name, and `schedules` by the name of the
    function that they call; `http_api` is an id, `streaming_api` a name, as CloudWatch knows them; `queue`
    feeds the extraction and `dead_letters` is where it gives up."""

    functions: Mapping[str, lambda_.Function]
    schedules: Mapping[str, events.Rule]
    http_api: str
    streaming_api: str
    queue: sqs.Queue
    dead_letters: sqs.Queue
    tables: Mapping[Table, dynamodb.TableV2]
    keys: Iterable[kms.Key]
