"""The contract between a coordinator and the executors that compute for it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterable
from typing import Protocol, Self, TypeVar

import attrs

from epcg_core.errors import EpcgError, RunInterruptedError

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

UNITS_PER_WORKER = 2
"""One that is computed and one that waits, so that no worker idles while the coordinator writes."""


@attrs.frozen(order=True)
class Unit:
    """A rank range: `start` .. `start + count - 1`."""

    start: int
    count: int

    def __str__(self) -> str:
        if self.count == 1:
            return f"rank {self.start}"
        return f"ranks {self.start} to {self.start + self.count - 1}"


class Work(Protocol[R_co]):
    """What is to be done with every unit. Picklable and small: tables travel as paths, not as arrays."""

    def set_up(self) -> Callable[[Unit], R_co]:
        """Load plugins, map tables; return the function that computes a unit.

        Called once in each worker, before its first unit. Results must be picklable.
        """


class Executor(Protocol):
    """Computes units in parallel. A context manager: leaving it ends every worker.

    `results` can be called any number of times, one call after the other; worker processes are kept from
    one call to the next, so that only the first pays for starting Python and importing the plugins.
    """

    @property
    def name(self) -> str: ...

    @property
    def workers(self) -> int: ...

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        """(unit, result) in the order of completion, each unit once.

        `units` is read lazily: never more than 2 x `workers` beyond those handed out. Closing the generator
        (also an exception in the loop over it, such as KeyboardInterrupt) stops the workers and drops the
        units in flight.

        Raises the EpcgError that `set_up` or the function raised, or WorkFailedError for any other
        exception, after handing out what other workers had finished; WorkerDiedError when a unit kills its
        worker process twice.
        """

    def close(self) -> None:
        """End every worker."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class WorkFailedError(RunInterruptedError):
    """The code that computes a unit raised something that is no EpcgError: a mistake in that code.

    `unit` is None when it happened while a worker was set up; `details` is the worker's traceback.
    """

    def __init__(self, message: str, unit: Unit | None, details: str) -> None:
        super().__init__(message)
        self.unit = unit
        self.details = details


def as_epcg_error(error: BaseException, unit: Unit | None) -> EpcgError:
    """`error` itself if it is an EpcgError, else a WorkFailedError that names `unit` and the exception."""
    if isinstance(error, EpcgError):
        return error
    what = f"{unit} could not be computed" if unit else "the work could not be set up"
    reason = "".join(traceback.format_exception_only(error)).strip()
    details = "".join(traceback.format_exception(error))
    return WorkFailedError(f"{what[0].upper()}{what[1:]}: {reason} (--debug shows where).", unit, details)
