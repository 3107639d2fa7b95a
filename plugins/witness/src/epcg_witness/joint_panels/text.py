"""Sets of sub-panels as text: side by side, the joint solution drawn into each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from epcg_witness.formats.drawing import draw_solution, format_panel
from epcg_witness.joint_panels.state import SubPanels

_COLUMNS = 3
"""Blanks between two drawings."""


def sub_panels_text(state: SubPanels, *, solution: bool = True) -> str:
    """Draw the sub-panels side by side, each with its class, and write their joint solution.

    With `solution` it is drawn too.
    """
    path = state.joint_solution() if solution else None
    blocks = []
    for number, weight, rank, panel in zip(
        state.classes, state.weights, state.ranks, state.panels, strict=True
    ):
        drawn = format_panel(panel) if path is None else draw_solution(panel, path)
        stands = f"{weight:,} panel{'s' if weight > 1 else ''}"
        blocks.append([f"class {number}: {stands}", f"panel {rank}", *drawn.splitlines()])
    return "\n".join([*_side_by_side(blocks), "", solutions_in_words(state), ""])


def _side_by_side(blocks: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, block)) + _COLUMNS for block in blocks]
    return [
        "".join(line.ljust(width) for line, width in zip(row, widths, strict=True)).rstrip()
        for row in zip_longest(*blocks, fillvalue="")
    ]


def solutions_in_words(state: SubPanels) -> str:
    """Say how many joint solutions there are, and name the first."""
    path = state.joint_solution()
    if path is None:
        return "No joint solution."
    # Databases record this text with the kept sets, so vertices stay (x, y), from 0 at the lower left.
    grid = state.panels[0].grid
    words = f"from {grid.vertex_at(path[0])}: {grid.path_letters(path)}, {len(path) - 1} edges"
    if len(state.joint) == 1:
        return f"One joint solution {words}."
    return f"{len(state.joint):,} joint solutions, the first {words}."
