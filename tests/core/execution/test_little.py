"""Little work: compiled code that is there, else plain code that makes few calls, else compiled code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epcg_core.compiled import njit
from epcg_core.execution.little import Little, UnfitError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is computed in forks")


@njit
def squared(number):
    return number * number


def one(number: int) -> int:
    return number


def by_kernel() -> str:
    return f"compiled {squared(7)}"


def plainly() -> str:
    return f"plain {sum(map(one, [7] * 7))}"


def everlasting() -> str:
    while True:
        one(1)


def stubborn() -> str:
    while True:
        try:
            everlasting()
        except BaseException:  # a part that takes any exception for its own
            return "plain, wrong"


def unfit() -> str:
    raise UnfitError


def faulty() -> str:
    raise ZeroDivisionError("a fault of the plugin")


@pytest.fixture(autouse=True)
def nothing_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    squared._reset_overloads()


def test_plain_code_answers_first_and_compiled_code_once_it_is_there() -> None:
    assert Little().answer(by_kernel, plainly) == "plain 49"
    assert squared(2) == 4
    assert Little().answer(by_kernel, plainly) == "compiled 49"


@pytest.mark.parametrize("plain", [everlasting, stubborn, unfit, faulty, by_kernel])
def test_compiled_code_answers_what_plain_code_does_not(plain: object) -> None:
    assert Little(1000).answer(by_kernel, plain) == "compiled 49"


def test_a_fault_of_compiled_code_is_told() -> None:
    with pytest.raises(ZeroDivisionError, match="a fault of the plugin"):
        Little().answer(faulty, plainly)


def test_an_answer_takes_half_of_the_calls_that_are_left() -> None:
    little = Little(1000)
    assert little._of_plain_code(everlasting) is None
    assert little._left == 500
    assert little._of_plain_code(plainly) is not None
    assert 400 < little._left < 500


def test_nothing_is_left_half_done() -> None:
    begun: list[int] = []

    def appends() -> str:
        begun.append(1)
        return everlasting()

    assert Little(100).answer(by_kernel, appends) == "compiled 49"
    assert begun == []
