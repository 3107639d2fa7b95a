"""Platformer levels: the rules, the grammar, what a level needs, and chains, searched and one by one."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from epcg_segments.chaining import ChainJumps, ways
from epcg_segments.chains import Chains, split
from epcg_segments.editor import LevelEditor, examples, new_level
from epcg_segments.evaluators import Jumps, Passable, Tightest
from epcg_segments.game_data import LevelData
from epcg_segments.how_to_play import how_to_play
from epcg_segments.inference import AheadParams, looks_ahead
from epcg_segments.params import ChainsParams, SegmentsParams
from epcg_segments.passing import Passing
from epcg_segments.render import svg_renderer, text_renderer
from epcg_segments.rules import ROWS, Level, Platformer, format_level, landing, parse
from epcg_segments.segments import Segments
from epcg_testing import DomainConformance

from epcg_core.plugin import (
    LAST_RANK,
    Answer,
    Cutoff,
    EpcgError,
    Library,
    NoParams,
    Options,
    Outcome,
    ParamsError,
    RankError,
    Store,
    Walk,
    changes_of,
    execute,
    load,
    shortest_path,
    verify,
)

QUERIES = Path(__file__).parents[1] / "queries"


@pytest.mark.slow
class TestSegments(DomainConformance):
    domain = "segments"


def level(*rows: str) -> Level:
    """Return a level of which the rows above are air."""
    return parse("\n".join(["." * len(rows[0])] * (ROWS - len(rows)) + list(rows)))


def measured(content: Level) -> tuple[object, ...]:
    """Return whether a level can be passed, its entries, exits, fewest jumps, and the room for them."""
    parts = [part(NoParams(), None, {}).evaluate(content) for part in (Passable, Jumps, Tightest)]
    return tuple(itertools.chain(*parts))


def run(name: str, database: Path, *overrides: str) -> Outcome:
    with Store.open(database, write=True) as store:
        return execute(load(QUERIES / f"{name}.toml", overrides), store, Options("serial", quiet=True))


# --- the rules -----------------------------------------------------------------------------------------

FLAT = level("..........", "##########")


def test_a_jump_is_2_3_3_2_cells_high_and_lands_five_columns_further() -> None:
    model = Platformer()
    position = model.initial(FLAT)
    heights = []
    for action in ["jump", "run", "run", "run", "run"]:
        position = model.apply(position, action)
        heights.append(position.height)
    assert heights == [3, 4, 4, 3, 1]
    assert position.stands
    assert position.column == 5
    assert landing(FLAT, (4, 1), "jump") == (9, 1)
    assert landing(FLAT, (5, 1), "jump") is None  # in the air over the last column


def test_a_gap_of_one_column_can_be_run_over_and_one_of_two_cannot() -> None:
    assert landing(level("......", "##.###"), (1, 1), "run") == (3, 1)
    assert landing(level("......", "##..##"), (1, 1), "run") is None


def test_ground_above_stops_a_jump() -> None:
    low = level("##########", "..........", "..........", "##########")
    assert landing(low, (0, 1), "jump") == (2, 1)


def test_a_platform_is_passed_from_below_and_carries_from_above() -> None:
    under = level("....======", "..........", "..........", "##########")
    assert landing(under, (1, 1), "jump") == (4, 4)
    assert landing(under, (6, 1), "jump") == (9, 4)
    assert landing(under, (3, 1), "run") == (4, 1)


def test_who_runs_into_ground_or_an_enemy_is_lost() -> None:
    assert landing(level("....##", "######"), (3, 1), "run") is None
    assert landing(level("....e.", "######"), (3, 1), "run") is None


def test_play_begins_in_the_lowest_place_of_the_first_column() -> None:
    model = Platformer()
    assert model.initial(level("===", "...", "...", "###")).height == 1
    lost = model.initial(level("...", ".##"))
    assert lost.height < 0
    assert not model.actions(lost)
    assert not model.is_goal(lost)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("...\n###", "has 14 rows, and this text has 2"),
        ("\n".join(["..."] * 13 + ["##"]), "Row 14 has 2 cells and row 1 has 3"),
        ("\n".join(["..."] * 13 + ["#x#"]), "Row 14 has the sign 'x'"),
    ],
)
def test_other_texts_are_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(RankError, match=said):
        parse(text)


# --- what a level needs, worked out by hand ------------------------------------------------------------

BY_HAND = {
    "flat ground": (FLAT, (True, 1, 1, 0, None)),
    "a gap of one column is run over": (level("........", "###.####"), (True, 1, 1, 0, None)),
    # a jump lands five columns further, or six if there is no ground: from columns 0 to 3 behind the gap
    "a gap of two columns": (level("..........", "####..####"), (True, 1, 1, 1, 3)),
    # from columns 0 and 1
    "a gap of four columns": (level("..........", "##....####"), (True, 1, 1, 1, 1)),
    "a gap of five columns": (level("...........", "##.....####"), (True, 1, 1, 1, 0)),
    "a gap of six columns": (level("............", "##......####"), (False, 0, 0, None, None)),
    # the enemy is in column 6; a jump is 2, 3, 3, 2 and then 0 cells above the ground in the next
    # columns, so it may be made in columns 2 to 5
    "an enemy": (level("......e.....", "############"), (True, 1, 1, 1, 3)),
    # three cells up at column 6: a jump is that high two to four columns further, from columns 2, 3 and 4
    "a wall of three cells": (
        level("..........", "......####", "......####", "......####", "##########"),
        (True, 1, 1, 1, 2),
    ),
    "a wall of four cells": (
        level("..........", *["......####"] * 4, "##########"),
        (False, 0, 0, None, None),
    ),
    # below, or with one jump on the platform
    "two heights at the end": (
        level(".....=======", "............", "............", "############"),
        (True, 1, 2, 0, None),
    ),
    # on the platform only from the upper entry, which leads to both
    "two heights at the beginning": (
        level("====........", "............", "............", "############"),
        (True, 2, 1, 0, None),
    ),
    # the second gap decides: it is jumped from columns 10 and 11
    "a gap of two columns and one of four": (
        level("....................", "####..######....####"),
        (True, 1, 1, 2, 1),
    ),
    # columns 0 and 1 lead to column 6, from which the enemy in column 9 is jumped in columns 6, 7 and 8
    "an enemy behind a gap": (
        level(".........e.......", "####..###########"),
        (True, 1, 1, 2, 2),
    ),
    "no ground to begin on": (level("......", ".#####"), (False, 0, 0, None, None)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_what_levels_need(name: str) -> None:
    content, expected = BY_HAND[name]
    assert measured(content) == expected


def test_where_a_level_is_left_depends_on_where_it_is_entered() -> None:
    steps = level("====....=====", ".............", ".............", "######...####")
    passing = Passing(steps)
    assert passing.entries == [1, 4]
    assert passing.fewest_jumps(1) == {1: 1, 4: 1}
    assert passing.fewest_jumps(4) == {4: 1}


def jumps_of_ways(model: Platformer, position: object, jumps: int = 0) -> list[int]:
    """Return the jumps of every way to the last column, by play alone."""
    if model.is_goal(position):
        return [jumps]
    return [
        each
        for action in model.actions(position)
        for each in jumps_of_ways(model, model.apply(position, action), jumps + (action == "jump"))
    ]


def test_play_and_evaluators_agree() -> None:
    space, model = Segments(SegmentsParams()), Platformer()
    chance = random.Random(4)
    for _ in range(60):
        content = space.unrank(chance.randrange(space.max_rank))
        passable, _, _, jumps, tightest = measured(content)
        found = shortest_path(model, content, 10_000)
        assert passable == (found.length is not None)
        assert jumps == min(jumps_of_ways(model, model.initial(content)), default=None)
        assert (tightest is None) == (not jumps)


def margins(content: Level, place: tuple[int, int]) -> list[float]:
    """Return the margin of every way from a landing, each jump tried a tick earlier and later."""
    run = [place]
    while (after := landing(content, run[-1], "run")) is not None and after[0] == run[-1][0] + 1:
        run.append(after)
    if run[-1][0] == len(content[0]) - 1:
        return [float("inf")]
    behind = {each: landing(content, each, "jump") for each in run}
    further = {each: margins(content, to) if to else [] for each, to in behind.items()}
    found = margins(content, after) if after is not None else []
    for number, each in enumerate(run):
        early = late = number
        while early and further[run[early - 1]]:
            early -= 1
        while late + 1 < len(run) and further[run[late + 1]]:
            late += 1
        found += [min(late - early, margin) for margin in further[each]]
    return found


def test_the_room_for_jumps_is_that_of_the_most_forgiving_of_all_ways() -> None:
    space = Segments(SegmentsParams(columns=14))
    chance = random.Random(5)
    for _ in range(150):
        content = space.unrank(chance.randrange(space.max_rank))
        passing = Passing(content)
        place = (0, passing.entries[0])
        assert passing.margin(place[1]) == max(margins(content, place), default=-1)


# --- the grammar ---------------------------------------------------------------------------------------


def keeps(columns: list[tuple[str, int]], params: SegmentsParams) -> bool:
    """Return whether columns keep the rules of the grammar, told run by run."""
    grounds = [(kind if kind != "e" else "#", height) for kind, height in columns]
    if columns[0][0] != "#" or columns[-1][0] != "#":
        return False
    for number, (kind, height) in enumerate(columns):
        if kind == "e" and not columns[number - 1] == columns[number + 1] == ("#", height):
            return False
    runs = [(kind, height, len(list(group))) for (kind, height), group in itertools.groupby(grounds)]
    for kind, _, width in runs:
        if kind == "." and width > params.gap:
            return False
        if (kind == "#" and width < params.flat) or (kind == "=" and width < params.board):
            return False
    heights = [height for kind, height, _ in runs if kind != "."]
    return all(abs(a - b) <= params.step for a, b in itertools.pairwise(heights))


@pytest.mark.parametrize(
    "params",
    [
        SegmentsParams(columns=6, heights=2, platforms=1),
        SegmentsParams(columns=6, heights=1, platforms=2, gap=1),
        SegmentsParams(columns=6, heights=2, platforms=1, flat=1, board=1, step=1),
        SegmentsParams(columns=5, heights=3, enemies=False, flat=1),
        SegmentsParams(columns=7, heights=1, platforms=0, flat=3, gap=0),
    ],
)
def test_the_walk_counts_what_keeps_the_rules(params: SegmentsParams) -> None:
    space = Segments(params)
    kept = [
        digits
        for digits in itertools.product(range(len(space.kinds)), repeat=params.columns)
        if keeps([space.kinds[digit] for digit in digits], params)
    ]
    assert space.max_rank == len(kept) > 0
    assert len({space.unrank(rank) for rank in range(space.max_rank)}) == len(kept)
    for rank in range(space.max_rank):
        content = space.unrank(rank)
        assert space.rank(content) == rank
        assert space.parse(space.format(content)) == content


def test_how_many_segments_there_are() -> None:
    assert Segments(SegmentsParams()).max_rank == 1_123_801_883
    with pytest.raises(RankError, match="Column 2 is none of the grammar's kinds"):
        Segments(SegmentsParams(columns=3)).rank(level(".e.", "#.#"))


def test_all_short_segments_are_measured(tmp_path: Path) -> None:
    outcome = run("jumps", tmp_path / "a.db", "generator.columns=9")
    space = Segments(SegmentsParams(columns=9, heights=2, platforms=1))
    assert outcome.goal.max_rank == space.max_rank
    with Store.open(tmp_path / "a.db") as store:
        assert verify(store, outcome.goal.id, 50).passed
        with store.reader() as reader:
            for rank in range(0, space.max_rank, 7):
                found = [
                    reader.value(outcome.goal.id, name, rank)
                    for name in ("passable", "entries", "exits", "jumps", "tightest")
                ]
                assert tuple(found) == measured(space.unrank(rank))


# --- chains --------------------------------------------------------------------------------------------


def chains_of(*segments: Level) -> Chains:
    """All chains of two of some segments."""
    return Chains(ChainsParams(2, Library.of_texts("segments", list(map(format_level, segments)))))


def test_a_chain_enters_a_segment_where_it_left_the_one_before() -> None:
    fork = level("....====", "........", "........", "########")
    upper = level("========", "........", "........", "...#####")
    lower = level("........", "........", "........", "########")
    chains = chains_of(fork, upper, lower)
    jumps = ChainJumps(NoParams(), chains, {})
    found = {
        (first, second): jumps.evaluate(chains.unrank(3 * first + second))[0]
        for first in range(3)
        for second in range(3)
    }
    # fork: below without a jump, above with one; upper: entered above only, but play in it begins there, too
    assert found == {
        (0, 0): 0, (0, 1): 1, (0, 2): 0,
        (1, 0): None, (1, 1): 0, (1, 2): None,
        (2, 0): 0, (2, 1): None, (2, 2): 0,
    }  # fmt: skip


def test_libraries_that_make_no_chains_are_refused() -> None:
    with pytest.raises(EpcgError, match="texts 1 and 2 are the same"):
        chains_of(FLAT, FLAT)
    with pytest.raises(EpcgError, match="This level has 3 columns, and the one that is edited 10"):
        chains_of(FLAT, level("...", "###"))
    with pytest.raises(EpcgError, match="A level has 14 rows"):
        Library.of_texts("segments", ["###"])
    with pytest.raises(RankError, match="Segment 2 is not in the library"):
        chains_of(FLAT).rank(tuple(row + row[::-1].replace(".", "=") for row in FLAT))
    with pytest.raises(RankError, match="12 columns are not filled by segments of 10"):
        split(level("." * 12, "#" * 12), 10)


SMALL = ("generator.length=3", "generator.count=14")


@cache
def all_chains() -> dict[int, int]:
    """Return the jumps of all small chains that have some, each evaluated by itself."""
    chains = Chains(ChainsParams(3, count=14))
    evaluator = ChainJumps(NoParams(), chains, {})
    values = {rank: evaluator.evaluate(chains.unrank(rank))[0] for rank in range(chains.max_rank)}
    return {rank: value for rank, value in values.items() if value is not None}


def test_feasible_chains_are_those_of_all_that_have_a_value(tmp_path: Path) -> None:
    outcome = run("feasible", tmp_path / "a.db", *SMALL, "record.rows=all", "select=[]")
    with Store.open(tmp_path / "a.db") as store:
        assert verify(store, outcome.goal.id, 50).passed
        with store.reader() as reader:
            rows = reader.connection.exec_driver_sql(
                "SELECT rank, value FROM scores WHERE run_id = ? AND metric = 'chain_jumps' ORDER BY rank",
                (outcome.goal.id,),
            ).all()
    expected = all_chains()
    assert [tuple(row) for row in rows] == list(expected.items())
    assert 0 < len(expected) < 14**3 / 5


def test_branch_and_bound_finds_the_chains_with_the_most_jumps(tmp_path: Path) -> None:
    outcome = run("hardest_chain", tmp_path / "a.db", *SMALL)
    expected = all_chains()
    most = max(expected.values())
    assert outcome.kept == sum(value == most for value in expected.values())
    with Store.open(tmp_path / "a.db") as store, store.reader() as reader:
        best = next(rank for rank in sorted(expected) if expected[rank] == most)
        assert reader.value(outcome.goal.id, "chain_jumps", best) == most


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("value", [None, 4, 7, 9])
def test_the_kernel_finds_what_reaches_the_incumbent(value: int | None, fixed: bool) -> None:
    chains = Chains(ChainsParams(3, count=14))
    evaluator = ChainJumps(NoParams(), chains, {})
    expected = all_chains()
    start, stop, ties = 300, 2600, LAST_RANK if fixed else 700
    found = evaluator.search_block(start, stop - start, Cutoff(value, ties, fixed))
    best, last, kept = value, ties, {}
    for rank in range(start, stop):
        jumps = expected.get(rank)
        if jumps is not None and (best is None or jumps > best or (jumps == best and rank <= last)):
            kept[rank] = jumps
            if not fixed:
                best, last = jumps, rank
    assert dict(zip(found.ranks.tolist(), found.values.tolist(), strict=True)) == kept
    assert found.evaluated + int(found.prunings.count.sum()) == stop - start


def test_a_chain_that_has_a_value_can_be_passed_as_a_level() -> None:
    chains = Chains(ChainsParams(3, count=14))
    for rank, jumps in itertools.islice(all_chains().items(), 0, None, 9):
        found = Jumps(NoParams(), chains, {}).evaluate(chains.unrank(rank))[0]
        assert found is not None
        assert found <= jumps


@pytest.mark.parametrize(("length", "count", "number"), [(3, 14, None), (3, 200, 330_244)])
def test_a_walk_over_the_exits_counts_the_same(length: int, count: int, number: int | None) -> None:
    passages = [ways(segment) for segment in Chains(ChainsParams(1, count=count)).library]

    def step(position: int, exits: frozenset[int] | None) -> dict[int, frozenset[int]]:
        after = {}
        for item, segment in enumerate(passages):
            entries = list(segment)[:1] if exits is None else exits & segment.keys()
            after[item] = frozenset(height for entry in entries for height, _ in segment[entry])
        return {item: heights for item, heights in after.items() if heights}

    feasible = Walk(length, None, step).max_rank
    assert feasible == (len(all_chains()) if number is None else number)


@pytest.mark.slow
def test_eight_million_chains(tmp_path: Path) -> None:
    outcome = run("feasible", tmp_path / "a.db")
    assert outcome.goal.max_rank == 8_000_000
    with Store.open(tmp_path / "a.db") as store, store.reader() as reader:
        (valued,) = reader.connection.exec_driver_sql(
            "SELECT valued FROM metrics WHERE run_id = ? AND metric = 'chain_jumps'", (outcome.goal.id,)
        ).one()
    assert valued == 330_244


# --- players -------------------------------------------------------------------------------------------


def test_who_looks_ahead_sees_the_enemy() -> None:
    model = Platformer()
    enemy = level("......e.....", "############")
    before = model.apply(model.initial(enemy), "run")  # in column 1: a jump would end on the enemy
    rule = looks_ahead(AheadParams(6), None)
    assert rule(before, "jump") == Answer.CANNOT
    assert rule(before, "run") == Answer.UNKNOWN
    assert looks_ahead(AheadParams(1), None)(before, "jump") == Answer.UNKNOWN


def test_games_and_booklets_are_told_what_lies_where() -> None:
    gap = level(".......e..", "##....####")
    data = LevelData(None)
    assert data.layout(gap)["items"] == [
        {"kind": "ground", "cells": [[1, 14], [2, 14], [7, 14], [8, 14], [9, 14], [10, 14]]},
        {"kind": "enemy", "cells": [[8, 13]]},
    ]
    assert data.moves(gap, None) is None
    moves = data.moves(level("..........", "##....####"), None)
    assert moves is not None
    assert [move["cell"] for move in moves if move["kind"] == "jump"] in ([[1, 13]], [[2, 13]])
    assert len(how_to_play([gap])) == 3


@pytest.mark.slow
def test_the_curriculum_begins_with_room_for_jumps(tmp_path: Path) -> None:
    plan, database = QUERIES.parent / "plans" / "easy_first.toml", str(tmp_path / "a.db")
    command = [sys.executable, "-m", "epcg_core", "curriculum", "build", str(plan), "--db", database]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    with Store.open(tmp_path / "a.db") as store, store.reader() as reader:
        chosen = reader.connection.exec_driver_sql(
            "SELECT chapter, puzzle FROM selections WHERE chosen ORDER BY chapter, position"
        ).all()
    assert [chapter for chapter, _ in chosen] == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4
    assert len({puzzle for _, puzzle in chosen}) == 16


# --- pictures, and the editor --------------------------------------------------------------------------


def test_pictures_show_the_way_with_the_fewest_jumps() -> None:
    gap = level("..........", "##....####")
    text = text_renderer(None)
    assert text(gap) == format_level(gap) + "\n"
    assert text(level("..........", "##......##"), solution=True).endswith("It cannot be passed.\n")
    assert text(FLAT, solution=["run"] * 9).endswith("oooooooooo\n##########\nrun\n")
    for solution, points in ((False, 0), (True, 10)):
        svg = svg_renderer(None)(gap, solution=solution)
        assert len(list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle"))) == points


def test_cells_are_put_and_levels_become_broader() -> None:
    editor = LevelEditor(format_level(FLAT))
    changed = editor.put(editor.content, "c3,13", "enemy")
    assert changed[12] == "..e......."
    assert editor.put(changed, "c3,13", "") == FLAT
    assert editor.scene(changed).marks["c3,13"] == ("enemy",)
    assert editor.resized(changed, 12, 14).endswith("..e.........\n############")
    with pytest.raises(ParamsError, match="A level has 14 rows"):
        editor.resized(FLAT, 12, 10)
    with pytest.raises(EpcgError, match="This level has 3 columns"):
        editor.parse(format_level(level("...", "###")))


def test_new_levels_and_examples_can_be_passed() -> None:
    for text in (new_level(20, ROWS), *examples().values()):
        assert measured(parse(text))[0]


def test_all_changes_of_a_level_are_measured() -> None:
    editor = LevelEditor(examples()["A gap and an enemy"])
    changes = changes_of(editor)
    assert changes.max_rank > 14 * 20 * 2
    wider = [measured(changes.unrank(rank))[0] for rank in range(0, changes.max_rank, 11)]
    assert any(wider)
    assert not all(wider)
