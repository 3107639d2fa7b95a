"""The contract between a coordinator and the executors that compute for it."""

from __future__ import annotations

import pickle
import queue
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import attrs

from epcg_core.base.errors import (
    EpcgError,
    OutOfMemoryError,
    RunInterruptedError,
    UnitTimeoutError,
    WorkerDiedError,
    whereabouts,
)

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

WAKE_UP_S = 0.5
"""Windows delivers Ctrl-C only between waits."""
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
    """The function to apply to every unit. Picklable and small: tables are passed as paths, not arrays."""

    def set_up(self) -> Callable[[Unit], R_co]:
        """Load plugins, map tables; return the function that computes a unit.

        Called once in each worker, before its first unit. Results must be picklable.
        """


@runtime_checkable
class TravellingWork(Protocol):
    """Work for other machines, which have neither the coordinator's files nor, perhaps, its plugins."""

    @property
    def needs(self) -> tuple[str, ...]:
        """'distribution version' of every plugin involved."""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files that setting up maps. Nothing writes to them while the work is done."""

    def at(self, places: Mapping[str, str]) -> Work[Any]:
        """Return the same work for files at other paths, without cached compiled code."""


@runtime_checkable
class PreparedWork(Protocol):
    """Work that says what its set-up imports, so that worker processes have it from the start."""

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules of the core: one of a plugin may change before the next worker starts."""


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
        """Return (unit, result) in the order of completion, each unit once.

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


class ClosingExecutor:
    """The base of the executors: leaving the context closes them."""

    def close(self) -> None:
        """End every worker; here, the workers end with the generator of `results`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@runtime_checkable
class RemoteExecutor(Executor, Protocol):
    """One whose workers may be on other machines, with other plugins than the coordinator's."""

    def check(self, needs: Sequence[str]) -> None:
        """Raise PluginError if a worker lacks one of these 'distribution version', or has another."""


class Dispatches(Protocol):
    """Has units computed by others."""

    def submit(self, unit: Unit) -> None:
        """Submit `unit` for computation."""

    def next_result(self) -> tuple[Unit, Any]:
        """Wait for a result; raises the error that ended the work after the last one."""


def dispatched(
    dispatcher: Dispatches, units: Iterable[Unit], workers: Callable[[], int]
) -> Generator[tuple[Unit, Any]]:
    """Yield (unit, result) in the order of completion; `units` is read as far as the workers need it."""
    waiting = iter(units)
    in_flight = 0
    while True:
        for unit in islice(waiting, max(0, workers() * UNITS_PER_WORKER - in_flight)):
            dispatcher.submit(unit)
            in_flight += 1
        if not in_flight:
            return
        result = dispatcher.next_result()
        in_flight -= 1
        yield result


Events: TypeAlias = "queue.SimpleQueue[tuple[Unit, Any] | BaseException]"
"""Results, and at last the error that ended a work, from the thread of a dispatcher."""


def next_event(events: Events) -> tuple[Unit, Any]:
    """Wait for a result; raises the error that ended the work after the last one."""
    while True:
        try:
            event = events.get(timeout=WAKE_UP_S)
        except queue.Empty:
            continue
        if isinstance(event, BaseException):
            raise event
        return event


def pickled(work: Work[Any]) -> bytes:
    """Pickle a work. Raises EpcgError if it cannot be pickled."""
    try:
        return pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise as_epcg_error(error, None) from error


class WorkFailedError(RunInterruptedError):
    """The code that computes a unit raised an exception other than EpcgError: a mistake in that code.

    `unit` is None when it happened while a worker was set up; `details` is the worker's traceback.
    """

    def __init__(self, message: str, unit: Unit | None, details: str) -> None:
        super().__init__(message)
        self.unit = unit
        self.details = details


_GO_ON = (
    "Recorded values are kept: mend the cause (if memory ran out, use fewer workers or smaller units), and "
    "`epcg resume` goes on from there."
)

_MAIN_GUARD = ' A script that starts a run needs `if __name__ == "__main__":` before its statements.'


def ended_in_set_up(ending: str) -> WorkerDiedError:
    """Return the error for worker processes that keep ending before they compute anything."""
    hint = _MAIN_GUARD if ending.startswith("exit code") else ""
    return WorkerDiedError(
        f"Worker processes ended again and again while they were set up ({ending}).{hint} {_GO_ON}"
    )


def ended_twice(unit: Unit | None, ending: str) -> WorkerDiedError:
    """Return the error for a unit that has ended its worker twice."""
    return WorkerDiedError(f"The worker process that computed {unit} ended twice ({ending}). {_GO_ON}")


def overdue(unit: Unit, seconds: float) -> UnitTimeoutError:
    """Return the error for a unit that takes longer than `seconds`."""
    return UnitTimeoutError(
        f"{_capital(str(unit))} took longer than {seconds:g} s, the time limit of a unit (--unit-timeout): "
        "raise the limit, or let the evaluator give up by itself (LimitReachedError)."
    )


def as_epcg_error(error: BaseException, unit: Unit | None) -> EpcgError:
    """Return `error` itself if it is an EpcgError, else an EpcgError that names `unit` and the reason.

    The new error is an OutOfMemoryError if memory ran out, else a WorkFailedError.
    """
    if isinstance(error, EpcgError):
        return error
    what = _capital(f"{unit} could not be computed" if unit else "the work could not be set up")
    if isinstance(error, MemoryError):
        return OutOfMemoryError(f"{what}: memory ran out. Use fewer workers (--workers).")
    reason = "".join(traceback.format_exception_only(error)).strip()
    details = "".join(traceback.format_exception(error))
    failure = WorkFailedError(f"{what}: {reason} (--debug shows where).", unit, details)
    if note := whereabouts(error):
        failure.add_note(note)
    return failure


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
