"""Rules as classes say the same as the plain check, for shipped genres and for genres made of random rules."""

from __future__ import annotations

import random

import pytest
from epcg_deduction.checking import failing
from epcg_deduction.genres import shipped
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of
from epcg_deduction.rules import problem_of, rules_of
from epcg_deduction.texts import genre_document

from tests.deduction.brute import broken
from tests.deduction.random_genres import random_puzzles


def differences(puzzle: Puzzle, rng: random.Random, count: int) -> list[object]:
    """Markings for which the problem breaks other rules than the plain check tells."""
    problem, names = problem_of(puzzle), marks_of(puzzle)
    at = {number for number, rule in enumerate(puzzle.genre.rules) if rule.kind == "at"}
    found: list[object] = []
    for _ in range(count):
        marks = [rng.randrange(len(own)) for own in names]
        told = {-2 if number in at else number for number, _ in failing(puzzle, marks)}
        ours = broken(problem, marks)
        if (told != ours) if -1 not in told | ours else (-1 not in told & ours):
            found.append((puzzle.genre.rules, puzzle.board, puzzle.clues, marks, told, ours))
    return found


@pytest.mark.parametrize("seed", range(13))
def test_random_genres_say_what_the_plain_check_says(seed: int) -> None:
    rng = random.Random(f"rules {seed}")
    assert [found for puzzle in random_puzzles(rng, 40) for found in differences(puzzle, rng, 3)] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_random_genres_say_what_the_plain_check_says(seed: int) -> None:
    rng = random.Random(f"many rules {seed}")
    assert [found for puzzle in random_puzzles(rng, 500) for found in differences(puzzle, rng, 20)] == []


@pytest.mark.parametrize("name", shipped())
def test_shipped_puzzles_say_what_the_plain_check_says(name: str) -> None:
    rng = random.Random(name)
    assert differences(genre_document(name).puzzles[0], rng, 20) == []


@pytest.mark.parametrize("name", shipped())
def test_every_rule_has_a_sentence(name: str) -> None:
    for rule in rules_of(genre_document(name).genre):
        sentence = rule.sentence()
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "{" not in sentence
