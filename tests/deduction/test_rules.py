"""Rules as classes say what the plain check says, for shipped genres and for genres of random rules."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest
from epcg_deduction.checking import CHECKS, failing
from epcg_deduction.checking.marked import Marked
from epcg_deduction.genres import genre, shipped
from epcg_deduction.model.boards import Board
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of
from epcg_deduction.rules import RULES, Fault, Rule, problem_of, rules_of
from epcg_deduction.rules.patterns import NotAll
from epcg_deduction.rules.scene import Scene, Spot
from epcg_deduction.solving.compiled import listed
from epcg_deduction.solving.problem import Instance
from epcg_deduction.texts import genre_document, read, read_text

from tests.deduction.brute import broken, solutions
from tests.deduction.random_genres import random_puzzles


def differences(puzzle: Puzzle, rng: random.Random, count: int) -> list[object]:
    """Markings for which the problem breaks other rules than the plain check tells."""
    problem, names = problem_of(puzzle), marks_of(puzzle)
    at = {number for number, rule in enumerate(puzzle.genre.rules) if rule.kind == "at"}
    shapes = {
        number
        for number, rule in enumerate(puzzle.genre.rules)
        if rule.fields.get("of") and "shape" in rule.fields
    }
    found: list[object] = []
    for _ in range(count):
        marks = [rng.randrange(len(own)) for own in names]
        told = {-2 if number in at else number for number, _ in failing(puzzle, marks)}
        ours = broken(problem, marks)
        if (
            told | ours
        ) - shapes:  # regions with another number of cells are left to the rule that forbids them
            told, ours = told - shapes, ours - shapes
        if (told != ours) if -1 not in told | ours else (-1 not in told & ours):
            found.append((puzzle.genre.rules, puzzle.board, puzzle.clues, marks, told, ours))
    return found


@pytest.mark.sweep(5)
@pytest.mark.parametrize("seed", range(13))
def test_random_genres_say_what_the_plain_check_says(seed: int) -> None:
    rng = random.Random(f"rules {seed}")
    assert [found for puzzle in random_puzzles(rng, 40) for found in differences(puzzle, rng, 3)] == []


def test_every_rule_of_a_random_genre_has_a_sentence() -> None:
    for puzzle in random_puzzles(random.Random("sentences"), 40):
        for rule in rules_of(puzzle.genre):
            assert rule.sentence().endswith(".")
            assert len(rule.sentence()) > 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_random_genres_say_what_the_plain_check_says(seed: int) -> None:
    rng = random.Random(f"many rules {seed}")
    assert [found for puzzle in random_puzzles(rng, 500) for found in differences(puzzle, rng, 20)] == []


@pytest.mark.parametrize("name", shipped())
def test_shipped_puzzles_say_what_the_plain_check_says(name: str) -> None:
    rng = random.Random(name)
    assert differences(genre_document(name).puzzles[0], rng, 20) == []


SENTENCES = {
    ("slitherlink", 1): "The number of a clue says how many lines are among its edges.",
    ("heyawake", 3): "Each stretch of blank cells touches at most 2 regions.",
    ("kuromasu", 1): "Two cells that share a side are never both shaded.",
    ("yajilin", 3): "Each cell without a clue is on a line or shaded, and not both.",
    ("starbattle", 0): "In each row and column there is exactly 1 star.",
    ("nurikabe", 4): "Each group of blank cells has as many cells as its clue says.",
    ("ripple", 2): "Equal digits in a row or column are further apart than the digit says.",
    ("nurikabe", 2): "No 2 by 2 square is all shaded.",
}


@pytest.mark.parametrize(("name", "number"), SENTENCES)
def test_rules_are_told_in_words(name: str, number: int) -> None:
    assert rules_of(genre(name))[number].sentence() == SENTENCES[name, number]


@pytest.mark.parametrize("name", shipped())
def test_every_rule_has_a_sentence(name: str) -> None:
    for rule in rules_of(genre_document(name).genre):
        sentence = rule.sentence()
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "{" not in sentence


def test_shapes_of_regions_are_compared_as_the_plain_check_does() -> None:
    """Markings with four shaded cells in each region, as random ones seldom have."""
    rng, differ = random.Random("shapes"), 0
    for _ in range(4):
        letters = [rng.choice((0, 1)) if cell % 4 in (1, 2) else cell % 4 // 2 for cell in range(16)]
        regions = tuple(tuple(cell for cell in range(16) if letters[cell] == own) for own in (0, 1))
        puzzle = Puzzle(genre("lits"), Board(4, 4, bytes(16), regions, ("a", "b")))
        problem = problem_of(puzzle)
        for _ in range(30):
            shaded = {cell for own in regions for cell in rng.sample(own, 4)}
            marks = [int(cell not in shaded) for cell in range(16)]
            told = {number for number, _ in failing(puzzle, marks)}
            assert told == broken(problem, marks)
            differ += 4 in told
    assert differ > 0


class Knights(Rule):
    """No two cells a knight's move apart have the mark: a kind as a plugin would bring it."""

    kind = "knights"
    fields: ClassVar[Mapping[str, str]] = {"knights": "text"}

    def faults(self) -> Iterator[Fault]:
        yield from self.known_mark("knights", self.text("knights"))

    def instances(self, scene: Scene) -> Iterator[Instance]:
        mark = self.text("knights")
        for pair in leaps(scene.puzzle):
            read = [
                (Spot("cells", cell), frozenset({mark}), lambda seen: seen.has(mark), "mark") for cell in pair
            ]
            yield scene.local(self.index, "a leap", read, NotAll())

    def sentence(self) -> str:
        return f"No two {self.text('knights')} cells are a knight's move apart."


def leaps(puzzle: Puzzle) -> list[tuple[int, int]]:
    board = puzzle.board
    ways = ((1, 2), (2, 1), (-1, 2), (-2, 1))
    found = [(cell, board.step(cell, dx, dy)) for cell in board.cells for dx, dy in ways]
    return [pair for pair in found if board.is_cell(pair[1])]


def check_knights(marked: Marked, fields: Mapping[str, Any]) -> Iterator[str]:
    for pair in leaps(marked.puzzle):
        if all(marked.has(("cells", cell), fields["knights"]) for cell in pair):
            yield "a leap"


def test_a_plugin_can_add_a_kind_of_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "knights", Knights)
    monkeypatch.setitem(CHECKS, "knights", check_knights)
    text = """
title = "Knights"
[marks]
cells = ["knight", "empty"]
[[rules]]
knights = "knight"
[[rules]]
each = "line"
count = "knight"
is = 1
[puzzle]
size = [3, 3]
"""
    (puzzle,) = read_text(text).puzzles
    found = listed(problem_of(puzzle)).tolist()
    assert found
    assert [tuple(row) for row in found] == solutions(puzzle)
    faults = read(text.replace('"knight"\n[[', '"night"\n[[')).faults
    assert [(fault.line, fault.message[:42]) for fault in faults] == [
        (6, "Unknown mark 'night'. Did you mean 'knight")
    ]
