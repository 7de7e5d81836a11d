"""The models of an evaluation under load, as a process: the stand-in server of the tests with replies of a
known length and delay. What it costs to serve does not hide in the process that is measured.

    python -m evals.load.models --answer-ms 300

It prints its address and ends with its standard input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.standin import Call, Say, StandIn
from tests.standin.replies import extraction_item

ROOT = Path(__file__).resolve().parents[2]
# As many as the embedder that the stack has by default, Cohere's Embed 3: rows are as large as in the cloud.
DIMENSIONS = 1_024
_STATED = re.compile(r"I own (boat \d+ in harbour \d+)\.")
# 200 tokens at four characters each.
_ANSWER = ("The meeting can be prepared in an hour, with the papers of the last quarter at hand. " * 10)[:800]


def extracted(call: Call, delay: float) -> Say:
    """An extraction of what `statement` says, if the message says it."""
    found = _STATED.search(call.user)
    facts = [extraction_item(f"Owns {found[1]}", found[0])] if found else []
    return Say(json.dumps({"facts": facts}), delay=delay)


def statement(number: int) -> str:
    """A statement that the stand-in makes a fact of."""
    return f"I own boat {number} in harbour {number % 97}."


def vector(text: str) -> list[float]:
    """A vector by the words of a text: texts that share words come close."""
    values = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
        values[digest % DIMENSIONS] += 1.0 if digest >> 63 else -1.0
    return values


def _embedded(call: Call, delay: float) -> Say:
    rows = [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(call.body["input"])
    ]
    body = {"object": "list", "model": call.body.get("model"), "data": rows}
    return Say(delay=delay, body=body)


@contextmanager
def served(
    answer_ms: float = 0, background_ms: float = 0, embedding_ms: float = 0
) -> Iterator[dict[str, str]]:
    """Runs the models as a child; gives the settings that put the service's model calls through it."""
    delays = ("--answer-ms", answer_ms), ("--background-ms", background_ms), ("--embedding-ms", embedding_ms)
    command = [sys.executable, "-m", "evals.load.models"]
    command += [str(part) for delay in delays for part in delay]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            environment: dict[str, Any] = json.loads(child.stdout.readline())
            yield environment
        finally:
            child.stdin.close()
            child.wait(30)


def main() -> None:
    """Serves until the standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m evals.load.models")
    for name in ("answer", "background", "embedding"):
        parser.add_argument(f"--{name}-ms", type=float, default=0.0, help="delay of a reply (%(default)s)")
    chosen = parser.parse_args()
    background = chosen.background_ms / 1000
    with StandIn() as models:
        models.reply("answer", Say(_ANSWER, delay=chosen.answer_ms / 1000))
        models.reply("extraction", lambda call: extracted(call, background))
        models.reply("summary", Say("They plan a meeting and own boats.", delay=background))
        models.reply("episode", Say(_ANSWER[:400], delay=background))
        models.reply("embedding", lambda call: _embedded(call, chosen.embedding_ms / 1000))
        print(json.dumps(models.environment), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
