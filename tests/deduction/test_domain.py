"""The domain keeps the laws that the core relies on, and its commands tell what they are asked."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from epcg_deduction.texts import shipped
from epcg_testing import DomainConformance

from tests.workplace import epcg

GENRE = """title = "Snake heads"
[marks]
cells = ["head", "blank"]
[clues.n]
on = "cells"
values = "0..8"
[[rules]]
at = "n"
mark = "blank"
[[rules]]
each = "clue n"
look = "ring"
count = "head"
is = "clue"

[[puzzles]]
title = "fair"
drawing = '''
1.
'''

[[puzzles]]
title = "open"
drawing = '''
..
'''
"""


@pytest.mark.slow
class TestDeduction(DomainConformance):
    domain = "deduction"


@pytest.fixture
def file(reader: Path) -> str:
    (reader / "heads.deduction").write_text(GENRE, encoding="utf-8")
    return "heads.deduction"


def test_the_shipped_genres_are_listed_with_their_clues() -> None:
    lines = epcg("deduction", "genres").stdout.splitlines()
    assert len(lines) == len(shipped()) + 1
    assert any(line.split()[:2] == ["slitherlink", "Slitherlink"] for line in lines)


def test_the_text_of_a_genre_is_told() -> None:
    assert 'loop = "edges"' in epcg("deduction", "genres", "slitherlink").stdout


def test_a_text_is_checked_and_each_puzzle_is_called_fair_or_not(file: str) -> None:
    lines = epcg("deduction", "check", file).stdout.splitlines()
    assert lines[-2:] == ["1 fair: one solution, so it is fair", "2 open: 4 solutions"]


def test_a_fault_is_told_with_its_line_and_column(reader: Path) -> None:
    (reader / "bad.deduction").write_text(GENRE.replace('on = "cells"', 'on = "cell"'), encoding="utf-8")
    found = epcg("deduction", "check", "bad.deduction", code=1)
    assert "line 5, column 1: " in found.stdout
    assert "cells" in found.stdout
    assert "cannot be used as it is" in found.stderr


def test_solutions_are_drawn_and_counted(file: str) -> None:
    found = epcg("deduction", "solve", file, "--puzzle", 2, "--limit", 10).stdout
    assert found.startswith("2 open: 4 solutions\n")
    assert found.count(" # #") == 1  # both cells hold a head in one of them


def test_a_hint_names_the_rule_the_place_and_the_mark(file: str) -> None:
    found = epcg("deduction", "hint", file).stdout
    assert found.startswith("1. Look at the clue 1 in r1c1. ")
    assert "r1c2 is head" in found
    assert len(epcg("deduction", "hint", file, "--all").stdout.splitlines()) == 2


def test_a_genre_that_there_is_not_is_refused_with_a_sentence() -> None:
    said = epcg("deduction", "solve", "slithrlink", code=1).stderr
    assert "'slithrlink' is neither a file nor a genre." in said
    assert "slitherlink" in said


def test_a_puzzle_that_there_is_not_is_refused_with_a_sentence(file: str) -> None:
    assert "has 2 puzzles, and no number 3" in epcg("deduction", "solve", file, "--puzzle", 3, code=1).stderr


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_shipped_genre_is_scored_and_drawn_by_its_name_and_its_file(name: str, reader: Path) -> None:
    (reader / "own.toml").write_text(shipped()[name].read_text("utf-8"), encoding="utf-8")
    for named in (name, "own.toml"):
        drawn = epcg("render", named, "--domain", "deduction", "--output", f"{named}.svg", "--solution")
        assert drawn.exit_code == 0
        assert (reader / f"{named}.svg").read_text("utf-8").startswith("<svg")
    scored = epcg("score", "own.toml").stdout
    assert "fair" in scored
    assert "yes" in scored


def test_a_puzzle_that_is_not_fair_is_scored_and_drawn_too(file: str, reader: Path) -> None:
    text = (reader / file).read_text("utf-8").replace("1.\n", "..\n")
    (reader / file).write_text(text, encoding="utf-8")
    assert "no" in epcg("score", file).stdout
    epcg("render", file, "--output", "open.svg", "--solution")
    assert (reader / "open.svg").read_text("utf-8").count("<svg") == 3


def test_a_further_puzzle_of_a_file_is_named_by_its_number(file: str) -> None:
    found = epcg("score", f"deduction:puzzles?genre={file}#1").stdout
    assert "no" in found
    said = epcg("score", f"deduction:puzzles?genre={file}#2", code=1).stderr
    assert "has ranks 0 to 1, not 2" in said


@pytest.mark.sweep
@pytest.mark.parametrize("genre", ["slitherlink", "mosaic", "latin", "masyu"])
def test_plain_forms_measure_what_kernels_do(genre: str) -> None:
    """Winners, the first unit and what `epcg verify` draws are computed again by these."""
    from epcg_deduction.evaluation.facts import Needed, Solutions
    from epcg_deduction.evaluation.steps import Steps
    from epcg_deduction.generators.fair import fair
    from epcg_deduction.params import FairParams, SolutionsParams, StepsParams

    space = fair(FairParams(genre=genre, size=(2, 2) if genre == "slitherlink" else (3, 3)))
    for rank in range(0, space.max_rank, max(1, space.max_rank // 6)):
        puzzle = space.unrank(rank)
        less = attrs.evolve(puzzle, clues=puzzle.clues[1:])
        for made in (Solutions(SolutionsParams(3)), Needed(SolutionsParams()), Steps(StepsParams("01"))):
            for each in (puzzle, less):
                assert made.plain().evaluate(each) == made.evaluate(each)
