"""Sliding tiles: the rules, the ranks, the numbers of boards at each depth, and the shortest solutions."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from epcg_sliding.boards import Boards
from epcg_sliding.editor import BoardEditor
from epcg_sliding.evaluators import Manhattan
from epcg_sliding.params import BoardsParams
from epcg_sliding.render import svg_renderer, text_renderer
from epcg_sliding.solve import solution
from hypothesis import given, settings, strategies as st

from epcg_core.plugin import NoParams, Options, Outcome, RankError, Store, changes_of, execute, load, verify

QUERIES = Path(__file__).parents[1] / "queries"
FRAMES = [(2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (2, 5), (3, 4), (4, 3), (4, 4), (4, 5)]

LAYERS = {
    (2, 2): [1, 2, 2, 2, 2, 2, 1],
    (2, 3): [1, 2, 3, 5, 6, 7, 10, 12, 12, 16, 23, 25, 28, 39, 44, 40, 29, 21, 18, 12, 6, 1],
    (2, 4): [1, 2, 3, 6, 10, 14, 19, 28, 42, 61, 85, 119, 161, 215, 293, 396, 506, 632, 788, 985, 1194, 1414,
             1664, 1884, 1999, 1958, 1770, 1463, 1076, 667, 361, 190, 88, 39, 19, 7, 1],
    (3, 3): [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878,
             16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2],
    (2, 5): [1, 2, 3, 6, 11, 19, 30, 44, 68, 112, 176, 271, 411, 602, 851, 1232, 1783, 2530, 3567, 4996, 6838,
             9279, 12463, 16597, 21848, 28227, 35682, 44464, 54597, 65966, 78433, 91725, 104896, 116966,
             126335, 131998, 133107, 128720, 119332, 106335, 91545, 75742, 60119, 45840, 33422, 23223, 15140,
             9094, 5073, 2605, 1224, 528, 225, 75, 20, 2],
}  # fmt: skip
"""Boards at each distance from the solved one, from a queue over tuples in plain Python.

Those of 2 x 4 and 3 x 3 are A090035 and A089473 of the On-Line Encyclopedia of Integer Sequences, after
Reinefeld, "Complete solution of the eight-puzzle and the benefit of node ordering in IDA*" (1993).
"""

FROM_THE_SIDE = [1, 3, 5, 10, 14, 28, 42, 80, 108, 202, 278, 524, 726, 1348, 1804, 3283, 4193, 7322, 8596,
                 13930, 14713, 21721, 19827, 25132, 18197, 18978, 9929, 7359, 2081, 878, 126, 2]  # fmt: skip
FROM_THE_CENTRE = [1, 4, 8, 8, 16, 32, 60, 72, 136, 200, 376, 512, 964, 1296, 2368, 3084, 5482, 6736, 11132,
                   12208, 18612, 18444, 24968, 19632, 22289, 13600, 11842, 4340, 2398, 472, 148]  # fmt: skip
"""The same of 3 x 3 from a board whose hole is elsewhere: A089483 and A089474, by Pfoertner."""


def boards(rows: int, columns: int) -> Boards:
    return Boards(BoardsParams(rows, columns))


def run(name: str, database: Path, rows: int, columns: int, *overrides: str) -> Outcome:
    frame = (f"generator.rows={rows}", f"generator.columns={columns}", *overrides)
    with Store.open(database, write=True) as store:
        return execute(load(QUERIES / f"{name}.toml", frame), store, Options("serial", quiet=True))


def layers(database: Path, outcome: Outcome) -> list[int]:
    numbers = ", ".join(str(run.id) for run in outcome.runs)
    with Store.open(database) as store, store.reader() as reader:
        rows = reader.connection.exec_driver_sql(
            f"SELECT states FROM depths WHERE run_id IN ({numbers}) ORDER BY depth"
        ).all()
    return [states for (states,) in rows]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("rows", "columns"), FRAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=40)
def test_ranks_boards_and_moves_agree(rows: int, columns: int, data: st.DataObject) -> None:
    space = boards(rows, columns)
    rank = data.draw(st.integers(0, space.max_rank - 1))
    board, model = space.unrank(rank), space.transition_model
    assert space.rank(board) == rank
    assert space.parse(space.format(board)) == board
    ranks = np.array(sorted({rank, space.max_rank - 1, rank // 2}))
    packed = space.states_at(ranks)
    found = space.ranked_graph.successor_ranks(ranks)
    for number, row, ways in zip(ranks.tolist(), packed.tolist(), found.tolist(), strict=True):
        state = space.unrank(number)
        assert tuple(row) == state
        successors = {space.rank(model.apply(state, action)) for action in model.actions(state)}
        assert successors == {way for way in ways if way >= 0}
        for action in model.actions(state):
            after = model.apply(state, action)
            assert state in {model.apply(after, back) for back in model.actions(after)}
            assert abs(model.manhattan(after) - model.manhattan(state)) == 1


@pytest.mark.parametrize(("rows", "columns", "number"), [(2, 2, 12), (2, 3, 360), (2, 4, 20160)])
def test_all_ranks_are_different_boards(rows: int, columns: int, number: int) -> None:
    space = boards(rows, columns)
    assert space.max_rank == number
    assert len({space.unrank(rank) for rank in range(number)}) == number


def test_the_sizes_of_frames() -> None:
    sizes = [boards(rows, columns).max_rank for rows, columns in FRAMES]
    assert sizes[4:8] == [181_440, 1_814_400, 239_500_800, 239_500_800]


def test_half_of_all_orders_cannot_be_solved() -> None:
    space = boards(3, 3)
    assert space.rank(space.transition_model.solved) == space.starts[0]
    with pytest.raises(RankError, match="two tiles have changed places"):
        space.parse("2 1 3 / 4 5 6 / 7 8 0")
    with pytest.raises(RankError, match="is not a board of 3 x 3"):
        space.parse("1 2 3 / 4 5 6 / 7 8 8")


def test_mirror_images_are_as_far_from_solved() -> None:
    space = boards(3, 3)
    found = Counter(space.canonical_rank(rank) for rank in range(0, 181_440, 97))
    assert all(space.canonical_rank(rank) == rank for rank in found)
    rank = space.rank((8, 6, 7, 2, 5, 4, 3, 0, 1))
    mirrored = space.rank((6, 4, 7, 8, 5, 0, 3, 2, 1))
    assert space.canonical_rank(rank) == space.canonical_rank(mirrored) == min(rank, mirrored)
    assert not hasattr(boards(2, 3), "canonical_rank")


@pytest.mark.parametrize(
    ("frame", "verified"),
    [((2, 2), False), *(pytest.param(frame, True, marks=pytest.mark.slow) for frame in LAYERS)],
)
def test_how_many_boards_each_depth_has(frame: tuple[int, int], verified: bool, tmp_path: Path) -> None:
    outcome = run("depths", tmp_path / "a.db", *frame)
    assert layers(tmp_path / "a.db", outcome) == [*LAYERS[frame], 0]
    assert sum(LAYERS[frame]) == outcome.goal.max_rank
    assert outcome.kept == LAYERS[frame][-1]
    with Store.open(tmp_path / "a.db") as store:
        for answer in (outcome.runs[-3], outcome.goal) if verified else ():
            assert verify(store, answer.id, 50).passed


@pytest.mark.slow
@pytest.mark.parametrize(("hole", "numbers"), [(1, FROM_THE_SIDE), (4, FROM_THE_CENTRE)])
def test_boards_at_each_depth_from_another_board(hole: int, numbers: list[int], tmp_path: Path) -> None:
    space = boards(3, 3)
    start = next(rank for rank in range(space.max_rank) if space.unrank(rank)[hole] == 0)
    outcome = run("depths", tmp_path / "a.db", 3, 3, f"search.starts=[{start}]")
    assert layers(tmp_path / "a.db", outcome) == [*numbers, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "frame", [(2, 2), *(pytest.param(f, marks=pytest.mark.slow) for f in ((2, 3), (2, 4)))]
)
def test_the_frontier_alone_counts_the_same(frame: tuple[int, int], tmp_path: Path) -> None:
    outcome = run("depths", tmp_path / "a.db", *frame, "search.record=frontier", "select=[]")
    assert layers(tmp_path / "a.db", outcome) == [*LAYERS[frame], 0]


@pytest.mark.slow
def test_all_boards_of_two_by_two_but_the_farthest_have_one_shortest_solution(tmp_path: Path) -> None:
    """The twelve boards are a ring: the hole goes around one way or the other."""
    outcome = run("unique", tmp_path / "a.db", 2, 2, "select.0.distinct=false")
    with Store.open(tmp_path / "a.db") as store, store.reader() as reader:
        moves, solutions, unique = (
            [reader.value(outcome.goal.id, name, rank) for rank in range(12)]
            for name in ("moves", "solutions", "unique_moves")
        )
    assert sorted(moves) == [0, *(n for n in range(1, 6) for _ in range(2)), 6]
    assert solutions == [2 if n == 6 else 1 for n in moves]
    assert unique == [None if n == 6 else n for n in moves]


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 3)])
def test_shortest_solutions_are_counted(rows: int, columns: int, tmp_path: Path) -> None:
    outcome = run("unique", tmp_path / "a.db", rows, columns, f"select.0.distinct={rows == columns}".lower())
    with Store.open(tmp_path / "a.db") as store:
        assert verify(store, outcome.goal.id, 30).passed  # state by state in plain Python
        with store.reader() as reader:
            values = [
                [reader.value(outcome.goal.id, name, rank) for rank in range(0, outcome.goal.max_rank, 7)]
                for name in ("moves", "solutions", "unique_moves", "manhattan")
            ]
    for moves, solutions, unique, manhattan in zip(*values, strict=True):
        assert manhattan <= moves
        assert unique == (moves if solutions == 1 else None)
    if (rows, columns) == (3, 3):
        assert outcome.kept == 5


GAME = """\
1 2 3
. 5 6
4 7 8
1. up
1 2 3
4 5 6
. 7 8
2. left
1 2 3
4 5 6
7 . 8
3. left
1 2 3
4 5 6
7 8 .
3 moves: up, left, left
"""


def solve(board: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "epcg_core", "sliding", "solve", board]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_game_move_by_move() -> None:
    said = solve("1 2 3 / 0 5 6 / 4 7 8")
    assert said.returncode == 0, said.stderr
    assert said.stdout == GAME
    refused = solve("1 2 3 4 5 6 7")
    assert refused.returncode == 1
    assert "7 tiles do not fill a frame with 3 columns" in refused.stderr


def test_the_hardest_board_takes_31_moves() -> None:
    space = boards(3, 3)
    found = solution(space.transition_model, space.unrank(125_816))
    assert found.length == 31


def test_pictures() -> None:
    space = boards(3, 3)
    board = space.parse("1 2 3 / 0 5 6 / 4 7 8")
    for with_solution in (False, True):
        svg = svg_renderer(space)(board, solution=with_solution)
        texts = [e.text or "" for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
        assert [text for text in texts if text.isdigit()] == list("12356478")
        assert ("3 moves: up," in " ".join(texts)) == with_solution
    assert text_renderer(space)(board) == "1 2 3\n. 5 6\n4 7 8\n"
    recorded = text_renderer(space)(board, solution=["right", "left", "up", "left", "left"])
    assert recorded.endswith("5 moves: right, left, up, left, left\n")
    assert text_renderer(space)(space.transition_model.solved, solution=True).endswith("It is solved.\n")


# --- the editor ----------------------------------------------------------------------------------------


def test_tiles_change_places_so_that_the_board_can_still_be_solved() -> None:
    editor = BoardEditor("1 2 3 / 4 5 6 / 7 8 0")
    moved = editor.put(editor.content, "c1,1", "2")
    assert editor.format(moved) == "2 1 3 / 4 5 6 / 8 7 0"
    assert editor.put(moved, "c1,1", "2") == moved
    assert editor.format(editor.put(editor.content, "c3,2", "hole")) == "1 2 3 / 4 5 0 / 7 8 6"
    with pytest.raises(RankError, match="Every cell holds"):
        editor.put(editor.content, "c1,1", "")
    with pytest.raises(RankError, match="cannot be solved"):
        BoardEditor("1 2 / 3 0").put((1, 2, 3, 0), "c1,1", "2")
    with pytest.raises(RankError, match="cannot be solved"):
        editor.parse("2 1 3 / 4 5 6 / 7 8 0")


def test_all_changes_of_a_board_are_boards_with_their_own_distance() -> None:
    space = changes_of(BoardEditor("1 2 3 / 4 5 6 / 7 8 0"))
    everything = boards(3, 3)
    found = {everything.rank(space.unrank(rank)) for rank in range(space.max_rank)}
    assert len(found) == space.max_rank == 36 - 3  # of the last four tiles, two pairs at a time
    values = Manhattan(NoParams(), space, {}).evaluate_states(space.states_block(0, space.max_rank)).values[0]
    assert values.tolist() == [
        space.transition_model.manhattan(space.unrank(r)) for r in range(space.max_rank)
    ]


def test_a_tile_is_touched_to_slide() -> None:
    editor = BoardEditor("1 2 3 / 4 5 6 / 7 0 8")
    made = {
        action: editor.gesture(editor.content, editor.content, action) for action in ("down", "left", "right")
    }
    assert [made[action].sites for action in made] == [("c2,2",), ("c3,3",), ("c1,3",)]
    assert made["left"].keys == ("ArrowLeft",)
    assert made["left"].text == "tile 8 slides left"
