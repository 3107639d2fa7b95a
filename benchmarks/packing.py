"""Packing games: famous boards beside other solvers and a C++ program, and many choices of pieces."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import attrs
import numpy as np

from benchmarks.table import Row, cpu_seconds, left_out, row, show
from benchmarks.tangram_peers import Family, with_cp_sat, with_exact_cover, with_xcover
from epcg_core.search.exact_cover.choices import count_covers
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch, solve
from tests.core.search.exact_cover.polyforms import doubled, packing, rectangle, rhomboid, shapes

SOURCE = Path(__file__).with_name("packing.cpp")
PEERS: dict[str, tuple[str, Callable[[Family, int], set[frozenset[int]]]]] = {
    "xcover": ("xcover", with_xcover),
    "exact-cover": ("exact_cover", with_exact_cover),
    "CP-SAT": ("ortools", with_cp_sat),
}
CHOICES, COVERS_OF_CHOICES = 3003, 34


@attrs.frozen
class Board:
    """A board that everybody knows, and the solvers that take less than some seconds for it."""

    name: str
    problem: CoverProblem
    distinct: int
    """Covers modulo the symmetries."""
    every: int
    peers: tuple[str, ...]


def boards() -> list[Board]:
    """Return the boards; xcover is the fastest of the peers on each of 6 by 10, 5 by 12 and the rhombus."""
    pentominoes, hexiamonds = shapes(5), shapes(6, triangles=True)
    six, five, three = (packing(rectangle(*size), pentominoes) for size in ((6, 10), (5, 12), (3, 20)))
    return [
        Board("6 by 10 pentominoes", six, 2339, 9356, ("xcover",)),
        Board("5 by 12 pentominoes", five, 1010, 4040, ("xcover", "exact-cover")),
        Board("3 by 20 pentominoes", three, 2, 8, ("xcover", "exact-cover", "CP-SAT")),
        Board(
            "rhombus of hexiamonds", packing(rhomboid(6, 6), hexiamonds), 156, 624, ("xcover", "exact-cover")
        ),
    ]


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    known = boards()
    rows = [line for board in known for line in _beside_peers(board)]
    rows += _all_beside_peers(known[0])
    with tempfile.TemporaryDirectory() as folder:
        rows += _beside_c(known, Path(folder))
    return [*rows, _lying(known[0]), _choices()]


def _beside_peers(board: Board) -> Iterator[Row]:
    """Compare covers modulo the symmetries: all solvers get the placements that our search tries."""
    what = f"packing: {board.name}, the {board.distinct:,} modulo symmetries"
    ours = _seconds(board.problem, board.distinct)
    (stage,) = CoverSearch(board.problem).stages
    job = _family(board.problem, lambda number, piece: piece != stage.piece or number in stage.tried)
    for name in board.peers:
        yield _peer(what, ours, name, job, board.problem.cells, board.distinct)


def _all_beside_peers(board: Board) -> Iterator[Row]:
    raw = attrs.evolve(board.problem, symmetries=())
    ours = _seconds(raw, board.every)
    what = f"packing: {board.name}, all {board.every:,}"
    yield _peer(what, ours, "xcover", _family(raw, lambda *_: True), raw.cells, board.every)


def _family(problem: CoverProblem, tried: Callable[[int, int], bool]) -> Family:
    options = [
        (number, piece, cells)
        for number, (piece, cells) in enumerate(problem.placements)
        if tried(number, piece)
    ]
    return Family(tuple(range(problem.pieces)), tuple(options))


def _peer(what: str, ours: float, name: str, job: Family, cells: int, expected: int) -> Row:
    module, find = PEERS[name]
    if importlib.util.find_spec(module) is None:
        return left_out(what, f"{name} is not installed (extra `bench`)")
    find(Family((0,), ((0, 0, (0,)),)), 1)  # compiles, if it does
    found: set[frozenset[int]] = set()
    theirs = cpu_seconds(lambda: found.update(find(job, cells)))
    _check(f"{name} finds", len(found), expected)
    bar, met = ("a third", 3 * ours <= theirs) if "6 by 10" in what else ("", True)
    return row(what, f"{ours:.2f} CPU s", f"{name} {theirs:.2f} CPU s", theirs / ours, bar, met)


def _beside_c(known: list[Board], folder: Path) -> Iterator[Row]:
    """Compare all covers with the C++ program, to which the cells come numbered along the short side."""
    what = "packing: beside a C++ program"
    compiler = shutil.which("g++")
    if compiler is None:
        yield left_out(what, "there is no C++ compiler (g++)")
        return
    program = folder / "packing"
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, SOURCE], check=True)
    for board in known:
        raw = attrs.evolve(board.problem, symmetries=())
        lines = [f"{len(raw.placements)} {raw.cells}"]
        lines += [f"{piece} {len(cells)} {' '.join(map(str, cells))}" for piece, cells in raw.placements]
        done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
        covers, nodes, seconds = done.stdout.split()
        _check("The C++ program finds", int(covers), board.every)
        ours, theirs = _seconds(raw, board.every), float(seconds)
        bar, met = ("twice", ours <= 2 * theirs) if "6 by 10" in board.name else ("", True)
        yield row(
            f"packing: {board.name}, all {board.every:,}", f"{ours:.2f} CPU s",
            f"C++, {int(nodes) / 1e6:.1f} M nodes, {theirs:.2f} CPU s", ours / theirs, bar, met,
        )  # fmt: skip


def _lying(upright: Board) -> Row:
    lying = packing(rectangle(10, 6), shapes(5))
    ours, other = _seconds(lying, upright.distinct), _seconds(upright.problem, upright.distinct)
    return row(
        "packing: 10 by 6, its cells numbered along the long side", f"{ours:.2f} CPU s",
        f"6 by 10 {other:.2f} CPU s", ours / other, "2", ours < 2 * other,
    )  # fmt: skip


def _choices() -> Row:
    pieces = doubled(shapes(3, triangles=True)[0])
    problem = packing(rhomboid(3, 5), pieces, [0] * 15, [1] * 15, flip=False)
    sets = np.array([[piece in own for piece in range(15)] for own in combinations(range(15), 5)], np.int64)
    counts: list[int] = []
    count_covers(problem, sets[:1], sets[:1])  # compiles
    seconds = cpu_seconds(lambda: counts.extend(count_covers(problem, sets, sets).tolist()))
    _check("The choices have", sum(counts), COVERS_OF_CHOICES)
    return row(
        f"packing: {CHOICES:,} choices of 5 of 15 pieces on 30 triangles", f"{seconds:.2f} CPU s",
        f"{len(counts) / seconds:,.0f} choices/CPU s", 60 / seconds, "under 60 s",
        seconds < 60 and len(counts) == CHOICES,
    )  # fmt: skip


def _seconds(problem: CoverProblem, expected: int) -> float:
    """Return the CPU seconds of all covers, compilation left out, all preparation included."""
    _check("We find", len(solve(problem).covers), expected)
    return cpu_seconds(lambda: solve(problem))


def _check(who: str, found: int, expected: int) -> None:
    if found != expected:
        raise AssertionError(f"{who} {found} covers, not {expected}.")


if __name__ == "__main__":
    show(measure())
