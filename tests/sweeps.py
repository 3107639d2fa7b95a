"""Tests whose cases are many of one kind: a few of them run in the fast suite, all in the slow one.

`@pytest.mark.sweep` leaves one case of a parametrized test fast, `@pytest.mark.sweep(3)` three, spread evenly
over its list; the others are marked slow. `python -m tests.sweeps` lists what is left out, beside what stays.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator

import pytest

NAME = "sweep"


def split(items: Iterable[pytest.Item]) -> Iterator[tuple[list[pytest.Item], list[pytest.Item]]]:
    """Yield (what stays fast, what becomes slow) for each test that is a sweep.

    Cases that are slow or nightly by a mark of their own count on neither side.
    """
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        own = any(item.get_closest_marker(name) for name in ("slow", "nightly"))
        if item.get_closest_marker(NAME) is not None and not own:
            cases[item.nodeid.partition("[")[0]].append(item)
    for found in cases.values():
        mark = found[0].get_closest_marker(NAME)
        stay = mark.args[0] if mark is not None and mark.args else 1
        places = {index * len(found) // stay for index in range(stay)} if stay < len(found) else None
        yield (
            [item for index, item in enumerate(found) if places is None or index in places],
            [item for index, item in enumerate(found) if places is not None and index not in places],
        )


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the cases that leave the fast suite slow."""
    for _, moved in split(items):
        for item in moved:
            item.add_marker(pytest.mark.slow)


class _List:
    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, object, object]:
        for stays, moved in split(items):  # before they are marked
            names = ", ".join(item.name for item in stays)
            print(f"{len(moved):5d} slow  {stays[0].nodeid.partition('[')[0]}: {names}")
        return (yield)


if __name__ == "__main__":
    sys.exit(pytest.main(["--collect-only", "-qqq", "-m", "not nightly", *sys.argv[1:]], plugins=[_List()]))
