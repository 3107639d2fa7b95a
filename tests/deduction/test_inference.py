"""Kinds of steps as a player's rules, the play that they narrow, and hints in words."""

from __future__ import annotations

from itertools import product

import pytest
from epcg_deduction.formats.own import parse_puzzle
from epcg_deduction.inference.hints import hint, position_of
from epcg_deduction.inference.order import settled
from epcg_deduction.inference.rules import assumption, one_instance, two_instances, without_notes
from epcg_deduction.model.boards import Board, Site
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules import problem_of
from epcg_deduction.rules.model import DeductionModel
from epcg_deduction.rules.step_words import cells_of, says, site_name
from epcg_deduction.solving.compiled import Compiled, listed
from epcg_deduction.texts.reader import genre_document

from epcg_core.difficulty import StateSpace, adversarial, muse, remuse
from tests.deduction.boards import empty


def _slitherlink(width: int, height: int, *clues: tuple[int, int]) -> Puzzle:
    puzzle = empty("slitherlink", width, height)
    return Puzzle(puzzle.genre, puzzle.board, tuple(Clue("n", *clue) for clue in clues))


SMALL = _slitherlink(2, 2, (3, 0))
LATIN = Puzzle(
    genre_document("latin").genre, Board(3, 3, bytes(9)), (Clue("given", 5, 2), Clue("given", 7, 3))
)


def _space(puzzle: Puzzle, *rules, ties="lowest"):  # type: ignore[no-untyped-def]
    return StateSpace(DeductionModel(ties), puzzle, [rule(None, None) for rule in rules])


def test_a_player_who_knows_enough_has_no_choice() -> None:
    space = _space(SMALL, assumption)
    assert muse(space).value == adversarial(space).value == 0
    assert len(muse(space).path) == 12
    assert muse(_space(LATIN, without_notes)).value == 0


def test_the_less_a_player_knows_the_more_there_is_to_choose() -> None:
    puzzle = _slitherlink(2, 2, (0, 1), (1, 1), (2, 3))
    assert len(listed(problem_of(puzzle))) == 1
    found = [muse(_space(puzzle, *rules)).value for rules in ((), (one_instance,), (two_instances,))]
    assert found == [12, 2, 0]
    assert remuse(_space(puzzle, one_instance)).value > 0


def test_without_rules_every_site_is_a_choice() -> None:
    """Of a free cell of Latin squares a player without rules weighs all three digits."""
    space = _space(LATIN)
    space.expand(0)
    assert len(space.actions[0]) == 3
    assert {str(move) for move in space.actions[0]} == {"r1c1 is 1", "r1c1 is 2", "r1c1 is 3"}
    assert len(_all_actions(LATIN)) == 21


def _all_actions(puzzle: Puzzle) -> list[object]:
    space = _space(puzzle, ties="all")
    space.expand(0)
    return list(space.actions[0])


def test_play_ends_where_a_rule_is_broken() -> None:
    model = DeductionModel()
    start = model.initial(LATIN)
    move = next(move for move in model.actions(start) if str(move) == "r2c1 is 2")
    broken = model.apply(start, move)
    assert broken.broken
    assert model.actions(broken) == []
    assert not model.is_goal(broken)


def test_every_goal_is_the_solution() -> None:
    (solution,) = listed(problem_of(SMALL)).tolist()
    space = _space(SMALL)
    order = space.post_order()
    assert order is not None
    goals = [space.states[state].masks for state in order if space.goals[state]]
    assert goals == [tuple(1 << mark for mark in solution)]


def test_a_hint_says_the_easiest_step_and_why() -> None:
    step = hint(SMALL)
    assert step.kind == "0"
    assert step.places == ("the clue 0 in r2c2",)
    assert step.text.startswith("Look at the clue 0 in r2c2. ")
    assert "there is no line on the edge below r2c2" in step.text
    assert len(step.written) == len(step.excluded) == 4
    assert set(step.cells) == {1, 2, 3}
    assert step.rules == (step.text.split(". ", 1)[1].split(" By the marks")[0],)


@pytest.mark.parametrize("puzzle", [SMALL, LATIN, _slitherlink(3, 2, (0, 3), (2, 1), (4, 2))])
def test_hints_lead_to_the_solution(puzzle: Puzzle) -> None:
    problem = problem_of(puzzle)
    made = Compiled(problem)
    (solution,) = made.listed().tolist()
    masks = list(problem.start)
    while any(mask & (mask - 1) for mask in masks):
        step = hint(puzzle, masks, "0123+", made)
        assert step.excluded
        for site, mark in step.excluded:
            assert solution[site] != mark
            masks[site] &= ~(1 << mark)
        for site, mark in step.written:
            assert masks[site] == 1 << mark
    assert hint(puzzle, masks, compiled=made).text == "All marks are written, and all rules hold."


def test_a_hint_tells_of_a_wrong_mark() -> None:
    problem = problem_of(LATIN)
    step = hint(LATIN, position_of(problem, {3: 1}))
    assert step.wrong
    assert "row 2" in step.text
    step = hint(LATIN, position_of(problem, {5: 0}))
    assert step.wrong
    assert step.cells == (5,)
    assert step.text == "No mark is possible at r2c3: a mark that was written is wrong."


def test_excluded_marks_are_part_of_a_position() -> None:
    problem = problem_of(LATIN)
    assert position_of(problem, {0: 2}, [(1, 0), (1, 2)])[:3] == (4, 2, 7)


def test_an_assumption_and_a_pair_are_told() -> None:
    puzzle = _slitherlink(2, 2, (3, 0))
    made = Compiled(problem_of(puzzle))
    by_hand = hint(puzzle, kinds="3", compiled=made)
    assert by_hand.kind == "3"
    assert by_hand.text.startswith("Suppose that ")
    pair = hint(puzzle, kinds="2", compiled=made)
    assert pair.kind == "2"
    assert " together." in pair.text
    assert len(pair.places) == 2


def test_a_hint_says_where_only_trying_leads_on() -> None:
    assert hint(empty("latin", 3, 3)).text == "No step of these kinds is left: only trying leads on."


OWN = """title = "Own"
[marks]
cells = ["shaded", "blank"]
[clues.n]
on = "cells"
values = "0..9"
[[rules]]
{rule}
[[rules]]
each = "clue n"
look = "{look}"
count = "shaded"
is = "clue"
[puzzle]
drawing = '''
{drawing}
'''
"""


def test_a_hint_says_that_a_puzzle_has_no_solution_and_whether_its_genre_has_any() -> None:
    rule = 'each = "cell"\ncount = "shaded blank"\nis = 0'  # what no cell is
    for drawing in ("..", "1."):
        step = hint(parse_puzzle(OWN.format(rule=rule, look="around", drawing=drawing)))
        assert step.wrong
        assert step.text.startswith("The puzzle has no solution, whatever its clues: no marks on this board")
    rule = 'connected = "shaded"'
    step = hint(parse_puzzle(OWN.format(rule=rule, look="around", drawing="4.")))
    assert step.text == "The puzzle has no solution: its clues contradict each other."
    assert hint(parse_puzzle(OWN.format(rule=rule, look="around", drawing="1."))).kind == "0"


def test_the_order_in_which_steps_settle_sites() -> None:
    order = settled(LATIN)
    assert sorted(order) == [0, 1, 2, 3, 4, 6, 8]
    assert settled(empty("latin", 3, 3)) == []


def test_sites_and_marks_have_words() -> None:
    board = Board(2, 2, bytes(4))
    edges = {site_name(board, Site("edges", edge)) for edge in range(12)}
    assert len(edges) == 12
    assert {"the edge above r1c1", "the edge to the right of r2c2"} <= edges
    assert says(board, Site("cells", 1), "shaded") == "r1c2 is shaded"
    assert says(board, Site("cells", 1), "shaded", False) == "r1c2 is not shaded"
    found = [
        says(board, Site(layer, 0), name, holds)
        for layer, name, holds in product(("edges", "links"), ("line", "none"), (True, False))
    ]
    assert found == [
        "there is a line on the edge above r1c1",
        "there is no line on the edge above r1c1",
        "there is no line on the edge above r1c1",
        "there is a line on the edge above r1c1",
        "r1c1 and r1c2 are joined by a line",
        "r1c1 and r1c2 are not joined by a line",
        "r1c1 and r1c2 are not joined by a line",
        "r1c1 and r1c2 are joined by a line",
    ]
    assert says(board, Site("borders", 0), "none") == "r1c1 and r1c2 are in one piece"
    assert says(board, Site("borders", 0), "border") == "r1c1 and r1c2 are in different pieces"
    assert cells_of(board, Site("edges", 2)) == (0, 2)
    assert cells_of(board, Site("links", 0)) == (0, 1)
