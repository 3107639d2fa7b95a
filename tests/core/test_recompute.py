"""Computing again by plain code: what a kernel gets wrong is found, and the code is named."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import CheckFailedError, PluginError
from epcg_core.chunks.blocks import Block
from epcg_core.domain import Evaluation, Metric
from epcg_core.execution import WorkFailedError
from epcg_core.runs.recompute import Recomputation
from epcg_core.search.protocol import Checker
from epcg_core.store import Store
from epcg_core.verification.verify import VerifyReport, verify
from tests.workplace import Workplace, looks_away

ARRAYS = """
domain = "numbers"
evaluators = [{ name = "mixed_array" }]
generator = { name = "range", size = 600 }
"""
FUSED = ARRAYS.replace("mixed_array", "mixed_fused")


def off_by_one(genuine: Callable[..., Evaluation]) -> Callable[..., Evaluation]:
    def wrong(*arguments: Any) -> Evaluation:
        found = genuine(*arguments)
        values = [np.asarray(found.values[0]) + 1, *found.values[1:]]
        return Evaluation(values, found.status)

    return wrong


FORMS = [(ARRAYS, "ArrayMixed", "evaluate_states"), (FUSED, "FusedMixed", "evaluate_block")]


@pytest.fixture(params=FORMS, ids=["arrays", "fused"])
def wrong_kernel(request: pytest.FixtureRequest, bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> str:
    """A query whose compiled form gives the plain value + 1; without the check of the first unit."""
    text, name, method = request.param
    kind = getattr(importlib.import_module("epcg_game"), name)
    monkeypatch.setattr(kind, method, off_by_one(getattr(kind, method)))
    return str(text)


def report(bench: Workplace, run_id: int, **more: Any) -> VerifyReport:
    with Store.open(bench.database) as store:
        return verify(store, run_id, **more)


def detail(found: VerifyReport, name: str = "sample") -> str:
    return next(check.detail for check in found.checks if check.name == name)


def test_a_wrong_kernel_stops_the_run_in_its_first_unit(bench: Workplace, wrong_kernel: str) -> None:
    with pytest.raises(CheckFailedError, match=r"the recorded curve is .*, computed again") as error:
        bench.run(wrong_kernel)
    assert "epcg check numbers" in str(error.value)
    assert bench.sql("SELECT count(*) FROM unit WHERE run_id = (SELECT max(id) FROM run)") == [(0,)]


@pytest.mark.sweep
def test_verify_finds_a_wrong_kernel(
    bench: Workplace, wrong_kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks_away(monkeypatch)
    run = bench.run(wrong_kernel).goal
    found = report(bench, run.id, sample=20)
    assert not found.passed
    assert "the recorded curve is" in detail(found)


@pytest.mark.sweep
@pytest.mark.parametrize("text", [ARRAYS, FUSED])
def test_a_right_kernel_agrees(bench: Workplace, text: str) -> None:
    found = report(bench, bench.given(text).goal.id, sample=40)
    assert found.passed
    assert "computed again by plain code, agree" in detail(found)


@pytest.mark.parametrize("draws", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_samples_are_drawn_by_chance_and_can_be_drawn_again(bench: Workplace, draws: int) -> None:
    run = bench.given(ARRAYS).goal
    seeds = {report(bench, run.id, sample=3).seed for _ in range(draws)}
    assert len(seeds) == draws
    seed = seeds.pop()
    again = report(bench, run.id, sample=3, seed=seed)
    assert again.seed == seed
    assert f"drawn with seed {seed} (" in detail(again)


# --- which code ------------------------------------------------------------------------------------------

VALUE = (Metric("value", "real"),)


def solver(value: float, calls: list[int], missing: tuple[str, ...] = ()) -> Any:
    def solve(start: int, count: int) -> Block:
        calls.append(start)
        return Block(start, count, Evaluation([np.full(count, value)]), compiled=missing)

    return solve


def test_plain_code_is_left_out_where_it_would_take_too_long() -> None:
    plain: list[int] = []
    again = Recomputation(Checker(solver(1.0, plain), solver(1.0, [])), VALUE, seconds=0.0)
    assert all(again.difference(rank, [(0, 1.0)]) is None for rank in range(3))
    assert plain == []
    assert again.forms == "by compiled code (3 because plain code would have taken too long)"


def test_plain_code_that_grows_faster_than_compiled_code_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """One rank takes forever, though the ranks before were quick; a part's own `except` does not hold it."""
    monkeypatch.setattr("epcg_core.runs.recompute.GRACE_SECONDS", 0.05)

    def endless(start: int, count: int) -> Block:
        while start == 1:
            with contextlib.suppress(Exception):
                sum(range(100))
        return solver(1.0, [])(start, count)

    again = Recomputation(Checker(endless, solver(1.0, [])), VALUE, seconds=0.3)
    assert all(again.difference(rank, [(0, 1.0)]) is None for rank in range(4))
    assert (
        again.forms == "by plain code (1) and compiled code (3 because plain code would have taken too long)"
    )


def test_without_compiled_code_there_is_no_limit() -> None:
    plain: list[int] = []
    again = Recomputation(Checker(solver(1.0, plain)), VALUE, seconds=0.0)
    assert again.difference(5, [(0, 1.0)]) is None
    assert (plain, again.forms) == ([5], "by plain code")


def test_parts_without_a_plain_form_are_named() -> None:
    again = Recomputation(Checker(solver(1.0, [], ("x",)), solver(1.0, [])), VALUE)
    for rank in range(2):
        again.block(rank)
    assert again.forms == "by compiled code (2 because x has no plain form)"


def test_plain_code_may_round_in_another_order_and_compiled_code_may_not() -> None:
    near = 1 + 1e-12
    both = Recomputation(Checker(solver(near, []), solver(1.0, [])), VALUE)
    assert both.difference(0, [(0, 1.0)]) is None
    assert both.difference(0, [(0, near)]) == f"the recorded value is {near}, computed again 1.0."
    far = Recomputation(Checker(solver(1 + 1e-6, []), solver(1.0, [])), VALUE)
    assert far.difference(0, [(0, 1.0)]) == "the recorded value is 1.0, computed again 1.000001."
    alone = Recomputation(Checker(solver(near, [])), VALUE)
    assert alone.difference(0, [(0, 1.0)]) is not None


# --- parts that fail -------------------------------------------------------------------------------------


def raises(*_: Any) -> Any:
    raise LookupError("a mistake of the author")


@pytest.mark.parametrize("wrong", ["plain", "compiled", "bounds"])
def test_whatever_a_part_raises_is_told_with_the_rank(wrong: str) -> None:
    checker = Checker(solver(1.0, []), solver(1.0, []), bounds=lambda rank: [1.0])
    again = Recomputation(attrs.evolve(checker, **{wrong: raises}), VALUE)
    with pytest.raises(WorkFailedError, match=r"^Rank 7 could not .* LookupError: a mistake of the author"):
        again.bounds(7) if wrong == "bounds" else again.difference(7, [(0, 1.0)])


def test_an_evaluator_without_the_plain_form_that_it_offers_is_named(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(ARRAYS.replace("600", "3"))
    kind = importlib.import_module("epcg_game").ArrayMixed
    monkeypatch.setattr(kind, "plain", raises, raising=False)
    with pytest.raises(PluginError, match=r"evaluator numbers:mixed_array .*raised LookupError"):
        bench.run(ARRAYS)
