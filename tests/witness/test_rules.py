"""What each inference rule says, and what the plain measures make of them."""

from __future__ import annotations

from epcg_witness.grid import grid_of
from epcg_witness.model import Action, PanelModel, PartialPath
from epcg_witness.panel import Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules import RULES, PanelRule, end_cells, sides

import pytest

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
    left, right = drawn(panel(2, 2), "URDR"), drawn(panel(2, 2), "RRU")
    assert left.vertices[-1] != right.vertices[-1] or MODEL.key(left) != MODEL.key(right)
    ended = MODEL.apply(drawn(panel(2, 2), "UURR"), Action("end", 8))
    assert MODEL.key(ended) != MODEL.key(drawn(panel(2, 2), "UURR"))


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
    assert answers("reach-goal", drawn(panel(2, 2), "RU" + "L")) == {"U": UNKNOWN}
    assert answers("reach-goal", drawn(panel(3, 3), "RRUL" + "L")) == {"U": UNKNOWN, "D": CANNOT}
    end_below = Panel(width=2, height=2, ends=[2])
    assert answers("reach-goal", drawn(end_below, "URUU"[:2])) == {"U": UNKNOWN, "R": UNKNOWN, "D": UNKNOWN}
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


def test_triangle_rule() -> None:
    one = panel(2, 2, {(0, 0): Triangles(1)})
    assert answers("triangle", drawn(one, "R")) == {"U": CANNOT, "R": UNKNOWN}
    two = panel(2, 2, {(0, 0): Triangles(2)})
    assert answers("triangle", drawn(two, "RR" + "UL")) == {"U": UNKNOWN, "L": UNKNOWN}
    beside = Panel(width=2, height=2, symbols={0: Triangles(2)}, starts=[3])
    assert answers("triangle", drawn(beside, "DR", (0, 1))) == {"U": UNKNOWN, "R": UNKNOWN}
    three = panel(2, 2, {(0, 0): Triangles(3)})
    assert answers("triangle", drawn(three, "R")) == {"U": MUST, "R": CANNOT}


def test_a_two_triangle_with_the_opposite_edge_drawn_is_a_must() -> None:
    above = Panel(width=3, height=1, symbols={1: Triangles(2)})
    assert answers("triangle", drawn(above, "RURD"))["R"] == UNKNOWN
    opposite = Panel(width=1, height=2, symbols={0: Triangles(2)}, starts=[4], ends=[1])
    assert answers("triangle", drawn(opposite, "DD", (0, 2))) == {"R": UNKNOWN}
    around = Panel(width=3, height=2, symbols={4: Triangles(2)})
    assert answers("triangle", drawn(around, "RURUL" [:2])) == {"U": UNKNOWN, "R": UNKNOWN, "L": UNKNOWN}
    state = drawn(Panel(width=3, height=3, symbols={4: Triangles(2)}), "RUURRRDL"[:2] + "LUURRRDL"[:0])
    assert answers("triangle", state)["U"] == UNKNOWN


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
    for letters, left, right in (
        ("RU", {0}, {1}),
        ("RUL", {0}, {1, 2}),
        ("URD", set(), {0, 1, 2}),
    ):
        vertices = grid.parse_path(0, letters)
        found = sides(grid, vertices, grid.path_edges(vertices))
        assert found[0] >= left, letters
        assert found[1] >= right, letters
        assert not found[0] & found[1], letters


def test_the_cells_at_an_end() -> None:
    assert end_cells(panel(2, 2)) == {3}
    assert end_cells(Panel(width=2, height=2, ends=[1, 4])) == {0, 1, 2, 3}
    assert end_cells(Panel(width=2, height=2, ends=[1])) == {0, 1}


def test_the_rules_are_registered_under_their_names() -> None:
    assert make_rules(None, "witness", tuple(RULES)) == list(RULES.values())


# --- the measures --------------------------------------------------------------------------------------


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
