"""A part that fails is named, as it is registered, with its plugin; one that calls sys.exit has failed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faces import only
from tests.whole.faults.place import Faults
from tests.workplace import ask_sql

SOURCE = Path(__file__).with_name("parts_plugin.py")
BAD = 57


@pytest.fixture
def faulty(
    place: Faults, install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch
) -> Faults:
    monkeypatch.setenv("EPCG_PLUGINS", only("faulty"))
    install_plugin("faulty", "epcg_faulty", SOURCE.read_text(encoding="utf-8"), "epcg-faulty")
    return place


def query(place: Faults, generator: str, evaluator: str, more: str = "") -> Path:
    path = place.folder / "faulty.toml"
    path.write_text(
        f'domain = "faulty"\ngenerator = {{ name = "{generator}" }}\n'
        f'[[evaluators]]\nname = "{evaluator}"\n{more}\n'
    )
    return path


def error_of(place: Faults, generator: str, evaluator: str, *options: object, code: int = 1) -> str:
    """The first line of what a run says that fails with this exit code."""
    said = place.epcg("run", query(place, generator, evaluator), "--quiet", *options)
    assert said.exit_code == code, said
    assert said.stdout == ""
    assert "Traceback" not in said.stderr
    return said.stderr.splitlines()[0]


# --- sys.exit


@pytest.mark.sweep(2)
@pytest.mark.parametrize("status", [0, 3])
@pytest.mark.parametrize("executor", ["serial", "processes", "threads"])
def test_an_evaluator_that_calls_exit_has_failed(
    faulty: Faults, monkeypatch: pytest.MonkeyPatch, executor: str, status: int
) -> None:
    monkeypatch.setenv("EPCG_TEST_EXIT", str(status))
    assert (
        error_of(faulty, "sound", "exits", "--executor", executor, "--workers", 1, code=3)
        == f"Error: The evaluator faulty:exits raised SystemExit: {status} at rank {BAD}."
    )
    assert ask_sql(faulty.database, "SELECT state FROM run") == [("stopped",)]


def test_its_candidate_is_recorded_like_any_at_fault(faulty: Faults) -> None:
    said = faulty.epcg("run", query(faulty, "sound", "exits"), "--on-error", "record", "--quiet")
    assert said.exit_code == 0, said.stderr
    assert ask_sql(faulty.database, "SELECT rank, note FROM errors") == [(BAD, "SystemExit: 0")]


def test_a_generator_that_calls_exit_has_failed(faulty: Faults) -> None:
    assert (
        error_of(faulty, "exits", "size", code=3)
        == f"Error: The generator faulty:exits raised SystemExit: 0 at rank {BAD}."
    )


def test_a_factory_that_calls_exit_has_failed(faulty: Faults) -> None:
    assert (
        error_of(faulty, "sound", "exits_made")
        == "Error: The evaluator faulty:exits_made (plugin epcg-faulty 1.0) raised SystemExit: 0."
    )
    said = faulty.epcg("run", query(faulty, "sound", "exits_made"), "--dry-run")
    assert said.exit_code == 1


@pytest.mark.parametrize(
    "laws", [["unrank-repeats", "values-fit-metrics"], pytest.param([], marks=pytest.mark.slow)]
)
def test_a_check_goes_on_when_a_part_calls_exit(faulty: Faults, laws: list[str]) -> None:
    options = [each for law in laws for each in ("--law", law)]
    said = faulty.epcg("check", "faulty", "--samples", 1000, "--json", *options)
    assert said.exit_code == 4
    found = [violation for law in json.loads(said.stdout)["laws"] for violation in law["violations"]]
    ended = {(one["where"], one["rank"]) for one in found if "it raised SystemExit: 0" in one["what"]}
    assert {("faulty:exits", BAD), ("faulty:sound by exits", BAD)} <= ended


def test_a_check_goes_on_when_a_part_ends_the_process(
    faulty: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_TEST_ENDS", "")
    laws = ("ranks-are-exact", "values-fit-metrics", "unrank-repeats")
    options = [each for law in laws for each in ("--law", law)]
    said = faulty.epcg("check", "faulty", "--samples", 1000, "--json", *options)
    assert said.exit_code == 4
    told = {law["law"]: law for law in json.loads(said.stdout)["laws"]}
    assert list(told) == ["ranks-are-exact", "unrank-repeats", "values-fit-metrics"]
    assert told["ranks-are-exact"]["status"] == "broken"  # of a fraction
    (ended,) = [v for v in told["values-fit-metrics"]["violations"] if "ended the process" in v["what"]]
    assert ended["where"] == "faulty:sound by ends"
    assert ended["what"].startswith("a part ended the process without an answer")
    assert "The domain faulty breaks" in said.stderr


# --- generators and factories


@pytest.mark.parametrize(
    ("generator", "evaluator", "sentence"),
    [
        ("initraises", "size",
         "The generator faulty:initraises (plugin epcg-faulty 1.0) raised RuntimeError: it broke."),
        ("sound", "factoryraises",
         "The evaluator faulty:factoryraises (plugin epcg-faulty 1.0) raised RuntimeError: evaluator broke."),
        ("norank", "size", "The generator faulty:norank (plugin epcg-faulty 1.0) has no max_rank."),
        ("nounrank", "size", "The generator faulty:nounrank (plugin epcg-faulty 1.0) has no unrank."),
        ("sound", "noevaluate", "The evaluator faulty:noevaluate (plugin epcg-faulty 1.0) has no evaluate."),
        ("fraction", "size", "The generator faulty:fraction (plugin epcg-faulty 1.0): its max_rank must be a "
         "whole number of 0 or more, not 10.5."),
        ("negative", "size", "The generator faulty:negative (plugin epcg-faulty 1.0): its max_rank must be a "
         "whole number of 0 or more, not -5."),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_made_is_named(
    faulty: Faults, generator: str, evaluator: str, sentence: str
) -> None:
    assert error_of(faulty, generator, evaluator) == f"Error: {sentence}"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("generator", "evaluator", "what"),
    [
        ("unrankraises", "size", f"no state for {BAD}"),
        ("bumpy", "array", f"no state for {BAD}"),
        ("stumbles", "size", f"no state after {BAD - 1}"),
    ],
)
def test_a_generator_at_fault_is_not_blamed_on_the_evaluator(
    faulty: Faults, generator: str, evaluator: str, what: str
) -> None:
    assert (
        error_of(faulty, generator, evaluator, code=3)
        == f"Error: The generator faulty:{generator} raised ValueError: {what} at rank {BAD}."
    )


def test_values_that_do_not_fit_are_those_of_an_evaluator_at_a_rank(faulty: Faults) -> None:
    assert error_of(faulty, "sound", "odd").startswith(
        "Error: The evaluator faulty:odd returned values at rank 7 that do not fit its metrics size (int): "
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("evaluator", ["two", "two_array"])
@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_a_bool_is_not_any_integer(faulty: Faults, evaluator: str, executor: str) -> None:
    said = faulty.epcg("run", query(faulty, "sound", evaluator), "--quiet", "--executor", executor)
    assert said.exit_code == 1
    first, second = said.stderr.splitlines()[:2]
    assert first == (
        f"Error: The evaluator faulty:{evaluator} returned values at rank {BAD} that do not fit its metrics "
        "fair (bool): fair is true or false and cannot be 2: give bool(...)."
    )
    assert second == "The code at fault is of the plugin epcg-faulty 1.0."


# --- renderers

BEST = '[[select]]\nmetric = "size"\nkeep = "best"'
RENDERER = "The renderer faulty:text (plugin epcg-faulty 1.0)"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("raises", f"{RENDERER} raised RuntimeError: renderer broke."),
        ("exits", f"{RENDERER} raised SystemExit: 0."),
        ("int", f"{RENDERER} returned 12: a renderer returns a string."),
    ],
)
def test_a_renderer_that_fails_does_not_make_a_run_fail(
    faulty: Faults, monkeypatch: pytest.MonkeyPatch, how: str, sentence: str
) -> None:
    monkeypatch.setenv("EPCG_TEST_DRAWS", how)
    said = faulty.epcg("run", query(faulty, "sound", "size", BEST), "--quiet")
    assert said.exit_code == 0, said.stderr
    assert "Kept by 'best by size': 1" in said.stdout
    assert said.stderr == f"Warning: {sentence}\n"
    said = faulty.epcg("render", "faulty:sound#5")
    assert (said.exit_code, said.stdout) == (1, "")
    assert re.fullmatch(
        rf"Error: {re.escape(sentence)}\n(The code at fault is epcg_faulty.py:\d+\.\n)?", said.stderr
    )


def test_a_renderer_may_give_bytes(faulty: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_TEST_DRAWS", "bytes")
    assert faulty.epcg("render", "faulty:sound#5").stdout == "drawn\n"


def test_a_generator_that_fails_under_a_renderer_is_named(faulty: Faults) -> None:
    said = faulty.epcg("render", f"faulty:exits#{BAD}")
    assert said.exit_code == 1
    assert said.stderr.startswith(
        "Error: The generator faulty:exits (plugin epcg-faulty 1.0) raised SystemExit: 0.\n"
    )
