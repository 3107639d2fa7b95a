"""Studies: people who were simulated are found out, baselines stand beside, and real people are as known."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_research.studies.analysis import How, correlate, halves
from epcg_research.studies.answers import Answer, Answers, Response
from epcg_research.studies.measures import Measure

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from tests.workplace import Numbers, shared

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

SPACE = "numbers:range?size=100"


def people(seed: int, slope: float, puzzles: int = 30, persons: int = 12) -> tuple[Answers, list[Measure]]:
    """People whose ratings follow the measure 'true' with a slope, and never 'chance'."""
    random = np.random.default_rng(seed)
    true, chance = random.standard_normal(puzzles), random.standard_normal(puzzles)
    hard = slope * true + 0.5 * random.standard_normal(puzzles)
    ratings = hard + random.standard_normal((persons, 1)) + random.standard_normal((persons, puzzles))
    answers = tuple(
        Answer(f"p{who}", ("s", which), {"fun": float(ratings[who, which])})
        for who, which in np.ndindex(persons, puzzles)
    )
    values = {"true": true, "chance": chance}
    measured = [
        Measure(name, (1,), {("s", i): float(v) for i, v in enumerate(own)}) for name, own in values.items()
    ]
    return Answers("simulated", (Response("fun"),), answers), measured


@pytest.mark.sweep(4)
@pytest.mark.parametrize("way", ["median", "mean", "ranks", "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_what_was_put_in_is_found_and_nothing_else(way: Any, seed: int) -> None:
    true, chance = correlate(*people(seed, 0.8), how=How(people=way)).found
    assert true.adjusted is not None
    assert chance.adjusted is not None
    assert true.adjusted < 0.01
    assert chance.adjusted > 0.05
    assert true.estimate.low is not None
    assert true.estimate.low > 0
    assert (true.puzzles, true.people, true.left_out) == (30, 12, 0)


@pytest.mark.parametrize(
    ("count", "most"),
    [(2, 1), *(pytest.param(*counts, marks=pytest.mark.slow) for counts in ((4, 1), (40, 5)))],
)
def test_nothing_is_rarely_found_where_nothing_is(count: int, most: int) -> None:
    """Of 40 studies with two measures, Holm's adjustment keeps a false finding to 5 % of the studies."""
    studies = [correlate(*people(seed, 0.0, puzzles=15, persons=4)).found for seed in range(count)]
    false = sum(any(f.adjusted is not None and f.adjusted < 0.05 for f in found) for found in studies)
    assert false <= most, "of more than 5 of 40, and of more than 1 of up to 4, the chance is below 2 %"


def test_the_half_that_people_like_is_found() -> None:
    answers, measured = people(3, 1.0)
    true, chance = halves(answers, measured)
    assert (true.upper, true.lower, true.people) == (15, 15, 12)
    for part in (true.within, true.share, true.between):
        assert part.value is not None
        assert part.p is not None
        assert part.value > 0.4
        assert part.p < 0.01
    assert chance.between.p is not None
    assert chance.between.p > 0.05
    (none, _) = halves(answers, measured, at=99.0)
    assert (none.upper, none.people, none.between.value, none.within.value) == (0, 0, None, None)


def test_a_baseline_stands_beside_each_measure_and_is_not_adjusted_for() -> None:
    answers, (true, chance) = people(4, 0.8)
    base = Measure("moves", (1,), chance.values, "length of a solution")
    found = correlate(answers, [true, base], how=How(resample="both", repetitions=200))
    assert [(f.metric, f.adjusted is None) for f in found.found] == [("true", False), ("moves", True)]
    (beside,) = found.beside
    assert (beside.metric, beside.other) == ("true", "moves (length of a solution)")
    assert beside.estimate.low is not None
    assert beside.estimate.low > 0, "the measure correlates more than the baseline"
    assert beside.resampled is not None
    assert beside.resampled.low is not None
    assert found.found[0].adjusted == found.found[0].estimate.p


def test_three_people_and_a_constant_measure_are_told() -> None:
    answers, measured = people(5, 0.8, persons=3)
    constant = Measure("flat", (1,), dict.fromkeys(measured[0].values, 1.0))
    true, flat = correlate(answers, [measured[0], constant], how=How(resample="people")).found
    assert true.estimate.low is None
    assert "3 people, and resampling takes 4" in true.estimate.note
    assert (flat.estimate.value, flat.adjusted) == (None, None)
    assert "is 1 for all 30" in flat.estimate.note


# --- a database -------------------------------------------------------------------------------------------


@pytest.fixture
def asked(toy: Numbers, cli: Callable[..., Any]) -> Numbers:
    """Six people rate twenty numbers by the sum of their digits, each in their own way."""
    toy.given(toy.query("digits", "root", "even", size=100))
    random = np.random.default_rng(1)
    lines = ["who,rank,fun,total"]
    for who in range(6):
        for rank in range(0, 100, 5):
            fun = min(10, max(0, rank // 10 + rank % 10 - who + int(random.integers(-2, 3))))
            lines.append(f"p{who},{rank},{fun},{1000 + 100 * rank}")
    (toy.folder / "fun.csv").write_text("\n".join(lines) + "\n")
    cli(
        "import", "responses", "fun.csv", "--space", "1", "--puzzle", "rank", "--person", "who", "--response",
        "fun:0..10", "--time", "seconds=total[ms]",
    )  # fmt: skip
    return toy


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_correlations_on_the_command_line(asked: Numbers, cli: Callable[..., Any]) -> None:
    said = cli("study", "correlate", "--response", "fun")
    assert "digits" in said.stdout
    told = " ".join(said.stderr.split())
    assert "Study 'fun': 120 answers of 6 people to 20 puzzles; 0 of puzzles without a measure" in told
    assert "adjusted for 3 tests by Holm" in told
    assert "n = 20. 95 % interval: Fisher's z" in told
    assert "Assumes pairs that are independent of each other" in told
    found = rows(cli("study", "correlate", "--format", "csv").stdout)
    assert [(r["metric"], r["with"]) for r in found][:2] == [("digits", "fun"), ("digits", "seconds")]
    by = {(r["metric"], r["with"]): r for r in found}
    assert float(by["digits", "fun"]["rho"]) > 0.8
    assert float(by["root", "seconds"]["rho"]) == pytest.approx(1.0)
    assert by["root", "seconds"]["lowest"] == ""
    beside = json.loads(
        cli("study", "correlate", "--response", "fun", "--baseline", "root", "--format", "json").stdout
    )["beside"]
    assert [(each["metric"], each["other"]) for each in beside] == [
        ("digits", "root (root)"),
        ("even", "root (root)"),
    ]
    mixed = cli("study", "correlate", "--response", "fun", "--metric", "digits", "--people", "mixed")
    assert "slope" in mixed.stdout
    assert "crossed random intercepts" in mixed.stderr
    drawn = cli(
        "study",
        "correlate",
        "--response",
        "fun",
        "--metric",
        "digits",
        "--bootstrap",
        "both",
        "--repetitions",
        "50",
    )
    assert "50 resamples; it speaks of other people and other puzzles" in " ".join(drawn.stderr.split())
    assert "unknown response 'funny'" in cli("study", "correlate", "--response", "funny", code=1).stderr
    assert "unknown metric 'digit'" in cli("study", "correlate", "--metric", "digit", code=1).stderr


def test_comparisons_on_the_command_line(asked: Numbers, cli: Callable[..., Any]) -> None:
    said = cli(
        "study",
        "compare",
        "digits",
        "root",
        "--response",
        "fun",
        "--bootstrap",
        "puzzles",
        "--repetitions",
        "99",
    )
    assert len(said.stdout.splitlines()) == 3
    assert "Zou 2007" in said.stderr
    (row,) = rows(cli("study", "compare", "digits", "root", "--response", "fun", "--format", "csv").stdout)
    assert float(row["difference"]) == pytest.approx(float(row["one"]) - float(row["other"]))
    assert float(row["lowest"]) > 0
    assert json.loads(
        cli("study", "compare", "digits", "root", "--response", "fun", "--format", "json").stdout
    )["first"] == float(row["one"])


def test_pairs_on_the_command_line(asked: Numbers, cli: Callable[..., Any]) -> None:
    found = rows(
        cli(
            "study", "pairs", "--response", "fun", "--metric", "digits", "--at", "9", "--format", "csv"
        ).stdout
    )
    assert [(r["compared"], r["puzzles"]) for r in found] == [
        ("within people: rank-biserial", "5 and 15"), ("share of people", "5 and 15"),
        ("between puzzles: Cliff's delta", "5 and 15"),
    ]  # fmt: skip
    assert found[0]["effect"] == found[1]["effect"] == "1.0"
    told = cli("study", "pairs", "--response", "fun").stderr
    for words in ("signed-rank", "rank-sum", "Wilson", "'-': No interval: all 6 differences have one sign"):
        assert words in told


def test_power_on_the_command_line(asked: Numbers, cli: Callable[..., Any]) -> None:
    asked_for = ("study", "power", "correlation", "--puzzles", "12", "--people", "5", "--rho", "0.9")
    (row,) = rows(cli(*asked_for, "--repetitions", "50", "--format", "csv").stdout)
    assert float(row["power"]) > 0.8
    said = cli("study", "power", "pairs", "--pairs", "40", "--share", "0.8")
    assert "Wilson 1927, over the simulated studies" in " ".join(said.stderr.split())
    assert "not from -1 to 1" in cli(*asked_for[:-1], "2", code=1).stderr


def test_in_python_a_study_shows_itself(asked: Numbers) -> None:
    study = epcg.open(asked.database).study()
    found = study.correlate("fun", metrics=["digits"])
    assert found.table.columns[:3] == ("run", "metric", "with")
    assert found.data.found[0].estimate.value == found.table.rows[0][5]
    assert any("Bonett & Wright" in note for note in found.notes)
    assert "<p>" in found._repr_html_()
    assert study.compare("digits", "root", "fun").data.estimate.n == 20
    assert len(study.pairs("fun", metrics=["digits"]).table) == 3
    with pytest.raises(EpcgError, match="people must be"):
        study.correlate("fun", people="mode")


# --- real people ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_tower_of_london_gives_what_is_known(toy: Numbers, cli: Callable[..., Any]) -> None:
    """477 people and 25 problems: the fewest moves and the median of the time correlate by 0.883.

    That is asked with the fast tests, too: the table tower-of-london/times in test_publications.py.
    """
    folder = shared("data/tower_of_london")
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    toy.given(toy.query("digits", "root", size=25))
    problems = json.loads((folder / "problems.json").read_text())["problems"]
    moves = {"rank": [p["problem"] for p in problems], "moves": [p["fewest_moves"] for p in problems]}
    parquet.write_table(pa.table(moves), toy.folder / "moves.parquet")
    cli("import", "parquet", "1", "moves.parquet", "--ranks")
    Path(toy.folder / "tower.csv").write_bytes(gzip.decompress((folder / "attempts.csv.gz").read_bytes()))
    command = (
        "import", "responses", "tower.csv", "--space", "1", "--puzzle", "problem", "--person", "person",
        "--time", "seconds=milliseconds[ms]", "--order", "order",
    )  # fmt: skip
    said = " ".join(cli(*command, code=1).stderr.split())
    assert "line 3248, column 'milliseconds': -29866 is negative: the clock went back" in said
    lines = (toy.folder / "tower.csv").read_text().splitlines()
    lines[3247] = lines[3247].replace("-29866", "")
    (toy.folder / "tower.csv").write_text("\n".join(lines))
    said = cli(*command)
    assert "11,925 answers of 477 people to 25 puzzles" in said.stderr
    study = epcg.open(toy.database).study()
    (found,) = study.correlate("seconds", metrics=["moves"]).data.found
    assert round(found.estimate.value, 3) == 0.883
    assert (found.puzzles, found.people, found.left_out) == (25, 477, 1)
    (drawn,) = study.correlate("seconds", metrics=["moves"], bootstrap="both").data.found
    assert drawn.estimate.value == found.estimate.value
    assert drawn.estimate.low > 0.5
    (mixed,) = study.correlate("seconds", metrics=["moves"], people="mixed").data.found
    assert mixed.estimate.low > 0
