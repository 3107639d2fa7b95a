"""Clues that follow from the solution: the only value that fits a place is the one that is read off."""

from __future__ import annotations

import random
from itertools import product

import attrs
import pytest
from epcg_deduction.checking import failing
from epcg_deduction.genres import genre, shipped
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import marks_of, places_of, values_at
from epcg_deduction.rules import determined, values_of
from epcg_deduction.texts import genre_document

from tests.deduction.random_genres import random_puzzles

WITHOUT_CLUES = ("lits", "norinori", "starbattle")
LISTS = [own for length in range(4) for own in product(range(1, 6), repeat=length)]


def differences(puzzle: Puzzle, rng: random.Random, count: int) -> list[object]:
    """Places where other values fit a marking than the one that is read off it."""
    found: list[object] = []
    for kind in puzzle.genre.clues.values():
        if not determined(puzzle.genre, kind.name):
            continue
        about = [rule for rule in puzzle.genre.rules if kind.name in rule.fields.values()]
        about += [rule for rule in puzzle.genre.rules if rule.fields.get("each") == f"clue {kind.name}"]
        rules = attrs.evolve(puzzle.genre, rules=tuple(about))
        for _ in range(count):
            marks = [rng.randrange(len(names)) for names in marks_of(puzzle)]
            read = values_of(puzzle, kind.name, marks)
            for place in rng.sample(
                places_of(puzzle.board, kind.on), min(3, len(places_of(puzzle.board, kind.on)))
            ):
                values = values_at(puzzle, kind, place)
                lists = kind.values == "lists"
                tried: list[Value] = list(LISTS if lists else range(100) if values is None else values)
                fitting = [
                    value for value in tried if fits(puzzle, rules, Clue(kind.name, place, value), marks)
                ]
                told = [read[place]] if place in read and (not lists or read[place] in LISTS) else []
                if "clue in any order" in [rule.fields.get("is") for rule in about]:
                    fitting = sorted({tuple(sorted(value)) for value in fitting})  # type: ignore[arg-type]
                if fitting != told:
                    found.append((about, kind, place, marks, fitting, told))
    return found


def fits(puzzle: Puzzle, rules: Genre, clue: Clue, marks: list[int]) -> bool:
    return not any(
        number >= 0 for number, _ in failing(attrs.evolve(puzzle, genre=rules, clues=(clue,)), marks)
    )


@pytest.mark.parametrize("name", WITHOUT_CLUES)
def test_some_genres_have_no_clues(name: str) -> None:
    assert not genre(name).clues


@pytest.mark.parametrize("name", [name for name in shipped() if name not in WITHOUT_CLUES])
def test_values_of_shipped_genres_are_those_that_fit(name: str) -> None:
    assert genre(name).clues
    assert differences(genre_document(name).puzzles[0], random.Random(name), 2) == []


@pytest.mark.parametrize("seed", range(4))
def test_values_of_random_genres_are_those_that_fit(seed: int) -> None:
    rng = random.Random(f"determined {seed}")
    assert [found for puzzle in random_puzzles(rng, 30) for found in differences(puzzle, rng, 1)] == []


@pytest.mark.slow
def test_values_of_many_random_genres_are_those_that_fit() -> None:
    rng = random.Random("many determined")
    assert [found for puzzle in random_puzzles(rng, 2000) for found in differences(puzzle, rng, 3)] == []
