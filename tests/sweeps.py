"""Tests whose cases are many of one kind: a few of them run in the fast suite, more in the slow one.

`@pytest.mark.sweep` leaves one case of a parametrized test fast, `@pytest.mark.sweep(3)` three, spread evenly
over its list; the others are marked slow, of those with `@pytest.mark.sweep(3, slow=10)` seven, and the rest
nightly. `python -m tests.sweeps` lists what is left out, beside what stays.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator

import hypothesis
import pytest

NAME = "sweep"


Cases = list[pytest.Item]


def most(examples: int) -> int:
    """Return how many examples of a law are tried: at most as many as the suite that runs tries of others."""
    return min(examples, hypothesis.settings().max_examples)


def split(items: Iterable[pytest.Item]) -> Iterator[tuple[Cases, Cases, Cases]]:
    """Yield (what stays fast, what becomes slow, what becomes nightly) for each test that is a sweep.

    Cases that are slow or nightly by a mark of their own count on neither side.
    """
    cases = defaultdict[str, Cases](list)
    for item in items:
        own = any(item.get_closest_marker(name) for name in ("slow", "nightly"))
        if item.get_closest_marker(NAME) is not None and not own:
            cases[item.nodeid.partition("[")[0]].append(item)
    for found in cases.values():
        mark = found[0].get_closest_marker(NAME)
        assert mark is not None
        fast, rest = _spread(found, mark.args[0] if mark.args else 1)
        yield fast, *_spread(rest, mark.kwargs.get("slow", len(found)) - len(fast))


def _spread(cases: Cases, count: int) -> tuple[Cases, Cases]:
    """Return a given number of cases, spread evenly over the list, and the others."""
    if count >= len(cases):
        return cases, []
    places = {index * len(cases) // count for index in range(count)}
    return (
        [case for index, case in enumerate(cases) if index in places],
        [case for index, case in enumerate(cases) if index not in places],
    )


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the cases that leave the fast suite slow or nightly."""
    for _, slow, nightly in split(items):
        for name, moved in (("slow", slow), ("nightly", nightly)):
            for item in moved:
                item.add_marker(name)


class _List:
    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, object, object]:
        for stays, slow, nightly in split(items):  # before they are marked
            names = ", ".join(item.name for item in stays)
            test = [*stays, *slow][0].nodeid.partition("[")[0]
            print(f"{len(slow):5d} slow {len(nightly):5d} nightly  {test}: {names}")
        return (yield)


if __name__ == "__main__":
    sys.exit(pytest.main(["--collect-only", "-qqq", "-m", "", *sys.argv[1:]], plugins=[_List()]))
