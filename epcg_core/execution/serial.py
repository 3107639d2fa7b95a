"""One unit after the other in the coordinator's own process: for debugging and tiny units."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import ClassVar, TypeVar

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError
from epcg_core.execution.executor import ClosingExecutor, Unit, Work, as_epcg_error

R = TypeVar("R")


class SerialExecutor(ClosingExecutor):
    """See `Executor`. Nothing is computed before it is asked for; a debugger steps through everything."""

    name: ClassVar[str] = "serial"
    workers: ClassVar[int] = 1

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        try:
            function = work.set_up()
        except EpcgError:
            raise
        except PLUGIN_EXCEPTIONS as error:
            raise as_epcg_error(error, None) from error
        for unit in units:
            try:
                result = function(unit)
            except EpcgError:
                raise
            except PLUGIN_EXCEPTIONS as error:
                raise as_epcg_error(error, unit) from error
            yield unit, result
