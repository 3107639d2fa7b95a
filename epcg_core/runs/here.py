"""Units that are not worth worker processes, and the probes before them.

They are computed in a fork of the coordinator, so that a time limit and an interrupt end code that does not
return.
The executor "serial" has them computed in the coordinator itself, for debuggers.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from epcg_core.base.errors import PLUGIN_EXCEPTIONS
from epcg_core.base.guests import visit
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.result import UnitResult
from epcg_core.execution import Unit, as_epcg_error
from epcg_core.execution.apart import Apart, TimeUpError
from epcg_core.query.spec import RunSpec
from epcg_core.runs.units import measured
from epcg_core.runs.worker import Results, UnitSolver
from epcg_core.search.protocol import Solver

CHECK_SECONDS = 5.0
"""Time limit of the comparison of the first unit; if ranks are quick, it takes half a second."""


class Here:
    """Computes units of one run. A context manager."""

    def __init__(
        self,
        solver: Solver,
        spec: RunSpec,
        check: Callable[[UnitResult], None],
        plain: Callable[[int], Block],
        in_a_fork: bool,
    ) -> None:
        """Get ready to compute.

        Args:
            solver: solves ranges of ranks.
            spec: the run.
            check: compares a unit with plain code, in a fork in any case.
            plain: computes a rank by plain code, in a fork in any case.
            in_a_fork: whether units are computed in a fork.
        """
        self.piecewise = bool(getattr(solver, "piecewise", False))
        """A range is as easy by parts as at once."""
        functions: dict[str, Callable[..., Any]] = {
            "measure": partial(measured, solver, spec),
            "compute": partial(_computed, solver, spec),
            "check": check,
            "plain": plain,
        }
        self._functions = functions
        # One for all: it keeps what parts make at their first candidate. It does not refer to this object, or
        # the tables that the solver maps, files among them, would stay until the next collection of garbage.
        self._apart: Apart[Any, Any] = Apart(lambda asked: functions[asked[0]](*asked[1:]))
        self._in_a_fork = in_a_fork

    def measure(self, start: int, count: int, seconds: float) -> float:
        """Return the seconds that some ranks take; raises TimeUpError if they take longer than `seconds`."""
        found: float = self._asked(("measure", start, count), seconds)
        return found

    def compute(self, unit: Unit, chunk_size: int, seconds: float | None = None) -> Results:
        """Compute a unit.

        Raises DiedError if it ends its process, TimeUpError if it takes longer than `seconds`.
        """
        found: Results = self._asked(("compute", unit, chunk_size), seconds)
        return found

    def check(self, result: UnitResult) -> None:
        """Check a unit, unless that takes too long."""
        with suppress(TimeUpError):
            self._apart(("check", result), CHECK_SECONDS)

    def plain(self, rank: int, seconds: float) -> Block:
        """Compute a rank by plain code. Raises TimeUpError if that takes longer than `seconds`."""
        found: Block = self._apart(("plain", rank), seconds)
        return found

    def _asked(self, asked: tuple[Any, ...], seconds: float | None = None) -> Any:
        if self._in_a_fork:
            return self._apart(asked, seconds)
        with visit():
            return self._functions[asked[0]](*asked[1:])

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *exception: object) -> None:
        self._apart.close()


def _computed(solver: Solver, spec: RunSpec, unit: Unit, chunk_size: int) -> Results:
    try:
        return UnitSolver(solver, spec, chunk_size)(unit)
    except PLUGIN_EXCEPTIONS as error:
        raise as_epcg_error(error, unit) from error
