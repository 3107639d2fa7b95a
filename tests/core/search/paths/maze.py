"""A toy for searches: a walker who pushes boxes on a small grid of floor, walls and pits.

A box pushed into a pit is gone, a walker who steps into one is lost. The walker wants to reach the exit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import attrs
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from epcg_core.domain import Edit, PackedModel, Successors

FLOOR, WALL, PIT = ".#o"
STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
SPREAD = 3
"""Features lie so far apart that footprints take several words."""


@attrs.frozen
class Maze:
    width: int
    tiles: str
    """Row by row; the size is a multiple of the width."""
    walker: int
    exit: int
    boxes: frozenset[int] = frozenset()

    def __str__(self) -> str:
        marks = {self.exit: "E"} | dict.fromkeys(self.boxes, "b") | {self.walker: "w"}
        letters = [marks.get(cell, tile) for cell, tile in enumerate(self.tiles)]
        return "\n".join("".join(letters[i : i + self.width]) for i in range(0, len(letters), self.width))


def parse(text: str) -> Maze:
    rows = text.split()
    letters = "".join(rows)
    return Maze(
        len(rows[0]),
        "".join(letter if letter in "#o" else FLOOR for letter in letters),
        letters.index("w"),
        letters.index("E"),
        frozenset(cell for cell, letter in enumerate(letters) if letter == "b"),
    )


class Position(NamedTuple):
    maze: Maze
    walker: int
    boxes: frozenset[int]


class PlainModel:
    """The rules; lost positions are left out, moves against something are not."""

    def initial(self, content: Maze) -> Position:
        return Position(content, content.walker, content.boxes)

    def actions(self, state: Position) -> Iterator[str]:
        for action in STEPS:
            if self.move(state, action, []) is not None:
                yield action

    def apply(self, state: Position, action: str) -> Position:
        after = self.move(state, action, [])
        assert after is not None
        return after

    def is_goal(self, state: Position) -> bool:
        return state.walker == state.maze.exit

    def key(self, state: Position) -> Hashable:
        return state.walker, state.boxes

    def move(self, state: Position, action: str, read: list[int]) -> Position | None:
        """The next position, None for the lost; `read` collects the cells that decided."""
        maze = state.maze
        ahead = neighbour(maze, state.walker, action)
        if ahead is None:
            return state
        read.append(ahead)
        if maze.tiles[ahead] == PIT:
            return None
        if maze.tiles[ahead] == WALL:
            return state
        boxes = state.boxes
        if ahead in boxes:
            behind = neighbour(maze, ahead, action)
            if behind is None or behind in boxes or behind == maze.exit:
                return state
            read.append(behind)
            if maze.tiles[behind] == WALL:
                return state
            boxes = boxes - {ahead} if maze.tiles[behind] == PIT else boxes - {ahead} | {behind}
        return Position(maze, ahead, boxes)


def neighbour(maze: Maze, cell: int, action: str) -> int | None:
    dx, dy = STEPS[action]
    x, y = cell % maze.width + dx, cell // maze.width + dy
    inside = 0 <= x < maze.width and 0 <= y < len(maze.tiles) // maze.width
    return y * maze.width + x if inside else None


@attrs.define
class PackedMaze:
    """The packed form: the walker's cell, then the boxes as bits. Counts the positions that it expands."""

    maze: Maze
    words: int = 2
    expanded: int = 0

    @property
    def features(self) -> int:
        return SPREAD * len(self.maze.tiles)

    def pack(self, state: Position) -> NDArray[np.uint64]:
        return np.array([state.walker, sum(1 << box for box in state.boxes)], np.uint64)

    def unpack(self, row: NDArray[np.uint64]) -> Position:
        walker, bits = map(int, row)
        boxes = frozenset(cell for cell in range(64) if bits >> cell & 1)
        return Position(self.maze, walker, boxes)

    def action(self, number: int) -> str:
        return list(STEPS)[number]

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return np.asarray(positions[:, 0] == self.maze.exit)

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        model = PlainModel()
        rows, actions = [], []
        counts = np.zeros(len(positions), np.int64)
        footprints = np.zeros((len(positions), -(-SPREAD * len(self.maze.tiles) // 64)), np.uint64)
        self.expanded += len(positions)
        for i, row in enumerate(positions):
            read: list[int] = []
            for number, action in enumerate(STEPS):
                after = model.move(self.unpack(row), action, read)
                if after is not None:
                    rows.append(self.pack(after))
                    actions.append(number)
                    counts[i] += 1
            for cell in read:
                footprints[i, SPREAD * cell // 64] |= np.uint64(1 << SPREAD * cell % 64)
        return Successors(
            np.array(rows, np.uint64).reshape(-1, self.words),
            counts,
            np.array(actions, np.uint8),
            footprints if traced else None,
        )

    def differences(self, other: PackedModel[Position, str]) -> NDArray[np.uint64]:
        assert isinstance(other, PackedMaze)
        bits = np.zeros(-(-self.features // 64), np.uint64)
        for cell, (mine, theirs) in enumerate(zip(self.maze.tiles, other.maze.tiles, strict=True)):
            if mine != theirs:
                bits[SPREAD * cell // 64] |= np.uint64(1 << SPREAD * cell % 64)
        return bits


class PackedMazeModel(PlainModel):
    def packed(self, content: Maze) -> PackedMaze:
        return PackedMaze(content)


def with_tiles(maze: Maze, changes: dict[int, str]) -> Maze:
    """The maze with other tiles."""
    return attrs.evolve(maze, tiles="".join(changes.get(cell, tile) for cell, tile in enumerate(maze.tiles)))


def edits_of(maze: Maze) -> list[Edit]:
    """Every change of a tile under which nothing stands."""
    return [
        Edit(cell, f"{cell} {tile} to {other}", {"cell": cell, "from": tile, "to": other})
        for cell, tile in enumerate(maze.tiles)
        if cell not in {maze.walker, maze.exit, *maze.boxes}
        for other in FLOOR + WALL + PIT
        if other != tile
    ]


@st.composite
def mazes(draw: st.DrawFn, most: int = 5) -> Maze:
    """Random mazes; many cannot be solved."""
    width, height = draw(st.integers(2, most)), draw(st.integers(2, most))
    size = width * height
    tiles = draw(st.text(FLOOR * 5 + WALL + PIT, min_size=size, max_size=size))
    order = draw(st.permutations(range(size)))
    count = draw(st.integers(0, min(3, size - 2)))
    walker, exit_, *boxes = order[: 2 + count]
    clear = dict.fromkeys((walker, exit_, *boxes), FLOOR)
    return with_tiles(Maze(width, tiles, walker, exit_, frozenset(boxes)), clear)
