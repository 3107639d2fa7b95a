"""The base of all ranked spaces: checked ranks and states, and the array capability.

A subclass says how to rank valid input; everything that comes from outside is checked here, once. Nothing
here or in the subclasses imports numpy or numba until an array is asked for.
"""

from __future__ import annotations

import operator
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from epcg_core.base.errors import ParamsError, RankError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = TypeVar("State", bound=tuple[Any, ...])

ARRAY_LIMIT = 2**63
"""Spaces below this size have compiled array forms: their ranks and their number fit into int64."""


class RankedSpace(ABC, Generic[State]):
    """A space whose states have the ranks 0 .. max_rank - 1, exact at any size.

    Satisfies `epcg_core.domain.Generator` with `rank` and `increment`, and `ArrayGenerator` for spaces below
    2^63.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def max_rank(self) -> int:
        """The number of states: ranks are 0 .. max_rank - 1."""

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of columns of the array form."""

    @abstractmethod
    def _unrank(self, rank: int) -> State: ...

    @abstractmethod
    def _checked(self, state: Sequence[Any]) -> State:
        """Convert `state` to the tuple that `_unrank` makes. Raises RankError if it is not in the space."""

    @abstractmethod
    def _rank(self, state: State) -> int: ...

    @abstractmethod
    def _increment(self, state: State) -> State | None: ...

    @abstractmethod
    def _fill_block(self, start: int, count: int, out: NDArray[np.int64]) -> None:
        """Write the states of ranks start .. start + count - 1 into `out`, (count, length)."""

    @abstractmethod
    def _fill_at(self, ranks: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        """Write the states of `ranks`, (n,) read-only, into `out`, (n, length)."""

    def unrank(self, rank: int) -> State:
        """Return the state of `rank`. Raises RankError outside 0 .. max_rank - 1."""
        try:
            number = operator.index(rank)
        except TypeError:
            raise RankError(f"A rank is a whole number, not {reprlib.repr(rank)}.") from None
        if not 0 <= number < self.max_rank:
            raise RankError(
                f"There is no rank {_shown(number)} in {self._described()}: {_ranks_of(self.max_rank)}."
            )
        return self._unrank(number)

    def rank(self, state: Sequence[Any]) -> int:
        """Return the rank of `state`. Raises RankError if it is not a state of the space."""
        return self._rank(self._checked(state))

    def increment(self, state: Sequence[Any]) -> State | None:
        """Return the state of the next rank, or None at the last one.

        Raises RankError if `state` is not a state of the space.
        """
        return self._increment(self._checked(state))

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return the states of ranks start .. start + count - 1 as a (count, length) int64 array, one a row.

        With a count of 0, one state is computed and dropped, so that kernels are compiled. Raises
        RankError for ranks outside the space and for spaces of 2^63 states or more.
        """
        import numpy as np

        self._check_block(start, count)
        out = np.empty((count, self.length), dtype=np.int64)
        if out.size:
            self._fill_block(int(start), int(count), out)
        elif count == 0 and self.max_rank and self.length:
            self.states_block(0, 1)
        return out

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the states of (n,) integer ranks, in any order, as an (n, length) int64 array.

        Raises RankError for ranks outside the space and for spaces of 2^63 states or more.
        """
        import numpy as np

        wanted = self._wanted(ranks)
        out = np.empty((wanted.size, self.length), dtype=np.int64)
        if out.size:
            from epcg_core.compiled import read_only

            self._fill_at(read_only(wanted), out)
        elif not wanted.size and self.max_rank and self.length:  # compile, as `states_block` does
            self.states_at(np.zeros(1, np.int64))
        return out

    def _wanted(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Convert ranks to an (n,) int64 array. Raises RankError as `states_at` does."""
        import numpy as np

        self._need_arrays()
        wanted = np.asarray(ranks)
        if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
            raise RankError("Ranks are expected as a one-dimensional array of whole numbers.")
        if wanted.size and not (wanted.min() >= 0 and int(wanted.max()) < self.max_rank):
            raise RankError(f"Ranks {wanted.min()} to {wanted.max()} do not all lie in {self._described()}.")
        return wanted.astype(np.int64, copy=False)

    def _check_block(self, start: int, count: int) -> None:
        self._need_arrays()
        self._check_range(start, count)

    def _check_range(self, start: int, count: int) -> None:
        if count < 0 or start < 0 or start + count > self.max_rank:
            raise RankError(
                f"There is no block of {_shown(count)} ranks from {_shown(start)} on in {self._described()}."
            )

    def _need_arrays(self) -> None:
        if self.max_rank >= ARRAY_LIMIT:
            raise RankError(
                f"{self._described()} is too large for arrays, which hold ranks below 2^63; use unrank."
            )

    def _described(self) -> str:
        states = f"{_shown(self.max_rank)} states, ranks from 0" if self.max_rank else "no state at all"
        return f"{reprlib.repr(self)} ({states})"

    def _malformed(self, state: object, expected: str) -> RankError:
        return RankError(
            f"{reprlib.repr(state)} is not a state of {reprlib.repr(self)}: expected {expected}."
        )


Kernels = tuple[Callable[..., None], Callable[..., None], tuple[Any, ...]]
"""Kernels `block(start, count, *arguments, out)` and `at(ranks, *arguments, out)`, and these arguments."""


class KernelSpace(RankedSpace[tuple[int, ...]]):
    """A space of tuples of integers whose arrays are filled by kernels."""

    __slots__ = ()

    @abstractmethod
    def _kernels(self) -> Kernels:
        """Import and return the kernels."""

    def _fill_block(self, start: int, count: int, out: NDArray[np.int64]) -> None:
        block, _, arguments = self._kernels()
        block(start, count, *arguments, out)

    def _fill_at(self, ranks: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        _, at, arguments = self._kernels()
        at(ranks, *arguments, out)


def as_integers(state: Iterable[Any]) -> tuple[int, ...] | None:
    """Convert `state` (an array row, for example) to a tuple of Python ints; None if that fails."""
    try:
        return tuple(map(operator.index, state))
    except TypeError:
        return None


def plain_int(value: Any) -> Any:
    """Convert an integer of any type to a Python int; leave other values for `is_size` to refuse."""
    try:
        return operator.index(value)
    except TypeError:
        return value


def is_size(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate a size. Raises ParamsError."""
    if not isinstance(value, int) or value < 0:
        raise ParamsError(
            f"{type(instance).__name__}: {attribute.name} = {reprlib.repr(value)} is not a whole number "
            "of 0 or more."
        )


def _ranks_of(size: int) -> str:
    """Say which ranks a space of `size` states has."""
    return f"its ranks are 0 to {_shown(size - 1)}" if size else "it is empty, so it has none"


def _shown(number: int) -> str:
    """Format a number; give only the magnitude of numbers with thousands of digits."""
    if -(10**40) < number < 10**40:
        return str(number)
    return f"{'-' if number < 0 else ''}2^{abs(number).bit_length() - 1} or more"


@attrs.frozen
class ChoiceSpace(KernelSpace):
    """The base of the spaces of k of n, whose array form has k columns."""

    n: int = attrs.field(converter=plain_int, validator=is_size)
    k: int = attrs.field(converter=plain_int, validator=is_size)

    @property
    def length(self) -> int:
        return self.k
