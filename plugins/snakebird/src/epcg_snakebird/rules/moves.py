"""The rules, in plain Python: the definition that compiled forms are compared with.

A move of a snake may push others; then portals and gravity act until nothing changes. Source: Sturtevant,
Decroocq, Tripodi & Guzdial, "The Unexpected Consequence of Incremental Design Changes" (2020).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import attrs

from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Cells, Level
from epcg_snakebird.rules.variants import LEAVES, PAPER, Rules

DIRECTIONS = "DURL"
"""In the order in which ties between shortest solutions are broken."""
STEPS = {"D": (0, 1), "U": (0, -1), "R": (1, 0), "L": (-1, 0)}
"""(dx, dy) of each direction."""
MOST_TELEPORTS = 10
OUT = -1
"""The position of an object that fell out of the world."""


class Move(NamedTuple):
    """A snake's head goes one cell on."""

    snake: int
    """Its index, from 0. Text counts snakes from 1, as pictures and the game do."""
    direction: str
    """One of DIRECTIONS."""

    def __str__(self) -> str:
        return f"{self.snake + 1}{self.direction}"

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read a move such as '1R'. Raises ValueError."""
        if len(text) != 2 or text[0] not in "123456789" or text[1] not in DIRECTIONS:
            raise ValueError(
                f"'{text}' is not a move: write a snake's number and one of {DIRECTIONS}, as in '1R'."
            )
        return cls(int(text[0]) - 1, text[1])


@attrs.frozen
class Position:
    """A state of play in which no snake is dead. It is canonical: equal states are equal."""

    level: Level = attrs.field(repr=lambda level: f"<{level.name or 'level'}>")
    snakes: tuple[Cells, ...]
    """The cells of each snake, its head first; () for a snake that is out."""
    objects: Cells
    """The position of each object's first cell (in reading order); OUT for one that fell out of the world."""
    fruit: Cells
    """The fruit left, ascending."""

    @property
    def solved(self) -> bool:
        """Whether all snakes are out."""
        return not any(self.snakes)

    def object_cells(self, index: int) -> Cells:
        """Return the cells of an object, ascending; () for one that fell out of the world."""
        first = self.objects[index]
        if first == OUT:
            return ()
        shape = self.level.objects[index]
        return tuple(cell - shape[0] + first for cell in shape)


def start(level: Level) -> Position:
    """Return the first position. Nothing is settled: gravity first acts after the first move."""
    return Position(level, level.snakes, tuple(cells[0] for cells in level.objects), level.fruit)


def legal_moves(position: Position, rules: Rules = PAPER) -> list[Move]:
    """Return the legal moves, deadly ones included: snakes by index, then down, up, right, left."""
    return [move for move, _ in _World(position, rules).legal_moves()]


def successors(position: Position, rules: Rules = PAPER) -> Iterator[tuple[Move, Position]]:
    """Yield the legal moves by which no snake dies, in order, and the position after each (see `play`)."""
    world = _World(position, rules)
    for move, pushed in world.legal_moves():
        after = world.copied()
        if after.move(move, pushed):
            yield move, after.position()


def play(position: Position, move: Move, rules: Rules = PAPER) -> Position | None:
    """Return the position after a legal move and all that follows from it; None if a snake dies.

    Args:
        position: the position before the move.
        move: the move.
        rules: what the rules leave open.

    Raises:
        ValueError: for a move that is not legal.
    """
    world = _World(position, rules)
    in_play = 0 <= move.snake < len(position.snakes) and position.snakes[move.snake]
    pushed = world.pushed(move.snake, move.direction) if in_play else None
    if pushed is None:
        raise ValueError(f"The move {move} is not legal here.")
    return world.position() if world.move(move, pushed) else None


class _World:
    """A position that is being changed. Entities are numbered: the snakes, then the objects."""

    def __init__(self, position: Position, rules: Rules) -> None:
        self.level = position.level
        self.rules = rules
        self.snakes = len(position.snakes)
        objects = map(position.object_cells, range(len(position.objects)))
        self.entities: list[Cells] = [*position.snakes, *objects]
        """Cells, a snake's from the head on, an object's ascending; () for an entity that is out."""
        self.fruit = set(position.fruit)
        self.occupant = {cell: e for e, cells in enumerate(self.entities) for cell in cells}

    def copied(self) -> _World:
        """Return a copy that can be changed by itself."""
        other = _World.__new__(_World)
        other.level, other.rules = self.level, self.rules
        other.snakes = self.snakes
        other.entities = self.entities.copy()
        other.fruit = self.fruit.copy()
        other.occupant = self.occupant.copy()
        return other

    def legal_moves(self) -> Iterator[tuple[Move, set[int]]]:
        """Yield the legal moves, deadly ones included, and what each pushes (see `legal_moves`)."""
        for snake in range(self.snakes):
            if self.entities[snake]:
                for direction in DIRECTIONS:
                    pushed = self.pushed(snake, direction)
                    if pushed is not None:
                        yield Move(snake, direction), pushed

    def position(self) -> Position:
        """Return the position after the move."""
        objects = tuple(cells[0] if cells else OUT for cells in self.entities[self.snakes :])
        return Position(self.level, tuple(self.entities[: self.snakes]), objects, tuple(sorted(self.fruit)))

    def pushed(self, snake: int, direction: str) -> set[int] | None:
        """Return the entities that a move pushes; None if the move is not legal."""
        dx, dy = STEPS[direction]
        target = self.level.neighbour(self.entities[snake][0], dx, dy)
        if target == -1 or self.level.tiles[target] != SKY:
            return None
        first = self.occupant.get(target)
        if first is None:
            return set()
        if first == snake or direction == "D":
            return None
        left = self._left_by(snake, target)
        pushed, waiting = {first}, [first]
        while waiting:
            entity = waiting.pop()
            for cell in self.entities[entity]:
                ahead = self.level.neighbour(cell, dx, dy)
                if ahead == -1 or self.level.tiles[ahead] != SKY or ahead in self.fruit:
                    return None
                other = self.occupant.get(ahead)
                if other == snake:
                    if ahead != left:
                        return None
                elif other is not None and other not in pushed:
                    pushed.add(other)
                    waiting.append(other)
        return pushed

    def _left_by(self, snake: int, target: int) -> int | None:
        """Return the cell of a snake's tail if the snake's step to `target` leaves it free, else None."""
        leaves = self.rules.own_tail == LEAVES and target not in self.fruit
        return self.entities[snake][-1] if leaves else None

    def move(self, move: Move, pushed: set[int]) -> bool:
        """Make a legal move, then let portals and gravity act until nothing changes; False: a death."""
        dx, dy = STEPS[move.direction]
        body = self.entities[move.snake]
        target = self.level.neighbour(body[0], dx, dy)
        if target == self.level.exit and not self.fruit:
            self._put(move.snake, ())
        elif target in self.fruit:
            self.fruit.remove(target)
            self._put(move.snake, (target, *body))
        else:
            self._put_all({entity: self._shifted(entity, dx, dy) for entity in pushed})
            self._put(move.snake, (target, *body[:-1]))
        self._let_out()
        return self._settle(move.snake, {move.snake, *pushed}, (dx, dy))

    def _settle(self, mover: int, moved: set[int], step: tuple[int, int]) -> bool:
        """Apply portals and gravity in turn. Only the head of snake `mover` enters portals at first.

        Until nothing changes; False: a death.
        """
        teleports = 0
        portals_act = True
        only_head: int | None = mover
        while True:
            if portals_act:
                teleports += self._portals(moved, step, only_head)
                if teleports > MOST_TELEPORTS:
                    return False
            only_head = None
            moved, step = self._unsupported(), STEPS["D"]
            if not moved:
                return True
            playing = self._playing()
            if not self._fall(moved) and playing:
                return False
            portals_act = not self._let_out()

    def _portals(self, moved: set[int], step: tuple[int, int], only_head: int | None) -> int:
        """Teleport what has just entered a portal; how many entities were."""
        if not self.level.portals:
            return 0
        count = 0
        for snake in range(self.snakes):
            if snake in moved:
                count += self._teleport(snake, step, snake == only_head)
        if not count:
            for entity in range(self.snakes, len(self.entities)):
                if entity in moved and self._teleport(entity, step, False):
                    count = 1
                    break
        self._let_out()
        return count

    def _teleport(self, entity: int, step: tuple[int, int], only_head: bool) -> bool:
        """Move an entity rigidly through the first portal that one of its cells has entered."""
        cells = self.entities[entity]
        for index, cell in enumerate(cells[:1] if only_head else cells):
            if cell not in self.level.portals or self._was_filled(entity, index, step):
                continue
            first, second = self.level.portals
            (x, y), (u, v) = self.level.place(cell), self.level.place(second if cell == first else first)
            arrived = self.level.shifted(cells, u - x, v - y)
            if arrived is not None and all(self._free(entity, there) for there in arrived):
                self._put(entity, arrived)
                return True
        return False

    def _was_filled(self, entity: int, index: int, step: tuple[int, int]) -> bool:
        """Return whether the entity already filled the cell of its part `index` before it moved by `step`."""
        cells = self.entities[entity]
        ahead = self.level.neighbour(cells[index], *step)
        if entity >= self.snakes:
            return ahead in cells
        return ahead != -1 and ahead in (*cells[max(index - 1, 0) : index], *cells[index + 1 : index + 2])

    def _free(self, entity: int, cell: int) -> bool:
        """Return whether a portal may put a part of the entity into the cell."""
        if self.level.tiles[cell] != SKY or self.occupant.get(cell, entity) != entity:
            return False
        return entity >= self.snakes or cell not in self.fruit

    def _unsupported(self) -> set[int]:
        """Return the entities that nothing holds up."""
        falling = {entity for entity, cells in enumerate(self.entities) if cells}
        changed = True
        while changed:
            held = {entity for entity in falling if self._supported(entity, falling)}
            falling -= held
            changed = bool(held)
        return falling

    def _supported(self, entity: int, falling: set[int]) -> bool:
        for cell in self.entities[entity]:
            below = cell + self.level.width
            tile = self.level.tiles[below]
            if tile == GROUND or below in self.fruit or (tile == SPIKES and entity >= self.snakes):
                return True
            other = self.occupant.get(below)
            if other is not None and other not in falling:
                return True
        return False

    def _fall(self, falling: set[int]) -> bool:
        """Let these fall by one row; False: a snake fell onto spikes, or an object out of the world."""
        alive = True
        self._put_all({entity: self._shifted(entity, 0, 1) for entity in falling})
        lowest = self.level.width * (self.level.height - 2)
        for entity in falling:
            cells = self.entities[entity]
            if entity < self.snakes:
                alive = alive and all(self.level.tiles[cell] != SPIKES for cell in cells)
            elif max(cells) >= lowest:
                if self.rules.objects_may_fall_out:
                    self._put(entity, ())
                else:
                    alive = False
        return alive

    def _playing(self) -> bool:
        """Return whether a snake is not out yet."""
        return any(self.entities[: self.snakes])

    def _let_out(self) -> bool:
        """Take out every snake whose head is on the exit, if all fruit is eaten; whether there was one."""
        leaving = [s for s in range(self.snakes) if self.entities[s][:1] == (self.level.exit,)]
        if self.fruit or not leaving:
            return False
        for snake in leaving:
            self._put(snake, ())
        return True

    def _shifted(self, entity: int, dx: int, dy: int) -> Cells:
        moved = self.level.shifted(self.entities[entity], dx, dy)
        assert moved is not None
        return moved

    def _put(self, entity: int, cells: Cells) -> None:
        self._put_all({entity: cells})

    def _put_all(self, places: dict[int, Cells]) -> None:
        """Give entities new cells, all at once."""
        for entity in places:
            for cell in self.entities[entity]:
                if self.occupant.get(cell) == entity:
                    del self.occupant[cell]
        for entity, cells in places.items():
            self.entities[entity] = cells
            for cell in cells:
                self.occupant[cell] = entity


def as_text(moves: Sequence[Move]) -> str:
    """Write moves in a row: '1R 1U'."""
    return " ".join(map(str, moves))
