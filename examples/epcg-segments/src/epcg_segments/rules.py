"""The rules: levels as rows of text, and a player who runs to the right and jumps, in whole numbers.

A level is 14 rows of equally many cells, from the top to the bottom. A cell is air `.`, ground `#`, a
platform `=` or an enemy `e`. Places are (column, height): columns count from 0 at the left, heights from 0 in
the lowest row. The player is as large as one cell.

It *stands* in a cell if that is no ground and no enemy, and the one below it is ground or a platform. Where
it stands it runs or jumps. In the air there is nothing to choose: it goes on. A tick moves it by its
velocity `v`, in cells, and one column to the right:

1. `v` is 0 if it runs, 2 if it jumps, and in the air one less than in the tick before.
2. If `v > 0`, it rises `v` cells in its own column, one by one. Below ground, and in the highest row, it
   stops, and `v` becomes 0.
3. It goes one column to the right, at its height. If ground is there, it is lost.
4. If `v < 0`, it falls `-v` cells, one by one. It stops above ground and above platforms. Below the lowest
   row it is lost.
5. If an enemy is in a cell that it came through, it is lost.
6. If `v <= 0` and it stands there, it has landed, or is on the ground still. Otherwise it is in the air.

So a jump on level ground goes 2, 3, 3, 2 cells above it, and lands five columns further, or six if there is
no ground in the fifth. Who runs over an edge is at the same height in the next column, and at most one cell
lower in the one after that: a gap of one column is run over. Platforms stop only what falls on them. The
player begins in the lowest cell of the first column in which it stands, and has to stand in the last
column; if it is in the air there, it is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from epcg_core.plugin import RankError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Level = tuple[str, ...]
"""The rows from the top to the bottom. A segment is a level of 20 columns, a chain is several of them."""

Place = tuple[int, int]
"""A column and a height."""

ROWS = 14
COLUMNS = 20
"""The columns of a segment, unless params say otherwise."""

AIR, GROUND, PLATFORM, ENEMY = ".", "#", "=", "e"
CELLS = AIR + GROUND + PLATFORM + ENEMY
CARRIES = (GROUND, PLATFORM)

RUN, JUMP = "run", "jump"
IMPULSE, GRAVITY = 2, 1
"""The velocity at which a jump begins, and what a tick takes from it."""


class Position(NamedTuple):
    """A position of play, with the velocity of the tick before, 0 on the ground; height -1: it is lost."""

    level: Level
    column: int
    height: int
    velocity: int
    stands: bool


def can_stand(level: Level, column: int, height: int) -> bool:
    """Return whether the player can stand in a cell."""
    return (
        height > 0
        and level[ROWS - 1 - height][column] not in (GROUND, ENEMY)
        and level[ROWS - height][column] in CARRIES
    )


def standing_heights(level: Level, column: int) -> list[int]:
    """Return the heights at which the player can stand in a column, the lowest first."""
    return [height for height in range(1, ROWS) if can_stand(level, column, height)]


def tick(position: Position, velocity: int) -> Position:
    """Return the position after a tick at a velocity (steps 2 to 6 above). There has to be a column more."""
    level, column, height = position.level, position.column, position.height
    lost = Position(level, column + 1, -1, 0, False)
    while height < position.height + velocity:
        if height + 1 == ROWS or level[ROWS - 2 - height][column] == GROUND:
            velocity = 0
            break
        height += 1
        if level[ROWS - 1 - height][column] == ENEMY:
            return lost
    column += 1
    if level[ROWS - 1 - height][column] in (GROUND, ENEMY):
        return lost
    for _ in range(-velocity):
        if height and level[ROWS - height][column] in CARRIES:
            break
        height -= 1
        if height < 0 or level[ROWS - 1 - height][column] == ENEMY:
            return lost
    if velocity <= 0 and height and level[ROWS - height][column] in CARRIES:
        return Position(level, column, height, 0, True)
    return Position(level, column, height, velocity, False)


def landing(level: Level, place: Place, action: str) -> Place | None:
    """Return where the player stands next after an action on the ground; None if it is lost first."""
    end = len(level[0]) - 1
    position = Position(level, *place, 0, True)
    if position.column == end:
        return None
    position = tick(position, IMPULSE if action == JUMP else 0)
    while position.height >= 0 and not position.stands and position.column < end:
        position = tick(position, position.velocity - GRAVITY)
    return (position.column, position.height) if position.stands else None


class Platformer:
    """The transition model of all levels. An action is `run` or `jump`; in the air there is `run` only."""

    def initial(self, content: Level) -> Position:
        """Return the player in the first column; lost if it can stand nowhere there."""
        heights = standing_heights(content, 0)
        return Position(content, 0, heights[0] if heights else -1, 0, bool(heights))

    def actions(self, state: Position) -> tuple[str, ...]:
        if state.height < 0 or state.column == len(state.level[0]) - 1:
            return ()
        return (RUN, JUMP) if state.stands else (RUN,)

    def apply(self, state: Position, action: str) -> Position:
        if state.stands:
            return tick(state, IMPULSE if action == JUMP else 0)
        return tick(state, state.velocity - GRAVITY)

    def is_goal(self, state: Position) -> bool:
        return state.stands and state.column == len(state.level[0]) - 1

    def key(self, state: Position) -> tuple[int, int, int, bool]:
        return state[1:]

    def action_text(self, action: str) -> str:
        return action


def parse(text: str) -> Level:
    """Read a level: 14 rows of equally many signs. Raises RankError, which names the row."""
    rows = tuple(line.strip() for line in text.strip().splitlines())
    if len(rows) != ROWS:
        raise RankError(f"A level has {ROWS} rows, and this text has {len(rows)}.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]) or len(row) < 2:
            raise RankError(
                f"Row {number} has {len(row)} cells and row 1 has {len(rows[0])}: "
                "all have equally many, and two at least."
            )
        if wrong := set(row) - set(CELLS):
            raise RankError(
                f"Row {number} has the sign '{min(wrong)}': write '.' (air), '#' (ground), '=' (platform) or "
                "'e' (enemy)."
            )
    return rows


def packed(levels: Sequence[Level], columns: int) -> NDArray[np.uint8]:
    """Return levels as (n, columns, rows) numbers of `CELLS`, each column from below."""
    import numpy as np

    signs = "".join(row for level in levels for row in reversed(level)).encode()
    numbers = np.zeros(256, np.uint8)
    numbers[list(CELLS.encode())] = range(len(CELLS))
    cells = numbers[np.frombuffer(signs, np.uint8)].reshape(len(levels), ROWS, columns)
    return np.ascontiguousarray(cells.transpose(0, 2, 1))


def format_level(level: Level) -> str:
    """Write a level as its rows."""
    return "\n".join(level)


def beside(segments: Sequence[Level]) -> Level:
    """Put segments beside each other."""
    return tuple("".join(rows) for rows in zip(*segments, strict=True))


def joined(texts: Sequence[str]) -> str:
    """Return the text of the level that some texts of segments make, beside each other."""
    return format_level(beside([parse(text) for text in texts]))
