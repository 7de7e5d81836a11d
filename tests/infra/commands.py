"""The commands that a page tells its reader to run: read out of its text, and taken apart."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from botocore import xform_name
from botocore.exceptions import UnknownServiceError
from botocore.session import Session

_BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:aws|cdk) [a-z][^`]*)`")
_BEGINNING = re.compile(r"(?:^|[;|(&]|\bdo\b)[ ]*((?:aws|cdk) )", re.MULTILINE)
# Options of the AWS CLI that belong to no service (AWS CLI command reference, "Global options"; pagination).
_GLOBAL = {"cli-binary-format", "cli-read-timeout", "max-items", "output", "query", "region"}
# Commands of the AWS CLI that are no operation of a service: their options.
_OWN: Mapping[tuple[str, str], set[str]] = {
    ("dynamodb", "wait"): {"table-name"},
    ("logs", "tail"): {"since", "format"},
    ("s3", "rm"): {"recursive"},
    ("s3", "sync"): set(),
}


def blocks(page: Path) -> list[str]:
    """What the page gives to paste, of the blocks that are for a shell: marked so, or not marked."""
    return [text for mark, text in _BLOCK.findall(page.read_text()) if mark in ("bash", "")]


def commands(page: Path) -> list[list[str]]:
    """Each call of `aws` and `cdk` on the page, in blocks and in the text, as words."""
    text = page.read_text()
    told = [inline.replace("\n", " ") for inline in _INLINE.findall(_BLOCK.sub("", text))]
    return [
        shlex.split(call, comments=True)
        for part in (*blocks(page), *told)
        for call in _calls(part.replace("\\\n", " "))
    ]


def _calls(text: str) -> Iterator[str]:
    for beginning in _BEGINNING.finditer(text):
        start = beginning.start(1)
        yield text[start : _end(text, start)]


def _end(text: str, start: int) -> int:
    """Where a command ends: at the end of its line, a pipe, the next command or the bracket around it."""
    quote, depth = "", 0
    for position in range(start, len(text)):
        sign = text[position]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif sign in "\n|;&>)" and not depth:
            return position
    return len(text)


def options(words: list[str]) -> list[str]:
    """The names of the long options among the words."""
    return [word.removeprefix("--").partition("=")[0] for word in words if word.startswith("--")]


def context(words: list[str]) -> dict[str, str]:
    """What the words set by `-c`."""
    pairs = [words[place + 1] for place, word in enumerate(words) if word == "-c"]
    return dict(pair.split("=", 1) for pair in pairs)


def mistake(words: list[str], session: Session) -> str:
    """What the AWS CLI would not understand of a call of it, or nothing. Without a call of AWS."""
    _, service, command, *rest = words
    given = set(options(rest))
    if (service, command) in _OWN:
        unknown = given - _OWN[service, command]
        return f"{service} {command}: --{min(unknown)}" if unknown else ""
    try:
        model = session.get_service_model(service)
    except UnknownServiceError:
        return f"no service {service}"
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    if command not in operations:
        return f"{service}: no {command}"
    shape: Any = model.operation_model(operations[command]).input_shape
    members = {} if shape is None else {xform_name(name, "-"): name for name in shape.members}
    told = {_told(name, members) for name in given - _GLOBAL}
    if unknown := told - members.keys():
        return f"{service} {command}: --{min(unknown)}"
    required = set() if shape is None else {xform_name(name, "-") for name in shape.required_members}
    # What is left to the reader stands as an ellipsis, and a command may be named alone.
    missing = set() if "…" in rest or not rest else required - told
    return f"{service} {command}: no --{min(missing)}" if missing else ""


def _told(option: str, members: Mapping[str, str]) -> str:
    """The parameter that an option sets. `--no-` says false; the CLI calls two things by shorter names."""
    shorter = {"paths": "invalidation-batch"}
    if option.startswith("no-") and option.removeprefix("no-") in members:
        return option.removeprefix("no-")
    return shorter.get(option, option)
