"""Renderers: boards, puzzles and bump patterns as SVG and as text (see `picture` and `drawing`).

Which picture a state gets depends on what it is: a `Board`, solved or not; a `BumpPattern`; an `Instance`; or
what games are made of (see `ingredients`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from epcg_tangram.design.definition import Definition, Paint, PieceKind
from epcg_tangram.formats.drawing import codes, draw
from epcg_tangram.generators.sets import PieceSet
from epcg_tangram.generators.shapes import ShapeState
from epcg_tangram.generators.variants import BoardShape
from epcg_tangram.params import GameRef
from epcg_tangram.rendering import picture
from epcg_tangram.rendering.faces import face
from epcg_tangram.rendering.ingredients import Ingredient, ingredient_svg, ingredient_text
from epcg_tangram.rendering.isometric import SolidPiece, solid
from epcg_tangram.rendering.picture import MARGIN, PLAIN
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import BumpPattern, Sides
from epcg_tangram.rules.instance import Instance

COLUMN = 260.0
"""The width of the column beside a board."""
_WORDS = 15.0
_SWATCH = 0.28
_IN_WORDS = {
    "edges_must_touch": ("every two", "must share an edge"),
    "edges_must_not_touch": ("no two", "may share an edge"),
    "corners_must_touch_not_edges": ("every two", "must share a corner but no edge"),
    "neither_edges_nor_corners": ("no two", "may share an edge or a corner"),
}
"""Relation -> its sentence, the parts before and behind the pieces that it speaks of."""
RELATION_NAMES = tuple(_IN_WORDS)


@attrs.frozen
class Puzzle:
    """The contents of a puzzle's picture."""

    given: Board
    """The pieces that lie on the board already."""
    to_place: tuple[PieceKind, ...]
    """The pieces that the player has, each as often as there are copies."""
    solution: Board | None = None
    relation: str | None = None
    """The name of the colour constraint in force (see `epcg_tangram.rules.adjacency`), if there is one."""
    colours: tuple[int, ...] = ()
    """The one or two colours that it speaks of, by their numbers."""
    pattern: BumpPattern | None = None
    """The holes of the pieces; the puzzle is played on the back of the board."""

    @property
    def definition(self) -> Definition:
        return self.given.layout.definition

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each colour, if colours matter in this puzzle."""
        matter = self.definition.coloured or self.relation is not None
        return picture.letters_of(self.definition) if matter else {}

    @property
    def spare(self) -> bool:
        """Whether the player has more pieces than cover the board."""
        free = self.given.layout.cells - sum(len(cells) for _, cells in self.given.pieces)
        return sum(kind.size for kind in self.to_place) > free - (self.definition.empty or 0)


def puzzle_of(instance: Instance) -> Puzzle:
    """Return what the picture of an instance shows; the solution is that of its board, else the first one."""
    solution = instance.solution if instance.board else None
    if solution is None:
        found = instance.completions()
        solution = Board(instance.ref, found[0]) if found else None
    constraint = instance.constraint
    kinds = instance.game.setting.definition.pieces
    return Puzzle(
        instance.given,
        tuple(kind for kind, left in zip(kinds, instance.copies, strict=True) for _ in range(left)),
        solution,
        None if constraint.relation is None else constraint.relation.name,
        constraint.colours,
        constraint.bumps,
    )


def constraint_in_words(definition: Definition, relation: str, colours: Sequence[int]) -> str:
    """Write a constraint, such as 'Every two blue pieces must share an edge.'."""
    pairs, share = _IN_WORDS[relation]
    names = [definition.colours[colour].name for colour in colours]
    pieces = f"{names[0]} pieces" if len(names) == 1 else f"pieces, one {names[0]} and one {names[1]},"
    return f"{pairs.capitalize()} {pieces} {share}."


State = Board | BumpPattern | Instance | Ingredient
"""What the domain's generators make."""


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False, back=False)`, which draws a state as SVG.

    With `solution` a puzzle is solved; with `back` a board shows its bumps.
    """

    def render(state: State, *, solution: bool = False, back: bool = False) -> str:
        if isinstance(state, Board):
            return board_svg(state, back=back)
        if isinstance(state, BumpPattern):
            return pattern_svg(_game(generator), state)
        if isinstance(state, (ShapeState, PieceSet, BoardShape)):
            return ingredient_svg(state)
        return puzzle_svg(puzzle_of(state), solution=solution)

    return render


def _game(generator: Any) -> GameRef:
    """Return the game of a generator of patterns."""
    game: GameRef = generator.params.ref
    return game


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False, back=False)`, which writes a state for people."""

    def render(state: State, *, solution: bool = False, back: bool = False) -> str:
        if isinstance(state, Board):
            return _drawn(state, back)
        if isinstance(state, BumpPattern):
            return pattern_text(_game(generator).definition, state)
        if isinstance(state, (ShapeState, PieceSet, BoardShape)):
            return ingredient_text(state)
        return puzzle_text(puzzle_of(state), solution=solution)

    return render


def title(board: Board) -> str:
    """Write a title such as 'Hexagon tangram: 10 pieces, 2 of them Trapezoids'."""
    names = [board.layout.definition.names[piece] for piece, _ in board.pieces]
    count = f"{len(names)} piece{'s' * (len(names) != 1)}" if names else "no pieces"
    often = {name: names.count(name) for name in names}
    more = "".join(f", {n} of them {name}s" for name, n in often.items() if n > 1)
    return f"{board.layout.definition.title or 'A game of pieces'}: {count}{more}"


def board_parts(
    board: Board, back: bool = False, plain: bool = False, letters: Mapping[str, str] | None = None
) -> list[str]:
    """Draw a board with its pieces in the upper left corner; in their colours, or all alike.

    `letters` has the letter of each colour, if the pieces have one.
    """
    layout = board.layout
    frame = picture.ground_of(layout).frame
    definition = layout.definition
    signs = letters or {}
    pieces = []
    for number, (piece, cells) in zip(board.placements, board.pieces, strict=True):
        kind, drawn = definition.pieces[piece], [layout.drawn[cell] for cell in cells]
        colours = dict(zip(drawn, layout.colours_of(number), strict=True))
        patches = {} if plain else picture.patches_of(colours, kind.colour, definition.paint_of, signs)
        paint = PLAIN if plain else definition.paints[piece]
        letter = signs.get(paint.name, "")
        pieces.append(picture.shape(layout.lattice.flat, drawn, frame, paint, kind.name, letter, patches))
    return [*picture.ground(layout, frame, back), *pieces]


def board_svg(board: Board, *, back: bool = False) -> str:
    """Draw a board, solved or not, as an SVG document."""
    size = picture.ground_of(board.layout)
    seen, bottom, right = _solid_view(board, size.width, {})
    parts = [*board_parts(board, back), *seen]
    return picture.document(right, max(bottom, size.height), title(board), parts)


def _solid_view(board: Board, left: float, letters: Mapping[str, str]) -> tuple[list[str], float, float]:
    """Draw the pieces of a board of layers as one sees them from outside, beside the layers.

    Returns the shapes, the y below and the x behind them: nothing, and `left`, for other boards.
    """
    layout = board.layout
    definition = layout.definition
    if not layout.lattice.layered or not board.pieces:
        return [], 0.0, left
    edge = picture.edge_of(layout.lattice.flat) * picture.VIEW
    pieces = []
    for number, (piece, cells) in zip(board.placements, board.pieces, strict=True):
        kind, places = definition.pieces[piece], [layout.places[cell] for cell in cells]
        colours = dict(zip(places, layout.colours_of(number), strict=True))
        patches = picture.patches_of(colours, kind.colour, definition.paint_of, letters)
        letter = letters.get(kind.colour, "")
        pieces.append(SolidPiece(tuple(places), definition.paints[piece], kind.name, letter, patches))
    parts, wide, high = solid(pieces, left, MARGIN, edge)
    return parts, MARGIN + high + MARGIN, left + wide + MARGIN


def _drawn(board: Board, back: bool) -> str:
    return draw(board.layout, board.pieces, back)


def puzzle_svg(puzzle: Puzzle, *, solution: bool = False) -> str:
    """Draw a puzzle as an SVG document: the board and what it gives, beside it the pieces to place.

    A puzzle that has no solution is drawn without one.
    """
    solution = solution and puzzle.solution is not None
    board = puzzle.solution if solution and puzzle.solution else puzzle.given
    size = picture.ground_of(board.layout)
    width, height = size.width, size.height
    parts = board_parts(board, puzzle.pattern is not None, letters=puzzle.letters)
    seen, bottom, width = _solid_view(board, width, puzzle.letters)
    parts += seen
    height = max(height, bottom)
    if not solution:
        beside, bottom, right = _tray(puzzle, width + 6, MARGIN)
        parts += beside
        width, height = right + MARGIN, max(height, bottom + MARGIN)
    if puzzle.relation is not None:
        line, wide = _constraint(puzzle.definition, puzzle.relation, puzzle.colours, MARGIN, height + 4)
        parts += line
        width, height = max(width, wide + MARGIN), height + 40
    words = f"The solution of a puzzle: {title(board)}" if solution else f"A puzzle: {title(board)} given"
    if puzzle.relation is not None:
        words += f"; {constraint_in_words(puzzle.definition, puzzle.relation, puzzle.colours)}"
    return picture.document(width, height, words, parts)


def _tray(puzzle: Puzzle, left: float, top: float) -> tuple[list[str], float, float]:
    """Draw the pieces to place; return (shapes, the y below them, the x behind them)."""
    parts = [picture.words(left, top + _WORDS, _WORDS, "To place", bold=True)]
    y = top + _WORDS + 14
    if puzzle.pattern is None:
        looks = puzzle.definition.paint_of, puzzle.letters
        drawn, y = picture.rows(puzzle.to_place, left, y, COLUMN, picture.SMALL, *looks)
        right = left + COLUMN
    else:
        drawn, y, right = _both_sides(puzzle.definition, puzzle.to_place, puzzle.pattern, left, y, 0.42)
    parts += drawn
    if puzzle.to_place:
        y += _WORDS + 8
        needed = "Not all are needed." if puzzle.spare else "All are needed."
        parts.append(picture.words(left, y, _WORDS - 2, needed))
    return parts, y, right


def paint_of(definition: Definition, kind: PieceKind) -> Paint:
    """Return the colour of a piece."""
    return definition.paints[definition.names.index(kind.name)]


def of_colour(definition: Definition, colour: int) -> list[PieceKind]:
    """Return the pieces of a colour."""
    pairs = zip(definition.pieces, definition.colour_numbers, strict=True)
    return [kind for kind, own in pairs if own == colour]


def _constraint(
    definition: Definition, relation: str, colours: Sequence[int], left: float, top: float
) -> tuple[list[str], float]:
    """Draw the pieces of the colours and the constraint in a line; return (shapes, the x behind them)."""
    parts: list[str] = []
    x = left
    for i, colour in enumerate(colours):
        if i:
            parts.append(picture.words(x, top + 18, _WORDS, "and"))
            x += picture.width_of("and", _WORDS) + 8
        for kind in of_colour(definition, colour):
            _, _, high = picture.loose(kind, x, top, _SWATCH, definition.paint_of)
            drawn, wide, _ = picture.loose(kind, x, top + 13 - high / 2, _SWATCH, definition.paint_of)
            parts.append(drawn)
            x += wide + 6
        x += 4
    pairs, share = _IN_WORDS[relation]
    text = f"{pairs}{' of different colours' if len(colours) > 1 else ''} {share}"
    parts.append(picture.words(x, top + 18, _WORDS, text))
    return parts, x + picture.width_of(text, _WORDS)


def pattern_svg(game: GameRef, pattern: BumpPattern) -> str:
    """Draw a bump pattern: the back of the board, and both sides of every piece with their holes."""
    empty = Board(game, ())
    size = picture.ground_of(empty.layout)
    definition = empty.layout.definition
    parts = board_parts(empty, True)
    kinds = [kind for kind in definition.pieces if pattern.holes(kind.name) is not None]
    beside, bottom, right = _both_sides(definition, kinds, pattern, size.width + 6, MARGIN, 0.6)
    title = "The holes of the pieces' fronts and backs, and the bumps on the back of the board"
    return picture.document(right, max(bottom + MARGIN, size.height), title, [*parts, *beside])


def _both_sides(
    definition: Definition,
    kinds: Sequence[PieceKind],
    pattern: BumpPattern,
    left: float,
    top: float,
    scale: float,
) -> tuple[list[str], float, float]:
    """Draw the fronts of pieces and their backs beside them, each with its holes in words, in two columns.

    Returns the shapes, the y below and the x behind them. Copies of a piece are drawn once.
    """
    parts: list[str] = []
    different = list(dict.fromkeys(kinds))
    half = (len(different) + 1) // 2
    boxes = [face(kind).box for kind in different]
    widest = max((right - x for x, _, right, _ in boxes), default=0.0) + 0.3
    step = max(widest * picture.edge_of(definition.lattice.flat) * scale, 74.0)
    bottom = top
    for number, column in enumerate((different[:half], different[half:])):
        y, x = top, left + number * (2 * step + 14)
        for kind in column:
            paint = paint_of(definition, kind)
            drawn, y = _pair(kind, kinds.count(kind), pattern, x, y, scale, step, paint)
            parts += drawn
        bottom = max(bottom, y)
    return parts, bottom, left + 4 * step + 14


def _pair(
    kind: PieceKind,
    copies: int,
    pattern: BumpPattern,
    left: float,
    top: float,
    scale: float,
    step: float,
    paint: Paint,
) -> tuple[list[str], float]:
    """Draw the front and back of a piece; return them and the y below them."""
    sides: Sides = pattern.holes(kind.name) or ("none", "none")
    parts: list[str] = []
    size, tallest = 11.0, 0.0
    for back in (False, True):
        x = left + back * step
        drawn, wide, high = picture.side_of_piece(kind, sides, back, x, top, scale, paint)
        parts += drawn
        tallest = max(tallest, high)
    if copies > 1:
        parts.append(picture.words(left + step + wide + 6, top + high, size, f"x {copies}", bold=True))
    y = top + tallest + size + 3
    for i, side in enumerate(("front", "back")):
        parts.append(picture.words(left + i * step, y, size, side + _SEEN[sides[i]]))
    return parts, y + 14


_SEEN = {"odd": "", "even": "", "third": "", "none": ": all", "blocked": ": flat"}
"""The holes of a side that is drawn, behind its name: all cells have one, or none has."""
_HOLES = {"odd": "odd", "even": "even", "third": "third", "none": "all", "blocked": "blocked"}
"""The names of a side's holes for people: `none` means that nothing is constrained."""


def pattern_text(definition: Definition, pattern: BumpPattern) -> str:
    """Write a line for each piece: its letters, its name, the holes of its front and of its back."""
    letters = codes(definition.names)
    lines = [
        f"{letters[name]}  {name:<9}  front {_HOLES[front]:<7}  back {_HOLES[back]}"
        for name, front, back in pattern.sides
    ]
    return "\n".join([*lines, ""])


def puzzle_text(puzzle: Puzzle, *, solution: bool = False) -> str:
    """Draw a puzzle as text, and list the pieces to place and the constraint."""
    board = puzzle.solution if solution else puzzle.given
    lines = ["No solution.\n"] if board is None else [_drawn(board, puzzle.pattern is not None)]
    if not solution:
        spare = " (not all are needed)" if puzzle.spare else ""
        placing = [kind.name for kind in puzzle.to_place]
        copies = {name: placing.count(name) for name in placing}
        letters = codes(puzzle.definition.names)
        names = (f"{letters[name]} {name}" + f" x {n}" * (n > 1) for name, n in copies.items())
        lines.append(f"To place: {', '.join(names) or 'nothing'}{spare}\n")
    if puzzle.relation is not None:
        lines.append(constraint_in_words(puzzle.definition, puzzle.relation, puzzle.colours) + "\n")
    if puzzle.pattern is not None and not solution:
        lines.append(pattern_text(puzzle.definition, puzzle.pattern))
    return "".join(lines)
