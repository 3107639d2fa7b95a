"""Runs that are not finished answer as far as they are, and say of how many candidates."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from click.testing import Result
from epcg_workbench.jobs import answer

import epcg_core as epcg
from tests.workplace import Numbers, needs

SO_FAR = "100 of 5,000 candidates, drawn by chance"


@pytest.fixture
def sampled(toy: Numbers, cli: Callable[..., Result]) -> epcg.Run:
    cli("run", toy.file("digits", "root", size=5000), "--sample", 100, "--quiet")
    return epcg.open(toy.database).run(1)


def test_values_of_a_sample(sampled: epcg.Run) -> None:
    ranks, values = sampled.values("digits")
    assert values.tolist() == [sum(map(int, str(rank))) for rank in ranks.tolist()]
    assert len(values) == 100
    best = sampled.best("digits", 3)
    assert [puzzle.values["digits"] for puzzle in best] == sorted(values.tolist())[:-4:-1]
    lower, equal = (values < 10).sum(), (values == 10).sum()
    assert sampled.percentile("digits", 10) == 100 * (lower + equal / 2) / 100


def test_sql_over_a_sample(sampled: epcg.Run) -> None:
    _, values = sampled.values("digits")
    asked = "SELECT count(*), max(value), epcg_quantile(1, 'digits', 0.5) FROM scores WHERE metric = 'digits'"
    assert sampled.database.sql(asked).rows == ((100, max(values), sorted(values)[49]),)
    (row,) = sampled.database.sql("SELECT coverage, evaluated, candidates FROM runs")
    assert row == ("partial", 100, 5000)


def test_the_best_of_a_sample_are_of_so_many(sampled: epcg.Run, cli: Callable[..., Result]) -> None:
    told = cli("top", 1, "--metric", "digits", "--count", 2, "--format", "json")
    best = [row["digits"] for row in json.loads(told.stdout)]
    assert best == sorted(sampled.values("digits")[1].tolist())[:-3:-1]
    assert f"Of {SO_FAR}." in told.stderr


@needs("matplotlib")
def test_the_distribution_of_a_sample_is_drawn(sampled: epcg.Run, cli: Callable[..., Result]) -> None:
    assert SO_FAR in sampled.plot("digits").svg
    cli("plot", 1, "--metric", "digits", "--output", "plot.svg")


def test_a_run_that_stopped_says_how_far_it_is(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.cut(unit_size=64)
    with pytest.raises(Exception, match="brings bad luck"):
        toy.run(toy.query("digits", more='[[evaluators]]\nname = "fails"\nrank = 150\n', size=300))
    assert "Of 128 of 300 candidates so far." in cli("top", 1, "--metric", "digits").stderr
    assert epcg.open(toy.database).run(1).values("digits")[1].shape == (128,)


def test_what_a_sample_tells_of_all_has_its_interval(sampled: epcg.Run, cli: Callable[..., Result]) -> None:
    """The mean of the digits' sums below 5,000 is 15.5; the workbench and a puzzle's place say so."""
    wish = {"metric": "digits", "keep": "highest"}
    told, *_ = answer({"do": "recorded", "db": str(sampled.database.location), "run": 1, "wish": wish})
    assert told["so_far"] == SO_FAR
    assert "Of all candidates, with 95% confidence each: " in told["of_all"]
    low, high = (float(n) for n in re.findall(r"the mean is ([\d.]+) to ([\d.]+)", told["of_all"])[0])
    assert low < 15.5 < high
    assert re.search(r"at most [\d,]+ are better than the best of these\.$", told["of_all"])
    told = cli("score", "numbers:range?size=5000#99", "--json").stdout
    (place,) = next(m for m in json.loads(told)["measures"] if m["measure"] == "digits")["standings"]
    low, high = (float(n) for n in re.findall(r"of all, ([\d.]+)% to ([\d.]+)% are lower", place["among"])[0])
    assert low < 100 * sum(sum(map(int, str(n))) < 18 for n in range(5000)) / 5000 < high
