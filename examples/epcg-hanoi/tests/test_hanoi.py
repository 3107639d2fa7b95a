"""The Tower of London: its graph, the texts, and the problems that people solved."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pytest
from epcg_hanoi import Params, Position, Problem, Problems, svg_renderer
from epcg_testing import DomainConformance

from epcg_core.plugin import Options, ParamsError, RankError, Store, execute, load

HERE = Path(__file__).parents[1]
PEOPLE = HERE.parents[2] / "shared/data/tower_of_london"
MOVES = {0: 36, 1: 108, 2: 168, 3: 216, 4: 174, 5: 168, 6: 186, 7: 174, 8: 66}
"""Problems by their fewest moves."""


class TestHanoi(DomainConformance):
    domain = "hanoi"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, float]]:
    """The metrics of all problems, by rank."""
    with Store.open(tmp_path_factory.mktemp("hanoi") / "a.db", write=True) as store:
        query = load(HERE / "src/epcg_hanoi/queries/hardest.toml", ())
        run = execute(query, store, Options("serial", quiet=True)).goal
        with store.reader() as reader:
            return [
                {name: reader.value(run.id, name, rank) for name in ("moves", "muse", "msi")}
                for rank in range(run.max_rank)
            ]


def fewest_moves(start: Position, sizes: tuple[int, ...]) -> dict[Position, int]:
    """The distances from a position, by a queue."""
    found, queue = {start: 0}, [start]
    for position in queue:
        for a, pile in enumerate(position):
            for b, size in enumerate(sizes):
                if pile and a != b and len(position[b]) < size:
                    after = [list(each) for each in position]
                    after[b].append(after[a].pop())
                    key = tuple(map(tuple, after))
                    if key not in found:
                        found[key] = found[position] + 1
                        queue.append(key)
    return found


def test_all_problems_have_the_moves_that_a_queue_finds(measured: list[dict[str, float]]) -> None:
    space = Problems(Params())
    problems = [space.unrank(rank) for rank in range(space.max_rank)]
    distances = {start: fewest_moves(start, (3, 2, 1)) for start, _ in problems}
    assert len(distances) == 36
    assert all(len(each) == 36 for each in distances.values())
    assert [each["moves"] for each in measured] == [distances[start][target] for start, target in problems]
    assert Counter(each["moves"] for each in measured) == MOVES


def test_msi_is_muse_without_rules(measured: list[dict[str, float]]) -> None:
    assert all(each["msi"] == pytest.approx(each["muse"]) for each in measured)


@pytest.mark.parametrize(
    ("pegs", "balls", "positions"), [((1, 1), 1, 2), ((3, 3, 3), 3, 60), ((4, 3, 2, 1), 4, 480)]
)
def test_other_boards(pegs: tuple[int, ...], balls: int, positions: int) -> None:
    space = Problems(Params(pegs, balls))
    assert space.max_rank == positions**2
    for rank in range(0, space.max_rank, 97):
        problem = space.unrank(rank)
        assert space.rank(problem) == rank
        assert space.parse(space.format(problem)) == problem


def test_texts_that_are_not_problems() -> None:
    space = Problems(Params())
    for text in (
        "",
        "12. 3. .",
        "12. 3. . > 12. 3.",
        "12. 3. . > 123 4. .",
        "12. 33 . > 321 .. .",
        "1x. 3. . > 3",
    ):
        with pytest.raises(RankError):
            space.parse(text)
    with pytest.raises(ParamsError, match="no room for 4"):
        Problems(Params((1, 1), 4))


def test_the_picture_shows_all_balls_twice() -> None:
    space = Problems(Params())
    svg = svg_renderer(space)(space.parse("12. 3. . > 321 .. ."))
    circles = list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle"))
    assert [Counter(circle.get("fill") for circle in circles).most_common()[0][1], len(circles)] == [2, 6]


@pytest.mark.skipif(
    not PEOPLE.exists(), reason="../shared/data/tower_of_london is not beside this repository"
)
def test_what_people_found_hard(measured: list[dict[str, float]]) -> None:
    from scipy.stats import spearmanr  # only here: collecting the tests does not wait for it

    space = Problems(Params())

    def rank(problem: dict[str, list[list[int]]]) -> int:
        start, target = (tuple(map(tuple, problem[name])) for name in ("start", "target"))
        found: Problem = (start, target)
        return space.rank(found)

    problems = json.loads((PEOPLE / "problems.json").read_text("utf-8"))["problems"]
    times: dict[int, list[int]] = {each["problem"]: [] for each in problems}
    with gzip.open(PEOPLE / "attempts.csv.gz", "rt", encoding="utf-8") as file:
        for attempt in csv.DictReader(file):
            times[int(attempt["problem"])].append(int(attempt["milliseconds"]))
    own = [measured[rank(each)] for each in problems]
    assert len(own) == 25
    assert [each["moves"] for each in own] == [each["fewest_moves"] for each in problems]
    typical = [median(times[each["problem"]]) for each in problems]
    rho = {name: spearmanr([each[name] for each in own], typical).statistic for name in ("moves", "muse")}
    assert {name: round(value, 3) for name, value in rho.items()} == {"moves": 0.883, "muse": 0.874}
