"""The rights of all roles as a table: who, what, on what, under which condition, and why.

    .venv/bin/python -m infra.iam_table                          docs/iam.md, of the deployment that it names
    .venv/bin/python -m infra.iam_table cdk.out/X.template.json  the table alone, of any deployment

It is made of the template, so it is what IAM gets, and of the reasons in `infra.access` and below. A right
without a reason raises KeyError.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.access import ACCESS, ACROSS_USERS, GUARDING, Access

# The deployment whose rights are told: each setting that changes one.
SHOWN: Mapping[str, Any] = {
    "environment": "prod",
    "prefix": "noted",
    "region": "eu-central-1",
    "model": "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0",
    "extraction_model": "bedrock:amazon.nova-lite-v1:0",
    "embedder": "bedrock:cohere.embed-multilingual-v3",
    "reranker": "none",
    "names": "comprehend",
    "identity": "oidc",
    "token_issuer": "https://login.example.org/realm",
    "token_audience": "memory-clients",
    "zero_retention": True,
    "session_policies": False,
    "gateway_log_role": False,
    "tracing": False,
}

_OTHERS = {
    "bedrock:GetAccountDataRetention": "Whether Bedrock keeps what models are told, looked at each day",
    "bedrock:GetModelInvocationLoggingConfiguration": "Whether calls of models are written down",
    "bedrock:InvokeModel": "The models of the settings, and no other",
    "bedrock:InvokeModelWithResponseStream": "An answer comes in pieces",
    "bedrock:PutAccountDataRetention": "Nothing is to be kept, set at the deployment",
    "comprehend:DetectPiiEntities": "Names are found and masked; the action knows no resource",
    "kms:Decrypt": "The data key of a user is opened, with that user's whole context",
    "kms:GenerateDataKey": "The first data key of a user is made",
    "kms:GetPublicKey": "The public half is published, to check receipts with",
    "kms:Sign": "A receipt is signed; the private half never leaves KMS",
    "logs:CreateLogStream": "Its own log",
    "logs:PutLogEvents": "Its own log",
    "secretsmanager:GetSecretValue": "Ids of users and cursors are derived from it",
    "sqs:DeleteMessage": "What is done is taken off",
    "sqs:GetQueueAttributes": "Lambda takes messages to the worker with the worker's role",
    "sqs:ReceiveMessage": "Work, and what an operator has brought back from the dead letters",
    "sqs:SendMessage": "Work for after the answer; what was lost is sent again",
    "sts:AssumeRole": "The rows of one user, in a session of that user",
    "sts:TagSession": "The rows of one user, in a session of that user",
    "xray:PutTelemetryRecords": "Traces, where that is set; X-Ray knows no resource",
    "xray:PutTraceSegments": "Traces, where that is set; X-Ray knows no resource",
}
_HEAD = "| role | actions | resource | condition | reason |\n|---|---|---|---|---|"
_PAGE = """# Who may do what

Made by `python -m infra.iam_table > docs/iam.md` from the template and from the reasons in `infra/access.py`;
a test fails where it is older than they are. Each function has a role of its own that only Lambda takes, no
managed policy is attached to any, and what is not in this table nobody may. `tests/infra/test_refusals.py`
has what each is refused, one test a refusal.

The deployment shown has models of Bedrock (an answering one through an inference profile), names found by
Comprehend, and no session policies ([isolation](isolation.md) tells what these change). For the rights of the
deployment that you have: `make synth`, then `python -m infra.iam_table cdk.out/Noted.template.json`.

`LeadingKeys` are the partitions, `Attributes` the attributes that a request of DynamoDB may name. Where a
condition says *is there*, a request without that key is refused: of such a one the other half would be true.

What no right can say, and the code alone holds to:

- **A put replaces nothing.** IAM knows no condition on what a put finds in its place. That a verdict, a
  user's data key and a finished receipt are never overwritten is a condition of the write itself, not of
  the role.
- **Facts are written by three.** What a user asks to have remembered is kept before the answer, and what
  they enter or correct at once; so `answer` (with `stream`) and `verdicts` put facts, as `extraction`
  does. None of them deletes one.
- **An erasure reads no content.** A delete on its own could give the row back and is refused; a part of
  a transaction could, where its condition fails and the request asks for it, and no condition key tells
  that. The deletes of this project do not ask.
- **A batch of deletes could hold puts.** The eraser's may bring keys and nothing else (`Attributes`):
  such a put empties a row, as deleting it would. Whether AWS tells the attributes of a delete's key is
  not documented, so a batch that tells none passes.

"""


@dataclass(frozen=True)
class Right:
    """One line. Actions and resources are in the order of the alphabet."""

    role: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: str
    reason: str


def document(template: Mapping[str, Any]) -> str:
    """The page docs/iam.md."""
    return _PAGE + table(template)


def table(template: Mapping[str, Any]) -> str:
    """The rights of a template, a line each."""
    lines = [
        f"| {right.role} | {', '.join(right.actions)} | {', '.join(right.resources)} | {right.condition} "
        f"| {right.reason} |"
        for right in rights(template)
    ]
    return "\n".join([_HEAD, *lines]) + "\n"


def rights(template: Mapping[str, Any]) -> list[Right]:
    """The rights of a template by role. Raises KeyError for an action that nobody gave a reason for."""
    resources: dict[tuple[str, tuple[str, ...], str, str], set[str]] = {}
    for role, actions, resource, condition, reason in _rights(template["Resources"]):
        resources.setdefault((role, actions, condition, reason), set()).add(resource)
    lines = [
        Right(role, actions, tuple(sorted(on)), condition, reason)
        for (role, actions, condition, reason), on in resources.items()
    ]
    return sorted(lines, key=lambda right: (right.role, right.actions, right.resources))


def _rights(resources: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...], str, str, str]]:
    names = _Names(resources)
    for policy in resources.values():
        if policy["Type"] != "AWS::IAM::Policy":
            continue
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            condition = names.condition(statement.get("Condition", {}))
            for role in policy["Properties"]["Roles"]:
                for resource in _listed(statement["Resource"]):
                    owner, name = names.role(role["Ref"]), names.resource(resource)
                    for actions, reason in _by_reason(owner, name, statement):
                        yield owner, actions, name, condition, reason


def _by_reason(
    role: str, resource: str, statement: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], str]]:
    found: dict[str, list[str]] = {}
    for action in sorted(_listed(statement["Action"])):
        reasons = (
            _reasons(role, resource, action.removeprefix("dynamodb:"), statement)
            if action.startswith("dynamodb:")
            else [_OTHERS[action]]
        )
        found.setdefault("; ".join(reasons), []).append(action)
    return ((tuple(actions), reason) for reason, actions in found.items())


def _reasons(role: str, resource: str, operation: str, statement: Mapping[str, Any]) -> list[str]:
    group = {"stream": "answer"}.get(role.partition(" ")[0], role.partition(" ")[0])
    entries = (*GUARDING, *ACCESS[group], *ACROSS_USERS.get(group, ()))
    reasons = [
        entry.reason
        for entry in entries
        if operation in entry.actions and _resource(entry) == resource and _is_meant(entry, statement)
    ]
    if not reasons:
        raise KeyError(f"{role}: {operation} on {resource}")
    return list(dict.fromkeys(reasons))


def _is_meant(entry: Access, statement: Mapping[str, Any]) -> bool:
    # A session holds to the partitions of its user, whatever the function itself is held to.
    conditions = statement.get("Condition", {})
    if "PrincipalTag" in json.dumps(conditions):
        return entry not in GUARDING
    return bool(conditions == entry.conditions())


def _resource(entry: Access) -> str:
    return f"table {entry.table.name}" + (f", index {entry.index.name}" if entry.index else "")


class _Names:
    """What the resources of a template are called in the table."""

    def __init__(self, resources: Mapping[str, Any]) -> None:
        self._resources = resources
        functions = [each for each in resources.values() if each["Type"] == "AWS::Lambda::Function"]
        # The part after the prefix of the deployment, which all names share.
        self._roles: dict[str, str] = {
            each["Properties"]["Role"]["Fn::GetAtt"][0]: each["Properties"]["FunctionName"].rpartition("-")[2]
            for each in functions
        }

    def role(self, logical_id: str) -> str:
        """A function, or the sessions of its users."""
        if logical_id in self._roles:
            return self._roles[logical_id]
        session = re.fullmatch(r"FunctionsSessions([A-Z][a-z]+)[0-9A-F]{8}", logical_id)
        if session is None:
            raise KeyError(logical_id)
        return f"{session[1].lower()} (session)"

    def resource(self, value: Any) -> str:
        """A resource of a statement."""
        if isinstance(value, str):
            return f"`{value}`"
        if "Fn::Join" in value:
            parts = value["Fn::Join"][1]
            if isinstance(parts[0], dict) and str(parts[1]).startswith("/index/"):
                return f"{self.resource(parts[0])}, index {parts[1].removeprefix('/index/')}"
            text = "".join(each if isinstance(each, str) else f"<{each['Ref']}>" for each in parts)
            return f"`{text}`"
        logical_id = value["Ref"] if "Ref" in value else value["Fn::GetAtt"][0]
        return self._named(logical_id)

    def _named(self, logical_id: str) -> str:
        kind = self._resources[logical_id]["Type"].removeprefix("AWS::")
        properties = self._resources[logical_id]["Properties"]
        if kind == "DynamoDB::GlobalTable":
            return f"table {properties['TableName'].rpartition('-')[2]}"
        if kind == "SQS::Queue":
            return "the queue" if "RedrivePolicy" in properties else "its dead letters"
        if kind == "KMS::Key":
            return "the key of receipts" if "KeySpec" in properties else "the wrapping key"
        if kind == "IAM::Role":
            return f"the role {self.role(logical_id)}"
        told: dict[str, str] = {"Logs::LogGroup": "its log group", "SecretsManager::Secret": "the secret"}
        return told[kind]

    def condition(self, conditions: Mapping[str, Mapping[str, Any]]) -> str:
        """The conditions of a statement in a line."""
        told = [
            f"`{_short(key)}` {self._comparison(operator, wanted)}"
            for operator, keys in conditions.items()
            for key, wanted in keys.items()
            if operator != "Null"
        ]
        there = ", ".join(f"`{_short(key)}`" for key in conditions.get("Null", ()))
        return "; ".join([*told, *([f"{there} is there"] if there else [])])

    def _comparison(self, operator: str, wanted: Any) -> str:
        values = ", ".join(
            f"`{each}`" if isinstance(each, str) else self.resource(each) for each in _listed(wanted)
        )
        quantifier, _, plain = operator.rpartition(":")
        verb = "like" if "Like" in plain else "is"
        if plain.endswith("IfExists"):
            verb = f"if there {verb}"
        return f"{'all ' if quantifier == 'ForAllValues' else ''}{verb} {values}"


def _short(key: str) -> str:
    return key.removeprefix("dynamodb:").removeprefix("kms:")


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _synthesised() -> Mapping[str, Any]:
    # Here, since an import of aws_cdk starts Node.
    from aws_cdk import App
    from aws_cdk.assertions import Template

    from infra.settings import DeploymentSettings
    from infra.stack import NotedStack

    flags = json.loads((Path(__file__).parents[1] / "cdk.json").read_text("utf-8"))["context"]
    with tempfile.TemporaryDirectory() as folder:
        app = App(context={**flags, **SHOWN, "aws:cdk:bundling-stacks": []}, outdir=folder)
        stack = NotedStack(app, "Noted", DeploymentSettings.from_context(app.node.try_get_context))
        return dict(Template.from_stack(stack).to_json())


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(table(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
    else:
        sys.stdout.write(document(_synthesised()))
