"""The order of a rehearsal: deploy, use, change, take away, and look that nothing is left."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from local.issuer import Issuer
from noted.store.tables import TABLES
from rehearsal.assembly import Assembly, put_host_layer, settings, synthesise
from rehearsal.deploying import Cdk
from rehearsal.deployment import Deployment
from rehearsal.emulator import Emulator
from rehearsal.fixups import set_what_was_left_out, use_stand_in
from rehearsal.installing import python_version
from rehearsal.leftovers import keys_pending_deletion, leftovers
from rehearsal.listening import exposed
from rehearsal.places import LOOPBACK, environment, free_port
from rehearsal.selection import API, CHECKS
from rehearsal.steps import Steps
from rehearsal.testing import tested

_PAGE = "https://app.example.com"
# What the update changes: every function, a model of Bedrock with the rights that it needs, and all logs. The
# emulator knows nothing of inference profiles, nor of what Bedrock keeps.
_CHANGED = {
    "model": "bedrock:anthropic.claude-3-haiku-20240307-v1:0",
    "zero_retention": "false",
    "log_retention_days": "7",
}
_DRAIN_SECONDS = 2
_MARK = "Lives in Porto"


class RehearsalError(Exception):
    """What was found differs from what had to be there; the text tells what."""


@dataclass
class Rehearsal:
    """`folder`: a new one, for what lasts as long as the rehearsal. `logs`: where programs write."""

    steps: Steps
    folder: Path
    logs: Path
    emulator: Emulator
    issuer: Issuer

    def run(self, *, short: bool) -> None:
        """All of it; a short one without the tests of the API, which run on one machine as well, and without
        the update. Raises ProgramFailedError, TestsFailedError, RehearsalError.
        """
        port = free_port()
        first = self._synthesised("cdk synth", "first")
        cdk = Cdk(self.emulator, self.folder / "home", self.logs / "cdk.log")
        cdk.home.mkdir()
        with self.steps.step("cdk bootstrap"):
            cdk.bootstrap(first)
        with self.steps.step("cdk deploy --all") as step:
            deployment = self._deployed(cdk.deploy(first), port)
            step.told = f"{self._count(deployment)} resources"
        with self.steps.step("what the emulator left out") as step:
            step.told = f"{len(set_what_was_left_out(self.emulator, deployment.stack, first))} settings"
            use_stand_in(self.emulator, deployment.stack, _stand_in(port), _DRAIN_SECONDS)
            deployment.write(self.folder / "deployment.json")
        if not short:
            self._test("the tests of the API, over the gateway", API)
        self._test("gateway, queue, schedules, roles, tables", CHECKS)
        deployed = first if short else self._update(cdk, deployment)
        with self.steps.step("cdk destroy") as step:
            cdk.destroy(deployed)
            left = leftovers(self.emulator)
            if left:
                raise RehearsalError("left after the deployment was taken away:\n" + "\n".join(left))
            step.told = f"nothing left; {keys_pending_deletion(self.emulator)} keys wait for their deletion"

    def _update(self, cdk: Cdk, deployment: Deployment) -> Assembly:
        kept = self._remember(deployment)
        second = self._synthesised("cdk synth, with changes", "second", **_CHANGED)
        with self.steps.step("cdk deploy --all, an update") as step:
            changed = replace(deployment, outputs=cdk.deploy(second))
            set_what_was_left_out(self.emulator, deployment.stack, second)
            step.told = self._updated(changed, kept)
        return second

    def _synthesised(self, name: str, folder: str, **changes: str) -> Assembly:
        with self.steps.step(name) as step:
            chosen = settings(self.issuer.address, cors_origins=_PAGE, **changes)
            assembly = synthesise(self.folder / folder, self.logs / "cdk.log", environment(), chosen)
            put_host_layer(assembly, python_version())
            step.told = f"{len(assembly.template['Resources'])} resources in the template"
        return assembly

    def _deployed(self, outputs: Mapping[str, str], port: int) -> Deployment:
        [stack] = [
            each["StackName"]
            for each in self.emulator.client("cloudformation").describe_stacks()["Stacks"]
            if each["StackName"] != "CDKToolkit"
        ]
        if off := exposed(self.emulator.process_id):
            raise RehearsalError(f"the emulator listens on {', '.join(off)}")
        return Deployment(
            address=self.emulator.address,
            authority=str(self.emulator.authority),
            region=self.emulator.region,
            stack=stack,
            outputs=outputs,
            issuer=self.issuer.address,
            issuer_keys=str(self.folder / "issuer"),
            model_port=port,
        )

    def _count(self, deployment: Deployment) -> int:
        stacks = self.emulator.client("cloudformation").get_paginator("list_stack_resources")
        pages = stacks.paginate(StackName=deployment.stack)
        return sum(len(page["StackResourceSummaries"]) for page in pages)

    def _test(self, name: str, chosen: tuple[str, ...]) -> None:
        with self.steps.step(name) as step:
            counts = tested(self.folder / "deployment.json", self.logs / "tests.log", chosen, seconds=1800)
            step.told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))

    def _client(self, deployment: Deployment) -> httpx.Client:
        token = self.issuer.token("keeper", organisation="kept")
        return httpx.Client(
            base_url=deployment.url,
            headers={"Authorization": f"Bearer {token}"},
            verify=ssl.create_default_context(cafile=str(self.emulator.authority)),
            trust_env=False,
            timeout=60,
        )

    def _remember(self, deployment: Deployment) -> dict[str, int]:
        """Keeps a fact, and gives how many rows each table then has."""
        with self._client(deployment) as client:
            _expect(client.post("/v1/facts", json={"text": _MARK, "kind": "fact"}), 201)
        return self._rows(deployment)

    def _rows(self, deployment: Deployment) -> dict[str, int]:
        database = self.emulator.client("dynamodb")
        scan = database.get_paginator("scan")
        return {
            table.name: sum(page["Count"] for page in scan.paginate(TableName=deployment.table(table.name)))
            for table in TABLES
        }

    def _updated(self, deployment: Deployment, before: Mapping[str, int]) -> str:
        after = self._rows(deployment)
        if any(after[name] < count for name, count in before.items()):
            raise RehearsalError(f"rows were lost in the update: {before} before, {after} after")
        with self._client(deployment) as client:
            facts = _expect(client.get("/v1/facts"), 200)["items"]
            if [fact["text"] for fact in facts] != [_MARK]:
                raise RehearsalError("the fact that was told before the update is not there after it")
            conversation = _expect(client.post("/v1/conversations", json={}), 201)["conversation_id"]
            turn = _expect(
                client.post(f"/v1/conversations/{conversation}/turns", json={"message": "Where do I live?"}),
                201,
            )
        if not turn["usage"]["model_calls"] or not turn["answer"]:
            raise RehearsalError("the model of the update did not answer")
        return f"{sum(before.values())} rows kept, an answer by the model of the update"


def _expect(reply: httpx.Response, status: int) -> dict[str, Any]:
    if reply.status_code != status:
        request = reply.request
        raise RehearsalError(f"{request.method} {request.url.path}: {reply.status_code} {reply.text}")
    body: dict[str, Any] = reply.json()
    return body


def _stand_in(port: int) -> dict[str, str]:
    models = ("NOTED_MODEL", "NOTED_EXTRACTION_MODEL", "NOTED_EMBEDDER")
    address = {"OPENAI_BASE_URL": f"http://{LOOPBACK}:{port}/v1", "OPENAI_API_KEY": "stand-in"}
    return address | dict.fromkeys(models, "openai:stand-in")
