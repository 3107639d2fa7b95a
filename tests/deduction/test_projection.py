"""All fair puzzles by projection: the kernel finds what the definition finds, and published counts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from epcg_deduction.generators.projection import Projection, check_work, fair_sets_by_trying

from epcg_core.base.errors import ParamsError


def bits_of(chosen: tuple[int, ...]) -> int:
    return sum(1 << place for place in chosen)


def random_values(chance: random.Random) -> list[list[int]]:
    """Return values of a few solutions, some of them equal at all places, some without a clue at places."""
    places, solutions = chance.randint(0, 8), chance.randint(0, 7)
    most = chance.choice([1, 2, 4])
    lacks = chance.choice([0.0, 0.2])
    return [
        [-1 if chance.random() < lacks else chance.randint(0, most) for _ in range(places)]
        for _ in range(solutions)
    ]


def projection_of(values: list[list[int]], minimal: bool = False) -> Projection:
    places = len(values[0]) if values else 3
    return Projection(np.array(values, np.int16).reshape(len(values), places), minimal)


def assert_as_by_trying(seed: int) -> None:
    values = random_values(random.Random(seed))
    fair, least = projection_of(values), projection_of(values, minimal=True)
    counts, of_least = fair.counts(), least.counts()
    for own in range(len(values)):
        expected = [bits_of(chosen) for chosen in fair_sets_by_trying(values, own)]
        smaller = [each for each in expected if any(each & other == other != each for other in expected)]
        minimal = [each for each in expected if each not in smaller]
        for projection, wanted, table in ((fair, expected, counts), (least, minimal, of_least)):
            for size in range(projection.places + 1):
                own_size = sorted(each for each in wanted if each.bit_count() == size)
                assert table[own, size] == len(own_size)
                assert projection.sets(own, size, 0, len(own_size) + 1).tolist() == own_size
                assert projection.sets(own, size, 1, 2).tolist() == own_size[1:3]
            for chosen in range(2**projection.places):
                alike = [each for each in sorted(wanted) if each.bit_count() == chosen.bit_count()]
                place = alike.index(chosen) if chosen in alike else -1
                assert projection.position(own, chosen) == place


@pytest.mark.parametrize("seed", range(25))
def test_the_kernel_finds_the_fair_and_minimal_sets_of_the_definition(seed: int) -> None:
    assert_as_by_trying(seed)


@pytest.mark.slow
def test_the_kernel_finds_what_the_definition_finds_for_many_values() -> None:
    for seed in range(1_000, 2_500):
        assert_as_by_trying(seed)


def test_all_sets_of_many_places_are_refused_with_a_sentence() -> None:
    check_work(16, 9_349)
    with pytest.raises(ParamsError, match=r"All sets of 26 places .* are too many"):
        check_work(26, 2)
    with pytest.raises(ParamsError, match="1,222,363 solutions are too many"):
        check_work(25, 1_222_363)
