"""The generators: contents of each problem, by rank, and what all of them have in common.

A content is a tuple of rows, each a string: '#' is solid, '.' empty, '@' the player, '+' a key, 'D' a door,
'e' an enemy, '$' a crate and 'x' a target. Packed, it is a row of the numbers of its signs, uint8.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from epcg_core.plugin import (
    ConstrainedTuples,
    MixedRadix,
    Occurrences,
    ParamsError,
    RankedSpace,
    RankError,
    Walk,
)
from epcg_pcgbench.params import CrateParams, RoomParams, SizeParams, allowed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Content = tuple[str, ...]
SIGNS = "#.@+De$x"
SOLID, EMPTY, PLAYER, KEY, DOOR, ENEMY, CRATE, TARGET = range(len(SIGNS))


def parse(text: str) -> Content:
    """Return the content of a text, its rows between '/'. Raises RankError, which names the place.

    Rows in lines are left to other domains, in which dots are empty cells, too.
    """
    rows = tuple(text.strip().split("/"))
    for number, row in enumerate(rows, 1):
        for column, sign in enumerate(row, 1):
            if sign not in SIGNS:
                raise RankError(f"row {number}, column {column}: '{sign}' is not one of {SIGNS}.")
        if not row or len(row) != len(rows[0]):
            raise RankError(
                f"row {number} has {len(row)} cells, and the first row {len(rows[0])}: make them alike."
            )
    return rows


def packed(contents: Iterable[Content], rows: int, columns: int) -> NDArray[np.uint8]:
    """Return contents of one size as the numbers of their signs, (n, rows * columns)."""
    import numpy as np

    numbers = [[SIGNS.index(sign) for row in content for sign in row] for content in contents]
    return np.array(numbers, np.uint8).reshape(-1, rows * columns)


def images(content: Content) -> list[Content]:
    """Return the content turned and mirrored: four images of a rectangle, eight of a square."""
    found = []
    for own in (content, content[::-1]):
        found += [own, tuple(row[::-1] for row in own)]
    if len(content) == len(content[0]):
        found += [tuple(map("".join, zip(*own, strict=True))) for own in found[:4]]
    return found


class Contents:
    """The contents of one problem and size; `space` ranks their digits, which stand for `signs`."""

    domain_attributes = ("columns", "rows")

    def __init__(self, params: SizeParams, signs: str, space: RankedSpace[Any]) -> None:
        self.rows, self.columns = params.rows, params.columns
        self.setting = (params.rows, params.columns)
        self._signs, self._space = signs, space
        self.max_rank = space.max_rank
        if not self.max_rank:
            raise ParamsError(
                f"{params.rows} x {params.columns} cells have no room for what has to be there."
            )

    def unrank(self, rank: int) -> Content:
        text = "".join(self._signs[digit] for digit in self._space.unrank(rank))
        return tuple(text[start : start + self.columns] for start in range(0, len(text), self.columns))

    def rank(self, content: Content) -> int:
        """Return the rank of a content. Raises RankError for one of another size, or outside the space."""
        if (len(content), len(content[0])) != self.setting:
            raise RankError(f"{self.format(content)} is not a content of {self.rows} x {self.columns} cells.")
        try:
            return self._space.rank(tuple(self._signs.index(sign) for row in content for sign in row))
        except (RankError, ValueError):
            raise RankError(
                f"{self.format(content)} is not in this space: another generator may have it."
            ) from None

    def canonical_rank(self, rank: int) -> int:
        return min(self.rank(image) for image in images(self.unrank(rank)))

    def format(self, content: Content) -> str:
        return "/".join(content)

    def parse(self, text: str) -> Content:
        content = parse(text)
        self.rank(content)
        return content

    def states_block(self, start: int, count: int) -> NDArray[np.uint8]:
        return self._coded(self._space.states_block(start, count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        return self._coded(self._space.states_at(ranks))

    def _coded(self, digits: NDArray[Any]) -> NDArray[np.uint8]:
        import numpy as np

        numbers = np.array([SIGNS.index(sign) for sign in self._signs], np.uint8)
        return numbers.take(digits)


class Binary(Contents):
    """All contents of solid and empty cells."""

    def __init__(self, params: SizeParams) -> None:
        super().__init__(params, "#.", MixedRadix((2,) * (params.rows * params.columns)))


class Mazes(Contents):
    """Those whose empty cells are one region."""

    def __init__(self, params: SizeParams) -> None:
        super().__init__(params, "#.", one_region(params.rows, params.columns))


class Zelda(Contents):
    """Those with a player, a key, a door and as many enemies as will do: no others can be good."""

    def __init__(self, params: RoomParams) -> None:
        cells = range(params.rows * params.columns)
        signs = "#.@+De"
        fewest, most = allowed(params.enemies, len(cells))
        limits = [(sign, 1, 1) for sign in "@+D"] + [("e", fewest, most)]
        space = ConstrainedTuples(
            MixedRadix((len(signs),) * len(cells)),
            [Occurrences([(cell, signs.index(sign)) for cell in cells], *limit) for sign, *limit in limits],
        )
        super().__init__(params, signs, space)


class Sokoban(Contents):
    """Those with a player, a crate or more, and as many targets: no others can be good."""

    def __init__(self, params: CrateParams) -> None:
        super().__init__(params, "#.@$x", as_many_targets(params.rows * params.columns))


def as_many_targets(cells: int) -> Walk:
    """Rank the contents with one player, a crate or more, and as many targets."""

    def step(position: int, state: tuple[int, int, bool]) -> list[tuple[int, int, bool] | None]:
        players, owed, any_crate = state  # owed: targets that are still to come, or crates if it is negative
        return [
            state,
            state,
            (1, owed, any_crate) if not players else None,
            (players, owed + 1, True),
            (players, owed - 1, any_crate),
        ]

    return Walk(cells, (0, 0, False), step, lambda state: state == (1, 0, True))


def one_region(rows: int, columns: int) -> Walk:
    """Rank the contents whose empty cells are one region: 0 is solid, 1 empty.

    The state is a frontier: for each column the region of its last cell, 0 if that is solid, numbered in the
    order of columns; then whether a region was begun, and whether it was left behind, so that all else is
    solid. A cell joins the regions above and to the left. A region that leaves the frontier must be the only
    one.
    """
    none, open_, left_behind = range(3)

    def step(position: int, state: tuple[tuple[int, ...], int]) -> list[tuple[tuple[int, ...], int] | None]:
        regions, phase = state
        column = position % columns
        above, left = regions[column], regions[column - 1] if column else 0
        others = (*regions[:column], 0, *regions[column + 1 :])
        solid: tuple[tuple[int, ...], int] | None = (numbered(others), phase)
        if above and above not in others:
            solid = None if any(others) else (others, left_behind)
        if phase == left_behind:
            return [solid, None]
        own = above or left or columns + 1
        joined = [own if region and region in (above, left) else region for region in others]
        joined[column] = own
        return [solid, (numbered(joined), open_)]

    def accept(state: tuple[tuple[int, ...], int]) -> bool:
        return state[1] == left_behind or (state[1] == open_ and max(state[0]) == 1)

    return Walk(rows * columns, ((0,) * columns, none), step, accept)


def numbered(regions: Iterable[int]) -> tuple[int, ...]:
    """Number regions from 1 in the order in which they occur; 0 stays."""
    numbers = {0: 0}
    return tuple(numbers.setdefault(region, len(numbers)) for region in regions)


def orbit(generator: Contents, content: Content) -> list[Content]:
    """Return the contents that are the same turned or mirrored."""
    return images(content)
