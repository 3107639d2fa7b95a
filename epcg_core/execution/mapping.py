"""Results in order, computed by threads: for functions that release the GIL (digests, decompression)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from epcg_core.execution.factory import default_workers

T = TypeVar("T")
R = TypeVar("R")


def map_in_threads(function: Callable[[T], R], items: Iterable[T], workers: int | None = None) -> Iterator[R]:
    """Yield function(item) for each item, in order, with two items for each worker in memory.

    `workers` are as many as there are cores if none are given. An exception of `function` is raised in its
    turn; items are taken in the caller's thread.
    """
    number = workers or default_workers()
    if number == 1:
        yield from map(function, items)
        return
    source = iter(items)
    first = list(islice(source, 2))
    if len(first) < 2:  # no thread is started for what it cannot do faster
        yield from map(function, first)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(number) as pool:
        try:
            for item in chain(first, source):
                waiting.append(pool.submit(function, item))
                if len(waiting) >= 2 * number:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
