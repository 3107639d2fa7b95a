"""The Witness: three-piece panels, community puzzles, Figure 3, and other solvers on the same panels."""

from __future__ import annotations

import importlib.util
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import attrs
import numpy as np
from epcg_witness.evaluation.entropy import panel_entropy
from epcg_witness.evaluation.solutions import Solutions
from epcg_witness.formats.windmill import read_windmill
from epcg_witness.generators.pieces_by_line import all_lines
from epcg_witness.generators.placements import pieces, placements
from epcg_witness.inference.rules import RULES
from epcg_witness.params import PUBLISHED_RULES, GroupParams, PiecesParams, PlacementParams, SolutionsParams
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import solutions
from epcg_witness.solving import paths
from epcg_witness.solving.solver import count_solutions

from benchmarks.table import Row, cpu_seconds, left_out, row, show
from benchmarks.witness_peers import count_with_clingo, count_with_cp_sat
from epcg_core.difficulty import StateSpace, adversarial, msi, muse, remuse, tsi
from epcg_core.query.query import load
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store

ROOT = Path(__file__).parent.parent
QUERIES = ROOT / "plugins" / "witness" / "queries"
PUZZLES = ROOT.parent / "shared" / "data" / "windmill" / "puzzles_103.json"

PANELS, SOLVABLE = 1_161_216, 113_296
"""Sturtevant & Ota (2018)."""
BEST_JOINT_PANELS = {"different_types": 6, "none": 7}
"""The best values by the restriction of the sub-panels; the first is that of the published Figure 3."""

SEED = 20
PANELS_OF_A_SPACE = 8


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    return [*three_pieces(), *pieces_by_line(), *community_puzzles(), *figure_3(), *peers()]


@attrs.frozen
class Recorded:
    """A query's answer in a fresh database."""

    seconds: float
    """CPU, of this process, which does everything."""
    counts: dict[float, int]
    """The recorded number of candidates for each value of the first metric."""
    evaluated: int
    candidates: int


def record(name: str, *settings: str) -> Recorded:
    """Run a shipped query, serially, and read what it recorded."""
    query = load(QUERIES / name, settings)
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/fresh.db", write=True) as store:
        begun = time.process_time()
        goal = execute(query, store, Options(executor="serial", quiet=True)).goal
        seconds = time.process_time() - begun
        with store.reader() as reader:
            metric = reader.metrics(goal.id)[0].name
            values = [values for _, values in reader.values(goal.id, metric)]
    different, counts = np.unique(np.concatenate(values), return_counts=True)
    found = dict(zip(different.tolist(), counts.tolist(), strict=True))
    return Recorded(seconds, found, goal.evaluated, goal.candidates)


def three_pieces() -> Iterator[Row]:
    """Measure all three-piece panels through the coordinator, against solving without recording."""
    record("three_pieces.toml", "generator.width=2", "generator.height=2")  # compiles
    recorded = record("three_pieces.toml")
    panels, solvable = sum(recorded.counts.values()), sum(recorded.counts.values()) - recorded.counts[0]
    if (panels, solvable) != (PANELS, SOLVABLE):
        raise SystemExit(
            f"{solvable} of {panels} panels were recorded as solvable; {SOLVABLE} of {PANELS} are."
        )
    generator = pieces(PiecesParams(3, 3, 3))
    bare = cpu_seconds(
        lambda: Solutions(SolutionsParams(), generator.setting).evaluate_states(
            generator.states_block(0, PANELS)
        )
    )
    yield row(f"witness: {PANELS:,} three-piece panels recorded", f"{recorded.seconds:.2f} CPU s",
              f"not recorded {bare:.2f} CPU s", recorded.seconds / bare, "3 CPU s",
              recorded.seconds < 3)  # fmt: skip


def pieces_by_line() -> Iterator[Row]:
    """Ask for the solutions of all three-piece panels, lines first, against all placements: both recorded."""
    settings = ("generator.pieces=3",)
    small = ("generator.width=2", "generator.height=2")
    for name, more in (("three_pieces.toml", ()), ("five_pieces_by_line.toml", settings)):
        record(name, *small, *more)  # compiles
    every = record("three_pieces.toml")
    all_lines.cache_clear()
    by_line = record("five_pieces_by_line.toml", *settings)
    solvable = {solutions: count for solutions, count in every.counts.items() if solutions}
    if by_line.counts != solvable:
        raise SystemExit("The panels of the lines do not have the solutions that all placements have.")
    ratio = every.seconds / by_line.seconds
    yield row(f"witness: solutions of {by_line.candidates:,} three-piece panels, lines first",
              f"{by_line.seconds:.2f} CPU s", f"all placements {every.seconds:.2f} CPU s", ratio, "faster",
              ratio > 1)  # fmt: skip


def figure_3() -> Iterator[Row]:
    """Find and prove the best joint panels in a fresh database, against evaluating the whole space."""
    record("joint_panels.toml")  # compiles
    for restriction, known in BEST_JOINT_PANELS.items():
        proven = record("joint_panels.toml", f"generator.restriction={restriction}")
        if set(proven.counts) != {known}:
            raise SystemExit(
                f"{restriction}: optima of {sorted(proven.counts)} were found; {known} is known."
            )
        yield row(f"witness: Figure 3's optimum found and proven, restriction {restriction}",
                  f"{proven.seconds:.2f} CPU s",
                  f"{proven.evaluated:,} of {proven.candidates:,} evaluated",
                  proven.candidates / proven.evaluated, "5 CPU s", proven.seconds < 5)  # fmt: skip


def community_puzzles() -> Iterator[Row]:
    """Measure all solutions and entropies of real puzzles, against the plain forms on every 20th."""
    counting = "witness: all solutions of a community puzzle"
    measuring = "witness: five entropy measures of a community puzzle"
    if not PUZZLES.is_file():
        for what in (counting, measuring):
            yield left_out(what, "the puzzles of ../shared are not at hand.")
        return
    puzzles = [read_windmill(p["contents"], p["id"]) for p in json.loads(PUZZLES.read_text(encoding="utf-8"))]
    some = puzzles[::20]
    for what, compiled, plain, bar in (
        (counting, count_solutions, count_plainly, 1e-3),
        (measuring, panel_entropy_of, plain_entropy_of, 8e-3),
    ):
        compiled(Panel(width=1, height=1))
        seconds, found = timed(compiled, puzzles)
        reference, expected = timed(plain, some)
        if found[::20] != expected:
            raise SystemExit(f"{what}: compiled {found[::20]}, plain {expected}.")
        yield row(f"{what}, mean of {len(puzzles)}", f"{1e3 * seconds:.3f} CPU ms",
                  f"plain, of {len(some)} {1e3 * reference:.0f} CPU ms", reference / seconds,
                  f"{1e3 * bar:.0f} CPU ms", seconds < bar)  # fmt: skip


Answer = TypeVar("Answer")


def timed(solve: Callable[[Panel], Answer], panels: Sequence[Panel]) -> tuple[float, list[Answer]]:
    """Return the mean CPU seconds a panel, the listing of the paths of a size included, and the answers."""
    paths._small_table.cache_clear()
    begun = time.process_time()
    found = [solve(panel) for panel in panels]
    return (time.process_time() - begun) / len(panels), found


def count_plainly(panel: Panel) -> int:
    return sum(1 for _ in solutions(panel))


def panel_entropy_of(panel: Panel) -> tuple[float, ...]:
    found = panel_entropy(panel, PUBLISHED_RULES)
    return found.muse, found.remuse, found.adversarial, found.msi, found.tsi


def plain_entropy_of(panel: Panel) -> tuple[float, ...]:
    space = StateSpace(PanelModel(), panel, [RULES[name] for name in PUBLISHED_RULES])
    measured = [muse(space, collapse_zero=True), remuse(space), adversarial(space), msi(space), tsi(space)]
    return tuple(difficulty.value for difficulty in measured)


PEERS = {"OR-Tools CP-SAT": ("ortools", count_with_cp_sat), "clingo": ("clingo", count_with_clingo)}


def peers() -> Iterator[Row]:
    """Solve the same panels by general solvers, which must find as many solutions of each panel."""
    for size in (3, 4):
        panels = random_panels(size)
        count_solutions(Panel(width=1, height=1))
        seconds, found = timed(count_solutions, panels)
        what = f"witness: all solutions of {len(panels)} panels of {size} by {size}, {sum(found):,} in all"
        for name, (package, count) in PEERS.items():
            if importlib.util.find_spec(package) is None:
                yield left_out(what, f"{name} is not installed (pip install {package}).")
                continue
            count(Panel(width=1, height=1))  # imports the package
            reference, theirs = timed(count, panels)
            if theirs != found:
                raise SystemExit(f"{name} finds {theirs} solutions of the panels, and this solver {found}.")
            yield row(what, f"{1e3 * seconds:.2f} CPU ms a panel",
                      f"{name} {1e3 * reference:.1f} CPU ms a panel", reference / seconds, "faster",
                      seconds < reference)  # fmt: skip


def random_panels(size: int) -> list[Panel]:
    """Draw panels of `placements`, always the same: lines, squares, triangles, and all of them."""
    squares = ("square black", "square white")
    triangles = ("triangles 1", "triangles 2", "triangles 3")
    lines = (
        GroupParams(symbols=("dot", "gap"), count=2, where="edges"),
        GroupParams(symbols=("dot",), count=2, where="vertices"),
    )
    spaces = (
        lines,
        (GroupParams(symbols=squares, count=size + 1),),
        (GroupParams(symbols=triangles, count=size - 1),),
        (GroupParams(symbols=squares, count=3), GroupParams(symbols=triangles[:2], count=1), lines[0]),
    )
    chance, found = random.Random(SEED), []
    for groups in spaces:
        generator = placements(PlacementParams(width=size, height=size, groups=groups))
        ranks = [chance.randrange(generator.max_rank) for _ in range(PANELS_OF_A_SPACE)]
        found += [generator.unrank(rank) for rank in ranks]
    return found


if __name__ == "__main__":
    show(measure())
