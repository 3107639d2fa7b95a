"""How Snakebird is played, for booklets: what occurs in the levels, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_core.plugin import Instruction, svg
from epcg_snakebird.rendering import picture
from epcg_snakebird.rules.level import SPIKES, Level


def how_to_play(states: Sequence[Level]) -> list[Instruction]:
    """Explain the game to players of these levels."""
    return list(_instructions(states))


def _instructions(levels: Sequence[Level]) -> Iterator[Instruction]:
    several = any(len(level.snakes) > 1 for level in levels)
    fruit = any(level.fruit for level in levels)
    objects = any(level.objects for level in levels)
    yield Instruction(
        "A snake crawls one cell to the left, to the right, up or down, head first, and its body follows. "
        "It cannot crawl into the ground or into a body.",
        _icon("A snake", picture.snake((1, 0), 2, 0), 2),
    )
    if several:
        yield Instruction("Move the snakes in any order. A snake pushes another one that is in its way.")
    holds = ["the ground", *["a fruit"] * fruit, *["another snake"] * several, *["an object"] * objects]
    yield Instruction(
        f"A snake falls unless a part of it lies on {_either(holds)}. If it falls out of the level, you "
        "have lost."
    )
    if fruit:
        yield Instruction(
            "A snake that eats a fruit grows by a cell. All fruit must be eaten.",
            _icon("Fruit", picture.fruit(0, 1)),
        )
    yield Instruction(
        ("Then the exit opens. " if fruit else "")
        + ("A snake whose head enters it leaves the level. You have won when all are out." if several
           else "You have won when the snake's head enters it."),
        _icon("The exit", picture.way_out(0, 1, True)),
    )  # fmt: skip
    if any(SPIKES in level.tiles[: -level.width] for level in levels):
        yield Instruction(
            "Spikes kill a snake that crawls into them or falls onto them.",
            _icon("Spikes", picture.thorns(picture.CELL / 2, picture.CELL / 2)),
        )
    if objects:
        yield Instruction(
            "Objects are pushed and fall, each as a whole, also if its parts do not touch. They may lie on "
            "spikes.",
            _icon("An object", picture.wood((0,), 1, "A", picture.WOODS[0])),
        )
    if any(level.portals for level in levels):
        yield Instruction(
            "Who enters a portal comes out of the other one as a whole and in the same shape, if there is "
            "room.",
            _icon("A portal", picture.portal(0, 1)),
        )


def _either(things: Sequence[str]) -> str:
    return " or ".join([", ".join(things[:-1]), things[-1]]) if len(things) > 1 else things[0]


def _icon(title: str, part: str, width: int = 1) -> str:
    return svg.document(width * picture.CELL, picture.CELL, title, [part])
