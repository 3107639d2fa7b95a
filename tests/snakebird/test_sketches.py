"""Completions of levels: searches that share what they learn give what separate searches give."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Position
from epcg_snakebird.rules.variants import LEAVES, STAYS, Rules
from hypothesis import given, settings, strategies as st

import epcg_core as epcg
from epcg_core.base.errors import CandidateError, EpcgError
from epcg_core.base.params import structure
from epcg_core.combinatorics.sketches import sketch_of
from epcg_core.editing.editing import examples, open_document
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.query import parse_query
from epcg_core.query.spec import make_generator
from epcg_core.search.shortest_path.evaluators import ShortestSolution
from epcg_core.search.shortest_path.shared import SharedSearch
from epcg_core.search.shortest_path.solver import shortest_path
from tests.snakebird.random_levels import random_level, tail_level
from tests.sweeps import most

LIMIT = 400


def related(r: random.Random, count: int) -> list[Level]:
    """A random level and others that differ from it in up to six tiles, one of them in more."""
    import attrs

    level = r.choice((random_level, tail_level))(r)
    cells = r.sample(level.plain_cells, min(6, len(level.plain_cells)))
    found = [level]
    for _ in range(count):
        tiles = list(level.tiles)
        for cell in cells:
            tiles[cell] = r.choice((SKY, GROUND, SPIKES))
        found.append(attrs.evolve(level, tiles=tiles))
    return [*found, attrs.evolve(level, fruit=level.fruit[:-1])]


@settings(max_examples=most(30))
@given(st.randoms(use_true_random=False), st.sampled_from([0, 7, LIMIT]))
def test_shared_searches_equal_separate_ones(r: random.Random, limit: int) -> None:
    model = SnakebirdModel(Rules(r.random() < 0.5, r.choice((STAYS, LEAVES))))
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


def across(level: Level, cells: Sequence[int]) -> tuple[int, ...]:
    """The mirror images of cells, by column and row."""
    return tuple(level.cell(level.width - 1 - x, y) for x, y in map(level.place, cells))


def looks(position: Position, mirrored: bool) -> Any:
    """What lies where in a position, or in its mirror image; snakes and objects without their numbers."""
    level = position.level

    def seen(cells: Sequence[int]) -> tuple[int, ...]:
        return across(level, cells) if mirrored else tuple(cells)

    objects = [frozenset(seen(position.object_cells(i))) for i in range(len(level.objects))]
    return (
        frozenset(seen(cells) for cells in position.snakes if cells),
        tuple(sorted(tuple(sorted(cells)) for cells in objects)),
        frozenset(seen(position.fruit)),
        position.solved,
    )


@given(st.randoms(use_true_random=False))
def test_a_level_and_its_mirror_image_play_alike(r: random.Random) -> None:
    level = random_level(r)
    other = level.mirrored()
    assert other.mirrored() == level
    assert sorted(map(set, other.objects), key=sorted) == sorted(
        (set(across(level, cells)) for cells in level.objects), key=sorted
    )
    model = SnakebirdModel(Rules(r.random() < 0.5, r.choice((STAYS, LEAVES))))
    layers = [[model.initial(each)] for each in (level, other)]
    seen: set[Any] = set()
    for _ in range(4):
        own = {looks(position, True) for position in layers[0]}
        assert own == {looks(position, False) for position in layers[1]}
        seen |= own
        for number, layer in enumerate(layers):
            after = {
                looks(model.apply(position, move), not number): model.apply(position, move)
                for position in layer
                if not position.solved
                for move in model.actions(position)
            }
            layers[number] = [after[key] for key in sorted(after, key=repr) if key not in seen][:200]


SYMMETRIC = """
name: A tower
..E..
.....
..1..
..^..
a.#.b
#####
""".lstrip()


def test_symmetric_completions_are_one_class() -> None:
    document = open_document("snakebird", SYMMETRIC)
    places = [site for site in document.scene.sites if site.id in ("c1,2", "c2,3", "c4,3", "c5,2")]
    sketch: Any = sketch_of(document.editor, [(site, ["", "ground", "fruit"]) for site in places])
    texts = [document.editor.format(sketch.unrank(rank)) for rank in range(81)]
    rows = [frozenset((text, mirrored_text(text))) for text in texts]
    classes = [sketch.canonical_rank(rank) for rank in range(81)]
    assert len(set(classes)) == len(set(rows)) == 45
    assert all((a == b) == (rows[i] == rows[j]) for i, a in enumerate(classes) for j, b in enumerate(classes))
    assert all(classes[own] == own <= rank for rank, own in enumerate(classes))


def mirrored_text(text: str) -> str:
    """The text of a level of which only the drawing is turned; its two objects change places."""
    title, *drawn = text.splitlines()
    swapped = [row[::-1].translate(str.maketrans("ab", "ba")) for row in drawn]
    return "\n".join([title, *swapped]) + "\n"


def test_completions_whose_mirror_image_is_no_completion_stay_alone() -> None:
    sketch = six_open_cells()
    assert all(sketch.canonical_rank(rank) == rank for rank in (0, 1, 17, 300, 728))


def test_a_query_keeps_one_of_each_pair(tmp_path: Path) -> None:
    sites = ["c1,2", "c2,3", "c4,3", "c5,2"]
    query = parse_query(
        f"""domain = "snakebird"
[generator]
name = "sketch"
content = {json.dumps(SYMMETRIC)}
open = [{{ sites = {json.dumps(sites)}, marks = ["", "ground", "fruit"] }}]
[[evaluators]]
name = "shortest_solution"
[[select]]
metric = "moves"
count = 81
distinct = true
"""
    )
    run = epcg.answer(query, db=tmp_path / "epcg.db")
    ranks, values = run.values("moves")
    of = dict(zip(ranks.tolist(), values.tolist(), strict=True))
    kept = [int(puzzle.id.rpartition("#")[2]) for puzzle in run.best("moves", 81, distinct=True)]
    generator: Any = make_generator(registry(), parse_puzzle_id(registry(), run.puzzle(0).id)[0])
    classes = {rank: generator.canonical_rank(rank) for rank in of}
    assert len(kept) == len(set(classes.values())) < len(of)
    assert all(of[rank] == of[own] for rank, own in classes.items())
