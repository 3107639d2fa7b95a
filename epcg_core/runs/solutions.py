"""Solutions of single candidates: recorded ones, else those that the evaluators of recorded runs find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from epcg_core.base.errors import UnknownNameError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.spec import PartSpec, make_generator
from epcg_core.runs.keep import solver_of
from epcg_core.store import Reader, RunRecord
from epcg_core.store.recorded import parsed


class Solutions:
    """The solutions that a database knows, or can find."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._runs: dict[str, list[RunRecord]] = {}
        self._solvers: dict[str, list[Callable[[int], Sequence[Any]]]] = {}
        for run in reader.runs():
            self._runs.setdefault(run.space, []).append(run)

    def recorded(self, space: str, rank: int) -> list[Any]:
        """Return the solutions of a rank that the oldest run with any has recorded, each as its actions."""
        for run in self._runs.get(space, ()):
            if found := self._reader.solutions(run.id, rank):
                return [parsed(actions, f"A solution of rank {rank} of run {run.id}") for _, actions in found]
        return []

    def of(self, space: str, rank: int) -> list[Any]:
        """Return the recorded solutions of a rank, else those of the evaluators of runs over its space.

        The evaluators search within the limits of their runs.
        """
        if recorded := self.recorded(space, rank):
            return recorded
        if space not in self._solvers:
            self._solvers[space] = list(self._found_solvers(space))
        found = (list(solve(rank)) for solve in self._solvers[space])
        return next(filter(None, found), [])

    def _found_solvers(self, name: str) -> Iterator[Callable[[int], Sequence[Any]]]:
        """Yield a function from ranks to solutions for each run over a space whose evaluators find any."""
        try:
            space, _ = parse_puzzle_id(registry(), puzzle_id(name, 0))
        except UnknownNameError:  # the plugin is missing; what is recorded can be had without it
            return
        generator = make_generator(registry(), space)
        for run in self._runs.get(name, ()):
            evaluators = [PartSpec(part["name"], part["params"]) for part in run.spec["evaluators"]]
            solve = solver_of(space.domain, evaluators, generator)
            if solve is not None:
                yield lambda rank, solve=solve: solve(generator.unrank(rank))  # type: ignore[misc]
