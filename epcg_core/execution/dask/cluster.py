"""The coordinator's side of a dask cluster: its workers and their installed plugins.

Runs in an event loop of its own. Workers may join and leave at any time; each is asked for its installed
plugins before it gets work. The scheduler does not need EPCG.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import uuid
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

import attrs
import distributed
from distributed.client import FuturesCancelledError
from distributed.versions import VersionMismatchWarning

from epcg_core.errors import EpcgError, PluginError, RunInterruptedError
from epcg_core.execution.dask import worker
from epcg_core.execution.dask.address import check_scheduler
from epcg_core.execution.dask.inventory import Inventory, InventoryWork, differences, inventory
from epcg_core.execution.dask.table_cache import Manifest, manifest_of, piece_of
from epcg_core.execution.dask.worker import Answer, Place
from epcg_core.execution.executor import Unit
from epcg_core.execution.worker_process import unpickled

T = TypeVar("T")

_logger = logging.getLogger(__name__)

_CONNECT_S = 10.0
_UNSEEN = "127.0.0.1:0"
_SIGN_OF_LIFE_S = worker.SILENCE_S / 6
_FAREWELL_S = 5.0
"""Time limit for workers and the scheduler to disconnect."""
_PIECES_AT_ONCE = 3
_WORTH_TELLING = 2**28


class WorkerLostError(Exception):
    """A worker has left the cluster, or cannot be reached."""


@attrs.define(eq=False)
class Member:
    """A dask worker that is there."""

    address: str
    name: str
    slots: int
    """Units at a time."""
    token: str = attrs.field(factory=lambda: uuid.uuid4().hex)
    place: Place | None = None
    inventory: Inventory = attrs.field(factory=dict)
    gone: asyncio.Event = attrs.field(factory=asyncio.Event)
    given: dict[Any, asyncio.Task[None]] = attrs.field(factory=dict)
    """Its running and waiting units in the order of submission, with the tasks that await them here."""
    ready: bool = False
    """It has that work, and its tables."""

    @property
    def machine(self) -> str:
        return "" if self.place is None else f"{self.place.machine} {self.place.folder}"

    def __str__(self) -> str:
        return self.address if self.name == self.address else f"{self.name} ({self.address})"


class Cluster:
    """A connection to a scheduler, or a local cluster if `scheduler` is None."""

    def __init__(self, scheduler: str | None, workers: int) -> None:
        self.members: dict[str, Member] = {}
        self.on_join: Callable[[Member], None] = lambda member: None
        self.scheduler = scheduler
        self._workers = workers
        self._own: distributed.LocalCluster | None = None
        self._client: Any = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._manifests: dict[str, Manifest] = {}
        self._sending: dict[str, asyncio.Lock] = {}
        self._levels = _silenced()

    @property
    def slots(self) -> int:
        """Units that can be computed at a time."""
        return sum(member.slots for member in self.members.values())

    async def open(self) -> None:
        """Connect, and ask every present worker for its plugins. Raises EpcgError if that fails."""
        if self.scheduler is not None:
            check_scheduler(self.scheduler)
        try:
            if self.scheduler is None:
                self._own = await distributed.LocalCluster(
                    n_workers=1, threads_per_worker=self._workers, processes=False, asynchronous=True,
                    dashboard_address=_UNSEEN, worker_dashboard_address=_UNSEEN, memory_limit=0,
                    silence_logs=False,
                )  # fmt: skip
            self._client = distributed.Client(
                self._own or self.scheduler, asynchronous=True, set_as_default=False, timeout=_CONNECT_S,
                name="epcg",
            )  # fmt: skip
            await self._client
        except (OSError, ValueError) as error:  # a TimeoutError is an OSError
            raise EpcgError(
                f"There is no dask scheduler at {self.scheduler} ({_first_line(error)}). Start one with "
                "`dask scheduler` and workers with `dask worker ADDRESS`, or leave --scheduler out to use "
                "workers of this machine."
            ) from error
        self._client.subscribe_topic("all", self._on_event)
        self._keep(self._give_signs_of_life())
        known = (await self._client.scheduler.identity(n_workers=-1))["workers"]
        await asyncio.gather(*(self._join(address, info) for address, info in known.items()))
        if not self.members:
            raise EpcgError(
                f"The dask scheduler at {self.scheduler} has no workers that can be reached. Start some with "
                f"`dask worker {self.scheduler}`."
            )

    async def close(self) -> None:
        """Take leave."""
        for task in list(self._tasks):
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await asyncio.gather(
                    *(self.call(member, worker.close_session) for member in self.members.values()),
                    return_exceptions=True,
                )
        for thing in (self._client, self._own):
            if thing is not None:
                with suppress(TimeoutError, OSError):
                    async with asyncio.timeout(_FAREWELL_S):
                        await thing.close()
        for logger, level in self._levels.items():
            logging.getLogger(logger).setLevel(level)

    async def call(self, member: Member, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function in a worker, beside its units. Raises WorkerLostError."""
        call = self._client.run(function, member.token, *args, workers=[member.address])
        return (await self.while_there(member, call))[member.address]

    async def while_there(self, member: Member, doing: Awaitable[T]) -> T:
        """Wait for something that `member` does. Raises WorkerLostError when it leaves meanwhile."""
        task, gone = asyncio.ensure_future(doing), asyncio.ensure_future(member.gone.wait())
        try:
            await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise WorkerLostError(member.address)
            return task.result()
        except (OSError, KeyError) as error:  # KeyError: it has forgotten its session
            raise WorkerLostError(member.address) from error
        finally:
            gone.cancel()
            if not task.done():
                task.cancel()

    def submit(self, member: Member, number: int, unit: Unit) -> Any:
        """Submit a unit; return dask's future of its Answer."""
        return self._client.submit(
            worker.compute, member.token, number, Unit(unit.start, unit.count), pickle.dumps(unit),
            key=f"epcg-{uuid.uuid4().hex}", workers=[member.address], allow_other_workers=False, pure=False,
        )  # fmt: skip

    async def done(self, member: Member, future: Any) -> None:
        """Wait until a future is computed. Raises WorkerLostError; RunInterruptedError without scheduler."""
        with self._client.as_current():
            waiting = distributed.wait([future])
        try:
            await self.while_there(member, waiting)
        except FuturesCancelledError:  # by the client, which has lost its scheduler
            raise _no_scheduler(self.scheduler) from None

    async def answer(self, member: Member, future: Any) -> Answer:
        """Return the result of a finished future. Raises WorkerLostError and dask's own errors."""
        try:
            found: Answer = await self.while_there(member, _uncancelled(self._client.gather(future)))
        except distributed.scheduler.KilledWorker as error:
            raise WorkerLostError(member.address) from error
        finally:
            future.release()
        return found

    def wrong(self, member: Member, needs: Iterable[str]) -> str | None:
        """Return a sentence if a worker lacks one of `needs`, 'distribution version' each; else None."""
        if self._own is not None:
            return None  # processes of this very installation
        found = "; ".join(differences(inventory(), member.inventory, needs))
        if not found:
            return None
        return (
            f"The worker {member} cannot take part: {found}. Install the same there, and start the worker "
            "again."
        )

    def check(self, needs: Iterable[str]) -> None:
        """Raise PluginError if a worker lacks one of `needs`, with a sentence for each such worker."""
        wrong = [self.wrong(member, needs) for member in list(self.members.values())]
        if found := [sentence for sentence in wrong if sentence]:
            raise PluginError("\n".join(found))

    def _on_event(self, event: tuple[float, dict[str, Any]]) -> None:
        _, what = event
        if what.get("action") == "add-worker":
            self._keep(self._join_later(what["worker"]))
        elif what.get("action") == "remove-worker":
            self._lose(what["worker"])

    def _keep(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join_later(self, address: str) -> None:
        known = (await self._client.scheduler.identity(n_workers=-1))["workers"]
        if address not in known:
            return
        try:
            await self._join(address, known[address])
        except EpcgError as error:
            _logger.info(str(error))
            return
        if address in self.members:
            self.on_join(self.members[address])

    async def _join(self, address: str, info: dict[str, Any]) -> None:
        """Add a worker to the members. Raises PluginError if it has no working EPCG."""
        if address in self.members:
            return
        member = Member(address, str(info["name"]), int(info["nthreads"]))
        self.members[address] = member
        try:
            await self.open_session(member)
            if self._own is None:
                member.inventory = await self._inventory(member)
        except WorkerLostError:
            self._lose(address)
        except EpcgError:
            self._lose(address)
            raise
        except (ImportError, AttributeError, TypeError, pickle.UnpicklingError) as error:
            self._lose(address)
            version = inventory()["epcg-core"].version
            raise PluginError(
                f"The worker {member} cannot take part: it has no epcg-core {version} "
                f"({_first_line(error)}), which is here. Install epcg-core and the plugins there, and start "
                "the worker again."
            ) from error

    async def open_session(self, member: Member) -> None:
        """Open a session in a worker. Raises WorkerLostError."""
        member.place = await self.call(member, worker.open_session)

    async def _inventory(self, member: Member) -> Inventory:
        await self.call(member, worker.begin_work, 0, pickle.dumps(InventoryWork()), None)
        unit = Unit(0, 0)
        future = self.submit(member, 0, unit)
        await self.done(member, future)
        answer = await self.answer(member, future)
        if answer.kind in ("ended", "unknown"):
            ending = answer.ending or "it forgot its session"
            raise PluginError(f"The worker {member} cannot take part: its process ended ({ending}).")
        _, content = unpickled(0, answer.content, unit)
        if answer.kind == "failed":
            raise PluginError(f"The worker {member} cannot take part: {content.error()}")
        found: Inventory = content
        return found

    def _lose(self, address: str) -> None:
        member = self.members.pop(address, None)
        if member is not None:
            member.gone.set()

    async def _give_signs_of_life(self) -> None:
        while True:
            await asyncio.sleep(_SIGN_OF_LIFE_S)
            await asyncio.gather(
                *(self.call(member, worker.keep_session) for member in self.members.values()),
                return_exceptions=True,
            )

    async def places(self, member: Member, files: Iterable[str]) -> dict[str, str]:
        """Return the path of each file for a worker, after sending files that its machine lacks.

        Raises WorkerLostError, and EpcgError if the machine has no room for them.
        """
        assert member.place is not None
        paths = list(files)
        marks: list[object] = [None] * len(paths)
        if member.place.machine == worker.machine():
            marks = await self.call(member, worker.file_marks, paths)
        places = {}
        for path, there in zip(paths, marks, strict=True):
            same = there is not None and there == worker.file_mark(path)
            places[path] = path if same else await self._send(member, path)
        return places

    async def _send(self, member: Member, path: str) -> str:
        if path not in self._manifests:
            self._manifests[path] = await asyncio.to_thread(manifest_of, path)
        manifest = self._manifests[path]
        async with self._sending.setdefault(member.machine, asyncio.Lock()):
            while True:
                missing, place = await self._file_call(member, worker.missing_pieces, manifest)
                if not missing:
                    return str(place)
                if manifest.size >= _WORTH_TELLING:
                    _logger.info(
                        f"Sending a table of {manifest.size / 2**30:.1f} GiB to the machine of {member}."
                    )
                limit = asyncio.Semaphore(_PIECES_AT_ONCE)

                async def send(index: int, limit: asyncio.Semaphore = limit) -> None:
                    async with limit:
                        data = await asyncio.to_thread(piece_of, path, index)
                        await self._file_call(member, worker.write_piece, manifest, index, data)

                sending = [asyncio.ensure_future(send(index)) for index in missing]
                try:
                    await asyncio.gather(*sending)
                finally:
                    for task in sending:
                        task.cancel()

    async def _file_call(self, member: Member, function: Callable[..., Any], *args: Any) -> Any:
        try:
            return await self.call(member, function, *args)
        except RunInterruptedError as error:
            raise RunInterruptedError(f"The worker {member} cannot take part: {error}.") from error

    def forget_files(self) -> None:
        """Forget files, whose content may change from now on."""
        self._manifests.clear()


def _uncancelled(doing: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
    """Return a future that survives the cancellation of its waiters.

    dask's client requests several results at once with one shared future. If a cancelled waiter cancelled
    that future, all other waiters would be cancelled too.
    """
    task = asyncio.ensure_future(doing)
    task.add_done_callback(
        lambda task: task.cancelled() or task.exception()
    )  # marks the exception as retrieved
    return asyncio.shield(task)


def _no_scheduler(address: str | None) -> RunInterruptedError:
    return RunInterruptedError(f"The dask scheduler at {address} is gone. Recorded values are kept.")


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")


def _silenced() -> dict[str, int]:
    """Keep what dask logs from the user, who reads of it in our sentences; the levels as they were."""
    warnings.simplefilter("ignore", VersionMismatchWarning)
    levels = {}
    for name in [*logging.Logger.manager.loggerDict, "distributed"]:
        if name.partition(".")[0] in ("distributed", "tornado"):
            levels[name] = logging.getLogger(name).level
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return levels
