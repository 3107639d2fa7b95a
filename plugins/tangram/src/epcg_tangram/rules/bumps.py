"""Bumps on the back of the board: which patterns of holes the pieces can have, and what they allow.

The back has a bump on every cell of one orientation (up). What matters of how a piece lies is two bits:
which side faces the board, and whether the piece's own up triangles lie on the board's up cells (parity 0) or
not (parity 1). Both are homomorphisms of the lattice's symmetries, so of the four ways those are the same
placement that differ by a symmetry of the piece itself: what a pattern can forbid are these *classes*.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core.combinatorics import MixedRadix
from epcg_core.domain import Evaluation, Metric
from epcg_core.errors import EpcgError, ParamsError, RankError
from epcg_tangram import metrics
from epcg_tangram.generators.boards import Board, SolvedBoards
from epcg_tangram.params import BackParams, BumpParams
from epcg_tangram.rules.geometry import (
    PIECE_ORDER,
    Placement,
    geometry,
    is_mirrored,
    piece,
    pieces,
    swaps_up_and_down,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Way = tuple[bool, bool]
"""(turned over, parity)."""
Holes = Literal["odd", "even", "blocked", "none"]
"""Of a side: holes where the piece's own up triangles are (odd), where its down triangles are (even), bumps
everywhere (blocked), holes everywhere (none)."""
Sides = tuple[Holes, Holes]

HOLES: tuple[Holes, ...] = ("none", "odd", "even", "blocked")
TURNS = 3
"""Turns of the board that keep its bumps: by 0, 120 and 240 degrees."""


def way(symmetry: int) -> Way:
    """How a piece lies that is turned by one of SYMMETRIES."""
    return is_mirrored(symmetry), swaps_up_and_down(symmetry)


@cache
def classes(name: str) -> tuple[frozenset[Way], ...]:
    """The ways a piece can lie, those together that are the same placement."""
    own = {way(symmetry) for symmetry in piece(name).stabilizer}
    every = product((False, True), repeat=2)
    found = {frozenset((side ^ s, parity ^ p) for s, p in own) for side, parity in every}
    return tuple(sorted(found, key=sorted))


def class_of(placement: Placement) -> int:
    """In which of its piece's `classes` a placement is."""
    own = way(placement.symmetry)
    return next(i for i, ways in enumerate(classes(PIECE_ORDER[placement.piece])) if own in ways)


def fits(holes: Holes, parity: bool) -> bool:
    """Whether every bump under a piece meets a hole of the side that faces the board."""
    return holes == "none" or holes == ("even" if parity else "odd")


def allowed(name: str, sides: Sides) -> frozenset[int]:
    """The classes of a piece that are legal on the back, by their numbers in `classes`."""
    return frozenset(
        i for i, ways in enumerate(classes(name)) if any(fits(sides[side], parity) for side, parity in ways)
    )


# --- what a designer can choose ----------------------------------------------------------------------------


def constrained() -> tuple[str, ...]:
    """The pieces that holes can constrain: not every placement has an equivalent that meets any parity."""
    return tuple(own.name for own in pieces() if len(classes(own.name)) > 1)


def asymmetric() -> tuple[str, ...]:
    """The pieces without symmetries: each way to lie is a placement of its own."""
    return tuple(own.name for own in pieces() if len(classes(own.name)) == 4)


def choices(name: str, group_one: bool | None = None, closed: Holes = "blocked") -> tuple[Sides, ...]:
    """The different patterns of a piece, one pair of sides for each.

    A piece that is its own mirror image lies the same with either side down, so both sides must allow the
    same placements, and some; a piece that a half turn keeps has no parity, so a side is blocked or not;
    pieces without symmetries are of two groups: one side `closed` and the other odd or even, or both odd or
    even.
    """
    if group_one is not None:
        letters: tuple[Holes, ...] = ("odd", "even")
        if group_one:
            return (*((x, closed) for x in letters), *((closed, x) for x in letters))
        return tuple((x, y) for x in letters for y in letters)
    mirror = any(turned for ways in classes(name) for turned, _ in ways if len({s for s, _ in ways}) == 2)
    found: dict[frozenset[int], Sides] = {}
    for front, back in product(HOLES, HOLES):
        one, other = allowed(name, (front, "blocked")), allowed(name, ("blocked", back))
        legal = one | other
        if legal and (not mirror or one == other):
            found.setdefault(legal, (front, back))
    return tuple(found.values())


@attrs.frozen
class BumpPattern:
    """The holes of every piece that can be constrained."""

    sides: tuple[tuple[str, Holes, Holes], ...]
    """(piece, holes of its front, holes of its back), in the order of the pieces."""

    def holes(self, name: str) -> Sides | None:
        """The sides of a piece; None where it is not constrained."""
        return next(((front, back) for own, front, back in self.sides if own == name), None)


class BumpPatterns:
    """All patterns by rank: which two asymmetric pieces are of group 1, then each piece's choice."""

    def __init__(self, params: BumpParams) -> None:
        self.params = params
        self.names = constrained()
        lone = asymmetric()
        self.splits = tuple(combinations(lone, len(lone) // 2))
        self._choices = {
            (name, group): choices(name, group, params.group_one)
            for name in self.names
            for group in ((True, False) if name in lone else (None,))
        }
        sizes = [len(self._choices_of(name, 0)) for name in self.names]
        self._space = MixedRadix((len(self.splits), *sizes))

    def _choices_of(self, name: str, split: int) -> tuple[Sides, ...]:
        return self._choices[name, name in self.splits[split] if name in asymmetric() else None]

    @property
    def max_rank(self) -> int:
        return self._space.max_rank

    def unrank(self, rank: int) -> BumpPattern:
        """The pattern of `rank`. Raises RankError."""
        split, *digits = self._space.unrank(rank)
        return BumpPattern(
            tuple(
                (name, *self._choices_of(name, split)[digit])
                for name, digit in zip(self.names, digits, strict=True)
            )
        )

    def rank(self, state: BumpPattern) -> int:
        """The rank of a pattern. Raises RankError where it is none of these."""
        if tuple(name for name, _, _ in state.sides) == self.names:
            for split in range(len(self.splits)):
                own = [self._choices_of(name, split) for name in self.names]
                wanted = [(front, back) for _, front, back in state.sides]
                if all(sides in choice for sides, choice in zip(wanted, own, strict=True)):
                    digits = [choice.index(sides) for sides, choice in zip(wanted, own, strict=True)]
                    return self._space.rank((split, *digits))
        raise RankError("The bump pattern is not one of this space.")

    def states_block(self, start: int, count: int) -> NDArray[np.uint64]:
        """(count,) uint64: the allowed classes of each pattern as bits (see `class_bits`)."""
        return self._packed(self._space.states_block(start, count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        """(n,) uint64: the allowed classes of each pattern as bits (see `class_bits`)."""
        return self._packed(self._space.states_at(ranks))

    def _packed(self, digits: NDArray[np.int64]) -> NDArray[np.uint64]:
        import numpy as np

        found = np.zeros(len(digits), np.uint64)
        for column, table in enumerate(self._tables, 1):
            found |= table[digits[:, 0], digits[:, column]]
        return found

    @cached_property
    def _tables(self) -> list[NDArray[np.uint64]]:
        """For each piece, (splits, choices): the bits of its allowed classes."""
        import numpy as np

        return [
            np.array(
                [
                    [class_bits(name, allowed(name, sides)) for sides in self._choices_of(name, split)]
                    for split in range(len(self.splits))
                ],
                np.uint64,
            )
            for name in self.names
        ]

    def parse(self, text: str) -> BumpPattern:
        """The pattern that `format` wrote. Raises ParamsError."""
        sides = []
        for part in text.split(";"):
            words = part.replace("/", " ").split()
            if len(words) != 3 or words[0] not in PIECE_ORDER or not set(words[1:]) <= set(HOLES):
                raise ParamsError(f"Holes are written as in 'Line none/blocked', not '{part.strip()}'.")
            sides.append((words[0], words[1], words[2]))
        return BumpPattern(tuple(sides))  # type: ignore[arg-type]

    def format(self, state: BumpPattern) -> str:
        """'Line none/blocked; ...': of each piece the holes of its front and back."""
        return "; ".join(f"{name} {front}/{back}" for name, front, back in state.sides)


@cache
def _first_bits() -> dict[str, int]:
    """For each constrained piece the bit of its first class."""
    found, bit = {}, 0
    for name in constrained():
        found[name] = bit
        bit += len(classes(name))
    return found


def class_bits(name: str, numbers: Sequence[int] | frozenset[int]) -> int:
    """Classes of a piece as bits; 0 for a piece that cannot be constrained."""
    first = _first_bits().get(name)
    return 0 if first is None else sum(1 << (first + number) for number in numbers)


# --- boards on the back ------------------------------------------------------------------------------------


def is_legal(board: Board, pattern: BumpPattern) -> bool:
    """Whether a board, turned as it is, can be laid on the bumps."""
    known = geometry(board.side).placements
    for placement in (known[number] for number in board.placements):
        name = PIECE_ORDER[placement.piece]
        sides = pattern.holes(name)
        if sides is not None and class_of(placement) not in allowed(name, sides):
            return False
    return True


class Back:
    """`back_solutions`: how many solved boards a pattern allows, all their orientations over three turns."""

    metrics: Sequence[Metric] = (metrics.BACK_SOLUTIONS,)

    def __init__(self, boards: SolvedBoards) -> None:
        self.boards = boards
        # Of boards that count in every orientation already, all are taken as they are.
        self._images = self.boards.cover_problem.images

    def evaluate(self, state: BumpPattern) -> tuple[int, ...]:
        side, covers = self.boards.params.side, self.boards.covers.tolist()
        totals = [0] * len(self._puzzles[0])
        for row, puzzles in zip(covers, self._puzzles.tolist(), strict=True):
            placed = [number for number in row if number >= 0]
            turned = (Board(side, tuple(image[number] for number in placed)) for image in self._images)
            legal = sum(is_legal(board, state) for board in turned)
            totals = [total + legal * count for total, count in zip(totals, puzzles, strict=True)]
        return self._values(tuple(_over_turns(total) for total in totals))

    def _values(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """The metrics of a pattern that allows so many puzzles of each kind."""
        return counts

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        """`states` are the allowed classes as bits, (n,) uint64."""
        return Evaluation(list(self._counts(states).T.copy()))

    def _counts(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n, kinds): how many puzzles each pattern allows."""
        import numpy as np

        from epcg_core.compiled import read_only
        from epcg_tangram.evaluation.back_kernels import count_legal

        needed, weights = self._needs
        legal = np.zeros((len(states), weights.shape[1]), np.int64)
        count_legal(read_only(states), needed, weights, legal)
        if (legal % TURNS).any():
            raise EpcgError(_UNEVEN)
        return legal // TURNS

    @cached_property
    def _puzzles(self) -> NDArray[np.int64]:
        """(boards, kinds): how many puzzles of each kind a board is: one."""
        import numpy as np

        return np.ones((len(self.boards.covers), 1), np.int64)

    @cached_property
    def _needs(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """(m,) the sets of classes that boards need, in all their orientations, and (m, kinds) how many
        puzzles need each."""
        import numpy as np

        from epcg_core.compiled import read_only

        board = geometry(self.boards.params.side)
        bits = [class_bits(PIECE_ORDER[p.piece], [class_of(p)]) for p in board.placements]
        covers = self.boards.covers
        needs = []
        for image in self._images:
            of = np.array([*(bits[number] for number in image), 0], np.uint64)  # -1 needs nothing
            needs.append(np.bitwise_or.reduce(of[covers], axis=1))
        needed, numbers = np.unique(np.concatenate(needs), return_inverse=True)
        weights = np.zeros((len(needed), self._puzzles.shape[1]), np.int64)
        np.add.at(weights, numbers.reshape(-1), np.tile(self._puzzles, (len(self._images), 1)))
        return read_only(needed.astype(np.uint64)), read_only(weights)


class BackChapters(Back):
    """How many puzzles of each type of constraint there are on the back, and the fewest of them.

    A solved board is a puzzle for every choice of colours that it satisfies.
    """

    metrics = (*metrics.CHAPTERS, metrics.SMALLEST_CHAPTER)

    def _values(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        return (*counts, min(counts))

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        """`states` are the allowed classes as bits, (n,) uint64."""
        counts = self._counts(states)
        return Evaluation([*counts.T.copy(), counts.min(axis=1)])

    @cached_property
    def _puzzles(self) -> NDArray[np.int64]:
        """(boards, 6): one without colours, and for each type of constraint the choices of its colours."""
        import numpy as np

        from epcg_core.domain import NoParams
        from epcg_tangram.rules.adjacency import Colours

        covers = self.boards.covers
        met = Colours(NoParams(), self.boards, {}).evaluate_states(covers).values
        columns = [np.ones(len(covers), np.int64), *(np.asarray(column) for column in met)]
        return np.stack(columns, axis=1).astype(np.int64)


_UNEVEN = "Some boards look the same after a third of a turn, so they cannot be counted by thirds."


def _over_turns(legal: int) -> int:
    if legal % TURNS:
        raise EpcgError(_UNEVEN)
    return legal // TURNS


# --- the registered parts ----------------------------------------------------------------------------------


def bump_patterns(params: BumpParams) -> BumpPatterns:
    """All bump patterns."""
    return BumpPatterns(params)


def make_back(params: BackParams, generator: BumpPatterns, tables: Any) -> Back:
    """The evaluator `back`. Raises ParamsError for boards that cannot be covered."""
    return Back(SolvedBoards(params.boards))


def make_back_chapters(params: BackParams, generator: BumpPatterns, tables: Any) -> BackChapters:
    """The evaluator `back_chapters`. Raises ParamsError for boards that cannot be covered."""
    return BackChapters(SolvedBoards(params.boards))
