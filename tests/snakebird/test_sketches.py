"""Completions of levels: searches that share what they learn give what separate searches give."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level
from epcg_snakebird.rules.model import SnakebirdModel
from hypothesis import given
from hypothesis import strategies as st

from epcg_core.combinatorics.sketches import sketch_of
from epcg_core.errors import CandidateError, EpcgError
from epcg_core.params import structure
from epcg_core.plugins.registry import registry
from epcg_core.search.shortest_path.evaluators import ShortestSolution
from epcg_core.search.shortest_path.shared import SharedSearch
from epcg_core.search.shortest_path.solver import shortest_path
from epcg_core.services.editing import examples, open_document
from tests.snakebird.random_levels import random_level

LIMIT = 400


def related(r: random.Random, count: int) -> list[Level]:
    """A random level and others that differ from it in up to six tiles, one of them in more."""
    import attrs

    level = random_level(r)
    cells = r.sample(level.plain_cells, min(6, len(level.plain_cells)))
    found = [level]
    for _ in range(count):
        tiles = list(level.tiles)
        for cell in cells:
            tiles[cell] = r.choice((SKY, GROUND, SPIKES))
        found.append(attrs.evolve(level, tiles=tiles))
    return [*found, attrs.evolve(level, fruit=level.fruit[:-1])]


@given(st.randoms(use_true_random=False), st.sampled_from([0, 7, LIMIT]))
def test_shared_searches_equal_separate_ones(r: random.Random, limit: int) -> None:
    model = SnakebirdModel(r.random() < 0.5)
    search = SharedSearch(model, limit, most_bytes=r.choice((0, 2**30)))
    for level in [*related(r, 12), *related(r, 4)]:
        found, expected = search.answer(level), shortest_path(model, level, limit)
        assert (found.length, found.expansions, found.limit_reached) == (
            expected.length,
            expected.expansions,
            expected.limit_reached,
        )


def six_open_cells() -> Any:
    document = open_document("snakebird", examples("snakebird")["After You"])
    empty = [site for site in document.scene.sites if not document.scene.marks.get(site.id)]
    return sketch_of(document.editor, [(site, ["", "ground", "spikes"]) for site in empty[5:11]])


def test_completions_share_most_of_their_expansions() -> None:
    space, limit = six_open_cells(), 100_000
    model = space.transition_model
    search, separate = SharedSearch(model, limit), 0
    for rank in range(space.max_rank):
        found, expected = search.answer(space.unrank(rank)), shortest_path(model, space.unrank(rank), limit)
        assert (found.length, found.expansions) == (expected.length, expected.expansions)
        separate += expected.expansions
    assert separate > 8 * search.expanded


def test_the_evaluator_shares_where_states_are_related_and_forgets_when_asked() -> None:
    space = six_open_cells()
    info = registry().evaluator("snakebird", "shortest_solution")
    params: Any = structure(info.params, {}, info.name)
    shared = ShortestSolution("max", params, space)
    fresh, plain = shared.fresh(), shared.plain()
    answers = {}

    def work(part: int) -> None:
        for rank in range(part, 120, 2):
            answers[rank] = shared.evaluate(space.unrank(rank))

    threads = [threading.Thread(target=work, args=(part,)) for part in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rank in range(0, 120, 7):
        state = space.unrank(rank)
        assert answers[rank] == fresh.evaluate(state) == plain.evaluate(state)
    assert len(answers) == 120


def test_a_wrong_limit_is_refused_and_illegal_completions_are_told() -> None:
    with pytest.raises(EpcgError, match="0 or more expansions, not -1"):
        SharedSearch(SnakebirdModel(), -1)
    document = open_document("snakebird", examples("snakebird")["After You"])
    exits = [site for site in document.scene.sites if "exit" in document.scene.marks.get(site.id, ())]
    space = sketch_of(document.editor, [(exits[0], ["", "exit"])])
    with pytest.raises(CandidateError, match="nothing: "):
        space.unrank(0)
    assert space.unrank(1) == document.editor.content
