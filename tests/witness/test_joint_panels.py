"""The generator joint_panels, the shipped queries, and pictures of sets of sub-panels."""

from __future__ import annotations

import json
import math
import sqlite3
import xml.etree.ElementTree as ElementTree
from contextlib import closing
from pathlib import Path
from typing import Any

import epcg_witness
import numpy as np
import pytest
from epcg_witness.joint_panels.evaluators import JointDifficulty
from epcg_witness.joint_panels.generator import JointPanels
from epcg_witness.params import JointPanelsParams
from epcg_witness.rendering.renderers import svg_renderer, text_renderer
from epcg_witness.rules.reference import is_solution

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.domain import NoParams, Omission
from epcg_core.query.query import Query, load
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.workplace import facts

QUERIES = Path(epcg_witness.__file__).resolve().parents[2] / "queries"


@pytest.fixture(scope="module")
def figure_3() -> JointPanels:
    return JointPanels(JointPanelsParams())


@pytest.fixture(scope="module", params=["small", pytest.param("figure_3", marks=pytest.mark.slow)])
def either(request: pytest.FixtureRequest) -> JointPanels:
    """The panels of the study, and smaller ones."""
    found: JointPanels = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def small() -> JointPanels:
    return JointPanels(JointPanelsParams(2, 2, 2, sub_panels=2))


def answer(query: Query, database: Path) -> tuple[list[Any], list[tuple[str, int]], str]:
    """(the proof's row of `runs`, (joint solution, value) of the optima, what verify says of coverage)."""
    with Store.open(database, write=True) as store:
        goal = execute(query, store, Options("serial", quiet=True)).goal
    with Store.open(database) as store:
        report = verify(store, goal.id, 12)
    assert report.passed, report
    with closing(sqlite3.connect(database)) as connection:
        columns = "candidates, evaluated, pruned, coverage"
        run = connection.execute(f"SELECT {columns} FROM runs WHERE run_id = {goal.id}").fetchone()
        kept = connection.execute(f"SELECT state, scores FROM kept WHERE run_id = {goal.id}").fetchall()
    found = [
        (state.rpartition("(0, 0): ")[2].partition(",")[0], json.loads(scores)["joint_difficulty"])
        for state, scores in kept
    ]
    assert goal.coverage == ("exhaustive" if goal.omission is None else "semi-exhaustive")
    return [*run], found, next(check.detail for check in report.checks if check.name == "coverage")


def query(name: str, **params: Any) -> Query:
    return load(QUERIES / name, [f"generator.{key}={value}" for key, value in params.items()])


@pytest.mark.slow
def test_the_classes_of_the_study(figure_3: JointPanels) -> None:
    classes = figure_3.classes
    assert len(classes) == 7_316
    numbers = np.bitwise_count(classes.sets).sum(axis=1).astype(int).tolist()
    assert max(numbers) == 19
    assert sum(classes.weights) == 113_296
    assert figure_3.max_rank == math.comb(7_318, 3) == 65_290_186_116
    assert figure_3.represents == math.comb(113_298, 3)
    assert figure_3.omission is None
    assert sum(n * weight for n, weight in zip(numbers, classes.weights, strict=True)) == 400_146
    assert sum(weight for n, weight in zip(numbers, classes.weights, strict=True) if n == 1) == 15_196


# small panels: test_the_search_finds_the_best_set_of_panels, and below
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "restriction", "fact", "best", "number"),
    [
        ("joint_panels.toml", "none", "no_restriction", 7, 26),
        ("joint_panels.toml", "different_types", "three_different_types_in_each_sub_panel", 6, 120),
        ("joint_panels_regions.toml", "not_one_region", None, 5, 8),
    ],
)
def test_the_optimum_of_the_study(
    tmp_path: Path, name: str, restriction: str, fact: str | None, best: int, number: int
) -> None:
    run, found, coverage = answer(query(name, restriction=restriction), tmp_path / "a.db")
    candidates, evaluated, pruned, whole = run
    assert evaluated + pruned == candidates
    assert whole == "exhaustive"
    assert "the whole space" in coverage
    assert {value for _, value in found} == {best}
    assert len(found) == number
    solutions = {solution for solution, _ in found}
    if restriction == "none":
        assert solutions == {"RULURURDRU", "URDRURULUR"}
    if restriction == "different_types":
        assert "URDRUURU" in solutions
    if fact is not None:
        expected = facts("witness")["joint_sub_panels"][fact]
        assert expected["optimum"] == best
        assert solutions >= set(expected.get("joint_solutions", ["URDRUURU"]))


# small panels under restrictions: test_the_classes_say_all_that_the_panels_do
@pytest.mark.slow
@pytest.mark.parametrize(
    ("restriction", "classes", "panels"),
    [("different_types", 5_275, 99_046), ("not_one_region", 7_360, 113_296)],
)
def test_the_classes_under_restrictions(restriction: Any, classes: int, panels: int) -> None:
    found = JointPanels(JointPanelsParams(restriction=restriction)).classes
    assert (len(found), sum(found.weights)) == (classes, panels)


@pytest.mark.slow
def test_a_state_shows_its_classes(figure_3: JointPanels) -> None:
    state = figure_3.unrank(1_487_749_938)
    assert figure_3.rank(state) == 1_487_749_938
    assert state.classes == (56, 72, 74)
    assert state.weights == (6, 2, 2)
    path = state.joint_solution()
    assert path is not None
    assert state.panels[0].grid.path_letters(path) == "RULURURDRU"
    assert all(is_solution(panel, path) for panel in state.panels)
    text = figure_3.format(state)
    assert text.startswith("class 56: 6 panels   class 72: 2 panels   class 74: 2 panels\n")
    assert "One joint solution from (0, 0): RULURURDRU, 10 edges." in text


def test_classes_come_by_their_number_of_solutions_then_by_their_example(either: JointPanels) -> None:
    classes = either.classes
    numbers = np.bitwise_count(classes.sets).sum(axis=1).astype(int).tolist()
    keys = [(-number, rank) for number, rank in zip(numbers, classes.examples, strict=True)]
    assert keys == sorted(keys)


def test_pictures_stand_side_by_side(small: JointPanels) -> None:
    state = next(s for s in map(small.unrank, range(small.max_rank)) if len(s.joint) == 1)
    svg = "{http://www.w3.org/2000/svg}"
    found = [ElementTree.fromstring(svg_renderer(small)(state, solution=drawn)) for drawn in (True, False)]
    groups = [picture.findall(f"{svg}g") for picture in found]
    assert [len(group) for group in groups] == [2, 2]
    lines = [[len(g.findall(f"{svg}polyline")) for g in group] for group in groups]
    assert lines[0] == [number + 1 for number in lines[1]]
    left, right = (group.attrib["transform"] for group in groups[0])
    assert left != right
    drawn, plain = (text_renderer(small)(state, solution=asked) for asked in (True, False))
    assert "H" in drawn
    assert "H" not in plain.partition("\n")[2].partition("One joint")[0]


def test_sets_without_or_with_many_joint_solutions_are_shown(small: JointPanels) -> None:
    states = list(map(small.unrank, range(small.max_rank)))
    none = next(state for state in states if not state.joint)
    many = next(state for state in states if len(state.joint) > 1)
    assert "No joint solution." in small.format(none)
    assert f"{len(many.joint)} joint solutions, the first from (0, 0): " in small.format(many)
    assert "No joint solution." in svg_renderer(small)(none)


def test_what_is_not_drawn_is_left_out() -> None:
    drawn = JointPanels(JointPanelsParams(2, 2, 2, candidates=456, seed=3))
    every = JointPanels(JointPanelsParams(2, 2, 2))
    assert drawn.omission == Omission(3_000, 3_456, "panels")
    assert str(drawn.omission) == "3,000 of 3,456 panels"
    assert set(map(bytes, drawn.classes.sets)) <= set(map(bytes, every.classes.sets))
    assert (
        drawn.classes.examples
        != JointPanels(JointPanelsParams(2, 2, 2, candidates=456, seed=4)).classes.examples
    )
    assert JointPanels(JointPanelsParams(2, 2, 2, candidates=3_456)).omission is None


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"seed": 1}, "set candidates"),
        ({"pieces": 10}, "do not fit"),
        ({"pieces": 1, "restriction": "not_one_region"}, "always lie in one region"),
    ],
)
def test_params_that_make_no_sense(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParamsError, match=message):
        JointPanelsParams(**params)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("params", "message"),
    [
        (JointPanelsParams(2, 2, 2, candidates=3_457), "there are 3,456 panels"),
        (JointPanelsParams(4, 4, 3), "draw at most 1,009,155"),
        (JointPanelsParams(6, 6, 1), "paths"),
    ],
    ids=["too many", "too much memory", "too many paths"],
)
def test_spaces_that_cannot_be_made(params: JointPanelsParams, message: str) -> None:
    with pytest.raises(EpcgError, match=message):
        _ = JointPanels(params).max_rank


# --- the shipped queries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawn", "coverage"),
    [
        ({"candidates": 400, "seed": 1}, "semi-exhaustive"),
        pytest.param({}, "exhaustive", marks=pytest.mark.slow),
    ],
    ids=["some", "all"],
)
def test_the_optimum_of_small_panels_with_parted_pieces(
    tmp_path: Path, drawn: dict[str, int], coverage: str
) -> None:
    """By the shipped query, against the values of all pairs of classes."""
    asked = query("joint_panels_regions.toml", width=2, pieces=2, sub_panels=2, **drawn)
    generator = JointPanels(JointPanelsParams(2, 3, 2, sub_panels=2, restriction="not_one_region", **drawn))
    every = JointDifficulty(NoParams(), generator).evaluate_states(
        generator.states_block(0, generator.max_rank)
    )
    assert every.status is not None
    values = np.asarray(every.values[0])[every.status == 0]
    (candidates, evaluated, pruned, whole), found, _ = answer(asked, tmp_path / "a.db")
    assert evaluated + pruned == candidates == generator.max_rank
    assert pruned > 0
    assert whole == coverage
    assert [value for _, value in found] == [values.max()] * (values == values.max()).sum()


@pytest.mark.parametrize(
    ("name", "width", "drawn", "panels"),
    [
        ("joint_panels.toml", 2, 600, 276_480),
        # the same of larger panels, with more classes to search or a minute to make them
        pytest.param("joint_panels.toml", 2, 3_000, 276_480, marks=pytest.mark.slow),
        pytest.param("joint_panels.toml", 3, 3_000, 1_161_216, marks=pytest.mark.slow),
        pytest.param("joint_panels_large.toml", 4, 3_000, 7_741_440, marks=pytest.mark.slow),
    ],
)
def test_a_sample_is_recorded_as_semi_exhaustive(
    tmp_path: Path, name: str, width: int, drawn: int, panels: int
) -> None:
    left_out = f"which leaves out {panels - drawn:,} of {panels:,} panels"
    run, found, coverage = answer(query(name, width=width, candidates=drawn), tmp_path / "a.db")
    candidates, evaluated, pruned, whole = run
    assert evaluated + pruned == candidates
    assert pruned > 0
    assert whole == "semi-exhaustive"
    assert left_out in coverage
    assert len({value for _, value in found}) == 1
