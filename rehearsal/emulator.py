"""MiniStack: an emulator of AWS that runs CloudFormation, the gateways, IAM and the functions themselves."""

from __future__ import annotations

import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

from rehearsal.certificates import Certificates
from rehearsal.places import CREDENTIALS, LOOPBACK, PYTHON, ROOT, environment, free_port
from rehearsal.processes import ProgramFailedError, started

_START_SECONDS = 60
_HEALTH = "/_ministack/health"
_PROGRAM = ROOT / "rehearsal" / "corrected_ministack.py"


@dataclass(frozen=True)
class Emulator:
    """A running emulator. `authority`: the file of whom to trust."""

    address: str
    authority: Path
    region: str
    process_id: int

    def variables(self) -> dict[str, str]:
        """What leads the AWS clients of another program here, and nowhere else."""
        return environment(
            AWS_ENDPOINT_URL=self.address,
            AWS_CA_BUNDLE=str(self.authority),
            NODE_EXTRA_CA_CERTS=str(self.authority),
            AWS_REGION=self.region,
            AWS_DEFAULT_REGION=self.region,
            **CREDENTIALS,
        )

    def client(self, service: str) -> Any:
        """A client of one of its services, for the root user. It knows no other address."""
        return _client(self.address, str(self.authority), self.region, service)


@contextmanager
def running_emulator(folder: Path, log: Path, region: str, certificates: Certificates) -> Iterator[Emulator]:
    """An emulator that keeps what it has in `folder` and in memory, on a free port of the loopback, until the
    block ends.

    Over TLS, since policies refuse what does not come by it; and with each function's role enforced.
    """
    port = free_port()
    address, authority = f"https://{LOOPBACK}:{port}", str(certificates.authority)
    settings = environment(
        GATEWAY_PORT=str(port),
        BIND_HOST=LOOPBACK,
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
        LAMBDA_EXECUTOR="local",
        PERSIST_STATE="0",
        USE_SSL="1",
        AUTH="true",
        MINISTACK_SSL_CERT=str(certificates.server),
        MINISTACK_SSL_KEY=str(certificates.key),
        TMPDIR=str(folder),
        # The functions inherit these. Without the authority each of their calls would fail.
        AWS_ENDPOINT_URL=address,
        AWS_CA_BUNDLE=authority,
        SSL_CERT_FILE=authority,
        REQUESTS_CA_BUNDLE=authority,
        PYTHONUNBUFFERED="1",
        **CREDENTIALS,
    )
    # A path of modules of this process is not for the functions.
    settings.pop("PYTHONPATH", None)
    with started([PYTHON, "-P", _PROGRAM], log, settings) as process:
        _await_health(process, address, certificates, log)
        yield Emulator(address, certificates.authority, region, process.pid)


def _await_health(
    process: subprocess.Popen[bytes], address: str, certificates: Certificates, log: Path
) -> None:
    context = ssl.create_default_context(cafile=str(certificates.authority))
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(address + _HEALTH, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise ProgramFailedError(f"the emulator did not start, see {log}")


@cache
def _client(address: str, authority: str, region: str, service: str) -> Any:
    import boto3
    from botocore.config import Config

    session = boto3.Session(
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        region_name=region,
    )
    config = Config(read_timeout=130, retries={"total_max_attempts": 1}, proxies={})
    return session.client(service, endpoint_url=address, verify=authority, config=config)
