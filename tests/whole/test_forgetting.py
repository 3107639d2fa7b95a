"""What games say can be forgotten: distances are admissible, and people and levels are as the page tells."""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections.abc import Sequence
from statistics import median
from typing import Any

import pytest

from epcg_core.domain import LimitReachedError
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import make_generator, space_spec
from epcg_core.search.params import ForgettingParams
from epcg_core.search.shortest_path.abstractions import Whole, check_whole, pattern_database
from epcg_core.search.shortest_path.forgetting import Forgetting
from epcg_core.search.shortest_path.solver import shortest_path
from tests.workplace import OnUse, needs, shared

stats, hanoi = OnUse("scipy.stats"), OnUse("epcg_hanoi")
DRAWN = 12
PLAYED = [
    pytest.param("sliding", "boards", {"rows": 2}, marks=needs("epcg_sliding", "the example is missing")),
    pytest.param("hanoi", "problems", {}, marks=needs("epcg_hanoi", "the example is missing")),
    pytest.param("rushhour", "boards", {}, marks=needs("epcg_rushhour", "the example is missing")),
]
"""Games that play what is left by themselves."""
SEEN = [
    ("snakebird", "levels", {"path": "12_a_push_for_a_friend"}),
    ("snakebird", "levels", {"path": "06_two_at_a_time"}),
    ("snakebird", "levels", {"path": "14_patience"}),
    ("puzzlescript", "levels", {"game": "badger"}),
    ("puzzlescript", "levels", {"game": "ivy"}),
]
"""Levels of games that say what can be forgotten."""


def contents(domain: str, generator: str, params: dict[str, Any]) -> Any:
    return make_generator(registry(), space_spec(registry(), domain, generator, params))


@pytest.mark.parametrize(("domain", "generator", "params"), PLAYED)
def test_what_is_left_is_played_by_itself(domain: str, generator: str, params: dict[str, Any]) -> None:
    """The smaller game has each action of the game, whatever is forgotten, and never a longer way."""
    drawn, space = random.Random(5), contents(domain, generator, params)
    model = space.transition_model
    for _ in range(DRAWN):
        content = space.unrank(drawn.randrange(space.max_rank))
        things: Sequence[str] = model.things(content)
        some = [drawn.sample(things, drawn.randint(0, len(things))) for _ in range(2)]
        heuristic = pattern_database(model, content, some)
        check_whole(model, heuristic, content, 10**6)
        blind = shortest_path(model, content, plain=True)
        assert shortest_path(model, content, heuristic=heuristic).length == blind.length
        whole = Whole(model, content, 10**6)
        for forgotten in some:
            of_graph = int(whole.distances(forgotten)[0])
            played = pattern_database(model, content, [forgotten])(model.initial(content))
            assert played <= of_graph or of_graph == whole.graph.UNREACHED


@pytest.mark.parametrize(("domain", "generator", "params"), SEEN)
def test_plain_and_packed_positions_lose_the_same(
    domain: str, generator: str, params: dict[str, Any]
) -> None:
    space = contents(domain, generator, params)
    content = space.unrank(0)
    things = tuple(space.transition_model.things(content))
    found = Forgetting(ForgettingParams(each=things), space)
    values = found.evaluate(content)
    assert values == found.plain().evaluate(content)
    assert values is not None
    assert values[0] == len(things) > 0


@needs("epcg_hanoi", "the example is missing")
@needs("scipy", "the extra 'statistics' is not installed")
def test_people_find_hard_what_seems_short_whichever_ball_they_forget() -> None:
    folder = shared("data/tower_of_london")
    problems = json.loads((folder / "problems.json").read_text("utf-8"))["problems"]
    with gzip.open(folder / "attempts.csv.gz", "rt", encoding="utf-8") as file:
        attempts = list(csv.DictReader(file))
    space = contents("hanoi", "problems", {})
    measured = Forgetting(ForgettingParams(), space)
    rows, times, shares = [], [], []
    for each in problems:
        start, target = (tuple(map(tuple, each[name])) for name in ("start", "target"))
        _, _, least, _, left, share = measured.evaluate((start, target)) or ()
        rows.append({"share": share, "least": least, "left": left, "moves": each["fewest_moves"]})
        own = [attempt for attempt in attempts if int(attempt["problem"]) == each["problem"]]
        best = [a for a in own if a["solved"] == "1" and int(a["moves"]) == each["fewest_moves"]]
        times.append(median(float(attempt["milliseconds"]) for attempt in own))
        shares.append(len(best) / len(own))
    assert len(rows) == 25
    told = {
        name: [
            round(float(stats.spearmanr([row[name] for row in rows], other).statistic), 3)
            for other in (times, shares)
        ]
        for name in ("moves", "share", "least", "left")
    }
    assert told == {
        "moves": [0.883, -0.859],
        "share": [-0.877, 0.882],
        "least": [0.890, -0.894],
        "left": [-0.197, 0.288],
    }


@pytest.mark.slow
def test_published_levels_lose_by_their_snakes_and_seldom_by_their_fruit() -> None:
    from tests.snakebird.real_levels import LEVELS, real_level

    space = contents("snakebird", "levels", {"path": "01_first_bite"})
    model: Any = space.transition_model
    found: dict[str, list[float]] = {"fruit": [], "snake": [], "object": []}
    count = 0
    for path in sorted(LEVELS.glob("*.map")):
        level = real_level(path.stem)
        try:
            things = tuple(model.things(level))
            values = Forgetting(ForgettingParams(each=things, limit=60_000), space).evaluate(level)
        except LimitReachedError:
            continue
        if values is None:
            continue
        count += 1
        moves = shortest_path(model, level).length or 1
        for name, lost in zip(things, values[6:], strict=True):
            found[name.split()[0]].append((lost or 0) / moves)
    if not count:
        pytest.skip("the published levels are not at hand")
    assert count == 48
    assert min(found["snake"]) > 0
    assert median(found["snake"]) > 0.5
    assert (len(found["fruit"]), sum(not each for each in found["fruit"])) == (25, 21)
