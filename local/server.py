"""The server process: `noted serve`, which `make run` starts."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from local import logs
from local.dynamodb import DynamoDBLocal, DynamoDBLocalError
from local.files import private_folder
from local.issuer import InvalidKeyFileError
from local.listener import PortTakenError, listen
from local.receipt_key import InvalidReceiptKeyError
from local.secret import InvalidSecretFileError
from local.service import Service, dynamodb_client, load_functions
from noted.settings import Settings

DEFAULT_PORT = 8787
DEFAULT_DATA = ".noted"
# Far more than the retries of a message take; what is not done by then is found through its mark.
_REDRIVE_SECONDS = 600


class _SignalReceived(BaseException):
    """The process was asked to end."""


class _NotStartedError(Exception):
    """A setting is wrong, or another server works on this data folder."""


# What a person can put right; the message says how.
_REFUSALS = (
    _NotStartedError,
    PortTakenError,
    DynamoDBLocalError,
    InvalidKeyFileError,
    InvalidSecretFileError,
    InvalidReceiptKeyError,
)


def data_folder(environment: Mapping[str, str]) -> Path:
    """Where the data of this machine is: `NOTED_DATA`."""
    return Path(environment.get("NOTED_DATA") or DEFAULT_DATA).expanduser().resolve()


def port(environment: Mapping[str, str]) -> int:
    """The port of this machine's server: `NOTED_PORT`; 0 takes any free one. Raises ValueError."""
    text = environment.get("NOTED_PORT") or str(DEFAULT_PORT)
    if not (text.isascii() and text.isdecimal() and int(text) <= 65535):
        raise ValueError("NOTED_PORT must be a number from 0 to 65535")
    return int(text)


def serve(environment: Mapping[str, str] = os.environ) -> int:
    """Serves until SIGINT or SIGTERM. Returns the exit code: 0, or 1 after a line that says what is wrong."""
    logs.configure()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    try:
        with ExitStack() as parts:
            _start(parts, environment)
            threading.Event().wait()
    except _SignalReceived:
        print("Noted has stopped.", flush=True)
    except _REFUSALS as error:
        print(f"noted: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


def replay_ledger(environment: Mapping[str, str] = os.environ) -> int:
    """Does every erasure again that the ledger knows of. Returns the exit code: 0, or 1 after a line that
    says what is wrong, such as that the server is running."""
    return _told(
        environment,
        Service.replay_ledger,
        "Erasures done again: {erasures}; rows that were back and are gone: {rows}.",
    )


def redrive(environment: Mapping[str, str] = os.environ) -> int:
    """Works off the dead letters that still mean something. Returns the exit code, as `replay_ledger`."""
    return _told(
        environment,
        lambda service: service.redrive(_REDRIVE_SECONDS),
        "Sent again: {sent}; dropped, since nothing is left to be done: {dropped}; left: {left}.",
    )


def _told(environment: Mapping[str, str], work: Callable[[Service], dict[str, Any]], sentence: str) -> int:
    """Does a piece of work on the folder of a server that is not running, and prints what came of it."""
    logs.configure()
    try:
        with ExitStack() as parts:
            settings = _settings(environment)
            data = private_folder(data_folder(environment))
            parts.enter_context(_sole_user_of(data))
            database = parts.enter_context(DynamoDBLocal()).start(private_folder(data / "dynamodb"))
            client = dynamodb_client(database.endpoint)
            service = Service(settings, data=data, dynamodb=client, environment=environment)
            parts.callback(service.stop)
            done = work(service)
    except (*_REFUSALS, TimeoutError) as error:
        print(f"noted: {error}", file=sys.stderr, flush=True)
        return 1
    print(sentence.format(**done))
    return 0


def _settings(environment: Mapping[str, str]) -> Settings:
    try:
        return Settings.from_environment(environment)
    except ValueError as error:
        raise _NotStartedError(str(error)) from None


def _start(parts: ExitStack, environment: Mapping[str, str]) -> None:
    try:
        settings, wanted_port = Settings.from_environment(environment), port(environment)
    except ValueError as error:
        raise _NotStartedError(str(error)) from None
    data = private_folder(data_folder(environment))
    parts.enter_context(_sole_user_of(data))
    listening = parts.enter_context(listen(wanted_port))
    print("Starting DynamoDB Local and the functions ...", flush=True)
    # Each takes seconds and waits for nothing of the other.
    threading.Thread(target=load_functions, name="load", daemon=True).start()
    database = parts.enter_context(DynamoDBLocal()).start(private_folder(data / "dynamodb"))
    client = dynamodb_client(database.endpoint)
    service = Service(settings, data=data, dynamodb=client, environment=environment)
    parts.callback(service.stop)
    try:
        service.load_models()
    except ValueError as error:
        raise _NotStartedError(str(error)) from None
    service.start(listening)
    print(_ready(service.url, settings, data, environment), flush=True)


def _ready(url: str, settings: Settings, data: Path, environment: Mapping[str, str]) -> str:
    model = settings.model
    if not environment.get("NOTED_MODEL"):
        configured = [name for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY") if environment.get(name)]
        if configured:
            model += f" ({configured[0]} is set; NOTED_MODEL=openai:<model> would use it)"
    return (
        f"Noted is ready: {url} | model {model} | extraction model {settings.extraction_model}"
        f" | embedder {settings.embedder} | store DynamoDB Local | data {data}"
    )


@contextmanager
def _sole_user_of(data: Path) -> Iterator[None]:
    # The lock belongs to the process and ends with it, however it ends.
    with (data / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _NotStartedError(f"Another server works on {data}. Stop it or set NOTED_DATA.") from None
        yield


def _end(number: int, frame: FrameType | None) -> None:
    # From here on the parts stop in order, within seconds. `make` and a terminal may each send the signal.
    for handled in (signal.SIGINT, signal.SIGTERM):
        signal.signal(handled, signal.SIG_IGN)
    raise _SignalReceived
