"""Three problems of the PCG Benchmark: spaces, measures beside plain Python, totals, texts, the command."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from epcg_pcgbench import plain
from epcg_pcgbench.apart import apart
from epcg_pcgbench.contents import (
    SIGNS,
    Binary,
    Content,
    Contents,
    Mazes,
    Sokoban,
    Zelda,
    images,
    packed,
    parse,
)
from epcg_pcgbench.editor import ContentEditor, examples, new_content
from epcg_pcgbench.evaluators import (
    Binary as BinaryMeasures,
    Sokoban as SokobanMeasures,
    Zelda as ZeldaMeasures,
)
from epcg_pcgbench.params import CrateParams, DifficultyParams, EnemiesParams, RoomParams, SizeParams, allowed
from epcg_testing import DomainConformance
from hypothesis import given, strategies as st

from epcg_core.plugin import (
    NoParams,
    Options,
    Outcome,
    ParamsError,
    RankError,
    Store,
    changes_of,
    execute,
    load,
)

QUERIES = Path(__file__).parents[1] / "queries"
LONGEST = {
    3: [9, 12, 35, 72, 74, 8, 8],
    4: [16, 24, 89, 324, 1231, 3136, 3838, 1516, 836, 284, 212],
    5: [25, 40, 167, 740, 4342, 26820, 156472, 468724, 659004, 348628, 298147, 146224, 122652, 39808, 27800,
        2176, 108],
}  # fmt: skip
"""Mazes of one region by their longest path. Their numbers are A059525 of the OEIS."""
CRATE_MOVES = [768, 640, 512, 480, 236, 152, 84, 64, 8, 32, 8, 16, 16, 4]
"""Solvable contents of 3 x 3 cells inside the border, by the moves of a shortest solution from 1."""


@pytest.mark.slow
class TestPcgbench(DomainConformance):
    domain = "pcgbench"


def run(name: str, database: Path, *overrides: str) -> Outcome:
    with Store.open(database, write=True) as store:
        return execute(load(QUERIES / f"{name}.toml", overrides), store, Options("serial", quiet=True))


def numbers(database: Path, outcome: Outcome, metric: str) -> dict[Any, int]:
    """How many contents have each value."""
    with Store.open(database) as store, store.reader() as reader:
        rows = reader.connection.exec_driver_sql(
            "SELECT low, count FROM histograms WHERE run_id = ? AND metric = ?", (outcome.goal.id, metric)
        )
        return {low: count for low, count in rows if count}


def all_contents(signs: str, rows: int, columns: int) -> list[Content]:
    return [
        tuple("".join(cells[row * columns : (row + 1) * columns]) for row in range(rows))
        for cells in product(signs, repeat=rows * columns)
    ]


def measures(space: Contents) -> tuple[Any, ...]:
    return (
        BinaryMeasures(NoParams(), space, {}),
        ZeldaMeasures(EnemiesParams(1), space, {}),
        SokobanMeasures(DifficultyParams(1), space, {}),
    )


# --- the spaces


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (2, 3), (3, 2), (3, 3), (3, 4)])
def test_mazes_are_the_contents_of_one_region(rows: int, columns: int) -> None:
    space = Mazes(SizeParams(rows, columns))
    found = {space.unrank(rank) for rank in range(space.max_rank)}
    one = {
        content
        for content in all_contents("#.", rows, columns)
        if plain.regions(plain.free_cells(content)) == 1
    }
    assert found == one
    assert len(found) == space.max_rank


@pytest.mark.parametrize(
    ("size", "mazes"), [((3, 3), 218), ((4, 4), 11_506), ((5, 5), 2_301_877), ((6, 6), 1_732_082_741)]
)
def test_the_numbers_of_mazes_are_those_of_the_encyclopedia(size: tuple[int, int], mazes: int) -> None:
    assert Mazes(SizeParams(*size)).max_rank == mazes


@pytest.mark.sweep
@pytest.mark.parametrize("enemies", [0, 1, 2])
def test_no_other_content_than_those_of_the_space_is_a_good_room(enemies: int) -> None:
    space = Zelda(RoomParams(2, 3, enemies))
    measure = ZeldaMeasures(EnemiesParams(enemies), space, {})
    good = {content for content in all_contents("#.@+De", 2, 3) if measure.evaluate(content)[2]}
    assert good == {c for c in map(space.unrank, range(space.max_rank)) if measure.evaluate(c)[2]}
    assert good


def test_no_other_content_than_those_of_the_space_can_be_solved() -> None:
    space = Sokoban(CrateParams(2, 3))
    solvable = {content for content in all_contents("#.@$x", 2, 3) if plain.fewest_moves(content) is not None}
    assert solvable == {
        c for c in map(space.unrank, range(space.max_rank)) if plain.fewest_moves(c) is not None
    }
    assert solvable


def test_a_quarter_of_the_enemies_at_least_one_more_or_less() -> None:
    assert [allowed(enemies, 20) for enemies in (0, 1, 3, 4, 8, 12)] == [
        (0, 1), (0, 2), (2, 4), (3, 5), (6, 10), (9, 15),
    ]  # fmt: skip
    assert allowed(8, 9) == (6, 9)


@pytest.mark.parametrize(
    "space",
    [
        Binary(SizeParams(3, 4)),
        Mazes(SizeParams(4, 5)),
        Zelda(RoomParams(3, 4, 2)),
        Sokoban(CrateParams(4, 3)),
    ],
    ids=lambda space: type(space).__name__,
)
def test_ranks_texts_and_arrays_agree(space: Contents) -> None:
    ranks = np.unique(np.linspace(0, space.max_rank - 1, 60).astype(np.int64))
    contents = [space.unrank(rank) for rank in ranks.tolist()]
    assert [space.rank(content) for content in contents] == ranks.tolist()
    assert [space.parse(space.format(content)) for content in contents] == contents
    assert np.array_equal(space.states_at(ranks), packed(contents, space.rows, space.columns))
    assert np.array_equal(
        space.states_block(5, 20), packed(map(space.unrank, range(5, 25)), space.rows, space.columns)
    )


# --- kernels beside plain Python


@st.composite
def contents(draw: st.DrawFn) -> list[Content]:
    """Contents of one size, with signs as they come, many of them with one player, key and door."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    signs = draw(st.sampled_from(["#.", "#..@$x", "#..$x", "#..e", SIGNS]))
    found = []
    for _ in range(8):
        cells = draw(st.lists(st.sampled_from(signs), min_size=rows * columns, max_size=rows * columns))
        places = draw(st.permutations(range(len(cells))))
        for place, sign in zip(places, draw(st.sampled_from(["", "@", "@+D", "@$x", "@$$xx"])), strict=False):
            cells[place] = sign
        found.append(tuple("".join(cells[r * columns : (r + 1) * columns]) for r in range(rows)))
    return found


@given(contents())
def test_kernels_say_what_plain_python_says(drawn: list[Content]) -> None:
    space = Binary(SizeParams(len(drawn[0]), len(drawn[0][0])))
    states = packed(drawn, space.rows, space.columns)
    for measure in measures(space):
        evaluation = measure.evaluate_states(states)
        for number, content in enumerate(drawn):
            found = [
                None if status[number] else values[number]
                for values, status in zip(evaluation.values, evaluation.status, strict=True)
            ]
            assert found == list(measure.evaluate(content)), content


@given(contents())
def test_what_is_turned_or_mirrored_measures_the_same(drawn: list[Content]) -> None:
    for content in drawn[:2]:
        values = []
        for image in images(content):
            space = Binary(SizeParams(len(image), len(image[0])))
            values.append([measure.evaluate(image) for measure in measures(space)])
        assert all(each == values[0] for each in values)


# --- totals


@pytest.mark.sweep
@pytest.mark.parametrize("side", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_mazes_by_their_longest_path(tmp_path: Path, side: int) -> None:
    size = (f"generator.rows={side}", f"generator.columns={side}")
    outcome = run("mazes", tmp_path / "a.db", *size)
    assert numbers(tmp_path / "a.db", outcome, "longest_path") == dict(enumerate(LONGEST[side]))
    good = sum(LONGEST[side][2 * side :])
    assert numbers(tmp_path / "a.db", outcome, "good_maze")[1] == good
    assert good == {3: 8, 4: 1_332, 5: 636_915}[side]
    every = run("binary", tmp_path / "a.db", *size)
    assert every.goal.max_rank == 2**side**2
    assert numbers(tmp_path / "a.db", every, "good_maze")[1] == good
    assert numbers(tmp_path / "a.db", every, "longest_path") == dict(enumerate(LONGEST[side]))


@pytest.mark.parametrize(
    ("columns", "rooms", "good"),
    [(3, 249_984, 22_948), pytest.param(4, 9_799_680, 827_890, marks=pytest.mark.slow)],
)
def test_good_rooms_of_three_rows(tmp_path: Path, columns: int, rooms: int, good: int) -> None:
    outcome = run("zelda", tmp_path / "a.db", f"generator.columns={columns}")
    assert outcome.goal.max_rank == rooms
    assert numbers(tmp_path / "a.db", outcome, "good_room")[1] == good


def test_crates_by_their_moves(tmp_path: Path) -> None:
    outcome = run("sokoban", tmp_path / "a.db")
    assert numbers(tmp_path / "a.db", outcome, "crate_moves") == dict(enumerate(CRATE_MOVES, 1))
    assert numbers(tmp_path / "a.db", outcome, "good_crates")[1] == sum(CRATE_MOVES[5:]) == 384


@pytest.mark.slow
def test_crates_by_their_moves_in_plain_python() -> None:
    space = Sokoban(CrateParams(3, 3))
    found = Counter(plain.fewest_moves(space.unrank(rank)) for rank in range(space.max_rank))
    assert found.pop(None) == space.max_rank - sum(CRATE_MOVES)
    assert found == dict(enumerate(CRATE_MOVES, 1))


def test_how_far_good_contents_are_apart(tmp_path: Path) -> None:
    run("mazes", tmp_path / "a.db", "generator.rows=3", "generator.columns=3")
    told = CliRunner().invoke(
        apart, ["1", "good_maze", "--db", str(tmp_path / "a.db")], catch_exceptions=False
    )
    space = Mazes(SizeParams(3, 3))
    measure = BinaryMeasures(NoParams(), space, {})
    good = [content for content in map(space.unrank, range(space.max_rank)) if measure.evaluate(content)[2]]
    pairs = Counter(
        sum(a != b for a, b in zip("".join(one), "".join(other), strict=True))
        for one, other in combinations(good, 2)
    )
    rows = [line.split() for line in told.stdout.splitlines()[1:]]
    assert {int(cells): int(number) for cells, number in rows} == dict(pairs)


# --- texts, and changes by hand


@pytest.mark.parametrize("text", ["", "..?", "../.", "//"])
def test_texts_that_are_not_contents(text: str) -> None:
    with pytest.raises(RankError):
        parse(text)


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(ParamsError, match="choose fewer"):
        SizeParams(8, 8)
    with pytest.raises(ParamsError, match="no room"):
        Zelda(RoomParams(1, 2, 1))
    with pytest.raises(ParamsError, match="up to 20 cells"):
        SokobanMeasures(DifficultyParams(), Binary(SizeParams(5, 5)), {})
    with pytest.raises(RankError, match="not in this space"):
        Mazes(SizeParams(1, 3)).parse(".#.")
    with pytest.raises(RankError, match="not a content of 1 x 3"):
        Mazes(SizeParams(1, 3)).parse(".#")


@pytest.mark.parametrize("text", [*examples().values(), new_content(4, 3)])
def test_changes_are_measured_as_all_contents_are(text: str) -> None:
    editor = ContentEditor(text)
    space: Any = changes_of(editor)
    drawn = [space.unrank(rank) for rank in range(space.max_rank)]
    for measure in measures(editor):  # type: ignore[arg-type]
        evaluation = measure.evaluate_states(space.states_block(0, space.max_rank))
        values = [measure.evaluate(content) for content in drawn]
        for number, (found, status) in enumerate(zip(evaluation.values, evaluation.status, strict=True)):
            assert [None if s else v for v, s in zip(found.tolist(), status, strict=True)] == [
                value[number] for value in values
            ]
