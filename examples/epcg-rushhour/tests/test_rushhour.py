"""Rush Hour: the rules, the spaces, the clusters beside the published totals, the editor, the curricula.

The totals are Michael Fogleman's (2018, fogleman/rush). 5 x 5 in full, and 6 x 6 by single boards.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from epcg_rushhour import clusters, minimal
from epcg_rushhour.boards import Boards, Every, Exits, Hardest, Packed, finds
from epcg_rushhour.cells import digits_of
from epcg_rushhour.clusters import explore
from epcg_rushhour.editor import BoardEditor, new_board
from epcg_rushhour.evaluators import Pieces
from epcg_rushhour.graph import BoardGraph, arrangements
from epcg_rushhour.minimal import Minimal, OfClusters, PlainMinimal
from epcg_rushhour.params import BoardsParams
from epcg_rushhour.render import svg_renderer, text_renderer
from epcg_rushhour.rules import RushHour, fills_a_line, mirrored, parse, pieces, without
from epcg_testing import DomainConformance
from hypothesis import given, settings, strategies as st

from epcg_core.plugin import (
    VALUE,
    NoParams,
    Options,
    RankError,
    Store,
    changes_of,
    execute,
    load,
    shortest_path,
)

QUERIES = Path(__file__).parents[1] / "queries"
BOARD = "BB.FAA.FECCCE.DD"
FIFTY_ONE = "BCDDE.BCF.EGB.FAAGHHHI.G..JIKKLLJMM."

PACKED = {4: 1_349, 5: 268_109, 6: 243_502_786}
EVERY = {4: 9_304, 5: 6_795_364, 6: 27_103_652_326}
EXITS = {4: 2_896, 5: 1_566_424, 6: 4_965_155_137}
HARDEST = [217, 135, 50, 45, 27, 8, 8, 3]
"""Solvable clusters of 4 x 4 by the moves of their hardest board."""


@pytest.mark.slow
class TestRushHour(DomainConformance):
    domain = "rushhour"


def space(kind: type[Boards], size: int) -> Boards:
    return kind(BoardsParams(size))


def reached(board: str) -> dict[str, int]:
    """Return all boards that moves lead to, with their distances, in plain Python."""
    model, found, queue = RushHour(), {board: 0}, [board]
    for each in queue:
        for action in model.actions(each):
            after = model.apply(each, action)
            if after not in found:
                found[after] = found[each] + 1
                queue.append(after)
    return found


# --- the rules -----------------------------------------------------------------------------------------


def test_letters_say_where_a_piece_lies_and_stay() -> None:
    board = parse("ZZ.X / YY.X / QRRR / Q.UU".replace("YY", "AA"))
    assert board == BOARD
    assert parse(BOARD) == BOARD
    for after in reached(board):
        assert parse(after) == after
        assert list(pieces(after)) == list("ABCDEF")


def test_moves_and_the_goal() -> None:
    model = RushHour()
    assert list(model.actions(BOARD)) == ["A right 1", "B right 1", "D left 1"]
    assert model.apply(BOARD, "A right 1") == "BB.F.AAFECCCE.DD"
    alone = parse("....AA..........")
    assert list(model.actions(alone)) == ["A right 1", "A right 2"]
    assert not model.is_goal(alone)
    assert model.is_goal(model.apply(alone, "A right 2"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA..", "expected 16, 25 or 36 cells"),
        ("BB..AA......BB..", "column 1, row 1: piece B is not two or three cells in a straight line"),
        ("...BB...AA......", "piece B is not two or three"),
        ("....AABB........", "column 3, row 2: piece B lies across in the red car's row"),
        ("AA..............", "The red car, A, is two cells across in row 2"),
        ("....AA....b.....", "column 3, row 3: 'b' is no piece"),
        ("BBBBAA..........", "piece B is not two or three"),
    ],
)
def test_what_is_no_board_is_refused(text: str, message: str) -> None:
    with pytest.raises(RankError, match=message):
        parse(text)


def test_upside_down() -> None:
    board = parse("BB..C / ....C / AA... / ..D.. / ..D..")
    assert mirrored(board) == parse("..C.. / ..C.. / AA... / ....D / BB..D") != board
    assert mirrored(mirrored(board)) == board


# --- the spaces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", PACKED)
def test_how_many_boards_there_are(size: int) -> None:
    assert space(Every, size).max_rank == EVERY[size]
    assert space(Packed, size).max_rank == PACKED[size]
    assert space(Exits, size).max_rank == EXITS[size]


def test_boards_that_moves_lead_to_have_ranks() -> None:
    packed, exits, every, model = space(Packed, 4), space(Exits, 4), space(Every, 4), RushHour()
    solved = still = 0
    for rank in range(0, packed.max_rank, 50):
        for board in reached(packed.unrank(rank)):
            assert every.unrank(every.rank(board)) == board
            if model.is_goal(board):
                assert exits.unrank(exits.rank(board)) == board
                solved += 1
            if not any(action.split()[1] in ("left", "up") for action in model.actions(board)):
                assert packed.unrank(packed.rank(board)) == board
                still += 1
    assert solved > 20
    assert still > 20


@pytest.mark.slow
def test_all_boards_of_four_by_four_are_those_that_the_rules_allow() -> None:
    packed, exits = space(Packed, 4), space(Exits, 4)
    every = space(Every, 4)
    everything = set[str]()
    for board in map(packed.unrank, range(packed.max_rank)):
        if board not in everything:
            everything.update(reached(board))
    assert {every.unrank(rank) for rank in range(every.max_rank)} == everything
    model = RushHour()
    assert {exits.unrank(rank) for rank in range(exits.max_rank)} == set(filter(model.is_goal, everything))
    still = {
        board
        for board in everything
        if not any(action.split()[1] in ("left", "up") for action in model.actions(board))
    }
    assert {packed.unrank(rank) for rank in range(packed.max_rank)} == still
    assert not any(map(fills_a_line, everything))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", [Every, Packed, Exits])
@pytest.mark.parametrize("size", PACKED)
@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_ranks_and_boards_agree(kind: type[Boards], size: int, data: st.DataObject) -> None:
    boards = space(kind, size)
    rank = data.draw(st.integers(0, boards.max_rank - 1))
    board = boards.unrank(rank)
    assert boards.rank(board) == rank
    assert boards.parse(boards.format(board)) == board
    assert tuple(boards.states_at(np.array([rank]))[0]) == digits_of(board)
    assert not fills_a_line(board)
    number = Pieces(NoParams(), boards, {}).evaluate_states(boards.states_block(rank, 1)).values[0]
    assert number.tolist() == [len(pieces(board))]


def test_other_boards_have_no_rank() -> None:
    with pytest.raises(RankError, match="a piece can move left or up"):
        space(Packed, 4).rank(parse(".....AA........."))
    with pytest.raises(RankError, match="not at the right edge"):
        space(Exits, 4).rank(parse(".....AA........."))


def test_a_text_names_a_board() -> None:
    params, rank = finds(FIFTY_ONE, None) or (None, 0)
    assert params == {"size": 6}
    assert space(Every, 6).unrank(rank) == parse(FIFTY_ONE)
    assert finds("BBCCAA..........", None) is None
    assert finds("no board", None) is None
    with pytest.raises(RankError, match="piece B is not two or three cells"):
        finds("B...AA....B.....", None)


@pytest.mark.parametrize("kind", [Every, Exits])
def test_boards_upside_down_are_one_class(kind: type[Boards]) -> None:
    boards = space(kind, 5)
    for rank in range(0, boards.max_rank, 49_999):
        other = boards.rank(mirrored(boards.unrank(rank)))
        assert boards.canonical_rank(rank) == boards.canonical_rank(other) == min(rank, other)
    assert not hasattr(space(kind, 6), "canonical_rank")


# --- the graph and the clusters ------------------------------------------------------------------------


def test_a_line_has_few_arrangements() -> None:
    assert [len(arrangements(size)) for size in (4, 5, 6)] == [6, 11, 22]


@pytest.mark.parametrize("size", PACKED)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
def test_words_move_as_boards_do(size: int, data: st.DataObject) -> None:
    boards, model = space(Packed, size), RushHour()
    graph = boards.position_graph
    board = boards.unrank(data.draw(st.integers(0, boards.max_rank - 1)))
    for _ in range(data.draw(st.integers(0, 6))):
        actions = list(model.actions(board))
        if actions:
            board = model.apply(board, data.draw(st.sampled_from(actions)))
    word = graph.word_of(board)
    assert graph.board_at(word[0]) == board
    assert graph.goals(word).tolist() == [model.is_goal(board)]
    found, counts = graph.successors(word)
    after = [model.apply(board, action) for action in model.actions(board)]
    assert sorted(graph.board_at(row) for row in found) == sorted(after)
    assert counts.tolist() == [len(after)]
    try:
        rank = boards.rank(board)
    except RankError:
        rank = -1
    assert graph.ranks(word).tolist() == [rank]


@pytest.mark.parametrize("slots", [2, 4096])
@pytest.mark.parametrize("size", PACKED)
def test_what_matters_is_the_same_by_plain_code(
    size: int, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often the hash table has to grow."""
    monkeypatch.setattr(minimal, "_SLOTS", slots)
    monkeypatch.setattr(clusters, "_SLOTS", slots)
    boards, chance = space(Packed, size), random.Random(size)
    generator = Hardest(BoardsParams(size))
    ranks = [chance.randrange(boards.max_rank) for _ in range(12 if size == 6 else 40)]
    drawn = [boards.unrank(rank) for rank in ranks]
    if size < 6:
        drawn += [generator.unrank(rank) for rank in ranks]
    plain = [PlainMinimal(NoParams(), None, {}).evaluate(board) for board in drawn]
    assert [Minimal(NoParams(), None, {}).evaluate(board) for board in drawn] == plain
    states = np.array([digits_of(board) for board in drawn], np.int64)
    together = Minimal(NoParams(), None, {}).evaluate_states(states)
    assert [bool(known) for known in together.status[0] == VALUE] == [each != (None,) for each in plain]
    assert [(bool(each),) for each in together.values[0]] == [(bool(each[0]),) for each in plain]


@pytest.mark.parametrize("room", [1, 2**13])
@pytest.mark.parametrize("size", PACKED)
def test_blocks_of_clusters_are_the_same_by_plain_code(
    size: int, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often the room has to grow, and wherever a block begins and ends."""
    boards, chance = space(Packed, size), random.Random(size)
    monkeypatch.setattr(minimal, "ENOUGH", room)
    monkeypatch.setattr(minimal, "_SLOTS", 2 * room)
    evaluator, seen = OfClusters(NoParams(), boards, {}), Counter[int]()
    for _ in range(4):
        start = chance.randrange(boards.max_rank)
        count = chance.randrange(1, min(500 if size == 6 else 30_000, boards.max_rank - start) + 1)
        found = evaluator.evaluate_block(start, count)
        values = np.where(found.status[0] == VALUE, found.values[0], -1)
        for value in (-1, 0, 1):
            ranks = (start + np.flatnonzero(values == value)).tolist()
            for rank in chance.sample(ranks, min(9, len(ranks))):
                board = boards.unrank(rank)
                if explore(boards.position_graph, boards.position_graph.word_of(board)).size > 3_000:
                    continue  # plain code would take too long
                expected = None if value < 0 else bool(value)
                assert evaluator.plain().evaluate(board) == (expected,), rank
                seen[value] += 1
    assert min(seen[-1], seen[0]) > 5
    assert size == 6 or seen[1]


def test_some_clusters_of_four_by_four() -> None:
    boards, hardest, model = space(Packed, 4), Hardest(BoardsParams(4)), RushHour()
    solvable = 0
    for rank in range(0, boards.max_rank, 50):
        found, everything = hardest.cluster(boards.unrank(rank)), list(reached(boards.unrank(rank)))
        packed = [
            board
            for board in everything
            if not any(action.split()[1] in ("left", "up") for action in model.actions(board))
        ]
        assert found.size == len(everything)
        assert found.lowest == hardest.canonical_rank(rank) == min(map(boards.rank, packed))
        assert (found.hardest is not None) == any(map(model.is_goal, everything))
        if found.hardest is not None:
            lengths = {each: shortest_path(model, each).length for each in everything}
            assert found.moves == max(lengths.values())
            lowest = min(each for each in everything if lengths[each] == found.moves)
            assert hardest.unrank(found.lowest) == lowest
            solvable += 1
    assert 5 < solvable < boards.max_rank // 50


@pytest.mark.slow
def test_the_clusters_of_four_by_four() -> None:
    boards, hardest, model = space(Packed, 4), Hardest(BoardsParams(4)), RushHour()
    left = {boards.unrank(rank) for rank in range(boards.max_rank)}
    found_clusters, sizes, found_minimal, moves = 0, 0, 0, Counter[int]()
    for rank in range(boards.max_rank):
        board = boards.unrank(rank)
        found = hardest.cluster(board)
        assert hardest.canonical_rank(rank) == found.lowest
        if board not in left:
            assert found.lowest < rank
            continue
        everything = set(reached(board))
        left -= everything
        assert (found.size, found.lowest) == (len(everything), rank)
        found_clusters, sizes = found_clusters + 1, sizes + found.size
        if found.hardest is None:
            assert hardest.unrank(rank) == board
            assert not any(map(model.is_goal, everything))
        else:
            lengths = {each: shortest_path(model, each).length for each in everything}
            assert found.moves == max(lengths.values())
            assert hardest.unrank(rank) == min(each for each in everything if lengths[each] == found.moves)
            moves[found.moves] += 1
            found_minimal += Minimal(NoParams(), hardest, {}).evaluate(found.hardest) == (True,)
    assert (found_clusters, sizes, found_minimal) == (880, 9_304, 32)
    assert [moves[number] for number in range(8)] == HARDEST


@pytest.mark.slow
def test_the_hardest_board_of_six_by_six() -> None:
    board = parse(FIFTY_ONE)
    assert shortest_path(RushHour(), board).length == 51
    graph = BoardGraph(6)
    found = explore(graph, graph.word_of(board))
    assert (found.size, found.moves) == (4_780, 51)
    assert Minimal(NoParams(), None, {}).evaluate(board) == (True,)


def run(name: str, database: Path, size: int, *overrides: str) -> int:
    with Store.open(database, write=True) as store:
        query = load(QUERIES / f"{name}.toml", (f"generator.size={size}", *overrides))
        return execute(query, store, Options("serial", quiet=True)).goal.id


@pytest.mark.parametrize(("size", "solvable", "are_minimal"), [(4, 493, 32), (5, 62_106, 1_784)])
def test_as_many_clusters_are_minimal_as_published(
    size: int, solvable: int, are_minimal: int, tmp_path: Path
) -> None:
    number = run("minimal", tmp_path / "epcg.db", size)
    with Store.open(tmp_path / "epcg.db") as store, store.reader() as reader:
        bars = reader.connection.exec_driver_sql(
            f"SELECT low, count FROM histograms WHERE run_id = {number} AND metric = 'cluster_minimal'"
        )
        found = {int(low): count for low, count in bars}
    assert found == {0: solvable - are_minimal, 1: are_minimal}


def totals(database: Path, number: int) -> tuple[int, int, int, int]:
    """Return the clusters of a run, their boards, those that are solvable, and the moves of the hardest."""
    with Store.open(database) as store, store.reader() as reader:
        told = {
            name: rest
            for name, *rest in reader.connection.exec_driver_sql(
                f"SELECT metric, valued, total, maximum FROM metrics WHERE run_id = {number}"
            )
        }
    size, hardest = told["component_size"], told["hardest"]
    return int(size[0]), int(size[1]), int(hardest[0]), int(hardest[2])


def moves_of(database: Path, number: int) -> list[int]:
    with Store.open(database) as store, store.reader() as reader:
        rows = reader.connection.exec_driver_sql(
            f"SELECT low, count FROM histograms WHERE run_id = {number} AND metric = 'hardest' ORDER BY low"
        ).all()
    return [count for _, count in rows]


@pytest.mark.parametrize("generator", ["packed", pytest.param("boards", marks=pytest.mark.slow)])
def test_components_of_four_by_four(generator: str, tmp_path: Path) -> None:
    number = run("clusters", tmp_path / "a.db", 4, f"generator.name={generator}")
    assert totals(tmp_path / "a.db", number) == (880, 9_304, 493, 7)
    assert moves_of(tmp_path / "a.db", number) == HARDEST


@pytest.mark.slow
def test_components_of_five_by_five(tmp_path: Path) -> None:
    number = run("clusters", tmp_path / "a.db", 5)
    assert totals(tmp_path / "a.db", number) == (130_299, 6_795_364, 62_106, 20)


@pytest.mark.slow
def test_parts_of_a_run_are_merged(tmp_path: Path) -> None:
    def epcg(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "epcg_core", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    for part in ("1/2", "2/2"):
        said = epcg(
            "run", "rushhour/clusters", "--part", part, "--db", f"{part[0]}.db", "--executor", "serial"
        )
        assert said.returncode == 0, said.stderr
    said = epcg("merge", "all.db", "1.db", "2.db")
    assert said.returncode == 0, said.stderr
    assert totals(tmp_path / "all.db", 1) == (880, 9_304, 493, 7)


@pytest.mark.slow
def test_the_curriculum_of_four_by_four(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "epcg_core", "curriculum", "build", "rushhour/four"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    with Store.open(tmp_path / "epcg.db") as store, store.reader() as reader:
        chosen = reader.connection.exec_driver_sql(
            "SELECT state, value FROM selections WHERE chosen ORDER BY chapter, position"
        ).all()
    assert len(chosen) == 16
    assert [moves for _, moves in chosen[-3:]] == [7, 7, 7]
    for board, moves in chosen:
        length = shortest_path(RushHour(), board).length
        assert length == moves
        assert all(
            shortest_path(RushHour(), without(board, letter)).length != length
            for letter in pieces(board)
            if letter != "A"
        )


# --- pictures and the editor ---------------------------------------------------------------------------


def test_pictures() -> None:
    solution = "7 moves: A right 1, B right 1, D left 1, E up 2, C left 1, F down 2, A right 1"
    assert text_renderer(None)(BOARD, solution=True) == f"BB.F\nAA.F\nECCC\nE.DD\n{solution}\n"
    assert text_renderer(None)(BOARD) == "BB.F\nAA.F\nECCC\nE.DD\n"
    assert text_renderer(None)("BB.F..AAECCCE.DD", solution=True).endswith("It is solved.\n")
    unsolved = parse("...BAA.B...B....".replace("...B....", "...B...."))
    assert text_renderer(None)(unsolved, solution=["B down 1", "A right 2"]).endswith(
        "2 moves: B down 1, A right 2\n"
    )
    svg = svg_renderer(None)(BOARD, solution=True)
    texts = [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:6] == list("ABCDEF")
    assert " ".join(texts[6:]) == solution


def test_pieces_are_put_where_they_begin() -> None:
    editor = BoardEditor(new_board(4, 4))
    board = editor.put(editor.content, "c4,1", "down 3")
    assert board == "...BAA.B...B...."
    assert editor.put(board, "c4,1", "down 2") == "...BAA.B........"
    assert editor.put(board, "c2,2", "red car") == "...B.AAB...B...."
    assert editor.put(board, "c4,3", "") == editor.content
    assert editor.scene(board).marks == {"c1,2": ("red car",), "c4,1": ("down 3",)}
    for site, mark, message in [
        ("c4,4", "across 2", "over the edge"),
        ("c3,2", "across 2", "no other piece lies across there"),
        ("c1,1", "red car", "The red car lies in row 2"),
        ("c3,2", "red car", "column 4, row 2: another piece lies there"),
        ("c1,2", "down 2", "The red car stays"),
        ("c2,2", "", "The red car stays"),
    ]:
        with pytest.raises(RankError, match=message):
            editor.put(board, site, mark)
    with pytest.raises(RankError, match="squares of 4, 5 or 6"):
        new_board(4, 5)


def test_a_mark_shows_where_it_fits() -> None:
    editor = BoardEditor("...BAA.B...B....")
    casts = editor.casts(editor.content, "across 3")
    assert {site for site, cast in casts.items() if cast.fits} == {"c1,1", "c1,3", "c1,4", "c2,4"}
    assert casts["c2,1"].sites == ("c2,1", "c3,1", "c4,1")
    assert "c3,1" not in casts


def test_a_piece_is_drawn_by_its_end() -> None:
    editor = BoardEditor(BOARD)
    made = {
        action: editor.gesture(BOARD, BOARD, action).sites
        for action in editor.transition_model.actions(BOARD)
    }
    assert made == {
        "A right 1": ("c2,2", "c3,2"),
        "B right 1": ("c2,1", "c3,1"),
        "D left 1": ("c3,4", "c2,4"),
    }


def test_all_changes_of_a_board_are_boards() -> None:
    changes = changes_of(BoardEditor(BOARD))
    boards = [changes.unrank(rank) for rank in range(changes.max_rank)]
    assert len(set(boards)) == len(boards)
    assert all(parse(board) == board != BOARD for board in boards)
    assert "BB.FAA.FE..FE.DD" not in boards
