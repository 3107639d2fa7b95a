"""Content made of several items of a library: sequences, choices and products.

The items stand at places of a list, and a ranked space says which places a candidate has. Its state holds the
items' own states (`Several`), unless the domain's editor joins contents to one (`EditorInfo.joins`).
"""

# Functions import numpy: see `ranked`.
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from epcg_core.base.errors import CandidateError, EpcgError, ParamsError, RankError
from epcg_core.combinatorics.contents import Edited, Packed
from epcg_core.combinatorics.permutations import KPermutations
from epcg_core.combinatorics.prefixes import prefixes
from epcg_core.combinatorics.ranked import RankedSpace
from epcg_core.combinatorics.walks import ArrayWalk
from epcg_core.domain import Evaluation, PrefixSpace, resolve
from epcg_core.domain.values import NONE, OF_ITEMS, VALUE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BETWEEN = "\n----\n"
"""Between the texts of several items."""


_TRIED = 1000
"""Candidates that are tried until one can be joined, at which the editor is opened."""


@attrs.frozen
class Several:
    """Several items, each a state of its own."""

    places: tuple[int, ...]
    """Their places in the library."""
    states: tuple[Any, ...]


class Places:
    """Which places of a list of items each rank stands for: the digits of a ranked space.

    The array form has a column an item.
    """

    def __init__(self, space: RankedSpace[Any], starts: Sequence[int] = ()) -> None:
        """Take the digits of a space; `starts` are the first places of each digit's own list."""
        self.space, self._starts = space, tuple(starts)
        self.max_rank: int = space.max_rank

    @property
    def prefixes(self) -> PrefixSpace | None:
        """The prefixes of the digits, if they are the places and have any; else None."""
        if self._starts or isinstance(self.space, KPermutations):
            return None
        return prefixes(self.space)

    def of(self, rank: int) -> tuple[int, ...]:
        """Return the places of a rank."""
        digits = self.space.unrank(rank)
        return tuple(a + b for a, b in zip(digits, self._starts, strict=True)) if self._starts else digits

    def rank(self, places: Sequence[int]) -> int:
        """Return the rank of some places. Raises RankError if there is none."""
        if self._starts:
            places = [a - b for a, b in zip(places, self._starts, strict=False)]
        return self.space.rank(tuple(places))

    def block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return the places of ranks start .. start + count - 1, (count, items) int64."""
        return self._shifted(self.space.states_block(start, count))

    def at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of (n,) ranks, (n, items) int64."""
        return self._shifted(self.space.states_at(ranks))

    def _shifted(self, digits: NDArray[np.int64]) -> NDArray[np.int64]:
        import numpy as np

        return digits + np.array(self._starts, np.int64) if self._starts else digits


class ChosenPlaces(Places):
    """The places at which the digits of a space are 1: `count` of them in each state."""

    prefixes = None

    def __init__(self, space: RankedSpace[Any], count: int) -> None:
        super().__init__(space)
        self._count = count

    def of(self, rank: int) -> tuple[int, ...]:
        return tuple(place for place, digit in enumerate(self.space.unrank(rank)) if digit)

    def rank(self, places: Sequence[int]) -> int:
        chosen = set(places)
        if len(chosen) != self._count or list(places) != sorted(chosen):
            raise RankError(f"{len(places)} places are given: {self._count} ascending ones are expected.")
        return self.space.rank(tuple(int(place in chosen) for place in range(self.space.length)))

    def _shifted(self, digits: NDArray[np.int64]) -> NDArray[np.int64]:
        return digits.nonzero()[1].reshape(len(digits), self._count)


@attrs.frozen
class Item:
    """An item of a library, with the space and generator that it comes from."""

    space: Any
    generator: Any
    state: Any
    text: str


class SeveralItems:
    """The generator of candidates that hold several items, each on its own.

    States are `Several`; packed, the (n, items) int64 places of the items.
    """

    domain_attributes: ClassVar[tuple[str, ...]] = ("column", "holds_several", "items")
    holds_several = True
    """Evaluators of single contents do not apply; see `EvaluatorInfo.takes_several`."""

    def __init__(self, items: Sequence[Item], places: Places, columns: Any) -> None:
        """Make the generator.

        Args:
            items: all items, by their places.
            places: which of them each rank has.
            columns: from a metric to the (items,) recorded values of the items.
        """
        self.items, self._places, self.column = tuple(items), places, columns
        self.max_rank = places.max_rank
        if places.prefixes is not None:
            self.prefixes = places.prefixes

    def unrank(self, rank: int) -> Several:
        """Return the items of a rank. Raises RankError if there is no such rank."""
        places = self._places.of(rank)
        return Several(places, tuple(self.items[place].state for place in places))

    def rank(self, state: Several) -> int:
        """Return the rank of some items. Raises RankError if the space does not hold them."""
        return self._places.rank(state.places)

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return the places of ranks start .. start + count - 1: (count, items) int64."""
        return self._places.block(start, count)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of (n,) ranks: (n, items) int64."""
        return self._places.at(ranks)

    def format(self, state: Several) -> str:
        """Write the texts of the items, one below the other."""
        return BETWEEN.join(self.items[place].text.strip("\n") for place in state.places) + "\n"


class Joined(Edited[Any]):
    """The generator of contents that several items make together, as the domain's editor joins them."""

    domain_attributes: ClassVar[tuple[str, ...]] = ("editor", "items")

    def __init__(self, editor: Any, join: Any, items: Sequence[Item], places: Places) -> None:
        """Make the generator; `editor` is one of joined contents, `join` is that of `EditorInfo.joins`."""
        super().__init__(editor)
        self.items, self._places, self._join = tuple(items), places, join
        self.max_rank = places.max_rank
        if places.prefixes is not None:
            self.prefixes = places.prefixes

    def unrank(self, rank: int) -> Any:
        """Return the content of a rank. Raises CandidateError if its items make none."""
        texts = [self.items[place].text for place in self._places.of(rank)]
        try:
            return self.parse(self._join(texts))
        except EpcgError as error:
            raise CandidateError(str(error)) from error


class PackedJoined(Packed[Any], Joined):
    """Joined contents that compiled evaluators take as arrays."""


def joined(info: Any, items: Sequence[Item], places: Places) -> Joined:
    """Make the generator of joined contents.

    Args:
        info: the editor's `EditorInfo`, which joins.
        items: all items.
        places: which of them each rank has.

    Raises:
        ParamsError: if there is no candidate, or none of the first can be joined.
    """
    join = resolve(info.joins)
    if not places.max_rank:
        raise ParamsError(
            "No items of the library can stand beside each other as it is asked: there are none."
        )
    refusal: EpcgError | None = None
    for rank in range(min(places.max_rank, _TRIED)):
        try:
            editor = resolve(info.factory)(join([items[place].text for place in places.of(rank)]))
        except EpcgError as error:
            refusal = error
            continue
        return (PackedJoined if hasattr(editor, "packed") else Joined)(editor, join, items, places)
    raise ParamsError(f"The first {rank + 1:,} combinations make no content: {refusal}")


def neighbours(allowed: NDArray[np.bool_], length: int) -> ArrayWalk:
    """Return the ranked space of sequences of items whose neighbours are allowed.

    Args:
        allowed: (n, n) bool, entry [a, b] whether item b may follow item a.
        length: the items of a sequence.
    """
    import numpy as np

    count = len(allowed)
    every = np.arange(1, count + 1)
    after = np.vstack([every, np.where(allowed, every, -1)]).astype(np.int64)  # state 0 is the beginning
    return ArrayWalk(length, 0, lambda position, states: after[states])


def sums(columns: Sequence[NDArray[np.int64]], limits: Sequence[tuple[int, int]], count: int) -> ArrayWalk:
    """Return the ranked space of choices of `count` items whose sums keep limits, as digits 0 and 1.

    Args:
        columns: for each limit the (n,) whole numbers that are summed.
        limits: (least, most) of each sum.
        count: the items of a choice.

    Raises:
        ParamsError: if the automaton has too many states.
    """
    import numpy as np

    items = len(columns[0])
    lows = [int(np.sort(column)[:count].clip(max=0).sum()) for column in columns]
    spans = [
        int(np.sort(column)[-count:].clip(min=0).sum()) - low + 1
        for column, low in zip(columns, lows, strict=True)
    ]
    widths = [1]
    for span in [count + 1, *spans]:
        widths.append(widths[-1] * span)
    if widths[-1] >= 1 << 62:
        raise ParamsError("The sums of these limits take too many values to be counted: use smaller numbers.")
    start = sum(-low * width for low, width in zip(lows, widths[1:], strict=False))

    def steps(position: int, states: NDArray[np.int64]) -> NDArray[np.int64]:
        taken = states + 1
        for column, width in zip(columns, widths[1:], strict=False):
            taken = taken + int(column[position]) * width
        chosen = states % widths[1]
        out = chosen + (items - position - 1) < count  # too few would be left
        return np.stack([np.where(out, -1, states), np.where(chosen == count, -1, taken)], axis=1)

    def accepts(states: NDArray[np.int64]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = states % widths[1] == count
        for low, span, width, (least, most) in zip(lows, spans, widths[1:], limits, strict=False):
            value = states // width % span + low
            found &= (value >= least) & (value <= most)
        return found

    return ArrayWalk(items, start, steps, accepts)


How = Literal["sum", "mean", "lowest", "highest", "spread", "smallest_step", "largest_step"]


class OfItems:
    """The recorded values of a metric of several items, as one number.

    Steps are the differences from each item to the next. A candidate has no value if an item has none.
    """

    metrics = (OF_ITEMS,)

    def __init__(self, values: NDArray[np.float64], how: How, length: int) -> None:
        """Take the (items,) values of all items, NaN for none, and the items of a candidate."""
        self._values, self._how, self._length = values, how, length

    def evaluate(self, state: Several) -> tuple[float] | None:
        """Return the number of a candidate; None if an item has no value."""
        values = [float(self._values[place]) for place in state.places]
        return None if any(value != value for value in values) else (_together(values, self._how),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Return the numbers of (n, items) places."""
        import numpy as np

        values = self._values[states]
        found = _together_in_rows(values, self._how)
        there = ~np.isnan(values).any(axis=1)
        return Evaluation([np.where(there, found, 0.0)], np.where(there, VALUE, NONE).astype(np.uint8))

    def empty(self) -> tuple[float, ...]:
        """Return the values of no item."""
        return ()

    def extend(self, partial: tuple[float, ...], item: int) -> tuple[float, ...]:
        """Return the values with those of one item more."""
        return (*partial, float(self._values[item]))

    def bound(self, partial: tuple[float, ...]) -> float | None:
        """Return what no completion exceeds; None if an item has no value."""
        import numpy as np

        if any(value != value for value in partial) or not np.isfinite(self._values).any():
            return None
        low, high = float(np.nanmin(self._values)), float(np.nanmax(self._values))
        rest = self._length - len(partial)
        if not rest:
            return _together(partial, self._how)
        steps = [b - a for a, b in pairwise(partial)]
        return {
            "sum": _sum([*partial, *[high] * rest]),
            "mean": _sum([*partial, *[high] * rest]) / self._length,
            "lowest": min([*partial, high]),
            "highest": high,
            "spread": high - low,
            "smallest_step": min([*steps, high - low]),
            "largest_step": max([*steps, high - low]),
        }[self._how]

    def value(self, complete: tuple[float, ...]) -> float | None:
        """Return the number of complete values; None if an item has no value."""
        return None if any(value != value for value in complete) else _together(complete, self._how)


def _together(values: Sequence[float], how: How) -> float:
    steps = [b - a for a, b in pairwise(values)]
    if how == "sum":
        return _sum(values)
    if how == "mean":
        return _sum(values) / len(values)
    if how == "spread":
        return max(values) - min(values)
    if how in ("lowest", "highest"):
        return min(values) if how == "lowest" else max(values)
    return (min if how == "smallest_step" else max)(steps, default=0.0)


def _sum(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:  # not `sum`, which compensates since Python 3.12: arrays are summed like this
        total += value
    return total


def _together_in_rows(values: NDArray[np.float64], how: How) -> NDArray[np.float64]:
    import numpy as np

    found: NDArray[np.float64] = np.zeros(len(values))
    if how in ("sum", "mean"):
        for column in range(values.shape[1]):  # from left to right, as plain code adds
            found += values[:, column]
        return found / values.shape[1] if how == "mean" else found
    if how in ("lowest", "highest", "spread"):
        lowest, highest = values.min(axis=1), values.max(axis=1)
        found = highest - lowest if how == "spread" else lowest if how == "lowest" else highest
        return found
    steps = np.diff(values, axis=1)
    if steps.size:
        found = steps.min(axis=1) if how == "smallest_step" else steps.max(axis=1)
    return found
