"""`epcg run` and `epcg resume`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from epcg_core.base.errors import UnknownNameError
from epcg_core.query.named import file_of
from tests.forks.forked import epcg_forked
from tests.workplace import Numbers

TOP = '[[select]]\nmetric = "digits"\ncount = 3\n'


def test_a_run_prints_the_runs_their_metrics_and_what_was_kept(
    toy: Numbers, cli: Callable[..., Result]
) -> None:
    result = cli("run", toy.file("digits", "even", more=TOP))
    lines = [line.split() for line in result.stdout.splitlines()]
    run = next(line for line in lines if line[:1] == ["1"])
    assert run[1:-1] == ["numbers:range?size=100", "exhaustive", "100", "100", "0", "exhaustive", "computed"]
    assert ["1", "digits", "100", "0", "18", "9", "900"] in lines  # 10 x (0 + .. + 9) twice
    assert ["1", "even", "100", "-", "-", "50.00", "%", "50"] in lines
    kept = [line[0] for line in lines if line and line[-1].startswith("numbers:range?size=100#")]
    assert kept[:3] == ["18", "17", "17"]
    assert result.stdout.endswith("numbers:range?size=100#99\n* 99 *\n")
    assert " verify 1\n" in result.stderr
    assert '"done": 100' in result.stderr


def test_json_is_one_document_with_everything(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", "even", more=TOP)
    result = cli("run", query, "--json", "--quiet")
    assert result.stderr == ""
    data = json.loads(result.stdout)
    (run,) = data["runs"]
    assert data["goal"] == run["run"] == 1
    assert (run["candidates"], run["evaluated"], run["coverage"]) == (100, 100, "exhaustive")
    digits, even = run["metrics"]
    assert (digits["min"], digits["max"], digits["total"], digits["mean"]) == (0, 18, 900, 9.0)
    assert (even["kind"], even["valued"], even["total"]) == ("bool", 100, 50)
    (kept,) = data["kept"]
    assert [c["rank"] for c in kept["candidates"]] == [99, 89, 98]
    assert kept["candidates"][0]["scores"] == {"digits": 18, "even": False}
    assert kept["candidates"][0]["puzzle"] == "numbers:range?size=100#99"
    assert run["computed"] is True

    again = json.loads(cli("run", query, "--json", "--quiet").stdout)["runs"][0]
    assert again["computed"] is False
    assert again["digest"] == run["digest"]


def test_array_and_plain_evaluator_record_the_same(toy: Numbers, cli: Callable[..., Result]) -> None:
    plain = json.loads(cli("run", toy.file("digits"), "--json", "--quiet").stdout)
    arrays = json.loads(cli("run", toy.file("digits_array"), "--json", "--quiet").stdout)
    assert arrays["goal"] != plain["goal"]
    assert arrays["runs"][0]["digest"] == plain["runs"][0]["digest"]


def test_the_executor_changes_nothing(toy: Numbers) -> None:
    query, digests = toy.file("digits"), set()
    for executor in ("serial", "processes", "threads"):
        options = ("--executor", executor, "--workers", 2, "--db", f"{executor}.db", "--json", "--quiet")
        done = epcg_forked("run", query, *options, folder=toy.folder)
        assert done.returncode == 0, done.stderr
        (run,) = json.loads(done.stdout)["runs"]
        assert run["evaluated"] == 100
        digests.add(run["digest"])
    assert len(digests) == 1


def test_candidates_without_a_value_are_counted_apart(toy: Numbers, cli: Callable[..., Result]) -> None:
    (run,) = json.loads(cli("run", toy.file("divisor"), "--json", "--quiet").stdout)["runs"]
    (divisor,) = run["metrics"]
    assert (run["evaluated"], divisor["valued"]) == (100, 98)  # 0 and 1 have no divisor above 1
    assert (divisor["min"], divisor["max"]) == (2, 97)


def test_set_changes_the_query(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits")
    cli("run", query, "--set", "generator.size=7", "--db", "seven.db", "--quiet")
    assert "numbers:range?size=7" in cli("runs", "--db", "seven.db").stdout
    assert not toy.database.exists()
    assert "size" in cli("run", query, "--set", "generator.sise=7", code=1).stderr
    assert "key=value" in cli("run", query, "--set", "generator", code=1).stderr


def test_the_database_may_come_from_the_environment(
    toy: Numbers, cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_DB", "other.db")
    cli("run", toy.file("digits"))
    assert (toy.folder / "other.db").exists()
    assert not toy.database.exists()


def test_a_dry_run_records_nothing(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits")
    (new,) = json.loads(cli("run", query, "--dry-run", "--json").stdout)["runs"]
    assert (new["state"], new["candidates"], new["remaining"]) == ("new", 100, 100)
    assert new["bytes"] > 0
    assert [path.name for path in toy.folder.iterdir()] == ["numbers.toml"]

    cli("run", query)
    result = cli("run", query, "--dry-run")
    assert result.stdout.splitlines()[1].split()[2:5] == ["100", "done", "0"]
    assert "recorded already" in result.stderr


def test_an_error_at_a_candidate_names_it_and_how_to_go_on(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("fails", size=40)
    said = cli("run", query, "--executor", "serial", "--quiet", code=3).stderr
    assert "13 brings bad luck" in said
    assert "rank 13" in said
    assert "epcg resume 1" in said
    assert "--on-error record" in said
    assert "Traceback" not in said

    cli("resume", "--quiet", code=3)
    data = json.loads(cli("resume", "--on-error", "record", "--quiet", "--json").stdout)
    (run,) = data["runs"]
    assert (run["run"], run["state"], run["evaluated"]) == (1, "done", 40)
    assert run["metrics"][0]["valued"] == 39
    rows = json.loads(cli("sql", "SELECT rank, note FROM errors", "--format", "json").stdout)
    assert rows == [{"rank": 13, "note": "ValueError: 13 brings bad luck"}]


def test_on_error_record_goes_on_at_once(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("fails", size=40), "--on-error", "record")
    assert "39" in cli("sql", "SELECT valued FROM metrics").stdout


def test_nothing_to_resume(answered: Numbers, cli: Callable[..., Result]) -> None:
    result = cli("resume")
    assert result.stdout == ""
    assert "nothing to resume" in result.stderr
    assert "run 7" in cli("resume", 7, code=1).stderr


def test_resume_makes_no_database(toy: Numbers, cli: Callable[..., Result]) -> None:
    assert "no database" in cli("resume", code=1).stderr
    assert not list(toy.folder.iterdir())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nothing.toml", "no query file 'nothing.toml'"),
        (".", "is a folder"),
        ("numbers/layers", "no query file"),
    ],
)
def test_a_query_that_is_not_there(
    toy: Numbers, cli: Callable[..., Result], text: str, sentence: str
) -> None:
    assert sentence in cli("run", text, code=1).stderr
    assert not toy.database.exists()


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("domain = \nname = 1", "line 1"),
        ('domain = "numbrs"\n[generator]\nname = "range"', "Did you mean 'numbers'?"),
        ('domain = "numbers"\n[generator]\nname = "rang"', "Did you mean 'range'?"),
        ('domain = "numbers"\n[generator]\nname = "range"\nsize = 0', "1 or more"),
        ('domain = "numbers"\n[generator]\nname = "range"\nsize = "9"', "an integer"),
        ('domain = "numbers"\n[generater]\nname = "range"', "Did you mean 'generator'?"),
        ('domain = "numbers"\n[generator]\nname = "range"', "no evaluator"),
        (
            'domain = "numbers"\n[generator]\nname = "range"\nsize = 9223372036854775808\n'
            '[[evaluators]]\nname = "digits"',
            "this integer has more than 63 bits",
        ),
        (
            'domain = "numbers"\n[generator]\nname = "range"\n[[evaluators]]\nname = "digits"\n'
            '[[select]]\nmetric = "digit"',
            "Did you mean 'digits'?",
        ),
    ],
)
def test_mistakes_in_a_query_are_named(
    toy: Numbers, cli: Callable[..., Result], toml: str, sentence: str
) -> None:
    path = toy.folder / "query.toml"
    path.write_text(toml, encoding="utf-8")
    said = cli("run", path, code=1).stderr
    assert said.startswith("Error: ")
    assert sentence in said


def test_queries_that_plugins_ship_are_found_by_name(toy: Numbers) -> None:
    package = toy.folder.parent / "site" / "epcg_toy_package"
    (package / "queries").mkdir(parents=True)
    (package / "__init__.py").write_text("from epcg_toy import *\nfrom epcg_toy import EPCG_API_VERSION\n")
    toy.file("digits", more=TOP).rename(package / "queries" / "sums.toml")
    info = package.parent / "epcg_toy-1.0.dist-info" / "entry_points.txt"
    info.write_text("[epcg]\nnumbers = epcg_toy_package\n")
    done = epcg_forked("run", "numbers/sums", "--quiet", "--json", folder=toy.folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["query"] == "numbers"
    assert "numbers/sums" in epcg_forked("domains", "numbers", folder=toy.folder).stdout
    wrong = epcg_forked("run", "numbers/sum", folder=toy.folder)
    assert wrong.returncode == 1
    assert "Did you mean 'numbers/sums'?" in wrong.stderr


def test_a_sample_of_what_is_complete_is_told(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits")
    assert "nothing to sample" not in cli("run", query, "--sample", 10).stderr
    assert "Run 1 is sampled already: nothing to sample." in cli("run", query, "--sample", 10).stderr
    cli("run", query)
    said = cli("run", query, "--sample", 10)
    assert "reused" in said.stdout
    assert "Run 1 is complete already: nothing to sample.\n" in said.stderr


def test_a_dry_run_of_next_to_nothing_reads_well(toy: Numbers, cli: Callable[..., Result]) -> None:
    said = cli("run", toy.file("digits", size=1), "--dry-run").stderr
    assert "Together 1 candidate, about " in said


def test_a_run_of_an_empty_range_is_computed(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", more="[range]\nstart = 5\nstop = 5")
    assert "computed" in cli("run", query, "--quiet").stdout
    assert "reused" in cli("run", query, "--quiet").stdout


def test_a_query_that_is_neither_a_file_nor_shipped() -> None:
    with pytest.raises(UnknownNameError) as raised:
        file_of("demo/hardes", "query", {"demo/hardest": Path("hardest.toml")})
    assert str(raised.value) == (
        "unknown file or query 'demo/hardes'. Did you mean 'demo/hardest'? Known: demo/hardest."
    )


@pytest.mark.parametrize(("count", "warned"), [(4, True), (5, False), (60, False)])
def test_kept_candidates_that_are_some_of_many_ties_are_spoken_of(
    toy: Numbers, cli: Callable[..., Result], count: int, warned: bool
) -> None:
    ties = f'[[select]]\nmetric = "even"\ndirection = "max"\ncount = {count}\n'  # 50 of 100 are even
    query = toy.file("digits", "even", more=ties)
    result = cli("run", query)
    assert (f"all {count} have the same value, and so have 50 candidates in all" in result.stderr) == warned
    (kept,) = json.loads(cli("run", query, "--json", "--quiet").stdout)["kept"]
    assert kept["tied"] == (50 if warned else None)


def test_a_name_that_no_file_can_have_is_unknown() -> None:
    for name in ("x" * 5000, f"folder/{'y' * 300}.toml"):
        try:
            found = file_of(name, "query", {"demo/hardest": Path("hardest.toml")})
        except UnknownNameError:
            continue
        assert name.endswith(".toml")
        assert found == Path(name)


def test_a_misspelt_rule_of_selection_names_the_nearest(toy: Numbers, cli: Callable[..., Result]) -> None:
    query = toy.file("digits", more='[[select]]\nmetric = "digits"\nkeep = "bst"\n')
    assert "select 1.keep: unknown rule 'bst'. Did you mean 'best'?" in cli("run", query, code=1).stderr


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("found", "started", "called"),
    [
        (True, "/a/b/epcg", "epcg"),
        (False, "/a b/bin/epcg", "'/a b/bin/epcg'"),
        (False, "/a/epcg_core/cli/__main__.py", f"{sys.executable} -m epcg_core.cli"),
    ],
)
def test_what_to_try_next_can_be_pasted(
    toy: Numbers, cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, found: bool, started: str,
    called: str,
) -> None:  # fmt: skip
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/epcg" if found and name == "epcg" else None)
    monkeypatch.setattr("sys.argv", [started, "run"])
    said = cli("run", toy.file("digits")).stderr
    assert f"\n  {called} verify 1\n" in said
