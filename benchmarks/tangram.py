"""The hexagon tangram: solved boards beside other exact-cover solvers, bump patterns, colour constraints."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from epcg_tangram.design.layout import layout_of
from epcg_tangram.evaluation.back import make_back, make_back_chapters
from epcg_tangram.evaluation.boards import Colours
from epcg_tangram.evaluation.entropy import entropy
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.bumps import bump_patterns
from epcg_tangram.generators.instances import Instances, _listed
from epcg_tangram.params import (
    BackParams,
    BoardsParams,
    BumpParams,
    GameRef,
    InstanceEntropyParams,
    InstancesParams,
)
from epcg_tangram.rules.adjacency import shared_table
from epcg_tangram.rules.covers import cover_problem
from epcg_tangram.rules.games import game

from benchmarks.table import Row, cpu_seconds, left_out, row, show
from benchmarks.tangram_peers import (
    PIECES,
    TRAPEZOID,
    Family,
    families,
    with_cp_sat,
    with_exact_cover,
    with_xcover,
)
from epcg_core.domain import NoParams
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch, solve

BOARDS, RAW_BOARDS = 2508, 30_096
WITHOUT_SOLUTION = 12_700
SMALLEST_CHAPTER = 151
COLOUR_PUZZLES = 3880 + 4818 + 528 + 4109 + 8222
PAPER_S = 78.0

PEERS: tuple[tuple[str, str, Callable[[Family, int], set[frozenset[int]]]], ...] = (
    ("xcover", "xcover", with_xcover),
    ("exact-cover", "exact_cover", with_exact_cover),
)


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    return [*_boards(), _raw(), _bumps(), _colours(), _chapters(), *_puzzles()]


def _boards() -> Iterator[Row]:
    problem = cover_problem(BoardsParams())
    assert problem.images
    search = CoverSearch(problem)
    ours = _best(lambda: solve(problem), 3)
    covers = solve(problem).covers
    if len(covers) != BOARDS:
        raise AssertionError(f"{len(covers)} boards were found.")
    what = f"tangram: all {BOARDS:,} solved boards"
    measured = f"{ours:.3f} CPU s"
    yield row(what, measured, f"the paper's {PAPER_S:.0f} s", PAPER_S / ours, "under 0.3 s", ours < 0.3)
    own = {tuple(sorted(n for n in cover if n >= 0)) for cover in covers.tolist()}
    jobs = list(families(problem))
    for name, module, find in PEERS:
        if importlib.util.find_spec(module) is None:
            yield left_out(what, f"{name} is not installed (extra `bench`)")
            continue
        find(jobs[-1], problem.cells)  # compiles, if it does
        found: list[set[frozenset[int]]] = []
        theirs = cpu_seconds(lambda: found.extend(find(job, problem.cells) for job in jobs))  # noqa: B023
        _agree(name, problem, search, set().union(*found), own)
        yield row(what, measured, f"{name} {theirs:.1f} CPU s", theirs / ours, "", True)
    if importlib.util.find_spec("ortools") is None:
        yield left_out(what, "CP-SAT is not installed (extra `bench`)")
    else:
        yield _one_family(jobs[PIECES.index(TRAPEZOID)], problem, search)


def _one_family(job: Family, problem: CoverProblem, search: CoverSearch) -> Row:
    """Solve the smallest family alone with CP-SAT: the boards without trapezoids."""
    alone = cover_problem(BoardsParams(copies=(f"{TRAPEZOID} 0",)))
    assert alone.images
    ours = _best(lambda: solve(alone), 3)
    found: set[frozenset[int]] = set()
    theirs = cpu_seconds(lambda: found.update(with_cp_sat(job, problem.cells)))
    own = {tuple(sorted(n for n in cover if n >= 0)) for cover in solve(alone).covers.tolist()}
    _agree("CP-SAT", problem, search, found, own)
    what = f"tangram: the {len(own)} boards without trapezoids"
    return row(what, f"{ours:.3f} CPU s", f"CP-SAT {theirs:.1f} CPU s", theirs / ours, "", True)


def _agree(
    name: str,
    problem: CoverProblem,
    search: CoverSearch,
    found: set[frozenset[int]],
    own: set[tuple[int, ...]],
) -> None:
    width = max(map(len, found))
    rows = np.array([[*cover, *[-1] * (width - len(cover))] for cover in map(sorted, found)], np.int32)
    theirs = {tuple(n for n in row if n >= 0) for row in search.canonical(rows).tolist()}
    if theirs != own or len(found) != len(own):
        raise AssertionError(f"{name} finds {len(found)} boards, other ones than we do.")


def _raw() -> Row:
    problem = cover_problem(BoardsParams(boards="all"))
    seconds = _best(lambda: solve(problem), 2)
    found = solve(problem)
    if len(found.covers) != RAW_BOARDS:
        raise AssertionError(f"{len(found.covers)} raw boards were found.")
    return row(
        f"tangram: all {RAW_BOARDS:,} boards, no symmetry broken",
        f"{seconds:.2f} CPU s",
        f"{found.nodes / seconds / 1e6:.1f} M nodes/CPU s",
        1 / seconds,
        "under 1 s",
        seconds < 1,
    )


def _bumps() -> Row:
    patterns = bump_patterns(BumpParams())
    make_back(BackParams(), patterns, {}).evaluate_states(patterns.states_block(0, 1))
    values: list[Any] = []

    def histogram() -> None:
        back = make_back(BackParams(), patterns, {})
        values.extend(back.evaluate_states(patterns.states_block(0, patterns.max_rank)).values)

    seconds = cpu_seconds(histogram)
    without = int((np.asarray(values[0]) == 0).sum())
    if without != WITHOUT_SOLUTION:
        raise AssertionError(f"{without} patterns are without a solution.")
    return row(
        f"tangram: {RAW_BOARDS:,} boards on {patterns.max_rank:,} bump patterns",
        f"{seconds:.2f} CPU s",
        f"{RAW_BOARDS * patterns.max_rank / seconds / 1e9:.0f} G pairs/CPU s",
        20 / seconds,
        "under 20 s",
        seconds < 20,
    )


def _colours() -> Row:
    boards = solved_boards(BoardsParams())
    states = boards.states_block(0, boards.max_rank)
    layout = layout_of(GameRef().definition)
    assert layout.edge_pairs
    assert layout.corner_pairs
    totals: list[int] = []

    def query() -> None:
        shared_table.cache_clear()
        values: Sequence[Any] = Colours(NoParams(), boards, {}).evaluate_states(states).values
        totals.append(sum(int(value.sum()) for value in values))

    seconds = cpu_seconds(query)
    if totals != [COLOUR_PUZZLES]:
        raise AssertionError(f"{totals[0]} colour puzzles were found.")
    return row(
        f"tangram: {COLOUR_PUZZLES:,} colour puzzles of all boards",
        f"{seconds:.2f} CPU s",
        f"{boards.max_rank / seconds:,.0f} boards/CPU s",
        300 / seconds,
        "under 300 s",
        seconds < 300,
    )


def _chapters() -> Row:
    patterns = bump_patterns(BumpParams())
    make_back_chapters(BackParams(), patterns, {}).evaluate_states(patterns.states_block(0, 1))
    smallest: list[int] = []

    def query() -> None:
        chapters = make_back_chapters(BackParams(), patterns, {})
        found = chapters.evaluate_states(patterns.states_block(0, patterns.max_rank)).values
        smallest.append(int(np.asarray(found[-1]).max()))

    seconds = cpu_seconds(query)
    if smallest != [SMALLEST_CHAPTER]:
        raise AssertionError(f"The smallest chapter has {smallest[0]} puzzles at most.")
    return row(
        f"tangram: 6 chapters' colour puzzles on {patterns.max_rank:,} bump patterns",
        f"{seconds:.2f} CPU s",
        "the paper's 50 min",
        3000 / seconds,
        "under 300 s",
        seconds < 300,
    )


def _puzzles() -> Iterator[Row]:
    """Measure the smallest puzzles of all boards and their entropy, without compilation."""

    def listed() -> Instances:
        _listed.cache_clear()
        game.cache_clear()
        own = Instances(InstancesParams())
        assert own.max_rank == BOARDS
        return own

    seconds = _best(listed, 2)
    each = f"{BOARDS / seconds:,.0f} boards/CPU s"
    what = f"tangram: the smallest puzzles with one solution of {BOARDS:,} boards"
    yield row(what, f"{seconds:.2f} CPU s", each, 20 / seconds, "under 20 s", seconds < 20)
    puzzles = listed()
    evaluator = entropy(InstanceEntropyParams(), puzzles)
    seconds = _best(lambda: evaluator.evaluate_states(puzzles.rows), 2)
    each = f"{BOARDS / seconds:,.0f} puzzles/CPU s"
    yield row(
        f"tangram: MUSE of {BOARDS:,} puzzles", f"{seconds:.2f} CPU s", each, 20 / seconds, "under 20 s",
        seconds < 20,
    )  # fmt: skip


def _best(work: Callable[[], object], times: int) -> float:
    """Return the CPU seconds, compilation left out, the best of some times."""
    work()
    return min(cpu_seconds(work) for _ in range(times))


if __name__ == "__main__":
    show(measure())
