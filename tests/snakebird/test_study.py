"""`epcg snakebird study`: its numbers against searches, its tests against scipy's, resumption, bad input."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from epcg_snakebird.commands.study import COLUMNS, command
from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.formats.shipped import levels_folder
from epcg_snakebird.generators.edits import tile_edits
from epcg_snakebird.rules.level import TILE_NAMES
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.studies.data import StudiedLevel, statistics

from epcg_core.base.errors import EpcgError
from epcg_core.search.shortest_path.solver import shortest_path
from tests.workplace import SHARED, epcg_command, facts, invoke

NAMES = ("01_first_bite", "02_mind_the_gap", "03_thorns")
REAL = SHARED / "data/snakebird"


def levels(folder: Path, names: tuple[str, ...] = NAMES) -> Path:
    folder.mkdir()
    for name in names:
        shutil.copy(levels_folder() / f"{name}.txt", folder)
    return folder


def run_command(*arguments: object) -> Result:
    return invoke(command(), *arguments)


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A place with levels, one of them malformed, one unsolvable; and the study as JSON."""
    place = tmp_path_factory.mktemp("study")
    folder = levels(place / "levels")
    (folder / "bad.txt").write_text("no level\n")
    (folder / "shut.txt").write_text("1<.#.\n###E#\n")
    result = run_command(folder, "--db", place / "x.db", "--workers", 1, "--output", place / "out", "--json")
    assert result.exit_code == 0, result.output
    return place, json.loads(result.stdout)


@pytest.mark.parametrize("name", [NAMES[0], *(pytest.param(n, marks=pytest.mark.slow) for n in NAMES[1:])])
def test_lengths_are_those_of_searches(studied: tuple[Path, dict[str, Any]], name: str) -> None:
    place, data = studied
    model = SnakebirdModel()
    assert data["counted"] == len(NAMES)
    (found,) = (found for found in data["levels"] if found["level"] == name)
    level = read_level(place / "levels" / f"{found['level']}.txt")
    lengths = {}
    for edit in tile_edits(level):
        cell = level.cell(edit.change["x"], edit.change["y"])
        variant = level.with_tile(cell, TILE_NAMES.index(edit.change["to"]))
        lengths[edit.description] = shortest_path(model, variant, 10_000).length
    solved = {what: length for what, length in lengths.items() if length is not None}
    assert found["original"] == shortest_path(model, level, 10_000).length
    assert (found["longest"], found["shortest"]) == (max(solved.values()), min(solved.values()))
    assert (found["variants"], found["unsolvable"]) == (len(lengths), len(lengths) - len(solved))
    assert sorted(found["longest_changes"]) == sorted(
        f"{what}: {length} moves" for what, length in solved.items() if length == found["longest"]
    )


def test_what_is_not_counted_is_named(studied: tuple[Path, dict[str, Any]]) -> None:
    others = {found["level"]: found for found in studied[1]["levels"] if found["level"] not in NAMES}
    assert {name: found["outcome"] for name, found in others.items()} == {
        "bad": "unreadable",
        "shut": "unsolvable",
    }
    assert "bad.txt, line 1" in others["bad"]["note"]
    assert others["shut"]["original"] is None


def test_the_tests_are_scipys(studied: tuple[Path, dict[str, Any]]) -> None:
    from scipy.stats import mannwhitneyu, shapiro, wilcoxon  # half a second, which no other test needs

    data = studied[1]
    samples = {
        kind: [found[kind] for found in data["levels"] if found["outcome"] == "counted"]
        for kind in ("original", "longest", "shortest")
    }
    for found in data["samples"]:
        assert found["median"] == sorted(samples[found["name"]])[1]
        assert found["shapiro_p"] == pytest.approx(shapiro(samples[found["name"]]).pvalue)
    more = [length + 1 for length in samples["original"]]
    for found, other in zip(data["rank_sum"], [samples["longest"], samples["shortest"], more], strict=True):
        expected = mannwhitneyu(samples["original"], other, method="asymptotic")
        assert found["p"] == pytest.approx(expected.pvalue)
    for found, kind in zip(data["signed_rank"], ["longest", "shortest"], strict=True):
        pairs = list(zip(samples["original"], samples[kind], strict=True))
        differing = [(a, b) for a, b in pairs if a != b]
        assert found["n"] == len(differing)
        if differing:
            paired = wilcoxon(*zip(*differing, strict=True), method="asymptotic")
            assert (found["w"], found["p"]) == (paired.statistic, pytest.approx(paired.pvalue))


def test_levels_are_compared_with_themselves() -> None:
    """Each level gets a move longer: hardly more than chance between samples, and certain between pairs."""
    from epcg_snakebird.studies.data import StudiedLevel, statistics

    levels = [
        StudiedLevel(str(i), "counted", original=10 + 5 * i, longest=11 + 5 * i, shortest=10 + 5 * i)
        for i in range(12)
    ]
    found = statistics(levels)
    longest, shortest = found.paired
    assert found.comparisons[0].p > 0.5
    assert (longest.n, longest.w) == (12, 0.0)
    assert longest.p < 0.01
    assert shortest.n == 0


def test_what_is_written(studied: tuple[Path, dict[str, Any]]) -> None:
    place, data = studied
    with (place / "out/levels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert [row["level"] for row in rows] == [found["level"] for found in data["levels"]]
    root = ElementTree.parse(place / "out/figure_4.svg").getroot()
    words = " ".join("".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text"))
    assert f"{len(NAMES)} levels" in words
    assert "original, median 20" in words


def test_a_second_time_nothing_is_searched(studied: tuple[Path, dict[str, Any]]) -> None:
    place, data = studied
    result = run_command(place / "levels", "--db", place / "x.db", "--output", place / "again", "--no-plots")
    assert result.exit_code == 0
    assert "original and original + 1" in result.stdout
    again = run_command(
        place / "levels", "--db", place / "x.db", "--output", place / "again", "--no-plots", "--json"
    )
    assert json.loads(again.stdout) == data
    assert not (place / "again/figure_4.svg").exists()


def test_levels_over_the_limit_are_not_counted(tmp_path: Path) -> None:
    folder = levels(tmp_path / "levels", NAMES[:1])
    result = run_command(
        folder, "--db", tmp_path / "x.db", "--limit", 10, "--output", tmp_path / "out", "--no-plots"
    )
    assert result.exit_code == 0
    assert "Not counted: 01_first_bite has no solution within 10 expansions." in result.stderr
    assert "0 levels are counted; medians and tests need 3 or more." in result.stdout


def test_a_folder_without_levels(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run_command(tmp_path / "empty", "--db", tmp_path / "x.db")
    assert result.exit_code == 1
    assert "There is no level in the folder" in str(result.exception)


# --- statistics --------------------------------------------------------------------------------------------


def counted(*lengths: int) -> list[StudiedLevel]:
    return [
        StudiedLevel(str(i), "counted", original=n, longest=n + 2, shortest=n - 1)
        for i, n in enumerate(lengths)
    ]


def test_equal_lengths_have_no_shapiro() -> None:
    found = statistics(counted(5, 5, 5))
    assert all(sample.p != sample.p for sample in found.samples)
    assert [sample.median for sample in found.samples] == [5, 7, 4]


def test_too_few_levels() -> None:
    with pytest.raises(EpcgError, match="2 levels are counted; the tests need 3 or more"):
        statistics(counted(4, 5))


# --- slow --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_study_goes_on(tmp_path: Path) -> None:
    """What was recorded before the kill keeps its runs, and the end is that of an undisturbed study."""
    folder = levels(tmp_path / "levels", (*NAMES, "04_shoulders", "05_the_step"))
    arguments = ["snakebird", "study", folder, "--workers", 1, "--no-plots", "--json"]
    begun = subprocess.Popen(
        epcg_command(*arguments, "--db", tmp_path / "killed.db", "--output", tmp_path / "a"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while _finished_runs(tmp_path / "killed.db") < 2 and begun.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    before = _finished_runs(tmp_path / "killed.db")
    results = []
    for db in ("killed.db", "whole.db"):
        done = subprocess.run(
            epcg_command(*arguments, "--db", tmp_path / db, "--output", tmp_path / "b"),
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        results.append(json.loads(done.stdout))
    assert before >= 1
    assert results[0] == results[1]
    assert _finished_runs(tmp_path / "killed.db") == _finished_runs(tmp_path / "whole.db") == 6


def _finished_runs(db: Path) -> int:
    import sqlite3

    if not db.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM run WHERE state = 'done'").fetchone()[0])
    except sqlite3.OperationalError:  # the tables are being made
        return 0


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="the published levels are not beside this checkout")
def test_published_levels(tmp_path: Path) -> None:
    """The small ones among the levels whose single changes are known."""
    golden = facts("snakebird")
    names = [
        name for name in golden["single_tile_edits"]
        if golden["levels"][name]["expansions"] < 500 and (REAL / f"{name}.map").exists()
    ]  # fmt: skip
    assert len(names) > 3
    folder = tmp_path / "levels"
    folder.mkdir()
    for name in names:
        shutil.copy(REAL / f"{name}.map", folder)
    result = run_command(
        folder,
        "--db",
        tmp_path / "x.db",
        "--workers",
        1,
        "--output",
        tmp_path / "out",
        "--no-plots",
        "--json",
    )
    found = {level["level"]: level for level in json.loads(result.stdout)["levels"]}
    for name in names:
        expected, level = golden["single_tile_edits"][name], found[name]
        assert level["original"] == expected["moves"]
        for kind in ("longest", "shortest", "variants", "unsolvable", "over_limit"):
            assert level[kind] == expected[kind], (name, kind)
        if expected["longest"] > expected["moves"]:
            assert len(level["longest_changes"]) == len(expected["longest_edits"])
