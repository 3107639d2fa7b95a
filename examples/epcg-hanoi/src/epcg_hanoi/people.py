"""Compare the fewest moves and MUSE with the times of people's attempts (Olieslagers and others 2024)."""

from __future__ import annotations

from statistics import median
from typing import Any

PROBLEMS, ATTEMPTS = "tower_of_london/problems.json", "tower_of_london/attempts.csv.gz"


def typical(bench: Any) -> tuple[list[dict[str, float]], list[float]]:
    """Return the measures of each problem, and the median of the milliseconds of its attempts."""
    problems = bench.json(PROBLEMS)["problems"]
    times: dict[str, list[int]] = {}
    for row in bench.table(ATTEMPTS, ("person", "problem", "milliseconds")):
        times.setdefault(row["problem"], []).append(int(row["milliseconds"]))
    run = bench.answer("hanoi/hardest", ['record={rows="all"}'])
    from epcg_hanoi import Params, Problems

    space = Problems(Params())
    ranks = [space.rank((_position(each["start"]), _position(each["target"]))) for each in problems]
    values: dict[int, dict[str, float]] = {rank: {} for rank in ranks}
    for rank, metric, value in bench.rows("SELECT rank, metric, value FROM scores WHERE run_id = :run", run):
        if rank in values:
            values[rank][metric] = value
    return [values[rank] for rank in ranks], [median(times[str(each["problem"])]) for each in problems]


def _position(piles: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(pile) for pile in piles)


def people(bench: Any) -> int:
    """Count the people."""
    return len({row["person"] for row in bench.table(ATTEMPTS, ("person",))})


def rho(bench: Any, metric: str) -> Any:
    """Return Spearman's rho of a measure and the median times."""
    measured, times = typical(bench)
    return bench.correlation([each[metric] for each in measured], times, "spearman").value


def gain(bench: Any) -> Any:
    """Return how much more rho the baseline, the fewest moves, has than MUSE."""
    measured, times = typical(bench)
    first, second = ([each[metric] for each in measured] for metric in ("moves", "muse"))
    return bench.difference(times, first, second, "spearman").value
