"""Puzzles of small boards whose clues follow from the solution, for tests of solvers and steps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from epcg_deduction.model.boards import Board
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules import problem_of
from epcg_deduction.rules.determined import values_of
from epcg_deduction.solving.compiled import counts_of_clues, listed
from epcg_deduction.solving.families import Family, family_of
from epcg_deduction.texts.reader import genre_document
from numpy.typing import NDArray


def empty(name: str, width: int, height: int, boxes: int = 0) -> Puzzle:
    """Return a board without clues; `boxes`: the side of square regions, if it has some."""
    regions: dict[tuple[int, int], list[int]] = {}
    for cell in range(width * height if boxes else 0):
        y, x = divmod(cell, width)
        regions.setdefault((y // boxes, x // boxes), []).append(cell)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(regions)])
    board = Board(width, height, bytes(width * height), tuple(map(tuple, regions.values())), names)
    return Puzzle(genre_document(name).genre, board)


def fair(puzzle: Puzzle, kind: str, most: int | None = None) -> tuple[Family, NDArray[np.bool_]]:
    """Return all fair puzzles with clues of a kind, at most so many: the family, and which clues each has."""
    base = problem_of(puzzle)
    values = [values_of(puzzle, kind, row.tolist()) for row in listed(base)]
    clues = sorted({(place, value) for own in values for place, value in own.items()})
    number = {clue: index for index, clue in enumerate(clues)}
    single = [problem_of(Puzzle(puzzle.genre, puzzle.board, (Clue(kind, *clue),))) for clue in clues]
    family = family_of(base, single)
    assert family is not None
    sets = {
        given
        for own in values
        for count in range(len(own) + 1 if most is None else most + 1)
        for given in combinations([number[clue] for clue in own.items()], count)
    }
    rows = np.zeros((len(sets), len(clues)), np.bool_)
    for row, given in zip(rows, sorted(sets), strict=True):
        row[list(given)] = True
    found = counts_of_clues(family.problem, *family.puzzles(rows))
    return family, rows[[count.fair is True for count in found]]


def by_clues(given: NDArray[np.bool_], most: int) -> list[int]:
    """Return how many puzzles there are by their number of clues, from none to `most`."""
    return np.bincount(given.sum(axis=1), minlength=most + 1).tolist()
