"""Packed positions of a level: the compiled capability of the transition model.

Source of the idea behind footprints: the incremental design study of Sturtevant, Decroocq, Tripodi & Guzdial
(2020), in which most changes of a level leave most of its state space alone.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import PackedModel, Successors, read_only
from epcg_snakebird.rules import board_kernels as board, row_kernels as rows
from epcg_snakebird.rules.board_kernels import Integers, Words
from epcg_snakebird.rules.level import GROUND, SKY, Cells, Level
from epcg_snakebird.rules.move_kernels import expand
from epcg_snakebird.rules.moves import DIRECTIONS, OUT, STEPS, Move, Position, start
from epcg_snakebird.rules.variants import LEAVES, PAPER, Rules

_NUMBERS = {step: DIRECTIONS.index(direction) for direction, step in STEPS.items()}
_Cell = TypeVar("_Cell", int, Integers)
_Scratch = tuple[Integers, Words, Integers, Integers, Integers, Integers, Integers, Words, Words]


class PackedLevel:
    """The positions of a level as rows of 64-bit words (`epcg_core.domain.PackedModel`).

    Features are two for each of the level's plain cells: whether it is solid, and whether it is ground.
    `successors` expects positions that can be reached: of all but the first it knows that nothing falls.
    """

    def __init__(self, level: Level, rules: Rules = PAPER) -> None:
        self.level = level
        self.rules = rules
        self._stride = level.width + 1
        self._plain = np.array(level.plain_cells, np.int64)
        bits = self._lay_out()
        self.words = -(-bits // 64)
        self.features = 2 * len(self._plain)
        self._feature_words = -(-self.features // 64)
        self._shapes = read_only(self._padded_shapes())
        self._longest = int(self._fields[:, rows.BODY_BITS].max()) // 2 + self._shapes.shape[1] + 3
        self._fruit = read_only(np.array([self._padded(cell) for cell in level.fruit], np.int64))
        self._features = read_only(self._features_of_cells())
        self._steps = read_only(np.array([self._stride, -self._stride, 1, -1]))
        self._heads = self._head_bits()
        self._first = start(level)
        self._initial = read_only(self._packed(self._first).reshape(1, -1))
        self._take_tiles(level)

    def with_tiles_of(self, level: Level) -> PackedLevel | None:
        """Pack a level that differs in tiles only, and share all else; None for other levels."""
        if but_tiles(level) != but_tiles(self.level):
            return None
        other = copy(self)
        other._take_tiles(level)
        return other

    def _take_tiles(self, level: Level) -> None:
        self.level = level
        tiles = np.array(level.tiles, np.uint8)
        self._plain_tiles = tiles[self._plain]
        self._tiles = read_only(self._padded_tiles(tiles))

    def pack(self, state: Position) -> NDArray[np.uint64]:
        """Return the row of a position: (words,) uint64."""
        first = self._first
        if (state.snakes, state.objects, state.fruit) == (first.snakes, first.objects, first.fruit):
            row: NDArray[np.uint64] = self._initial[0].copy()
            return row
        return self._packed(state)

    def _packed(self, state: Position) -> NDArray[np.uint64]:
        packed = 0
        for (place, body, _, growth, growth_bits, size), snake in zip(
            self._fields.tolist(), state.snakes, strict=False
        ):
            if snake:
                packed |= self._place(snake[0]) << place
                for index, direction in enumerate(self._directions(snake)):
                    packed |= direction << (body + 2 * index)
                packed |= (len(snake) - size if growth_bits else 0) << growth
        for offset, cell in zip(
            self._fields[len(state.snakes) :, rows.PLACE].tolist(), state.objects, strict=True
        ):
            packed |= (0 if cell == OUT else self._place(cell)) << offset
        for index, cell in enumerate(self.level.fruit):
            packed |= (cell not in state.fruit) << (int(self._header[board.FRUIT_OFFSET]) + index)
        return np.array([packed >> (64 * word) & (2**64 - 1) for word in range(self.words)], np.uint64)

    def unpack(self, row: NDArray[np.uint64]) -> Position:
        """Return the position of a row."""
        packed = sum(int(word) << (64 * index) for index, word in enumerate(row))

        def field(offset: int, width: int) -> int:
            return packed >> offset & ((1 << width) - 1)

        cell_bits = int(self._header[board.CELL_BITS])
        eaten = field(int(self._header[board.FRUIT_OFFSET]), len(self.level.fruit))
        places = [self._cell(field(offset, cell_bits)) for offset in self._fields[:, rows.PLACE].tolist()]
        snakes: list[Cells] = []
        for _, body, _, growth, growth_bits, size in self._fields[: len(self.level.snakes)].tolist():
            head = places[len(snakes)]
            if head == OUT:
                snakes.append(())
                continue
            grown = field(growth, growth_bits)
            if len(self.level.snakes) == 1:
                grown = eaten.bit_count()
            cells = [head]
            for index in range(size + grown - 1):
                dx, dy = STEPS[DIRECTIONS[field(body + 2 * index, 2)]]
                cells.append(cells[-1] + dy * self.level.width + dx)
            snakes.append(tuple(cells))
        fruit = tuple(cell for index, cell in enumerate(self.level.fruit) if not eaten >> index & 1)
        return Position(self.level, tuple(snakes), tuple(places[len(snakes) :]), fruit)

    def action(self, number: int) -> Move:
        """Return the move of a number: 4 * snake + the direction's place in the order of ties."""
        return Move(number // 4, DIRECTIONS[number % 4])

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return whether all snakes are out: (n,) bool."""
        out: NDArray[np.bool_] = positions[:, 0] & self._heads[0] == 0
        for word in range(1, self.words):
            out &= positions[:, word] & self._heads[word] == 0
        return out

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        """Return the successors of (n, words) positions, without those in which a snake dies."""
        n = len(positions)
        most = 4 * len(self.level.snakes) * n
        found = np.empty((most, self.words), np.uint64)
        counts = np.empty(n, np.int64)
        actions = np.empty(most, np.uint8)
        footprints = np.empty((n if traced else 0, self._feature_words), np.uint64)
        m = expand(
            self._header, self._fields, self._shapes, self._fruit, self._tiles, self._features, self._initial,
            read_only(positions), int(traced), found, counts, actions, footprints, *self._scratch(),
        )  # fmt: skip
        return Successors(found[:m], counts, actions[:m], footprints if traced else None)

    def _scratch(self) -> _Scratch:
        """Make the arrays that an expansion works in, new for each call: kernels run in many threads."""
        entities = len(self._fields)
        return (
            self._steps,
            self._tiles.copy(),
            np.empty((entities, self._longest), np.int64),
            np.empty((entities, self._longest), np.int64),
            np.empty(entities, np.int64),
            np.empty(entities, np.int64),
            np.empty(entities, np.int64),
            np.empty(board.STATUS_SIZE, np.uint64),
            np.zeros(2 * (self._feature_words + 1), np.uint64),
        )

    def differences(self, other: PackedModel[Position, Move]) -> NDArray[np.uint64] | None:
        """Return the features in which another level differs: (ceil(features / 64),).

        None if more than the tiles of plain cells differs, or if other rules apply there.
        """
        if not isinstance(other, PackedLevel) or not self._same_shape(other):
            return None
        here, there = self._plain_tiles, other._plain_tiles
        changed = np.zeros((32 * self._feature_words, 2), np.bool_)
        changed[: len(here), 0] = (here == SKY) != (there == SKY)
        changed[: len(here), 1] = (here == GROUND) != (there == GROUND)
        return np.packbits(changed, bitorder="little").view("<u8").astype(np.uint64, copy=False)

    def _same_shape(self, other: PackedLevel) -> bool:
        return but_tiles(self.level) == but_tiles(other.level) and self.rules == other.rules

    def _lay_out(self) -> int:
        """Make the header and the fields of a row; how many bits a row has."""
        level = self.level
        snakes, objects, fruit = len(level.snakes), len(level.objects), len(level.fruit)
        cell_bits = ((level.height - 1) * self._stride - 1).bit_length()
        growth_bits = fruit.bit_length() if snakes > 1 else 0
        fields = np.zeros((snakes + objects, rows.FIELDS_SIZE), np.int64)
        offset = 0
        for index, cells in enumerate((*level.snakes, *level.objects)):
            body_bits = 2 * (len(cells) + fruit - 1) if index < snakes else 0
            growth = growth_bits if index < snakes else 0
            body = offset + cell_bits
            fields[index] = offset, body, body_bits, body + body_bits, growth, len(cells)
            offset = body + body_bits + growth
        header = np.zeros(board.HEADER_SIZE, np.int64)
        header[board.SNAKES], header[board.OBJECTS], header[board.FRUITS] = snakes, objects, fruit
        header[board.WIDTH], header[board.HEIGHT] = level.width, level.height
        header[board.STRIDE] = self._stride
        header[board.EXIT_CELL] = self._padded(level.exit)
        if level.portals:
            header[[board.PORTAL_A, board.PORTAL_B]] = [self._padded(cell) for cell in level.portals]
        header[board.MAY_FALL_OUT] = self.rules.objects_may_fall_out
        header[board.TAIL_LEAVES] = self.rules.own_tail == LEAVES
        header[board.CELL_BITS] = cell_bits
        header[board.FRUIT_OFFSET] = offset
        self._header, self._fields = read_only(header), read_only(fields)
        return offset + fruit

    def _padded_tiles(self, of: NDArray[np.uint8]) -> NDArray[np.uint64]:
        level = self.level
        kinds = np.array([0, board.GROUND_BIT, board.SPIKES_BIT], np.uint64)
        tiles = np.full((level.height + 2, self._stride), board.WALL, np.uint64)
        tiles[1:-1, :-1] = kinds[of.reshape(level.height, level.width)]
        flat = tiles.reshape(-1)
        flat[self._padded(level.exit)] |= board.EXIT
        for cell in level.portals:
            flat[self._padded(cell)] |= board.PORTAL
        return flat

    def _padded_shapes(self) -> NDArray[np.int64]:
        """Return where each cell of an object is, from the first: (objects, most cells of one)."""
        shapes = [
            [self._padded(cell) - self._padded(cells[0]) for cell in cells] for cells in self.level.objects
        ]
        table = np.zeros((len(shapes), max(map(len, shapes), default=0)), np.int64)
        for index, shape in enumerate(shapes):
            table[index, : len(shape)] = shape
        return table

    def _features_of_cells(self) -> NDArray[np.int64]:
        """Return by padded cell the number of its first feature; one past all if it cannot be edited."""
        table = np.full((self.level.height + 2) * self._stride, 64 * self._feature_words, np.int64)
        table[self._padded(self._plain)] = 2 * np.arange(len(self._plain))
        return table

    def _head_bits(self) -> NDArray[np.uint64]:
        """Return the bits that say where the snakes' heads are: (words,) uint64."""
        ones = (1 << int(self._header[board.CELL_BITS])) - 1
        bits = sum(ones << offset for offset in self._fields[: len(self.level.snakes), rows.PLACE].tolist())
        return np.array([bits >> (64 * word) & (2**64 - 1) for word in range(self.words)], np.uint64)

    def _padded(self, cell: _Cell) -> _Cell:
        """Return the padded cell of a cell, or those of an array."""
        return (cell // self.level.width + 1) * self._stride + cell % self.level.width

    def _place(self, cell: int) -> int:
        """Return how a row names a cell; 0 is none."""
        return self._padded(cell) - self._stride + 1

    def _cell(self, place: int) -> int:
        """Return the cell that a row names; OUT for none."""
        return OUT if place == 0 else self.level.cell((place - 1) % self._stride, (place - 1) // self._stride)

    def _directions(self, snake: Cells) -> list[int]:
        """Return the directions from each segment to the next."""
        places = [self.level.place(cell) for cell in snake]
        return [_NUMBERS[u - x, v - y] for (x, y), (u, v) in pairwise(places)]


def but_tiles(level: Level) -> tuple[Any, ...]:
    """Return all that levels of the same shape have in common."""
    return (
        level.width, level.height, level.snakes, level.objects, level.fruit, level.portals, level.exit
    )  # fmt: skip
