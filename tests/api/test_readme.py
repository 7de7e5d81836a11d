"""The conversation of the README, pasted as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from .conftest import ROOT, ServerProcess


def test_the_conversation_of_the_readme(tmp_path: Path, server_process: Callable[..., ServerProcess]) -> None:
    server = server_process(tmp_path / "noted", {"NOTED_RECALL_BUDGET_SECONDS": "10"})
    readme = (ROOT / "README.md").read_text("utf-8")
    [script] = [block for block in re.findall(r"```bash\n(.*?)```", readme, re.DOTALL) if "CHAT=" in block]
    done = subprocess.run(
        ["/bin/bash", "-e", "-u", "-c", script],
        cwd=ROOT,
        env=os.environ | {"NOTED_DATA": str(tmp_path / "noted"), "NOTED_PORT": server.url.rsplit(":", 1)[1]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    assert printed.startswith("Noted.\n")
    for told in ("Sister lives in London", "Is allergic to nuts", "Works nights", "rejected"):
        assert told in printed
    # After the rejection: in the recalled block, and in what was told.
    after = printed.split("rejected", 1)[1]
    assert "Works nights" not in after
    assert "Sister lives in London" in after
    assert '"status":"complete"' in after
