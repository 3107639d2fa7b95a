"""Results in order by threads: bounded, lazy, and errors in their turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from epcg_core.execution import map_in_threads


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_order_and_few_items_wait(workers: int) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(1, 101):
            taken = number
            yield number

    for number, square in enumerate(map_in_threads(lambda n: n * n, items(), workers), 1):
        assert square == number * number
        assert taken <= number + 2 * workers


def test_an_error_is_raised_in_its_turn_and_ends_the_threads() -> None:
    def reciprocal(number: int) -> float:
        return 1 / number

    before = set(threading.enumerate())
    found = map_in_threads(reciprocal, [1, 2, 0, 4], 2)
    assert [next(found), next(found)] == [1.0, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert set(threading.enumerate()) <= before


def test_for_one_item_no_thread_is_started() -> None:
    assert list(map_in_threads(lambda _: threading.current_thread(), ["one"], 2)) == [
        threading.current_thread()
    ]
    assert list(map_in_threads(str, [], 2)) == []
