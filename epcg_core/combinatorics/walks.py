"""Tuples of digits that a finite automaton accepts, in lexicographic order, exact at any size.

The tuples are the paths through layers of nodes: a node of layer i is a state of the automaton after i
digits. `ways` of a node is the number of its completions, by dynamic programming from the end, as in
Flajolet, Zimmermann & Van Cutsem, "A calculus for the random generation of labelled combinatorial structures"
(1994). So a relation between neighbouring digits, a sum, a parity, a frontier that sweeps over a board and
whatever else a state can remember make a ranked space, in which nothing that breaks the relation has a rank.
"""

# Functions import numpy and kernels: see `ranked`.
from __future__ import annotations

import reprlib
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.ranked import ARRAY_LIMIT, KernelSpace, as_integers, is_size, plain_int

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.combinatorics.ranked import Kernels

MOST_NODES = 1_000_000
"""The nodes of a space that is made state by state: each takes some 100 bytes."""
MOST_ENTRIES = 60_000_000
"""The nodes of a space that is made in arrays, times the digits: each takes eight bytes, twice on the way."""


@attrs.frozen
class NodeSpace(KernelSpace):
    """The base of spaces whose states are the paths through layers of nodes.

    The array form has a column a digit. Node 0 of the first layer is the root.
    """

    @property
    @abstractmethod
    def layers(self) -> Sequence[Sequence[Sequence[int]]]:
        """Entry [position][node][digit] is the node of the next layer; -1 if the digit cannot stand there."""

    @property
    @abstractmethod
    def ways(self) -> Sequence[Sequence[int]]:
        """Entry [position][node] is the number of completions; there is one position more than digits."""

    @cached_property
    def max_rank(self) -> int:
        return int(self.ways[0][0])

    def _unrank(self, rank: int) -> tuple[int, ...]:
        node, state = 0, []
        for rows, ways in zip(self.layers, self.ways[1:], strict=True):
            for digit, following in enumerate(rows[node]):
                count = int(ways[following]) if following >= 0 else 0
                if rank < count:
                    state.append(digit)
                    node = following
                    break
                rank -= count
        return tuple(state)

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        digits = as_integers(state)
        if digits is None or len(digits) != self.length or self.node(digits) is None:
            raise self._malformed(state, self._expected)
        return digits

    @property
    def _expected(self) -> str:
        return f"{self.length} digits that the automaton accepts"

    def node(self, prefix: Sequence[int]) -> int | None:
        """Return the node of a prefix; None if no state begins with it."""
        node = 0
        for digit, rows in zip(prefix, self.layers, strict=False):
            node = int(rows[node][digit]) if 0 <= digit < len(rows[node]) else -1
            if node < 0:
                return None
        return node if self.ways[len(prefix)][node] else None

    def _rank(self, state: tuple[int, ...]) -> int:
        rank = node = 0
        for digit, rows, ways in zip(state, self.layers, self.ways[1:], strict=False):
            rank += sum(int(ways[following]) for following in rows[node][:digit] if following >= 0)
            node = rows[node][digit]
        return rank

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        nodes = [0]
        for digit, rows in zip(state, self.layers, strict=True):
            nodes.append(rows[nodes[-1]][digit])
        for position in range(self.length - 1, -1, -1):
            row, ways = self.layers[position][nodes[position]], self.ways[position + 1]
            for digit in range(state[position] + 1, len(row)):
                if row[digit] >= 0 and ways[row[digit]]:
                    return (*state[:position], digit, *self.first(position + 1, row[digit]))
        return None

    def first(self, position: int, node: int) -> list[int]:
        """Return the digits of the first completion of a node."""
        state = []
        for at in range(position, self.length):
            row, ways = self.layers[at][node], self.ways[at + 1]
            digit = next(d for d, following in enumerate(row) if following >= 0 and ways[following])
            state.append(digit)
            node = row[digit]
        return state

    @cached_property
    def tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The nodes of all layers, numbered through.

        (nodes, digits) int64 following nodes, -1 for none; (nodes,) int64 ways; and (length + 2,) int64
        where each layer begins.
        """
        import numpy as np

        from epcg_core.compiled import read_only

        sizes = [len(ways) for ways in self.ways]
        first = np.cumsum([0, *sizes])
        width = max((1, *(len(rows[0]) for rows in self.layers if len(rows))))
        following = np.full((first[-1], width), -1, np.int64)
        for position, rows in enumerate(self.layers):
            if len(rows):
                kept = np.asarray(rows, np.int64)
                places = following[first[position] : first[position + 1], : kept.shape[1]]
                places[...] = np.where(kept >= 0, kept + first[position + 1], -1)
        ways = np.concatenate([np.asarray(layer, np.int64) for layer in self.ways])
        return read_only(following), read_only(ways), read_only(first.astype(np.int64))

    @cached_property
    def _below(self) -> NDArray[np.int64]:
        """(nodes, digits + 1) how many completions of each node begin with a lower digit."""
        import numpy as np

        from epcg_core.combinatorics.tuple_kernels import completions_below
        from epcg_core.compiled import read_only

        following, ways, _ = self.tables
        below = np.empty((len(following), following.shape[1] + 1), np.int64)
        completions_below(following, ways, below)
        return read_only(below)

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.tuple_kernels import constrained_at, constrained_block

        following, ways, _ = self.tables
        return constrained_block, constrained_at, (following, ways, self._below)

    def ranks_of(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the (n,) ranks of (n, length) int64 states; -1 for rows that are not states of the space.

        Raises RankError for spaces of 2^63 states or more.
        """
        import numpy as np

        from epcg_core.combinatorics.tuple_kernels import constrained_ranks
        from epcg_core.compiled import read_only

        self._need_arrays()
        if states.ndim != 2 or states.shape[1] != self.length or states.dtype != np.int64:
            raise self._malformed(states, f"an int64 array of rows of {self.length} digits")
        following, ways, _ = self.tables
        out = np.empty(len(states), np.int64)
        constrained_ranks(read_only(states), following, ways, self._below, out)
        return out

    def words_block(
        self, start: int, count: int, words: NDArray[np.uint64], empty: int
    ) -> NDArray[np.uint64]:
        """Return the words of ranks start .. start + count - 1: (count,) uint64.

        A tuple's word is the exclusive or of `empty` and of `words[position, digit]` of each digit; `words`
        is (length, digits). Raises RankError as `states_block` does.
        """
        import numpy as np

        from epcg_core.combinatorics.tuple_kernels import choices, constrained_words
        from epcg_core.compiled import read_only

        self._check_block(start, count)
        following, ways, first = self.tables
        size, width = following.shape
        nexts = np.full((size, width + 1), -1, np.int64)
        nodes, gained = np.full((size + 1, width), -1, np.int64), np.zeros((size + 1, width), np.uint64)
        choices(following, ways, first, read_only(words), nexts, nodes, gained)
        out = np.zeros(count, np.uint64)
        tables = read_only(nexts), read_only(nodes), read_only(gained)
        constrained_words(start, self.length, ways, following, *tables, np.uint64(empty), out)
        return out


def _always(state: Any) -> bool:
    return True


@attrs.frozen
class Walk(NodeSpace):
    """The tuples of `length` digits that an automaton accepts.

    `start` is its first state. `step(position, state)` gives the state after each digit: a sequence with a
    state, or None, for the digits 0, 1, ..., or a mapping from the digits that can stand there. `accept` says
    of a state after the last digit whether the tuple counts. States are anything that can be hashed; the
    fewer there are, the better: a state holds what later digits depend on, and nothing else.

    Walks of five steps that never go back twice running:

    >>> Walk(5, start=0, step=lambda position, back: [0, 1] if back == 0 else [0, None]).max_rank
    13

    Raises ParamsError for more than `MOST_NODES` states over all positions: `ArrayWalk` takes more.
    """

    length: int = attrs.field(converter=plain_int, validator=is_size)
    start: Hashable
    step: Callable[[int, Any], Sequence[Hashable | None] | Mapping[int, Hashable]]
    accept: Callable[[Any], bool] = _always

    @cached_property
    def _made(self) -> tuple[list[list[list[int]]], list[int]]:
        """The layers, and which nodes behind the last digit are accepted, as 1 or 0."""
        layer: dict[Any, int] = {self.start: 0}
        layers, nodes = [], 1
        for position in range(self.length):
            following: dict[Any, int] = {}
            rows = [
                [
                    -1 if after is None else following.setdefault(after, len(following))
                    for after in self._after(position, state)
                ]
                for state in layer
            ]
            nodes += len(following)
            if nodes > MOST_NODES:
                raise ParamsError(
                    f"The automaton has more than {MOST_NODES:,} states after {position + 1} of "
                    f"{self.length} digits: let a state hold less, or make it in arrays (ArrayWalk)."
                )
            width = max(map(len, rows), default=0)
            layers.append([row + [-1] * (width - len(row)) for row in rows])
            layer = following
        return layers, [int(bool(self.accept(state))) for state in layer]

    def _after(self, position: int, state: Any) -> Sequence[Hashable | None]:
        found = self.step(position, state)
        if isinstance(found, Mapping):
            digits = as_integers(found)
            if digits is None or min(digits, default=0) < 0:
                raise ParamsError(
                    f"Walk: the step at position {position} from {reprlib.repr(state)} gives the digits "
                    f"{reprlib.repr(list(found))}, which are not all whole numbers of 0 or more."
                )
            return [found.get(digit) for digit in range(max(digits, default=-1) + 1)]
        if isinstance(found, Sequence) and not isinstance(found, str):
            return found
        raise ParamsError(
            f"Walk: the step at position {position} from {reprlib.repr(state)} gives {reprlib.repr(found)}: "
            "a state for each digit, or None, is expected."
        )

    @property
    def layers(self) -> Sequence[Sequence[Sequence[int]]]:
        return self._made[0]

    @cached_property
    def ways(self) -> Sequence[Sequence[int]]:
        layers, accepted = self._made
        return completions(layers, accepted)


def completions(layers: Sequence[Sequence[Sequence[int]]], accepted: list[int]) -> list[list[int]]:
    """Count the completions of the nodes of each layer, given those of the nodes behind the last digit."""
    ways = [accepted]
    for rows in reversed(layers):
        behind = ways[-1]
        ways.append([sum(behind[node] for node in row if node >= 0) for row in rows])
    return ways[::-1]


@attrs.frozen
class ArrayWalk(NodeSpace):
    """A `Walk` whose states are whole numbers, made a layer at a time.

    `steps(position, states)` takes the (n,) int64 states that can occur there, increasing, and returns the
    (n, digits) int64 states after each digit, -1 if it cannot stand. `accepts(states)` returns (n,) bool.
    Both are arrays of numpy, or a kernel of the author's.

    Raises ParamsError if the states over all positions, times the digits, are more than `MOST_ENTRIES`.
    """

    length: int = attrs.field(converter=plain_int, validator=is_size)
    start: int = attrs.field(converter=plain_int, validator=is_size)
    steps: Callable[[int, NDArray[np.int64]], NDArray[np.int64]]
    accepts: Callable[[NDArray[np.int64]], NDArray[np.bool_]] | None = None

    @cached_property
    def _made(self) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        import numpy as np

        from epcg_core.compiled import read_only

        states = read_only(np.array([self.start], np.int64))
        layers, entries = [], 0
        for position in range(self.length):
            after = np.asarray(self.steps(position, states))
            if after.ndim != 2 or len(after) != len(states) or after.dtype != np.int64 or (after < -1).any():
                raise ParamsError(
                    f"ArrayWalk: the steps at position {position} are an array of {after.dtype} "
                    f"{after.shape}: int64 of {len(states)} rows is expected, a state or -1 for each digit."
                )
            entries += after.size
            if entries > MOST_ENTRIES:
                raise ParamsError(
                    f"The automaton has more than {MOST_ENTRIES:,} states times digits after {position + 1} "
                    f"of {self.length} digits: let a state hold less."
                )
            found, nodes = np.unique(after, return_inverse=True)
            none = int(found.size > 0 and found[0] < 0)
            layers.append((nodes.reshape(after.shape) - none).astype(np.int64))
            states = read_only(found[none:])
        accepted = (
            np.ones(len(states), np.bool_) if self.accepts is None else np.asarray(self.accepts(states))
        )
        if accepted.shape != states.shape:
            raise ParamsError(f"ArrayWalk: accepts gave {accepted.shape} for {len(states)} states.")
        return layers, accepted.astype(np.int64)

    @property
    def layers(self) -> Any:
        return self._made[0]

    @cached_property
    def ways(self) -> Any:
        """Entry [position][node] is the number of completions: int64, or objects if it is larger."""
        import numpy as np

        layers, accepted = self._made
        ways: list[NDArray[Any]] = [accepted]
        for rows in reversed(layers):
            behind = np.append(ways[-1], ways[-1].dtype.type(0) if ways[-1].dtype != object else 0)
            if behind.dtype != object and behind.max(initial=0) * float(max(1, rows.shape[1])) >= ARRAY_LIMIT:
                behind = behind.astype(object)
            ways.append(behind[rows].sum(axis=1))  # -1 is the last, which has none
        return ways[::-1]
