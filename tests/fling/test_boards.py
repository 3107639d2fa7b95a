"""The generator `boards`: ranks, arrays, symmetry, text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from epcg_fling.formats.boards import format_board, parse_board
from epcg_fling.generators.boards import Boards
from epcg_fling.params import BoardsParams
from epcg_fling.rules.moves import BoardShape, cells_of, fling, legal_moves
from epcg_fling.rules.solving import Solver
from epcg_fling.rules.symmetry import NAMES, images, images_by, normal_form, symmetries, to_corner
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.base.params import structure
from epcg_core.domain import ArrayGenerator, EvaluatorInfo, GeneratorInfo, resolve
from epcg_core.plugins.registry import registry
from tests.sweeps import most
from tests.workplace import epcg

GAME = BoardShape(7, 8)


def boards(width: int = 7, height: int = 8, pieces: int = 6) -> Boards:
    return Boards(BoardsParams(width, height, pieces))


def board(*cells: int) -> int:
    return sum(1 << cell for cell in cells)


def test_the_game_has_32_million_boards_of_six_pieces() -> None:
    assert boards().max_rank == 32_468_436
    assert boards(pieces=10).max_rank == math.comb(56, 10) == 35_607_051_480


@pytest.mark.parametrize(
    ("rank", "cells"),
    [
        (0, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)),
        (47, (0, 1, 2, 3, 4, 5, 6, 7, 9, 10)),
        (12_345_678_901, (2, 3, 15, 21, 23, 38, 42, 45, 46, 49)),
        (35_607_051_479, (46, 47, 48, 49, 50, 51, 52, 53, 54, 55)),
    ],
)
def test_ranks_are_lexicographic(rank: int, cells: tuple[int, ...]) -> None:
    space = boards(pieces=10)
    assert space.unrank(rank) == board(*cells)
    assert space.rank(board(*cells)) == rank
    assert space.states_at(np.array([rank]))[0] == board(*cells)


@pytest.mark.parametrize(("width", "height", "pieces"), [(7, 8, 2), (4, 4, 5), (8, 8, 1), (3, 2, 6)])
def test_plain_and_array_forms_agree(width: int, height: int, pieces: int) -> None:
    space = boards(width, height, pieces)
    assert isinstance(space, ArrayGenerator)
    listed = [space.unrank(rank) for rank in range(space.max_rank)]
    assert [space.rank(state) for state in listed] == list(range(space.max_rank))
    assert [space.increment(state) for state in listed] == [*listed[1:], None]
    block = space.states_block(0, space.max_rank)
    assert block.dtype == np.uint64
    assert block.tolist() == listed
    assert space.states_at(np.arange(0, space.max_rank, 3)).tolist() == listed[::3]
    assert space.states_block(0, 0).size == 0


def test_the_largest_spaces_have_arrays() -> None:
    space = boards(8, 8, 32)
    last = space.max_rank - 1
    assert space.states_at(np.array([0, last])).tolist() == [space.unrank(0), space.unrank(last)]
    assert space.unrank(last) == board(*range(32, 64))


@given(st.integers(0, 32_468_435))
def test_canonical_rank_is_the_same_for_all_images(rank: int) -> None:
    space = boards()
    lowest = space.canonical_rank(rank)
    assert lowest <= rank
    assert {space.canonical_rank(space.rank(image)) for image in images(GAME, space.unrank(rank))} == {lowest}


def test_symmetries_are_four_or_eight_and_keep_the_rules() -> None:
    assert len(set(symmetries(GAME))) == 4
    assert len(set(symmetries(BoardShape(5, 5)))) == 8
    for shape in (GAME, BoardShape(5, 5)):
        bits = board(0, 3, 9, 11, 20, 23)
        boards_after = {fling(shape, bits, move) for move in legal_moves(shape, bits)}
        for symmetry in symmetries(shape):
            image = sum(1 << symmetry[cell] for cell in (0, 3, 9, 11, 20, 23))
            after = {fling(shape, image, move) for move in legal_moves(shape, image)}
            assert {normal_form(shape, b) for b in after} == {normal_form(shape, b) for b in boards_after}


@given(st.integers(1, GAME.full))
def test_normal_form_ignores_mirrors_and_translation(bits: int) -> None:
    form = normal_form(GAME, bits)
    assert to_corner(GAME, form) == form
    assert form.bit_count() == bits.bit_count()
    assert {normal_form(GAME, image) for image in images(GAME, bits)} == {form}
    assert normal_form(GAME, to_corner(GAME, bits)) == form


def test_translated_boards_have_one_normal_form() -> None:
    assert boards(pieces=3).normal_form(board(9, 11, 12)) == boards(pieces=3).normal_form(board(50, 52, 53))
    assert normal_form(GAME, board(0, 2, 3)) == normal_form(GAME, board(0, 1, 3)) == board(0, 1, 3)


ROWS = ".......\n..o.oo.\n.......\n.......\n.......\n.......\n.......\n......."


@pytest.mark.parametrize(
    "text", [ROWS, ROWS.replace("o", "#"), ROWS.replace("\n", "/"), "6656", "9, 11,12", f"\n  {ROWS}\n"]
)
def test_parse_reads_rows_numbers_and_cells(text: str) -> None:
    assert boards(pieces=3).parse(text) == 6656 == board(9, 11, 12)


@given(st.integers(0, GAME.full))
def test_parse_reads_what_format_writes(bits: int) -> None:
    assert parse_board(GAME, format_board(GAME, bits)) == bits


def test_a_single_cell_needs_a_comma() -> None:
    assert parse_board(GAME, "5,") == board(5)
    assert parse_board(GAME, "5") == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("o.o", "Row 1, 'o.o', has 3 cells, but the board is 7 wide."),
        ("..o.oo./.......", "There are 2 rows, but the board is 8 high."),
        ("..x.oo.", "is not a row of a board"),
        ("3,56,7", "'56' is not a cell of a board of 7 by 8: cells are numbered row by row from 0 to 55"),
        ("3,3,7", "The cell 3 is named twice."),
        (str(1 << 56), "is not a bitboard of 7 by 8"),
        ("3,7", "The board has 2 pieces, but the boards of this space have 3"),
        ("", "is not a row of a board"),
    ],
)
def test_parse_says_what_is_wrong(text: str, sentence: str) -> None:
    with pytest.raises(EpcgError) as error:
        boards(pieces=3).parse(text)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"width": 9}, "A board of 9 by 8 has 72 cells; at most 64 are possible"),
        ({"width": 2, "height": 2}, "6 pieces do not fit on a board of 2 by 2: it has 4 cells."),
        ({"pieces": 0}, "generator.pieces: 0 is not allowed; expected an integer from 1 to 64."),
    ],
)
def test_params_say_what_is_wrong(table: dict[str, int], sentence: str) -> None:
    with pytest.raises(ParamsError) as error:
        structure(BoardsParams, table, "generator")
    assert sentence in str(error.value)


def test_params_default_to_the_game() -> None:
    assert structure(BoardsParams, {}, "generator") == BoardsParams(width=7, height=8, pieces=6)


def test_the_plugin_registers_working_parts() -> None:
    info = registry().generator("fling", "boards")
    assert isinstance(info, GeneratorInfo)
    space = resolve(info.factory)(info.params())
    assert space.max_rank == 32_468_436
    evaluators = [
        info
        for info in registry().all(EvaluatorInfo, "fling")
        if registry().distribution_of(info) == "epcg-fling"
    ]
    assert {e.name for e in evaluators} >= {
        "edit_effect",
        "expert_ratio",
        "reachable_states",
        "solution",
        "solvable",
        "unique",
        "winning_moves",
    }
    for evaluator in evaluators:
        part = resolve(evaluator.factory)(evaluator.params(), space, {})
        assert tuple(part.metrics) == evaluator.metrics
        if evaluator.needs is not None:
            for need in resolve(evaluator.needs)(evaluator.params(), space):
                assert need.generator == "boards"
                assert need.role == f"{need.metric}:{need.params.pieces}"


# --- symmetries by name


@settings(max_examples=most(40))
@given(st.sets(st.integers(0, 15), min_size=1, max_size=5), st.sampled_from([(4, 4), (5, 4)]))
def test_classes_by_name_are_those_of_their_maps(cells: set[int], size: tuple[int, int]) -> None:
    """Each symmetry as a map of points, applied again and again until nothing new turns up."""
    shape = BoardShape(*size)
    right, bottom = shape.width - 1, shape.height - 1
    maps: dict[str, list[Callable[[int, int], tuple[int, int]]]] = {
        "mirror": [lambda x, y: (right - x, y), lambda x, y: (x, bottom - y)],
        "turn": [lambda x, y: (right - x, bottom - y)],
        "shift": [
            lambda x, y: (x + 1, y), lambda x, y: (x, y + 1), lambda x, y: (x - 1, y), lambda x, y: (x, y - 1)
        ],
    }  # fmt: skip
    if shape.width == shape.height:
        maps["turn"].append(lambda x, y: (right - y, x))
    space = boards(shape.width, shape.height, len(cells))
    bits = board(*cells)
    for names in (("mirror",), ("turn",), ("shift",), ("mirror", "turn"), ("turn", "shift"), NAMES):
        found, left = {bits}, [bits]
        while left:
            places = [(cell % shape.width, cell // shape.width) for cell in cells_of(left.pop())]
            for move in (move for name in names for move in maps[name]):
                image = [move(x, y) for x, y in places]
                other = board(
                    *(y * shape.width + x for x, y in image if 0 <= x <= right and 0 <= y <= bottom)
                )
                if other.bit_count() == len(cells) and other not in found:
                    found.add(other)
                    left.append(other)
        assert images_by(shape, bits, names) == found
        canonical = space.canonical_rank_by(names)
        assert {canonical(space.rank(other)) for other in found} == {min(map(space.rank, found))}
        assert space.canonical_ranks(np.array([space.rank(bits)]), names) == canonical(space.rank(bits))
        if names == ("mirror", "turn"):
            assert canonical(space.rank(bits)) == space.canonical_rank(space.rank(bits))


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_classes_of_many_boards_are_those_of_each(width: int, height: int, data: st.DataObject) -> None:
    space = boards(width, height, data.draw(st.integers(1, width * height)))
    ranks = data.draw(st.lists(st.integers(0, min(space.max_rank, 2**63) - 1), max_size=20))
    names = data.draw(st.none() | st.sets(st.sampled_from(NAMES)))
    single = space.canonical_rank if names is None else space.canonical_rank_by(sorted(names))
    found = space.canonical_ranks(np.array(ranks, np.int64), None if names is None else sorted(names))
    assert found.tolist() == list(map(single, ranks))


def test_translated_copies_are_one_board_if_shifts_are_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    size = ("--set", "generator.width=4", "--set", "generator.height=4", "--set", "generator.pieces=3")
    epcg("run", "fling/layers", *size, "--quiet")
    found = {}
    for names in (("mirror", "turn"), NAMES):
        asked = [option for name in names for option in ("--symmetry", name)]
        rows = epcg("top", 3, "--metric", "unique", "--count", 1000, *asked, "--format", "json").stdout
        boards_found = [row for row in json.loads(rows) if row["unique"]]
        found[names] = len(boards_found)
    space = boards(4, 4, 3)
    ranks = [rank for rank in range(space.max_rank) if Solver(space.setting).unique(space.unrank(rank))]
    assert found[NAMES] == len({normal_form(space.setting, space.unrank(rank)) for rank in ranks})
    assert found["mirror", "turn"] == len({space.canonical_rank(rank) for rank in ranks}) > found[NAMES]


@pytest.mark.parametrize(("side", "pieces"), [(3, 2), pytest.param(4, 3, marks=pytest.mark.slow)])
def test_runs_are_told_apart_by_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: int, pieces: int
) -> None:
    monkeypatch.chdir(tmp_path)
    keys = {"width": side, "height": side, "pieces": pieces}
    size = [word for key, value in keys.items() for word in ("--set", f"generator.{key}={value}")]
    epcg("run", "fling/layers", *size, "--quiet")
    assert "differs in" not in epcg("runs").stdout
    epcg("run", "fling/layers", *size, "--set", "search.uniqueness=moves", "--quiet")
    shown = epcg("runs").stdout
    assert 'search.uniqueness = "successors"' in shown
    assert 'search.uniqueness = "moves"' in shown
    differs = [run["differs"] for run in json.loads(epcg("runs", "--json").stdout)]
    assert {"search.uniqueness": "moves"} in differs
