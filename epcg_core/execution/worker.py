"""The main loop of a worker process: it obeys the messages of its coordinator until it is gone.

It receives a pickled Work (set up and answer WORKER_READY), a Unit (compute it and answer UNIT_RESULT or
UNIT_FAILED) or None (forget the work, so that its tables can be deleted).
"""

from __future__ import annotations

import gc
import io
import multiprocessing
import os
import pickle
import threading
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import attrs

from epcg_core.base.errors import EpcgError
from epcg_core.base.guests import visit
from epcg_core.execution.executor import Unit, WorkFailedError, as_epcg_error
from epcg_core.execution.starting import ignore_interrupts

WORKER_READY, UNIT_RESULT, UNIT_FAILED, UNIT_WARNED = range(4)
"""The first byte of an answer; the pickle of None, the result, a `UnitFailure` or a warning's parts follows.

A warning answers nothing: the coordinator shows it, so that it is shown once, and reads on.
"""
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Instead of Python's 700 to 2,000, because imported modules stay in memory. The command line looks for
garbage more rarely still; but workers are many, and what plain evaluators leave behind must not pile up."""


@attrs.frozen
class UnitFailure:
    """An EpcgError on its way to the coordinator.

    Rebuilt without calling `__init__`, whose parameters an exception's own pickle takes for its args.
    """

    kind: type[EpcgError]
    args: tuple[Any, ...]
    attributes: dict[str, Any]
    details: str

    def error(self) -> EpcgError:
        """Return the original error, with the worker's traceback as a note."""
        error = self.kind.__new__(self.kind, *self.args)
        error.__dict__.update(self.attributes)
        error.add_note(f"In the worker process:\n{self.details}")
        return error


def serve(connection: Connection) -> None:
    """Answer the coordinator's messages until it closes `connection` or dies."""
    ignore_interrupts()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    send_warnings(connection)
    threading.Thread(target=_end_with_coordinator, daemon=True).start()
    function: Callable[[Unit], Any] | None = None
    try:
        while True:
            message = connection.recv()
            if isinstance(message, Unit):
                if function is not None:  # else the set-up failed and the coordinator is about to stop
                    connection.send_bytes(computed(function, message))
                continue
            function = None  # the old tables go before the new ones come
            if message is not None:
                function, answer = _set_up(message)
                connection.send_bytes(answer)
    except (EOFError, OSError):
        return


def send_warnings(connection: Connection) -> None:
    """Send warnings to the coordinator, which shows them."""

    def send(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: object = None,
        line: object = None,
    ) -> None:
        known = UserWarning if issubclass(category, UserWarning) else RuntimeWarning
        connection.send_bytes(_answer(UNIT_WARNED, (str(message), known, filename, lineno)))

    warnings.showwarning = send


def _end_with_coordinator() -> None:
    """Exit at once when the coordinator has ended, even if it was killed."""
    coordinator = multiprocessing.parent_process()
    if coordinator is not None:
        coordinator.join()
        os._exit(1)


def _answer(kind: int, content: object) -> bytes:
    answer = io.BytesIO()  # the values of a unit are not copied once more to stand behind a byte
    answer.write(bytes((kind,)))
    pickle.dump(content, answer, pickle.HIGHEST_PROTOCOL)
    return answer.getvalue()


def _set_up(payload: bytes) -> tuple[Callable[[Unit], Any] | None, bytes]:
    try:
        function = pickle.loads(payload).set_up()
    except BaseException as error:
        return None, _failed(error, None)
    return function, _answer(WORKER_READY, None)


def computed(function: Callable[[Any], Any], asked: object) -> bytes:
    """Return the answer to a unit, or to what else a function is asked for."""
    try:
        with visit():
            return _answer(UNIT_RESULT, function(asked))
    except BaseException as error:  # SystemExit too: an evaluator that calls sys.exit has failed
        return _failed(error, asked if isinstance(asked, Unit) else None)


def _failed(error: BaseException, unit: Unit | None) -> bytes:
    details = "".join(traceback.format_exception(error))
    failure = as_epcg_error(error, unit)
    try:
        answer = _answer(UNIT_FAILED, UnitFailure(type(failure), failure.args, vars(failure), details))
        pickle.loads(answer[1:])
    except Exception:  # the error itself does not survive pickling; its text does
        message = f"{type(failure).__name__}: {failure}"
        plain = {"unit": unit, "details": details}
        answer = _answer(UNIT_FAILED, UnitFailure(WorkFailedError, (message,), plain, details))
    return answer
