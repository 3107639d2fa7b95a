"""Levels as arrays: what compiled searches find is what single searches find."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from epcg_puzzlescript.evaluation.shortest import LevelSolution
from epcg_puzzlescript.evaluation.starts import ArrayStartMoves, make_start_moves
from epcg_puzzlescript.formats.files import shipped_game, shipped_games
from epcg_puzzlescript.formats.text import format_level, level_of, read_game_text
from epcg_puzzlescript.generators.starts import ArrayStarts, make_starts
from epcg_puzzlescript.language.files import read_game
from epcg_puzzlescript.language.roles import unnoticed_bits
from epcg_puzzlescript.params import PositionsParams, StartsParams
from epcg_puzzlescript.rendering.editor import LevelEditor
from epcg_puzzlescript.rules import batches
from epcg_puzzlescript.rules.batches import BatchSearch, Levels
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.solver_source import ELSEWHERE, EXHAUSTED, LIMITED, SOLVED

from epcg_core.combinatorics.sketches import FilledSketch, sketch_of
from epcg_core.search.params import PathParams
from epcg_core.search.shortest_path.solver import shortest_path


def starts(tmp_path: Path, board: str, objects: tuple[str, ...]) -> ArrayStarts:
    path = shipped_game("lanterns")
    assert path is not None
    text = path.read_text()
    file = tmp_path / "game.txt"
    file.write_text(text[: text.index("\nLEVELS\n") + len("\nLEVELS\n")] + "\n" + board + "\n")
    found = make_starts(StartsParams(str(file), objects))
    assert isinstance(found, ArrayStarts)
    return found


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("limit", "path"),
    [
        pytest.param(
            limit, path, marks=[pytest.mark.slow] * (limit > 30 and path.stem in ("badger", "frost"))
        )
        for limit in (1_000_000, 30)
        for path in shipped_games()
    ],
    ids=lambda value: getattr(value, "stem", value),
)
def test_levels_are_searched_as_single_ones(path: Path, limit: int) -> None:
    game = read_game(path)
    model = PuzzleScriptModel()
    ended = set()
    for number in range(len(game.maps)):
        level = level_of(game, number)
        levels = Levels(game, level.width, level.height)
        found = BatchSearch(levels).search(np.stack([levels.row(level)] * 2), limit, wait=True)
        assert found is not None
        outcome, moves, expansions = found[1].tolist()
        assert found[0].tolist() == [outcome, moves, expansions]
        ended.add(outcome)
        if outcome == ELSEWHERE:
            continue
        expected = shortest_path(model, level, limit)
        assert (outcome == LIMITED) == expected.limit_reached
        assert (outcome == EXHAUSTED) == expected.exhausted
        assert expansions == expected.expansions
        assert outcome != SOLVED or moves == expected.length
    assert ended - {ELSEWHERE}


def test_the_rows_of_starts_are_those_of_their_levels(tmp_path: Path) -> None:
    space = starts(
        tmp_path, "#######\n#P.*O.#\n#.#..*#\n#..O..#\n#######", ("lantern", "rock", "post", "keeper")
    )
    ranks = np.sort(np.random.default_rng(1).integers(0, space.max_rank, 50))
    for rank, row in zip(ranks.tolist(), space.states_at(ranks), strict=True):
        assert space.setting.level(row) == space.unrank(rank)
    assert np.array_equal(space.states_block(7, 3), space.states_at(np.array([7, 8, 9])))


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("objects", "shares"),
    [
        (("post", "lantern", "keeper"), True),
        (("keeper", "post"), True),
        (("lantern", "keeper"), False),
        (("rock", "keeper"), False),
    ],
)
def test_starts_are_solved_at_once_as_one_by_one(
    tmp_path: Path, objects: tuple[str, ...], shares: bool
) -> None:
    space = starts(tmp_path, "#####\n#P*O#\n#..##\n#...#\n##.##", objects)
    if "rock" in objects:
        space = starts(tmp_path, "P*.O\n.#..\n....", objects)
    moves = make_start_moves(PositionsParams(), space)
    assert isinstance(moves, ArrayStartMoves)
    count = min(space.max_rank, 900)
    found = moves.evaluate_block(0, count)
    assert found.status is not None
    for rank in range(0, count, max(1, count // 60)):
        level = space.unrank(rank)
        length = shortest_path(space.transition_model, level).length
        assert (None if found.status[rank] else found.values[0][rank]) == length
        assert moves.evaluate(level) == (length,)
    assert ("post" in objects) == shares


def test_objects_of_rules_are_no_goals() -> None:
    path = shipped_game("lanterns")
    assert path is not None
    game = read_game(path)
    names = {thing.number: thing.name for thing in game.objects}
    assert {names[n] for n in names if unnoticed_bits(game) >> n & 1} == {"water", "pier", "post"}
    again = read_game_text(game.text.replace("> Lantern ]\n", "> Lantern ] again\n"))
    assert unnoticed_bits(again) == 0


def test_completions_of_a_sketch_are_searched_as_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped_game("lanterns")
    assert path is not None
    editor = LevelEditor(format_level(level_of(read_game(path), 1)))
    sites = editor.scene(editor.content).sites
    wanted = {"c3r2", "c4r3", "c5r3", "c6r3"}
    open_sites = [site for site in sites if site.id in wanted] or list(sites[10:14])
    sketch = sketch_of(editor, [(site, ("", "rock", "post")) for site in open_sites])
    assert isinstance(sketch, FilledSketch)
    assert sketch.max_rank == 3 ** len(open_sites)
    rows = sketch.states_block(0, sketch.max_rank)
    assert isinstance(sketch.setting, Levels)
    BatchSearch(sketch.setting).search(rows[:1], 10, wait=True)
    evaluator = LevelSolution(PathParams(), sketch)
    found = evaluator.evaluate_states(rows)
    assert found.status is not None
    monkeypatch.setattr(batches.BatchSearch, "search", lambda *_: None)
    single = LevelSolution(PathParams(), sketch).evaluate_states(rows)
    assert single.status is not None
    assert np.array_equal(found.status, single.status)
    for number, (first, second) in enumerate(zip(found.values, single.values, strict=True)):
        assert np.array_equal(
            np.asarray(first)[found.status[number] == 0], np.asarray(second)[single.status[number] == 0]
        )
    for rank in range(0, sketch.max_rank, 7):
        assert sketch.setting.level(rows[rank]) == sketch.unrank(rank)
