"""Answers for variants: those of searching each of them anew, with fewer expansions."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given, settings, strategies as st

from epcg_core.search.shortest_path import incremental
from epcg_core.search.shortest_path.incremental import SEARCHED, UNTOUCHED, VariantAnswer, VariantSearch
from epcg_core.search.shortest_path.solver import shortest_path
from tests.core.search.paths.maze import (
    Maze,
    PackedMaze,
    PackedMazeModel,
    PlainModel,
    edits_of,
    mazes,
    parse,
    with_tiles,
)
from tests.sweeps import most

ROOMS = parse("""
    w...#..
    .b..#..
    ......o
    #.###.#
    ...#...
    .b.#..E
""")


def anew(maze: Maze, limit: int) -> tuple[int | None, int, bool]:
    found = shortest_path(PlainModel(), maze, limit)
    return found.length, found.expansions, found.limit_reached


def told(answer: VariantAnswer) -> tuple[int | None, int, bool]:
    return answer.length, answer.expansions, answer.limit_reached


def variants(maze: Maze) -> list[Maze]:
    """Every change of one tile."""
    return [with_tiles(maze, {edit.change["cell"]: edit.change["to"]}) for edit in edits_of(maze)]


def test_every_single_edit_of_a_maze_is_answered_with_a_fraction_of_the_expansions() -> None:
    search = VariantSearch(PackedMazeModel(), ROOMS)
    assert told(search.original) == anew(ROOMS, 10**6) == (11, 343, False)
    brute, evidence = 0, [0, 0]
    for variant in variants(ROOMS):
        answer = search.answer(variant)
        assert told(answer) == anew(variant, 10**6)
        brute += answer.expansions
        evidence[answer.evidence] += 1
    assert search.expanded * 8 < brute
    assert (brute, evidence) == (29_327, [74, 2])


@settings(max_examples=most(60))
@given(st.data(), mazes(4), st.integers(0, 120) | st.just(10**6))
def test_answers_are_those_of_a_new_search(data: st.DataObject, maze: Maze, limit: int) -> None:
    search = VariantSearch(PackedMazeModel(), maze, limit, data.draw(st.sampled_from([0, 8000, 2**30])))
    assert told(search.original) == anew(maze, limit)
    edits = edits_of(maze)
    chosen = st.lists(st.sampled_from(edits), max_size=3) if edits else st.just([])
    for _ in range(8):
        variant = with_tiles(maze, {edit.change["cell"]: edit.change["to"] for edit in data.draw(chosen)})
        answer = search.answer(variant)
        assert told(answer) == anew(variant, limit)
        if answer.evidence == UNTOUCHED:
            assert told(answer) == told(search.original)


@settings(max_examples=most(20))
@given(st.randoms(use_true_random=False), mazes(4), st.integers(0, 60) | st.just(10**6))
def test_answers_and_evidence_do_not_depend_on_the_order(random: Any, maze: Maze, limit: int) -> None:
    all_ = variants(maze)
    first = VariantSearch(PackedMazeModel(), maze, limit)
    answers = [first.answer(variant) for variant in all_]
    order = list(range(len(all_)))
    random.shuffle(order)
    second = VariantSearch(PackedMazeModel(), maze, limit)
    for number in order:
        assert second.answer(all_[number]) == answers[number]
        alone = VariantSearch(PackedMazeModel(), maze, limit)
    if all_:
        assert alone.answer(all_[order[-1]]) == answers[order[-1]]


@settings(max_examples=most(25))
@given(st.data(), mazes(4))
def test_a_variant_may_begin_elsewhere(data: st.DataObject, maze: Maze) -> None:
    free = [cell for cell, tile in enumerate(maze.tiles) if tile == "." and cell not in maze.boxes]
    search = VariantSearch(PackedMazeModel(), maze)
    for _ in range(4):
        moved = attrs.evolve(maze, walker=data.draw(st.sampled_from(free)))
        edits = edits_of(moved)
        if edits:
            edit = data.draw(st.sampled_from(edits))
            moved = with_tiles(moved, {edit.change["cell"]: edit.change["to"]})
        assert told(search.answer(moved)) == anew(moved, 10**6)


def test_what_the_search_never_read_needs_no_search() -> None:
    """The exit is found before the far end of the corridor is looked at."""
    corridor = parse("E.w......")
    search = VariantSearch(PackedMazeModel(), corridor)
    assert told(search.original) == (2, 4, False)
    made = search.expanded
    far = with_tiles(corridor, {8: "#"})
    assert search.answer(far) == VariantAnswer(2, 4, False, UNTOUCHED)
    assert search.expanded == made
    assert search.answer(with_tiles(corridor, {3: "#"})) == VariantAnswer(2, 2, False, SEARCHED)


def test_a_search_ends_when_a_goal_joins_the_queue() -> None:
    """The first step finds the exit; the other position that it finds is counted, but not expanded."""
    corridor = parse("Ew.......")
    search = VariantSearch(PackedMazeModel(), corridor)
    assert told(search.original) == anew(corridor, 10**6) == (1, 2, False)
    assert search.expanded == 1
    assert search.answer(with_tiles(corridor, {3: "#"})).evidence == UNTOUCHED


def test_a_search_ends_when_its_limit_is_sure_to_be_reached() -> None:
    """The first expansion puts four positions into the queue, and none of them is a goal."""
    field = parse("..... ..... ..w.. ..... ....E")
    limit = 4
    search = VariantSearch(PackedMazeModel(), field, limit)
    assert told(search.original) == anew(field, limit) == (None, limit + 1, True)
    assert search.expanded == 1


def test_models_without_footprints_are_searched_anew() -> None:
    class NoFootprints(PackedMaze):
        features = 0

    class Model(PlainModel):
        def packed(self, content: Maze) -> PackedMaze:
            return NoFootprints(content)

    for model in (Model(), PlainModel()):
        search = VariantSearch(model, ROOMS)
        variant = variants(ROOMS)[0]
        assert told(search.answer(variant)) == anew(variant, 10**6)
        assert search.nodes == 0
        assert search.answer(ROOMS).evidence == SEARCHED


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_answers_without_footprints_are_the_same(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    every = VariantSearch(PackedMazeModel(), ROOMS)
    monkeypatch.setattr(incremental, "_LARGE", 1)
    few = VariantSearch(PackedMazeModel(), ROOMS)
    for variant in variants(ROOMS)[::step]:
        assert few.answer(variant) == every.answer(variant)
        assert told(few.answer(variant)) == anew(variant, 10**6)
    assert few.expanded > every.expanded  # less was kept


def test_what_was_learned_is_forgotten_beyond_the_memory() -> None:
    free, tight = (VariantSearch(PackedMazeModel(), ROOMS, most_bytes=most) for most in (2**30, 0))
    nodes = tight.nodes
    for variant in variants(ROOMS)[:30]:
        assert tight.answer(variant) == free.answer(variant)
        assert tight.nodes == nodes
    assert free.nodes > nodes
    assert free.expanded < tight.expanded
