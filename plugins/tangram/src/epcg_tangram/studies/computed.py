"""Values of the tangram's publication that take more than one SELECT."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations, product
from math import prod
from typing import Any

from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.params import GameRef
from epcg_tangram.rules.bumps import choices, constrained, holes_for


def board() -> Layout:
    """Return the board of the paper."""
    return layout_of(GameRef().definition)


def cells(bench: object) -> int:
    """Count the triangles of the board."""
    return board().cells


def edge_pairs(bench: object) -> int:
    """Count the pairs of triangles that share an edge."""
    return len(board().edge_pairs)


def corner_pairs(bench: object) -> int:
    """Count the pairs of triangles that share a vertex of the lattice but no edge."""
    return len(board().corner_pairs)


def symmetries(bench: object) -> int:
    """Count the symmetries that map the board to itself."""
    return len(board().symmetries)


def placements(bench: object, name: str) -> int:
    """Count the placements of a piece."""
    own = board()
    return sum(own.definition.names[placement.piece] == name for placement in own.placements)


def orders_of_placements(bench: object, copies: bool) -> str:
    """Write the orders of magnitude of the ways to place the pieces of a board, whether or not they overlap.

    Args:
        bench: not used.
        copies: whether a piece that lies on a board twice counts for each of its copies, or once.

    Returns:
        The powers of ten of the board with fewest and of that with most ways: '10^17 to 10^18'.
    """
    from epcg_tangram.params import BoardsParams
    from epcg_tangram.rules.covers import solved_covers

    own = board()
    number = [placements(bench, name) for name in own.definition.names]
    found = set()
    for row in solved_covers(BoardsParams()).tolist():
        pieces = [own.placements[n].piece for n in row if n >= 0]
        found.add(prod(number[piece] for piece in (pieces if copies else set(pieces))))
    return f"10^{len(str(min(found))) - 1} to 10^{len(str(max(found))) - 1}"


def patterns_of_all(bench: object) -> int:
    """Count the patterns of holes of all eleven pieces: each side has any holes, but both are not blocked."""
    definition = board().definition
    sides = list(product(holes_for(definition), repeat=2))
    usable = sum(side != ("blocked", "blocked") for side in sides)
    return int(usable ** sum(piece.most for piece in definition.pieces))


def patterns_left(bench: object) -> int:
    """Count the patterns of holes that forbid different placements, without the groups of the paper."""
    definition = board().definition
    return prod(len(choices(definition, piece)) for piece in constrained(definition))


def lowest(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the lowest of the rows' values."""
    return min(_values(rows))


def highest(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the highest of the rows' values."""
    return max(_values(rows))


def mean(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the mean of the rows' values."""
    return statistics.fmean(_values(rows))


def median(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the median of the rows' values."""
    return statistics.median(_values(rows))


def deviation(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the standard deviation of all (divided by their number)."""
    return statistics.pstdev(_values(rows))


def sample_deviation(rows: Sequence[tuple[Any, ...]]) -> float:
    """Return the standard deviation of a sample (divided by one less than their number)."""
    return statistics.stdev(_values(rows))


def published_puzzles(bench: object, chapter: int) -> int:
    """Count the boards, with each choice of colours, that the published adjacency test admits in a chapter.

    The test calls a corner what two steps across edges reach, and refuses types 2 and 4 to a colour whose
    first piece is absent.
    """
    from epcg_tangram.params import BoardsParams
    from epcg_tangram.rules.adjacency import CORNER, EDGE, NOTHING, RELATIONS
    from epcg_tangram.rules.covers import solved_covers

    placements, numbers = board().placements, board().definition.colour_numbers
    beside = [set(near) for near in board().neighbours]
    first = [set().union(*(beside[cell] for cell in p.cells)) for p in placements]
    second = [set().union(*(beside[cell] for cell in cells)) for cells in first]
    colours = [
        tuple(piece for piece, own in enumerate(numbers) if own == colour)
        for colour in range(len(board().definition.colours))
    ]
    total = 0
    for row in solved_covers(BoardsParams()).tolist():
        own = [[n for n in row if n >= 0 and placements[n].piece in colour] for colour in colours]
        if chapter == 6:
            choices = [list(product(a, b)) for a, b in combinations(own, 2)]
            relations = list(RELATIONS)
        else:
            relations = [RELATIONS[chapter - 2]]
            choices = [
                list(combinations(placed, 2))
                for colour, placed in zip(colours, own, strict=True)
                if chapter in (3, 5) or any(placements[n].piece == min(colour) for n in placed)
            ]
        for pairs in choices:
            kinds = set()
            for a, b in pairs:
                cells = placements[b].cells
                far = NOTHING if second[a].isdisjoint(cells) else CORNER
                kinds.add(far if first[a].isdisjoint(cells) else EDGE)
            total += sum(bool(kinds) and kinds <= set(relation.shared) for relation in relations)
    return total


def _values(rows: Sequence[tuple[Any, ...]]) -> list[float]:
    return [float(value) for (value,) in rows]
