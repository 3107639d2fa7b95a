"""The variants of one content under elementary edits, as a ranked space.

A variant has at most one edit per place. Variants are ranked by their number of edits, then
lexicographically, so the single changes come first, in the order of `edits`.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import ClassVar, Generic, TypeVar

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.combinatorics import PartialTransversals
from epcg_core.domain import Edit

State = TypeVar("State")


class EditedSpace(Generic[State]):
    """All variants of `original` with `at_least` to `at_most` of the `edits`, each of another place.

    `apply(original, edits)` makes a variant. `edits` holds the edits of each place together; `edits_of`
    refers to positions in it. Satisfies `Generator` and `EditedContent` of `epcg_core.domain`; domains
    subclass it, or hold one. Raises ParamsError if `at_least` and `at_most` do not form a range, or two edits
    are equal.
    """

    domain_attributes: ClassVar[tuple[str, ...]] = ("at_least", "at_most", "rank_of")

    def __init__(
        self,
        original: State,
        edits: Iterable[Edit],
        apply: Callable[[State, tuple[Edit, ...]], State],
        at_most: int = 1,
        at_least: int = 1,
    ) -> None:
        if not 0 <= at_least <= at_most:
            raise ParamsError(
                f"at_least = {at_least} and at_most = {at_most} do not form a range: "
                "there are 0 or more edits, and at_least is not above at_most."
            )
        places: dict[Hashable, list[Edit]] = {}
        for edit in edits:
            others = places.setdefault(edit.place, [])
            if edit in others:
                raise ParamsError(f"The edit '{edit.description}' is listed twice.")
            others.append(edit)
        self.original = original
        self.edits = tuple(edit for group in places.values() for edit in group)
        self.at_least, self.at_most = at_least, max(at_least, min(at_most, len(places)))
        self._apply = apply
        sizes = tuple(map(len, places.values()))
        self._spaces = [PartialTransversals(sizes, k) for k in range(at_least, self.at_most + 1)]

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Cumulative variant counts by number of edits."""
        return tuple(accumulate(space.max_rank for space in self._spaces))

    @property
    def max_rank(self) -> int:
        """The number of variants."""
        return self._ends[-1]

    def unrank(self, rank: int) -> State:
        """Return the variant of `rank`. Raises RankError if the rank is outside the space."""
        return self._apply(self.original, tuple(self.edits[number] for number in self.edits_of(rank)))

    def edits_of(self, rank: int) -> tuple[int, ...]:
        """Return the ascending positions in `edits` of the edits that make the variant of `rank`."""
        number = operator.index(rank)
        if not 0 <= number < self.max_rank:
            raise RankError(
                f"There is no variant {number}: with {self.at_least} to {self.at_most} of {len(self.edits)} "
                f"edits there are {self.max_rank}."
            )
        at = bisect_right(self._ends, number)
        return self._spaces[at].unrank(number - (self._ends[at - 1] if at else 0))

    def rank_of(self, edits: Sequence[int]) -> int:
        """Return the rank of the variant that the edits at these ascending positions make.

        Raises RankError if that variant is not in the space.
        """
        at = len(edits) - self.at_least
        if not 0 <= at < len(self._spaces):
            raise RankError(
                f"A variant of this space has {self.at_least} to {self.at_most} edits, not {len(edits)}."
            )
        return (self._ends[at - 1] if at else 0) + self._spaces[at].rank(edits)


def describe(edits: Sequence[Edit], numbers: Sequence[int]) -> str:
    """Describe a variant's changes: 'A to B; C to D'; 'nothing' for the original."""
    return "; ".join(edits[number].description for number in numbers) or "nothing"
