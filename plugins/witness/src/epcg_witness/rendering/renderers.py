"""Renderers: panels and sets of sub-panels as SVG and as text.

The pictures come from `epcg_witness.rendering.picture`, the drawings from `epcg_witness.formats.drawing`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epcg_core.plugin import LimitReachedError
from epcg_witness.formats.drawing import draw_solution, format_panel, path_in_words
from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.joint_panels.text import sub_panels_text
from epcg_witness.rendering.joint_panels import sub_panels_svg
from epcg_witness.rendering.picture import panel_svg
from epcg_witness.rules.panel import Panel

_SOLUTIONS_SHOWN = 1
_MOST_NODES = 500_000
"""Nodes of a search for a picture."""


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws a panel, or a set of sub-panels, as SVG.

    With `solution` its first solution is drawn, if there is one.
    """

    def render(state: Panel | SubPanels, *, solution: bool = False) -> str:
        if isinstance(state, SubPanels):
            return sub_panels_svg(state, solution=solution)
        return panel_svg(state, first_solution(state) if solution else None)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws a panel, or a set of sub-panels, as text.

    With `solution` the first solution is drawn too and written as moves, or a line says that there is none.
    """

    def render(state: Panel | SubPanels, *, solution: bool = False) -> str:
        if isinstance(state, SubPanels):
            return sub_panels_text(state, solution=solution)
        return panel_text(state, solution=solution)

    return render


def panel_text(panel: Panel, *, solution: bool = True) -> str:
    """Draw a panel as text, and with `solution` its number of solutions and the first of them."""
    text = format_panel(panel)
    if not solution:
        return text
    try:
        from epcg_witness.solving.solver import count_solutions, first_solutions

        found = first_solutions(panel, _SOLUTIONS_SHOWN, _MOST_NODES)
    except LimitReachedError:
        return text + "\nThe search for a solution takes too long.\n"
    if not found:
        return text + "\nNo solution.\n"
    try:
        count = count_solutions(panel, _MOST_NODES)
        number = "One solution" if count == 1 else f"{count:,} solutions, the first"
    except LimitReachedError:
        number = "A solution (counting all takes too long)"
    words = f"{number} {path_in_words(panel.grid, found[0])}"
    drawn = draw_solution(panel, found[0]).splitlines()[: 2 * panel.height + 1]
    return "\n".join([text, words, "", *drawn, ""])


def first_solution(panel: Panel) -> tuple[int, ...] | None:
    from epcg_witness.solving.solver import first_solutions

    try:
        return next(iter(first_solutions(panel, 1, _MOST_NODES)), None)
    except LimitReachedError:
        return None
