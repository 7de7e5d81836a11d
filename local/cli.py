"""The command line: `noted serve`, `noted token`, `noted chat`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

# Two threads of a linear algebra library on a small machine slow each other down many times over. It reads
# this when it is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from local.issuer import DEFAULT_SCOPES, DEFAULT_TTL, InvalidKeyFileError, Issuer
from noted import __version__

_EPILOG = """\
environment:
  NOTED_PORT              port of the server on 127.0.0.1 (default 8787)
  NOTED_DATA              folder of all data and keys (default .noted)
  NOTED_MODEL             bedrock:<id>, openai:<model> or offline (default)
  NOTED_EXTRACTION_MODEL  the same forms, for the background calls (default: NOTED_MODEL)
  NOTED_EMBEDDER          bedrock:<id>, openai:<model> or local (default)
  NOTED_NOW               an instant at which the clock starts, for demos: 2026-03-10T12:00:00Z
  OPENAI_BASE_URL, OPENAI_API_KEY   where openai:<model> is found
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (ValueError, InvalidKeyFileError) as error:
        print(f"noted: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="noted",
        description="Noted on this machine: an assistant's memory that its users own.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"noted {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    serve = commands.add_parser("serve", help="serve the API and the page (what `make run` does)")
    serve.set_defaults(run=_serve)

    token = commands.add_parser(
        "token",
        help="print a token for a local user",
        description="Prints a JWT of the local issuer, and nothing else: "
        'curl -H "Authorization: Bearer $(noted token alice)" http://127.0.0.1:8787/v1/facts',
    )
    token.add_argument("subject", help="the user: 1 to 255 printable ASCII characters without blanks")
    token.add_argument(
        "--scope",
        action="append",
        default=[],
        metavar="SCOPE",
        help=f"add a scope to {' and '.join(DEFAULT_SCOPES)}; may be given again",
    )
    token.add_argument(
        "--ttl",
        type=int,
        default=DEFAULT_TTL,
        metavar="SECONDS",
        help="how long it is valid (default %(default)s)",
    )
    token.set_defaults(run=_token)

    chat = commands.add_parser("chat", help="talk to the running server in the terminal")
    chat.add_argument(
        "--user", default="alice", metavar="SUBJECT", help="who is talking (default %(default)s)"
    )
    chat.set_defaults(run=_chat)
    return parser


def _serve(options: argparse.Namespace) -> int:
    from local.server import serve

    code = serve()
    sys.stdout.flush()
    sys.stderr.flush()
    # All has stopped but threads of functions that wait for a model, and the interpreter would wait for them.
    os._exit(code)


def _token(options: argparse.Namespace) -> int:
    print(_issuer().token(options.subject, [*DEFAULT_SCOPES, *options.scope], ttl=options.ttl))
    return 0


def _chat(options: argparse.Namespace) -> int:
    import httpx
    from rich.console import Console

    from local.chat import Chat, RequestFailedError
    from local.listener import HOST
    from local.server import port

    issuer, url = _issuer(), f"http://{HOST}:{port(os.environ)}"
    issuer.token(options.user)  # a subject that cannot be is told before anything is sent

    def sign(request: httpx.Request) -> httpx.Request:
        request.headers["Authorization"] = f"Bearer {issuer.token(options.user)}"
        return request

    def ask(prompt: str) -> str:
        return input(prompt if sys.stdin.isatty() else "")

    # A proxy of the environment has no business on the loopback interface.
    with httpx.Client(base_url=url, auth=sign, timeout=60, trust_env=False) as client:
        try:
            Chat(client, Console(highlight=False), ask).run()
        except httpx.TransportError:
            print(f"noted: nothing answers at {url}. Start the server with `make run`.", file=sys.stderr)
            return 1
        except RequestFailedError as error:
            print(f"noted: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print()
    return 0


def _issuer() -> Issuer:
    from local.server import data_folder

    return Issuer(data_folder(os.environ) / "issuer")


if __name__ == "__main__":
    sys.exit(main())
