"""Searches with pattern databases beside blind ones, by expansions: the numbers are the same anywhere.

    python -m benchmarks abstractions

Each search expands plain positions, and every action that it follows is checked against the smaller game.
Needs the examples that `make .venv/develop` installs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.table import Row, row, show
from epcg_core.plugin import SpaceSpec, make_generator, registry, shortest_path
from epcg_core.query.spec import space_spec
from epcg_core.search.shortest_path.abstractions import PatternDatabase, pattern_database

SEED = 2018
LEAST = {"tiles": 500, "Tower of London": 2, "Rush Hour": 1.5}
"""How many times fewer expansions there must be."""
Patterns = Callable[[Sequence[str]], Sequence[Sequence[str]]]


def measure() -> list[Row]:
    """Measure everything."""
    return [
        *_compared("tiles", "sliding", "boards", {}, 10, _halves),
        *_compared("Tower of London", "hanoi", "problems", {}, 200, _each),
        *_compared("Rush Hour", "rushhour", "boards", {"size": 4}, 200, _each),
    ]


def _each(things: Sequence[str]) -> Sequence[Sequence[str]]:
    return [[name] for name in things]


def _halves(things: Sequence[str]) -> Sequence[Sequence[str]]:
    return [things[: len(things) // 2], things[len(things) // 2 :]]


def _compared(
    name: str, domain: str, generator: str, params: dict[str, Any], count: int, patterns: Patterns
) -> Iterator[Row]:
    space: SpaceSpec = space_spec(registry(), domain, generator, params)
    contents: Any = make_generator(registry(), space)
    model, drawn = contents.transition_model, random.Random(SEED)
    blind = informed = moves = largest = 0
    for rank in drawn.sample(range(contents.max_rank), count):
        content = contents.unrank(rank)
        chosen = patterns(model.things(content))
        one = shortest_path(model, content, plain=True)
        other = shortest_path(model, content, heuristic=pattern_database(model, content, chosen))
        if one.length != other.length:
            raise SystemExit(f"{name}, {rank}: {one.length} moves, and {other.length} with abstractions")
        largest = max(largest, *(len(PatternDatabase(model, content, each, 10**6)) for each in chosen))
        moves += one.length or 0
        blind, informed = blind + one.expansions, informed + other.expansions
    yield row(
        f"{name}: {count} puzzles, {moves} moves, patterns of at most {largest:,} positions",
        f"{informed:,} expansions", f"blind: {blind:,}", informed / blind,
        f"{LEAST[name]:g} times fewer", blind >= LEAST[name] * informed,
    )  # fmt: skip


if __name__ == "__main__":
    show(measure())
