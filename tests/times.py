"""CPU seconds of each test: `make test-times` runs the fast tests and prints what takes most.

A test's seconds are those of its process, of the children that ended while it ran, and of what its fork
server forked for it (tests/forks), set-up included. The command fails while a fast test takes more than
`LIMIT`. The tests themselves never fail by what they took: on a machine that others use that is chance, and
it failed runs that were right.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

FOLDER = "EPCG_TEST_TIMES"
"""The environment variable that names the folder where each process appends its tests' seconds."""
FAST = 0.5
"""CPU seconds that a fast test should take."""
LIMIT = 2.0
"""CPU seconds that it may take, at calibration 1.0: `make test-times` names those above, and fails."""
WORK = 1_500_000
"""Additions of the loop that tells how fast a machine is: 0.05 CPU seconds at calibration 1.0."""


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, of its children that ended, and of its fork server."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    known = sys.modules.get("tests.processes")  # which `calibration` need not import
    forked = 0.0 if known is None else known.seconds_of_server()
    return sum(each.ru_utime + each.ru_stime for each in used) + float(forked)


def compile_seconds() -> float:
    """Return the seconds that this process, and forks that compute for it, compiled."""
    known = sys.modules.get("epcg_core.execution.apart")
    return 0.0 if known is None else float(known.compile_seconds())


class Times:
    """Appends a line for each test to the file of this process: see `lines`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.tsv"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before, compiled = cpu_seconds(), compile_seconds()
        try:
            return (yield)
        finally:
            kind = "slow" if item.get_closest_marker("slow") else "fast"
            seconds, compiling = cpu_seconds() - before, compile_seconds() - compiled
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{seconds:.3f}\t{kind}\t{item.nodeid}\t{compiling:.3f}\n")


def calibration() -> float:
    """Return how many times as long as on the reference machine a loop takes here."""
    took = []
    for _ in range(5):
        before, total = cpu_seconds(), 0
        for number in range(WORK):
            total += number
        took.append(cpu_seconds() - before)
    return min(took) / 0.05


def lines(folder: Path) -> Iterator[tuple[float, str, str, float]]:
    """Yield (CPU seconds, "fast" or "slow", test, seconds of compiling) of what was recorded."""
    for path in sorted(folder.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            seconds, kind, test, compiling = line.split("\t")
            yield float(seconds), kind, test, float(compiling)


def table(found: list[tuple[float, str, str, float]], most: int = 60) -> str:
    """Return what fast and slow tests take: in all, by file, and each of those that take most."""
    rows = []
    for kind in ("fast", "slow"):
        own = sorted(((s, test) for s, each, test, _ in found if each == kind), reverse=True)
        compiling = sum(seconds for _, each, _, seconds in found if each == kind)
        total = sum(seconds for seconds, _ in own)
        over = [seconds for seconds, _ in own if seconds > FAST]
        files = dict[str, float]()
        for seconds, test in own:
            file = test.partition("::")[0]
            files[file] = files.get(file, 0) + seconds
        most_first = sorted(((seconds, file) for file, seconds in files.items()), reverse=True)
        rows += [
            f"{kind}: {len(own)} tests, {total:.0f} CPU s; {len(over)} take more than {FAST} s and hold "
            f"{100 * sum(over) / max(total, 1e-9):.0f} %; {compiling:.0f} s of compiling",
            *(f"{seconds:9.1f}  {file}" for seconds, file in most_first[: most // 2]),
            "",
            *(f"{seconds:9.2f}  {test}" for seconds, test in own[:most]),
            "",
        ]
    return "\n".join(rows)


def main(folder: Path) -> int:
    """Print the table; return how many fast tests took more than they may, on this machine now."""
    found, scale = list(lines(folder)), calibration()
    print(table(found))
    over = [
        test
        for seconds, kind, test, compiling in found
        if kind == "fast" and seconds - compiling > LIMIT * max(1.0, scale)
    ]
    print(f"calibration of this machine now: {scale:.2f}")
    print(f"{len(over)} fast tests took more than {LIMIT} CPU seconds at calibration 1.0")
    return len(over)


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]))))
