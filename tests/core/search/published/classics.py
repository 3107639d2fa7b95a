"""A plugin for tests, the module `epcg_classics`: puzzles whose depths others have published.

domain classics  generators, each with a transition model and, if `arrays`, the same edges between ranks:
                   pancakes   stacks of `size` pancakes; a move turns over those from some place to the top
                   burnt      the same with pancakes that have a burnt side
                   cube       the cube of 2 x 2 x 2, one corner held fast; `half_turns` are one move, or two
                   corners    the corners of the cube of 3 x 3 x 3, whose six faces turn
                   towers     `discs` on `pegs`, never a larger one on a smaller one
Nothing here may import from the tests, nor anything of EPCG but `epcg_core.plugin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    Domain,
    DomainInfo,
    GeneratorInfo,
    MixedRadix,
    NoParams,
    Permutations,
    Product,
    bit_count,
    hookimpl,
    njit,
    param,
)

EPCG_API_VERSION = 1
Ranks = NDArray[np.int64]


class Model:
    """Moves that can be taken back by one."""

    reversible = True

    def __init__(self, moves: Callable[[Any], Iterable[Any]], solved: Any) -> None:
        self._moves, self._solved = moves, solved

    def initial(self, content: Any) -> Any:
        return content

    def actions(self, state: Any) -> range:
        return range(len(list(self._moves(state))))

    def apply(self, state: Any, action: int) -> Any:
        return list(self._moves(state))[action]

    def is_goal(self, state: Any) -> bool:
        return bool(state == self._solved)

    def key(self, state: Any) -> Any:
        return state


class Graph:
    """The same moves between ranks."""

    reversible = True

    def __init__(self, start: int, successor_ranks: Callable[[Ranks], Ranks]) -> None:
        self.starts = (start,)
        self.successor_ranks = successor_ranks
        self.goal_ranks = lambda ranks: ranks == start


class Space:
    """The positions of a puzzle, as a ranked space of the core numbers them."""

    def _fill(self, space: Any, moves: Any, solved: Any, successor_ranks: Any) -> None:
        self.max_rank = space.max_rank
        self.unrank, self.rank = space.unrank, space.rank
        self.starts = (space.rank(solved),)
        self.transition_model = Model(moves, solved)
        if successor_ranks is not None:
            self.ranked_graph = Graph(self.starts[0], successor_ranks)


# --- pancakes


@attrs.frozen
class StackParams:
    """A stack."""

    size: int = param(4, minimum=1)
    arrays: bool = param(True)


def flips(stack: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*reversed(stack[:k]), *stack[k:]) for k in range(2, len(stack) + 1)]


@njit
def flipped_ranks(stacks: Ranks, ranks_out: Ranks) -> None:
    """Write the lexicographic ranks after each flip of at least two, (m, n - 1), of stacks, (m, n)."""
    size = stacks.shape[1]
    for row in range(stacks.shape[0]):
        for k in range(2, size + 1):
            rank = 0
            used = 0
            for i in range(size):
                pancake = stacks[row, k - 1 - i] if i < k else stacks[row, i]
                rank = rank * (size - i) + pancake - bit_count(used & ((1 << pancake) - 1))
                used |= 1 << pancake
            ranks_out[row, k - 2] = rank


class Pancakes(Space):
    def __init__(self, params: StackParams) -> None:
        space = Permutations(params.size)

        def successor_ranks(ranks: Ranks) -> Ranks:
            found = np.empty((len(ranks), params.size - 1), np.int64)
            flipped_ranks(space.states_at(ranks), found)
            return found

        self._fill(space, flips, tuple(range(params.size)), successor_ranks if params.arrays else None)


Burnt = tuple[tuple[int, ...], tuple[int, ...]]


def burnt_flips(stack: Burnt) -> list[Burnt]:
    order, burnt = stack
    return [
        ((*reversed(order[:k]), *order[k:]), (*(1 - side for side in reversed(burnt[:k])), *burnt[k:]))
        for k in range(1, len(order) + 1)
    ]


class BurntPancakes(Space):
    """A flip changes the order and the sides apart from each other: two tables give its ranks."""

    def __init__(self, params: StackParams) -> None:
        size = params.size
        orders, sides = Permutations(size), MixedRadix((2,) * size)
        order_after = np.empty((orders.max_rank, size), np.int64)
        side_after = np.empty((sides.max_rank, size), np.int64)
        order_after[:, 0] = np.arange(orders.max_rank)
        flipped_ranks(orders.states_block(0, orders.max_rank), order_after[:, 1:])
        for rank in range(sides.max_rank):
            side_after[rank] = [
                sides.rank(b) for _, b in burnt_flips((tuple(range(size)), sides.unrank(rank)))
            ]

        def successor_ranks(ranks: Ranks) -> Ranks:
            order, side = np.divmod(ranks, sides.max_rank)
            return order_after[order] * sides.max_rank + side_after[side]

        solved = (tuple(range(size)), (0,) * size)
        self._fill(Product((orders, sides)), burnt_flips, solved, successor_ranks if params.arrays else None)


# --- the cube


@attrs.frozen
class CubeParams:
    """What is a move."""

    half_turns: bool = param(True)


CORNERS = 7  # the eighth, behind on the left below, stays: turns are of the other three faces
TURNS = (
    ((3, 0, 1, 2, 4, 5, 6), (0, 0, 0, 0, 0, 0, 0)),  # up
    ((4, 1, 2, 0, 6, 5, 3), (2, 0, 0, 1, 1, 0, 2)),  # right
    ((1, 5, 2, 3, 0, 4, 6), (1, 2, 0, 0, 2, 1, 0)),  # front
)
"""For each face: from which place a quarter turn brings the corner of each, and how it twists it.

Places: above, from the right in front against the clock; below, in front right and left, behind right.
"""
Cube = tuple[tuple[int, ...], tuple[int, ...]]


def turned(cube: Cube, face: int) -> Cube:
    """Turn a face by a quarter. The twists are of the first six corners; all seven sum to 0 modulo 3."""
    corners, twists = cube
    source, twist = TURNS[face]
    every = (*twists, -sum(twists) % 3)
    after = tuple((every[source[place]] + twist[place]) % 3 for place in range(CORNERS - 1))
    return tuple(corners[place] for place in source), after


def turns(cube: Cube, half_turns: bool) -> list[Cube]:
    found = []
    for face in range(len(TURNS)):
        once = turned(cube, face)
        twice = turned(once, face)
        found += [once, twice, turned(twice, face)] if half_turns else [once, turned(twice, face)]
    return found


PLACES, TWISTS = Permutations(CORNERS), MixedRadix((3,) * (CORNERS - 1))
SOLVED = (tuple(range(CORNERS)), (0,) * (CORNERS - 1))


@cache  # generators are made anew for each layer
def cube_tables(half_turns: bool) -> tuple[Ranks, Ranks]:
    """The ranks of places and of twists after each turn, (5040, k) and (729, k)."""
    places = [turns((PLACES.unrank(rank), SOLVED[1]), half_turns) for rank in range(PLACES.max_rank)]
    twists = [turns((SOLVED[0], TWISTS.unrank(rank)), half_turns) for rank in range(TWISTS.max_rank)]
    return (
        np.array([[PLACES.rank(place) for place, _ in row] for row in places]),
        np.array([[TWISTS.rank(twist) for _, twist in row] for row in twists]),
    )


class Cubes(Space):
    """A turn moves the corners and twists them apart from each other: two tables give its ranks."""

    def __init__(self, params: CubeParams) -> None:
        def successor_ranks(ranks: Ranks) -> Ranks:
            place_after, twist_after = cube_tables(params.half_turns)
            place, twist = np.divmod(ranks, TWISTS.max_rank)
            return place_after[place] * TWISTS.max_rank + twist_after[twist]

        def moves(cube: Cube) -> list[Cube]:
            return turns(cube, params.half_turns)

        self._fill(Product((PLACES, TWISTS)), moves, SOLVED, successor_ranks)


# --- the corners of the larger cube

PLACES_OF_8, TWISTS_OF_8 = Permutations(8), MixedRadix((3,) * 7)
SPOTS = tuple(product((1, -1), repeat=3))
"""Where the eight corners are: right or left, behind or in front, above or below."""


def turn_of(axis: int, side: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """From which place a quarter turn of a face brings the corner of each, and how it twists it.

    The twist of a corner says on which axis its upper or lower sticker is, counted against the clock.
    """
    source, twist = list(range(8)), [0] * 8
    one, other = (each for each in range(3) if each != axis)

    def axes(spot: tuple[int, ...]) -> tuple[int, ...]:
        return (2, 0, 1) if spot[0] * spot[1] * spot[2] > 0 else (2, 1, 0)

    for at, spot in enumerate(SPOTS):
        if spot[axis] != side:
            continue
        after = list(spot)
        after[one], after[other] = -spot[other], spot[one]
        to = SPOTS.index(tuple(after))
        source[to] = at
        upper = axes(spot)[0]
        moved = {axis: axis, one: other, other: one}[upper]
        twist[to] = axes(tuple(after)).index(moved)
    return tuple(source), tuple(twist)


FACES = tuple(turn_of(axis, side) for axis in range(3) for side in (1, -1))


def turned_corners(cube: Cube, face: int) -> Cube:
    """Turn a face by a quarter. The twists are of the first seven corners; all eight sum to 0 modulo 3."""
    corners, twists = cube
    source, twist = FACES[face]
    every = (*twists, -sum(twists) % 3)
    return tuple(corners[place] for place in source), tuple(
        (every[source[place]] + twist[place]) % 3 for place in range(7)
    )


def turns_of_corners(cube: Cube) -> list[Cube]:
    found = []
    for face in range(len(FACES)):
        after = cube
        for _ in range(3):
            after = turned_corners(after, face)
            found.append(after)
    return found


@cache
def corner_tables() -> tuple[Ranks, Ranks]:
    """The ranks of places and of twists after each turn, (40320, 18) and (2187, 18)."""
    none, home = (0,) * 7, tuple(range(8))
    places = [turns_of_corners((PLACES_OF_8.unrank(rank), none)) for rank in range(PLACES_OF_8.max_rank)]
    twists = [turns_of_corners((home, TWISTS_OF_8.unrank(rank))) for rank in range(TWISTS_OF_8.max_rank)]
    return (
        np.array([[PLACES_OF_8.rank(place) for place, _ in row] for row in places]),
        np.array([[TWISTS_OF_8.rank(twist) for _, twist in row] for row in twists]),
    )


class Corners(Space):
    """Two tables again."""

    def __init__(self, params: NoParams) -> None:
        def successor_ranks(ranks: Ranks) -> Ranks:
            place_after, twist_after = corner_tables()
            place, twist = np.divmod(ranks, TWISTS_OF_8.max_rank)
            return place_after[place] * TWISTS_OF_8.max_rank + twist_after[twist]

        solved = (tuple(range(8)), (0,) * 7)
        self._fill(Product((PLACES_OF_8, TWISTS_OF_8)), turns_of_corners, solved, successor_ranks)


# --- towers


@attrs.frozen
class TowersParams:
    """Discs and pegs."""

    discs: int = param(3, minimum=1)
    pegs: int = param(3, minimum=3)
    arrays: bool = param(True)


class Towers(Space):
    """The peg of each disc, the largest first."""

    def __init__(self, params: TowersParams) -> None:
        discs, pegs = params.discs, params.pegs
        space = MixedRadix((pegs,) * discs)

        def moves(state: tuple[int, ...]) -> list[tuple[int, ...]]:
            top = {peg: disc for disc, peg in enumerate(state)}
            return [
                (*state[: top[peg]], to, *state[top[peg] + 1 :])
                for peg, to in product(top, range(pegs))
                if to != peg and top[peg] > top.get(to, -1)
            ]

        def successor_ranks(ranks: Ranks) -> Ranks:
            states = space.states_at(ranks)
            top = np.full((len(ranks), pegs), -1)
            for disc in range(discs):
                top[np.arange(len(ranks)), states[:, disc]] = disc
            found = []
            for peg, to in product(range(pegs), repeat=2):
                if peg != to:
                    step = (to - peg) * pegs ** (discs - 1 - np.maximum(top[:, peg], 0))
                    found.append(np.where(top[:, peg] > top[:, to], ranks + step, -1))
            return np.ascontiguousarray(np.stack(found, axis=1))

        self._fill(space, moves, (0,) * discs, successor_ranks if params.arrays else None)


CLASSICS = Domain(
    "classics",
    "Classics",
    "puzzles whose depths are known",
    generators=[
        GeneratorInfo(name=name, summary=summary, params=params, factory=factory)
        for name, summary, params, factory in (
            ("pancakes", "stacks of pancakes", StackParams, Pancakes),
            ("burnt", "stacks of burnt pancakes", StackParams, BurntPancakes),
            ("cube", "the cube of 2 x 2 x 2", CubeParams, Cubes),
            ("corners", "the corners of the cube of 3 x 3 x 3", NoParams, Corners),
            ("towers", "towers of discs", TowersParams, Towers),
        )
    ],
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(CLASSICS)
