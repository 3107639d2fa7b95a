"""What each inference rule says, and what the plain measures make of them."""

from __future__ import annotations

import pytest
from epcg_witness.inference.rules import RULES, PanelRule, end_cells, sides, triangle
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.model import Action, PanelModel, PartialPath
from epcg_witness.rules.panel import Panel, Polyomino, Square, Star, Triangles

from epcg_core.difficulty import StateSpace, adversarial, msi, muse, remuse, tsi
from epcg_core.difficulty.rules import Answer
from epcg_core.difficulty.scorers import make_rules
from tests.witness.small_panels import KNOWN, Known, panel

MUST, CANNOT, UNKNOWN = Answer.MUST, Answer.CANNOT, Answer.UNKNOWN
MODEL = PanelModel()


def drawn(panel: Panel, letters: str, start: tuple[int, int] = (0, 0)) -> PartialPath:
    """The state after Start and some moves."""
    grid = panel.grid
    vertices = grid.parse_path(grid.vertex(*start), letters)
    return PartialPath(panel, vertices, tuple(grid.path_edges(vertices)))


def answers(rule: str, state: PartialPath) -> dict[str, Answer]:
    """What a rule says of each action, by the letter of the move, 'start' or 'end'."""
    asked: PanelRule = RULES[rule]
    return {_name(state, action): asked(state, action) for action in MODEL.actions(state)}


def _name(state: PartialPath, action: Action) -> str:
    if action.kind != "move":
        return action.kind
    return state.panel.grid.path_letters((state.vertices[-1], action.vertex))


# --- the model -----------------------------------------------------------------------------------------


def test_play_begins_with_start_and_ends_with_end() -> None:
    state = MODEL.initial(panel(1, 1))
    letters = []
    for kind in ("start", "move", "move", "end"):
        action = next(action for action in MODEL.actions(state) if action.kind == kind)
        letters.append(_name(state, action))
        state = MODEL.apply(state, action)
    assert letters == ["start", "U", "R", "end"]
    assert MODEL.is_goal(state)
    assert not list(MODEL.actions(state))


def test_an_end_vertex_can_be_passed_and_a_gap_crossed() -> None:
    gap = Panel(width=1, height=1, gaps=[0])
    assert [_name(drawn(gap, "UR"), a) for a in MODEL.actions(drawn(gap, "UR"))] == ["end", "D"]
    assert "R" in answers("path", drawn(gap, ""))


def test_a_path_over_a_gap_is_no_goal() -> None:
    gap = Panel(width=1, height=1, gaps=[0])
    assert not MODEL.is_goal(MODEL.apply(drawn(gap, "RU"), Action("end", 3)))
    assert MODEL.is_goal(MODEL.apply(drawn(gap, "UR"), Action("end", 3)))


def test_the_key_is_the_whole_path() -> None:
    one, other = drawn(panel(2, 2), "RU"), drawn(panel(2, 2), "UR")
    assert one.vertices[-1] == other.vertices[-1]
    assert MODEL.key(one) != MODEL.key(other)
    there = drawn(panel(2, 2), "UURR")
    assert MODEL.key(MODEL.apply(there, Action("end", 8))) != MODEL.key(there)


# --- the rules -----------------------------------------------------------------------------------------


def test_path_follows_dots_and_avoids_gaps() -> None:
    grid = grid_of(2, 2)
    marked = Panel(
        width=2,
        height=2,
        dots=[grid.horizontal_edge(0, 0), grid.vertex_location(grid.vertex(0, 1))],
        gaps=[grid.vertical_edge(0, 0)],
    )
    assert answers("path", drawn(marked, "")) == {"U": CANNOT, "R": MUST}
    assert answers("path", MODEL.initial(marked)) == {"start": UNKNOWN}
    assert answers("path", drawn(marked, "R")) == {"U": UNKNOWN, "R": UNKNOWN}


def test_reach_goal_demands_start_and_end() -> None:
    assert answers("reach-goal", MODEL.initial(panel(2, 2))) == {"start": MUST}
    assert answers("reach-goal", drawn(panel(2, 2), "UURR")) == {"end": MUST, "D": CANNOT}


def test_reach_goal_leaves_the_choice_of_a_start_to_the_player() -> None:
    several = Panel(width=2, height=2, starts=[0, 2])
    assert list(answers("reach-goal", MODEL.initial(several)).values()) == [UNKNOWN]
    state = MODEL.initial(several)
    assert [RULES["reach-goal"](state, action) for action in MODEL.actions(state)] == [UNKNOWN, UNKNOWN]


def test_reach_goal_sees_when_the_border_is_cut() -> None:
    assert answers("reach-goal", drawn(panel(2, 2), "RUL")) == {"U": UNKNOWN}
    end_below = Panel(width=2, height=2, ends=[2])
    assert answers("reach-goal", drawn(end_below, "URU")) == {"R": UNKNOWN, "L": CANNOT}


def test_reach_goal_says_nothing_inside_the_panel_or_at_the_start() -> None:
    assert answers("reach-goal", drawn(panel(3, 3), "RU")) == dict.fromkeys("URL", UNKNOWN)
    enclosed = Panel(width=1, height=1, ends=[1])
    assert answers("reach-goal", drawn(enclosed, "")) == {"U": UNKNOWN, "R": UNKNOWN}


def test_separation_draws_the_line_between_two_colours() -> None:
    apart = panel(2, 2, {(0, 0): Square("black"), (1, 0): Square("white"), (1, 1): Square("white")})
    assert answers("separation", drawn(apart, "R")) == {"U": MUST, "R": UNKNOWN}
    assert answers("separation", drawn(apart, "RRU")) == {"U": UNKNOWN, "L": UNKNOWN}
    stars = panel(2, 1, {(0, 0): Star("black"), (1, 0): Square("white")})
    assert answers("separation", drawn(stars, "R")) == {"U": UNKNOWN, "R": UNKNOWN}


def test_a_cell_with_one_triangle_is_not_touched_twice() -> None:
    one = panel(2, 2, {(0, 0): Triangles(1)})
    assert answers("triangle", drawn(one, "R")) == {"U": CANNOT, "R": UNKNOWN}
    assert answers("triangle", drawn(one, "")) == {"U": UNKNOWN, "R": UNKNOWN}


def test_of_two_triangles_opposite_edges_belong_together() -> None:
    corner = panel(2, 2, {(0, 0): Triangles(2)})
    assert answers("triangle", drawn(corner, "RRUL")) == {"U": UNKNOWN, "L": MUST}
    assert answers("triangle", drawn(corner, "R")) == {"U": UNKNOWN, "R": UNKNOWN}
    middle = panel(3, 2, {(1, 0): Triangles(2)})
    assert answers("triangle", drawn(middle, "RUURD")) == {"R": UNKNOWN, "D": MUST}


def test_three_triangles_are_finished_once_begun() -> None:
    three = panel(2, 2, {(0, 0): Triangles(3)})
    assert answers("triangle", drawn(three, "R")) == {"U": MUST, "R": CANNOT}
    assert answers("triangle", drawn(three, "RUL")) == {"U": UNKNOWN}


def test_the_published_counting_takes_left_for_top_below_a_move_to_the_left() -> None:
    """Of all other moves, and of the cells above, the answers are the same."""
    wide = panel(3, 2, {(1, 0): Triangles(3)})
    finished, unfinished = drawn(wide, "RRUL"), drawn(wide, "LU", (2, 0))
    to_the_left = [Action("move", wide.grid.vertex(0, 1), wide.grid.horizontal_edge(0, 1))]
    for state, exact, published in ((finished, UNKNOWN, CANNOT), (unfinished, CANNOT, UNKNOWN)):
        assert [triangle(state, action) for action in to_the_left] == [exact]
        assert [triangle(state, action, "published") for action in to_the_left] == [published]
        for action in MODEL.actions(state):
            if action not in to_the_left:
                assert triangle(state, action) == triangle(state, action, "published")
    above = panel(3, 2, {(1, 1): Triangles(3)})
    for letters in ("UR", "UURRDL", "RRUUL", "RRUL"):
        state = drawn(above, letters)
        for action in MODEL.actions(state):
            assert triangle(state, action) == triangle(state, action, "published")


def test_the_first_side_answers() -> None:
    both = panel(2, 2, {(0, 0): Triangles(3), (1, 0): Triangles(1)})
    assert answers("triangle", drawn(both, "R"))["U"] == MUST
    other = panel(2, 2, {(0, 0): Triangles(1), (1, 0): Triangles(3)})
    assert answers("triangle", drawn(other, "R"))["U"] == CANNOT


def test_along_the_path_keeps_colours_on_one_side_equal() -> None:
    left = panel(3, 3, {(0, 0): Square("black"), (0, 1): Square("white")})
    assert answers("along-the-path", drawn(left, "RU")) == {"U": CANNOT, "R": UNKNOWN, "L": UNKNOWN}
    three = panel(4, 4, {(0, 0): Star("red"), (0, 1): Star("red"), (0, 2): Square("red")})
    assert answers("along-the-path", drawn(three, "RUU"))["U"] == CANNOT
    assert answers("along-the-path", drawn(panel(4, 4), "RUU"))["U"] == UNKNOWN


def test_along_the_path_counts_the_edges_of_triangles() -> None:
    one = panel(3, 3, {(1, 1): Triangles(1)})
    assert answers("along-the-path", drawn(one, "RUR")) == {"U": CANNOT, "R": UNKNOWN, "D": UNKNOWN}


def test_along_the_path_says_nothing_of_the_last_move_nor_of_starts_inside() -> None:
    last = panel(1, 1, {(0, 0): Triangles(1)})
    assert answers("along-the-path", drawn(last, "U")) == {"R": UNKNOWN}
    inside = Panel(width=4, height=4, symbols={5: Square("black"), 9: Square("white")}, starts=[7])
    assert answers("along-the-path", drawn(inside, "U", (2, 1)))["U"] == UNKNOWN


def test_region_completion_judges_what_the_border_closes() -> None:
    mixed = panel(3, 3, {(0, 0): Square("black"), (0, 1): Square("white")})
    assert answers("region-completion", drawn(mixed, "RUU"))["L"] == CANNOT
    assert answers("region-completion", drawn(mixed, "RU"))["L"] == UNKNOWN
    piece = panel(3, 3, {(0, 0): Polyomino.parse("##")})
    assert answers("region-completion", drawn(piece, "RU"))["L"] == CANNOT
    tall = panel(3, 3, {(0, 0): Polyomino.parse("#/#")})
    assert answers("region-completion", drawn(tall, "RUU"))["L"] == UNKNOWN


def test_region_completion_misses_dots_that_can_no_longer_be_reached() -> None:
    grid = grid_of(3, 3)
    dotted = Panel(width=3, height=3, dots=[grid.vertex_location(grid.vertex(0, 1))])
    assert answers("region-completion", drawn(dotted, "RUU"))["L"] == CANNOT
    assert answers("region-completion", drawn(dotted, "RU"))["L"] == UNKNOWN
    edge = Panel(width=3, height=3, dots=[grid.vertical_edge(0, 0)])
    assert answers("region-completion", drawn(edge, "RU"))["L"] == CANNOT


def test_region_completion_does_not_look_where_the_path_follows_the_border() -> None:
    mixed = panel(2, 2, {(0, 0): Square("black"), (0, 1): Square("white")})
    assert answers("region-completion", drawn(mixed, "UU")) == {"R": UNKNOWN}
    assert answers("region-completion", drawn(mixed, "UUR")) == {"R": UNKNOWN, "D": UNKNOWN}


def test_sides_of_a_path() -> None:
    grid = grid_of(2, 2)
    for letters, left, right in (("RU", {0}, {1}), ("RUL", {0}, {1, 2}), ("URD", {1, 2}, {0})):
        vertices = grid.parse_path(0, letters)
        assert sides(grid, vertices, grid.path_edges(vertices)) == (left, right)


def test_the_cells_at_an_end() -> None:
    assert end_cells(panel(2, 2)) == {3}
    assert end_cells(Panel(width=2, height=2, ends=[1, 4])) == {0, 1, 2, 3}
    assert end_cells(Panel(width=2, height=2, ends=[1])) == {0, 1}


def test_the_rules_are_registered_under_their_names() -> None:
    assert make_rules(None, "witness", tuple(RULES)) == list(RULES.values())


# --- the measures --------------------------------------------------------------------------------------


@pytest.mark.sweep(10)
@pytest.mark.parametrize("known", KNOWN)
def test_plain_measures(known: Known) -> None:
    space = StateSpace(MODEL, known.panel, [RULES[name] for name in known.rules])
    found = (
        muse(space, collapse_zero=True).value,
        remuse(space).value,
        msi(space).value,
        tsi(space).value,
        adversarial(space).value,
        len(space),
    )
    assert found == pytest.approx(known[2:], abs=1e-8)
    assert muse(space).value == msi(space).value
