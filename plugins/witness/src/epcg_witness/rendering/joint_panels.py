"""Sets of sub-panels as SVG: side by side, the joint solution drawn into each."""

from __future__ import annotations

from epcg_core.plugin import svg
from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.joint_panels.text import solutions_in_words
from epcg_witness.rendering.picture import panel_shapes, panel_size

_BETWEEN = 12.0
"""Units between two pictures."""


def sub_panels_svg(state: SubPanels, *, solution: bool = True) -> str:
    """Draw the sub-panels side by side as an SVG document, with their first joint solution."""
    path = state.joint_solution() if solution else None
    width, height = panel_size(state.panels[0])
    parts = []
    for i, panel in enumerate(state.panels):
        parts.append(f'<g transform="translate({i * (width + _BETWEEN):g} 0)">')
        parts += panel_shapes(panel, path)
        parts.append("</g>")
    number = len(state.panels)
    title = f"{number} sub-panels of The Witness. {solutions_in_words(state)}"
    return svg.document(number * width + (number - 1) * _BETWEEN, height, title, parts)
