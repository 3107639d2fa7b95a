"""A panel of each kind that public collections hold: how it is written, and its solutions by brute force."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.formats.windmill import read_windmill, write_windmill
from epcg_witness.rendering.editor import PanelEditor
from epcg_witness.rendering.game_data import PanelData
from epcg_witness.rendering.how_to_play import how_to_play
from epcg_witness.rendering.picture import panel_svg
from epcg_witness.rendering.renderers import panel_text
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.variants import DEFAULT

from tests.witness.doubled import Doubled
from tests.workplace import epcg

KINDS = {
    "a star with one of the same colour and an eraser": (5, """
E---+---+---+
| a |   | b |
+---+---+---+
|   | b | a |
S---+---+---+
a: star white
b: eraser white
variant: game
"""),
    "an eraser against a dot": (5, """
+---*---E
| a |   |
+---+---+
|   |   |
S---+-*-+
a: eraser white
variant: game
"""),
    "two erasers, one against the other": (5, """
E---+---+
| a | b |
+---+---+
| b | a |
S---+---+
a: square black
b: eraser red
variant: game
"""),
    "an eraser too many": (5, """
+---+---E
| a | a |
+---+---+
| b | c |
S---+---+
a: eraser white
b: square black
c: square white
variant: game
"""),
    "a piece that an eraser takes away": (19, """
+---+---+---E
|   | a | b |
+---+---+---+
|   |   |   |
S---+---+---+
a: polyomino ###/.#.
b: eraser black
variant: game
"""),
    "pieces that may be turned": (6, """
+---+---+---E
| a |   |   |
+---+---+---+
|   |   | a |
S---+---+---+
a: polyomino ##/#. free
variant: game
"""),
    "a negative piece within another": (7, """
+---+---+---E
| a | b |   |
+---+---+---+
|   |   |   |
+---+---+---+
|   |   |   |
S---+---+---+
a: polyomino ###/###
b: polyomino ## negative
variant: game
"""),
    "equal areas of other shapes": (0, """
E---+---+
|   | a |
+---+---+
| b |   |
S---+---+
a: polyomino #/#
b: polyomino ## negative
variant: game
"""),
    "triangles of one to three": (2, """
+---+---+---E
| a |   | b |
+---+---+---+
|   | c |   |
S---+---+---+
a: triangles 1
b: triangles 2
c: triangles 3
variant: game
"""),
    "four triangles": (1, """
+---+-S-+---+
|   | a |   |
+---+---+---E
|   | b |   |
+---+---+---+
a: triangles 4
b: triangles 1
variant: game
"""),
    "gaps within and on the border": (2, """
+- -+---+---E
| a |   :   |
+---+- -+---+
:   |   | b |
S---+---+---+
a: square black
b: square white
variant: game
"""),
    "several starts and ends": (67, """
E---+-*-+---S
|   | a |   |
+---S---+---E
|   | b |   |
S---+---+---+
a: star red
b: star red
variant: game
"""),
    "ends in edges within and on the border": (52, """
+---+-E-+---+
|   | a |   |
+---+-E-+---+
S   | b |   E
+---+---+---+
a: square black
b: square white
variant: game
"""),
    "a dot on a start, an end and an edge": (2, """
s---+---+
|   |   |
+---+-*-+
|   *   |
+---+---e
variant: game
"""),
    "missing edges": (8, """
+...+---+---E
.   | a |   |
+---+---+---+
|   | b |   |
S---+---+---+
a: square black
b: square white
variant: game
"""),
    "missing edges within": (1, """
+---+---+---E
|   . a |   |
+---+...+---+
|   | b |   |
S---+---+---+
a: triangles 2
b: polyomino ##/## free
variant: game
"""),
    "symmetry, left and right": (4, """
E---+---+---E
|   | a |   |
+---+---+---+
| b |   | b |
S---+---+---S
a: square black
b: square white
symmetry: horizontal
variant: game
"""),
    "symmetry, above and below": (4, """
S---+---+---E
|   | a |   |
+---+---+---+
|   |   |   |
+---+---+---+
|   | a |   |
S---+---+---E
a: triangles 1
symmetry: vertical
variant: game
"""),
    "symmetry with starts in edges": (4, """
+-E-+---+-E-+
|   | a |   |
+---+---+---+
| b |   | c |
+-S-+---+-S-+
a: eraser white
b: square black
c: square white
symmetry: horizontal
variant: game
"""),
    "pillar": (2, """
E---+---+---E
|   | a |   |
+---+---+---+
| b |   |   |
S---+---+---S
a: square black
b: square white
shape: pillar
variant: game
"""),
    "pillar with gaps, dots and ends in edges": (3, """
+---+-E-+-*-+
:   |   |   :
+---+- -+---+
|   * a |   |
+-S-+---+---+
a: triangles 2
shape: pillar
variant: game
"""),
    "pillar with two lines, parallel": (12, """
E---+---E---+---E
|   | a |   | b |
+---1---+---2---+
|   |   |   |   |
S---+---S---+---S
a: square black
b: square white
symmetry: parallel
shape: pillar
variant: game
"""),
    "pillar with two lines, above and below": (6, """
S---+---+---E---S
|   | a |   |   |
+---+---+---+---+
|   |   | a |   |
+---E---S---+---+
a: triangles 1
symmetry: vertical
shape: pillar
variant: game
"""),
    "pillar of two cells": (2, """
+---E---+
|   |   |
+---+---+
| a |   |
S---+---S
a: triangles 3
shape: pillar
variant: game
"""),
    "equal areas of one shape": (5, """
E---+---+
|   | a |
+---+---+
| b |   |
S---+---+
a: polyomino ##
b: polyomino ## negative
variant: game
"""),
    "a hanging line and a piece": (18, """
E---+---+---+
| a |   |   |
+---+---S---+
|   | b | b |
+---+---+---+
a: polyomino #/#
b: polyomino ## free
variant: game
"""),
    "stars and pieces of one colour": (2, """
+---+---+---E
| a |   | b |
+---+---+---+
| b |   | a |
S---+---+---+
a: star green
b: polyomino ### green
variant: game
"""),
    "symmetry, turned": (3, """
S---+-1-+---E
|   |   |   |
+---+---+---+
| a |   |   |
+---+---+---+
|   |   |   |
E---+-2-+---S
a: triangles 2
symmetry: rotational
variant: game
"""),
    "pillar with a piece over the seam": (10, """
+---+-E-+---+
| a |   |   |
+---+---+---+
|   |   |   |
S---+---+---S
a: polyomino ###/###
shape: pillar
variant: game
"""),
    "pillar with two lines, turned": (2, """
E---+---S---+---E
|   | a |   |   |
+---+---+---+---+
|   |   | b |   |
S---+---E---+---S
a: triangles 1
b: triangles 1
symmetry: rotational
shape: pillar
variant: game
"""),
    "pillar with two lines, mirrored": (2, """
E---+---E---+---E
| a | a |   |   |
+---+---+---+---+
|   |   |   |   |
S---+---S---+---S
a: star red
symmetry: horizontal
shape: pillar
variant: game
"""),
}  # fmt: skip


@pytest.mark.sweep(10)
@pytest.mark.parametrize("name", KINDS)
def test_a_panel_of_each_kind_is_counted_as_by_brute_force(name: str, tmp_path: Path) -> None:
    count, text = KINDS[name]
    panel = parse_panel(text)
    assert sum(Doubled(panel).solutions().values()) == count
    path = tmp_path / "panel.txt"
    path.write_text(text, "utf-8")
    found = json.loads(epcg("score", path, "--domain", "witness", "--db", tmp_path / "x.db", "--json").stdout)
    assert [each["value"] for each in found["measures"] if each["measure"] == "solutions"] == [count]
    assert parse_panel(format_panel(panel)) == panel
    editor = PanelEditor(text)
    assert editor.parse(editor.format(editor.content)) == panel
    assert panel_svg(panel).startswith("<svg")
    assert ("No solution." in panel_text(panel)) == (count == 0)
    assert (PanelData(None).moves(panel, None) is None) == (count == 0)
    assert [*how_to_play([panel])]
    own = attrs.evolve(panel, variant=DEFAULT)
    ends = {
        *map(panel.grid.vertex_location, (*panel.starts, *panel.ends)),
        *panel.edge_starts,
        *panel.edge_ends,
    }
    if panel.pillar or panel.first_dots or panel.second_dots or ends & {*panel.dots}:
        with pytest.raises(PanelError, match="format cannot express"):
            write_windmill(own)
    else:
        assert read_windmill(write_windmill(own)) == own
