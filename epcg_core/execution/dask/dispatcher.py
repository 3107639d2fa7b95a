"""One work on a dask cluster: which worker computes which unit, and which units a lost worker takes along.

Units are placed by us: one for each thread of a worker, and one more that waits there, so that no thread
waits for a message; it is moved when another worker has nothing to do. So it is known which units a lost
worker computed. They are done again alone on a machine, and named if their worker ends once more.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import queue
import warnings
from collections import Counter, deque
from collections.abc import Collection, Coroutine
from typing import Any

import attrs

from epcg_core.errors import EpcgError, RunInterruptedError
from epcg_core.execution.dask import worker
from epcg_core.execution.dask.cluster import Cluster, Member, WorkerLostError
from epcg_core.execution.dask.worker import Answer
from epcg_core.execution.executor import (
    UNITS_PER_WORKER,
    Events,
    TravellingWork,
    Unit,
    Work,
    as_epcg_error,
    ended_in_set_up,
    ended_twice,
    overdue,
    pickled,
)
from epcg_core.execution.worker import RESULT
from epcg_core.execution.worker_process import unpickled

_logger = logging.getLogger(__name__)

NO_WORKERS_S = 60.0
"""Time that a work waits for new workers after the last one has left."""
_LOOK_S = 1.0
_LEFT = "the dask worker has left"


@attrs.define(eq=False)
class _Task:
    """A unit on its way."""

    unit: Unit
    alone: bool = False
    """It was lost before."""


class ClusterDispatcher:
    """Everything here runs in the cluster's event loop; `events` is read by the coordinator's thread."""

    def __init__(self, cluster: Cluster, work: Work[Any], number: int, unit_timeout: float | None) -> None:
        self._unit_timeout = unit_timeout
        self.events: Events = queue.SimpleQueue()
        self._cluster = cluster
        self._work = work
        self._needs = work.needs if isinstance(work, TravellingWork) else ()
        self._number = number
        self._waiting: deque[_Task] = deque()
        self._suspects: deque[_Task] = deque()
        self._kept_free: str | None = None
        """The machine whose other units are waited for, so that a suspect has it alone."""
        self._casualties: dict[Member, list[_Task]] = {}
        self._deaths_in_set_up = 0
        self._failure: BaseException | None = None
        self._computing: set[asyncio.Task[None]] = set()
        self._preparing = 0
        self._arriving: set[asyncio.Task[None]] = set()
        """The finished tasks whose results are still being transferred."""
        self._others: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Check every present worker. Raises PluginError if one lacks a plugin that the work needs."""
        self._payload({})  # fails here if the work cannot be pickled
        self._cluster.check(self._needs)
        self._cluster.on_join = self._joined
        for member in self._cluster.members.values():
            self._also(self._prepared(member))
        self._also(self._watch_for_workers())

    def submit(self, unit: Unit) -> None:
        self._waiting.append(_Task(unit))
        self._hand_out()

    async def stop(self) -> None:
        """Drop running units; workers release the work and its tables."""
        self._cluster.on_join = lambda member: None
        self._failure = self._failure or RuntimeError("the executor was closed")
        tasks = [*self._computing, *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        members = list(self._cluster.members.values())
        for member in members:
            member.ready = False
            member.given.clear()
        await asyncio.gather(
            *(self._cluster.call(member, worker.end_work) for member in members),
            return_exceptions=True,
        )
        self._cluster.forget_files()
        self.events.put(RuntimeError("the executor was closed"))

    def _joined(self, member: Member) -> None:
        if (sentence := self._cluster.wrong(member, self._needs)) is not None:
            _logger.warning(f"{sentence} It gets nothing to do.")
        else:
            self._also(self._prepared(member, late=True))

    async def _prepared(self, member: Member, late: bool = False) -> None:
        """Send the work, and the tables that the worker lacks."""
        self._preparing += 1
        try:
            await self._cluster.open_session(member)  # it may have been closed meanwhile
            files = self._work.files if isinstance(self._work, TravellingWork) else ()
            places = await self._cluster.places(member, files) if files else {}
            payload = self._payload(places)
            await self._cluster.call(member, worker.begin_work, self._number, payload, self._unit_timeout)
        except WorkerLostError:
            return
        except Exception as error:
            if late and isinstance(error, EpcgError):
                _logger.warning(str(error))
            else:
                self._fail(as_epcg_error(error, None))
            return
        finally:
            self._preparing -= 1
        member.ready = True
        self._hand_out()

    def _payload(self, places: dict[str, str]) -> bytes:
        return pickled(self._work.at(places) if isinstance(self._work, TravellingWork) else self._work)

    async def _watch_for_workers(self) -> None:
        waited_s = 0.0
        while waited_s < NO_WORKERS_S:
            await asyncio.sleep(_LOOK_S)
            there = any(member.ready for member in self._cluster.members.values())
            waited_s = 0.0 if there or self._preparing else waited_s + _LOOK_S
        self._fail(
            RunInterruptedError(
                f"The dask scheduler at {self._cluster.scheduler} has had no workers for {NO_WORKERS_S:.0f} "
                "s. Recorded values are kept."
            )
        )

    def _hand_out(self) -> None:
        if self._failure is not None:
            return
        self._free_a_machine()
        while (member := self._free(UNITS_PER_WORKER)) is not None:
            if self._waiting:
                self._give(member, self._waiting.popleft())
            elif (other := self._crowded()) is not None and len(member.given) < member.slots:
                self._give(member, self._taken_from(other))
            else:
                return

    def _free(self, depth: int) -> Member | None:
        """Return the worker with the fewest units a thread, if they are fewer than `depth`."""
        found = [
            member
            for member in self._cluster.members.values()
            if member.ready and len(member.given) < depth * member.slots and member.machine != self._kept_free
        ]
        return min(found, key=_load, default=None)

    def _crowded(self) -> Member | None:
        """Return the worker with the most units a thread, if some of them wait."""
        found = [member for member in self._cluster.members.values() if len(member.given) > member.slots]
        return max(found, key=_load, default=None)

    def _taken_from(self, member: Member) -> _Task:
        """Take back the unit that has waited longest; if it has just begun, its result is ignored."""
        task: _Task = list(member.given)[-1]
        member.given.pop(task).cancel()
        return task

    def _free_a_machine(self) -> None:
        # Alone: what several units together ran out of, usually memory, suffices for one; and if the worker
        # ends again there is no doubt that it was this unit.
        if not self._suspects:
            return
        members = [member for member in self._cluster.members.values() if member.ready]
        busy: Counter[str] = Counter()
        for member in members:
            busy[member.machine] += len(member.given)
        if not busy:
            return
        machine = self._kept_free
        if machine is None or machine not in busy:
            machine = self._kept_free = min(busy, key=busy.__getitem__)
            for member in members:
                while member.machine == machine and len(member.given) > member.slots:
                    self._waiting.appendleft(self._taken_from(member))
                    busy[machine] -= 1
        if not busy[machine]:
            member = next(member for member in members if member.machine == machine)
            self._give(member, self._suspects.popleft())

    def _give(self, member: Member, task: _Task) -> None:
        computing = asyncio.ensure_future(self._compute(member, task))
        member.given[task] = computing
        self._computing.add(computing)
        computing.add_done_callback(self._computing.discard)

    async def _compute(self, member: Member, task: _Task) -> None:
        this = asyncio.current_task()
        assert this is not None
        try:
            future = self._cluster.submit(member, self._number, task.unit)
            try:
                await self._cluster.done(member, future)
                self._arriving.add(this)
                self._release(member, task)
                answer = await self._cluster.answer(member, future)
            finally:
                self._arriving.discard(this)
                future.release()
        except WorkerLostError:
            begun = task in self._begun(member)
            self._release(member, task)
            if begun:
                self._lost(task, _LEFT)
            else:  # it waited there, or its result was lost on the way
                self._back(task)
            self._hand_out()
        except asyncio.CancelledError:
            if this.cancelling():  # by us
                raise
            self._release(member, task)
            self._back(task)
            self._hand_out()
        except Exception as error:
            self._release(member, task)
            self._fail(as_epcg_error(error, task.unit))
        else:
            self._take(member, task, answer)

    def _release(self, member: Member, task: _Task) -> None:
        """Mark a task's thread as free."""
        if task in member.given:
            del member.given[task]
            if task.alone:
                self._kept_free = None
            self._hand_out()

    def _begun(self, member: Member) -> Collection[_Task]:
        """Return the units that a lost worker was computing, as far as known."""
        if member not in self._casualties:
            self._casualties[member] = list(member.given)[: member.slots]
        return self._casualties[member]

    def _take(self, member: Member, task: _Task, answer: Answer) -> None:
        for warning in answer.warnings:
            warnings.showwarning(*pickle.loads(warning))
        if answer.kind == "result":
            self._deaths_in_set_up = 0
            kind, content = unpickled(RESULT, answer.content, task.unit)
            if kind == RESULT:
                self.events.put((task.unit, content))
            else:
                self._fail(content.error())
        elif answer.kind == "failed":
            self._fail(unpickled(0, answer.content, task.unit)[1].error())
        elif answer.kind == "overdue":
            self._fail(overdue(task.unit, self._unit_timeout or 0.0))
        elif answer.kind == "unknown":  # the worker has closed the session after a long silence: begin again
            self._back(task)
            if member.ready:
                member.ready = False
                self._also(self._prepared(member, late=True))
        elif answer.in_set_up:
            self._deaths_in_set_up += 1
            self._back(task)
            if self._deaths_in_set_up > self._cluster.slots:
                self._fail(ended_in_set_up(answer.ending))
        else:
            self._lost(task, answer.ending)
        self._hand_out()

    def _back(self, task: _Task) -> None:
        (self._suspects if task.alone else self._waiting).appendleft(task)

    def _lost(self, task: _Task, ending: str) -> None:
        if task.alone:
            self._fail(ended_twice(task.unit, ending))
        else:
            self._suspects.append(_Task(task.unit, alone=True))

    def _fail(self, error: BaseException) -> None:
        """Hand out finished results, then the error."""
        if self._failure is not None:
            return
        self._failure = error
        arriving = set(self._arriving)

        async def conclude() -> None:
            if arriving:
                await asyncio.wait(arriving)
            self.events.put(error)

        self._also(conclude())

    def _also(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(coroutine)
        self._others.add(task)
        task.add_done_callback(self._others.discard)


def _load(member: Member) -> float:
    return len(member.given) / member.slots
