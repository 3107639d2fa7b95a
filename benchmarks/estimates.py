"""How often intervals of samples hold the true mean: `python -m benchmarks.estimates`.

Populations of 20,000 values of ten shapes, and 300 samples of each of several sizes, with fixed seeds; so a
share of 95 % has a standard error of 1.3 %. A sample without an interval is not wrong, and is counted. The
normal approximation stands beside: its own share, and how much wider the interval is, in the median. Further
shapes show what heavy tails do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.runs.intervals import Estimated, Limits, mean, sampled_share

POPULATION = 20_000
REPETITIONS = 300
Z = 1.959964
SIZES = (100, 400, 1000, 4000)
Random = np.random.Generator
Values = NDArray[np.float64]


def _mixed(random: Random, count: int) -> Values:
    """Two hills, far apart."""
    return np.where(random.random(count) < 0.3, random.normal(10, 1, count), random.normal(0, 1, count))


def _inflated(random: Random, count: int) -> Values:
    """Zero, and in one of twenty cases lognormal."""
    return np.where(random.random(count) < 0.05, random.lognormal(0, 1, count), 0.0)


def _some(number: int, value: float) -> Callable[[Random, int], Values]:
    """Zero but for `number` of POPULATION."""
    return lambda _, count: np.where(np.arange(count) < number * count // POPULATION, value, 0.0)


SHAPES: dict[str, Callable[[Random, int], Values]] = {
    "normal": lambda random, count: random.normal(5, 1, count),
    "uniform": lambda random, count: random.random(count),
    "one half is 1, else 0": _some(POPULATION // 2, 1),
    "1 % is 1, else 0": _some(POPULATION // 100, 1),
    "0.5 % is 1,000, else 0": _some(POPULATION // 200, 1000),
    "10 of 20,000 are 1, else 0": _some(10, 1),
    "Poisson, mean 2": lambda random, count: random.poisson(2, count).astype(np.float64),
    "geometric, mean 5": lambda random, count: random.geometric(0.2, count).astype(np.float64),
    "lognormal, sigma 1": lambda random, count: random.lognormal(0, 1, count),
    "5 % lognormal, else 0": _inflated,
}
FURTHER: dict[str, Callable[[Random, int], Values]] = {
    "two hills": _mixed,
    "geometric, mean 2": lambda random, count: random.geometric(0.5, count).astype(np.float64),
    "Poisson, mean 0.05": lambda random, count: random.poisson(0.05, count).astype(np.float64),
    "lognormal, sigma 2": lambda random, count: random.lognormal(0, 2, count),
    "Pareto, exponent 1.5": lambda random, count: random.pareto(1.5, count),
}
LIMITS = {"10 of 20,000 are 1, else 0": Limits(0, 1)}


@attrs.frozen
class Covered:
    """The samples of one size from one population, and how many of their intervals hold."""

    shape: str
    size: int
    normal: float
    """The share of the normal approximation's intervals that hold."""
    wrong: int
    """How many intervals do not hold."""
    refused: int
    """How many samples have no interval."""
    repetitions: int
    width: float
    """The median of the intervals' width, divided by the normal one's."""

    @property
    def right(self) -> float:
        """The share of samples that say nothing wrong."""
        return 1 - self.wrong / self.repetitions

    @property
    def of_given(self) -> float:
        """The share of the intervals that hold."""
        given = self.repetitions - self.refused
        return 1 - self.wrong / given if given else np.nan


def covered(
    shape: str,
    values: Values,
    size: int,
    repetitions: int = REPETITIONS,
    estimate: Callable[[Values, int, int], Estimated] = mean,
) -> Covered:
    """Draw samples of a population, and count the intervals that hold its mean."""
    truth, normal, wrong, refused = float(values.mean()), 0, 0, 0
    widths = []
    for seed in range(repetitions):
        drawn = np.random.default_rng((seed, size, *shape.encode())).choice(values, size, replace=False)
        error = float(drawn.std(ddof=1)) / np.sqrt(size) * np.sqrt(1 - size / len(values))
        normal += abs(float(drawn.mean()) - truth) <= Z * error
        found = estimate(drawn, size, len(values))
        if found.low is None or found.high is None:
            refused += 1
            continue
        wrong += not found.low - 1e-12 <= truth <= found.high + 1e-12
        if error:
            widths.append((found.high - found.low) / (2 * Z * error))
    width = float(np.median(widths)) if widths else np.nan
    return Covered(shape, size, normal / repetitions, wrong, refused, repetitions, width)


def all_covered(
    shapes: dict[str, Callable[[Random, int], Values]],
    sizes: Sequence[int] = SIZES,
    repetitions: int = REPETITIONS,
    count: int = POPULATION,
) -> Iterator[Covered]:
    """Yield what becomes of samples of all shapes and sizes, and of those with limits."""
    for shape, draw in shapes.items():
        values = draw(np.random.default_rng(48), count)
        for size in sizes:
            yield covered(shape, values, size, repetitions)
        if shape in LIMITS:
            for size in sizes:
                yield covered("the same, 0 to 1 known", values, size, repetitions, _within(LIMITS[shape]))
        if shape.endswith("is 1, else 0"):
            for size in sizes:
                yield covered("the same, yes or no", values, size, repetitions, _share)


def _within(limits: Limits) -> Callable[[Values, int, int], Estimated]:
    return lambda values, size, population: mean(values, size, population, limits)


def _share(values: Values, size: int, population: int) -> Estimated:
    return sampled_share(int(values.sum()), size, population)


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table of the page, and with 'further' that of the further shapes."""
    print("| values | sample | normal | right | right of given | no interval | width |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for found in all_covered(SHAPES | (FURTHER if "further" in arguments else {})):
        cells: list[Any] = [found.shape, f"{found.size:,}", f"{100 * found.normal:.0f} %"]
        cells += [f"{100 * found.right:.1f} %"]
        cells += ["-" if np.isnan(found.of_given) else f"{100 * found.of_given:.1f} %"]
        cells += [f"{found.refused / found.repetitions:.0%}".replace("%", " %")]
        cells += ["-" if np.isnan(found.width) else f"{found.width:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
