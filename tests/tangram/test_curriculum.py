"""The plan of the hexagon: twelve puzzles a chapter, each with one solution under its chapter's constraint.

The judge is CP-SAT, over the placements of the lattice. It shares no kernel with what chose the puzzles, and
no table: what pieces share is seen by their triangles' corners and sides, and holes by `bumps.is_legal`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from epcg_tangram.generators.bumps import BumpPatterns, bump_patterns
from epcg_tangram.params import BumpParams
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import is_legal

from epcg_core.curriculum.build import Built, build
from epcg_core.curriculum.plan import Part, load, parse_plan
from epcg_core.runs.coordinator import Options
from epcg_core.store import Store, curricula
from tests.tangram.hexagon import COLOUR_OF, GAME, PIECE_ORDER, TRIANGLES, geometry
from tests.workplace import epcg, facts

PLANS = Path(__file__).parents[2] / "plugins/tangram/plans"
PATTERN = 1674
SMALL = """
name = "small"
[[chapters]]
name = "front"
query = "../queries/stage3_constraints.toml"
set = { generator = { constraint = "corners_must_touch_not_edges" } }
rows = "all"
measure = "muse"
strategy = { name = "evenly", differ_by = "board" }
count = 2
[[chapters]]
name = "back"
query = "../queries/stage3_constraints.toml"
set = { generator = { constraint = "corners_must_touch_not_edges", bumps = 1674 } }
rows = "all"
measure = "muse"
strategy = { name = "evenly", differ_by = "board" }
count = 2
"""
RELATIONS = (
    "edges_must_touch",
    "edges_must_not_touch",
    "corners_must_touch_not_edges",
    "neither_edges_nor_corners",
)
CONSTRAINTS = ("none", *RELATIONS, "two_colours")
SQL_OPTIONS = ("--format", "csv", "--db")


# --- an independent judge ----------------------------------------------------------------------------------


@cache
def corners_and_sides(placement: int) -> tuple[frozenset[Any], frozenset[Any]]:
    """The lattice points of a placement's triangles, and the sides of them."""
    board = geometry(3)
    triangles = [TRIANGLES.corners(board.places[cell]) for cell in board.placements[placement].cells]
    sides = {frozenset(side) for triangle in triangles for side in combinations(sorted(triangle), 2)}
    return frozenset().union(*triangles), frozenset(sides)


@cache
def obeys(relation: str, one: int, other: int) -> bool:
    """Whether two placements share what a relation demands."""
    (ours, own), (theirs, others) = corners_and_sides(one), corners_and_sides(other)
    edge, corner = bool(own & others), bool(ours & theirs)
    return {
        "edges_must_touch": edge,
        "edges_must_not_touch": not edge,
        "corners_must_touch_not_edges": corner and not edge,
        "neither_edges_nor_corners": not corner,
    }[relation]


@cache
def lies_on_bumps(pattern: int, placement: int) -> bool:
    return is_legal(Board(GAME, (placement,)), bumps().unrank(pattern))


@cache
def bumps() -> BumpPatterns:
    return bump_patterns(BumpParams())


def read(state: str) -> tuple[str, list[int], int | None, list[int], list[int]]:
    """(relation, colours, bump pattern, placements shown, pieces excluded) of a recorded puzzle."""
    numbers = {(p.piece, p.cells): n for n, p in enumerate(geometry(3).placements)}
    relation, colours, pattern = "none", [], None
    shown, excluded = [], []
    for part in state.split("; "):
        name, *words = part.split()
        if name in (*RELATIONS, "none"):
            relation, colours = name, [int(word) for word in words]
        elif name == "bumps":
            pattern = int(words[0])
        elif name == "without":
            excluded.append(PIECE_ORDER.index(words[0]))
        elif name != "side":
            shown.append(numbers[PIECE_ORDER.index(name), tuple(map(int, words))])
    return relation, colours, pattern, shown, excluded


def solutions(state: str, most: int = 2) -> int:
    """How many solutions CP-SAT finds of a recorded puzzle, up to `most`."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model")
    relation, colours, pattern, shown, excluded = read(state)
    board = geometry(3)
    covered = {cell for n in shown for cell in board.placements[n].cells}
    model = cp_model.CpModel()
    used = {
        n: model.new_bool_var(f"p{n}")
        for n, p in enumerate(board.placements)
        if (n in shown or not covered.intersection(p.cells))
        and p.piece not in excluded
        and (pattern is None or lies_on_bumps(pattern, n))
    }
    for cell in range(board.cells):
        model.add_exactly_one(v for n, v in used.items() if cell in board.placements[n].cells)
    of = [
        [v for n, v in used.items() if board.placements[n].piece == piece]
        for piece in range(len(PIECE_ORDER))
    ]
    copies = [
        0 if piece in excluded else 2 if name == "Trapezoid" else 1 for piece, name in enumerate(PIECE_ORDER)
    ]
    area = sum(
        count * (3 if name == "Trapezoid" else 6) for count, name in zip(copies, PIECE_ORDER, strict=True)
    )
    for variables, count in zip(of, copies, strict=True):
        # Where the pieces are only as large as the board, all of them must be placed.
        model.add(sum(variables) == count if area == board.cells else sum(variables) <= count)
    for n in shown:
        model.add(used[n] == 1)
    if relation != "none":
        _constrain(model, used, relation, colours)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    found = 0
    while found < most and solver.solve(model) == cp_model.OPTIMAL:
        found += 1
        placed = [n for n, v in used.items() if solver.value(v)]
        model.add(sum(used[n] for n in placed) <= len(placed) - 1)
    return found


def _constrain(model: Any, used: dict[int, Any], relation: str, colours: list[int]) -> None:
    """All pairs of the colours obey the relation, and there is a pair."""
    of = {
        colour: [n for n in used if COLOUR_OF[geometry(3).placements[n].piece] == colour]
        for colour in colours
    }
    if len(colours) == 1:
        pairs = list(combinations(of[colours[0]], 2))
        model.add(sum(used[n] for n in of[colours[0]]) >= 2)
    else:
        pairs = list(product(of[colours[0]], of[colours[1]]))
        for colour in colours:
            model.add(sum(used[n] for n in of[colour]) >= 1)
    for one, other in pairs:
        cells = [set(geometry(3).placements[n].cells) for n in (one, other)]
        if not cells[0] & cells[1] and not obeys(relation, one, other):
            model.add_bool_or(used[one].negated(), used[other].negated())


def constraint_of(state: str) -> tuple[str, bool]:
    """(type of constraint, whether it is played on the back) of a recorded puzzle."""
    relation, colours, pattern, _, _ = read(state)
    return ("two_colours" if len(colours) == 2 else relation), pattern == PATTERN


# --- the pattern, and a small curriculum -------------------------------------------------------------------


def chosen(built: Built) -> list[tuple[str, str, float]]:
    """(chapter, puzzle as text, measure) of all that is chosen, in order."""
    return [
        (chapter.name, row.puzzle.state, row.value)
        for chapter in built.curriculum.chapters
        for part in chapter.parts
        for row in part.selections
        if row.position is not None
    ]


@pytest.mark.slow
def test_a_small_curriculum_has_puzzles_with_one_solution(tmp_path: Path) -> None:
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        built = build(parse_plan(SMALL, folder=PLANS), store, Options(quiet=True, executor="serial"))
    front, back = built.curriculum.chapters
    assert (
        front.parts[0].candidates
        == facts("tangram")["colour_puzzles_on_2508"]["corners_must_touch_not_edges"]
    )
    assert back.parts[0].candidates == 151
    rows = chosen(built)
    assert [constraint_of(state) for _, state, _ in rows] == [
        ("corners_must_touch_not_edges", chapter == "back") for chapter, _, _ in rows
    ]
    assert [solutions(state) for _, state, _ in rows] == [1] * 4
    # The fewest pieces that are enough are shown: without one of them there are other solutions.
    parts = max((state.split("; ") for _, state, _ in rows), key=len)
    del parts[parts.index("side 3") + 1]
    assert solutions("; ".join(parts)) == 2


# --- the shipped plan --------------------------------------------------------------------------------------


def sql(database: Path, statement: str) -> list[list[str]]:
    """The rows that `epcg sql` prints."""
    result = epcg("sql", statement, *SQL_OPTIONS, database)
    return [line.split(",") for line in result.stdout.splitlines()[1:]]


def test_the_plan_has_a_chapter_for_every_type_on_either_side() -> None:
    plan = load(PLANS / "hexagon.toml")
    parts: list[list[Part]] = [list(chapter.parts) for chapter in plan.chapters]
    assert [sum(part.count for part in own) for own in parts] == [12] * 12
    played = []
    for own in parts[1:]:
        assert own[0].query is not None
        params = own[0].query.generator.params
        played.append((params["constraint"], params.get("bumps")))
    front, back = [(c, None) for c in CONSTRAINTS], [(c, PATTERN) for c in CONSTRAINTS]
    assert played == [*front[1:], *back]  # chapter 1 has no constraint


@pytest.mark.nightly
def test_the_hexagon(tmp_path: Path) -> None:
    """Built once, because that takes minutes; what is checked of it follows."""
    database = tmp_path / "epcg.db"
    with Store.open(database, write=True) as store:
        plan = load(PLANS / "hexagon.toml")
        built = build(plan, store, Options(quiet=True))
        assert not build(plan, store, Options(quiet=True)).new
    every_puzzle_has_one_solution(built)
    the_chapters_choose_among_all_puzzles_of_their_type(built)
    the_first_chapter_has_the_puzzles_that_teach_most(built, database)
    sql_answers_what_the_readme_asks(database)


def every_puzzle_has_one_solution(built: Built) -> None:
    rows = chosen(built)
    assert len(rows) == len({state for _, state, _ in rows}) == 144
    parts = (part for chapter in built.curriculum.chapters for part in chapter.parts)
    measures = [json.loads(row.measures) for p in parts for row in p.selections if row.position is not None]
    assert len({own["board"] for own in measures}) == 144
    expected = [(c, back) for back in (False, True) for c in CONSTRAINTS for _ in range(12)]
    assert [constraint_of(state) for _, state, _ in rows] == expected
    assert [solutions(state) for _, state, _ in rows] == [1] * 144


def the_chapters_choose_among_all_puzzles_of_their_type(built: Built) -> None:
    counts = facts("tangram")["colour_puzzles_on_2508"]
    chapters = built.curriculum.chapters
    assert [chapter.parts[0].candidates for chapter in chapters[1:6]] == [counts[c] for c in CONSTRAINTS[1:]]
    on_back = [chapter.parts[0].candidates for chapter in chapters[6:]]
    assert on_back == [650, 1048, 1140, 151, 948, 2268]
    for chapter in chapters[1:]:
        (part,) = chapter.parts
        values = [row.value for row in part.selections if row.position is not None]
        assert all(low <= high for low, high in pairwise(values))
        left = [row.value for row in part.selections if row.rule != "each board once"]
        assert (values[0], values[-1]) == (min(left), max(left))
        assert len(part.selections) == part.candidates


def the_first_chapter_has_the_puzzles_that_teach_most(built: Built, database: Path) -> None:
    """Of each rule the three largest differentials of different boards that are left."""
    parts = built.curriculum.chapters[0].parts
    rules = ("one_placement", "one_piece", "region_size", "region_shape")
    assert [part.measure for part in parts] == [f"differential_{rule}" for rule in rules]
    for part in parts:
        rows = [row for row in part.selections if row.position is not None]
        boards = {json.loads(row.measures)["board"] for row in rows}
        (highest,) = sql(
            database,
            f"SELECT maximum FROM metrics WHERE metric = '{part.measure}' AND run_id = {run_of(part)}",
        )
        assert len(boards) == len(rows) == 3
        assert max(row.value for row in rows) == float(highest[0]) > 0


def sql_answers_what_the_readme_asks(database: Path) -> None:
    """The statements of the README about the curriculum print what it shows."""
    text = (PLANS.parent / "README.md").read_text(encoding="utf-8")
    asked = re.findall(r'^    \$ epcg sql "(.*hexagon.*)"\n((?:    .*\n)+?)(?=\n|    \$)', text, re.MULTILINE)
    assert len(asked) >= 3
    for statement, shown in asked:
        result = epcg("sql", statement, "--db", database)
        printed = [line.rstrip() for line in result.stdout.splitlines()]
        for line in shown.splitlines():
            assert line[4:].rstrip() in (*printed, "..."), statement


def run_of(part: curricula.PartRow) -> int:
    """The run that a part chose from."""
    (number,) = {row.puzzle.run_id for row in part.selections if row.puzzle.run_id is not None}
    return number
