"""`epcg runs`, `epcg show`, `epcg top` and `epcg verify`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

import pytest
from click.testing import Result

from tests.workplace import Numbers

pytestmark = pytest.mark.usefixtures("answered")


def test_runs_lists_all(cli: Callable[..., Result]) -> None:
    rows = [line.split() for line in cli("runs").stdout.splitlines()]
    assert [(row[0], row[1], row[-1]) for row in rows[1:]] == [
        ("1", "numbers:range?size=100", "sums"),
        ("2", "numbers:range?size=100", "divisors"),
    ]
    data = json.loads(cli("runs", "--json").stdout)
    assert [(run["run"], run["state"], run["candidates"]) for run in data] == [
        (1, "done", 100),
        (2, "done", 100),
    ]


def test_show_says_everything_about_a_run(cli: Callable[..., Result]) -> None:
    text = cli("show", 1).stdout
    assert "exhaustive: all 100 ranks, 100 evaluated" in text
    assert "epcg-toy 1.0" in text
    assert "sums" in text
    (digest,) = [line.split()[1] for line in text.splitlines() if line.startswith("Digest")]
    data = json.loads(cli("show", 1, "--json").stdout)
    assert data["digest"] == digest
    assert data["generator"] == {"name": "range", "params": {"size": 100}}
    assert [part["name"] for part in data["evaluators"]] == ["digits", "even", "root"]
    assert [query["name"] for query in data["queries"]] == ["sums"]
    assert data["histograms"]["even"] == [[0, 0, 50], [1, 1, 50]]
    assert sum(number for _, _, number in data["histograms"]["root"]) == 100
    assert len(data["histograms"]["digits"]) == 19


def test_show_draws_distributions_as_bars(cli: Callable[..., Result]) -> None:
    lines = cli("show", 1).stdout.splitlines()
    bars = [line.split() for line in lines[lines.index("digits") + 1 :][:10]]
    assert bars[0][:5] == ["0", "to", "1", "3", "3.00"]  # 0, 1 and 10
    assert bars[4][:4] == ["8", "to", "9", "19"]  # 9 and 10 ways
    assert len(bars[4][-1]) == 40
    assert bars[9][:3] == ["18", "1", "1.00"]


def test_a_run_that_is_not_there(cli: Callable[..., Result]) -> None:
    for name in ("show", "top", "verify"):
        assert "no run 9 in the database: it has runs 1 to 2" in cli(name, 9, code=1).stderr
    cli("show", "first", code=2)


def test_runs_of_a_part_of_a_space_say_so(
    toy: Numbers, cli: Callable[..., Result], answered: Numbers
) -> None:
    cli("run", toy.file("digits", name="part", more="[range]\nstart = 10\nstop = 30"), "--quiet")
    assert "semi-exhaustive: ranks 10 to 29 of 100, 20 evaluated" in cli("show", 3).stdout
    odd = '[filter]\nmetric = "even"\nmax = 0\nrun = 4\n'
    cli("run", toy.file("even", name="even"), "--quiet")
    cli("run", toy.file("digits", name="odd", more=odd), "--quiet")
    assert "semi-exhaustive: all 100 ranks, 50 evaluated, 50 excluded by the filter" in cli("show", 5).stdout
    assert "run 4" in cli("show", 5).stdout


# --- top


def ranks(result: Result) -> list[int]:
    return [row["rank"] for row in json.loads(result.stdout)]


def test_top_is_ordered_by_value_then_rank(cli: Callable[..., Result]) -> None:
    assert ranks(cli("top", 1, "--count", 4, "--format", "json")) == [99, 89, 98, 79]
    assert ranks(cli("top", 1, "--direction", "min", "--count", 3, "--format", "json")) == [0, 1, 10]
    assert ranks(cli("top", 1, "--metric", "root", "--count", 2, "--format", "json")) == [99, 98]


def test_top_of_candidates_without_a_value_has_none_of_them(cli: Callable[..., Result]) -> None:
    assert ranks(cli("top", 2, "--count", 3, "--format", "json")) == [2, 4, 6]
    assert len(ranks(cli("top", 2, "--count", 1000, "--format", "json"))) == 98


def test_top_distinct_keeps_one_of_equal_candidates(cli: Callable[..., Result]) -> None:
    assert ranks(cli("top", 1, "--distinct", "--count", 4, "--format", "json")) == [99, 89, 79, 88]


def test_top_as_csv_and_table(cli: Callable[..., Result]) -> None:
    assert cli("top", 1, "--count", 1, "--format", "csv").stdout == (
        "rank,digits,even,root,puzzle\n99,18,0,9.9498743710662,numbers:range?size=100#99\n"
    )
    header, row = cli("top", 1, "--count", 1).stdout.splitlines()
    assert header.split() == ["rank", "digits", "even", "root", "puzzle"]
    assert row.split() == ["99", "18", "no", "9.94987", "numbers:range?size=100#99"]


def test_top_of_an_unknown_metric_names_the_nearest(cli: Callable[..., Result]) -> None:
    assert "Did you mean 'digits'?" in cli("top", 1, "--metric", "digit", code=1).stderr


# --- verify


def test_verify_proves_every_check(cli: Callable[..., Result]) -> None:
    data = json.loads(cli("verify", 1, "--sample", 50, "--seed", 3, "--json").stdout)
    assert data["passed"]
    assert all(check["passed"] for check in data["checks"])
    names = [check["name"] for check in data["checks"]]
    assert {"coverage", "chunks", "sample"} <= set(names)
    lines = cli("verify", 1).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["ok"] * len(names)
    assert lines[-1].startswith("Not covered: times, CPU seconds, ")


def test_a_changed_byte_is_found(cli: Callable[..., Result], answered: Numbers) -> None:
    with sqlite3.connect(answered.database) as connection:
        (data,) = connection.execute("SELECT data FROM score_chunk WHERE id = 2").fetchone()
        changed = bytes([data[0] ^ 1]) + data[1:]
        connection.execute("UPDATE score_chunk SET data = ? WHERE id = 2", (changed,))
    result = cli("verify", 1, code=4)
    assert "FAILED" in result.stdout
    assert "not what it claims" in result.stderr
    assert json.loads(cli("verify", 1, "--json", code=4).stdout)["passed"] is False
    cli("verify", 2)


def test_runs_with_other_evaluators_are_told_apart_by_their_names(
    toy: Numbers, cli: Callable[..., Result]
) -> None:
    cli("run", toy.file("digits", name="one"))
    cli("run", toy.file("even", name="two"))
    differs = [run["differs"] for run in json.loads(cli("runs", "--json").stdout)]
    assert differs[-2:] == [{"digits": True}, {"even": True}]
    assert "differs in" in cli("runs").stdout
    assert "true" not in cli("runs").stdout
