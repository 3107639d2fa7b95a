"""Compare the fewest moves and MUSE with the times of people's attempts (Olieslagers and others 2024)."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

from epcg_core import plugin as epcg

PROBLEMS, ATTEMPTS = "tower_of_london/problems.json", "tower_of_london/attempts.csv.gz"
FOUND = {"moves": ("fewest moves", 0.883), "muse": ("MUSE without rules", 0.874)}
"""metric -> (in words, rho)"""
GAIN = 0.009
"""How much more rho the fewest moves have than MUSE."""
ASK = epcg.Ask("hanoi/hardest", ('record={rows="all"}',))


def typical(bench: Any) -> tuple[list[dict[str, float]], list[float]]:
    """Return the measures of each problem, and the median of the milliseconds of its attempts."""
    problems = bench.json(PROBLEMS)["problems"]
    times: dict[str, list[int]] = {}
    for row in bench.table(ATTEMPTS, ("person", "problem", "milliseconds")):
        times.setdefault(row["problem"], []).append(int(row["milliseconds"]))
    run = bench.answer(ASK)
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


def rho(bench: Any, metric: str) -> epcg.Computed:
    """Return Spearman's rho of a measure and the median times."""
    measured, times = typical(bench)
    found: epcg.Computed = bench.correlation([each[metric] for each in measured], times, "spearman").value
    return found


def gain(bench: Any) -> epcg.Computed:
    """Return how much more rho the baseline, the fewest moves, has than MUSE."""
    measured, times = typical(bench)
    first, second = ([each[metric] for each in measured] for metric in ("moves", "muse"))
    found: epcg.Computed = bench.difference(times, first, second, "spearman").value
    return found


def tables() -> tuple[epcg.Table, ...]:
    """Return the table of the study."""
    row = partial(epcg.Row, how=f"epcg run hanoi/hardest; {ATTEMPTS}", needs_data=True, quick=True)
    rhos = [
        row(
            label=f"{words}: rho",
            published=epcg.Rounded(value, 3),
            origin="reference",
            compute=partial(rho, metric=metric),
        )
        for metric, (words, value) in FOUND.items()
    ]
    return (
        epcg.Table(
            name="times",
            title="Spearman's rho of measures and the median time of an attempt, over 25 problems",
            candidates=1_296,
            rows=(
                row(label="people", published=epcg.Exact(477), compute=people),
                *rhos,
                row(
                    label="rho of the fewest moves (the baseline) above that of MUSE",
                    published=None,
                    compute=gain,
                    found=epcg.Rounded(GAIN, 3),
                    reason="a result of ours, with nothing published beside it",
                ),
            ),
        ),
    )
