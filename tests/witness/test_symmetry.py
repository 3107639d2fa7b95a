"""Two lines that move together: plain, compiled and brute force agree."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from epcg_witness.formats.drawing import draw_solution, parse_panel
from epcg_witness.formats.windmill import read_windmill, write_windmill
from epcg_witness.rendering.picture import panel_svg
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import SYMMETRIES, Panel, Square, Symmetry, Triangles
from epcg_witness.rules.reference import regions, solutions
from epcg_witness.rules.search import search_solutions
from epcg_witness.solving.search import search_panel
from epcg_witness.solving.solver import count_solutions, first_solutions

from tests.witness.random_panels import random_symmetric_panel, with_erasers
from tests.witness.test_erasers import brute_force_region


def image(panel: Panel, point: tuple[int, int]) -> tuple[int, int]:
    x, y = point
    if panel.symmetry == "horizontal":
        return panel.width - x, y
    if panel.symmetry == "vertical":
        return x, panel.height - y
    return panel.width - x, panel.height - y


def brute_force_solutions(panel: Panel) -> int:
    """Move both lines step by step on coordinates; count the drawings that satisfy all symbols."""
    grid = panel.grid
    starts, ends = (set(map(grid.vertex_at, vertices)) for vertices in (panel.starts, panel.ends))
    drawings = set()
    stack = [((start,), (image(panel, start),)) for start in starts if image(panel, start) in starts]
    while stack:
        one, other = stack.pop()
        if set(one) & set(other):
            continue
        if one[-1] in ends and other[-1] in ends:
            drawings.add(frozenset((one, other)))
        x, y = one[-1]
        for to in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
            if 0 <= to[0] <= panel.width and 0 <= to[1] <= panel.height and to not in one:
                stack.append(((*one, to), (*other, image(panel, to))))
    return sum(_satisfied(panel, lines) for lines in drawings)


def _satisfied(panel: Panel, lines: frozenset[tuple[tuple[int, int], ...]]) -> bool:
    grid = panel.grid
    visited = {grid.vertex(*point) for line in lines for point in line}
    pairs = {frozenset(pair) for line in lines for pair in itertools.pairwise(line)}
    drawn = {e for e in range(grid.edges) if frozenset(map(grid.vertex_at, grid.edge_ends(e))) in pairs}
    if drawn & set(panel.gaps):
        return False
    for region in regions(grid, drawn):
        held = {cell: symbol for cell, symbol in panel.symbols if cell in region}
        violated = {
            cell
            for cell, symbol in held.items()
            if isinstance(symbol, Triangles)
            and sum(edge in drawn for edge in grid.cell_edges(cell)) != symbol.count
        }
        around = {edge for cell in region for edge in grid.cell_edges(cell)}
        corners = {v for edge in around for v in grid.edge_ends(edge)}
        missed = len(corners & set(panel.vertex_dots) - visited)
        missed += len(around & set(panel.edge_dots) - drawn)
        if not brute_force_region(held, violated, missed, [grid.cell_at(cell) for cell in region]):
            return False
    return True


@pytest.mark.parametrize("panels", [24, *(pytest.param(n, marks=pytest.mark.slow) for n in (120, 1000))])
def test_plain_compiled_and_brute_force_agree_on_random_panels(panels: int) -> None:
    r = random.Random(49)
    solvable: Counter[Symmetry | None] = Counter()
    unsolvable = 0
    for i in range(panels):
        panel = random_symmetric_panel(r, largest=4 if i % 20 == 0 and panels > 24 else 3)
        if i % 5 == 0:
            panel = with_erasers(r, panel)
        plain = tuple(solutions(panel))
        found = search_panel(panel, first=len(plain) + 1)
        assert found.first == plain, panel
        assert found.solutions == brute_force_solutions(panel), panel
        if i % 3 == 0:
            assert tuple(search_solutions(panel, 10**6)) == plain, panel
        solvable[panel.symmetry] += bool(plain)
        unsolvable += not plain
    assert min(solvable[symmetry] for symmetry in SYMMETRIES) > panels * 0.15
    assert unsolvable > panels * 0.03


@pytest.mark.parametrize(
    ("symmetry", "starts", "ends", "lines"),
    [
        ("horizontal", (0, 2), (6, 8), {"UU"}),
        ("vertical", (0, 6), (2, 8), {"RR"}),
        ("rotational", (0, 8), (2, 6), {"UU", "RR"}),
    ],
)
def test_lines_do_not_meet_on_the_axis_or_at_the_centre(
    symmetry: Symmetry, starts: tuple[int, int], ends: tuple[int, int], lines: set[str]
) -> None:
    panel = Panel(width=2, height=2, starts=starts, ends=ends, symmetry=symmetry)
    found = {panel.grid.path_letters(path) for path in first_solutions(panel, 20)}
    assert found == lines
    assert count_solutions(panel) == brute_force_solutions(panel) == len(lines)


def test_both_lines_count_for_symbols() -> None:
    panel = parse_panel(
        """
        E---+---+---E
        | a |   | a |
        S---+---+---S
        a: triangles 1
        symmetry: horizontal
        """
    )
    assert [panel.grid.path_letters(p) for p in first_solutions(panel, 5)] == ["U"]
    drawn = draw_solution(panel, first_solutions(panel, 1)[0])
    assert drawn.splitlines()[:3] == ["E---+---+---E", "H a |   | a H", "S---+---+---S"]
    assert (
        panel_svg(panel, first_solutions(panel, 1)[0]).count("<polyline")
        == panel_svg(panel).count("<polyline") + 2
    )
    gap = parse_panel("E---+---+---E\n|   |   |   :\nS---+---+---S\nsymmetry: horizontal")
    assert count_solutions(gap) == 1


def test_a_pair_of_lines_is_one_solution() -> None:
    panel = Panel(width=1, height=1, starts=[0, 1], ends=[2, 3], symmetry="horizontal")
    assert count_solutions(panel) == 1
    assert first_solutions(panel, 5) == [(0, 2)]


def test_the_field_of_a_windmill_string_is_read_and_written() -> None:
    for symmetry, pair in (("horizontal", (0, 3)), ("vertical", (0, 12)), ("rotational", (0, 15))):
        ends = {"horizontal": (12, 15), "vertical": (3, 15), "rotational": (3, 12)}[symmetry]
        panel = Panel(
            width=3, height=3, symbols={4: Square("red")}, starts=pair, ends=ends, symmetry=symmetry
        )
        assert read_windmill(write_windmill(panel)) == panel


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"symmetry": "round"}, "is not a symmetry"),
        ({"symmetry": "horizontal"}, "no pair of starts"),
        ({"symmetry": "horizontal", "starts": [0, 2]}, "no pair of ends"),
        ({"symmetry": "horizontal", "starts": [1], "ends": [6, 8]}, "no pair of starts"),
    ],
)
def test_panels_without_pairs_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(PanelError, match=message):
        Panel(width=2, height=2, **options)
