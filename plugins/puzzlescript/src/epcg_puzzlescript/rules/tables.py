"""A game on boards of one size as tables of integers, for the engine of bit planes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from operator import or_

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_puzzlescript.language.elementary import LAYER_BITS, Pattern, Rule, RuleRow
from epcg_puzzlescript.language.game import Game, Mask, RuleList
from epcg_puzzlescript.rules import columns as at

MOVEMENTS = 5
_Table = NDArray[np.int64]


def bits_of(mask: int) -> list[int]:
    """Return the numbers of the bits of a mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class Changes:
    """Which objects a game can put, remove or move: an analysis of its rules that never says too few.

    Rows of a rule may share cells, and the later one is then applied to what the earlier one made; so a rule of
    several rows may clear what another of its cells put, and put again what another cleared.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._layer_of = [thing.layer for thing in game.objects]
        self._layers = [sum(1 << number for number in numbers) for numbers in game.layers]
        self._exclusive = self._layers_are_exclusive()
        moved = game.player.bits
        changed = 0
        for rules in (game.normal, game.late):
            for rule in (rule for group in rules.groups for rule in group.rules):
                put = reduce(or_, map(self.put, rule.patterns))
                several = len(rule.rows) > 1
                cleared = reduce(or_, (self.cleared(p, put if several else 0) for p in rule.patterns))
                changed |= put | cleared
                for pattern in rule.patterns:
                    moved |= self._moved(pattern)
        self.objects = changed | moved
        """The objects of which a cell can gain or lose one."""

    def _layers_are_exclusive(self) -> bool:
        """Return whether no cell of a level holds two objects of a layer."""
        return not any(
            (cell & mask) & ((cell & mask) - 1)
            for level in self._game.maps for cell in set(level.cells) for mask in self._layers
        )  # fmt: skip

    def _possible(self, pattern: Pattern, layer: int) -> int:
        """Return which objects of a layer a cell may hold if a pattern matches."""
        mask = self._layers[layer] & ~pattern.forbidden
        if not self._exclusive:
            return mask
        if pattern.required & mask:
            return pattern.required & mask
        for choice in pattern.any_of:
            mask &= choice if choice & self._layers[layer] else -1
        return mask

    def put(self, pattern: Pattern) -> int:
        """Return the objects that a rule adds to a cell that does not have them."""
        if pattern.replacement is None:
            return 0
        drawn = sum(1 << number for number in pattern.replacement.random_objects)
        return pattern.replacement.set & ~pattern.required | drawn

    def cleared(self, pattern: Pattern, also: int = 0) -> int:
        """Return the objects that a rule can remove from a cell. `also`: what else the cell may hold."""
        what = pattern.replacement
        if what is None:
            return 0
        may = reduce(or_, (self._possible(pattern, layer) for layer in range(len(self._layers))), also)
        drawn = reduce(or_, (self._layers[self._layer_of[n]] for n in what.random_objects), 0)
        return (what.clear & ~what.set | drawn) & may

    def _moved(self, pattern: Pattern) -> int:
        """Return the objects that can get a movement at a cell, or take one over."""
        what = pattern.replacement
        if what is None:
            return 0
        found = what.set & ~pattern.required
        for layer, mask in enumerate(self._layers):
            if what.moves_set >> LAYER_BITS * layer & 31 or layer in what.random_layers:
                found |= what.set & mask or self._possible(pattern, layer)
        return found


@attrs.frozen(eq=False)
class Tables:
    """The tables of a game on boards of one size."""

    game: Game
    width: int
    height: int
    header: _Table
    groups: _Table
    rules: _Table
    rows: _Table
    cells: _Table
    conditions: _Table
    data: _Table
    lines: tuple[int, ...]
    """The line of each rule."""
    group_lines: tuple[int, ...]
    changing: tuple[int, ...]
    """The objects whose planes a position consists of."""

    @property
    def stride(self) -> int:
        return self.height + 1

    @property
    def words(self) -> int:
        """The 64-bit words of a plane."""
        return -(-self.width * self.stride // 64)

    @property
    def planes(self) -> int:
        """The planes of objects and movements, and that of the cells of the board."""
        return len(self.game.objects) + MOVEMENTS * len(self.game.layers) + 1

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
        bits = np.unpackbits(
            np.frombuffer(data, np.uint8).reshape(len(cells), size), axis=1, bitorder="little"
        )[:, :objects]
        spread = np.zeros((objects, self.words * 64), np.uint8)
        spread[:, self.places] = bits.T
        packed = np.packbits(spread, axis=1, bitorder="little")
        return packed.view("<u8").astype(np.uint64, copy=False)

    def cells_of(self, planes: NDArray[np.uint64]) -> tuple[int, ...]:
        """Return the board of planes of objects."""
        raw = np.ascontiguousarray(planes).astype("<u8").view(np.uint8)
        bits = np.unpackbits(raw, axis=1, bitorder="little")[:, self.places]
        packed = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
        return tuple(int.from_bytes(row.tobytes(), "little") for row in packed)


class _Maker:
    """Collects the tables."""

    def __init__(self, game: Game, width: int, height: int) -> None:
        self.game, self.width, self.height = game, width, height
        self.changes = Changes(game)
        self.objects = len(game.objects)
        self.data: list[int] = []
        self.groups: list[list[int]] = []
        self.rules: list[list[int]] = []
        self.rows: list[list[int]] = []
        self.cells: list[list[int]] = []
        self.lines: list[int] = []
        self.group_lines: list[int] = []
        self.sounds: dict[str, int] = {}

    def add(self, numbers: Iterable[int]) -> tuple[int, int]:
        """Append a list to the data; return where it begins and ends."""
        start = len(self.data)
        self.data += numbers
        return start, len(self.data)

    def movement_planes(self, moves: int) -> list[int]:
        return [self.objects + bit for bit in bits_of(moves)]

    def rule_list(self, rules: RuleList, late: bool) -> None:
        first = len(self.groups)
        back = {last: begin for begin, last in rules.loops}
        for number, group in enumerate(rules.groups):
            start = len(self.rules)
            for rule in group.rules:
                self.rule(rule, group.random, late)
            target = first + back[number] if number in back else -1
            self.groups.append([start, len(self.rules), int(group.random), group.rigid, target])
            self.group_lines.append(group.line)

    def rule(self, rule: Rule, random: bool, late: bool) -> None:
        start = len(self.rows)
        for row in rule.rows:
            self.row(row, late, alone=len(rule.rows) == 1)
        patterns = rule.patterns
        needed = reduce(or_, (p.moves for p in patterns), 0)
        lying = reduce(or_, (p.required for p in patterns), 0)
        chance = any(
            p.replacement and (p.replacement.random_objects or p.replacement.random_layers) for p in patterns
        )
        simple = len(rule.rows) == len(rule.rows[0].parts) == 1 and not (chance or rule.rigid or random)
        stride = self.height + 1
        self.rules.append([
            start, len(self.rows), {"up": -1, "down": 1, "left": -stride, "right": stride}[rule.direction],
            int(rule.direction in ("up", "down")), self.commands(rule.commands), int(rule.rigid),
            at.SIMPLE if simple else at.GENERAL,
            *self.add(self.movement_planes(needed) + bits_of(lying)),
        ])  # fmt: skip
        self.lines.append(rule.line)

    def commands(self, commands: Iterable[str]) -> int:
        found = 0
        for command in commands:
            if command in at.COMMAND_BITS:
                found |= at.COMMAND_BITS[command]
            else:
                number = self.sounds.setdefault(command, len(self.sounds)) % at.MOST_SOUNDS
                found |= 1 << at.FIRST_SOUND + number
        return found

    def row(self, row: RuleRow, late: bool, alone: bool) -> None:
        start = len(self.cells)
        for pattern in (p for part in row.parts for p in part):
            self.cell(pattern, late, alone)
        lengths = [len(part) for part in row.parts] + [0, 0]
        self.rows.append([start, row.cells, len(row.parts), *lengths[:3]])

    def cell(self, pattern: Pattern, late: bool, alone: bool) -> None:
        """Add a cell. `alone`: it is what its rule matched when the rule is applied, so that its replacement
        can be reduced to what differs.
        """
        what = pattern.replacement
        choices = [n for mask in pattern.any_of for n in (mask.bit_count(), *bits_of(mask))]
        lists: list[Iterable[int]] = [(), (), (), (), ()]
        if what is not None:
            put, clear = what.set, what.clear & ~what.set
            moves_set, moves_clear = what.moves_set, what.moves_clear & ~what.moves_set
            if alone and not what.random_objects and not what.random_layers:
                put, clear = put & ~pattern.required, self.changes.cleared(pattern)
                moves_set &= ~pattern.moves
            if late:
                moves_set = moves_clear = 0
            changing = self.changes.objects
            lists = [
                bits_of(put & changing) + self.movement_planes(moves_set),
                bits_of(clear & changing) + self.movement_planes(moves_clear),
                what.random_objects, what.random_layers,
                () if late else sorted({bit // LAYER_BITS for bit in bits_of(what.touched)}),
            ]  # fmt: skip
        self.cells.append([
            *self.add(self.movement_planes(pattern.moves) + bits_of(pattern.required)),
            *self.add(self.movement_planes(pattern.still) + bits_of(pattern.forbidden)),
            *self.add(choices), *(number for found in lists for number in self.add(found)),
        ])  # fmt: skip

    def mask(self, mask: Mask) -> list[int]:
        return [*self.add(bits_of(mask.bits)), int(mask.whole)]


def make_tables(game: Game, width: int, height: int) -> Tables:
    """Return the tables of a game on boards of a size."""
    maker = _Maker(game, width, height)
    maker.rule_list(game.normal, late=False)
    maker.rule_list(game.late, late=True)
    quantifiers = {"no": at.NO, "some": at.SOME, "all": at.ALL_ON}
    conditions = [
        [quantifiers[c.quantifier], *maker.mask(c.what), *(maker.mask(c.on) if c.on else (0, 0, 0))]
        for c in game.conditions
    ]
    changing = bits_of(maker.changes.objects) or [0]
    spans = [n for numbers in game.layers for n in ((numbers[0], numbers[-1] + 1) if numbers else (0, 0))]
    stride = height + 1
    header = np.zeros(at.HEADER_SIZE, np.int64)
    header[at.WIDTH], header[at.HEIGHT], header[at.STRIDE] = width, height, stride
    header[at.WORDS] = -(-width * stride // 64)
    header[at.OBJECTS], header[at.LAYERS] = len(game.objects), len(game.layers)
    header[at.VALID] = len(game.objects) + MOVEMENTS * len(game.layers)
    header[at.NORMAL_GROUPS], header[at.GROUPS] = len(game.normal.groups), len(maker.groups)
    header[at.RIGID_GROUPS] = sum(group.rigid > 0 for group in game.normal.groups)
    header[[at.PLAYER, at.PLAYER_END, at.PLAYER_WHOLE]] = maker.mask(game.player)
    header[at.NEEDS_MOVEMENT] = game.says("require_player_movement")
    header[at.CONDITIONS] = len(conditions)
    header[at.INPUTS] = 4 if game.says("noaction") else 5
    header[[at.CHANGING, at.CHANGING_END]] = maker.add(changing)
    header[at.LAYER_LIST], _ = maker.add(spans)
    header[at.LAYER_OF], _ = maker.add(thing.layer for thing in game.objects)
    header[at.WON_WORD], header[at.WON_BIT] = divmod(height, 64)

    def table(rows: list[list[int]], size: int) -> _Table:
        return read_only(np.array(rows, np.int64).reshape(len(rows), size))

    return Tables(
        game, width, height, read_only(header), table(maker.groups, at.GROUP_SIZE),
        table(maker.rules, at.RULE_SIZE), table(maker.rows, at.ROW_SIZE), table(maker.cells, at.CELL_SIZE),
        table(conditions, at.CONDITION_SIZE), read_only(np.array(maker.data, np.int64)),
        tuple(maker.lines), tuple(maker.group_lines), tuple(changing),
    )  # fmt: skip
