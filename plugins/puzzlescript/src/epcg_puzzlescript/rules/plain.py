"""The plain engine: follows the words of the rules, cell by cell; the other engines are compared with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from operator import or_

import attrs

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Pattern, Replacement, Rule, RuleRow
from epcg_puzzlescript.language.game import Game, Group, RuleList
from epcg_puzzlescript.rules.chance import Drawing
from epcg_puzzlescript.rules.turn import (
    INPUT_BITS,
    MOST_COMBINATIONS,
    MOST_PASSES,
    MOST_RIGID_ROUNDS,
    Cells,
    EndlessError,
    RandomError,
    Turn,
    UndefinedMoveError,
)

_Match = tuple[int, ...]
"""The cells of a row."""
_STEPS = {1: (0, -1), 2: (0, 1), 4: (-1, 0), 8: (1, 0)}


@attrs.define
class _Board:
    """The state during a turn."""

    cells: list[int]
    moves: list[int]
    marks: list[int]
    """The movement bits of the layers that a rigid rule touched."""
    groups: list[int]
    """The numbers of the rigid groups, in the five bits of each layer."""
    queue: list[str]
    all_cells: int = 0
    """The objects that lie anywhere, and possibly others: a rule that needs more cannot match."""
    all_moves: int = 0
    """The same for movements."""

    def copy(self) -> _Board:
        return _Board(
            self.cells.copy(), self.moves.copy(), self.marks.copy(), self.groups.copy(), self.queue.copy(),
            self.all_cells, self.all_moves,
        )  # fmt: skip

    def survey(self) -> None:
        """Look at all cells for what lies anywhere."""
        self.all_cells, self.all_moves = reduce(or_, self.cells), reduce(or_, self.moves)


class PlainEngine:
    """An engine (`Engine`) in plain Python.

    Args:
        game: the game.
        width: of the board.
        height: of the board.
        chance: where random numbers come from; None if nothing is to be drawn.
    """

    def __init__(self, game: Game, width: int, height: int, chance: Drawing | None = None) -> None:
        self._game, self._width, self._height = game, width, height
        self._chance = chance
        self._player = game.player
        self._layers = [sum(1 << number for number in numbers) for numbers in game.layers]
        self._layer_of = [thing.layer for thing in game.objects]
        self._fired: set[int] = set()
        self._endless: set[int] = set()
        self._needs = {
            id(rule): _needs(rule)
            for rules in (game.normal, game.late) for group in rules.groups for rule in group.rules
        }  # fmt: skip

    def turn(self, cells: Cells, given: str | None) -> Turn:
        """Return what an input or a tick makes of a board (`Engine.turn`)."""
        self._fired, self._endless = set(), set()
        size = len(cells)
        board = _Board(list(cells), [0] * size, [0] * size, [0] * size, [])
        players = [i for i, cell in enumerate(cells) if self._player.lies_in(cell)] if given else []
        for index in players:
            for layer, mask in enumerate(self._layers):
                if cells[index] & mask & self._player.bits:
                    board.moves[index] |= INPUT_BITS[given or ""] << LAYER_BITS * layer
        self._rules_and_movement(board)
        board.moves = [0] * size
        board.survey()
        self._run(board, self._game.late, frozenset())
        undone = (
            bool(players)
            and self._game.says("require_player_movement")
            and all(board.cells[index] & self._player.bits for index in players)
        )
        return Turn(
            cells if undone else tuple(board.cells),
            () if undone else tuple(board.queue),
            undone,
            frozenset(self._fired),
            frozenset(self._endless),
        )

    def _rules_and_movement(self, board: _Board) -> None:
        """Run the normal rules and move, again without the rigid groups that failed."""
        board.survey()
        start, banned = board.copy(), frozenset[int]()
        for _ in range(MOST_RIGID_ROUNDS):
            self._run(board, self._game.normal, banned)
            self._move(board)
            failed = self._failed(board) - banned
            if not failed:
                return
            banned |= failed
            fresh = start.copy()
            board.cells, board.moves = fresh.cells, fresh.moves
            board.marks, board.groups, board.queue = fresh.marks, fresh.groups, fresh.queue
            board.survey()

    def _run(self, board: _Board, rules: RuleList, banned: frozenset[int]) -> None:
        """Run a list of groups with its loops."""
        first_of = {last: first for first, last in rules.loops}
        at = jumps = 0
        changed = False
        while at < len(rules.groups):
            group = rules.groups[at]
            if not group.rigid or group.rigid not in banned:
                changed = self._run_group(board, group) or changed
            if changed and at in first_of:
                at, changed, jumps = first_of[at], False, jumps + 1
                if jumps > MOST_PASSES:
                    self._endless.add(group.line)
                    return
            else:
                at += 1

    def _run_group(self, board: _Board, group: Group) -> bool:
        if group.random:
            return self._run_random(board, group)
        changed = False
        for _ in range(MOST_PASSES):
            passed = False
            for rule in group.rules:
                passed = self._apply(board, rule, group.rigid) or passed
            if not passed:
                return changed
            changed = True
        self._endless.add(group.line)
        return changed

    def _run_random(self, board: _Board, group: Group) -> bool:
        """Apply one combination of one rule, drawn from all."""
        choices = [
            (rule, combination) for rule in group.rules for combination in self._combinations(board, rule)
        ]
        if not choices:
            return False
        rule, combination = choices[self._drawn(len(choices))]
        changed = self._replace(board, rule, combination, group.rigid)
        self._queue(board, rule)
        return changed

    def _apply(self, board: _Board, rule: Rule, rigid: int) -> bool:
        changed = matched = False
        for combination in self._combinations(board, rule):
            if matched and not self._holds(board, rule, combination):
                continue
            matched = True
            changed = self._replace(board, rule, combination, rigid) or changed
        if matched:
            self._queue(board, rule)
        return changed

    def _combinations(self, board: _Board, rule: Rule) -> Iterator[tuple[_Match, ...]]:
        """Yield the combinations of the matches that hold now; the first row's runs fastest."""
        cells, moves = self._needs[id(rule)]
        if cells & ~board.all_cells or moves & ~board.all_moves:
            return
        found = []
        count = 1
        for row in rule.rows:
            matches = list(self._matches(board, row, rule.direction))
            if not matches:
                return
            found.append(matches)
            count *= len(matches)
        if count > MOST_COMBINATIONS:
            raise EndlessError(
                f"The rule of line {rule.line} matches in {count} ways at once; at most {MOST_COMBINATIONS} "
                "are visited. Give it fewer rows."
            )
        for combination in product(*reversed(found)):
            yield combination[::-1]

    def _matches(self, board: _Board, row: RuleRow, direction: str) -> Iterator[_Match]:
        """Yield the matches of a row in the order of the scan."""
        width, height = self._width, self._height
        step = {"up": -1, "down": 1, "left": -height, "right": height}[direction]
        upright = direction in ("up", "down")
        length, across = (height, width) if upright else (width, height)
        free = length - row.cells
        if free < 0:
            return
        first = row.parts[0]
        backward = direction in ("up", "left")
        starts = range(row.cells - 1, length) if backward else range(free + 1)
        places = (
            ((x * height + y, y) for x in range(across) for y in starts) if upright
            else ((x * height + y, x) for y in range(across) for x in starts)
        )  # fmt: skip
        cells, moves = board.cells, board.moves
        head = first[0]
        required, forbidden = head.required, head.forbidden
        for index, place in places:
            cell = cells[index]
            if cell & required != required or cell & forbidden:
                continue
            if not self._part_holds(cells, moves, first, index, step):
                continue
            room = place - row.cells + 1 if backward else free - place
            yield from self._rest(board, row.parts, 1, index, index + len(first) * step, step, room)

    def _rest(
        self, board: _Board, parts: Sequence[tuple[Pattern, ...]], at: int, start: int, end: int, step: int,
        room: int,
    ) -> Iterator[_Match]:  # fmt: skip
        """Yield the matches of the parts from `at` on, after the part that lies from `start` to `end`."""
        here = tuple(range(start, end, step))
        if at == len(parts):
            yield here
            return
        part = parts[at]
        for gap in range(room + 1):
            begin = end + gap * step
            if self._part_holds(board.cells, board.moves, part, begin, step):
                for rest in self._rest(
                    board, parts, at + 1, begin, begin + len(part) * step, step, room - gap
                ):
                    yield here + rest

    @staticmethod
    def _part_holds(
        cells: list[int], moves: list[int], part: Sequence[Pattern], index: int, step: int
    ) -> bool:
        for pattern in part:
            if not _holds(pattern, cells[index], moves[index]):
                return False
            index += step
        return True

    @staticmethod
    def _holds(board: _Board, rule: Rule, combination: tuple[_Match, ...]) -> bool:
        indices = (index for match in combination for index in match)
        return all(
            _holds(pattern, board.cells[index], board.moves[index])
            for pattern, index in zip(rule.patterns, indices, strict=True)
        )

    def _replace(self, board: _Board, rule: Rule, combination: tuple[_Match, ...], rigid: int) -> bool:
        changed = False
        indices = (index for match in combination for index in match)
        for pattern, index in zip(rule.patterns, indices, strict=True):
            if pattern.replacement is not None:
                number = rigid if rule.rigid else 0
                changed = self._replace_cell(board, pattern.replacement, index, number) or changed
        if changed:
            self._fired.add(rule.line)
        return changed

    def _replace_cell(self, board: _Board, what: Replacement, index: int, rigid: int) -> bool:
        put, clear, moves_set, moves_clear = what.set, what.clear, what.moves_set, what.moves_clear
        if what.random_objects:
            number = what.random_objects[self._drawn(len(what.random_objects))]
            layer = self._layer_of[number]
            put |= 1 << number
            clear |= self._layers[layer]
            moves_clear |= ALL << LAYER_BITS * layer
        for layer in what.random_layers:
            moves_set |= 1 << LAYER_BITS * layer + self._drawn(4)
        noted = bool(rigid and what.touched) and self._note(board, what.touched, index, rigid)
        cell = board.cells[index] & ~clear | put
        moves = board.moves[index] & ~moves_clear | moves_set
        changed = noted or cell != board.cells[index] or moves != board.moves[index]
        board.cells[index], board.moves[index] = cell, moves
        board.all_cells |= cell
        board.all_moves |= moves
        return changed

    def _note(self, board: _Board, touched: int, index: int, rigid: int) -> bool:
        """Note a rigid group at the layers that its rule touched; return whether the note is new."""
        numbers = 0
        for layer in range(len(self._layers)):
            if touched >> LAYER_BITS * layer & ALL:
                numbers |= rigid << LAYER_BITS * layer
        if not (touched & ~board.marks[index] and numbers & ~board.groups[index]):
            return False
        board.marks[index] |= touched
        board.groups[index] |= numbers
        return True

    def _drawn(self, count: int) -> int:
        if self._chance is None:
            raise RandomError()
        return self._chance.below(count)

    @staticmethod
    def _queue(board: _Board, rule: Rule) -> None:
        if not rule.commands or "cancel" in board.queue:
            return
        if "restart" in board.queue and "cancel" not in rule.commands:
            return
        if "cancel" in rule.commands or "restart" in rule.commands:
            board.queue.clear()
        board.queue += [command for command in dict.fromkeys(rule.commands) if command not in board.queue]

    def _move(self, board: _Board) -> None:
        """Move everything that can, in passes over the cells in order."""
        moved = True
        while moved:
            moved = False
            for index, moves in enumerate(board.moves):
                if moves:
                    for layer, mask in enumerate(self._layers):
                        bits = moves >> LAYER_BITS * layer & ALL
                        if bits and self._move_one(board, index, bits, mask):
                            board.moves[index] &= ~(ALL << LAYER_BITS * layer)
                            moved = True

    def _move_one(self, board: _Board, index: int, bits: int, mask: int) -> bool:
        if bits == INPUT_BITS["action"]:
            return True
        if bits not in _STEPS:
            raise UndefinedMoveError()
        dx, dy = _STEPS[bits]
        x, y = divmod(index, self._height)
        x, y = x + dx, y + dy
        if not (0 <= x < self._width and 0 <= y < self._height):
            return False
        target = x * self._height + y
        if board.cells[target] & mask:
            return False
        board.cells[target] |= board.cells[index] & mask
        board.cells[index] &= ~mask
        return True

    def _failed(self, board: _Board) -> frozenset[int]:
        """Return the rigid groups with a movement that was not used up, at most one a cell."""
        found = set()
        for index, moves in enumerate(board.moves):
            left = moves & board.marks[index]
            for layer in range(len(self._layers)):
                if left >> LAYER_BITS * layer & ALL:
                    found.add(board.groups[index] >> LAYER_BITS * layer & ALL)
                    break
        return frozenset(found)


def _holds(pattern: Pattern, cell: int, moves: int) -> bool:
    return (
        cell & pattern.required == pattern.required
        and not cell & pattern.forbidden
        and moves & pattern.moves == pattern.moves
        and not moves & pattern.still
        and (not pattern.any_of or all(cell & mask for mask in pattern.any_of))
    )


def _needs(rule: Rule) -> tuple[int, int]:
    """Return the objects and the movements without which a rule cannot match."""
    patterns = rule.patterns
    return reduce(or_, (p.required for p in patterns)), reduce(or_, (p.moves for p in patterns))
