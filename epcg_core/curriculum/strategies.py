"""Strategies that choose puzzles from candidates: pure functions of arrays.

Candidates are sorted by their measure, lowest first, with ties in the plan's order; strategies choose
positions in that order. So every strategy is deterministic, and the first of equal candidates wins.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.params import param
from epcg_core.curriculum.pool import Pick as Pick, Pool as Pool

SYMMETRY_CLASS = "symmetry_class"
"""A value of `differ_by`: puzzles of one symmetry class have the same shape."""


class Strategy(Protocol):
    """The params of a strategy, which make the choice."""

    name: ClassVar[str]

    @property
    def columns(self) -> Sequence[str]:
        """The measures that it needs besides the chapter's."""

    def rule(self, measure: str, count: int) -> str:
        """Describe the strategy."""

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        """Choose up to `count` candidates, each once, in the order of selection."""

    def declined(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        """Return why a candidate was not chosen."""


def walk(
    keys: NDArray[np.float64],
    targets: Sequence[float],
    shapes: NDArray[np.int64] | None = None,
    at_most: int = 1,
    differ: Callable[[int, int], bool] | None = None,
    beside: Callable[[int, Sequence[int]], bool] | None = None,
) -> list[int]:
    """Return, for each target in order, the position of the nearest of the ascending `keys`.

    Positions increase strictly; with `shapes`, neighbours differ in shape and no shape occurs more than
    `at_most` times. Of equally near keys the smaller one is taken, of equal keys the first. A key is taken
    only if the keys after it suffice for the rest. If there are too few keys, the result is that of always
    taking the first possible one. With `differ`, neighbours satisfy it; no key is given up for the sake of
    later ones then, and if none is left that differs, the result is too short. With `beside`, each key is one
    that may stand beside all that were taken before; if none is left behind these, one before them is taken:
    the positions are sorted, and a key may be farther from its target.
    """
    seats = _Seats(len(keys), shapes, at_most)
    if len(seats.first_possible(len(targets))) < len(targets):
        return seats.first_possible(len(targets))
    for i, target in enumerate(targets):
        remaining = len(targets) - i - 1
        low, high = seats.last + 1, len(keys) - 1 - remaining
        possible = (p for p in _by_distance(keys, target, low, high) if seats.suffices(p, remaining))
        if differ is not None and i:
            possible = (p for p in possible if differ(seats.last, p))
        if beside is not None:
            possible = (p for p in possible if beside(p, seats.taken))
        position = next(possible, None)
        if position is None and beside is not None and shapes is None and differ is None:
            position = _passed_before(keys, target, seats.taken, beside)
        if position is None:
            break
        seats.take(position)
    return seats.taken


def _passed_before(
    keys: NDArray[np.float64],
    target: float,
    taken: Sequence[int],
    beside: Callable[[int, Sequence[int]], bool],
) -> int | None:
    """Return the position nearest to a target that may stand beside those taken; None if there is none."""
    free = (p for p in _by_distance(keys, target, 0, len(keys) - 1) if p not in taken)
    return next((p for p in free if beside(p, taken)), None)


class _Seats:
    """The positions that a walk has taken, and those that it may take next."""

    def __init__(self, size: int, shapes: NDArray[np.int64] | None, at_most: int) -> None:
        self.taken: list[int] = []
        self._size, self._shapes, self._at_most = size, shapes, at_most
        self._counts: dict[int, int] = {}

    @property
    def last(self) -> int:
        return self.taken[-1] if self.taken else -1

    def take(self, position: int) -> None:
        self.taken.append(position)
        self.taken.sort()
        if self._shapes is not None:
            shape = int(self._shapes[position])
            self._counts[shape] = self._counts.get(shape, 0) + 1

    def suffices(self, position: int, remaining: int) -> bool:
        """Return whether `position` may be taken, and enough others after it."""
        if self._shapes is None:
            return self._size - position - 1 >= remaining
        shape, before = int(self._shapes[position]), self._shape_of_last()
        if shape == before or self._counts.get(shape, 0) >= self._at_most:
            return False
        counts = self._counts | {shape: self._counts.get(shape, 0) + 1}
        return len(self._first_possible(position + 1, remaining, counts, shape)) == remaining

    def first_possible(self, count: int) -> list[int]:
        """Take up to `count` more positions, always the first possible one."""
        return self._first_possible(self.last + 1, count, dict(self._counts), self._shape_of_last())

    def _shape_of_last(self) -> int | None:
        return int(self._shapes[self.last]) if self._shapes is not None and self.taken else None

    def _first_possible(self, start: int, count: int, counts: dict[int, int], last: int | None) -> list[int]:
        if self._shapes is None:
            return list(range(start, min(self._size, start + count)))
        found: list[int] = []
        for position in range(start, self._size):
            if len(found) == count:
                break
            shape = int(self._shapes[position])
            if shape != last and counts.get(shape, 0) < self._at_most:
                found.append(position)
                counts[shape] = counts.get(shape, 0) + 1
                last = shape
        return found


def _by_distance(keys: NDArray[np.float64], target: float, low: int, high: int) -> Iterator[int]:
    """Yield the positions low .. high by the distance of their keys from `target`."""
    left = right = min(max(int(np.searchsorted(keys, target, "left")), low), high + 1)
    while left > low or right <= high:
        below = target - keys[left - 1] if left > low else np.inf
        above = keys[right] - target if right <= high else np.inf
        if below <= above:
            start = max(low, int(np.searchsorted(keys, keys[left - 1], "left")))
            yield from range(start, left)
            left = start
        else:
            stop = min(high + 1, int(np.searchsorted(keys, keys[right], "right")))
            yield from range(right, stop)
            right = stop


def even_targets(low: float, high: float, count: int) -> list[float]:
    """Return `count` values at equal distances from `low` to `high`; the middle if `count` is 1."""
    if count == 1:
        return [low + (high - low) / 2]
    inner = [low + (high - low) * (i / (count - 1)) for i in range(1, count - 1)]
    return [low, *inner, high]


def quantile_positions(size: int, count: int) -> list[int]:
    """Return `count` positions at equal distances in 0 .. size - 1, halves rounded up."""
    if count == 1:
        return [(size - 1) // 2]
    return [(2 * (size - 1) * i + count - 1) // (2 * (count - 1)) for i in range(count)]


@attrs.frozen
class _Walk(ABC):
    """Base of the strategies that walk along the measure."""

    name: ClassVar[str]
    differ_by: str | None = param(
        None, help=f"a measure, or '{SYMMETRY_CLASS}', in which neighbours must differ"
    )
    at_most: int = param(1, minimum=1, help="with differ_by: how many puzzles may be equal in it")
    apart: float = param(
        0.0,
        minimum=0,
        maximum=1,
        help="how much neighbours differ at least: the share of what lies on one of them only",
    )

    @property
    def columns(self) -> Sequence[str]:
        return () if self.differ_by in (None, SYMMETRY_CLASS) else (str(self.differ_by),)

    def _varied(self) -> str:
        apart = f", neighbours differ by {self.apart:g} or more" if self.apart else ""
        if self.differ_by is None:
            return apart
        return f", neighbours differ in {self.differ_by}, at most {self.at_most} with the same{apart}"

    def _differ(
        self, pool: Pool, order: NDArray[np.int64] | None = None
    ) -> Callable[[int, int], bool] | None:
        """Return whether two candidates, given by their places in `order`, are apart; None if all are."""
        distance = pool.distance
        if distance is None or not self.apart:
            return None
        if order is None:
            return lambda a, b: distance(a, b) >= self.apart
        return lambda a, b: distance(int(order[a]), int(order[b])) >= self.apart

    @staticmethod
    def _beside(
        pool: Pool, order: NDArray[np.int64] | None = None
    ) -> Callable[[int, Sequence[int]], bool] | None:
        """Return whether a candidate may stand beside others, given by their places in `order`."""
        apart = pool.apart
        if apart is None or order is None:
            return apart
        return lambda p, taken: apart(int(order[p]), [int(order[each]) for each in taken])

    def declined(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        if pool.shapes is not None:
            same = sum(1 for pick in picks if pool.shapes[pick.position] == pool.shapes[position])
            if same >= self.at_most:
                return f"{same} with the same {self.differ_by} {'is' if same == 1 else 'are'} chosen"
        if pool.distance is not None and self.apart:
            nearest = min(pool.distance(pick.position, position) for pick in picks)
            if nearest < self.apart:
                return f"differs by {number(nearest)} only from a chosen one"
        if pool.apart is not None and not pool.apart(position, [pick.position for pick in picks]):
            return "too much like a chosen one"
        return self._passed(pool, picks, position)

    @abstractmethod
    def _passed(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        """Return why a candidate was passed over that its shape does not exclude."""


@attrs.frozen
class Evenly(_Walk):
    """The candidates nearest to values at equal distances from the smallest to the largest."""

    name: ClassVar[str] = "evenly"

    def rule(self, measure: str, count: int) -> str:
        return f"{count} evenly over the range of {measure}{self._varied()}"

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        if not len(pool.values):
            return []
        targets = even_targets(float(pool.values[0]), float(pool.values[-1]), count)
        found = walk(pool.values, targets, pool.shapes, self.at_most, self._differ(pool), self._beside(pool))
        return [
            Pick(position, f"{number(pool.values[position])} is nearest to target {i} of {count}, {target:g}")
            for i, (position, target) in enumerate(zip(found, targets, strict=False), 1)
        ]

    def _passed(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        value = pool.values[position]
        targets = even_targets(float(pool.values[0]), float(pool.values[-1]), len(picks))
        i = min(range(len(targets)), key=lambda i: (abs(targets[i] - value), i))
        if pool.values[picks[i].position] == value:
            return f"another of {number(value)} comes first, for target {i + 1}, {targets[i]:g}"
        there = number(pool.values[picks[i].position])
        return f"{number(value)} is nearest to target {i + 1}, {targets[i]:g}, for which {there} was chosen"


@attrs.frozen
class Quantiles(_Walk):
    """Choose puzzles with equally many candidates between neighbours."""

    name: ClassVar[str] = "quantiles"

    def rule(self, measure: str, count: int) -> str:
        return f"{count} evenly over the quantiles of {measure}{self._varied()}"

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        size = len(pool.values)
        if size < count:
            targets = list(range(size))
        else:
            targets = quantile_positions(size, count)
        keys = np.arange(size, dtype=np.float64)
        found = walk(keys, targets, pool.shapes, self.at_most, self._differ(pool), self._beside(pool))
        return [
            Pick(position, f"number {position + 1} of {size} by value, for quantile {i} of {count}")
            for i, position in enumerate(found, 1)
        ]

    def _passed(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        nearest = min(picks, key=lambda pick: (abs(pick.position - position), pick.position))
        return f"number {position + 1} by value; the nearest quantile has number {nearest.position + 1}"


@attrs.frozen
class Lowest(_Walk):
    """The smallest values, the smallest first."""

    name: ClassVar[str] = "lowest"
    _end: ClassVar[str] = "lowest"

    def rule(self, measure: str, count: int) -> str:
        return f"{count} of the {self._end} {measure}{self._varied()}"

    def _ranked(self, pool: Pool) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """Return (positions from the wanted end on, ties by position; their shapes)."""
        order = np.arange(len(pool.values))
        return order, pool.shapes

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        order, shapes = self._ranked(pool)
        keys, targets = np.arange(len(order), dtype=np.float64), list(range(count))
        differ, beside = self._differ(pool, order), self._beside(pool, order)
        found = walk(keys, targets, shapes, self.at_most, differ, beside)
        return [Pick(int(order[p]), f"number {p + 1} from the {self._end} of {len(order)}") for p in found]

    def _passed(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        last = number(pool.values[picks[-1].position])
        return (
            f"{number(pool.values[position])} comes after the {len(picks)} {self._end}, which end at {last}"
        )


@attrs.frozen
class Highest(Lowest):
    """The largest values, the largest first: maximal rule differential, say."""

    name: ClassVar[str] = "highest"
    _end: ClassVar[str] = "highest"

    def _ranked(self, pool: Pool) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        order = np.argsort(-pool.values, kind="stable")
        return order, None if pool.shapes is None else pool.shapes[order]


def novel(needs: NDArray[np.bool_], count: int, practice: int = 0) -> list[tuple[int, int | None]]:
    """Return up to `count` distinct positions, each with the rule that it introduces or None.

    A puzzle may come next if it needs at most one rule that no earlier one needed. `practice` puzzles
    without a new rule follow each that introduces one: of these, those that need the rule introduced last
    come first; in either case the lowest position. If there is none of the kind that is due, one of the
    other kind comes. The sequence ends early only if every candidate left needs two new rules or more,
    so no sequence is longer (what may come next, may come later too).
    """
    known = np.zeros(needs.shape[1], np.bool_)
    free = np.ones(len(needs), np.bool_)
    found: list[tuple[int, int | None]] = []
    newest: int | None = None
    due = 0
    while len(found) < count:
        unknown = (needs & ~known).sum(axis=1)
        old, new = np.flatnonzero(free & (unknown == 0)), np.flatnonzero(free & (unknown == 1))
        if not len(old) and not len(new):
            break
        if len(new) and (due == 0 or not len(old)):
            position = int(new[0])
            newest = int(np.flatnonzero(needs[position] & ~known)[0])
            known[newest] = True
            found.append((position, newest))
            due = practice
        else:
            fitting = old[needs[old, newest]] if newest is not None else old[:0]
            position = int(fitting[0] if len(fitting) else old[0])
            found.append((position, None))
            due = max(0, due - 1)
        free[position] = False
    return found


@attrs.frozen(kw_only=True)
class Novelty:
    """Each next puzzle needs at most one rule that the earlier ones did not (see `novel`)."""

    name: ClassVar[str] = "novelty"
    needs: tuple[str, ...] = param(help="measures that say whether a puzzle needs a rule: above 0 is yes")
    practice: int = param(0, minimum=0, help="puzzles without a new rule after each that introduces one")

    @property
    def columns(self) -> Sequence[str]:
        return self.needs

    def rule(self, measure: str, count: int) -> str:
        rules = ", ".join(self.needs)
        practice = f"; {self.practice} to practise each" if self.practice else ""
        return f"{count} with at most one new rule each of {rules}{practice}, lowest {measure} first"

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        assert pool.needs is not None
        return [
            Pick(position, "needs no new rule" if rule is None else f"introduces {self.needs[rule]}")
            for position, rule in novel(pool.needs, count, self.practice)
        ]

    def declined(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        assert pool.needs is not None
        known = pool.needs[[pick.position for pick in picks]].any(axis=0)
        missing = [self.needs[rule] for rule in np.flatnonzero(pool.needs[position] & ~known)]
        if len(missing) > 1:
            return f"needs {len(missing)} rules that no chosen one needs: {', '.join(missing)}"
        return "others that could come next were easier, or needed the rule that was due"


@attrs.frozen
class Chance:
    """Choose by chance: as the seed says, always the same."""

    name: ClassVar[str] = "chance"
    seed: int = param(1, minimum=0, help="another number chooses others")

    @property
    def columns(self) -> Sequence[str]:
        return ()

    def rule(self, measure: str, count: int) -> str:
        return f"{count} by chance, seed {self.seed}"

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        order = sorted(range(len(pool.values)), key=self._key)
        found: list[int] = []
        for position in order:
            if len(found) == count:
                break
            if pool.apart is None or pool.apart(position, found):
                found.append(position)
        return [Pick(position, f"drawn by chance, number {i}") for i, position in enumerate(found, 1)]

    def _key(self, position: int) -> bytes:
        return hashlib.sha256(f"{self.seed}:{position}".encode()).digest()

    def declined(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        if pool.apart is not None and not pool.apart(position, [pick.position for pick in picks]):
            return "too much like a chosen one"
        return "not drawn"


@attrs.frozen
class Listed:
    """The puzzles that the plan lists by hand, in its order."""

    name: ClassVar[str] = "listed"

    @property
    def columns(self) -> Sequence[str]:
        return ()

    def rule(self, measure: str, count: int) -> str:
        return f"{count} listed by hand"

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        assert pool.listed is not None
        positions = np.flatnonzero(pool.listed >= 0)
        ordered = positions[np.argsort(pool.listed[positions])]
        return [Pick(int(p), f"number {i} of the list by hand") for i, p in enumerate(ordered.tolist(), 1)]

    def declined(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        return "not in the list by hand"


def number(value: float) -> str:
    """Format a value with at most six digits."""
    return f"{float(value):g}"


STRATEGIES: dict[str, type] = {
    kind.name: kind for kind in (Evenly, Quantiles, Highest, Lowest, Novelty, Chance, Listed)
}
