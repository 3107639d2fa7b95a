"""A game on boards of one size as integers, for the engine of bit planes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_puzzlescript.language.elementary import LAYER_BITS, Pattern, Rule, RuleRow
from epcg_puzzlescript.language.game import Game, Group, Mask, RuleList
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.changes import Changes, bits_of
from epcg_puzzlescript.rules.guards import guards_of, left_to_test
from epcg_puzzlescript.rules.turn import input_numbers

MOVEMENTS = 5
FIRST_ROOM = 4096
LEAST_GUARDED = 3
"""Fewer rules are not worth a guard."""


@attrs.frozen(eq=False)
class Tables:
    """A game on boards of one size, as kernels read it."""

    game: Game
    width: int
    height: int
    table: NDArray[np.int64]
    """See `columns`."""
    lines: tuple[int, ...]
    """The line of each rule."""
    group_lines: tuple[int, ...]
    changing: tuple[int, ...]
    """The objects whose planes a position consists of."""
    changes: Changes

    @property
    def stride(self) -> int:
        return self.height + 1

    @property
    def words(self) -> int:
        """The 64-bit words of a plane."""
        return int(self.table[at.WORDS])

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The bit of each cell in a plane."""
        x, y = np.divmod(np.arange(self.width * self.height), self.height)
        return np.asarray(x * self.stride + y, np.int64)

    def planes_of(self, cells: Sequence[int]) -> NDArray[np.uint64]:
        """Return the planes of the objects of a board: (objects, words)."""
        objects = len(self.game.objects)
        size = (objects + 7) // 8
        data = b"".join(cell.to_bytes(size, "little") for cell in cells)
        raw = np.frombuffer(data, np.uint8).reshape(len(cells), size)
        return self.spread(np.unpackbits(raw, axis=1, bitorder="little")[:, :objects].T)

    def spread(self, bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Return planes, (n, words), of the (n, cells) bits of each cell."""
        wide = np.zeros((len(bits), self.words * 64), np.uint8)
        wide[:, self.places] = bits
        packed = np.packbits(wide, axis=1, bitorder="little")
        return packed.view("<u8").astype(np.uint64, copy=False)

    def cells_of(self, planes: NDArray[np.uint64]) -> tuple[int, ...]:
        """Return the board of the planes of objects, (objects, words)."""
        return self.boards_of(planes[None])[0]

    def boards_of(self, planes: NDArray[np.uint64]) -> list[tuple[int, ...]]:
        """Return the boards of the planes of n positions, (n, objects, words)."""
        raw = np.ascontiguousarray(planes).astype("<u8").view(np.uint8)
        bits = np.unpackbits(raw, axis=2, bitorder="little")[:, :, self.places]
        packed = np.packbits(np.ascontiguousarray(bits.transpose(0, 2, 1)), axis=2, bitorder="little")
        size = packed.shape[2]
        if size <= 8:
            wide = np.zeros((*packed.shape[:2], 8), np.uint8)
            wide[:, :, :size] = packed
            return [tuple(board) for board in wide.view("<u8")[:, :, 0].tolist()]
        data, cells = packed.tobytes(), packed.shape[1]
        every = [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]
        return [tuple(every[at : at + cells]) for at in range(0, len(every), cells)]


class _Maker:
    """Writes the table, record by record; addresses of what comes later are filled in at the end."""

    def __init__(self, game: Game, width: int, height: int) -> None:
        self.game = game
        self.stride = height + 1
        self.words = -(-width * self.stride // 64)
        self.size = self.words + 2
        self.changes = Changes(game)
        self.table = [0] * at.HEADER_SIZE
        self.lines: list[int] = []
        self.group_lines: list[int] = []
        self.most_rows = 0

    def add(self, numbers: Iterable[int]) -> tuple[int, int]:
        """Append a list; return where it begins and ends."""
        start = len(self.table)
        self.table += numbers
        return start, len(self.table)

    def things(self, mask: int) -> list[int]:
        """Return the planes of objects."""
        return [self.size * bit for bit in bits_of(mask)]

    def moves(self, mask: int) -> list[int]:
        """Return the planes of movements."""
        return [self.size * (len(self.game.objects) + bit) for bit in bits_of(mask)]

    def groups(self, rules: RuleList, late: bool) -> tuple[int, int]:
        """Append the groups of a list, with all that they consist of; return where they begin and end."""
        records = []
        for number, group in enumerate(rules.groups):
            start, end = self.rules(group, late)
            back = next((first for first, last in rules.loops if last == number), -1)
            records.append([start, end, int(group.random), group.rigid, back, len(self.group_lines)])
            self.group_lines.append(group.line)
        begin = len(self.table)
        for record in records:
            if record[at.LOOP] >= 0:
                record[at.LOOP] = begin + record[at.LOOP] * at.GROUP_SIZE
        return self.add(entry for record in records for entry in record)

    def rules(self, group: Group, late: bool) -> tuple[int, int]:
        """Append the rules of a group, with guards; return where they begin and end."""
        needs = [self.needs(rule) for rule in group.rules]
        guards = guards_of(needs, LEAST_GUARDED)
        made = [
            [*self.needed(own), *self.rule(rule, group.random, late)]
            for rule, own in zip(group.rules, left_to_test(needs, guards), strict=True)
        ]
        begin: dict[int, list[list[int]]] = {}
        for guard in guards:
            begin.setdefault(guard.first, []).append([*self.needed(guard.needs), guard.last])
        places = {
            first: self.add(entry for record in records for entry in record)
            for first, records in begin.items()
        }
        for at_rule, record in enumerate(made):
            record += places.get(at_rule, (0, 0))
        start, end = self.add(entry for record in made for entry in record)
        for place, past in places.values():
            for guard_at in range(place, past, at.GUARD_SIZE):
                self.table[guard_at + at.PAST] = start + at.RULE_SIZE * self.table[guard_at + at.PAST]
        return start, end

    def needs(self, rule: Rule) -> frozenset[tuple[int, ...]]:
        """Return lists of planes: a rule cannot match if all of one list are empty."""
        found: set[tuple[int, ...]] = set()
        for pattern in rule.patterns:
            found.update((plane,) for plane in (*self.moves(pattern.moves), *self.things(pattern.required)))
            found.update(tuple(self.things(mask)) for mask in pattern.any_of)
        return frozenset(found)

    def needed(self, needs: Iterable[tuple[int, ...]]) -> list[int]:
        """Append what is needed; return where the single planes and the choices begin and end."""
        single = sorted(planes[0] for planes in needs if len(planes) == 1)
        choices = sorted(planes for planes in needs if len(planes) != 1)
        return [*self.add(single), *self.add(n for planes in choices for n in (len(planes), *planes))]

    def rule(self, rule: Rule, random: bool, late: bool) -> list[int]:
        """Append the rows of a rule; return its record after what it needs."""
        self.most_rows = max(self.most_rows, len(rule.rows))
        depends: set[int] = set()
        rows = [self.row(row, late, len(rule.rows) == 1, depends) for row in rule.rows]
        row = self.add(entry for record in rows for entry in record)
        patterns = rule.patterns
        chance = random or any(
            p.replacement and (p.replacement.random_objects or p.replacement.random_layers) for p in patterns
        )
        simple = len(rule.rows) == len(rule.rows[0].parts) == 1 and not (chance or rule.rigid)
        step = {"up": -1, "down": 1, "left": -self.stride, "right": self.stride}[rule.direction]
        self.lines.append(rule.line)
        return [
            *row, step, int(rule.direction in ("up", "down")), self.commands(rule.commands), int(rule.rigid),
            at.SIMPLE if simple else at.GENERAL, int(not (chance or rule.rigid)),
            *self.add(sorted(depends)), len(self.lines) - 1,
        ]  # fmt: skip

    def commands(self, commands: Iterable[str]) -> int:
        found = 0
        for command in commands:
            if command in at.COMMAND_BITS:
                found |= at.COMMAND_BITS[command]
            else:
                number = int(command.removeprefix("sfx")[:9]) % at.MOST_SOUNDS
                found |= 1 << at.FIRST_SOUND + number
        return found

    def row(self, row: RuleRow, late: bool, alone: bool, depends: set[int]) -> list[int]:
        """Append the cells of a row; return its record."""
        cells = [self.cell(pattern, late, alone, depends) for part in row.parts for pattern in part]
        start, _ = self.add(entry for record in cells for entry in record)
        lengths = [len(part) for part in row.parts] + [0, 0]
        return [start, row.cells, len(row.parts), *lengths[:3]]

    def cell(self, pattern: Pattern, late: bool, alone: bool, depends: set[int]) -> list[int]:
        """Append the lists of a cell; return its record, and add to the planes on which it depends.

        If it is `alone` in what its rule matched, its replacement is reduced to what can differ.
        """
        what = pattern.replacement
        required = self.moves(pattern.moves) + self.things(pattern.required)
        forbidden = self.moves(pattern.still) + self.things(pattern.forbidden)
        choices = [n for mask in pattern.any_of for n in (mask.bit_count(), *self.things(mask))]
        depends |= {*required, *forbidden, *(n for mask in pattern.any_of for n in self.things(mask))}
        lists: list[Iterable[int]] = [(), (), (), (), ()]
        if what is not None:
            put, clear = what.set, what.clear & ~what.set
            moves_set, moves_clear = what.moves_set, what.moves_clear & ~what.moves_set
            if alone and not what.random_objects and not what.random_layers:
                put, clear = put & ~pattern.required, self.changes.cleared(pattern)
                moves_set &= ~pattern.moves
            if late and not what.random_layers:  # a drawn movement changes a cell, though nothing moves
                moves_set = moves_clear = 0
            changing = self.changes.objects
            sets = self.things(put & changing) + self.moves(moves_set)
            clears = self.things(clear & changing) + self.moves(moves_clear)
            depends |= {*sets, *clears}
            touched = () if late else sorted({bit // LAYER_BITS for bit in bits_of(what.touched)})
            lists = [sets, clears, what.random_objects, what.random_layers, touched]
        return [number for found in (required, forbidden, choices, *lists) for number in self.add(found)]

    def mask(self, mask: Mask) -> list[int]:
        return [*self.add(self.things(mask.bits)), int(mask.whole)]


def make_tables(game: Game, width: int, height: int, room: int = FIRST_ROOM) -> Tables:
    """Return the tables of a game on boards of a size, with room for so many matches of a rule."""
    maker = _Maker(game, width, height)
    size, objects, layers = maker.size, len(game.objects), len(game.layers)
    normal_groups, late_groups = maker.groups(game.normal, late=False), maker.groups(game.late, late=True)
    quantifiers = {"no": at.NO, "some": at.SOME, "all": at.ALL_ON}
    conditions = [
        [quantifiers[c.quantifier], *maker.mask(c.what), *(maker.mask(c.on) if c.on else (0, 0, 0))]
        for c in game.conditions
    ]
    changing = bits_of(maker.changes.objects) or [0]
    head = dict.fromkeys(range(at.HEADER_SIZE), 0)
    head |= {
        at.WIDTH: width,
        at.HEIGHT: height,
        at.STRIDE: maker.stride,
        at.WORDS: maker.words,
        at.SIZE: size,
    }
    head |= {at.MOVES: size * objects, at.OBJECTS_END: objects, at.LAYERS: layers, at.LAYER_SIZE: 5 * size}
    head[at.NORMAL], head[at.NORMAL_END] = normal_groups
    head[at.LATE], head[at.LATE_END] = late_groups
    head[at.CONDITION], head[at.CONDITION_END] = maker.add(entry for c in conditions for entry in c)
    head[at.PLAYER], head[at.PLAYER_END], head[at.PLAYER_WHOLE] = maker.mask(game.player)
    head[at.CHANGING], head[at.CHANGING_END] = maker.add(size * number for number in changing)
    head[at.LAYER_LIST], _ = maker.add(
        size * edge for n in game.layers for edge in ((n[0], n[-1] + 1) if n else (0, 0))
    )
    head[at.OBJECT_LAYERS], _ = maker.add(thing.layer for thing in game.objects)
    head[at.RIGID_GROUPS] = sum(group.rigid > 0 for group in game.normal.groups)
    head[at.NEEDS_MOVEMENT] = int(game.says("require_player_movement"))
    head[at.INPUTS] = sum(1 << number for number in input_numbers(game))
    head[at.WON_WORD], head[at.WON_BIT] = divmod(height, 64)
    board = objects + MOVEMENTS * layers
    head[at.VALID] = size * board
    head[at.ROW_PLANES] = head[at.VALID] + size * (1 + at.SCRATCH)
    head[at.BACKUP] = head[at.ROW_PLANES] + size * 3 * maker.most_rows
    head[at.BEFORE] = head[at.BACKUP] + (size * board if head[at.RIGID_GROUPS] else 0)
    head[at.PLANES_SIZE] = head[at.BEFORE] + size * len(changing)
    rules = len(maker.lines)
    marks = 64 * maker.words * layers if head[at.RIGID_GROUPS] else 0
    place = at.STATUS_SIZE
    for field, length in (
        (at.FOUND, 3 * room), (at.COUNTS, maker.most_rows + 1), (at.PICKS, maker.most_rows + 1),
        (at.MARKED, marks), (at.NUMBERS, marks), (at.CHANCE, 258), (at.FIRED, rules),
        (at.ENDLESS_GROUPS, len(maker.group_lines)), (at.SEEN, rules), (at.MATCHED, rules),
        (at.CELL_BEFORE, board), (at.CELL_AFTER, board),
    ):  # fmt: skip
        head[field] = place
        place += length
    head[at.FOUND_END], head[at.STATE_SIZE] = head[at.FOUND] + 3 * room, place
    maker.table[: at.HEADER_SIZE] = head.values()
    return Tables(
        game, width, height, read_only(np.array(maker.table, np.int64)), tuple(maker.lines),
        tuple(maker.group_lines), tuple(changing), maker.changes,
    )  # fmt: skip
