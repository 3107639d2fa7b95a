"""What holds for all puzzles: random graphs against the definitions and against brute force."""

from __future__ import annotations

from math import inf, log2

import pytest
from hypothesis import given

from epcg_core.difficulty import Answer, StateSpace, adversarial, merge, msi, muse, remuse, tsi, uniform
from tests.core.difficulty.graphs import (
    Puzzle,
    TableRule,
    Unfolded,
    defined_adversarial,
    defined_muse,
    defined_remuse,
    leaning,
    left_by,
    puzzles,
    solutions,
    value_along,
)


def space(puzzle: Puzzle) -> StateSpace:
    return StateSpace(puzzle.graph, puzzle.start, puzzle.rules)


@given(puzzles())
def test_the_measures_follow_their_definitions(puzzle: Puzzle) -> None:
    graph, start, left = puzzle.graph, puzzle.start, left_by(puzzle.graph, puzzle.rules)
    walked = space(puzzle)
    for collapse in (False, True):
        assert muse(walked, collapse).value == defined_muse(graph, left, start, collapse)
    assert remuse(walked).value == pytest.approx(defined_remuse(graph, left, start), abs=1e-12)
    assert adversarial(walked).value == defined_adversarial(graph, left, start)[0]


@given(puzzles())
def test_plain_muse_is_msi_under_the_uniform_policy(puzzle: Puzzle) -> None:
    walked = space(puzzle)
    assert muse(walked) == msi(walked)


@pytest.mark.parametrize("policy", [uniform, leaning])
@given(puzzle=puzzles())
def test_msi_and_tsi_by_listing_all_solutions(policy: object, puzzle: Puzzle) -> None:
    chosen = uniform if policy is uniform else leaning
    left = left_by(puzzle.graph, puzzle.rules)
    listed = list(solutions(puzzle.graph, left, puzzle.start, chosen))
    likely, any_of_them = msi(space(puzzle), chosen), tsi(space(puzzle), chosen)
    if not listed:
        assert (likely.value, any_of_them.value) == (inf, inf)
        return
    assert likely.value == pytest.approx(-log2(max(p for p, _ in listed)), abs=1e-9)
    assert any_of_them.value == pytest.approx(-log2(min(1.0, sum(p for p, _ in listed))), abs=1e-9)
    assert any_of_them.value <= likely.value + 1e-12
    assert any_of_them.path == likely.path
    along = value_along(puzzle.graph, left, puzzle.start, likely.path, chosen)
    assert along == pytest.approx(likely.value, abs=1e-9)


@given(puzzles())
def test_a_state_that_is_reached_twice_is_measured_as_in_the_tree(puzzle: Puzzle) -> None:

    def merged(state: tuple[int, object], action: str) -> Answer:
        return merge(rule(state[0], action) for rule in puzzle.rules)

    unfolded = StateSpace(Unfolded(puzzle.graph), puzzle.start, [merged])
    walked = space(puzzle)
    for measure in (muse, remuse, adversarial, msi, tsi):
        folded, apart = measure(walked), measure(unfolded)
        assert (folded.value, folded.path) == (apart.value, apart.path)
        assert folded.states <= apart.states
    assert muse(walked, True).value == muse(unfolded, True).value


@given(puzzles())
def test_the_paths_of_muse_and_remuse_are_solutions(puzzle: Puzzle) -> None:
    walked, left = space(puzzle), left_by(puzzle.graph, puzzle.rules)
    for found in (muse(walked), muse(walked, True), remuse(walked)):
        if found.value < inf:
            value_along(puzzle.graph, left, puzzle.start, found.path, uniform)
        else:
            assert found.path == ()


@given(puzzles(rules=0))
def test_a_player_who_knows_the_way_has_no_choice_left(puzzle: Puzzle) -> None:
    """Rules that leave one action everywhere make all measures 0, wherever there is a solution."""
    start = muse(space(puzzle))
    answers = {}
    state = puzzle.start
    for action in start.path:
        answers[state, action] = Answer.MUST
        state = puzzle.graph.apply(state, action)
    knowing = StateSpace(puzzle.graph, puzzle.start, [TableRule(answers)])
    if start.value < inf:
        for measure in (muse, remuse, adversarial, msi, tsi):
            assert measure(knowing).value == 0.0
            assert len(knowing) == len(start.path) + 1


@given(puzzles())
def test_a_depth_limit_that_is_not_reached_changes_no_value(puzzle: Puzzle) -> None:
    limited = StateSpace(puzzle.graph, puzzle.start, puzzle.rules, depth_limit=9)
    for measure in (muse, remuse, adversarial, msi, tsi):
        found, free = measure(limited), measure(space(puzzle))
        assert (found.value, found.path) == (free.value, free.path)


@given(puzzles())
def test_each_state_is_asked_once(puzzle: Puzzle) -> None:
    asked: list[object] = []

    def watching(state: object, action: object) -> Answer:
        asked.append((state, action))
        return Answer.UNKNOWN

    walked = StateSpace(puzzle.graph, puzzle.start, [*puzzle.rules, watching])
    for measure in (muse, remuse, adversarial, msi, tsi):
        measure(walked)
    assert len(asked) == len(set(asked))
