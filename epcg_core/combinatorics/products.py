"""Mixed-radix numbers and products of ranked spaces, exact at any size."""

# Functions import numpy and kernels: see `ranked`.
from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.ranked import Kernels, KernelSpace, RankedSpace, as_integers, plain_int

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _whole_numbers(radices: Iterable[int]) -> tuple[int, ...]:
    try:
        return tuple(map(plain_int, radices))
    except TypeError:
        raise ParamsError(f"MixedRadix: a list of radices is expected, not {radices!r}.") from None


def _spaces(factors: Iterable[RankedSpace[Any]]) -> tuple[RankedSpace[Any], ...]:
    try:
        return tuple(factors)
    except TypeError:
        raise ParamsError(f"Product: a list of ranked spaces is expected, not {factors!r}.") from None


@attrs.frozen
class MixedRadix(KernelSpace):
    """The tuples of digits with digit i below radices[i], the last varying fastest.

    The array form has one column a radix. Without radices there is one state, ().
    """

    radices: tuple[int, ...] = attrs.field(converter=_whole_numbers)

    @radices.validator
    def _check(self, attribute: attrs.Attribute[Any], value: tuple[Any, ...]) -> None:
        if not all(isinstance(radix, int) and radix >= 0 for radix in value):
            raise ParamsError(
                f"MixedRadix: radices = {reprlib.repr(value)} are not all whole numbers of 0 or more."
            )

    @cached_property
    def max_rank(self) -> int:
        return math.prod(self.radices)

    @property
    def length(self) -> int:
        return len(self.radices)

    def _unrank(self, rank: int) -> tuple[int, ...]:
        digits = [0] * len(self.radices)
        for i in range(len(self.radices) - 1, -1, -1):
            rank, digits[i] = divmod(rank, self.radices[i])
        return tuple(digits)

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        digits = as_integers(state)
        if (
            digits is None
            or len(digits) != len(self.radices)
            or not all(0 <= digit < radix for digit, radix in zip(digits, self.radices, strict=True))
        ):
            raise self._malformed(state, f"{len(self.radices)} digits, each from 0 and below its radix")
        return digits

    def _rank(self, state: tuple[int, ...]) -> int:
        rank = 0
        for digit, radix in zip(state, self.radices, strict=True):
            rank = rank * radix + digit
        return rank

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        for i in range(len(self.radices) - 1, -1, -1):
            if state[i] + 1 < self.radices[i]:
                return (*state[:i], state[i] + 1, *(0,) * (len(self.radices) - i - 1))
        return None

    @cached_property
    def _radix_array(self) -> NDArray[np.int64]:
        import numpy as np

        from epcg_core.compiled import read_only

        return read_only(np.array(self.radices, dtype=np.int64))

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.tuple_kernels import mixed_radix_at, mixed_radix_block

        return mixed_radix_block, mixed_radix_at, (self._radix_array,)


@attrs.frozen
class Product(RankedSpace[tuple[Any, ...]]):
    """The tuples of one state of each factor, the last varying fastest.

    A factor is any ranked space, including a product. The array form has the factors' columns side by side.
    Without factors there is one state, ().
    """

    factors: tuple[RankedSpace[Any], ...] = attrs.field(converter=_spaces)

    @factors.validator
    def _check(self, attribute: attrs.Attribute[Any], value: tuple[Any, ...]) -> None:
        for factor in value:
            if not isinstance(factor, RankedSpace):
                raise ParamsError(f"Product: {reprlib.repr(factor)} is not a ranked space.")

    @cached_property
    def max_rank(self) -> int:
        return math.prod(factor.max_rank for factor in self.factors)

    @property
    def length(self) -> int:
        return sum(factor.length for factor in self.factors)

    def _unrank(self, rank: int) -> tuple[Any, ...]:
        states: list[Any] = []
        for factor in reversed(self.factors):
            rank, own = divmod(rank, factor.max_rank)
            states.append(factor.unrank(own))
        return tuple(reversed(states))

    def _checked(self, state: Sequence[Any]) -> tuple[Any, ...]:
        if not isinstance(state, Sequence) or len(state) != len(self.factors):
            raise self._malformed(state, f"{len(self.factors)} states, one of each factor")
        return tuple(factor._checked(own) for factor, own in zip(self.factors, state, strict=True))

    def _rank(self, state: tuple[Any, ...]) -> int:
        rank = 0
        for factor, own in zip(self.factors, state, strict=True):
            rank = rank * factor.max_rank + factor._rank(own)
        return rank

    def _increment(self, state: tuple[Any, ...]) -> tuple[Any, ...] | None:
        states = list(state)
        for i in range(len(states) - 1, -1, -1):
            following = self.factors[i]._increment(states[i])
            if following is not None:
                states[i] = following
                return tuple(states)
            states[i] = self.factors[i]._unrank(0)
        return None

    def _fill_block(self, start: int, count: int, out: NDArray[np.int64]) -> None:
        import numpy as np

        # A factor's state lasts for `stride` ranks (the states of the factors behind it), so it is unranked
        # once for each of these and repeated; and a factor that comes round again is unranked only once.
        ranks = np.arange(start, start + count, dtype=np.int64)
        stride, column = 1, out.shape[1]
        for factor in reversed(self.factors):
            column -= factor.length
            first, last = start // stride, (start + count - 1) // stride
            size = factor.max_rank
            if last - first + 1 >= size:
                states, rows = factor.states_block(0, size), ranks // stride % size
            elif first % size <= last % size:
                states = factor.states_block(first % size, last - first + 1)
                rows = ranks // stride - first
            else:
                states = np.concatenate(
                    [
                        factor.states_block(first % size, size - first % size),
                        factor.states_block(0, last % size + 1),
                    ]
                )
                rows = ranks // stride - first
            out[:, column : column + factor.length] = states[rows]
            stride *= size

    def _fill_at(self, ranks: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        column, rest = out.shape[1], ranks
        for factor in reversed(self.factors):
            column -= factor.length
            out[:, column : column + factor.length] = factor.states_at(rest % factor.max_rank)
            rest = rest // factor.max_rank
