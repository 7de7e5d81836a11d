"""An erasure, from the request to a receipt that anybody can check."""

from __future__ import annotations

import json
import ssl
from pathlib import Path

import httpx
import pytest

from local.cli import main
from rehearsal.deployment import Deployment
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import begin, content_rows, erase, facts, judge, learn, ok, say, tell, texts


def test_everything_is_erased_and_the_published_key_proves_it(
    service: ServiceUnderTest,
    deployment: Deployment,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    learn(service, alice, "I like jazz", "Likes jazz")
    judge(alice, tell(alice, "Plans to retire at 55", kind="goal"), "confirmed")
    say(alice, begin(alice), "What did I tell you?")
    tell(bob, "Has a parrot")
    assert {row["table"] for row in content_rows(service, "alice")} == {"memory", "verdicts", "keys"}

    done = erase(alice)

    assert done["receipt"]["checked"] == ["memory", "verdicts", "keys"]
    assert content_rows(service, "alice") == []
    assert facts(alice) == []
    assert texts(facts(bob)) == ["Has a parrot"]
    # Signed by KMS, and checked with the key that is published to everybody.
    kept, keys = tmp_path / "erasure.json", tmp_path / "keys.json"
    kept.write_text(json.dumps(done))
    tls = ssl.create_default_context(cafile=deployment.authority)
    published = httpx.get(f"{deployment.url}/v1/receipt-keys", verify=tls, trust_env=False)
    keys.write_text(published.raise_for_status().text)
    assert main(["verify-receipt", str(kept), "--keys", str(keys)]) == 0
    assert capsys.readouterr().out.startswith(f"valid: erasure {done['erasure_id']} of memory")
    kept.write_text(json.dumps({**done, "receipt": {**done["receipt"], "counts": {"memory": 1}}}))
    assert main(["verify-receipt", str(kept), "--keys", str(keys)]) == 1
    assert ok(alice.get(f"/v1/erasures/{done['erasure_id']}")) == done
