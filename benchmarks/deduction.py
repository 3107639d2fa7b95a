"""Deduction puzzles: all fair ones by projection beside a C++ loop, and solutions beside general solvers."""

from __future__ import annotations

import importlib.util
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np
from epcg_deduction.generators.projection import Projection
from epcg_deduction.genres import genre
from epcg_deduction.model.boards import Board
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules import problem_of, values_of
from epcg_deduction.solving.compiled import Compiled, count, listed

from benchmarks.deduction_peers import ready_for_clingo, ready_for_cp_sat
from benchmarks.table import Row, cpu_seconds, left_out, row, show

SOURCE = Path(__file__).with_name("deduction.cpp")
FAIR = 160_498_304
"""The fair puzzles of Slitherlink on 4 by 4 (shared/rules/deduction.md)."""
PUZZLES, SOLUTIONS, SOME, SEED = 1000, 20, 50, 5
"""Puzzles of each genre, the solutions that they come from, puzzles of the peers, and the seed of all."""
ROYLE = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
"""The first Sudoku of 17 digits in Gordon Royle's list (Minimum Sudoku, University of Western Australia)."""
Ready = Callable[[Puzzle, int], Callable[[], int]]
"""Read a puzzle for a limit of solutions, and return a function that counts them."""
PEERS: dict[str, tuple[str, Ready]] = {
    "clingo": ("clingo", ready_for_clingo),
    "CP-SAT": ("ortools", ready_for_cp_sat),
}


@attrs.frozen
class Kind:
    """A genre, its board, and which share of the clues of a solution a puzzle has, from and to."""

    name: str
    side: int
    clues: str = "n"
    share: tuple[float, float] = (1.0, 1.0)


KINDS = (
    Kind("sudoku", 9, "given", (0.45, 0.62)),
    Kind("slitherlink", 8, "n", (0.6, 1.0)),
    Kind("mosaic", 10, "n", (0.7, 1.0)),
    Kind("binairo", 10, "given", (0.4, 0.65)),
    Kind("akari", 10),
    Kind("starbattle", 8),
)


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    return [*projected(), seventeen(), *counted()]


def projected() -> Iterator[Row]:
    """Compare all fair puzzles of Slitherlink on 4 by 4, from the list of the loops on."""
    what = f"deduction: all {FAIR:,} fair puzzles of Slitherlink on 4 by 4"
    board = Puzzle(genre("slitherlink"), Board(4, 4, bytes(16)))
    rows = listed(problem_of(board))
    values = np.array([list(values_of(board, "n", marks.tolist()).values()) for marks in rows], np.int16)
    Projection(values[:10]).counts()  # compiles
    found: list[int] = []
    ours = cpu_seconds(lambda: found.append(int(Projection(values).counts().sum())))
    _check("The projection counts", found[0], FAIR)
    compiler = shutil.which("g++")
    if compiler is None:
        yield left_out(what, "there is no C++ compiler (g++)")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "deduction"
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, SOURCE], check=True)
        lines = [f"{len(values)} 16", *(" ".join(map(str, own)) for own in values.tolist())]
        done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    *fair, seconds = done.stdout.split()
    _check("The C++ program counts", sum(map(int, fair)), FAIR)
    theirs = float(seconds)
    yield row(
        what, f"{ours:.2f} CPU s", f"C++ {theirs:.2f} CPU s", ours / theirs, "twice", ours <= 2 * theirs
    )


def seventeen() -> Row:
    """Measure one hard Sudoku, the tables of its rules made before."""
    clues = (Clue("given", cell, int(digit)) for cell, digit in enumerate(ROYLE) if digit != "0")
    puzzle = attrs.evolve(empty(KINDS[0]), clues=tuple(clues))
    _check("Solutions of the Sudoku", count(problem_of(puzzle)).number, 1)
    ours = min(cpu_seconds(lambda: count(problem_of(puzzle))) for _ in range(10))
    return row(
        "deduction: a Sudoku of 17 digits", f"{1e3 * ours:.2f} CPU ms", "", 0, "5 CPU ms", ours < 0.005
    )


def counted() -> Iterator[Row]:
    """Compare the number of solutions, up to two, of many puzzles of each genre.

    What is compared is reading a puzzle and counting together, for all alike; counting alone is told beside.
    """
    faster: dict[str, list[float]] = {}
    for kind in KINDS:
        puzzles = puzzles_of(kind)
        what = f"deduction: solutions of {PUZZLES:,} puzzles, {kind.name} {kind.side} by {kind.side}"
        _timed(_ours, puzzles[:20])
        ours, alone, found = _timed(_ours, puzzles)
        numbers = [sum(1 for own in found if own == many) for many in (0, 1, 2)]
        said = "{} without, {} with one, {} with more".format(*numbers)
        own_time = f"{1e3 * ours:.2f} CPU ms ({1e3 * alone:.2f} counting)"
        yield row(what, own_time, said, 0, "", True)
        for name, (package, other) in PEERS.items():
            if importlib.util.find_spec(package) is None:
                yield left_out(what, f"{name} is not installed (extra `bench`)")
                continue
            some = puzzles[:: PUZZLES // SOME]
            other(some[0], 2)()  # imports the package
            theirs, counting, known = _timed(other, some)
            _check(f"{name} finds", sum(known), sum(found[:: PUZZLES // SOME]))
            faster.setdefault(name, []).append(theirs / ours)
            said = f"{name}, of {SOME} {1e3 * theirs:.2f} CPU ms ({1e3 * counting:.2f} counting)"
            yield row(
                what, own_time, said,
                theirs / ours, "faster", ours <= theirs,
            )  # fmt: skip
    for name, ratios in faster.items():
        ten = sum(1 for ratio in ratios if ratio >= 10)
        what = f"deduction: genres in which {name} takes ten times as long"
        yield row(what, f"{ten}", f"of {len(ratios)}", ten / len(ratios), "half", 2 * ten >= len(ratios))


def _ours(puzzle: Puzzle, limit: int) -> Callable[[], int]:
    made = Compiled(problem_of(puzzle))
    assert made.arrays is not None
    assert made.desk is not None
    return lambda: made.count(limit).number


def _timed(ready: Ready, puzzles: Sequence[Puzzle]) -> tuple[float, float, list[int]]:
    """Return the mean CPU seconds a puzzle, those of counting alone, and the numbers of solutions."""
    found, begun, counting = [], time.process_time(), 0.0
    for puzzle in puzzles:
        count_solutions = ready(puzzle, 2)
        read = time.process_time()
        found.append(count_solutions())
        counting += time.process_time() - read
    return (time.process_time() - begun) / len(puzzles), counting / len(puzzles), found


def _check(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise SystemExit(f"{what} {found:,}, expected {expected:,}.")


# ---- puzzles, always the same


def empty(kind: Kind) -> Puzzle:
    """Return the board of a genre without clues; of Sudoku with its boxes."""
    side = kind.side
    regions: tuple[tuple[int, ...], ...] = ()
    if kind.name == "sudoku":
        at = [(cell // side // 3, cell % side // 3) for cell in range(side * side)]
        regions = tuple(tuple(cell for cell, own in enumerate(at) if own == box) for box in sorted(set(at)))
    names = tuple(map(str, range(len(regions))))
    return Puzzle(genre(kind.name), Board(side, side, bytes(side * side), regions, names))


def puzzles_of(kind: Kind) -> list[Puzzle]:
    """Draw the puzzles of a genre: with no solution, one, or more."""
    chance = random.Random(f"{SEED} {kind.name}")
    if kind.name == "starbattle":
        return [_divided(kind, chance) for _ in range(PUZZLES)]
    found: list[Puzzle] = []
    for _ in range(SOLUTIONS):
        board = _walled(kind, chance) if kind.name == "akari" else empty(kind)
        marks = solution_of(board, chance)
        clues = (
            _numbers(board, marks)
            if kind.name == "akari"
            else [Clue(kind.clues, *own) for own in values_of(board, kind.clues, marks).items()]
        )
        for _ in range(PUZZLES // SOLUTIONS):
            share = chance.uniform(*kind.share) if kind.name != "akari" else chance.uniform(0.5, 1)
            chosen = chance.sample(clues, round(share * len(clues)))
            found.append(attrs.evolve(board, clues=tuple(sorted(chosen, key=lambda clue: clue.place))))
    return found


def solution_of(puzzle: Puzzle, chance: random.Random) -> list[int]:
    """Draw a solution: marks by chance, as long as there is a solution with them."""
    made = Compiled(problem_of(puzzle))
    masks = list(made.problem.start)
    sites = list(range(len(masks)))
    chance.shuffle(sites)
    for site in sites:
        while masks[site] & (masks[site] - 1):
            bit = 1 << chance.choice([mark for mark in range(64) if masks[site] >> mark & 1])
            tried = made.filtered([*masks[:site], bit, *masks[site + 1 :]])
            if tried is not None and made.count(1, start=tried).number:
                masks = list(tried)
            else:
                masks[site] &= ~bit
    return [mask.bit_length() - 1 for mask in masks]


def _walled(kind: Kind, chance: random.Random) -> Puzzle:
    kinds = bytes(1 if chance.random() < 0.22 else 0 for _ in range(kind.side**2))
    return Puzzle(genre(kind.name), Board(kind.side, kind.side, kinds))


def _numbers(puzzle: Puzzle, marks: Sequence[int]) -> list[Clue]:
    """Return the number of lamps beside each wall."""
    board = puzzle.board
    lamps = {cell for cell, mark in zip(board.cells, marks, strict=True) if mark == 0}
    steps = ((0, -1), (1, 0), (0, 1), (-1, 0))
    return [Clue("n", wall, sum(board.step(wall, *step) in lamps for step in steps)) for wall in board.walls]


def _divided(kind: Kind, chance: random.Random) -> Puzzle:
    """Draw a board of regions that grow from as many cells as it has rows."""
    side = kind.side
    empty_board = Board(side, side, bytes(side * side))
    region = dict(zip(chance.sample(empty_board.cells, side), range(side), strict=True))
    while len(region) < side * side:
        cell = chance.choice(sorted(region))
        other = empty_board.step(cell, *chance.choice(((0, -1), (1, 0), (0, 1), (-1, 0))))
        if other >= 0:
            region.setdefault(other, region[cell])
    regions = tuple(tuple(cell for cell in sorted(region) if region[cell] == at) for at in range(side))
    board = attrs.evolve(empty_board, regions=regions, names=tuple(map(str, range(side))))
    return Puzzle(genre(kind.name), board)


if __name__ == "__main__":
    show(measure())
