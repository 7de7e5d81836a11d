"""The token issuer of the rehearsal, as gateways know one: by https, with a configuration and a key set."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from local.issuer import Issuer
from rehearsal.certificates import Certificates
from rehearsal.places import LOOPBACK

# OpenID Connect Discovery 1.0, section 4.
_CONFIGURATION = "/.well-known/openid-configuration"
_KEYS = "/keys"


@contextmanager
def published_issuer(folder: Path, certificates: Certificates) -> Iterator[Issuer]:
    """An issuer whose keys lie in `folder`, served on a free port of the loopback until the block ends."""
    server = ThreadingHTTPServer((LOOPBACK, 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.server, certificates.key)
    # Without this the one thread that accepts would wait for each client's greeting.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    issuer = Issuer(folder, address=f"https://{LOOPBACK}:{server.server_address[1]}")
    server.RequestHandlerClass = _handler(issuer)
    # A gateway keeps a key set for hours, so there has to be a key in it from the beginning.
    issuer.token("nobody")
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="issuer", daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            documents = {
                _CONFIGURATION: lambda: {"issuer": issuer.address, "jwks_uri": issuer.address + _KEYS},
                _KEYS: issuer.key_set,
            }
            document = documents.get(self.path)
            payload = json.dumps(document() if document else {}).encode()
            self.send_response(200 if document else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
            """Says nothing."""

    return Handler
