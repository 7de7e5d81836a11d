"""What a fresh process does before its first request; prints the milliseconds of processor time that it took.

    python fresh.py bare
    python fresh.py function FOLDER
    python fresh.py stream FOLDER

It runs by its path and imports nothing of the evaluations, since what it imports is what is measured.
"""

import sys
import time
from pathlib import Path


def bare() -> None:
    """What every program that speaks to DynamoDB pays."""
    import boto3

    boto3.client("dynamodb")


def function(folder: str) -> None:
    """What a function does: its handler, over a runtime with its client of the tables if it has any."""
    # The handler is a module of its own in Lambda, found in the function's folder.
    sys.path.insert(0, str(Path(folder)))
    import handler

    if "function_handler" in vars(handler):
        from noted.runtime import Runtime

        runtime = Runtime.from_environment()
        handler.build(runtime)
        _ = runtime.dynamodb


def stream(folder: str) -> None:
    """The same under the client of the Runtime API that streams."""
    from noted.streaming import loop, runtime_api  # noqa: F401 (what the wrapper starts)

    function(folder)


if __name__ == "__main__":
    _MEASURED = {"bare": bare, "function": function, "stream": stream}[sys.argv[1]]
    _BEGIN = time.process_time()
    _MEASURED(*sys.argv[2:])
    print(1000 * (time.process_time() - _BEGIN))
