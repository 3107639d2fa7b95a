"""Pictures: everything that a puzzle has is in them, and solutions that differ are told apart."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from epcg_deduction.formats.own import parse_puzzle, shipped_puzzles
from epcg_deduction.model.sites import value_text
from epcg_deduction.rendering.game_data import PuzzleData
from epcg_deduction.rendering.how_to_play import how_to_play, rules_in_words
from epcg_deduction.rendering.picture import puzzle_svg, two_solutions_svg
from epcg_deduction.rendering.renderers import drawn, first_solutions, svg_renderer, text_renderer
from epcg_deduction.texts import shipped

from epcg_core.plugin import svg

OPEN = 'genre = "mosaic"\n\n[puzzle]\nsize = [2, 2]\n'
OWN = """title = "Fruit"
[marks]
cells = ["apple", "bread", "cheese"]
[[rules]]
each = "line"
marks = true
is = "different"
[puzzle]
size = [1, 3]
"""


def words(picture: str) -> list[str]:
    tree = ElementTree.fromstring(picture)
    return [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", sorted(shipped()))
def test_the_numbers_of_all_clues_are_in_the_picture(name: str) -> None:
    for puzzle in shipped_puzzles(name):
        found = " ".join(words(puzzle_svg(puzzle)))
        for clue in puzzle.clues:
            if not isinstance(clue.value, str):
                parts = value_text(clue.value).lstrip("^v<>").split()
                assert all(part in found for part in parts)


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_solution_changes_the_picture_and_lies_within_it(name: str) -> None:
    puzzle = shipped_puzzles(name)[0]
    (marks,) = first_solutions(puzzle)
    alone, solved = puzzle_svg(puzzle), puzzle_svg(puzzle, marks)
    assert svg.size_of(alone) == svg.size_of(solved)
    assert solved.count("<") > alone.count("<")
    assert "solved" in solved.split("</title>")[0]


def test_two_solutions_stand_side_by_side_with_their_differences_tinted() -> None:
    puzzle = parse_puzzle(OPEN)
    one, other = (0, 0, 1, 1), (0, 1, 1, 1)
    found = two_solutions_svg(puzzle, one, other)
    assert svg.size_of(found)[0] > 2 * svg.size_of(puzzle_svg(puzzle))[0]
    assert "differ at 1 places" in found
    assert found.count("#fbd3cd") == 2  # one cell, in each of them


def test_a_puzzle_with_several_solutions_is_drawn_with_two_of_them() -> None:
    puzzle = parse_puzzle(OPEN)
    assert svg_renderer(None)(puzzle, solution=True).count("<svg") == 3
    assert svg_renderer(None)(puzzle).count("<svg") == 1
    assert "Several solutions" in text_renderer(None)(puzzle, solution=True)


def test_a_loop_is_drawn_between_the_cells_as_text() -> None:
    puzzle = parse_puzzle('genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n4.\n..\n"""\n')
    (marks,) = first_solutions(puzzle)
    assert drawn(puzzle, marks).splitlines()[2:6] == [" -", "|4|.", " -", " . ."]


def test_walls_and_regions_are_drawn_as_text() -> None:
    akari = parse_puzzle('genre = "akari"\n\n[puzzle]\ndrawing = """\n2.\n.#\n"""\n')
    assert [line.split() for line in drawn(akari, None).splitlines() if line.split()][1:] == [
        ["2", "."], [".", "#"]
    ]  # fmt: skip
    rooms = parse_puzzle('genre = "norinori"\n\n[puzzle]\nregions = """\naab\n"""\n')
    assert drawn(rooms, None).splitlines()[2:5] == [" - - -", "|. .|.|", " - - -"]


def test_clues_beside_the_board_are_told_in_words() -> None:
    nonogram = shipped_puzzles("nonogram")[0]
    lines = drawn(nonogram, None).splitlines()
    assert any(line.startswith("row 1: ") for line in lines)


def test_marks_that_no_picture_knows_are_written_by_their_first_letter() -> None:
    puzzle = parse_puzzle(OWN)
    assert words(puzzle_svg(puzzle, (0, 1, 2))) == ["A", "B", "C"]
    assert "A B C" in drawn(puzzle, (0, 1, 2))


def test_booklets_tell_the_rules_of_each_genre_once() -> None:
    puzzles = [*shipped_puzzles("slitherlink"), *shipped_puzzles("nurikabe")]
    found = how_to_play(puzzles)
    assert len(found) == 2
    assert "closed loop" in found[0].text
    assert found[1].picture.startswith("<svg")
    assert rules_in_words(parse_puzzle(OWN).genre)  # a genre without a description tells its rules


def test_data_for_games_have_clues_and_the_marks_of_the_solution() -> None:
    puzzle = parse_puzzle('genre = "akari"\n\n[puzzle]\ndrawing = """\n2.\n.#\n"""\n')
    data = PuzzleData(None)
    layout = data.layout(puzzle)
    assert (layout["columns"], layout["rows"]) == (2, 2)
    assert {"kind": "wall", "cells": [[2, 2]]} in layout["items"]
    assert {"kind": "clue", "clue": "n", "on": "walls", "value": 2, "cells": [[1, 1]]} in layout["items"]
    moves = data.moves(puzzle, None)
    assert moves is not None
    assert sorted(move["cells"][0] for move in moves) == [[1, 2], [2, 1]]
    impossible = parse_puzzle('genre = "akari"\n\n[puzzle]\ndrawing = """\n4.\n.#\n"""\n')
    assert data.moves(impossible, None) is None
