"""How a level can be passed: from where to where, by how many jumps, and how exactly they must be timed.

On the ground all that counts is the place, and an action leads to the next place on the ground or to none. So
the ways through a level are those through a small graph without circles, from column to column.
"""

from __future__ import annotations

import math
from functools import cached_property

from epcg_segments.rules import JUMP, RUN, Level, Place, landing, standing_heights


class Passing:
    """The places of a level on which the player can stand, and where its actions lead from there."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.last = len(level[0]) - 1
        self.places: list[Place] = [
            (column, height) for column in range(self.last + 1) for height in standing_heights(level, column)
        ]
        self.after_run = {place: landing(level, place, RUN) for place in self.places}
        self.after_jump = {place: landing(level, place, JUMP) for place in self.places}

    @cached_property
    def entries(self) -> list[int]:
        """The heights at which the level can be entered: the player stands there in the first column."""
        return [height for column, height in self.places if column == 0]

    def fewest_jumps(self, entry: int) -> dict[int, int]:
        """Return the heights at which a level can be left, with the fewest jumps on the way from an entry.

        It is left at a height if the player stands there in the last column.
        """
        fewest = {(0, entry): 0}
        for place in self.places:
            if place in fewest:
                for after, cost in ((self.after_run[place], 0), (self.after_jump[place], 1)):
                    if after is not None:
                        fewest[after] = min(fewest.get(after, cost + fewest[place]), cost + fewest[place])
        return {height: jumps for (column, height), jumps in fewest.items() if column == self.last}

    def easiest_way(self) -> list[str] | None:
        """Return the actions, tick by tick, of a way with the fewest jumps from where play begins, if any."""
        if not self.entries:
            return None
        fewest: dict[Place, int] = {(0, self.entries[0]): 0}
        before: dict[Place, tuple[Place, str]] = {}
        for place in self.places:
            if place in fewest:
                for action, targets in ((RUN, self.after_run), (JUMP, self.after_jump)):
                    after, jumps = targets[place], fewest[place] + (action == JUMP)
                    if after is not None and jumps < fewest.get(after, jumps + 1):
                        fewest[after], before[after] = jumps, (place, action)
        ends = [place for place in fewest if place[0] == self.last]
        if not ends:
            return None
        place, way = min(ends, key=lambda end: fewest[end]), list[str]()
        while place in before:
            (column, height), action = before[place]
            way = [action, *[RUN] * (place[0] - column - 1), *way]
            place = (column, height)
        return way

    @cached_property
    def winning(self) -> set[Place]:
        """The places from which the last column can be reached."""
        found = set()
        for place in reversed(self.places):
            if place[0] == self.last or self.after_run[place] in found or self.after_jump[place] in found:
                found.add(place)
        return found

    def margin(self, entry: int) -> float:
        """Return the margin of the most forgiving way from an entry.

        A *run* begins where the player lands or enters, and goes on as long as it stays on the ground. A
        jump of a run succeeds if the last column can still be reached after it. The margin of a jump is by
        how many ticks it can be moved: one less than the number of columns around it, without a break, in
        which a jump of the same run succeeds. The margin of a way is the smallest of its jumps, infinite
        without jumps.

        Returns:
            The largest margin of a way, `math.inf` for a way without jumps, or -1 if there is no way.
        """
        best: dict[Place, float] = {}
        for place in reversed(self.places):
            best[place] = self._margin_from(place, best)
        return best[(0, entry)]

    def _margin_from(self, place: Place, best: dict[Place, float]) -> float:
        run = [place]
        while (after := self.after_run[run[-1]]) is not None and after[0] == run[-1][0] + 1:
            run.append(after)
        found = -1.0
        if run[-1][0] == self.last:
            return math.inf
        if after is not None:
            found = best[after]
        window: list[Place] = []
        for each in [*run, None]:
            target = self.after_jump[each] if each is not None else None
            if target is not None and target in self.winning:
                window.append(target)
            elif window:
                found = max(found, min(len(window) - 1, max(best[target] for target in window)))
                window = []
        return found
