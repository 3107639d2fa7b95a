"""Recorded measures of the puzzles that people answered, and which of them are baselines."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import attrs

from epcg_core.inside import StoreError
from epcg_core.plugin import Reader, RunRecord, UnknownNameError
from epcg_research.studies.answers import Answers, Puzzle

BASELINES: Mapping[str, tuple[str, ...]] = {
    "log2 of the number of solutions": ("solutions", "completions", "shortest_solutions"),
    "length of a solution": ("solution_length", "shortest_solution", "moves", "fewest_placements", "depth"),
    "log2 of the size of the space": ("reachable_states", "reachable_positions", "entropy_states"),
}
"""What a measure must do better than, and the names of metrics that are it, the first that is recorded."""


@attrs.frozen
class Measure:
    """A metric, of all runs that have it for puzzles of different spaces."""

    metric: str
    runs: tuple[int, ...]
    values: Mapping[Puzzle, float]
    baseline: str = ""
    """Which baseline it is; '' if it is none."""


def measures(
    reader: Reader,
    answers: Answers,
    run_id: int | None = None,
    names: Collection[str] = (),
    baselines: Sequence[str] = (),
) -> list[Measure]:
    """Return the recorded measures of a data set's puzzles.

    A metric of runs over different spaces is one measure of all their puzzles. If several runs over one space
    have it, with other params say, each run has a measure of its own.

    Args:
        reader: the database.
        answers: the data set.
        run_id: the run; None for every finished run over a space of a puzzle.
        names: the metrics; none for all, imported ones included. Baselines are there in any case.
        baselines: further metrics that are baselines.

    Returns:
        The measures, then the baselines.

    Raises:
        StoreError: if no such run is finished.
        UnknownNameError: if no run has a metric of a name.
    """
    spaces = {space for space, _ in answers.puzzles}
    runs = [run for run in reader.runs() if run.done and run.space in spaces and run_id in (None, run.id)]
    if not runs:
        what = "No finished run" if run_id is None else f"Run {run_id} is not finished, or it"
        raise StoreError(f"{what} covers a puzzle of '{answers.study}': run a query over {min(spaces)}, say.")
    having: dict[tuple[str, str], list[RunRecord]] = {}
    for run in runs:
        for metric in reader.every_metric(run.id):
            having.setdefault((metric.name, run.domain), []).append(run)
    known = sorted({name for name, _ in having})
    for name in (*names, *baselines):
        if name not in known:
            option = "--metric" if name in names else "--baseline"
            raise UnknownNameError("metric", name, known, option)
    recorded = {run.id: _values(reader, run, answers) for run in runs}
    roles = {name: name for name in baselines}
    for role, candidates in BASELINES.items():
        if usual := next((name for name in candidates if name in known), None):
            roles.setdefault(usual, role)
    found: list[Measure] = []
    for (name, _), own in having.items():
        if names and name not in names and name not in roles:
            continue
        groups = [own] if len({run.space for run in own}) == len(own) else [[run] for run in own]
        for group in groups:
            values = {puzzle: v for run in group for puzzle, v in recorded[run.id].get(name, {}).items()}
            role = roles.get(name, "") if name not in names or name in baselines else ""
            found.append(Measure(name, tuple(run.id for run in group), values, role))
    return sorted(found, key=lambda measure: bool(measure.baseline))


def _values(reader: Reader, run: RunRecord, answers: Answers) -> dict[str, dict[Puzzle, float]]:
    inside = [rank for space, rank in answers.puzzles if space == run.space and run.start <= rank < run.stop]
    found: dict[str, dict[Puzzle, float]] = {}
    for rank, scores in zip(inside, reader.scores_at(run.id, inside), strict=True):
        for name, value in scores.items():
            if value is not None and math.isfinite(value):
                found.setdefault(name, {})[run.space, rank] = float(value)
    return found


def scaled(measure: Measure) -> Measure:
    """Return a baseline with logarithms of counts, as its name says; puzzles with a count of 0 have none."""
    if not measure.baseline.startswith("log2"):
        return measure
    values = {puzzle: math.log2(value) for puzzle, value in measure.values.items() if value > 0}
    return attrs.evolve(measure, values=values)
