"""Secrets: keys of services by their known forms, private keys, credentials in a URL, passwords that a user
names as such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType

# The prefixes that the issuers publish, so that scanners can find their keys.
_KEY = re.compile(
    r"""(?<![\w-])(?:
      (?:AKIA|ASIA)[0-9A-Z]{16}
    | gh[pousr]_[A-Za-z0-9]{36,251} | github_pat_\w{22,255} | glpat-[\w-]{20,255}
    | xox[abeoprs]-[\w-]{10,250}
    | (?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,250} | sk-[A-Za-z0-9][\w-]{18,250}
    | AIza[\w-]{35} | npm_[A-Za-z0-9]{36} | pypi-[\w-]{50,250} | hf_[A-Za-z0-9]{30,60}
    | SG\.[\w-]{20,24}\.[\w-]{39,50}
    | eyJ[\w-]{10,4000}\.[\w-]{10,4000}\.[\w-]{10,4000}
    )(?![\w-])""",
    re.VERBOSE,
)
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_IN_URL = re.compile(r"(?<=://)[^\s/?#@:]{1,256}:[^\s/?#@]{1,256}(?=@[\w.\[-])")
_NAMED = re.compile(
    r"""\b(?:pass(?:word|phrase|code)|pwd|passwort|kennwort|mot\ de\ passe|contraseña|senha|parola\ d'ordine
    |wachtwoord|lösenord|hasło|пароль|رمز\ عبور|كلمة\ (?:المرور|السر)|密码|密碼|パスワード)
    (?:\ (?:is|ist|est|es|é|è)|\ ?[:=是は])\ ?["'`“]?(?P<value>[^\s"'`”]{6,128})""",
    re.VERBOSE | re.IGNORECASE,
)
_PIN = re.compile(
    r"\b(?:pin(?:[ -]?code)?|cv[vc]2?|security code)(?: (?:is|number)|:| for [\w ]{1,20} is)* ?"
    r"(?P<value>\d{3,8})(?![\w]|[.:]\d|,\d{3}(?!\d))",
    re.IGNORECASE,
)


def secrets(text: str) -> Iterator[Span]:
    """The secrets of a folded text. A password counts when it is named as one and holds a digit or a mark, so
    that "my password is secret" stays."""
    yield from _private_keys(text)
    for match in _KEY.finditer(text):
        yield _secret(match)
    for match in _IN_URL.finditer(text):
        yield _secret(match)
    for match in _NAMED.finditer(text):
        value = match["value"].rstrip(".,;:!?)")
        if len(value) >= 6 and not value.isalpha():
            yield Span(match.start("value"), match.start("value") + len(value), EntityType.SECRET, value)
    for match in _PIN.finditer(text):
        yield _secret(match, "value")


def _secret(match: re.Match[str], group: str | int = 0) -> Span:
    return Span(*match.span(group), EntityType.SECRET, match[group])


def _private_keys(text: str) -> Iterator[Span]:
    begin = _BEGIN.search(text)
    while begin:
        end = _END.search(text, begin.end())
        if not end:
            return
        yield Span(begin.start(), end.end(), EntityType.SECRET, text[begin.start() : end.end()])
        begin = _BEGIN.search(text, end.end())
