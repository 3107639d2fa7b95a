"""How the tangram is played, for booklets: what the puzzles need, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from epcg_core.plugin import Instruction
from epcg_tangram.rendering import picture
from epcg_tangram.rendering.picture import MARGIN, PAINTS
from epcg_tangram.rendering.renderers import RELATION_NAMES, Puzzle, puzzle_of
from epcg_tangram.rules.adjacency import COLOURS
from epcg_tangram.rules.instance import Instance

_STEP, _LETTERS, _SCALE = 150.0, 13.0, 0.5


def how_to_play(states: Sequence[Any]) -> list[Instruction]:
    """Explain the game to players of these puzzles; nothing of states that are no puzzles."""
    puzzles = [puzzle_of(state) for state in states if isinstance(state, Instance)]
    return list(_instructions(puzzles)) if puzzles else []


def _instructions(puzzles: Sequence[Puzzle]) -> Iterator[Instruction]:
    yield Instruction(
        "Cover the board with the pieces. They do not overlap, and none lies beyond the border. Those that "
        "are drawn on the board lie there already and stay."
    )
    needed = "All pieces that a puzzle shows beside the board must be used"
    if any(puzzle.spare for puzzle in puzzles):
        needed += ", unless it says that not all are needed"
    yield Instruction(
        f"{needed}. They may be turned, and they may be turned over. These are the pieces, by colour:",
        pieces_svg(),
    )
    if any(puzzle.relation is not None for puzzle in puzzles):
        yield Instruction(
            "A line below a board says what pieces of one colour, or of two, must or must not share. It "
            "holds for every two of them, those that lie there already included, not for some only. "
            + " ".join(
                _RELATIONS[name] for name in RELATION_NAMES if any(p.relation == name for p in puzzles)
            )
        )
    if any(puzzle.pattern is not None for puzzle in puzzles):
        yield Instruction(
            "On the back of the board there is a bump on every triangle that points up. The pieces have "
            "holes: beside the board you see the front and the back of each, as you look at that side. The "
            "side that lies down on the board must have a hole wherever there is a bump under it. “All” "
            "says that every triangle has one, “flat” that none has, so that this side can never lie on a "
            "bump."
        )


_RELATIONS = {
    "edges_must_touch": "To share an edge means to touch along the side of a triangle.",
    "edges_must_not_touch": "Pieces that must not share an edge may touch at a corner.",
    "corners_must_touch_not_edges": "To share a corner means to touch at a point only.",
    "neither_edges_nor_corners": "Pieces that share neither do not touch at all.",
}


def pieces_svg() -> str:
    """Draw all pieces with their names, a column for each colour."""
    parts: list[str] = []
    top, bottom = MARGIN + _LETTERS + 12, 0.0
    for number, (names, paint) in enumerate(zip(COLOURS, PAINTS, strict=True)):
        left, y = MARGIN + number * _STEP, top
        parts.append(picture.words(left, MARGIN + _LETTERS, _LETTERS, paint.name.capitalize(), bold=True))
        for name in names:
            drawn, _, high = picture.loose(name, left, y, _SCALE, paint)
            y += high + _LETTERS + 4
            parts += [drawn, picture.words(left, y, _LETTERS, name)]
            y += 16
        bottom = max(bottom, y)
    return picture.document(2 * MARGIN + len(COLOURS) * _STEP, bottom, "The pieces with their names", parts)
