"""Numbers of fair puzzles on small boards by trying everything, from the texts and the plain check.

They are those of the tables that independent programs computed; OEIS A242876 and A384764 count nonograms.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from epcg_deduction.checking import failing
from epcg_deduction.checking.marked import Marked
from epcg_deduction.genres import genre
from epcg_deduction.model.boards import Board
from epcg_deduction.model.genre import Genre, Marks, RuleText
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules import values_of

from epcg_core.plugin import EpcgError
from tests.deduction.brute import markings, solutions


def empty(name: str, height: int, width: int) -> Puzzle:
    return Puzzle(genre(name), Board(width, height, bytes(height * width)))


def fair_by_clues(puzzle: Puzzle, *kinds: str) -> list[int]:
    """The number of fair puzzles of a board by number of clues, whose values follow from the solution."""
    found = solutions(puzzle)
    values = [
        {(kind, place): value for kind in kinds for place, value in values_of(puzzle, kind, marks).items()}
        for marks in found
    ]
    sites = sorted({site for own in values for site in own})
    counts = [0] * (len(sites) + 1)
    for number in range(len(sites) + 1):
        for chosen in combinations(sites, number):
            seen = Counter(tuple(own.get(site) for site in chosen) for own in values)
            counts[number] += sum(count == 1 and None not in own for own, count in seen.items())
    return counts


def test_slitherlink() -> None:
    assert len(solutions(empty("slitherlink", 2, 2))) == 13
    assert fair_by_clues(empty("slitherlink", 2, 2), "n") == [0, 8, 40, 36, 9]


def test_kuromasu() -> None:
    counts = fair_by_clues(empty("kuromasu", 3, 3), "n")
    assert counts == [0, 0, 160, 1034, 1509, 1095, 484, 128, 18, 1]


def test_tapa_on_a_small_board() -> None:
    assert fair_by_clues(empty("tapa", 2, 3), "t") == [0, 4, 79, 94, 46, 12, 1]


def test_nonogram() -> None:
    for side, fair in ((1, 2), (2, 14), (3, 384)):
        puzzle = empty("nonogram", side, side)
        lists = Counter(tuple(values_of(puzzle, "list", marks).items()) for marks in solutions(puzzle))
        assert sum(count == 1 for count in lists.values()) == fair


def test_ripple() -> None:
    board = Board(2, 2, bytes(4))
    total = Counter[int]()
    for regions in divisions(board):
        names = tuple("abcd"[: len(regions)])
        puzzle = Puzzle(genre("ripple"), Board(2, 2, bytes(4), regions, names))
        total += Counter(dict(enumerate(fair_by_clues(puzzle, "given")))) if solutions(puzzle) else Counter()
    assert [total[number] for number in range(5)] == [0, 32, 64, 144, 36]


def divisions(board: Board) -> list[tuple[tuple[int, ...], ...]]:
    """All divisions of a board into connected regions."""
    found = []
    for letters in product(range(len(board.cells)), repeat=len(board.cells)):
        regions = [tuple(cell for cell in board.cells if letters[cell] == own) for own in range(len(letters))]
        regions = [own for own in regions if own]
        first_seen = list(dict.fromkeys(letters)) == list(range(len(regions)))
        probe = Marked(Puzzle(Genre("", "", Marks(cells=("a", "b")), {}, ()), board), [0] * len(letters))
        if first_seen and all(len(probe.groups(own, lambda a, b: True)) == 1 for own in regions):
            found.append(tuple(regions))
    return found


@pytest.mark.slow
def test_nurikabe() -> None:
    """Each sea and each choice of a cell in each island is a puzzle with a solution."""
    puzzle, seen = empty("nurikabe", 3, 3), Counter[tuple[Clue, ...]]()
    seas = 0
    for marks in markings(puzzle):
        islands = Marked(puzzle, marks).groups(
            [cell for cell, mark in enumerate(marks) if mark], lambda a, b: True
        )
        first = tuple(Clue("area", island[0], len(island)) for island in islands)
        if failing(Puzzle(puzzle.genre, puzzle.board, first), marks):
            continue
        seas += 1
        for chosen in product(*islands):
            clues = tuple(Clue("area", cell, len(own)) for cell, own in zip(chosen, islands, strict=True))
            seen[tuple((clue.place, clue.value) for clue in sorted(clues))] += 1  # type: ignore[misc]
    assert seas == 140
    fair = Counter(len(clues) for clues, count in seen.items() if count == 1)
    assert (fair[1], fair[2], fair[3], fair[4]) == (14, 100, 24, 1)


@pytest.mark.slow
def test_masyu() -> None:
    counts = fair_by_clues(empty("masyu", 3, 3), "white", "black")
    assert counts[:10] == [0, 0, 20, 52, 70, 56, 28, 8, 1, 0]
    assert not any(counts[10:])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "height", "width", "counts"),
    [
        ("minesweeper", "n", 3, 3, [0, 2, 44, 704, 2284, 1828, 672, 144, 18, 1]),
        ("mosaic", "n", 3, 3, [0, 2, 44, 836, 5244, 14108, 19364, 13292, 4286, 512]),
        ("tapa", "t", 3, 3, [0, 14, 74, 880, 1301, 982, 442, 120, 18, 1]),
        ("latin", "given", 3, 3, [0, 0, 108, 900, 1512, 1512, 1008, 432, 108, 12]),
        ("fillomino", "given", 2, 3, [0, 6, 113, 350, 393, 198, 33]),
        ("futoshiki", "less", 3, 3, [0, 0, 32, 672, 3168, 7216, 9952, 9184, 5900, 2640, 792, 144, 12]),
        ("skyscrapers", "see", 3, 3, [0, 0, 156, 1456, 4724, 8688, 10728, 9408, 5928, 2640, 792, 144, 12]),
        ("slitherlink", "n", 2, 3, [0, 6, 59, 374, 458, 224, 40]),
    ],
)
def test_more_numbers_of_fair_puzzles(
    name: str, kind: str, height: int, width: int, counts: list[int]
) -> None:
    assert fair_by_clues(empty(name, height, width), kind) == counts


@pytest.mark.slow
def test_shikaku() -> None:
    puzzle, seen, divided = empty("shikaku", 3, 3), Counter[tuple[tuple[int, int], ...]](), 0
    for marks in markings(puzzle):
        pieces = Marked(puzzle, marks).pieces
        first = tuple(Clue("n", piece[0], len(piece)) for piece in pieces)
        if failing(Puzzle(puzzle.genre, puzzle.board, first), marks):
            continue
        divided += 1
        for chosen in product(*pieces):
            seen[tuple(sorted((cell, len(own)) for cell, own in zip(chosen, pieces, strict=True)))] += 1
    assert divided == 322
    fair = Counter(len(clues) for clues, count in seen.items() if count == 1)
    assert [fair[number] for number in range(1, 10)] == [9, 40, 322, 640, 830, 560, 178, 24, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "counts"),
    [("numberlink", {2: 52, 3: 78, 4: 20}), ("numberlink_free", {0: 1, 2: 32, 3: 218, 4: 38})],
)
def test_numberlink(name: str, counts: dict[int, int]) -> None:
    """The ends of the lines of each marking are a puzzle of which it may be a solution."""
    puzzle, seen = empty(name, 3, 3), Counter[frozenset[frozenset[int]]]()
    for marks in markings(puzzle):
        lines = [pair for pair, mark in zip(puzzle.board.borders, marks, strict=True) if not mark]
        degrees = Counter(cell for line in lines for cell in line)
        linked = Marked(puzzle, marks)
        joined = frozenset(lines)
        paths = linked.groups(degrees, lambda a, b, joined=joined: (min(a, b), max(a, b)) in joined)
        ends = [[cell for cell in path if degrees[cell] == 1] for path in paths]
        if any(len(own) != 2 for own in ends):
            continue
        clues = tuple(Clue("n", cell, number + 1) for number, own in enumerate(ends) for cell in own)
        if not failing(Puzzle(puzzle.genre, puzzle.board, clues), marks):
            seen[frozenset(map(frozenset, ends))] += 1
    assert Counter(len(pairs) for pairs, count in seen.items() if count == 1) == counts


@pytest.mark.slow
def test_hitori() -> None:
    """Grids of the numbers 1 to 3 by their number of solutions; the last rule is tried line by line."""
    line, counts = empty("hitori", 1, 3), Counter[int]()
    rules = Genre("", "", line.genre.marks, line.genre.clues, line.genre.rules[2:])
    fits = {
        (numbers, marks): not failing(
            Puzzle(rules, line.board, tuple(Clue("n", cell, number) for cell, number in enumerate(numbers))),
            marks,
        )
        for numbers in product((1, 2, 3), repeat=3)
        for marks in product((0, 1), repeat=3)
    }
    lines = [slice(3 * row, 3 * row + 3) for row in range(3)] + [slice(column, 9, 3) for column in range(3)]
    shadings = [[marks[own] for own in lines] for marks in solutions(empty("hitori", 3, 3))]
    for numbers in product((1, 2, 3), repeat=9):
        own = [numbers[each] for each in lines]
        counts[min(2, sum(all(map(fits.get, zip(own, marks, strict=True))) for marks in shadings))] += 1
    assert (counts[1], counts[0]) == (1584, 15879)


def test_what_fails_is_told_with_its_place() -> None:
    puzzle = Puzzle(genre("slitherlink"), Board(2, 1, bytes(2)), (Clue("n", 0, 3), Clue("n", 1, 0)))
    around_the_first = [0, 1, 0, 1, 0, 0, 1]
    assert failing(puzzle, around_the_first) == [(1, "the clue 3 in r1c1"), (1, "the clue 0 in r1c2")]
    assert failing(puzzle, [1] * 7)[0] == (0, "the board")
    never = genre("nurikabe")
    assert (2, "r1c1, r1c2, r2c1 and r2c2") in failing(Puzzle(never, Board(2, 2, bytes(4))), [0] * 4)


def test_a_kind_of_rules_that_the_check_does_not_know_is_told() -> None:
    odd = Genre("odd", "Odd", Marks(cells=("a", "b")), {}, (RuleText("knights", {"knights": "a"}),))
    with pytest.raises(EpcgError, match="does not know rules of the kind 'knights'"):
        failing(Puzzle(odd, Board(1, 1, b"\0")), [0])
