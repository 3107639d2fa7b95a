"""Levels with something taken out, to show what it is there for.

A level's file names its mechanic and what to take out, one thing or several:

    mechanic: a snake grows by eating
    without: fruit; object a; snake 2; tail of 1; spikes; portals; gap 5,3 6,3; parts of a
"""

from __future__ import annotations

import re

import attrs

from epcg_snakebird.formats.drawing import OBJECT_MARKS
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level, LevelError

KINDS = "fruit, portals, spikes, object a, parts of a, snake 1, tail of 1, or gap 3,4 with the cells to fill"


def without(level: Level, what: str) -> Level:
    """Return the level without `what`, which names one thing (see the module).

    Spikes become ground, but for the last row; a gap is filled with ground; an object without its parts
    keeps its first cell only, a snake without its tail is a cell shorter. Raises LevelError if there is
    no such thing.
    """
    if what == "fruit" and level.fruit:
        return attrs.evolve(level, fruit=())
    if what == "portals" and level.portals:
        return attrs.evolve(level, portals=())
    if what == "spikes":
        above = level.tiles[: -level.width]
        if SPIKES in above:
            solid = [GROUND if tile == SPIKES else tile for tile in above]
            return attrs.evolve(level, tiles=(*solid, *level.tiles[-level.width :]))
    if match := re.fullmatch(r"(object|parts of) ([a-z])", what):
        index = OBJECT_MARKS.find(match[2])
        if 0 <= index < len(level.objects):
            kept = level.objects[index][:1] if match[1] == "parts of" else ()
            objects = (*level.objects[:index], kept, *level.objects[index + 1 :])
            return attrs.evolve(level, objects=[cells for cells in objects if cells])
    if match := re.fullmatch(r"snake ([1-9])", what):
        index = int(match[1]) - 1
        if index < len(level.snakes) and len(level.snakes) > 1:
            return attrs.evolve(level, snakes=level.snakes[:index] + level.snakes[index + 1 :])
    if match := re.fullmatch(r"tail of ([1-9])", what):
        index = int(match[1]) - 1
        if index < len(level.snakes) and len(level.snakes[index]) > 2:
            shorter = level.snakes[index][:-1]
            return attrs.evolve(level, snakes=(*level.snakes[:index], shorter, *level.snakes[index + 1 :]))
    if re.fullmatch(r"gap( [0-9]{1,6},[0-9]{1,6})+", what):
        for place in what.split()[1:]:
            x, y = map(int, place.split(","))
            if not (x < level.width and y < level.height and level.tiles[level.cell(x, y)] == SKY):
                raise LevelError(f"{level.name or 'The level'}: there is no gap at {place}.")
            level = level.with_tile(level.cell(x, y), GROUND)
        return level
    raise LevelError(f"{level.name or 'The level'} has no '{what}' to take out: name {KINDS}.")
