"""A solution as a moving picture: SVG with SMIL animations, which browsers play without a script.

Each move has a step, in which the snake and what it pushes move, and a second one if something falls.
Snakes are lines whose points move along with their cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import attrs

from epcg_core.plugin import number
from epcg_snakebird.rendering import picture
from epcg_snakebird.rendering.levels import fixtures, framed, object_at, title
from epcg_snakebird.rules.level import Cells, Level
from epcg_snakebird.rules.moves import STEPS, Move, Position, as_text, play, start
from epcg_snakebird.rules.variants import Rules

MOVE_SECONDS = 0.28
FALL_SECONDS = 0.22
PAUSE_SECONDS = 1.2
"""Before the first move and after the last one."""


@attrs.frozen
class Frame:
    """The positions of all entities at a time."""

    seconds: float
    snakes: tuple[Cells, ...]
    objects: tuple[Cells, ...]
    fruit: Cells


def frames(level: Level, moves: Sequence[Move], rules: Rules) -> list[Frame]:
    """Return the frames of a solution in the order of their times.

    Args:
        level: the level.
        moves: its solution, or other moves from its first position.
        rules: what the rules leave open.

    Raises:
        ValueError: for moves that are illegal or deadly by these rules.
    """
    position, seconds = start(level), PAUSE_SECONDS
    found = [_frame(0.0, position), _frame(seconds, position)]
    for move in moves:
        after = play(position, move, rules)
        if after is None:
            raise ValueError(f"A snake or an object dies by the move {move}.")
        seconds += MOVE_SECONDS
        between = _before_fall(seconds, position, after, move)
        if between is not None:
            found.append(between)
            seconds += FALL_SECONDS
        found.append(_frame(seconds, after))
        position = after
    return [*found, _frame(seconds + PAUSE_SECONDS, position)]


def _frame(seconds: float, position: Position) -> Frame:
    objects = tuple(position.object_cells(i) for i in range(len(position.objects)))
    return Frame(seconds, position.snakes, objects, position.fruit)


def _before_fall(seconds: float, before: Position, after: Position, move: Move) -> Frame | None:
    """Return what a move looks like before anything falls; None if nothing falls straight down after it."""
    level, last = before.level, _frame(seconds, after)
    first = _frame(seconds, before)
    dx, dy = STEPS[move.direction]

    def above(cells: Cells, arrived: Cells) -> bool:
        """Return whether `arrived` is a fall from `cells`."""
        if len(cells) != len(arrived) or not cells:
            return False
        drop = arrived[0] - cells[0]
        fell = all(b - a == drop for a, b in zip(cells, arrived, strict=True))
        return drop > 0 and drop % level.width == 0 and fell

    fell = False
    snakes, objects = list(last.snakes), list(last.objects)
    for group, old, new in ((snakes, first.snakes, last.snakes), (objects, first.objects, last.objects)):
        for index, (cells, arrived) in enumerate(zip(old, new, strict=True)):
            if group is snakes and index == move.snake:
                target = level.neighbour(cells[0], dx, dy)
                grown = target in before.fruit
                stepped: Cells | None = (target, *(cells if grown else cells[:-1]))
            else:
                stepped = level.shifted(cells, dx, dy)
            for possible in (stepped, cells):
                if possible is not None and above(possible, arrived):
                    group[index] = possible
                    fell = True
                    break
    return Frame(seconds, tuple(snakes), tuple(objects), after.fruit) if fell else None


def solution_svg(level: Level, moves: Sequence[Move], rules: Rules) -> str:
    """Draw a level as an SVG document that plays a solution again and again.

    Args:
        level: the level.
        moves: its solution.
        rules: what the rules leave open.

    Raises:
        ValueError: for moves that are illegal or deadly by these rules.
    """
    film = _Film(level, frames(level, moves, rules))
    parts = [*picture.scene(level), *film.fixtures()]
    parts += [film.wood(i) for i in range(len(level.objects))]
    parts += [film.snake(i) for i in range(len(level.snakes))]
    return framed(level, f"{title(level)}; solved by {as_text(moves)}", parts)


class _Film:
    """Animations of one length, whose key times are those of the frames."""

    def __init__(self, level: Level, frames: Sequence[Frame]) -> None:
        self._level = level
        self._frames = frames
        self._total = frames[-1].seconds

    def fixtures(self) -> list[str]:
        """Draw the portals, the exit, shut and open, and the fruit, each as long as it is there."""
        level = self._level
        fruit = [frame.fruit for frame in self._frames]
        base = fixtures(level, ())
        portals, way_out = base[: len(level.portals)], base[len(level.portals)]
        found = list(portals)
        if level.fruit:
            found.append(
                self._shown(picture.way_out(level.exit, level.width, False), lambda f: bool(f.fruit))
            )
            found.append(self._shown(way_out, lambda f: not f.fruit))
        else:
            found.append(way_out)
        for kind, cell in enumerate(level.fruit):
            if all(cell in left for left in fruit):
                found.append(picture.fruit(cell, level.width, kind))
            else:
                there = [cell in left for left in fruit]
                found.append(self._shown(picture.fruit(cell, level.width, kind), there))
        return found

    def wood(self, index: int) -> str:
        """Draw an object, moved as a whole, as long as it is in the world."""
        places: list[Cells] = []
        for frame in self._frames:
            places.append(frame.objects[index] or places[-1])
        home = self._level.place(places[0][0])
        steps = [self._level.place(cells[0]) for cells in places]
        shifts = [f"{picture.CELL * (x - home[0])} {picture.CELL * (y - home[1])}" for x, y in steps]
        drawn = object_at(places[0], self._level.width, index)
        moving = f"<g>{drawn}{self._transform('translate', shifts)}</g>"
        return self._shown(moving, lambda frame: bool(frame.objects[index]))

    def snake(self, index: int) -> str:
        """Draw a snake: its line, its head, and the moment when it leaves by the exit."""
        level = self._level
        cells = [frame.snakes[index] for frame in self._frames]
        longest = max(map(len, cells))
        # All lines have as many points; a shorter snake has some of them in its tail, one that is out all of
        # them in the exit.
        lines = []
        last = cells[0]
        for own in cells:
            last = own or (level.exit,) * len(last)
            lines.append(
                [picture.centre(c, level.width) for c in (*last, *[last[-1]] * (longest - len(last)))]
            )
        joined = [" ".join(f"{number(x)},{number(y)}" for x, y in line) for line in lines]
        moving = self._animate("animate", "points", joined)
        places = [f"{number(line[0][0])} {number(line[0][1])}" for line in lines]
        head = []
        turns = self._turns(cells)
        for turn in sorted(set(turns)):
            drawn = picture.head(None, turn, index + 1)
            head.append(self._shown(drawn, [own == turn for own in turns]))
        body = picture.body(lines[0], index + 1, moving)
        moved = self._transform("translate", places)
        # Where nothing moves (a printer, say) the head is where the line begins.
        head_group = f'<g transform="translate({places[0]})">{"".join(head)}{moved}</g>'
        whole = f'<g class="snake">{body}{head_group}</g>'
        return self._shown(whole, lambda frame: bool(frame.snakes[index]))

    def _turns(self, cells: Sequence[Cells]) -> list[int]:
        """Return where the head looks in each frame, already while it moves there."""
        looks = []
        last = 0
        for own in cells:
            last = picture.facing(own, self._level.width) if own else last
            looks.append(last)
        return [after for _, after in pairwise(looks)] + [looks[-1]]

    def _shown(self, drawn: str, when: Callable[[Frame], bool] | Sequence[bool]) -> str:
        """Make `drawn` visible in some of the frames only."""
        seen = [when(frame) for frame in self._frames] if callable(when) else list(when)
        if all(seen):
            return drawn
        values = ["1" if now else "0" for now in seen]
        return f'<g opacity="{values[0]}">{drawn}{self._animate("animate", "opacity", values, False)}</g>'

    def _transform(self, kind: str, values: Sequence[str]) -> str:
        return self._animate("animateTransform", "transform", values, True, f' type="{kind}"')

    def _animate(
        self, element: str, attribute: str, values: Sequence[str], smooth: bool = True, more: str = ""
    ) -> str:
        """Animate an attribute, smoothly or by jumps."""
        times = ";".join(
            f"{frame.seconds / self._total:.4f}".rstrip("0").rstrip(".") for frame in self._frames
        )
        mode = "linear" if smooth else "discrete"
        return (
            f'<{element} attributeName="{attribute}"{more} values="{";".join(values)}" keyTimes="{times}" '
            f'dur="{self._total:.2f}s" calcMode="{mode}" repeatCount="indefinite"/>'
        )
