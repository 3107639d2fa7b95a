"""Works that do what the tests need: compute, fail, kill their worker, wait for each other."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs
import numpy as np

from epcg_core.base.errors import EpcgError, EvaluationError
from epcg_core.execution import Unit

DEADLINE_S = 60.0
"""How long a test waits for something that takes a moment: it fails then rather than hang."""


def wait_until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {DEADLINE_S:.0f} s")
        time.sleep(0.01)


def tiles(count: int, size: int) -> Iterator[Unit]:
    for i in range(count):
        yield Unit(i * size, size)


def square_sum(unit: Unit) -> int:
    return sum(rank * rank for rank in range(unit.start, unit.start + unit.count))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(DEADLINE_S)


@attrs.frozen
class Squares:
    """Sums the squares of a unit's ranks."""

    def set_up(self) -> Callable[[Unit], int]:
        return square_sum


@attrs.frozen
class Warns:
    """Warns of every unit, for users and as a library does."""

    def set_up(self) -> Callable[[Unit], int]:
        def warned(unit: Unit) -> int:
            warnings.warn(f"ranks from {unit.start}", UserWarning, stacklevel=1)
            warnings.warn(f"overflow at {unit.start}", RuntimeWarning, stacklevel=1)
            return square_sum(unit)

        return warned


@attrs.frozen
class Heavy:
    """Results far larger than a pipe's buffer."""

    def set_up(self) -> Callable[[Unit], bytes]:
        return lambda unit: unit.start.to_bytes(8, "little") * 200_000


@attrs.frozen
class WhoComputes:
    """The process that computes a unit, and an environment variable as it sees it."""

    variable: str

    def set_up(self) -> Callable[[Unit], tuple[int, str | None]]:
        return lambda unit: (os.getpid(), os.environ.get(self.variable))


class AwkwardError(EpcgError):
    """Its pickle calls `__init__` with the message alone, which fails."""

    def __init__(self, place: str, cost: int) -> None:
        super().__init__(f"{place} costs {cost}")
        self.cost = cost


class LocalError(EpcgError):
    """Carries what cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("a local trouble")
        self.function = lambda: None


@attrs.frozen
class Fails:
    """Raises at one rank: `how` is one of the keys below."""

    at: int
    how: str

    def set_up(self) -> Callable[[Unit], int]:
        return self.compute

    def compute(self, unit: Unit) -> int:
        if unit.start <= self.at < unit.start + unit.count:
            if self.how == "evaluation":
                raise EvaluationError(f"rank {self.at} has no colour", self.at)
            if self.how == "awkward":
                raise AwkwardError("the bridge", 7)
            if self.how == "local":
                raise LocalError
            if self.how == "exit":
                raise SystemExit(3)
            raise ZeroDivisionError("nothing to divide by")
        return square_sum(unit)


@attrs.frozen
class Unpicklable:
    """The result of the unit at `at`, and of no other, cannot be pickled: of two, either could be named."""

    at: int

    def set_up(self) -> Callable[[Unit], object]:
        return lambda unit: (lambda: None) if unit.start == self.at else unit.start


@attrs.frozen
class BrokenSetUp:
    """Setting up raises, or kills the worker: always, or only where nobody did before."""

    how: str
    folder: Path

    def set_up(self) -> Callable[[Unit], int]:
        if self.how == "missing":
            raise FileNotFoundError("no such level: meadow.txt")
        if self.how == "epcg":
            raise EpcgError("the table of layer 3 is not there")
        if self.how == "dies" or _first(self.folder / "set-up"):
            die()
        return square_sum


@attrs.frozen
class Dies:
    """Kills its worker at the units that hold a rank of `at`: each `times` times."""

    at: tuple[int, ...]
    times: int
    folder: Path

    def set_up(self) -> Callable[[Unit], int]:
        return self.compute

    def compute(self, unit: Unit) -> int:
        for rank in self.at:
            if unit.start <= rank < unit.start + unit.count:
                for i in range(self.times):
                    if _first(self.folder / f"{rank}-{i}"):
                        die()
        return square_sum(unit)


@attrs.frozen
class Patient:
    """The unit at rank 0 lasts until all the others have been delivered."""

    folder: Path

    def set_up(self) -> Callable[[Unit], int]:
        return self.compute

    def compute(self, unit: Unit) -> int:
        if unit.start == 0:
            wait_until((self.folder / "others delivered").exists, "the other units")
        return unit.start


@attrs.frozen
class Endless:
    """Returns at rank 0; elsewhere leaves the worker's id in `folder` and computes in Python for ever."""

    folder: Path

    def set_up(self) -> Callable[[Unit], int]:
        return self.compute

    def compute(self, unit: Unit) -> int:
        if unit.start == 0:
            return 0
        note = self.folder / f".{os.getpid()}"
        note.write_text("")
        note.rename(self.folder / f"{os.getpid()}.worker")
        while True:
            square_sum(unit)

    def pids(self) -> list[int]:
        return sorted(int(path.stem) for path in self.folder.glob("*.worker"))


@attrs.frozen
class Together:
    """The process that computes a unit; none answers before two have begun."""

    folder: Path

    def set_up(self) -> Callable[[Unit], int]:
        return self.compute

    def compute(self, unit: Unit) -> int:
        (self.folder / str(os.getpid())).touch()
        wait_until(lambda: len(list(self.folder.iterdir())) > 1, "a second process")
        return os.getpid()


def _first(marker: Path) -> bool:
    """True for the first caller, in whatever process."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@attrs.frozen
class Reads:
    """Sums the bytes of a file at a unit's ranks; tells where it read them, and in which process."""

    path: str
    needs: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        return (self.path,)

    def at(self, places: Mapping[str, str]) -> Reads:
        return attrs.evolve(self, path=places.get(self.path, self.path))

    def set_up(self) -> Callable[[Unit], tuple[int, str, int]]:
        data = np.memmap(self.path, np.uint8, "r")
        return lambda unit: (
            int(data[unit.start : unit.start + unit.count].sum(dtype=np.int64)), self.path, os.getpid()
        )  # fmt: skip
