"""The puzzle instances that the paper's program chose: another rule for what is enough to show.

Sets of a board's pieces are taken by size, then lexicographically in the order of the game's text. The first
is shown whose cells are not those of the same set in any *other* board, turned or mirrored. The board's own
images are not compared, so some of these puzzles have more than one completion. Of the two trapezoids the
first is the one with the later location when the board is turned so that its vector of locations is
lexicographically last. That order of locations was inferred from published numbers; `FITTED` is the one entry
without another reason.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from epcg_core.plugin import NoParams
from epcg_tangram.design.layout import Layout
from epcg_tangram.generators.instances import Instances
from epcg_tangram.params import InstancesParams
from epcg_tangram.rules.games import Game
from epcg_tangram.texts.game_files import USUAL, definition_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PIECES = definition_of(USUAL).names
LINE, MOUNTAINS, _TRAPEZOID = (_PIECES.index(name) for name in ("Line", "Mountains", "Trapezoid"))
TURNS = (0, 5, 1)
"""Numbers of the lattice's symmetries: horizontal placements, then those turned by 60 degrees."""
HALF_TURN = 3
FITTED = 66
"""The place in the Line's order that its half turn takes: fitted to the puzzles by size and to the mean."""
LAST_MOUNTAINS = (34, 35, 36, 37, 44, 46)
"""Mountains as their last locations are turned."""


class PublishedInstances(Instances):
    """One instance for each of the 2,508 boards, by rank of the board; `rows` as in `Instances`."""

    def __init__(self) -> None:
        super().__init__(InstancesParams(size=1, completions="any", larger=2))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """(2508, 2): the board of each instance, a row of `game.distinct`, and its positions as bits."""
        return _listed(self.game)


def line_order(board: Layout) -> list[tuple[int, ...]]:
    """Return the cells of the Line's placements in the order of locations."""
    above, below = _horizontal(board, LINE)
    order = [turned(board, cells, turn) for base in (above, below) for turn in TURNS for cells in base]
    other = order.index(turned(board, order[FITTED], HALF_TURN))
    order[FITTED], order[other] = order[other], order[FITTED]
    return order


def trapezoid_order(board: Layout) -> list[tuple[int, ...]]:
    """Return the cells of the trapezoid's placements in the order of locations."""
    bases = _horizontal(board, _TRAPEZOID)
    return [turned(board, cells, turn) for turn in TURNS for base in bases for cells in base]


def turned(board: Layout, cells: tuple[int, ...], symmetry: int) -> tuple[int, ...]:
    """Return the image of cells under a symmetry of the lattice, ascending."""
    image = board.symmetries[symmetry].cells
    return tuple(sorted(image[cell] for cell in cells))


def _horizontal(board: Layout, piece: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the placements in one row: those that begin with an up triangle, and the others."""
    cells = [p.cells for p in board.placements if p.piece == piece]
    found = sorted(own for own in cells if any(set(own) <= set(row) for row in board.rows))
    return [own for own in found if board.kinds[own[0]] == 0], [own for own in found if board.kinds[own[0]]]


def positions(game: Game) -> list[list[int]]:
    """Return the pieces of each of `game.distinct` in the published order, by their positions in its row."""
    board = game.setting
    placements = board.placements
    number = {(p.piece, p.cells): n for n, p in enumerate(placements)}
    images = [
        [number[p.piece, turned(board, p.cells, symmetry)] for p in placements]
        for symmetry in range(len(board.symmetries))
    ]
    lines = {number[LINE, cells]: place for place, cells in enumerate(line_order(board))}
    trapezoids = {number[_TRAPEZOID, cells]: place for place, cells in enumerate(trapezoid_order(board))}
    last = placements[number[MOUNTAINS, LAST_MOUNTAINS]].symmetry

    def key(numbers: list[int]) -> int:
        """Compare the first location: the Line's, or without it whether the Mountains are turned last."""
        line = next((lines[n] for n in numbers if n in lines), None)
        mountains = (placements[n].symmetry == last for n in numbers if placements[n].piece == MOUNTAINS)
        return next(mountains) if line is None else line

    found = []
    for row in game.distinct.tolist():
        numbers = [n for n in row if n >= 0]
        image = max(images, key=lambda image: key([image[n] for n in numbers]))
        found.append(
            sorted(
                range(len(numbers)),
                key=lambda at: (placements[numbers[at]].piece, -trapezoids.get(image[numbers[at]], 0)),
            )
        )
    return found


@cache
def _listed(game: Game) -> NDArray[np.int64]:
    """Return the rows of all boards, found once in a process."""
    import numpy as np

    from epcg_core.plugin import read_only

    order = positions(game)
    boards = [[row[at] for at in own] for row, own in zip(game.distinct.tolist(), order, strict=True)]
    images = np.array(game.images, np.int64)
    masks = np.array([*game.masks, 0], np.uint64)
    width = max(map(len, boards))
    sizes = np.array([len(own) for own in boards])
    padded = np.array([own + [-1] * (width - len(own)) for own in boards])
    cells = np.stack([masks[np.where(padded < 0, -1, image[padded])] for image in images], axis=1)
    shown = np.zeros(len(boards), np.int64)
    for size in range(1, width + 1):
        for chosen in combinations(range(width), size):
            there = np.flatnonzero(sizes > chosen[-1])
            unions = np.bitwise_or.reduce(cells[there][:, :, chosen], axis=2)
            for own in there[_only(unions) & (shown[there] == 0)].tolist():
                shown[own] = sum(1 << order[own][at] for at in chosen)
        if shown.all():
            break
    return read_only(np.stack([np.arange(len(boards)), shown], axis=1))


def _only(unions: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which boards' first union no image of another board has: (boards,), of (boards, images)."""
    import numpy as np

    values, inverse = np.unique(unions, return_inverse=True)
    inverse = inverse.reshape(unions.shape)
    boards = np.broadcast_to(np.arange(len(unions))[:, None], unions.shape)
    first, last = np.full(len(values), len(unions)), np.full(len(values), -1)
    np.minimum.at(first, inverse, boards)
    np.maximum.at(last, inverse, boards)
    found: NDArray[np.bool_] = first[inverse[:, 0]] == last[inverse[:, 0]]
    return found


def published_instances(params: NoParams) -> PublishedInstances:
    """Make the instances of the published program."""
    return PublishedInstances()
