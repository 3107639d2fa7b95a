"""The genres that are shipped: their samples are fair, and their rules are those that people play."""

from __future__ import annotations

import pytest
from epcg_deduction.checking import failing
from epcg_deduction.genres import genre, shipped
from epcg_deduction.rules import determined, problem_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.texts import genre_document

from epcg_core.plugin import UnknownNameError

DETERMINED = {
    **dict.fromkeys(
        ("akari", "aquarium", "countryroad", "heyawake", "kuromasu", "minesweeper", "mosaic"), "n"
    ),
    **dict.fromkeys(("slitherlink", "thermometers", "tents"), "n"),
    **dict.fromkeys(("binairo", "fillomino", "latin", "ripple", "sudoku"), "given"),
    "futoshiki": "given less",
    "kakuro": "sum",
    "kenken": "plus times minus over",
    "masyu": "white black",
    "nonogram": "list",
    "skyscrapers": "given see",
    "tapa": "t",
}


def test_thirty_two_genres_are_shipped() -> None:
    assert len(shipped()) == 32
    with pytest.raises(UnknownNameError, match="Did you mean 'slitherlink'"):
        genre("slitherlinks")


@pytest.mark.parametrize("name", shipped())
def test_samples_are_fair_and_their_solution_breaks_no_rule(name: str) -> None:
    document = genre_document(name)
    assert document.notes == ()
    assert len(document.puzzles) >= 2
    assert len({puzzle.title for puzzle in document.puzzles}) == len(document.puzzles)
    for puzzle in document.puzzles[:2]:
        rows, complete = Compiled(problem_of(puzzle)).some(2)
        assert (len(rows), complete) == (1, True)
        assert failing(puzzle, rows[0].tolist()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_large_samples_are_fair(name: str) -> None:
    for puzzle in genre_document(name).puzzles[2:]:
        rows, complete = Compiled(problem_of(puzzle)).some(2)
        assert (len(rows), complete) == (1, True)
        assert failing(puzzle, rows[0].tolist()) == []


@pytest.mark.parametrize("name", shipped())
def test_every_genre_has_its_rules_in_words(name: str) -> None:
    found = genre(name)
    assert found.title
    assert len(found.about) > 60
    assert found.about.strip().endswith(".")


@pytest.mark.parametrize("name", shipped())
def test_clues_that_follow_from_the_solution_are_known(name: str) -> None:
    found = {kind for kind in genre(name).clues if determined(genre(name), kind)}
    assert found == set(DETERMINED.get(name, "").split())
