"""The commands of the evaluations, and the figures that they keep."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evals import __main__ as commands
from evals import beside, ceiling, extraction, report, report_recall, results, tuning
from evals.cost.plot import Line as Drawn
from evals.cost.plot import Panel, svg
from evals.intervals import bootstrap
from evals.lifecycle_world import files_with
from evals.locomo import Dialogue, Line, Question
from noted.clock import instant

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]


def test_every_command_is_there_and_is_told_in_a_line() -> None:
    usage = commands.usage().splitlines()
    for command in commands.COMMANDS:
        assert commands.source(command).is_file()
        [line] = [line for line in usage if line.split()[:1] == [command]]
        assert len(line.split()) > 4


@pytest.mark.parametrize("arguments, code", [(["--help"], 0), (["guards", "--help"], 0), (["nonsense"], 2)])
def test_forwards_to_a_command_and_refuses_any_other(arguments: list[str], code: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "evals", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == code
    assert ("--personas" in ran.stdout) == (arguments[0] == "guards")
    assert ("nonsense" in ran.stderr) == (code == 2)


def test_a_bootstrap_interval_is_about_two_standard_errors_on_either_side() -> None:
    chance = random.Random(1)
    values = [float(chance.random() < 0.3) for _ in range(1000)]
    mean = sum(values) / 1000
    low, high = bootstrap(values)
    error = (mean * (1 - mean) / 1000) ** 0.5
    assert low == pytest.approx(mean - 1.96 * error, abs=0.004)
    assert high == pytest.approx(mean + 1.96 * error, abs=0.004)
    assert bootstrap([0.5, 0.5]) == (0.5, 0.5)
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])


class Backwards:
    """A system that finds the texts of a user in the reverse of their order."""

    batch = 2

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}

    def add(self, user: str, texts: list[str], _times: list[float]) -> None:
        self._texts.setdefault(user, []).extend(texts)

    def search(self, user: str, _query: str, k: int) -> list[Any]:
        return [type("Hit", (), {"text": text}) for text in reversed(self._texts[user])][:k]


def test_keeps_the_rank_of_each_piece_of_evidence() -> None:
    at = instant("2024-01-01T00:00:00Z")
    lines = tuple(Line(f"D1:{n}", 1, "Ann", f"line {n}", None, at) for n in range(1, 31))
    asked = Question("which?", frozenset({"D1:30", "D1:28", "D1:1"}), "multi-hop")
    found = beside.ranks(Backwards(), [Dialogue(("Ann", "Bob"), lines, (asked,))])
    assert found == {"conversation": [1], "category": ["multi-hop"], "ranks": [[None, 3, 1]]}


def test_figures_of_a_system_are_those_of_its_ranks() -> None:
    kept = {
        "system": "noted",
        "version": "1",
        "conversation": [1, 6],
        "category": ["temporal", "multi-hop"],
        "ranks": [[4], [12, None]],
    }
    system = report_recall.system(kept)
    assert system.of("recall@5").tolist() == [1, 0]
    assert system.of("recall@20").tolist() == [1, 0.5]
    assert system.of("MRR").tolist() == [1 / 4, 1 / 12]
    assert system.of("recall@10", "temporal").tolist() == [1]


def test_an_oracle_takes_the_best_ranking_and_misses_are_told_by_their_cause() -> None:
    far = [*range(10, 60), 1, *range(100, 200), 2]
    near = [1, 2, *range(10, 60)]
    shares = ceiling.of_question(far, [1], [2], [far, near], [1, 2])
    assert (shares["noted@10"], shares["noted@100"], shares["oracle"]) == (0, 0.5, 1)
    assert (shares["words@1"], shares["meaning@1"], shares["either@1"]) == (0.5, 0.5, 1)
    lost = ceiling.missed(far, lambda place: place == 1, [1, 2, 10])
    assert lost == {
        "evidence": 3,
        "missed": 2,
        "no word": 1,
        "beside": 0,
        "several": 2,
        "within 50": 0,
        "beyond 100": 1,
    }
    assert ceiling.missed([12, *range(20, 40)], bool, [11])["beside"] == 1


def test_the_first_half_alone_chooses_a_setting() -> None:
    good, lucky = tuning.Setting(1, 1, 0.3), tuning.Setting(1, 1, 0.9)
    found = [tuning.Found(good, 0.7, 0.5), tuning.Found(lucky, 0.6, 0.8)]
    assert tuning.chosen_on_first(found).setting == good
    assert tuning.PRESENT in set(tuning.settings())


def test_dots_stand_beside_each_other_with_their_intervals_to_scale() -> None:
    lines = [
        Drawn("ours", [0.5, 1.0], [(0.25, 0.75), (0.75, 1.0)]),
        Drawn("theirs", [0.5, 0.5], [(0.5, 0.5), (0, 1.0)]),
    ]
    panel = Panel("recall", "kind", lines, "{:g}".format, places=["first", "second"], joined=False)
    root = ET.fromstring(svg([panel], "dots"))  # noqa: S314 (our own)
    dots = [tuple(float(dot.attrib[name]) for name in ("cx", "cy")) for dot in root.iter(f"{SVG}circle")]
    (ours, half), (_, one), (theirs, same), _ = dots
    assert ours < theirs
    assert half == same
    whiskers = [path.attrib["d"] for path in root.iter(f"{SVG}path") if "V" in path.attrib["d"]]
    # A whisker of one half of the axis is as long as from the dot at 0.5 to the dot at 1.
    low, high = map(float, whiskers[0].partition(" ")[2].split("V"))
    assert low - high == pytest.approx(half - one, abs=0.2)
    assert {"first", "second"} <= {text.text for text in root.iter(f"{SVG}text")}
    assert not list(root.iter(f"{SVG}polyline"))


def test_counts_what_a_quote_covers_once() -> None:
    assert extraction.coverage("I ski and I swim", ["I ski", "i SKI", "nowhere"]) == 5 / 16
    assert extraction.coverage("", ["x"]) == 0


def test_finds_the_files_that_hold_a_word_in_any_form(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "log").write_bytes(b"\x00\xffsecret\x00")
    (tmp_path / "wide").write_bytes("secret".encode("utf-16-le"))
    needles = {"plain": b"secret", "wide": "secret".encode("utf-16-le"), "absent": b"other"}
    assert files_with(tmp_path, needles) == {"plain": ["deep/log"], "wide": ["wide"]}


def test_keeps_figures_and_reads_them_again(tmp_path: Path) -> None:
    results.write(None, "nothing", {})
    assert results.read(tmp_path, "speed") is None
    results.write(tmp_path / "new", "speed", {"steps": [1, 2]})
    kept = results.read(tmp_path / "new", "speed")
    assert kept is not None
    assert kept.pop("measured_on")
    assert kept == {"steps": [1, 2]}


def test_the_page_and_its_plots_are_those_of_the_figures() -> None:
    page = (ROOT / "docs" / "report.md").read_text("utf-8")
    assert report.filled(page, report.blocks(report.RESULTS)) == page
    for name, drawn in report.plots(report.RESULTS).items():
        assert (ROOT / "docs" / name).read_text("utf-8") == drawn
        assert name in page


def test_what_was_not_kept_is_told_as_not_measured(tmp_path: Path) -> None:
    told = report.blocks(tmp_path)
    assert all("Not measured here." in text for text in told.values())
    assert report.plots(tmp_path) == {}
    with pytest.raises(ValueError, match="only made or only shown"):
        report.filled("<!-- other -->\n<!-- end -->\n", told)


def test_kept_figures_name_no_folder_of_a_machine() -> None:
    for path in report.RESULTS.glob("*.json"):
        kept = path.read_text("utf-8")
        json.loads(kept)
        assert not re.search(r"(?<![\w.])/\w+/", kept)
