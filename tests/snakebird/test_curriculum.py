"""The shipped plan: levels, and the same ones made harder by one tile."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import attrs
import pytest
from epcg_publishing.html import as_html
from epcg_snakebird.formats.drawing import parse_level, read_level
from epcg_snakebird.formats.shipped import shipped_levels
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Position

from epcg_core.curriculum.booklet import read_booklet
from epcg_core.curriculum.build import build
from epcg_core.curriculum.plan import load
from epcg_core.runs.coordinator import Options
from epcg_core.store import Store, curricula

PLAN = Path(__file__).parents[2] / "plugins/snakebird/plans/harder_edits.toml"
NEVER_HARDER = {"06_two_at_a_time", "11_after_you", "14_patience"}
"""No single edit makes their shortest solution longer."""
SMALL = ("first-bite", "thorns", "the-stool")
"""Chapters whose changes are searched in a moment."""
FAST = SMALL[:1]
"""Those that fast tests build."""


@pytest.fixture(scope="module", params=[True, pytest.param(False, marks=pytest.mark.slow)])
def fast(request: pytest.FixtureRequest) -> bool:
    """Whether only the chapters FAST are built."""
    found: bool = request.param
    return found


@pytest.fixture(scope="module")
def chapters(fast: bool, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, str, float]]]:
    """Chapter -> (part, level as text, moves) of what is chosen, in order."""
    with Store.open(tmp_path_factory.mktemp("harder") / "epcg.db", write=True) as store:
        plan = load(PLAN)
        if fast:
            own = tuple(chapter for chapter in plan.chapters if chapter.name in FAST)
            plan = attrs.evolve(plan, chapters=own)
        built = build(plan, store, Options(quiet=True, executor="serial"))
        assert not build(plan, store).new
    found: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for chapter in built.curriculum.chapters:
        for part, row in _chosen(chapter):
            found[chapter.name].append((part, row.puzzle.state, row.value))
    return found


def _chosen(chapter: curricula.ChapterRow) -> list[tuple[str, curricula.SelectionRow]]:
    rows = [(part.name, row) for part in chapter.parts for row in part.selections]
    return [(part, row) for part, row in rows if row.position is not None]


def fewest_moves(level: Level) -> int | None:
    """By plain breadth-first search over the model; None where there is no solution."""
    model = SnakebirdModel()
    start = model.initial(level)
    seen, layer, moves = {model.key(start)}, [start], 0
    while layer:
        following: list[Position] = []
        for position in layer:
            if model.is_goal(position):
                return moves
            for action in model.actions(position):
                after = model.apply(position, action)
                if model.key(after) not in seen:
                    seen.add(model.key(after))
                    following.append(after)
        layer, moves = following, moves + 1
    return None


def test_a_chapter_for_every_level_that_one_tile_makes_harder(
    fast: bool, chapters: dict[str, list[tuple[str, str, float]]]
) -> None:
    paths = [path for path in shipped_levels() if path.stem not in NEVER_HARDER]
    files = {path.stem[3:].replace("_", "-"): path for path in paths}
    assert [chapter.name for chapter in load(PLAN).chapters] == list(files)
    assert list(chapters) == [name for name in files if name in FAST or not fast]
    for name, rows in chapters.items():
        path = files[name]
        (part, text, moves), *harder = rows
        original = read_level(path)
        assert part == "the level"
        assert parse_level(text).tiles == original.tiles
        assert harder
        for part, text, more in harder:
            level = parse_level(text)
            assert part == "harder"
            assert more > moves
            assert sum(a != b for a, b in zip(level.tiles, original.tiles, strict=True)) == 1
            assert (level.snakes, level.exit) == (original.snakes, original.exit)


def test_the_moves_are_those_of_plain_search(chapters: dict[str, list[tuple[str, str, float]]]) -> None:
    for name in [name for name in SMALL if name in chapters]:
        for _, text, moves in chapters[name]:
            assert fewest_moves(parse_level(text)) == moves


def test_a_booklet_draws_puzzles_at_rest_and_solutions_as_arrows(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    queries = PLAN.parent.parent / "queries"
    plan.write_text(
        f"""name = "two"
title = "Two"
[[chapters]]
name = "pushes"
measure = "moves"
query = "{queries}/levels.toml"
rows = "all"
set = {{ generator = {{ path = "12_a_push_for_a_friend" }} }}
strategy = "lowest"
count = 1
""",
        encoding="utf-8",
    )
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        number = build(load(plan), store, Options(quiet=True, executor="serial")).number
        with store.reader() as reader:
            booklet = read_booklet(reader, str(number))
    [puzzle] = booklet.puzzles()
    assert len(puzzle.solutions[0]) == 26
    assert "animate" not in (puzzle.picture() or "animate")
    solved = puzzle.solved_picture() or ""
    assert solved.count('class="move"') == 26
    assert "animate" not in solved
    assert as_html(booklet).decode().count("Each arrow is a move of the snake of its colour and number.") == 1
