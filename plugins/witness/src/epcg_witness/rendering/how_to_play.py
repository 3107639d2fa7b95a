"""How panels of The Witness are solved, for booklets: the symbols that occur, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_core.domain import Instruction
from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.rendering.picture import panel_svg
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star, Triangles

_IMAGES = {
    "horizontal": "mirrored left to right",
    "vertical": "mirrored top to bottom",
    "rotational": "turned half around",
}


def how_to_play(states: Sequence[Panel | SubPanels]) -> list[Instruction]:
    """Explain panels to those who solve these."""
    sets = [state for state in states if isinstance(state, SubPanels)]
    panels = [state for state in states if isinstance(state, Panel)]
    panels += [panel for each in sets for panel in each.panels]
    found = list(_instructions(panels))
    if sets:
        found.append(Instruction("One and the same line must solve all panels of a puzzle."))
    return found


def _instructions(panels: Sequence[Panel]) -> Iterator[Instruction]:
    symbols = {symbol: None for panel in panels for _, symbol in panel.symbols}
    yield Instruction(
        "Draw one line along the grid, from a disc to an end at which the grid sticks out. It must not "
        "touch or cross itself. The line and the border part the cells into regions.",
        panel_svg(Panel(width=1, height=1), None),
    )
    for symmetry in dict.fromkeys(panel.symmetry for panel in panels if panel.symmetry is not None):
        yield Instruction(
            f"A second line moves together with yours, {_IMAGES[symmetry]}. The two must not touch; each "
            "may do what a symbol asks."
        )
    if any(panel.dots for panel in panels):
        dot = Panel(width=1, height=1, dots=(0,))
        yield Instruction("The line passes through every dot.", panel_svg(dot))
    if any(panel.gaps for panel in panels):
        yield Instruction(
            "The line cannot pass through a gap.", panel_svg(Panel(width=1, height=1, gaps=(0,)))
        )
    for kind, text in _RULES:
        example = next((symbol for symbol in symbols if isinstance(symbol, kind)), None)
        if example is not None:
            yield Instruction(text, _icon(example))
    pieces = [symbol for symbol in symbols if isinstance(symbol, Polyomino)]
    for wanted, text in (
        (lambda piece: not piece.negative, "The pieces in a region, laid side by side, fill it exactly. They "
         "need not lie where they are drawn."),
        (lambda piece: piece.free, "A piece that is drawn askew may be turned; the others may not."),
        (lambda piece: piece.negative, "A hollow piece takes cells away from the others of its region."),
    ):  # fmt: skip
        piece = next(filter(wanted, pieces), None)
        if piece is not None:
            yield Instruction(text, _icon(piece))


_RULES: tuple[tuple[type[CellSymbol], str], ...] = (
    (Square, "Squares in one region have one colour."),
    (Star, "In the region of a star there is exactly one other symbol of its colour, a star or any other."),
    (Triangles, "The line runs along as many sides of a cell as it has triangles."),
    (Eraser, "An eraser takes back one symbol of its region that is violated. There must be such a symbol."),
)


def _icon(symbol: CellSymbol) -> str:
    return panel_svg(Panel(width=1, height=1, symbols=((0, symbol),)))
