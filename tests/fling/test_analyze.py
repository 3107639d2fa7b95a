"""`epcg fling analyze` against playing every move with the rules."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from epcg_fling.commands.analyze import as_data, command, read_board
from epcg_fling.evaluation.analysis import analyze_board, first_solution
from epcg_fling.generators.boards import Boards
from epcg_fling.params import BoardsParams
from epcg_fling.rendering.renderers import move_in_words
from epcg_fling.rules.moves import DIRECTION_NAMES, BoardShape, cells_of, fling, legal_moves, successors
from epcg_fling.search.recorded import highest_tables, recorded_tables
from epcg_fling.search.solutions import SolutionSearch
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import CheckFailedError, EpcgError
from epcg_core.chunks.bitsets import pack
from epcg_core.domain import Bits
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from tests.sweeps import most
from tests.workplace import epcg, invoke

SMALL = BoardShape(4, 4)
LEVEL = sum(1 << cell for cell in (3, 4, 9, 27, 34, 37, 55))

small_boards = st.sets(st.integers(0, 15), min_size=1, max_size=7).map(
    lambda cells: sum(1 << c for c in cells)
)
conventions = st.sampled_from(["successors", "moves"])


@pytest.fixture(scope="module", autouse=True)
def short_measurements() -> Iterator[None]:
    """What CPU seconds say is not looked at here: measure each call once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("epcg_fling.evaluation.analysis._MEASUREMENT_S", 0.0)
        yield


@cache
def solvable(shape: BoardShape, bits: int) -> bool:
    return bits.bit_count() == 1 or any(solvable(shape, after) for after in successors(shape, bits))


@cache
def unique(shape: BoardShape, bits: int, convention: str) -> bool:
    if bits.bit_count() <= 2:
        return solvable(shape, bits)
    after = [fling(shape, bits, move) for move in legal_moves(shape, bits)]
    ways = [b for b in (after if convention == "moves" else set(after)) if solvable(shape, b)]
    return len(ways) == 1 and unique(shape, ways[0], convention)


def reachable(shape: BoardShape, bits: int) -> set[int]:
    return {bits}.union(*(reachable(shape, after) for after in successors(shape, bits)))


def expected(shape: BoardShape, bits: int, convention: str) -> dict[str, Any]:
    now = solvable(shape, bits), unique(shape, bits, convention)
    edits = []
    for cell in range(shape.cells):
        board = bits ^ 1 << cell
        after = solvable(shape, board), unique(shape, board, convention)
        edits.append(
            {
                "cell": cell,
                "column": cell % shape.width + 1,
                "row": cell // shape.width + 1,
                "change": "remove" if cell in cells_of(bits) else "add",
                "solvable": after[0],
                "unique": after[1],
                "changes_solvability": after[0] != now[0],
                "changes_uniqueness": after[1] != now[1],
            }
        )
    return {
        "solvable": now[0],
        "unique": now[1],
        "reachable_states": len(reachable(shape, bits)),
        "winning_moves": [
            {
                "cell": cell,
                "column": cell % shape.width + 1,
                "row": cell // shape.width + 1,
                "direction": DIRECTION_NAMES[direction],
                "words": move_in_words(shape, (cell, direction)),
            }
            for cell, direction in legal_moves(shape, bits)
            if solvable(shape, fling(shape, bits, (cell, direction)))
        ],
        "edits": edits,
    }


def tables(shape: BoardShape, layers: range, convention: str) -> dict[int, tuple[Bits, Bits]]:
    found = {}
    for layer in layers:
        boards = Boards(BoardsParams(shape.width, shape.height, layer))
        states = [boards.unrank(rank) for rank in range(boards.max_rank)]
        found[layer] = (
            pack(np.array([solvable(shape, bits) for bits in states])),
            pack(np.array([unique(shape, bits, convention) for bits in states])),
        )
    return found


def analyze(*arguments: str, db: str = "absent.db") -> Result:
    return invoke(command(), *arguments, "--db", db)


@settings(max_examples=most(25))
@given(small_boards, conventions)
def test_all_that_is_said_of_a_small_board_is_what_brute_force_finds(bits: int, convention: str) -> None:
    analysis = analyze_board(SMALL, bits, convention, {})
    data = as_data(SMALL, bits, convention, Path("epcg.db"), analysis)
    wanted = expected(SMALL, bits, convention)
    assert {key: data[key] for key in wanted} == wanted
    board = bits
    for cell, direction in analysis.solution or ():
        board = fling(SMALL, board, (cell, direction))
    assert (board.bit_count() == 1) == wanted["solvable"]
    assert (analysis.solution is None) == (not wanted["solvable"])


@pytest.mark.parametrize("convention", ["successors", "moves"])
def test_endgame_tables_change_the_time_and_nothing_else(convention: str) -> None:
    layers = tables(SMALL, range(3, 5), convention)
    for bits in (0b0000_0010_1000_0101, 0b1010_0000_0101_1001, 0b1000_0000_0000_0101):
        alone, helped = (analyze_board(SMALL, bits, convention, t) for t in ({}, layers))
        assert helped.judgement == alone.judgement
        assert helped.solution == alone.solution
        assert (alone.with_tables, alone.layers) == (None, ())
        assert helped.layers == (3, 4)
        assert helped.search is not None
        assert helped.with_tables is not None


def test_tables_that_disagree_with_the_search_are_reported() -> None:
    bits = 0b1010_0000_0101_1001
    solvable_3, unique_3 = tables(SMALL, range(3, 4), "successors")[3]
    wrong = Bits(~solvable_3.data, solvable_3.count)
    with pytest.raises(CheckFailedError, match="disagree about the board 41049"):
        analyze_board(SMALL, bits, "successors", {3: (wrong, unique_3)})


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layers of the small board up to four pieces, recorded as `epcg run` does."""
    path = tmp_path_factory.mktemp("recorded") / "layers.db"
    query = parse_query(
        'domain = "fling"\n[search]\nname = "retrograde"\nuniqueness = "moves"\n'
        '[generator]\nname = "boards"\nwidth = 4\nheight = 4\npieces = 4\n'
    )
    with Store.open(path, write=True) as store:
        execute(query, store, Options(executor="serial", quiet=True))
    return path


def test_recorded_layers_are_read_by_rank(database: Path) -> None:
    recorded = recorded_tables(database, SMALL, range(1, 9), "moves")
    assert sorted(recorded) == [1, 2, 3, 4]
    for layer, expected_pair in tables(SMALL, range(3, 5), "moves").items():
        for bits, wanted in zip(recorded[layer], expected_pair, strict=True):
            assert bits.count == wanted.count
            assert bits.data.tobytes() == wanted.data.tobytes()


def test_layers_of_another_convention_or_board_are_not_used(database: Path) -> None:
    assert recorded_tables(database, SMALL, range(1, 9), "successors") == {}
    assert recorded_tables(database, BoardShape(4, 5), range(1, 9), "moves") == {}
    assert recorded_tables(database.with_name("absent.db"), SMALL, range(1, 9), "moves") == {}
    assert sorted(highest_tables(database, SMALL, 3, "moves")) == [3]


def test_a_table_with_a_gap_is_reported(database: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    shutil.copy(database, damaged)
    with closing(sqlite3.connect(damaged)) as connection, connection:
        connection.execute("DELETE FROM score_chunk WHERE run_id = 3")
    with pytest.raises(CheckFailedError, match=r"lacks the ranks from 0 on.* epcg verify 3"):
        recorded_tables(damaged, SMALL, [3], "moves")


def test_the_command_uses_recorded_layers(database: Path) -> None:
    arguments = [str(0b1010_0000_0101_1001), "--width", "4", "--height", "4", "--uniqueness", "moves"]
    helped = json.loads(analyze(*arguments, "--json", db=str(database)).stdout)
    alone = json.loads(analyze(*arguments, "--json").stdout)
    assert helped["endgame_tables"]["layers"] == [3, 4]
    assert helped["cpu_seconds"]["factor"] > 0
    for changed in ("endgame_tables", "cpu_seconds"):
        del helped[changed], alone[changed]
    assert helped == alone
    assert "with tables of 3, 4 pieces" in analyze(*arguments, db=str(database)).stdout


def test_the_command_prints_json() -> None:
    bits = 0b1010_0000_0101_1001
    result = analyze(str(bits), "--width", "4", "--height", "4", "--uniqueness", "moves", "--json")
    data = json.loads(result.stdout)
    assert data["board"] == {
        "bitboard": bits, "width": 4, "height": 4, "pieces": 6, "rows": ["o..o", "o.o.", "....", ".o.o"],
    }  # fmt: skip
    assert data["uniqueness"] == "moves"
    wanted = expected(SMALL, bits, "moves")
    assert {key: data[key] for key in wanted} == wanted
    assert data["endgame_tables"] == {"database": "absent.db", "layers": []}
    assert data["cpu_seconds"]["with_tables"] is None
    assert data["cpu_seconds"]["factor"] is None


def test_the_command_tells_a_designer_in_words() -> None:
    result = analyze(str(LEVEL))
    lines = result.stdout.splitlines()
    assert lines[0] == (f"Board {LEVEL}, 7 by 8, 7 pieces: a unique solution (distinct boards are counted).")
    assert "  1. fling the piece at column 7, row 8 up" in lines
    assert "Reachable states: 55" in lines
    assert "Winning moves: 1 of 4" in lines
    assert "It becomes: x not solvable, 2 several solutions." in lines
    assert (
        "No endgame table for this board is recorded in absent.db; compute one with: epcg run"
        in result.stderr
    )


def test_the_picture_has_an_arrow_for_each_winning_move(tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    assert analyze(str(LEVEL), "--output", str(picture)).exit_code == 0
    paths = ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}path")
    assert len([path for path in paths if path.get("class") == "arrow"]) == 1


def test_a_board_is_a_file_or_rows_or_cells_or_a_number(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("o..o\n....\n....\n.o..\n")
    for board in (str(file), "o..o/..../..../.o..", "0,3,13", "8201"):
        assert read_board(board, 4, 4) == (SMALL, 8201)


def test_a_drawing_tells_its_own_size() -> None:
    assert read_board("o..o/..../..../.o..") == (SMALL, 8201)
    assert read_board("o..o\n....", None, 2) == (BoardShape(4, 2), 9)
    assert read_board("0,3") == (BoardShape(7, 8), 9)
    with pytest.raises(EpcgError, match="has 4 cells, but the board is 5 wide"):
        read_board("o..o/....", 5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["o..o/....", "--width", "4", "--height", "4"], "There are 2 rows"),
        (["o.x.", "--width", "4", "--height", "1"], "is not a row of a board"),
        (["0"], "no pieces"),
        (["1", "--width", "9", "--height", "9"], "has 81 cells"),
        (["6656", "--output", "absent/board.svg"], "absent/board.svg cannot be written"),
    ],
)
def test_a_mistake_is_answered_by_a_sentence(arguments: list[str], sentence: str) -> None:
    result = analyze(*arguments)
    assert isinstance(result.exception, EpcgError)
    assert sentence in str(result.exception)


def test_an_unknown_option_value_is_a_usage_error() -> None:
    assert analyze("6656", "--uniqueness", "all").exit_code == 2


def test_the_first_solution_is_the_first_in_the_order_of_the_moves() -> None:
    bits = 0b1010_0000_0101_1001
    solution, board = [], bits
    while board.bit_count() > 1:
        winning = (m for m in legal_moves(SMALL, board) if solvable(SMALL, fling(SMALL, board, m)))
        solution.append(next(winning))
        board = fling(SMALL, board, solution[-1])
    assert first_solution(SolutionSearch(SMALL), bits) == tuple(solution)


def test_blanks_between_cells_are_no_rows() -> None:
    assert read_board("o . . o\n. . . .\n. . . .\n. o . .\n") == (SMALL, 8201)
    assert read_board("o..o .... .... .o..") == (SMALL, 8201)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    said = str(analyze(str(tmp_path / "nosuch.txt")).exception)
    assert said.startswith(f"There is no file '{tmp_path / 'nosuch.txt'}'.")


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_plan_may_name_symmetries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
name = "small"
[[chapters]]
name = "one"
query = "fling/best_by_expert_ratio"
set = { generator = { width = 4, height = 4, pieces = PIECES } }
rows = "all"
measure = "expert_tree"
strategy = "lowest"
count = COUNT
distinct = DISTINCT
"""
    most = {}
    for distinct in ("true", '["mirror", "turn"]', '["mirror", "turn", "shift"]'):
        plan = text.replace("DISTINCT", distinct).replace("PIECES", str(pieces))
        (tmp_path / "plan.toml").write_text(plan.replace("COUNT", "9999"))
        said = epcg("curriculum", "build", "plan.toml", "--quiet", code=1).stderr
        most[distinct] = int(re.search(r"finds (\d+)", said)[1])  # type: ignore[index]
    assert most["true"] == most['["mirror", "turn"]'] > most['["mirror", "turn", "shift"]'] > 0
    (tmp_path / "plan.toml").write_text(plan.replace("COUNT", str(pieces)))
    epcg("curriculum", "build", "plan.toml", "--quiet")
    assert f"executed again, chooses the same {pieces}" in epcg("curriculum", "verify", "small").stdout
    (tmp_path / "plan.toml").write_text(plan.replace("COUNT", "3").replace("shift", "shft"))
    said = epcg("curriculum", "build", "plan.toml", "--quiet", code=1).stderr
    assert "chapter 'one': distinct: unknown symmetry 'shft'. Did you mean 'shift'?" in said
