"""How a game of pieces is played, for booklets: what the puzzles need, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from epcg_core.plugin import Instruction
from epcg_tangram.design.definition import Definition
from epcg_tangram.rendering import picture
from epcg_tangram.rendering.picture import MARGIN
from epcg_tangram.rendering.renderers import RELATION_NAMES, Puzzle, of_colour, puzzle_of
from epcg_tangram.rules.instance import Instance

_STEP, _LETTERS, _SCALE = 150.0, 13.0, 0.5


def how_to_play(states: Sequence[Any]) -> list[Instruction]:
    """Explain the game to players of these puzzles; nothing of states that are no puzzles."""
    puzzles = [puzzle_of(state) for state in states if isinstance(state, Instance)]
    return list(_instructions(puzzles)) if puzzles else []


def _moves(definition: Definition) -> str:
    """Say whether pieces may be turned and turned over."""
    turned = [kind.turn for kind in definition.pieces]
    over = [kind.flip for kind in definition.pieces]
    if definition.lattice.layered and all(turned):
        mirrored = [kind.name for kind in definition.pieces if kind.flip]
        images = f" Of these you may use the mirror image instead: {', '.join(mirrored)}." if mirrored else ""
        return f"They may be turned in every way.{images}"
    if all(turned) and all(over):
        return "They may be turned, and they may be turned over."
    if all(turned) and not any(over):
        return "They may be turned, but not turned over."
    if not any(turned) and not any(over):
        return "They lie as they are drawn: they are neither turned nor turned over."
    fixed = [kind.name for kind in definition.pieces if not kind.turn]
    flat = [kind.name for kind in definition.pieces if not kind.flip]
    words = [f"not turned: {', '.join(fixed)}"] if fixed else []
    words += [f"not turned over: {', '.join(flat)}"] if flat else []
    return f"Pieces may be turned and turned over, but for these: {'; '.join(words)}."


def _instructions(puzzles: Sequence[Puzzle]) -> Iterator[Instruction]:
    games = list(dict.fromkeys(puzzle.definition for puzzle in puzzles))
    yield Instruction(
        "Cover the board with the pieces. They do not overlap, and none lies beyond the border. Those that "
        "are drawn on the board lie there already and stay."
    )
    if any(game.lattice.layered for game in games):
        yield Instruction(
            "A board of cubes is drawn layer by layer, the topmost on the left: a piece may lie in several "
            "layers."
        )
    needed = "All pieces that a puzzle shows beside the board must be used"
    if any(puzzle.spare for puzzle in puzzles):
        needed += ", unless it says that not all are needed"
    if len(games) == 1:
        words = f"{needed}. {_moves(games[0])} These are the pieces, by colour:"
        yield Instruction(words, pieces_svg(games[0]))
    else:
        yield Instruction(f"{needed}.")
        for definition in games:
            words = f"{definition.title or 'One game'}: {_moves(definition)} These are its pieces, by colour:"
            yield Instruction(words, pieces_svg(definition))
    kinds = [kind for game in games for kind in game.pieces]
    if any(kind.marks for kind in kinds):
        sides = " A piece that has a back of its own is drawn twice, its front on the left."
        two = sides if any(kind.two_sided for kind in kinds) else ""
        yield Instruction(
            f"Cells of a piece may have colours of their own: a place that wants a colour looks at the cell "
            f"that lies on it.{two}"
        )
    if any(puzzle.letters for puzzle in puzzles):
        yield Instruction("Each colour has a letter, too, on its pieces and on the cells that want it.")
    if any(puzzle.relation is not None for puzzle in puzzles):
        yield Instruction(
            "A line below a board says what pieces of one colour, or of two, must or must not share. It "
            "holds for every two of them, those that lie there already included, not for some only. "
            + " ".join(
                _RELATIONS[name] for name in RELATION_NAMES if any(p.relation == name for p in puzzles)
            )
        )
    on_back = [puzzle.definition for puzzle in puzzles if puzzle.pattern is not None]
    if on_back:
        yield Instruction(
            f"On the back of the board there is a bump on {_bumps(on_back[0])}. The pieces have "
            "holes: beside the board you see the front and the back of each, as you look at that side. The "
            "side that lies down on the board must have a hole wherever there is a bump under it. “All” "
            "says that every cell has one, “flat” that none has, so that this side can never lie on a "
            "bump."
        )


def _bumps(definition: Definition) -> str:
    lattice, back = definition.lattice, definition.back
    word = lattice.cell_word[0]
    if back is None or not lattice.pointing:
        return f"every {word} that is marked so"
    return f"every {word} that points {lattice.kinds[back.bumps]}"


_RELATIONS = {
    "edges_must_touch": "To share an edge means to touch along the side of a cell.",
    "edges_must_not_touch": "Pieces that must not share an edge may touch at a corner.",
    "corners_must_touch_not_edges": "To share a corner means to touch at a point only.",
    "neither_edges_nor_corners": "Pieces that share neither do not touch at all.",
}


def pieces_svg(definition: Definition) -> str:
    """Draw all pieces with their names, a column for each colour."""
    parts: list[str] = []
    top, bottom = MARGIN + _LETTERS + 12, 0.0
    for number, paint in enumerate(definition.colours):
        left, y = MARGIN + number * _STEP, top
        parts.append(picture.words(left, MARGIN + _LETTERS, _LETTERS, paint.name.capitalize(), bold=True))
        for kind in of_colour(definition, number):
            drawn, _, high = picture.loose(kind, left, y, _SCALE, definition.paint_of)
            y += high + _LETTERS + 4
            parts += [drawn, picture.words(left, y, _LETTERS, kind.name)]
            y += 16
        bottom = max(bottom, y)
    width = 2 * MARGIN + len(definition.colours) * _STEP
    return picture.document(width, bottom, "The pieces with their names", parts)
