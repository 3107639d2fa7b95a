"""Pictures of what games are made of: shapes, sets of pieces, boards without pieces."""

from __future__ import annotations

from epcg_tangram.design.definition import PALETTE, PieceKind
from epcg_tangram.design.layout import Layout
from epcg_tangram.formats.drawing import draw_cells
from epcg_tangram.generators.sets import PieceSet
from epcg_tangram.generators.shapes import ShapeState
from epcg_tangram.generators.variants import BoardShape
from epcg_tangram.rendering import picture
from epcg_tangram.rendering.picture import MARGIN

Ingredient = ShapeState | PieceSet | BoardShape
_WIDE = 560.0


def ingredient_svg(state: Ingredient) -> str:
    """Draw a shape, the pieces of a set, or a board, as an SVG document."""
    if isinstance(state, BoardShape):
        return _board(state)
    if isinstance(state, ShapeState):
        paint = next(iter(PALETTE.values()))
        kind = PieceKind("A shape", state.cells, state.lattice, colour=paint.name)
        drawn, wide, high = picture.loose(kind, MARGIN, MARGIN, 1.0, PALETTE)
        return picture.document(wide + 2 * MARGIN, high + 2 * MARGIN, "A shape", [drawn])
    definition = state.game.definition
    kinds = [definition.pieces[n] for n in state.pieces]
    parts, bottom = picture.rows(kinds, MARGIN, MARGIN, _WIDE, 0.7, definition.paint_of)
    return picture.document(_WIDE + 2 * MARGIN, bottom + MARGIN, f"A set of {len(kinds)} pieces", parts)


def _board(state: BoardShape) -> str:
    definition = state.definition
    layout = Layout(definition)
    size = picture.ground_of(layout)
    title = f"A board of {len(state.cells)} {definition.lattice.cell_word[1]}"
    title += f"; empty: {'; or '.join(state.left)}" if state.left else ""
    return picture.document(size.width, size.height, title, picture.ground(layout, size.frame))


def ingredient_text(state: Ingredient) -> str:
    """Draw a shape or a board with characters, or list the pieces of a set."""
    if isinstance(state, PieceSet):
        names = state.game.definition.names
        return "".join(f"{names[n]}\n" for n in state.pieces)
    lattice = state.lattice if isinstance(state, ShapeState) else state.game.definition.lattice
    left = state.left if isinstance(state, BoardShape) else ()
    return draw_cells(lattice, state.cells) + (f"Empty: {'; or '.join(left)}\n" if left else "")
