"""Habits of a game's levels: what an empty cell holds, and what each level has one of.

A game says neither. Its levels show both: an empty cell holds what mostly lies below what moves, and a hero,
or an exit, that stands once in each level stays once. A level that is taken out of its game takes the habits
along in a comment, if it would show others by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import attrs

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.roles import moving_bits

Cells = tuple[int, ...]
FEW = 3
"""In fewer levels a second crate may be missing by chance."""
_COMMENT = re.compile(
    r"\(In the levels of this game an empty cell holds (?P<floors>[\w ,]+?)"
    r"(?:; there is one (?P<once>[\w ,]+))?\.\)",
    re.IGNORECASE,
)


@attrs.frozen
class Habits:
    """Habits of levels, as bits of objects."""

    floors: tuple[int, ...]
    """The contents of empty cells, the most frequent first: of most games one."""
    once: tuple[int, ...]
    """Objects of which each level has one together: one hero, whichever way he looks."""

    def empty(self, cells: Cells) -> int:
        """Return what an empty cell of a level holds: the floor that it has most of."""
        here = Counter(cells)
        return max(self.floors, key=lambda floor: here[floor])


@lru_cache(maxsize=32)
def habits_of(game: Game) -> Habits:
    """Return the habits of a game's levels; of one level alone, those that it was told, if it was."""
    maps = game.maps
    return (_told(game) if len(maps) == 1 else None) or _shown(game, [level.cells for level in maps])


def comment_on(game: Game, cells: Cells) -> str:
    """Return the comment that a level needs apart from its game to keep the habits; '' if it needs none."""
    habits, own = habits_of(game), _shown(game, [cells])
    if own.once == habits.once and own.empty(cells) == habits.empty(cells):
        return ""
    floors = ", or ".join(_words(game, floor, " and ") for floor in habits.floors)
    once = ", one ".join(_words(game, group, " or ") for group in habits.once)
    return f"(In the levels of this game an empty cell holds {floors}" + (
        f"; there is one {once}.)" if once else ".)"
    )


def _words(game: Game, bits: int, joint: str) -> str:
    return joint.join(thing.name for thing in game.objects if bits >> thing.number & 1) or "nothing"


def _told(game: Game) -> Habits | None:
    """Return the habits of the comment in front of the level; None if there is none that can be read."""
    lines = game.text.replace("\r\n", "\n").split("\n")[game.headers["levels"] :]
    first = next((line.strip() for line in lines if line.strip(" \t\r=")), "")
    found = _COMMENT.fullmatch(first)
    if found is None:
        return None
    numbers = {thing.name: thing.number for thing in game.objects} | {"nothing": -1}
    try:
        floors = [_bits(words.split(" and "), numbers) for words in found["floors"].split(", or ")]
        once = [
            _bits(words.split(" or "), numbers) for words in (found["once"] or "").split(", one ") if words
        ]
    except KeyError:  # an object has another name since
        return None
    return Habits(tuple(floors), tuple(once))


def _bits(names: Sequence[str], numbers: Mapping[str, int]) -> int:
    found = 0
    for name in names:
        number = numbers[name.strip().lower()]
        found |= 1 << number if number >= 0 else 0
    return found


def _shown(game: Game, levels: Sequence[Cells]) -> Habits:
    """Return the habits that levels show."""
    many = [_counted(cells) for cells in levels]
    players = game.player.bits
    played = [cells for cells in many if any(cell & players for cell in cells)]
    floors = _floors(game, many)
    return Habits(floors, _once(game, played, floors))


@lru_cache(maxsize=4096)
def _counted(cells: Cells) -> Mapping[int, int]:
    return Counter(cells)


def _floors(game: Game, levels: Sequence[Mapping[int, int]]) -> tuple[int, ...]:
    """Return what lies below what moves, and elsewhere without it, the most frequent first.

    If nothing does, because the hero begins on a sign of his own, the most of it that lies elsewhere too.
    """
    moving = moving_bits(game)
    bare: Counter[int] = Counter()
    below: set[int] = set()
    for cells in levels:
        for cell, count in cells.items():
            if cell & moving:
                below.add(cell & ~moving)
            else:
                bare[cell] += count
    found = [cell for cell in bare if cell in below]
    if not found:
        parts = [cell for cell in bare if any(cell & ~other == 0 for other in below)]
        most = max((cell.bit_count() for cell in parts), default=0)
        found = [cell for cell in parts if cell.bit_count() == most]
    usual = 0 if game.background is None else 1 << game.background
    return tuple(sorted(found, key=lambda cell: (-bare[cell], cell))) or (usual,)


def _once(game: Game, levels: Sequence[Mapping[int, int]], floors: Sequence[int]) -> tuple[int, ...]:
    """Return the objects of which each level has one. A few levels tell it of their hero only."""
    if not levels:
        return ()
    players = game.player.bits
    found: list[int] = []
    if not game.player.whole and all(_number(players, cells) == 1 for cells in levels):
        found.append(players)
    common = game.background_layer | sum(found)
    for floor in floors:
        common |= floor
    for thing in game.objects:
        bit = 1 << thing.number
        asked = bit & (players if len(levels) < FEW else ~0) & ~common
        if asked and all(_number(bit, cells) == 1 for cells in levels):
            found.append(bit)
    return tuple(found)


def _number(bits: int, cells: Mapping[int, int]) -> int:
    return sum(count for cell, count in cells.items() if cell & bits)
