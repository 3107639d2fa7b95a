"""Small random levels for laws: a few snakes, objects, fruit and portals strewn over random tiles."""

from __future__ import annotations

import random

from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level


def random_level(
    r: random.Random, *, largest_object: int = 3, most_objects: int = 4, most_snakes: int = 3
) -> Level:
    """A level of up to 9 by 7 cells in which every part may occur."""
    while True:
        width, height = r.randint(3, 9), r.randint(3, 7)
        inside = width * (height - 1)
        tiles = r.choices((SKY, GROUND, SPIKES), (6, 3, 1), k=inside - width)
        tiles += r.choices((SKY, GROUND, SPIKES), (1, 8, 1), k=width)  # most often there is a floor
        free = set(range(inside))
        snakes = [_snake(r, width, free, r.randint(2, 5)) for _ in range(r.randint(1, most_snakes))]
        snakes = [snake for snake in snakes if len(snake) > 1]
        wanted = [r.randint(1, largest_object) for _ in range(r.randint(0, most_objects))]
        others = r.choice((0, 2)), r.randint(0, 3)
        if not snakes or len(free) < sum(wanted) + sum(others) + 1:
            continue
        objects = [[_taken(r, free) for _ in range(size)] for size in wanted]
        portals = [_taken(r, free) for _ in range(others[0])]
        fruit = [_taken(r, free) for _ in range(others[1])]
        exit = _taken(r, free)
        for cell in set(range(inside)) - free:
            tiles[cell] = SKY
        return Level(
            width=width,
            height=height,
            tiles=[*tiles, *[SPIKES] * width],
            snakes=snakes,
            exit=exit,
            objects=objects,
            fruit=fruit,
            portals=portals,
            name=f"random {width} by {height}",
        )


def _taken(r: random.Random, free: set[int]) -> int:
    cell = r.choice(sorted(free))
    free.discard(cell)
    return cell


def _snake(r: random.Random, width: int, free: set[int], length: int) -> list[int]:
    """A walk through free cells, which it takes; shorter where there is no way on."""
    cells: list[int] = []
    around = sorted(free)
    while around and len(cells) < length:
        cell = r.choice(around)
        cells.append(cell)
        free.discard(cell)
        x = cell % width
        steps = (cell - width, cell + width, cell - 1 if x else -1, cell + 1 if x < width - 1 else -1)
        around = [there for there in steps if there in free]
    return cells


def shaft_level(r: random.Random) -> Level:
    """Make a level with one portal above the other and an object between them.

    What falls into the lower portal returns to the upper one again and again. A snake stands before the exit,
    so it may be out by then, and another one may not.
    """
    while True:
        width, height = r.randint(4, 8), r.randint(5, 8)
        inside = width * (height - 1)
        column, top = r.randrange(width), r.randrange(height - 4)
        bottom = r.randrange(top + 2, height - 2)
        shaft = {row * width + column for row in range(bottom + 1)}
        free = set(range(inside)) - shaft
        snakes = [_snake(r, width, free, r.randint(2, 4)) for _ in range(r.randint(1, 2))]
        (head, *_), others = snakes[0], free - {cell for snake in snakes for cell in snake}
        exits = [cell for cell in (head + 1, head - 1) if cell in others and cell // width == head // width]
        if not exits or min(map(len, snakes)) < 2:
            continue
        objects = [[r.randrange(top + 1, bottom) * width + column]]
        fruit = r.sample(sorted(others - set(exits)), r.choice((0, 0, 1)))
        taken = {*shaft, *exits, *fruit, *(cell for snake in snakes for cell in snake)}
        tiles = [
            SKY if cell in taken else r.choices((SKY, GROUND, SPIKES), (4, 5, 1))[0] for cell in range(inside)
        ]
        return Level(
            width=width,
            height=height,
            tiles=[*tiles, *[SPIKES] * width],
            snakes=snakes,
            exit=exits[0],
            objects=objects,
            fruit=fruit,
            portals=(top * width + column, bottom * width + column),
            name=f"shaft {width} by {height}",
        )


def tail_level(r: random.Random) -> Level:
    """Make a level in which a snake can push an object whose parts lie before its head and its tail.

    The other parts, and other things, may be in the way of the object or not.
    """
    while True:
        width, height = r.randint(4, 8), r.randint(4, 7)
        inside = width * (height - 1)
        free = set(range(inside))
        snakes = [_snake(r, width, free, r.randint(3, 7)) for _ in range(r.randint(1, 2))]
        (head, *_, tail), step = snakes[0], r.choice((-width, 1, -1))
        parts = {head + step, tail - step} & free
        rows = [(cell + by) // width for cell, by in ((head, step), (tail, -step))] if abs(step) == 1 else []
        torn = rows != [cell // width for cell in (head, tail)][: len(rows)]
        if torn or head + step not in parts or (tail - step not in parts) or min(map(len, snakes)) < 2:
            continue
        free -= parts
        objects = [[*parts, *(_taken(r, free) for _ in range(r.choice((0, 0, 1))))]]
        if len(free) < 10:
            continue
        objects += [[_taken(r, free)] for _ in range(r.randint(0, 2))]
        portals = [_taken(r, free) for _ in range(r.choice((0, 0, 2)))]
        fruit = [_taken(r, free) for _ in range(r.randint(0, 2))]
        exit = _taken(r, free)
        tiles = [r.choices((SKY, GROUND, SPIKES), (5, 4, 1))[0] if c in free else SKY for c in range(inside)]
        return Level(
            width=width,
            height=height,
            tiles=[*tiles, *[SPIKES] * width],
            snakes=snakes,
            exit=exit,
            objects=objects,
            fruit=fruit,
            portals=portals,
            name=f"tail {width} by {height}",
        )
