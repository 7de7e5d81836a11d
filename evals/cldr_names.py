"""Writes the names of months and weekdays, and the phrases for relative times, as Unicode's CLDR has them.

    python -m evals.cldr_names FOLDER... names   > layers/noted/python/noted/recall/languages/names.py
    python -m evals.cldr_names FOLDER... phrases > tests/unit/cldr_phrases.py

The folders are unpacked npm packages of the CLDR (Unicode License V3): `cldr-dates-full` and
`cldr-cal-persian-full`. The names are what `noted.recall.languages` knows; the phrases are an independent
source of what its rules must read.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

LANGUAGES = ("ar", "de", "es", "fa", "fr", "it", "ja", "nl", "pt", "ru", "zh")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HIJRI = "fa-solar"
_UNITS = ("day", "week", "month", "year")
_COUNTS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 12, "other": 5}


class Cldr:
    """The files of one or more packages."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)

    @property
    def version(self) -> str:
        """The version of the first package."""
        described: dict[str, str] = json.loads((self._folders[0] / "package.json").read_text("utf-8"))
        return described["version"]

    def read(self, language: str, name: str) -> dict[str, Any]:
        """The `dates` of a language in a file of that name. Raises FileNotFoundError where none has it."""
        for folder in self._folders:
            path = folder / "main" / language / name
            if path.exists():
                dates: dict[str, Any] = json.loads(path.read_text("utf-8"))["main"][language]["dates"]
                return dates
        raise FileNotFoundError(name)

    def months(self, language: str, calendar: str = "gregorian") -> list[str]:
        """The names of each month, wide and abbreviated, inflected and standing alone, joined by `|`."""
        forms = self.read(language, f"ca-{calendar}.json")["calendars"][calendar]["months"]
        return [_joined(_names(forms, str(month))) for month in range(1, 13)]

    def weekdays(self, language: str) -> list[str]:
        """The wide names of each weekday from Monday. Shorter ones are words in most languages."""
        forms = self.read(language, "ca-gregorian.json")["calendars"]["gregorian"]["days"]
        return [_joined(forms[kind]["wide"][day] for kind in ("format", "stand-alone")) for day in _WEEKDAYS]

    def phrases(self, language: str) -> Iterator[tuple[str, str, int]]:
        """Phrases for what is now or has passed: the phrase, its unit, and how many of them ago it is."""
        fields = self.read(language, "dateFields.json")["fields"]
        for unit in _UNITS:
            for name, phrase in fields[unit].items():
                if (away := re.fullmatch(r"relative-type-(0|-[12])", name)) and phrase:
                    yield phrase, unit, -int(away[1])
            for form, pattern in fields[unit]["relativeTime-type-past"].items():
                count = _COUNTS[form.rpartition("-")[2]]
                if count:
                    yield pattern.replace("{0}", str(count)), unit, count


def _names(forms: dict[str, Any], key: str) -> Iterator[str]:
    for kind in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            yield forms[kind][width][key]


def _joined(names: Iterable[str]) -> str:
    return "|".join(dict.fromkeys(name.removesuffix(".") for name in names))


def names_module(cldr: Cldr) -> str:
    """The module of names."""
    tables = {language: (cldr.months(language), cldr.weekdays(language)) for language in LANGUAGES}
    lines = [
        '"""The names of months from January and of weekdays from Monday; those of one are separated by `|`.',
        "",
        f"From Unicode CLDR {cldr.version} by `python -m evals.cldr_names`, under the Unicode License V3,",
        "whose text stands beside this file.",
        '"""',
        "",
        "MONTHS: dict[str, tuple[str, ...]] = {",
        *(f"    {language!r}: {tuple(months)!r}," for language, (months, _) in tables.items()),
        f"    {_HIJRI!r}: {tuple(cldr.months('fa', 'persian'))!r},",
        "}",
        "",
        "WEEKDAYS: dict[str, tuple[str, ...]] = {",
        *(f"    {language!r}: {tuple(days)!r}," for language, (_, days) in tables.items()),
        "}",
    ]
    return "\n".join(lines) + "\n"


def phrases_module(cldr: Cldr) -> str:
    """The module of phrases."""
    lines = [
        '"""How eleven languages say relative times: the phrase, its unit, and how many of them ago it is.',
        "",
        f"From Unicode CLDR {cldr.version} by `python -m evals.cldr_names`, under the Unicode License V3.",
        '"""',
        "",
        "PHRASES: dict[str, tuple[tuple[str, str, int], ...]] = {",
        *(f"    {language!r}: {tuple(cldr.phrases(language))!r}," for language in LANGUAGES),
        "}",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Reads the arguments and prints the module."""
    parser = argparse.ArgumentParser(prog="python -m evals.cldr_names", description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", help="unpacked packages, cldr-dates-full first")
    parser.add_argument("what", choices=("names", "phrases"))
    chosen = parser.parse_args()
    cldr = Cldr(chosen.folders)
    print((names_module if chosen.what == "names" else phrases_module)(cldr), end="")


if __name__ == "__main__":
    main()
