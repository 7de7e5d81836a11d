"""What a fresh process does before its first request; prints the milliseconds of processor time that it took.

    python fresh.py bare
    python fresh.py function FOLDER
    python fresh.py stream FOLDER

It runs by its path and imports nothing of the evaluations, since what it imports is what is measured.
"""

import importlib
import sys
import time


def bare() -> None:
    """What every program that speaks to DynamoDB pays."""
    import boto3

    boto3.client("dynamodb")


def function(folder: str) -> None:
    """What a function does: its handler, over a runtime with its client of the tables if it has any."""
    # The handler is a module of its own in Lambda, found in the function's folder.
    sys.path.insert(0, folder)
    handler = importlib.import_module("handler")
    if "function_handler" in vars(handler):
        from noted.runtime import Runtime
        from noted.store.repository import Repository  # noqa: F401 (each request makes one)

        runtime = Runtime.from_environment()
        handler.build(runtime)
        _ = runtime.dynamodb


def stream(folder: str) -> None:
    """The same under the client of the Runtime API that streams."""
    from noted.streaming import loop, runtime_api  # noqa: F401 (what the wrapper starts)

    function(folder)


if __name__ == "__main__":
    kind, *folders = sys.argv[1:]
    begin = time.process_time()
    if kind == "bare":
        bare()
    for each in folders:
        (stream if kind == "stream" else function)(each)
    print(1000 * (time.process_time() - begin))
