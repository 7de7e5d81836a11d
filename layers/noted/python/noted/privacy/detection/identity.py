"""National identity numbers, passports and driving licences.

A number counts by its country's form and check digits where those are strong enough to be no chance, and
beside a word for it where they are not. Forms and checks are those of `stdnum`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from noted.privacy.detection.context import OTHER_NUMBER, before, is_part_of_number, last_place
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType

# A comma or a slash parts two values of a list; is_part_of_number tells where it does not.
_EDGE = r"(?<![\w])(?<!\d[.-])"
_END = r"(?![\w]|[.-]\d)"


@dataclass(frozen=True)
class _Scheme:
    """A country's numbers: `module` of stdnum, their form, and the words one of which must stand before."""

    module: str
    form: re.Pattern[str]
    words: re.Pattern[str] | None = None


def _scheme(module: str, form: str, words: str | None = None) -> _Scheme:
    named = re.compile(rf"\b(?:{words})\b" if words.isascii() else words) if words else None
    return _Scheme(module, re.compile(_EDGE + form + _END), named)


_ID = (
    r"national id\w*|identity (?:number|card|no)|id (?:number|card|no)|personal (?:number|code|id)"
    r"|tax (?:id|number)|citizen (?:number|card|id)"
)
_SCHEMES = (
    # Form and checks are proof enough: letters, a date and two check digits, or marks that nothing else has.
    _scheme("es.dni", r"\d{8}[ -]?[A-Za-z]"),
    _scheme("es.nie", r"[XYZxyz][ -]?\d{7}[ -]?[A-Za-z]"),
    _scheme("it.codicefiscale", r"[A-Za-z]{6}\d\d[A-Za-z]\d\d[A-Za-z]\d{3}[A-Za-z]"),
    _scheme("fr.nir", r"[12] ?\d\d ?[0-9]\d ?(?:\d\d|2[ABab]) ?\d{3} ?\d{3} ?\d\d"),
    _scheme("be.nn", r"\d\d\.?\d\d\.?\d\d-?\d{3}\.?\d\d"),
    _scheme("ch.ssn", r"756\.?\d{4}\.?\d{4}\.?\d\d"),
    _scheme("se.personnummer", r"(?:19|20)?\d{6}[-+]\d{4}"),
    _scheme("fi.hetu", r"\d{6}[-+A]\d{3}[0-9A-Y]"),
    _scheme("no.fodselsnummer", r"\d{6} ?\d{5}"),
    _scheme("pl.pesel", r"\d{11}", rf"pesel|{_ID}"),
    _scheme("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d\d"),
    _scheme("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dKk]"),
    _scheme("mx.curp", r"[A-Z]{4}\d{6}[A-Z]{6}[A-Z0-9]\d"),
    _scheme("in_.pan", r"[A-Z]{5}\d{4}[A-Z]"),
    _scheme("in_.aadhaar", r"\d{4} \d{4} \d{4}"),
    _scheme("cn.ric", r"\d{17}[\dXx]"),
    _scheme("kr.rrn", r"\d{6}-\d{7}"),
    _scheme("cz.rc", r"(?<!\d/)\d{6}/\d{3,4}(?!/\d)"),
    # One check digit is one chance in ten or so: these need a word before them.
    _scheme("us.ssn", r"\d{3} ?\d\d ?\d{4}", "ssns?|social security(?: numbers?| no)?"),
    _scheme("in_.aadhaar", r"\d{12}", "aadhaar|aadhar|uidai|uid"),
    _scheme("br.cpf", r"\d{11}", "cpf"),
    _scheme("cl.rut", r"\d{7,8}-?[\dKk]", "rut|run"),
    _scheme("nl.bsn", r"\d{3}[. ]?\d{3}[. ]?\d{3}", rf"bsn|sofi|burgerservicenummer|{_ID}"),
    _scheme("pt.nif", r"\d{3} ?\d{3} ?\d{3}", rf"nif|contribuinte|{_ID}"),
    _scheme("de.idnr", r"\d\d ?\d{3} ?\d{3} ?\d{3}", rf"steuer\S*|identifikationsnummer|idnr|{_ID}"),
    _scheme("gb.nhs", r"\d{3}[ -]?\d{3}[ -]?\d{4}", "nhs"),
    _scheme("dk.cpr", r"\d{6}-?\d{4}", rf"cpr\S*|{_ID}"),
    _scheme("ro.cnp", r"\d{13}", rf"cnp|{_ID}"),
    _scheme("hr.oib", r"\d{11}", rf"oib|{_ID}"),
    _scheme("bg.egn", r"\d{10}", rf"egn|{_ID}|егн"),
    _scheme("gr.amka", r"\d{11}", rf"amka|{_ID}|αμκα"),
    _scheme("ee.ik", r"\d{11}", rf"isikukood|{_ID}"),
    _scheme("lt.asmens", r"\d{11}", rf"asmens kodas|{_ID}"),
    _scheme("ie.pps", r"\d{7}[A-Wa-w][AaBbWw]?", rf"pps\w*|{_ID}"),
    _scheme("is_.kennitala", r"\d{6}-?\d{4}", rf"kennitala|{_ID}"),
    _scheme("tr.tckimlik", r"\d{11}", rf"kimlik\w*(?: no\w*)?|tckn|{_ID}"),
    _scheme("il.idnr", r"\d{9}", rf"teudat zehut|{_ID}|תעודת זהות"),
    _scheme("za.idnr", r"\d{6} ?\d{4} ?\d{3}", rf"south african id|{_ID}"),
    _scheme("ca.sin", r"\d{3}[ -]?\d{3}[ -]?\d{3}", "sin|social insurance(?: number| no)?"),
    _scheme("au.tfn", r"\d{3} ?\d{3} ?\d{3}", "tfn|tax file number"),
    _scheme("ar.dni", r"\d{1,2}\.?\d{3}\.?\d{3}", "dni|documento"),
)
# Numbers of the United States that were never given out, as samples have them, count beside their word, and
# in a list behind one that could have been.
_SSN = re.compile(_EDGE + r"\d{3}-\d\d-\d{4}" + _END)
_SSN_WORDS = re.compile(r"\b(?:ssns?|social security(?: numbers?| no)?)\b")
_OF_USA = ("us.ssn", "us.itin")
_LIST_MARK = re.compile(r"[ \t]?[,;|/ \t][ \t]?")
# The United Kingdom's national insurance number has no check digit: the letters that are never given out are.
_NINO = re.compile(
    _EDGE + r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]" + _END,
    re.IGNORECASE,
)
# Iran's national code: a weighted sum modulo 11 over ten digits.
_IRANIAN = re.compile(_EDGE + r"\d{3}-?\d{6}-?\d" + _END)
_IRANIAN_WORDS = re.compile(rf"کد\s?ملی|شماره\s?ملی|\b(?:code ?melli|{_ID})\b")

_DOCUMENT_NUMBER = r"(?P<value>[A-Za-z]{0,3}[ -]?\d(?:-?[A-Za-z0-9]){5,16})(?![\w])"
_SAID = r"(?: (?:number|no\.?|nr\.?|id|code))?(?: (?:is|was|ist|est|es)|\s?[:#=])? ?"
_PASSPORT = re.compile(
    r"(?<![\w])(?:passport|reisepass|passeport|pasaporte|passaporto|passaporte|паспорт\w*|گذرنامه|پاسپورت"
    rf"|جواز السفر|护照|護照)(?:nummer|号码?)?{_SAID}{_DOCUMENT_NUMBER}",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"(?<![\w])(?:driv(?:er'?s?|ing) licen[cs]e|führerschein|permis de conduire|carnet de conducir)"
    rf"(?:nummer)?{_SAID}{_DOCUMENT_NUMBER}",
    re.IGNORECASE,
)


def identity_numbers(text: str) -> Iterator[Span]:
    """The numbers of a folded text that a state gives to a person, and those of passports and licences."""
    for pattern, kind in ((_PASSPORT, EntityType.PASSPORT), (_LICENCE, EntityType.LICENCE)):
        for match in pattern.finditer(text):
            yield Span(*match.span("value"), kind, _compact(match["value"]))
    for scheme in _SCHEMES:
        for match in scheme.form.finditer(text):
            if is_part_of_number(text, *match.span()):
                continue
            if _is_named(text, match.start(), scheme.words) and _is_valid(scheme.module, match.group()):
                yield Span(*match.span(), EntityType.NATIONAL_ID, _compact(match.group()))
    yield from _american(text)
    for match in _NINO.finditer(text):
        yield Span(*match.span(), EntityType.NATIONAL_ID, _compact(match.group()))
    for match in _IRANIAN.finditer(text):
        if _is_named(text, match.start(), _IRANIAN_WORDS) and _is_iranian(_compact(match.group())):
            yield Span(*match.span(), EntityType.NATIONAL_ID, _compact(match.group()))


def _american(text: str) -> Iterator[Span]:
    behind = -1  # where the one before ends, if it counts
    for match in _SSN.finditer(text):
        counts = (
            (behind >= 0 and _LIST_MARK.fullmatch(text, behind, match.start()))
            or _is_named(text, match.start(), _SSN_WORDS)
            or (_is_named(text, match.start(), None) and any(_is_valid(m, match.group()) for m in _OF_USA))
        )
        behind = match.end() if counts else -1
        if counts:
            yield Span(*match.span(), EntityType.NATIONAL_ID, _compact(match.group()))


def _is_named(text: str, start: int, words: re.Pattern[str] | None) -> bool:
    said = before(text, start)
    if words is None:
        return not OTHER_NUMBER.search(said[-16:])
    named = last_place(words, said)
    return named >= 0 and named > last_place(OTHER_NUMBER, said)


def _is_valid(module: str, number: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(number))


def _is_iranian(digits: str) -> bool:
    rest = sum(int(digit) * weight for digit, weight in zip(digits[:9], range(10, 1, -1), strict=True)) % 11
    return len(set(digits)) > 1 and int(digits[9]) == (rest if rest < 2 else 11 - rest)


def _compact(number: str) -> str:
    return re.sub(r"[\W_]", "", number).upper()
