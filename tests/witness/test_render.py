"""Pictures and texts of panels."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
from epcg_witness.formats.drawing import parse_panel
from epcg_witness.generators.placements import must_cross
from epcg_witness.params import MustCrossParams
from epcg_witness.rendering.game_data import PanelData
from epcg_witness.rendering.how_to_play import how_to_play
from epcg_witness.rendering.picture import CELL, panel_svg
from epcg_witness.rendering.renderers import panel_text, svg_renderer, text_renderer
from epcg_witness.rules.panel import Eraser, Panel, Square
from epcg_witness.rules.reference import solutions

from epcg_core.rendering.render import render
from tests.witness.small_panels import CONFLICTING, CORNERS
from tests.witness.test_panel import DEMO

SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg: str) -> Counter[str]:
    return Counter(element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter())


def test_every_symbol_is_drawn() -> None:
    panel = parse_panel(DEMO)
    found = shapes(panel_svg(panel))
    grid = panel.grid
    # Gaps are drawn as two stubs; ends have a nub.
    assert found["polyline"] == grid.edges + len(panel.gaps) + len(panel.ends)
    assert found["circle"] == grid.vertices + len(panel.starts)
    # Dots are hexagons; stars are two squares each; triangles 1, 2 and 3.
    assert found["polygon"] == len(panel.dots) + 2 * 2 + 6
    cells = 2 + 2 + 4 + 3 + 4
    assert found["rect"] == 2 + 3 + cells
    assert found["g"] == 5


def test_the_solution_is_drawn_when_asked() -> None:
    plain, solved = (svg_renderer(None)(CORNERS, solution=asked) for asked in (False, True))
    assert shapes(solved)["polyline"] == shapes(plain)["polyline"] + 1
    assert "solved from column 1, row " in solved
    assert "solved" not in plain
    assert "solved" not in svg_renderer(None)(CONFLICTING)


def test_the_drawn_path_ends_at_the_tip_of_the_end() -> None:
    panel = Panel(width=2, height=2)
    path = panel.grid.parse_path(0, "UURR")
    *_, line = ElementTree.fromstring(panel_svg(panel, path)).iter(f"{SVG}polyline")
    points = [tuple(map(float, p.split(","))) for p in line.attrib["points"].split()]
    assert len(points) == 6
    assert points[0] == (points[1][0], points[1][1] + CELL)
    assert points[-1][0] > points[-2][0]
    assert points[-1][1] < points[-2][1]


def test_a_text_shows_the_panel_and_its_first_solution() -> None:
    text = text_renderer(None)(CORNERS, solution=True)
    assert text.startswith("+---+---+---E\n| b |   | a |\n")
    assert "24 solutions, the first from column 1, row " in text
    assert "H" in text
    assert panel_text(CORNERS, solution=False) in text
    assert "\nNo solution.\n" in panel_text(CONFLICTING)
    assert "\nOne solution from " in panel_text(Panel(width=1, height=1, gaps=[0]))
    large = Panel(width=6, height=6, symbols={0: Square("red")})
    assert "A solution (counting all takes too long) from " in panel_text(large)
    assert "solved" in svg_renderer(None)(large, solution=True)
    hard = Panel(width=6, height=6, symbols={i: Eraser() for i in range(25)} | {30: Square("red")})
    assert "The search for a solution takes too long" in panel_text(hard)
    assert "solved" not in svg_renderer(None)(hard)
    assert panel_svg(Panel(width=1, height=1, symbols={0: Eraser("red")})).count(
        "<polyline"
    ) == 3 + panel_svg(Panel(width=1, height=1)).count("<polyline")


@pytest.mark.parametrize("format", ["text", "svg"])
def test_a_puzzle_id_can_be_rendered(format: str) -> None:
    panel = must_cross(MustCrossParams(2, 2, 2)).unrank(17)
    drawn = render("witness:must_cross?count=2&height=2&width=2#17", format)
    renderer = svg_renderer(None) if format == "svg" else text_renderer(None)
    assert drawn == renderer(panel)


PILLAR = """
+-S-+---E---+
|   |   | a |
+...+---+-1-+
E   2   |   E
+---+---+---+
a: square red
shape: pillar
"""


def test_a_pillar_is_drawn_with_both_borders_and_what_lies_on_them() -> None:
    panel = parse_panel(PILLAR)
    grid = panel.grid
    found = shapes(panel_svg(panel))
    seam = 2  # upright edges of the left border, drawn once more
    nubs = 1 + 2  # that of the edge on the border is drawn twice
    assert found["polyline"] == grid.edges - len(panel.missing) + seam + nubs
    assert found["circle"] == grid.vertices + 3 + 1
    assert found["polygon"] == 2
    assert found["line"] == 2


def test_a_path_round_a_pillar_is_drawn_in_steps_on_both_borders() -> None:
    panel = parse_panel("+---E---+---+\n|   |   |   |\nS---+---+---S\nshape: pillar\n")
    before, after = shapes(panel_svg(panel)), shapes(panel_svg(panel, (0, 3, 5, 4)))
    assert after["polyline"] == before["polyline"] + 1 + 3 + 1  # the first step lies on both borders
    assert after["circle"] == before["circle"] + 2
    drawn = panel_svg(panel, (0, 2, 5, 4))
    assert shapes(drawn)["polyline"] == before["polyline"] + 4
    assert "solved from column 1, row 2: LUL" in drawn


def test_ends_in_edges_are_drawn_and_described() -> None:
    panel = parse_panel("+-E-+---+\n|   |   S\n+---+---+\n")
    path = next(iter(solutions(panel)))
    assert "from the middle of the edge from column 3, row 2 to column 3, row 1" in panel_svg(panel, path)
    text = panel_text(panel)
    assert "+=E=+===+" in text or "+-E-+" in text
    moves = PanelData(None).moves(panel, None)
    assert moves is not None
    assert moves[0] == {"kind": "begin", "points": [[3, 2], [3, 1]]}
    assert moves[1]["half"]
    assert moves[-1]["half"]


def test_game_data_names_what_departs() -> None:
    panel = parse_panel(PILLAR + "variant: game\n")
    data = PanelData(None).layout(panel)
    assert data["rules"]["pillar"] is True
    assert data["rules"]["variant"]["erasers"] == "leave"
    items = [(item["kind"], item.get("line"), item.get("points")) for item in data["items"]]
    assert ("dot", 1, [[3, 2], [4, 2]]) in items
    assert ("dot", 2, [[2, 3], [2, 2]]) in items
    assert ("missing", None, [[1, 2], [2, 2]]) in items
    assert ("end", None, [[1, 3], [1, 2]]) in items


def test_instructions_say_what_is_special() -> None:
    texts = " ".join(each.text for each in how_to_play([parse_panel(PILLAR)]))
    assert "wrapped round a pillar" in texts
    two = parse_panel(
        "E---+---+---E\n1 a |   |   |\nS---+---+---S\na: eraser\nsymmetry: horizontal\nvariant: game\n"
    )
    texts = " ".join(each.text for each in how_to_play([two]))
    assert "A coloured dot is for one line" in texts
    assert "An eraser leaves the panel" in texts
    open_above = parse_panel("+...E\n|   |\nS---+\n")
    assert any("outside" in each.text for each in how_to_play([open_above]))


def test_four_triangles_fit_between_the_lines() -> None:
    panel = parse_panel("+-S-E\n| a |\n+---+\na: triangles 4\n")
    corners = [
        float(point.split(",")[0])
        for shape in ElementTree.fromstring(panel_svg(panel)).iter(f"{SVG}polygon")
        for point in shape.attrib["points"].split()
    ]
    assert len(corners) == 12
    assert max(corners) - min(corners) <= CELL - 14
    assert len({*corners}) == 12
