"""The models of the benchmarks' other solvers: they find what the plain solver finds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.panel import Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.reference import solutions

from benchmarks.witness_peers import count_with_clingo, count_with_cp_sat
from tests.witness.random_panels import kinds_of, random_panel

Count = Callable[[Panel], int]
B, W = Square("black"), Square("white")
_TWO, _THREE = grid_of(2, 2), grid_of(3, 3)
BY_HAND = {
    "empty": (Panel(width=2, height=2), 12),
    "a region without squares has no colour of its own": (
        Panel(width=3, height=3, symbols={_THREE.cell(0, 0): B, _THREE.cell(2, 2): W}),
        None,
    ),
    "three colours": (Panel(width=3, height=2, symbols={0: B, 2: W, 4: Square("red")}), None),
    "squares that cannot be separated": (Panel(width=2, height=2, symbols={0: B, 1: W, 2: W, 3: B}), 0),
    "a dot on the start": (Panel(width=2, height=2, dots=[_TWO.vertex_location(0)]), 12),
    "a dot on another start": (Panel(width=2, height=1, starts=[0, 2], ends=[5], dots=[8]), None),
    "a dot beside a gap": (Panel(width=2, height=2, dots=[_TWO.horizontal_edge(0, 1)], gaps=[0]), None),
    "gaps around the start": (Panel(width=1, height=1, gaps=[0, 2]), 0),
    "triangles around a corner": (Panel(width=2, height=2, symbols={0: Triangles(2), 3: Triangles(3)}), None),
    "starts and ends inside": (
        Panel(width=3, height=3, starts=[5, 6], ends=[9, 15], symbols={4: B, 8: W}),
        None,
    ),
}


@pytest.fixture(params=["ortools", "clingo"])
def count(request: pytest.FixtureRequest) -> Count:
    """The peer, where it is installed."""
    pytest.importorskip(request.param)
    return {"ortools": count_with_cp_sat, "clingo": count_with_clingo}[request.param]


@pytest.mark.parametrize("name", BY_HAND)
def test_panels_by_hand(count: Count, name: str) -> None:
    panel, known = BY_HAND[name]
    found = sum(1 for _ in solutions(panel))
    assert count(panel) == found
    assert known in (None, found)


def test_random_panels(count: Count) -> None:
    chance, tried = random.Random(8), Counter[str]()
    while sum(tried.values()) < 150:
        panel = random_panel(chance)
        if kinds_of(panel) <= {"dot", "gap", "square", "triangles"}:
            found = sum(1 for _ in solutions(panel))
            assert count(panel) == found, panel
            tried.update(kinds_of(panel) if found else [])
    assert all(tried[kind] >= 10 for kind in ("dot", "gap", "square", "triangles")), tried


@pytest.mark.parametrize("symbol", [Star("red"), Polyomino.parse("##")], ids=["star", "polyomino"])
def test_other_symbols_are_refused(count: Count, symbol: Star | Polyomino) -> None:
    with pytest.raises(ValueError, match="models have no"):
        count(Panel(width=2, height=2, symbols={0: symbol}))
