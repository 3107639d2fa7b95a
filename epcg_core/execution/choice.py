"""The choice of an executor for each work."""

from __future__ import annotations

from collections.abc import Iterable

from epcg_core.execution.executor import Executor, RemoteExecutor
from epcg_core.execution.factory import default_workers, executor_of_schedulers, make_executor
from epcg_core.plugins.registry import registry

SMALL_RUN_SECONDS = 2.0
"""A run that takes less is not worth starting processes for."""


class Executors:
    """The executors of one coordinator, each made when it is needed first; they keep their workers."""

    def __init__(
        self, name: str | None, workers: int | None, unit_timeout: float | None, scheduler: str | None
    ) -> None:
        self._name = name or (executor_of_schedulers() if scheduler else None)
        self._info = registry().executor(self._name) if self._name else None
        self._workers = workers
        self._unit_timeout = unit_timeout
        self._scheduler = scheduler
        self._made: dict[str, Executor] = {}

    def choose(self, seconds: float) -> Executor | None:
        """Return the executor for `seconds` of work; None if the coordinator computes it itself."""
        here = self._unit_timeout is None and seconds < SMALL_RUN_SECONDS
        name = self._name or ("serial" if here else "processes")
        if name == "serial" and self._unit_timeout is None:
            return None
        return self._get(name)

    @property
    def workers(self) -> int:
        """Number of units computed at a time. Connects to a cluster; raises EpcgError if that fails."""
        if self._name is not None and self._info is not None and self._info.has_scheduler:
            return self._get(self._name).workers
        return self._workers or default_workers()

    def check(self, needs: Iterable[str]) -> None:
        """Raise PluginError if workers of other machines lack one of these 'distribution version'."""
        if self._name is None or self._info is None or not self._info.has_scheduler:
            return
        executor = self._get(self._name)
        if isinstance(executor, RemoteExecutor):
            executor.check(sorted(set(needs)))

    def close(self) -> None:
        """End every worker."""
        for executor in self._made.values():
            executor.close()

    def _get(self, name: str) -> Executor:
        if name not in self._made:
            self._made[name] = make_executor(name, self._workers, self._unit_timeout, self._scheduler)
        return self._made[name]
