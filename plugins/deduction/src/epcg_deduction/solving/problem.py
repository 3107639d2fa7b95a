"""A problem: sites with marks as bits, and instances of rules. Solvers and steps read nothing else.

`epcg_deduction.rules.problem_of(puzzle)` makes it. A *position* is a mask of possible marks for each site
(bit m: mark number m). An instance is local (an automaton reads the marks of its sites in order; its test is
exact) or global (one of the classes below; its test is that of `deduction_vocabulary`, section 5, which only
gets stricter as marks go and is exact on complete positions).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from itertools import chain

import attrs

from epcg_deduction.model.boards import Pair, Site as Site


class Automaton(ABC):
    """A condition on a list of marks, read one by one; states are hashable and few."""

    @abstractmethod
    def first(self) -> Hashable:
        """Return the state before the first mark."""

    @abstractmethod
    def after(self, state: Hashable, index: int, mark: int) -> Hashable | None:
        """Return the state after the mark of site number `index` of the instance; None: it cannot hold."""

    @abstractmethod
    def accepts(self, state: Hashable) -> bool:
        """Return whether the condition holds if the list ends here."""

    def different(self) -> tuple[tuple[int, ...], ...] | None:
        """Return what must differ, if it is that no two sites have equal symbols; None: it is something else.

        For each site the symbol of each mark; -1: a mark that may be there as often as it likes.
        """
        return None


@attrs.frozen
class Instance:
    """One instance of a rule.

    Args:
        rule: the number of the rule in the genre.
        place: what a person would point at, such as "row 3" or "the clue 2 in r1c4".
        sites: the numbers of the sites that it is about.
    """

    rule: int
    place: str
    sites: tuple[int, ...]


@attrs.frozen
class Local(Instance):
    """An instance whose condition an automaton decides, over `sites` in this order."""

    automaton: Automaton


@attrs.frozen
class Connected(Instance):
    """Sites whose mark is in `mask` hang together by `pairs` (indices into `sites`); none, or one, does."""

    mask: int
    pairs: tuple[Pair, ...]


@attrs.frozen
class OneLoop(Instance):
    """The lines (mark 0) have no closed loop beside other lines, and there is at least one line.

    `ends` gives the two vertices or cells of each site. Degrees are instances of their own.
    """

    ends: tuple[Pair, ...]


@attrs.frozen
class Joined(Instance):
    """`paths` of the whole board: lines (mark 0) make no closed loop and join equal clues only.

    `ends`: the two cells of each site; `clues`: for each cell that has a clue, its value.
    """

    ends: tuple[Pair, ...]
    clues: tuple[tuple[int, int], ...]


@attrs.frozen
class Groups(Instance):
    """Conditions on the largest connected sets of sites with equal marks, or with marks in `mask`.

    Args:
        pairs: neighbours (indices into `sites`).
        mask: the marks of a group; 0: groups of equal marks.
        least, most: bounds of a group's size; None: none.
        clues: for each site (index into `sites`) that has a clue, its number (None: a clue without one).
        exactly: how many of the clues a group has; None: any number.
        by_clue: whether a group's size is the number of each clue in it.
        by_mark: whether a group's size is the number that its mark stands for (mark m is m + 1).
    """

    pairs: tuple[Pair, ...]
    mask: int
    least: int | None = None
    most: int | None = None
    clues: tuple[tuple[int, int | None], ...] = ()
    exactly: int | None = None
    by_clue: bool = False
    by_mark: bool = False


@attrs.frozen
class Pieces(Instance):
    """Conditions on pieces: sites are borders (mark 0: the two cells are in different pieces).

    Always: no border lies inside a piece. Args as in `Groups`, about cells. The test takes what is surely in
    one piece with the rectangle around it (again, as long as it grows), and what it can still reach; a piece
    is finished, for `values`, if it has `most` cells or can reach no more.

    Args:
        cells: the cells (squares).
        pairs: the two cells (indices into `cells`) of each site.
        rectangle: whether each piece is a rectangle.
        width: of the board, for rectangles.
        values: for each cell its clue's number, for `distinct`: no two pieces have equal lists of values
            (sorted); (): not asked.
    """

    cells: tuple[int, ...]
    pairs: tuple[Pair, ...]
    rectangle: bool = False
    width: int = 0
    least: int | None = None
    most: int | None = None
    clues: tuple[tuple[int, int | None], ...] = ()
    exactly: int | None = None
    by_clue: bool = False
    values: tuple[int, ...] = ()


@attrs.frozen
class Matched(Instance):
    """Sites with a mark in `mask` and clues can be paired, neighbours with neighbours, each once.

    `near`: for each clue the sites beside it (indices into `sites`).
    """

    mask: int
    near: tuple[tuple[int, ...], ...]


@attrs.define(eq=False)
class Part:
    """Instances that several problems have, such as those of a board, or of one of its clues.

    Args:
        instances: in their order.
        made: what solvers keep of them, so that they make them ready once.
    """

    instances: tuple[Instance, ...]
    made: object = attrs.field(default=None, repr=False)


@attrs.frozen
class Problem:
    """A puzzle for solvers.

    Args:
        sites: where the marks stand.
        names: the names of each site's marks; mark m is bit m of a mask.
        start: the possible marks of each site after the rules `at`.
        instances: the instances of the other rules.
        hidden: the number of sites at the end of `sites` that follow from the others and are not shown
            (0 as a rule).

    `parts` are the same instances as lists that other problems of the board may have too; () if they are not
    known.
    """

    sites: tuple[Site, ...]
    names: tuple[tuple[str, ...], ...]
    start: tuple[int, ...]
    instances: tuple[Instance, ...]
    hidden: int = 0
    parts: tuple[Part, ...] = attrs.field(init=False, default=(), eq=False, repr=False)

    @classmethod
    def of_parts(
        cls,
        sites: tuple[Site, ...],
        names: tuple[tuple[str, ...], ...],
        start: tuple[int, ...],
        parts: tuple[Part, ...],
    ) -> Problem:
        """Return the problem whose instances are those of some parts, in their order."""
        made = cls(sites, names, start, tuple(chain.from_iterable([part.instances for part in parts])))
        object.__setattr__(made, "parts", parts)
        return made
