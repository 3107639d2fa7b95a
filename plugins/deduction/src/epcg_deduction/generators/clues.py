"""The generator `clues`: all ways to place clues of one kind on a board, whether they are fair or not.

Puzzles are ranked by the number of clues; of one number lexicographically, place by place, no clue before the
values in their order. Where a symmetry keeps the places, those that go together are one choice. How many
puzzles there are is counted without listing them, so a space may be of any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import product
from math import comb, prod

import attrs

from epcg_core.plugin import ParamsError, RankError
from epcg_deduction.formats.own import format_puzzle, parse_puzzle
from epcg_deduction.generators.symmetry import orbits
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import places_of, value_text, values_at
from epcg_deduction.params import CluesParams, least_most
from epcg_deduction.states.changes import with_clues
from epcg_deduction.states.lists import lists_of
from epcg_deduction.states.play import PlayModel

MOST_TOGETHER = 100_000
"""Ways to choose the values of places that a symmetry keeps together."""
Choice = tuple[Value, ...]
"""The values of the places of an orbit; () for no clues."""


@attrs.frozen(eq=False, slots=False)
class Choices:
    """Sequences of choices, one for each orbit, with a number of clues and a sum of their numbers.

    Args:
        options: the choices of each orbit, () first.
        low, high: the bounds of the sum; None: it does not matter.
    """

    options: tuple[tuple[Choice, ...], ...]
    low: int | None
    high: int | None

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "ways", lru_cache(maxsize=None)(self._ways))

    def _ways(self, orbit: int, clues: int, total: int) -> int:
        """Return how many sequences from an orbit on have a number of further clues, after a sum."""
        if clues < 0 or (self.high is not None and total > self.high):
            return 0
        if orbit == len(self.options):
            return int(clues == 0 and (self.low is None or total >= self.low))
        return sum(
            times * self.ways(orbit + 1, clues - count, total + more)  # type: ignore[attr-defined]
            for (count, more), times in self._shapes[orbit].items()
        )

    @cached_property
    def _shapes(self) -> list[dict[tuple[int, int], int]]:
        """How many choices of each orbit have a number of clues and a sum."""
        found = []
        for options in self.options:
            own: dict[tuple[int, int], int] = {}
            for option in options:
                shape = len(option), self._sum(option)
                own[shape] = own.get(shape, 0) + 1
            found.append(own)
        return found

    def _sum(self, option: Choice) -> int:
        if self.low is None:
            return 0
        return sum(_number(value) for value in option)

    def unrank(self, clues: int, rank: int) -> tuple[Choice, ...]:
        """Return the sequence of a rank among those with a number of clues."""
        found: list[Choice] = []
        total = 0
        for orbit, options in enumerate(self.options):
            for option in options:
                own = self.ways(orbit + 1, clues - len(option), total + self._sum(option))  # type: ignore[attr-defined]
                if rank < own:
                    found.append(option)
                    clues -= len(option)
                    total += self._sum(option)
                    break
                rank -= own
        return tuple(found)

    def rank(self, chosen: Sequence[Choice]) -> int:
        """Return the rank of a sequence among those with as many clues. Raises RankError."""
        rank, total = 0, 0
        clues = sum(map(len, chosen))
        for orbit, (options, own) in enumerate(zip(self.options, chosen, strict=True)):
            if own not in options:
                raise RankError(_ELSEWHERE)
            for option in options[: options.index(own)]:
                rank += self.ways(orbit + 1, clues - len(option), total + self._sum(option))  # type: ignore[attr-defined]
            clues -= len(own)
            total += self._sum(own)
        if not self.ways(len(self.options), clues, total):  # type: ignore[attr-defined]
            raise RankError(_ELSEWHERE)
        return rank


def _number(value: Value) -> int:
    """Return the number of a clue: a list's sum, an arrow's number, 0 without one."""
    if isinstance(value, tuple):
        return sum(part for part in value if isinstance(part, int))
    return value if isinstance(value, int) else 0


_ELSEWHERE = "The puzzle is not one of this space: it has other clues, or another board."


class PlacedClues:
    """All ways to place clues of one kind (see the module)."""

    domain_attributes = ("params",)
    transition_model = PlayModel()

    def __init__(self, params: CluesParams) -> None:
        self.params = params
        genre = params.base.genre
        if not genre.clues:
            raise ParamsError(f"clues: {genre.title} has no clues.")
        if params.kind and params.kind not in genre.clues:
            raise ParamsError(
                f"kind: {genre.title} has no clues '{params.kind}', but {', '.join(genre.clues)}."
            )
        self._kind = genre.clues[params.kind or next(iter(genre.clues))]
        if params.pairs and params.symmetry != "none":
            raise ParamsError("pairs: pairs of numbers and a symmetry of places do not go together.")

    @property
    def setting(self) -> Puzzle:
        """The board, with the clues of other kinds."""
        base = self.params.base
        return with_clues(
            attrs.evolve(base, title=""), [clue for clue in base.clues if clue.kind != self._kind.name]
        )

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return places_of(self.setting.board, self._kind.on)

    def _values(self, place: int) -> tuple[Value, ...]:
        found = values_at(self.setting, self._kind, place)
        if self._kind.values == "lists":
            found = lists_of(self.setting, self._kind, place)
        if found is None:
            raise ParamsError(
                f"values: name those that clues '{self._kind.name}' may have, as there is no end."
            )
        if self.params.values:
            found = tuple(value for value in found if value_text(value) in self.params.values)
        return found

    @cached_property
    def _orbits(self) -> list[list[int]]:
        on = [(self._kind.on, place) for place in self._places]
        return orbits(self.setting.board, on, self.params.symmetry)

    @cached_property
    def _choices(self) -> Choices:
        options: list[tuple[Choice, ...]] = []
        for own in self._orbits:
            values = [self._values(self._places[at]) for at in own]
            if prod(map(len, values)) > MOST_TOGETHER:
                raise ParamsError(
                    "values: places that a symmetry keeps together have too many choices: name fewer values."
                )
            options.append(((), *product(*values)))
        low, high = least_most("total", self.params.total, 10**9)
        return Choices(
            tuple(options), low if self.params.total else None, high if self.params.total else None
        )

    @cached_property
    def _sizes(self) -> range:
        low, high = least_most("clues", self.params.clues, len(self._places))
        return range(low, min(high, len(self._places)) + 1)

    @cached_property
    def _ends(self) -> list[int]:
        """How many puzzles there are up to each number of clues of `_sizes`."""
        found, total = [], 0
        for clues in self._sizes:
            total += self._of_size(clues)
            found.append(total)
        return found

    def _of_size(self, clues: int) -> int:
        if self.params.pairs:
            count = len(self._places)
            return 0 if clues % 2 else comb(count, clues) * prod(range(1, clues, 2))
        return int(self._choices.ways(0, clues, 0))  # type: ignore[attr-defined]

    @property
    def max_rank(self) -> int:
        return self._ends[-1] if self._ends else 0

    def unrank(self, rank: int) -> Puzzle:
        """Return the puzzle of a rank. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no puzzle {rank}: there are {self.max_rank:,}, ranks from 0.")
        before = 0
        for clues, end in zip(self._sizes, self._ends, strict=True):
            if rank < end:
                found = (
                    self._paired(clues, rank - before)
                    if self.params.pairs
                    else self._chosen(clues, rank - before)
                )
                return with_clues(self.setting, [*self.setting.clues, *found])
            before = end
        raise AssertionError

    def _chosen(self, clues: int, rank: int) -> Iterator[Clue]:
        for own, values in zip(self._orbits, self._choices.unrank(clues, rank), strict=True):
            for at, value in zip(own, values, strict=False):
                yield Clue(self._kind.name, self._places[at], value)

    def _paired(self, clues: int, rank: int) -> Iterator[Clue]:
        """Yield the clues of a set of places and of a way to pair them, which names pairs by their first."""
        matchings = prod(range(1, clues, 2))
        chosen, matching = divmod(rank, matchings)
        left = [self._places[at] for at in _combination(len(self._places), clues, chosen)]
        number = 0
        while left:
            number += 1
            first = left.pop(0)
            matching, at = divmod(matching, len(left))
            yield Clue(self._kind.name, first, number)
            yield Clue(self._kind.name, left.pop(at), number)

    def rank(self, state: Puzzle) -> int:
        """Return the rank of a puzzle. Raises RankError if it is not one of the space."""
        own = [clue for clue in state.clues if clue.kind == self._kind.name]
        rest = with_clues(
            attrs.evolve(state, title=""), [c for c in state.clues if c.kind != self._kind.name]
        )
        if rest != self.setting or len(own) not in self._sizes:
            raise RankError(_ELSEWHERE)
        before = sum(self._of_size(clues) for clues in self._sizes if clues < len(own))
        found = self._rank_of_pairs(own) if self.params.pairs else self._rank_of_choices(own)
        if self.unrank(before + found).clues != state.clues:
            raise RankError(_ELSEWHERE)
        return before + found

    def _rank_of_choices(self, own: Sequence[Clue]) -> int:
        values = {clue.place: clue.value for clue in own}
        chosen: list[Choice] = []
        for members in self._orbits:
            places = [self._places[at] for at in members]
            given = [values[place] for place in places if place in values]
            if len(given) not in (0, len(places)):
                raise RankError(_ELSEWHERE)
            chosen.append(tuple(given))
        return self._choices.rank(chosen)

    def _rank_of_pairs(self, own: Sequence[Clue]) -> int:
        numbers = [self._places.index(clue.place) for clue in own]
        left = list(own)
        digits = []
        while left:
            first = left.pop(0)
            at = next((at for at, clue in enumerate(left) if clue.value == first.value), None)
            if at is None:
                raise RankError(_ELSEWHERE)
            digits.append((at, len(left)))
            del left[at]
        matching = 0
        for at, count in reversed(digits):
            matching = matching * count + at
        return _combination_rank(len(self._places), numbers) * prod(range(1, len(own), 2)) + matching

    def parse(self, text: str) -> Puzzle:
        return parse_puzzle(text)

    def format(self, state: Puzzle) -> str:
        return format_puzzle(state)


def _combination(n: int, k: int, rank: int) -> list[int]:
    """Return a set of k of n numbers, lexicographic, by its rank."""
    found, at = [], 0
    for left in range(k, 0, -1):
        while rank >= comb(n - at - 1, left - 1):
            rank -= comb(n - at - 1, left - 1)
            at += 1
        found.append(at)
        at += 1
    return found


def _combination_rank(n: int, chosen: Sequence[int]) -> int:
    rank, at = 0, 0
    for left, own in zip(range(len(chosen), 0, -1), chosen, strict=True):
        rank += sum(comb(n - other - 1, left - 1) for other in range(at, own))
        at = own + 1
    return rank


def clues(params: CluesParams) -> PlacedClues:
    """Make the space of placed clues. Raises ParamsError."""
    return PlacedClues(params)
