"""How panels of The Witness are solved, for booklets: the symbols that occur, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_core.plugin import Instruction
from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.rendering.picture import panel_svg
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star, Triangles

_IMAGES = {
    "horizontal": "mirrored left to right",
    "vertical": "mirrored top to bottom",
    "rotational": "turned half around",
    "parallel": "in the same directions",
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
    if any(panel.pillar for panel in panels):
        yield Instruction(
            "The panel is wrapped round a pillar: its left and its right border, marked by dashes, are one "
            "line. A second line, if there is one, lies half way round from yours."
        )
    for symmetry in dict.fromkeys(panel.symmetry for panel in panels if panel.symmetry is not None):
        yield Instruction(
            f"A second line moves together with yours, {_IMAGES[symmetry]}. The two must not touch; each "
            "may do what a symbol asks."
        )
    if any(panel.dots for panel in panels):
        dot = Panel(width=1, height=1, dots=(0,))
        yield Instruction("The line passes through every dot.", panel_svg(dot))
    if any(panel.symmetry and (panel.first_dots or panel.second_dots) for panel in panels):
        yield Instruction(
            "A coloured dot is for one line, which must pass through it, and the other must not: yellow ones "
            "are for the line drawn in yellow, blue ones for the other."
        )
    if any(panel.gaps for panel in panels):
        yield Instruction(
            "The line cannot pass through a gap.", panel_svg(Panel(width=1, height=1, gaps=(0,)))
        )
    if any(panel.outside for panel in panels):
        yield Instruction("Cells to which a side is open are outside, and belong to no region.")
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
    yield from _of_variants(panels, pieces)


def _of_variants(panels: Sequence[Panel], pieces: Sequence[Polyomino]) -> Iterator[Instruction]:
    """Yield what panels ask whose variant is not the default one."""
    variants = [panel.variant for panel in panels]
    if any(variant.erasers == "leave" and panel.has_erasers
           for variant, panel in zip(variants, panels, strict=True)):  # fmt: skip
        yield Instruction("An eraser leaves the panel together with what it takes back; stars count neither.")
    if pieces and any(variant.crossing == "forbidden" for variant in variants):
        yield Instruction("A line that ends within a region must not pass through a piece.")
    if any(piece.negative for piece in pieces) and any(v.off_panel == "forbidden" for v in variants):
        yield Instruction("No piece may lie beyond the border of the panel.")


_RULES: tuple[tuple[type[CellSymbol], str], ...] = (
    (Square, "Squares in one region have one colour."),
    (Star, "In the region of a star there is exactly one other symbol of its colour, a star or any other."),
    (Triangles, "The line runs along as many sides of a cell as it has triangles."),
    (Eraser, "An eraser takes back one symbol of its region that is violated. There must be such a symbol."),
)


def _icon(symbol: CellSymbol) -> str:
    return panel_svg(Panel(width=1, height=1, symbols=((0, symbol),)))
