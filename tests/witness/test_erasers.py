"""Erasers: the rule, by itself and in panels; plain, compiled and brute force agree."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache

import attrs
import pytest
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.reference import all_paths, is_solution, region_satisfied, regions, solutions
from epcg_witness.rules.tiling import covers
from epcg_witness.solving.search import search_panel
from epcg_witness.solving.solver import count_solutions

from epcg_core.domain import LimitReachedError
from tests.witness.random_panels import random_panel, with_erasers

B, W, E = Square("black"), Square("white"), Eraser()


def one_region(*symbols: CellSymbol, width: int = 0) -> bool:
    """Whether symbols side by side in one region that the path passes below are satisfied."""
    panel = Panel(width=width or max(len(symbols), 1), height=1, symbols=dict(enumerate(symbols)))
    path = panel.grid.parse_path(0, "R" * panel.width + "U")
    return is_solution(panel, path)


@pytest.mark.parametrize(
    ("symbols", "satisfied"),
    [
        ((E,), False),
        ((E, B), False),
        ((E, B, W), True),
        ((E, B, B, W), True),
        ((E, E, B, B, W), False),
        ((E, E, B, B, W, W), True),
        ((E, B, B, W, W), False),
        ((E, E), True),
        ((E, E, B), True),
        ((E, E, E), False),
        ((E, E, E, B, W), True),
        ((E, E, B, W), False),
        ((E, Star("red")), True),
        ((E, Star("white")), False),  # the eraser makes a pair with the star, and has nothing to remove
        ((E, E, Star("white")), False),
        ((E, E, Star("white"), W), False),  # one eraser can stand idle: the other removes the star
        ((E, Star("white"), W), True),  # three white symbols: the square or the star is removed
        ((E, Triangles(3)), True),
        ((E, Polyomino.parse("##")), False),
        ((E, Polyomino.parse("###")), True),
        ((E, E, Triangles(3), Polyomino.parse("#")), True),
    ],
)
def test_what_erasers_satisfy(symbols: tuple[CellSymbol, ...], satisfied: bool) -> None:
    assert one_region(*symbols) is satisfied


def test_a_missed_dot_is_removed_by_an_eraser_of_its_region() -> None:
    grid = grid_of(2, 1)
    dot = grid.horizontal_edge(0, 1)
    panel = Panel(width=2, height=1, symbols={0: E}, dots=[dot])
    assert is_solution(panel, grid.parse_path(0, "RRU"))
    assert is_solution(panel, grid.parse_path(0, "RUR"))
    assert not is_solution(attrs.evolve(panel, symbols={1: E}), grid.parse_path(0, "RUR"))
    assert not is_solution(panel, grid.parse_path(0, "URR"))
    assert not is_solution(
        attrs.evolve(panel, symbols={0: E}, dots=[dot, dot + 1]), grid.parse_path(0, "RRU")
    )


def brute_force_region(
    held: dict[int, CellSymbol], violated: set[int], missed: int, cells: list[tuple[int, int]]
) -> bool:
    """The definition, symbol by symbol: every eraser chooses a symbol to remove, or stands idle."""
    things = [("dot", i) for i in range(missed)] + [("cell", cell) for cell in held]
    erasers = [("cell", cell) for cell, symbol in held.items() if isinstance(symbol, Eraser)]
    if not erasers:
        return missed == 0 and not violated and _agree(list(held.values()), cells)
    choices: dict[tuple[int, frozenset[object]], int] = {}
    fewest: dict[frozenset[object], int] = {}
    for chosen in itertools.product([None, *things], repeat=len(erasers)):
        removed = [thing for thing in chosen if thing is not None]
        if len(set(removed)) < len(removed):
            continue
        if any(by in removed and thing is not None for by, thing in zip(erasers, chosen, strict=True)):
            continue  # a removed eraser removes nothing
        gone = set(removed)
        left = [symbol for cell, symbol in held.items() if ("cell", cell) not in gone]
        unmet = {thing for thing in things if thing[0] == "dot"} | {("cell", cell) for cell in violated}
        if unmet - gone or not _agree(left, cells):
            continue
        of_erasers = frozenset(gone.intersection(erasers))
        number = len(gone) - len(of_erasers)
        idle = sum(thing is None and by not in gone for by, thing in zip(erasers, chosen, strict=True))
        fewest[of_erasers] = min(number, fewest.get(of_erasers, number))
        choices[idle, of_erasers] = min(number, choices.get((idle, of_erasers), number))
    idle_of_best = {idle for (idle, which), number in choices.items() if number == fewest[which]}
    return 0 in idle_of_best and 1 not in idle_of_best


def _agree(left: list[CellSymbol], cells: list[tuple[int, int]]) -> bool:
    colours = Counter(symbol.colour for symbol in left)
    squares = {symbol.colour for symbol in left if isinstance(symbol, Square)}
    stars = {symbol.colour for symbol in left if isinstance(symbol, Star)}
    pieces = [symbol for symbol in left if isinstance(symbol, Polyomino)]
    return len(squares) < 2 and all(colours[c] == 2 for c in stars) and (not pieces or covers(pieces, cells))


def brute_force_solutions(panel: Panel) -> int:
    """Count the solutions by the definition above."""
    grid = panel.grid
    count = 0
    for path in all_paths(grid, panel.starts, panel.ends):
        drawn = set(grid.path_edges(path))
        if drawn & set(panel.gaps):
            continue
        holds = True
        for region in regions(grid, drawn):
            held = {cell: symbol for cell, symbol in panel.symbols if cell in region}
            violated = {
                cell
                for cell, symbol in held.items()
                if isinstance(symbol, Triangles)
                and sum(edge in drawn for edge in grid.cell_edges(cell)) != symbol.count
            }
            corners = {v for cell in region for edge in grid.cell_edges(cell) for v in grid.edge_ends(edge)}
            around = {edge for cell in region for edge in grid.cell_edges(cell)}
            missed = len(corners & set(panel.vertex_dots) - set(path))
            missed += len(around & set(panel.edge_dots) - drawn)
            if not brute_force_region(held, violated, missed, [grid.cell_at(cell) for cell in region]):
                holds = False
                break
        count += holds
    return count


@pytest.mark.parametrize("panels", [120, pytest.param(1000, marks=pytest.mark.slow)])
def test_plain_compiled_and_brute_force_agree_on_random_panels(panels: int) -> None:
    r = random.Random(21)
    solvable: Counter[int] = Counter()
    unsolvable = 0
    for _ in range(panels):
        panel = with_erasers(r, random_panel(r, largest=r.choice((2, 2, 3))))
        plain = list(solutions(panel))
        found = search_panel(panel, first=len(plain) + 1)
        assert found.first == tuple(plain), panel
        assert found.solutions == brute_force_solutions(panel), panel
        unsolvable += not plain
        solvable[sum(isinstance(s, Eraser) for _, s in panel.symbols)] += bool(plain)
    assert min(solvable[n] for n in (1, 2, 3)) >= panels * 0.05, solvable
    assert unsolvable >= panels * 0.05


def test_the_rule_is_that_of_play_where_erasers_share_no_colour_with_stars() -> None:
    """In play erasers act one after the other, and none may be left without which the region is satisfied."""
    r = random.Random(22)
    satisfied = 0
    for _ in range(400):
        others = [r.choice((B, W, Square("red"), Star("black"), Polyomino.parse("##"))) for _ in range(4)]
        others, erasers = others[: r.randint(0, 4)], r.randint(1, 4)
        cells = [(x, 0) for x in range(8)]

        @cache
        def play(left: tuple[CellSymbol, ...], acting: int, cells: tuple[tuple[int, int], ...]) -> bool:
            if acting == 0:
                return _agree(list(left), list(cells))
            if play(left, acting - 1, cells):
                return False
            fewer = [left[:i] + left[i + 1 :] for i in range(len(left))]
            return any(play(f, acting - 1, cells) for f in fewer) or (
                acting > 1 and play(left, acting - 2, cells)
            )

        symbols = dict(enumerate((*others, *[Eraser("cyan")] * erasers)))
        panel = Panel(width=7, height=1, symbols={i: s for i, s in symbols.items() if i < 7})
        if len(symbols) > 7:
            continue
        region = frozenset(range(7))
        expected = play(tuple(others), erasers, tuple(cells[:7]))
        assert region_satisfied(panel, region, set(), set()) == expected, symbols
        satisfied += expected
    assert 50 < satisfied < 350


def test_too_many_choices_of_erasers_reach_the_limit() -> None:
    symbols: dict[int, CellSymbol] = {i: Eraser() for i in range(12)}
    symbols |= {i: Square("red" if i % 2 else "blue") for i in range(12, 48)}
    with pytest.raises(LimitReachedError, match="more than 100,000 nodes"):
        search_panel(Panel(width=7, height=7, symbols=symbols), limit=100_000)


def test_erasers_go_through_the_counting_of_solutions() -> None:
    panel = Panel(width=3, height=3, symbols={0: B, 1: W, 4: E})
    assert count_solutions(panel) == sum(1 for _ in solutions(panel)) == brute_force_solutions(panel) > 0
