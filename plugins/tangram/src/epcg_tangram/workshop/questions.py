"""The questions by which a game of pieces is designed: which pieces, set and board, what constraint."""

from __future__ import annotations

from math import comb

from epcg_core.plugin import GameQuestion, counted
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.shapes import usual_equality
from epcg_tangram.generators.variants import MOST_AREA, MOST_TRIED

USUAL_CELLS = 5
MOST_CELLS = 8
"""The cells of the pieces that are asked for at first: there are few shapes of so many."""


def questions_of(definition: Definition) -> list[GameQuestion]:
    """Return the questions that a game leaves open, in the order in which a game is designed."""
    return [
        question
        for question in (
            _pieces(definition),
            _sets(definition),
            _boards(definition),
            *_constraints(definition),
        )
        if question is not None
    ]


def _pieces(definition: Definition) -> GameQuestion:
    one, many = definition.lattice.cell_word
    largest = max((kind.size for kind in definition.pieces), default=USUAL_CELLS)
    count = largest if largest <= MOST_CELLS else USUAL_CELLS
    return GameQuestion(
        title="Which pieces are there?",
        about=f"All shapes of {counted(count, one, many)}; however they are turned, they count once.",
        query={
            "name": "shapes",
            "lattice": definition.lattice.name,
            "count": count,
            **({} if definition.lattice.flips else {"equal": usual_equality(definition.lattice)}),
        },
        measures=("shape",),
    )


def _sets(definition: Definition) -> GameQuestion | None:
    """Ask which of the pieces fill the board, if they are more than it needs."""
    if definition.empty is None:  # sets of how many cells is not said
        return None
    if sum(kind.size for kind in definition.pieces) <= len(definition.cells) - definition.empty:
        return None
    return GameQuestion(
        title="Which set of the pieces?",
        about="All sets that have as many cells as the board: in how many ways each fills it.",
        query={"name": "sets"},
        measures=("set",),
    )


def _boards(definition: Definition) -> GameQuestion | None:
    """Ask for another board of the size that the pieces have."""
    cells = len(definition.cells) - definition.most_empty
    area = definition.most_area
    one, many = definition.lattice.cell_word
    if 0 < area < cells and comb(cells, cells - area) <= MOST_TRIED:
        return GameQuestion(
            title="Which board?",
            about=f"The board without {counted(cells - area, one, many)}, wherever they are: in how many "
            "ways the pieces fill what is left.",
            query={"name": "boards", "holes": cells - area},
            measures=("solutions",),
        )
    if 0 < area <= MOST_AREA:
        return GameQuestion(
            title="Which board?",
            about=f"All boards of {counted(area, one, many)}, of any shape: in how many ways the pieces fill "
            "each.",
            query={"name": "boards", "area": area},
            measures=("solutions",),
        )
    return None


def _constraints(definition: Definition) -> list[GameQuestion]:
    """Ask what colours, or bumps on the back, leave of the puzzles."""
    found = []
    colours = len({kind.colour for kind in definition.pieces})
    pieces = sum(kind.most for kind in definition.pieces)
    if pieces > 1 and colours:
        found.append(
            GameQuestion(
                title="What constraint on the colours?",
                about="Pieces of them must touch, or must not: the puzzles under each choice, and how hard "
                "they are.",
                query={
                    "name": "constraint_instances",
                    "constraint": "two_colours" if colours > 1 else "edges_must_touch",
                },
                measures=("instance", "entropy"),
            )
        )
    if definition.back is not None:
        found.append(
            GameQuestion(
                title="Which holes on the back?",
                about="All patterns of holes in the pieces: in how many ways each lets the back be filled.",
                query={"name": "bump_patterns"},
                measures=("back",),
            )
        )
    return found
