"""The command line: `noted serve`, `noted token`, `noted chat`, `noted settings`, `noted export`, `noted
import`, `noted verify-receipt`, `noted replay-ledger`, `noted redrive`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Two threads of a linear algebra library on a small machine slow each other down many times over. It reads
# this when it is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from local.issuer import DEFAULT_SCOPES, DEFAULT_TTL, InvalidKeyFileError, Issuer
from noted import __version__

if TYPE_CHECKING:
    import httpx

    from local.rights import Rights

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
    token.add_argument(
        "--organisation",
        metavar="NAME",
        help="the organisation that the token belongs to (default: none); its users and compliance systems "
        "are apart from those of every other",
    )
    token.set_defaults(run=_token)

    chat = commands.add_parser("chat", help="talk to the running server in the terminal")
    _add_user(chat, "who is talking")
    chat.set_defaults(run=_chat)

    settings = commands.add_parser(
        "settings",
        help="show what a user has set about their memory, or set it",
        description="Without options shows what is set; each option changes one thing of it.",
    )
    _add_user(settings, "whose settings")
    settings.add_argument("--memory", choices=("on", "paused"), help="whether anything is kept and recalled")
    settings.add_argument(
        "--retention-days", metavar="DAYS|none", type=_days, help="the longest that anything is kept"
    )
    settings.add_argument("--timezone", metavar="ZONE", help="a zone of the IANA database")
    settings.add_argument("--language", metavar="TAG", help="a language tag such as pt-BR")
    for option, given in (("--consent", "give"), ("--withdraw", "withdraw")):
        settings.add_argument(
            option, action="append", default=[], metavar="NAME", help=f"{given} a consent; may be given again"
        )
    settings.set_defaults(run=_settings)

    export = commands.add_parser("export", help="write all that is held on a user into a new file")
    _add_user(export, "whose memory")
    export.add_argument("file", type=Path, nargs="?", default=Path("noted-export.json"), metavar="FILE")
    export.set_defaults(run=_export)

    take_back = commands.add_parser("import", help="bring an export back")
    _add_user(take_back, "whose memory it is to be")
    take_back.add_argument("file", type=Path, metavar="FILE")
    take_back.set_defaults(run=_import)

    verify = commands.add_parser(
        "verify-receipt",
        help="check the receipt of an erasure against the published keys",
        description="Checks that a receipt is what the service signed; no server has to run for a key file.",
    )
    verify.add_argument(
        "receipt", type=Path, metavar="FILE", help="the receipt, or the erasure that holds it"
    )
    verify.add_argument(
        "--keys",
        required=True,
        metavar="URL|FILE",
        help="the key set of GET /v1/receipt-keys: its address, or a file that was kept",
    )
    verify.set_defaults(run=_verify_receipt)

    replay = commands.add_parser(
        "replay-ledger",
        help="erase again what a restored backup brought back",
        description="Does every erasure again that the ledger knows of. The server must not be running.",
    )
    replay.set_defaults(run=_replay_ledger)

    redrive = commands.add_parser(
        "redrive",
        help="try again what was given up in the background",
        description="Works off the dead letters whose user, conversation and turn are still there. "
        "The server must not be running.",
    )
    redrive.set_defaults(run=_redrive)
    return parser


def _verify_receipt(options: argparse.Namespace) -> int:
    from local.receipts import check

    try:
        print(check(options.receipt, options.keys))
    except (ValueError, OSError) as error:
        print(f"noted: {error}", file=sys.stderr)
        return 1
    return 0


def _replay_ledger(options: argparse.Namespace) -> int:
    from local.server import replay_ledger

    return _ended(replay_ledger())


def _redrive(options: argparse.Namespace) -> int:
    from local.server import redrive

    return _ended(redrive())


def _serve(options: argparse.Namespace) -> int:
    from local.server import serve

    return _ended(serve())


def _ended(code: int) -> int:
    # All has stopped but threads of functions that wait for a model, and the interpreter would wait for them.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _token(options: argparse.Namespace) -> int:
    scopes = [*DEFAULT_SCOPES, *options.scope]
    print(_issuer().token(options.subject, scopes, ttl=options.ttl, organisation=options.organisation))
    return 0


def _chat(options: argparse.Namespace) -> int:
    from rich.console import Console

    from local.chat import Chat

    def ask(prompt: str) -> str:
        return input(prompt if sys.stdin.isatty() else "")

    return _with_client(options, lambda client: Chat(client, Console(highlight=False), ask).run())


def _settings(options: argparse.Namespace) -> int:
    named = ("memory", "retention_days", "timezone", "language")
    changes: dict[str, Any] = {name: value for name in named if (value := getattr(options, name)) is not None}
    if changes.get("retention_days") == 0:
        changes["retention_days"] = None
    consents = {name: {"given": True} for name in options.consent}
    consents |= {name: {"given": False} for name in options.withdraw}
    if consents:
        changes["consents"] = consents
    return _with_rights(options, lambda rights: rights.settings(changes))


def _export(options: argparse.Namespace) -> int:
    return _with_rights(options, lambda rights: rights.export(options.file))


def _import(options: argparse.Namespace) -> int:
    return _with_rights(options, lambda rights: rights.take_back(options.file))


def _with_rights(options: argparse.Namespace, work: Callable[[Rights], object]) -> int:
    """Does a piece of work over HTTP and prints what came of it as JSON."""
    import json

    from local.rights import Rights

    try:
        return _with_client(
            options, lambda client: print(json.dumps(work(Rights(client)), ensure_ascii=False, indent=1))
        )
    except OSError as error:
        print(f"noted: {error.strerror}: {error.filename}", file=sys.stderr)
        return 1


def _with_client(options: argparse.Namespace, work: Callable[[httpx.Client], object]) -> int:
    """Does a piece of work with a client that acts for the user; returns the exit code."""
    import httpx

    from local.chat import RequestFailedError
    from local.listener import HOST
    from local.server import port

    issuer, url = _issuer(), f"http://{HOST}:{port(os.environ)}"
    issuer.token(options.user)  # a subject that cannot be is told before anything is sent

    def sign(request: httpx.Request) -> httpx.Request:
        request.headers["Authorization"] = f"Bearer {issuer.token(options.user)}"
        return request

    # A proxy of the environment has no business on the loopback interface.
    with httpx.Client(base_url=url, auth=sign, timeout=60, trust_env=False) as client:
        try:
            work(client)
        except httpx.TransportError:
            print(f"noted: nothing answers at {url}. Start the server with `make run`.", file=sys.stderr)
            return 1
        except RequestFailedError as error:
            print(f"noted: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print()
    return 0


def _add_user(parser: argparse.ArgumentParser, who: str) -> None:
    parser.add_argument("--user", default="alice", metavar="SUBJECT", help=f"{who} (default %(default)s)")


def _days(text: str) -> int:
    """A number of days; 0 for none. Raises ValueError, which argparse tells."""
    days = 0 if text == "none" else int(text)
    if text != "none" and days < 1:
        raise ValueError
    return days


def _issuer() -> Issuer:
    from local.server import data_folder

    return Issuer(data_folder(os.environ) / "issuer")


if __name__ == "__main__":
    sys.exit(main())
