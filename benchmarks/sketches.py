"""Sketches: completions a CPU second beside the domain's own generator, and what shared searches save.

Ratios of the same run: a million Fling! boards as completions of a sketch and as boards of the generator
`boards`; all completions of six open cells of ten shipped Snakebird levels, with shared searches and each
searched anew.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.base.errors import CandidateError
from epcg_core.base.params import structure
from epcg_core.chunks.blocks import BlockEvaluator
from epcg_core.combinatorics.sketches import Sketch, sketch_of
from epcg_core.domain import resolve
from epcg_core.editing.editing import examples, open_document
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import make_generator, space_spec
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.shared import SharedSearch
from epcg_core.search.shortest_path.solver import shortest_path

SPEED, SAVED = 0.7, 8.0
BLOCK = 65_536
BOARDS = 1_000_000
LEVELS, OPEN, LIMIT = 10, 6, 200_000


def measure() -> list[Row]:
    """Measure everything."""
    return [*_boards(), *_levels()]


def _boards() -> Iterator[Row]:
    cells = [f"c{x + 1},{y + 1}" for y in range(8) for x in range(7)]
    text = "\n".join(["......."] * 8)
    params = {"content": text, "open": [{"sites": cells, "marks": ["", "ball"]}], "counts": {"ball": 6}}
    completions = make_generator(registry(), space_spec(registry(), "fling", "sketch", params))
    own = {"width": 7, "height": 8, "pieces": 6}
    boards = make_generator(registry(), space_spec(registry(), "fling", "boards", own))
    for name in ("legal_moves", "winning_moves"):
        _evaluated(completions, name, BLOCK)
        _evaluated(boards, name, BLOCK)
        sketched = cpu_seconds(partial(_evaluated, completions, name, BOARDS))
        direct = cpu_seconds(partial(_evaluated, boards, name, BOARDS))
        what = f"a sketch of Fling! boards, {name}, beside the generator boards"
        speed, reference, ratio = BOARDS / sketched, BOARDS / direct, direct / sketched
        bar = f"at least {SPEED}"
        yield row(what, f"{speed:,.0f}/s", f"{reference:,.0f}/s", ratio, bar, ratio >= SPEED)


def _evaluated(generator: Any, name: str, count: int) -> None:
    info = registry().evaluator("fling", name)
    params: Any = structure(info.params, {}, name)
    blocks = BlockEvaluator(generator, resolve(info.factory)(params, generator, {}))
    for start in range(0, count, BLOCK):
        blocks.block(start, min(BLOCK, count - start))


def _levels() -> Iterator[Row]:
    saved, faster = [], []
    rng = random.Random(5)
    for text in list(examples("snakebird").values())[-LEVELS:]:
        space = _six_open(text, rng)
        model: Any = space.editor.transition_model  # type: ignore[attr-defined]
        states = list(_states(space))
        search = SharedSearch(model, LIMIT)
        together = cpu_seconds(partial(_shared, search, states))
        expansions: list[int] = []
        apart = cpu_seconds(partial(_anew, model, states, expansions))
        saved.append(sum(expansions) / max(1, search.expanded))
        faster.append(apart / together)
    ratio = statistics.median(saved)
    what = f"completions of {OPEN} open cells of {LEVELS} levels: expansions saved by sharing, median"
    yield row(what, f"{ratio:.1f} times fewer", "each anew", ratio, f"at least {SAVED:g}", ratio >= SAVED)
    ratio = statistics.median(faster)
    what, bar = "the same: CPU time saved, median", f"at least {SPEED}"
    yield row(what, f"{ratio:.1f} times", "each anew", ratio, bar, ratio >= SPEED)


def _shared(search: SharedSearch, states: list[Any]) -> None:
    for state in states:
        search.answer(state)


def _anew(model: Any, states: list[Any], expansions: list[int]) -> None:
    table = PositionTable(1)
    expansions += [shortest_path(model, state, LIMIT, table=table).expansions for state in states]


def _six_open(text: str, rng: random.Random) -> Sketch[Any]:
    document = open_document("snakebird", text)
    empty = [site for site in document.scene.sites if not document.scene.marks.get(site.id)]
    chosen = rng.sample(empty, min(OPEN, len(empty)))
    places = [(site, ["", "ground", "spikes"]) for site in document.scene.sites if site in chosen]
    return sketch_of(document.editor, places)


def _states(space: Sketch[Any]) -> Iterator[Any]:
    for rank in range(space.max_rank):
        try:
            yield space.unrank(rank)
        except CandidateError:
            continue


if __name__ == "__main__":
    show(measure())
