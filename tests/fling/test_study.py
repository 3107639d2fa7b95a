"""`epcg fling study`: its numbers against playing, its files, and what it says of bad input."""

from __future__ import annotations

import csv
import json
import sys
import xml.etree.ElementTree as ElementTree
from itertools import groupby
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from epcg_fling.commands.study import command
from epcg_fling.formats.levels import Level, read_levels
from epcg_fling.generators.boards import Boards
from epcg_fling.params import BoardsParams
from epcg_fling.rules.moves import BoardShape
from epcg_fling.rules.solving import Solver, reachable
from epcg_fling.search.solutions import SolutionSearch
from epcg_fling.studies.data import (
    random_board,
    recorded_solvable,
    sampled_solvable,
    savings,
    searched_states,
    study_levels,
    wilson,
)

from epcg_core.base.errors import EpcgError
from epcg_core.chunks.bitsets import pack
from epcg_core.domain import Bits
from epcg_core.plugins.registry import registry
from tests.workplace import SHARED, invoke

GAME, SMALL = BoardShape(7, 8), BoardShape(4, 4)
LEVELS = {
    "first": [{"bitboard": 0b1000101, "pieces": 3}, {"bitboard": 0b101}],
    "second": [{"bitboard": sum(1 << cell for cell in (3, 4, 9, 27, 34, 37, 55))}],
}
PUBLISHED = SHARED / "data/fling/levels_1_to_17.json"


def level_file(folder: Path, levels: Any = LEVELS) -> Path:
    path = folder / "levels.json"
    path.write_text(levels if isinstance(levels, str) else json.dumps(levels))
    return path


def run_command(*arguments: object) -> Result:
    return invoke(command(), *arguments)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def table(shape: BoardShape, layer: int) -> tuple[Bits, Bits]:
    solver, boards = Solver(shape), Boards(BoardsParams(shape.width, shape.height, layer))
    states = [boards.unrank(rank) for rank in range(boards.max_rank)]
    return (
        pack(np.array([solver.solvable(bits) for bits in states])),
        pack(np.array([solver.unique(bits) for bits in states])),
    )


# --- numbers


def test_levels_are_measured_board_by_board() -> None:
    levels = [Level("1", (0b1000101, 0b1001)), Level("2", (0b1010_0000_0101_1001,))]
    boards, _ = study_levels(SMALL, levels, lambda done: None)
    solver = Solver(SMALL)
    assert [(b.level, b.number, b.bitboard) for b in boards] == [
        ("1", 1, 0b1000101), ("1", 2, 0b1001), ("2", 1, 0b1010_0000_0101_1001),
    ]  # fmt: skip
    for board in boards:
        assert board.pieces == board.bitboard.bit_count()
        assert board.reachable_states == len(reachable(SMALL, board.bitboard, 1000))
        assert (board.solvable, board.unique) == (
            solver.solvable(board.bitboard),
            solver.unique(board.bitboard),
        )


@pytest.mark.parametrize("layer", [3, 4, 5])
def test_a_table_saves_exactly_the_searched_boards_of_up_to_its_pieces(layer: int) -> None:
    solvable, unique = table(SMALL, layer)
    helped = SolutionSearch(SMALL, {f"solvable:{layer}": solvable, f"unique:{layer}": unique})
    random = np.random.default_rng(7)
    for bits in (random_board(random, SMALL, pieces) for pieces in (7, 7, 8, 8, 9, 9)):
        by_search = searched_states(SolutionSearch(SMALL), bits)
        with_table = searched_states(helped, bits)
        assert with_table[:2] == by_search[:2]
        assert with_table[2][: layer + 1].sum() == 0
        assert by_search[2][3 : layer + 1].sum() > 0
        assert list(with_table[2][layer + 1 :]) == list(by_search[2][layer + 1 :])


def test_savings_are_means_by_pieces_for_tables_below_the_board() -> None:
    def counts(**by_pieces: int) -> Any:
        return np.array([by_pieces.get(f"p{i}", 0) for i in range(66)])

    searched = [(7, counts(p7=2, p6=10, p5=20)), (4, counts(p4=5)), (7, counts(p7=4, p6=30))]
    found = savings(searched, tables=(3, 6))
    assert [(s.pieces, s.table_pieces, s.boards, s.states, s.states_with_table) for s in found] == [
        (4, 3, 1, 5, 5), (7, 3, 2, 33, 33), (7, 6, 2, 33, 3),
    ]  # fmt: skip
    assert found[2].factor == 11


def test_recorded_layers_give_exact_numbers() -> None:
    three, four = recorded_solvable({4: table(SMALL, 4), 3: table(SMALL, 3)})
    assert (three.pieces, three.boards, three.examined, three.solvable) == (3, 560, 560, 64)
    assert (four.pieces, four.boards, four.solvable) == (4, 1820, 173)
    assert three.low == three.share == three.high == 64 / 560


def test_random_boards_are_judged_like_any_other_and_depend_on_the_seed_only() -> None:
    reported: list[int] = []
    sample = sampled_solvable(SMALL, 5, 40, 3, reported.append)
    random = np.random.default_rng([3, 5])
    boards = [random_board(random, SMALL, 5) for _ in range(40)]
    assert {bits.bit_count() for bits in boards} == {5}
    assert sample.solvable == sum(Solver(SMALL).solvable(bits) for bits in boards)
    assert (sample.boards, sample.examined, sample.undecided) == (comb(16, 5), 40, 0)
    assert sum(reported) == 40
    assert sample == sampled_solvable(SMALL, 5, 40, 3, lambda done: None)
    assert sample.low < sample.share < sample.high
    assert sample.low <= 412 / 4368 <= sample.high, "the share among all boards"


def test_wilson_intervals() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="needs the published levels in ../shared/data/fling")
def test_the_published_levels_are_all_uniquely_solvable_and_grow() -> None:
    data = json.loads(PUBLISHED.read_text())
    levels = read_levels(PUBLISHED, GAME)
    boards, saved = study_levels(GAME, levels, lambda done: None)
    assert [b.reachable_states for b in boards] == [b["reachable_states"] for v in data.values() for b in v]
    assert all(board.unique for board in boards)
    assert max(board.pieces for board in boards) == 13
    assert max(board.reachable_states for board in boards) == 964
    assert all(saving.factor > 1 for saving in saved)


# --- the command


@pytest.mark.parametrize("plots", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_command_writes_tables_and_plots(tmp_path: Path, plots: bool) -> None:
    out = tmp_path / "out"
    result = run_command(
        level_file(tmp_path),
        "--random",
        20,
        "--pieces",
        "4-5",
        "--seed",
        9,
        "--output",
        out,
        "--db",
        "absent.db",
        *([] if plots else ["--no-plots"]),
    )
    assert result.exit_code == 0, result.output
    table = result.stdout.split("Figures 5 and 6: reachable states and pieces by level\n")[1].splitlines()
    assert table[0].split() == [
        "level",
        "boards",
        "reachable",
        "states",
        "mean",
        "pieces",
        "mean",
        "solvable",
        "unique",
    ]
    measured = rows(out / "levels.csv")
    for line, (level, own) in zip(table[1:], groupby(measured, key=lambda r: r["level"]), strict=False):
        boards = list(own)
        words = line.split()
        assert words[0] == level
        for metric in ("reachable_states", "pieces"):
            mean = sum(int(r[metric]) for r in boards) / len(boards)
            assert f"{mean:,.1f}" in words, "the paper's figures show averages"
    assert "No layer is recorded in absent.db" in result.stderr
    levels = rows(out / "levels.csv")
    assert [(r["level"], r["board"], r["pieces"]) for r in levels] == [
        ("first", "1", "3"), ("first", "2", "2"), ("second", "1", "7"),
    ]  # fmt: skip
    assert [r["reachable_states"] for r in levels][-1] == "55"
    assert [(r["pieces"], r["table_pieces"]) for r in rows(out / "saving.csv")] == [("7", "6")]
    solvable = rows(out / "solvable.csv")
    assert [(r["pieces"], r["examined"], r["exact"]) for r in solvable] == [
        ("4", "20", "0"),
        ("5", "20", "0"),
    ]
    for row, pieces in zip(solvable, (4, 5), strict=True):
        sample = sampled_solvable(GAME, pieces, 20, 9, lambda done: None)
        assert int(row["solvable"]) == sample.solvable
        interval = f"{100 * sample.low:.1f} to {100 * sample.high:.1f} %"
        assert f"{100 * sample.share:.2f} %  {interval.rjust(13)}" in result.stdout
    assert {path.stem for path in out.glob("figure_[56]_*")} == {
        name for name in ("figure_5_reachable_states", "figure_6_pieces") if plots
    }
    for number in (5, 6, 7, 8) if plots else ():
        (svg,), (png,) = (list(out.glob(f"figure_{number}_*.{kind}")) for kind in ("svg", "png"))
        assert ElementTree.parse(svg).getroot().tag.endswith("svg")
        assert png.read_bytes().startswith(b"\x89PNG")


def test_without_the_face_that_saves_figures_a_sentence_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "fling")
    registry.cache_clear()
    result = run_command(level_file(tmp_path), "--output", tmp_path / "out")
    registry.cache_clear()
    assert isinstance(result.exception, EpcgError)
    assert "without --no-plots needs the function 'save_figure' of a plugin" in str(result.exception)
    assert "research" in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_without_matplotlib_the_extra_is_named_and_the_tables_can_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run_command(level_file(tmp_path), "--output", tmp_path / "out")
    assert isinstance(result.exception, EpcgError)
    assert "The plots need matplotlib, which is not installed: " in str(result.exception)
    assert "pip install 'epcg-fling[plot]'" in str(result.exception)
    result = run_command(level_file(tmp_path), "--output", tmp_path / "out", "--no-plots", "--random", 0)
    assert result.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "levels.csv", "saving.csv", "solvable.csv",
    ]  # fmt: skip


@pytest.mark.parametrize("pieces", ["14-", "x", "0", "16-14", "57"])
def test_a_bad_range_of_pieces_is_a_usage_error(tmp_path: Path, pieces: str) -> None:
    result = run_command(level_file(tmp_path), "--pieces", pieces)
    assert result.exit_code == 2
    assert f"'{pieces}'" in result.stderr


def test_a_missing_file_is_a_usage_error() -> None:
    assert run_command("absent.json").exit_code == 2


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        ("{", "is not valid JSON"),
        ([], "expected an object of levels"),
        ({}, "expected an object of levels"),
        ({"1": {}}, "level 1: expected a list of boards"),
        ({"1": []}, "level 1: expected a list of boards"),
        ({"1": [{"bitboard": 3}], "2": [{"bitboard": 3}, 6656]}, "level 2, board 2: expected an object"),
        ({"1": [{"bits": 3}]}, "level 1, board 1: expected an object with a bitboard"),
        ({"7": [{"bitboard": "3"}]}, 'level 7, board 1: the bitboard "3" is not a whole number'),
        ({"7": [{"bitboard": True}]}, "level 7, board 1: the bitboard true is not a whole number"),
        ({"7": [{"bitboard": 0}]}, "level 7, board 1: the bitboard 0 is not a board of 7 by 8"),
        ({"7": [{"bitboard": 2**56}]}, f"level 7, board 1: the bitboard {2**56} is not a board of 7 by 8"),
        (
            {"7": [{"bitboard": 7, "pieces": 4}]},
            "level 7, board 1: the bitboard 7 has 3 pieces, but the file says 4",
        ),
    ],
)
def test_a_malformed_file_is_answered_by_level_and_board(tmp_path: Path, levels: Any, sentence: str) -> None:
    result = run_command(level_file(tmp_path, levels), "--output", tmp_path / "out", "--no-plots")
    assert isinstance(result.exception, EpcgError)
    assert sentence in str(result.exception)
    assert not (tmp_path / "out").exists()
