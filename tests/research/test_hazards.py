"""Proportional hazards of times with give-ups: other programs, planted people, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from click.testing import Result
from epcg_research import statistics
from epcg_research.studies.analysis import How, correlate

from tests.research.test_planted import simulated
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")


def drawn(
    seed: int, persons: int, puzzles: int, slope: float, solved: float = 0.75
) -> tuple[np.ndarray, ...]:
    """People, puzzles, measure, times and give-ups of all people at all puzzles."""
    random = np.random.default_rng(seed)
    hard = random.standard_normal(puzzles)
    times = np.exp(
        slope * hard + random.standard_normal((persons, 1)) + random.gumbel(size=(persons, puzzles))
    )
    limit = float(np.quantile(times, solved))
    who, which = (each.ravel() for each in np.indices(times.shape))
    return who, which, hard[which], np.minimum(times, limit).ravel(), (times > limit).ravel()


def log_likelihood(beta: float, who, x, t, longer) -> float:  # type: ignore[no-untyped-def]
    """Cox's partial likelihood with people as strata, written out; times without ties."""
    total = 0.0
    for i in np.flatnonzero(~longer):
        at_risk = (who == who[i]) & (t >= t[i])
        total += beta * x[i] - math.log(np.exp(beta * x[at_risk]).sum())
    return total


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(2))
def test_the_ratio_is_where_the_partial_likelihood_is_largest(seed: int) -> None:
    from scipy import optimize

    who, which, x, t, longer = drawn(seed, 6, 8, 0.5)
    found = statistics.hazard_ratio(who, which, x, t, longer)
    spread = x[:8].std(ddof=1)
    best = optimize.minimize_scalar(
        lambda beta: -log_likelihood(beta, who, x / spread, t, longer), bounds=(-5, 5), method="bounded",
        options={"xatol": 1e-8},
    )  # fmt: skip
    assert found.value is not None
    assert math.log(found.value) == pytest.approx(float(best.x), abs=1e-4)


def test_errors_are_those_of_the_fits_without_each_puzzle() -> None:
    """One step from the whole fit is near the whole way: the jackknife by another program's fits."""
    from scipy import optimize, stats

    who, which, x, t, longer = drawn(3, 8, 9, 0.4, 0.95)
    found = statistics.hazard_ratio(who, which, x, t, longer)
    scaled = x / x[:9].std(ddof=1)

    def fitted(own: np.ndarray) -> float:
        best = optimize.minimize_scalar(
            lambda beta: -log_likelihood(beta, who[own], scaled[own], t[own], longer[own]), bounds=(-5, 5),
            method="bounded", options={"xatol": 1e-8},
        )  # fmt: skip
        return float(best.x)

    whole = fitted(which >= 0)
    without = np.array([fitted(which != puzzle) for puzzle in range(9)])
    error = math.sqrt(8 / 9 * float(((without - whole) ** 2).sum()))
    assert found.value is not None
    assert found.low is not None
    assert math.log(found.value) == pytest.approx(whole, abs=1e-4)
    half = error * float(stats.t.ppf(0.975, 7))
    assert math.log(found.value / found.low) == pytest.approx(half, rel=0.1)


def test_harder_puzzles_are_solved_at_a_lower_rate_though_many_give_up() -> None:
    for seed in range(2):
        answers, measured = simulated(seed, 0.7, persons=16)
        (found,) = correlate(answers, measured, ["seconds"], How(people="hazards")).found
        assert found.gave_up > 0.35 * len(answers.answers)
        assert found.estimate.value is not None
        assert found.estimate.high is not None
        assert found.estimate.value < 0.8
        assert found.estimate.high < 1
        assert found.estimate.p is not None
        assert found.estimate.p < 0.01


@pytest.mark.parametrize(
    ("studies", "most"),
    [pytest.param(40, 6, marks=pytest.mark.slow), pytest.param(200, 19, marks=pytest.mark.nightly)],
)
def test_where_nothing_is_little_is_found(studies: int, most: int) -> None:
    false = 0
    for seed in range(studies):
        answers, measured = simulated(seed, 0.0, persons=12)
        (found,) = correlate(answers, measured, ["seconds"], How(people="hazards")).found
        assert found.estimate.p is not None
        false += found.estimate.p < 0.05
    assert false <= most, "of more, the chance is below 1 %"


def test_what_has_no_ratio_is_refused_with_a_sentence() -> None:
    who, which = (each.ravel() for each in np.indices((6, 6)))
    x, done = which.astype(float), np.zeros(36, bool)
    random = np.random.default_rng(1)
    for changes, said in (
        ({}, "solves first what has least of the measure, without an exception"),
        ({"measure": -x}, "solves first what has most of the measure"),
        ({"measure": np.ones(36)}, "the measure is 1 throughout"),
        ({"longer": which > 0, "times": random.random(36)}, "puzzles were solved while the same person had"),
        ({"longer": ~done}, "0 puzzles were solved"),
        ({"puzzles": which % 3}, "3 puzzles and 6 people"),
        ({"people": np.zeros(36, int)}, "6 puzzles and 1 people"),
    ):
        asked = {"people": who, "puzzles": which, "measure": x, "times": x + 1, "longer": done} | changes
        found = statistics.hazard_ratio(**asked)
        assert (found.value, found.p, found.low) == (None, None, None)
        assert found.note.startswith("No hazard ratio: ")
        assert said in found.note


def test_the_ratio_on_the_command_line(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.given(toy.query("digits", size=100))
    random = np.random.default_rng(2)
    rows = []
    for who, rank in product(range(8), range(3, 100, 12)):
        took = (rank // 10 + rank % 10) * random.exponential() * (1 + who)
        rows.append(f"p{who},{rank},{min(took, 40):.3f},{int(took <= 40)},{random.integers(1, 6)}")
    (toy.folder / "t.csv").write_text("\n".join(["who,rank,s,done,fun", *rows]) + "\n")
    cli("import", "responses", "t.csv", "--space", "1", "--puzzle", "rank", "--person", "who", "--time",
        "seconds=s[s]", "--finished", "done", "--response", "fun")  # fmt: skip
    asked = ("study", "correlate", "--people", "hazards")
    seconds, fun = json.loads(
        cli(*asked, "--response", "seconds", "--response", "fun", "--format", "json").stdout
    )["found"]
    assert seconds["response"] == "seconds"
    assert 0 < seconds["estimate"]["low"] < seconds["estimate"]["value"] < 1
    assert fun["estimate"]["value"] is None
    said = cli(*asked, "--response", "seconds")
    assert "ratio" in said.stdout
    told = " ".join(said.stderr.split())
    assert "proportional-hazards model (statsmodels' PHReg), 8 people as strata" in told
    assert "one-step jackknife over puzzles" in told
