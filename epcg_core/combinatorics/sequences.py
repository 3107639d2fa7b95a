"""The items of a sequence as a ranked space."""

# Functions import numpy: see `ranked`.
from __future__ import annotations

import reprlib
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.ranked import RankedSpace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _items(items: Any) -> Sequence[Hashable]:
    if isinstance(items, range):
        return items
    if not isinstance(items, Sequence):
        raise ParamsError(f"Listed: a list of items is expected, not {reprlib.repr(items)}.")
    return tuple(items)


@attrs.frozen
class Listed(RankedSpace[Any]):
    """The items of a sequence, in their order: names, polyominoes, tuples, whatever can be hashed.

    The state of a rank is the item itself. The array form has one column, the number of the item.

    >>> Listed(("red", "green", "blue")).unrank(1)
    'green'

    Raises ParamsError if an item occurs twice or cannot be hashed.
    """

    items: Sequence[Hashable] = attrs.field(converter=_items)

    @items.validator
    def _check(self, attribute: attrs.Attribute[Any], value: Sequence[Hashable]) -> None:
        if isinstance(value, range):
            return
        seen = set()
        for item in value:
            try:
                again = item in seen
            except TypeError:
                raise ParamsError(
                    f"Listed: the item {reprlib.repr(item)} cannot be hashed, so it would have no rank: "
                    "list tuples instead of lists."
                ) from None
            if again:
                raise ParamsError(f"Listed: the item {reprlib.repr(item)} is listed twice.")
            seen.add(item)

    @property
    def max_rank(self) -> int:
        return len(self.items)

    @property
    def length(self) -> int:
        return 1

    @cached_property
    def _ranks(self) -> dict[Hashable, int]:
        return {item: rank for rank, item in enumerate(self.items)}

    def _unrank(self, rank: int) -> Any:
        return self.items[rank]

    def _checked(self, state: Any) -> Any:
        try:
            found = state in (self.items if isinstance(self.items, range) else self._ranks)
        except TypeError:
            found = False
        if not found:
            raise self._malformed(state, "one of the items")
        return self._unrank(self._rank(state))

    def _rank(self, state: Any) -> int:
        return self.items.index(state) if isinstance(self.items, range) else self._ranks[state]

    def _increment(self, state: Any) -> Any | None:
        rank = self._rank(state) + 1
        return self._unrank(rank) if rank < self.max_rank else None

    def _fill_block(self, start: int, count: int, out: NDArray[np.int64]) -> None:
        import numpy as np

        out[:, 0] = np.arange(start, start + count)

    def _fill_at(self, ranks: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        out[:, 0] = ranks


def as_space(found: Any, what: str, *of: Any) -> RankedSpace[Any]:
    """Return a ranked space as it is, and a sequence as the space of its items.

    Args:
        found: what is expected to be one of them.
        what: what it is, for the message.
        of: the object that it belongs to, for the message.

    Raises:
        ParamsError: if it is neither, or if an item occurs twice or cannot be hashed.
    """
    if isinstance(found, RankedSpace):
        return found
    if isinstance(found, Sequence):
        return Listed(found)
    named = " ".join([what, *map(reprlib.repr, of)])
    raise ParamsError(f"{named}: a ranked space or a list is expected, not {reprlib.repr(found)}.")
