"""Games whose pieces have many sizes and copies, on each lattice: the rules, and what difficulty is left."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from epcg_tangram.design.layout import Layout, Placement, layout_of
from epcg_tangram.evaluation import entropy, weighing_kernels
from epcg_tangram.evaluation.back import make_back
from epcg_tangram.formats.drawing import draw
from epcg_tangram.generators.bumps import bump_patterns
from epcg_tangram.generators.instances import Instances
from epcg_tangram.inference.rules import OnePiece, OnePlacement, region_shape, region_size, sums
from epcg_tangram.params import (
    RULE_NAMES,
    BackParams,
    BoardsParams,
    BumpParams,
    GameParams,
    GameRef,
    InstanceEntropyParams,
    InstancesParams,
)
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import Sides, allowed, holes_for, placement_classes
from epcg_tangram.rules.games import Game, game
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import BranchingError, Position, TangramModel

from epcg_core.difficulty import Answer
from epcg_core.domain import LimitReachedError

NAMED = '[[pieces]]\nname = "{}"\nshapes = {{ of = "{}", count = 1 }}\ncopies = {}\n'


def text_of(lattice: str, board: str, pieces: dict[str, int], rules: str = "") -> str:
    listed = "".join(NAMED.format(f"the {name}", name, copies) for name, copies in pieces.items())
    return f'lattice = "{lattice}"\n[board]\n{board}\n{listed}{rules}'


BOARD = 'family = "{}"\n{}\n'
SQUARES = text_of(
    "squares", 'drawing = """\n######\n##.###\n######\n"""',
    {"monomino": 1, "domino": 2, "L3": 1, "L4": 1, "P": 1},
)  # fmt: skip
"""17 squares around a hole."""
TRIANGLES = text_of(
    "triangles", 'family = "hexagon"\nside = 2',
    {"moniamond": 1, "diamond": 2, "trapezoid": 3, "bar-4": 1, "hexagon": 1},
)  # fmt: skip
HEXAGONS = text_of(
    "hexagons", 'family = "hexagon"\nside = 3',
    {"monohex": 1, "dihex": 1, "bar-3": 1, "corner-3": 1, "triangle-3": 2, "bee": 1},
)  # fmt: skip
BOXED = text_of(
    "squares", 'family = "rectangle"\nwidth = 4\nheight = 4',
    {"monomino": 2, "domino": 2, "I3": 2, "T4": 2, "W": 1}, '[rules]\nunused = "any"\n',
)  # fmt: skip
"""Pieces may stay in the box."""
GAMES = {"squares": SQUARES, "triangles": TRIANGLES, "hexagons": HEXAGONS, "boxed": BOXED}
EVERY = pytest.mark.parametrize("name", GAMES)


@cache
def played(name: str) -> Game:
    return game(GameParams(GAMES[name]))


def positions(name: str, count: int) -> list[Position]:
    """States of play: pieces of a solution, and some that lie where they happened to fit."""
    own, source, found = played(name), random.Random(name), []
    for _ in range(count):
        row = [n for n in own.covers[source.randrange(len(own.covers))].tolist() if n >= 0]
        shown = source.sample(row, source.randrange(len(row) - 1))
        position = Position(Instance(own.params, tuple(sorted(shown))))
        for _ in range(source.randrange(3)):
            if position.legal:
                position = position.after(source.choice(position.legal))
        found.append(position)
    return found


# --- what rules 3 and 4 say, from their words --------------------------------------------------------------


def choices(position: Position, size: int) -> list[tuple[int, ...]]:
    """The copies of each piece that are used, of every choice of the pieces left that has a size."""
    sizes = [kind.size for kind in position.instance.game.setting.definition.pieces]
    every = product(*(range(left + 1) for left in position.copies))
    return [used for used in every if sum(n * own for n, own in zip(used, sizes, strict=True)) == size]


def fills(position: Position, region: frozenset[int], used: tuple[int, ...]) -> bool:
    """Whether one or two placements of these pieces cover a region."""
    placements = position.instance.game.setting.placements
    inside = [p for p in placements if used[p.piece] and region.issuperset(p.cells)]
    for count in (1, 2):
        for some in combinations(inside, count):
            cells = [cell for p in some for cell in p.cells]
            if sorted(cells) == sorted(region) and all(
                used[piece] >= n for piece, n in Counter(p.piece for p in some).items()
            ):
                return True
    return False


def is_dead(position: Position, rule: int) -> bool:
    largest = max(kind.size for kind in position.instance.game.setting.definition.pieces)
    for region in position.regions:
        ways = choices(position, len(region))
        if rule == 3 and not ways:
            return True
        few = ways and max(map(sum, ways)) <= 2 and len(region) <= largest
        if rule == 4 and few and not any(fills(position, region, used) for used in ways):
            return True
    return False


@pytest.mark.sweep(2)
@EVERY
@pytest.mark.parametrize("count", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_dead_ends_are_those_of_the_words_and_of_the_kernel(name: str, count: int) -> None:
    tiles = entropy.tiles(played(name).params)
    seen = Counter[tuple[int, bool]]()
    for position in positions(name, count):
        for action in position.legal[:: max(1, len(position.legal) // 25)]:
            after = position.after(action)
            empty = np.uint64(sum(1 << cell for cell in after.empty))
            copies = np.array(after.copies, np.int64)
            for rule, bits, plain in ((3, 4, region_size), (4, 8, region_shape)):
                dead = plain(position, action) is Answer.CANNOT
                assert weighing_kernels.is_dead(tiles, empty, copies, bits) == dead
                assert is_dead(after, rule) == dead
                seen[rule, dead] += 1
            either = weighing_kernels.is_dead(tiles, empty, copies, 12)
            assert either == (is_dead(after, 3) or is_dead(after, 4))
    assert min(seen[rule, False] for rule in (3, 4)) > 20
    if name != "boxed":
        assert seen[4, True]


def test_sizes_and_the_most_pieces_that_have_them() -> None:
    for name in GAMES:
        for position in positions(name, 8):
            found = sums(position)
            area = sum(
                left * kind.size
                for left, kind in zip(position.copies, played(name).setting.definition.pieces, strict=True)
            )
            for size in range(area + 1):
                ways = choices(position, size)
                assert found.get(size) == (max(map(sum, ways)) if ways else None)


@EVERY
def test_rules_keep_what_leads_to_a_solution(name: str) -> None:
    """Of every state that can be finished, no rule drops all the ways to do so."""
    own, source, checked = played(name), random.Random(4), 0
    covers = [frozenset(n for n in row if n >= 0) for row in own.covers.tolist()]
    for _ in range(12):
        row = source.choice(covers)
        shown = tuple(sorted(source.sample(sorted(row), source.randrange(len(row)))))
        position = Position(Instance(own.params, shown))
        useful = set().union(*(cover for cover in covers if cover.issuperset(shown))) - set(shown)
        for action in useful:
            assert region_size(position, action) is Answer.UNKNOWN
            assert region_shape(position, action) is Answer.UNKNOWN
            checked += 1
        for rule in (OnePlacement(), OnePiece()):
            assert useful.intersection(rule.keep(position, position.legal))
    assert checked > 50


# --- difficulty --------------------------------------------------------------------------------------------


@cache
def instances(name: str, size: int) -> Instances:
    unknown: dict[str, Any] = {"excluded": "unknown"} if name == "boxed" else {}
    return Instances(InstancesParams(GAMES[name], size=size, keep="all", **unknown))


@pytest.mark.sweep(2)
@EVERY
def test_proper_instances_have_one_completion(name: str) -> None:
    own = played(name)
    width = int((own.covers[0] >= 0).sum())
    generator = instances(name, width - 3)
    covers = [frozenset(n for n in row if n >= 0) for row in own.covers.tolist()]
    assert generator.max_rank > 0
    source = random.Random(1)
    for rank in source.sample(range(generator.max_rank), min(20, generator.max_rank)):
        instance = generator.unrank(rank)
        assert generator.rank(instance) == rank
        assert generator.parse(generator.format(instance)) == instance
        absent = set(instance.excluded)
        found = [
            cover for cover in covers
            if cover.issuperset(instance.shown) and not absent & {own.pieces[n] for n in cover}
        ]  # fmt: skip
        assert found == [frozenset(instance.board)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("tries", [8, pytest.param(30, marks=pytest.mark.slow)])
@EVERY
def test_compiled_and_plain_measures_agree(name: str, tries: int) -> None:
    """On random instances, rules, branchings and orders, bit by bit."""
    width = int((played(name).covers[0] >= 0).sum())
    source = random.Random(name)
    compared, positive = 0, 0
    for _ in range(tries):
        generator = instances(name, width - source.choice([3, 4]))
        params = InstanceEntropyParams(
            rules=tuple(rule for rule in RULE_NAMES if source.random() < 0.6),
            branching=source.choice(entropy.BRANCHINGS[1 if name == "boxed" else 0 :]),  # type: ignore[arg-type]
            order=source.choice(entropy.ORDERS),  # type: ignore[arg-type]
            collapse_zero=source.random() < 0.5,
            limit=3000,
        )
        instance = generator.unrank(source.randrange(generator.max_rank))
        compiled = entropy.InstanceEntropy(params, generator)
        try:
            plain = compiled.plain().evaluate(instance)
        except LimitReachedError:
            continue
        assert list(compiled.evaluate(instance) or ()) == list(plain or ())
        assert plain
        compared += 1
        positive += plain[0] is not None and plain[0] > 0  # type: ignore[operator]
    assert compared > tries / 2
    assert positive > 1


# --- pictures of characters --------------------------------------------------------------------------------


def test_squares_and_hexagons_are_drawn_with_a_line_around_every_piece() -> None:
    squares = Board(GameRef(SQUARES), (placement("squares", 0, 1, 2, 6, 7), placement("squares", 5)))
    assert draw(squares.layout, squares.pieces).splitlines() == [
        "+---+---+---+---+---+---+",
        "|TP  TP  TP |.  |.  |Th |",
        "+       +---+---+---+---+",
        "|TP  TP |   |.  |.  |.  |",
        "+---+---+---+---+---+---+",
        "|.  |.  |.  |.  |.  |.  |",
        "+---+---+---+---+---+---+",
    ]
    hexagons = Board(GameRef(HEXAGONS), (placement("hexagons", 0, 1, 3, 4), placement("hexagons", 12, 16)))
    assert draw(hexagons.layout, hexagons.pieces).splitlines() == [
        r"     / \ / \ / \ ".rstrip(),
        r"    |Ta  Ta |.  |",
        r"   /       / \ / \ ".rstrip(),
        r"  |Ta  Ta |.  |.  |",
        r" / \ / \ / \ / \ / \ ".rstrip(),
        r"|.  |.  |.  |.  |.  |",
        r" \ / \ / \ / \ / \ /",
        r"  |Te |.  |.  |.  |",
        r"   \   \ / \ / \ /",
        r"    |Te |.  |.  |",
        r"     \ / \ / \ /",
    ]


def placement(name: str, *cells: int) -> int:
    """The placement that covers just these cells."""
    return next(n for n, p in enumerate(played(name).setting.placements) if p.cells == cells)


# --- the back of the board ---------------------------------------------------------------------------------


def with_back(name: str, bumps: int) -> GameRef:
    """The game with bumps on a class of cells, some pieces of which may not be turned, or turned over."""
    kind = played(name).setting.lattice.kinds[bumps]
    text = GAMES[name].replace("count = 1 }\ncopies = 2\n", "count = 1 }\ncopies = 2\nflip = false\n")
    text = text.replace("count = 1 }\ncopies = 3\n", "count = 1 }\ncopies = 3\nturn = false\n")
    return GameRef(f'{text}[back]\nbumps = "{kind}"\n')


def lies(layout: Layout, placement: Placement, sides: Sides) -> bool:
    """Whether the piece can be turned so that it lies there, and each bump below it meets a hole."""
    lattice, kind = layout.lattice, layout.definition.pieces[placement.piece]
    back = layout.definition.back
    assert back is not None
    there = {layout.places[cell] for cell in placement.cells}
    turns = lattice.turns if kind.turn else 1
    for number in [*range(turns), *(lattice.turns + n for n in range(turns if kind.flip else 0))]:
        images = {cell: next(iter(lattice.moved([cell], number))) for cell in kind.shape}
        low, own = ([min(c[axis] for c in cells) for axis in (0, 1)] for cells in (there, images.values()))
        by = (low[0] - own[0], low[1] - own[1])
        moved = {cell: (a + by[0], b + by[1]) for cell, (a, b) in images.items()}
        if set(moved.values()) != there:
            continue
        holes = sides[number >= lattice.turns]
        open_ = {"none": range(3), "blocked": (), "odd": (0,), "even": (1,), "third": (2,)}[holes]
        if all(lattice.kind(cell) in open_ for cell, on in moved.items() if lattice.kind(on) == back.bumps):
            return True
    return False


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "bumps"), [("squares", 0), ("triangles", 1), ("hexagons", 0), ("hexagons", 2), ("boxed", 1)]
)
def test_holes_decide_what_lies_on_the_bumps(name: str, bumps: int) -> None:
    layout = layout_of(with_back(name, bumps).definition)
    definition, known = layout.definition, placement_classes(layout)
    seen = Counter[bool]()
    for sides in product(holes_for(definition), repeat=2):
        for placement, own in zip(layout.placements, known, strict=True):
            expected = lies(layout, placement, sides)
            assert (own in allowed(definition, placement.piece, sides)) == expected
            seen[expected] += 1
    assert min(seen.values()) > 50


@pytest.mark.sweep(2)
@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GAMES)
def test_patterns_of_holes_have_ranks_and_are_counted(name: str, count: int) -> None:
    ref = with_back(name, 1)
    patterns = bump_patterns(BumpParams(ref.game))
    source = random.Random(2)
    ranks = sorted(source.sample(range(patterns.max_rank), min(count, patterns.max_rank)))
    back = make_back(BackParams(BoardsParams(ref.game)), patterns, {})
    counts = np.asarray(back.evaluate_states(patterns.states_at(np.array(ranks))).values[0])
    for rank, count in zip(ranks, counts.tolist(), strict=True):
        pattern = patterns.unrank(rank)
        assert patterns.rank(pattern) == rank
        assert patterns.parse(patterns.format(pattern)) == pattern
        assert back.evaluate(pattern) == (count,)
    assert len({patterns.unrank(rank).sides for rank in ranks}) == len(ranks)


# --- play --------------------------------------------------------------------------------------------------

HOLED = text_of(
    "squares", 'family = "rectangle"\nwidth = 4\nheight = 3',
    {"domino": 3, "L3": 1, "T4": 1}, '[rules]\nempty = 1\nunused = "any"\n',
)  # fmt: skip
"""11 of 12 cells are covered, by pieces of 13."""


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", [*GAMES, "holed"])
def test_a_player_finds_a_solution_wherever_there_is_one(name: str) -> None:
    """Also where pieces may stay in the box, or cells empty: it is only difficulty that is not defined."""
    rules = GameParams(GAMES.get(name, HOLED))
    own, source = game(rules), random.Random(5)
    model = TangramModel(own.setting, measures=False)

    def solvable(position: Position) -> bool:
        if model.is_goal(position):
            return True
        actions = model.choose(position, tuple(model.actions(position)))
        return any(solvable(model.apply(position, action)) for action in actions)

    seen = Counter[bool]()
    covers = [frozenset(n for n in row if n >= 0) for row in own.covers.tolist()]
    for _ in range(40):
        placed = list[int]()
        while len(placed) < 3 and (legal := Position(Instance(rules, tuple(sorted(placed)))).legal):
            placed.append(source.choice(legal))
        expected = any(cover.issuperset(placed) for cover in covers)
        assert solvable(model.initial(Instance(rules, tuple(sorted(placed))))) == expected
        seen[expected] += 1
    assert min(seen[True], seen[False]) > 0
    if name in ("boxed", "holed"):
        with pytest.raises(BranchingError, match=r"may be left out|leaves 1 empty"):
            TangramModel(own.setting).initial(Instance(rules, ()))
