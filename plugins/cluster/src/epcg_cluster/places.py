"""The dask workers that have a work: it is brought to them, with its tables, and they may then compute units.

A work on a dask worker is a value that dask keeps there for a future of the coordinator. A table is written
to a file there, in pieces, unless the worker sees the coordinator's own file: as a value of dask it would lie
in the memory of the dask worker, where worker processes cannot map it.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from epcg_cluster import worker
from epcg_cluster.cluster import GONE, Cluster, Host
from epcg_cluster.worker import Processes, WorkHere
from epcg_core.inside import TravellingWork, Work, pickled
from epcg_core.plugin import RunInterruptedError, documents

ALL = 2**20
"""The resource that a dask worker is given, of which a unit needs 1; more than any has threads."""
_PIECE = 2**23
"""Bytes of a table in one message."""
_WORTH_TELLING = 2**28

_logger = logging.getLogger(__name__)


class Places:
    """One work on the workers of a cluster. `open` and `look` are called by one thread at a time."""

    def __init__(self, cluster: Cluster, resource: str, work: Work[Any], unit_timeout: float | None) -> None:
        """Pickle the work. Raises EpcgError if that fails."""
        self.name = f"epcg-work-{uuid.uuid4().hex}-"
        """With the address of a dask worker, the key of the work there."""
        self.over = threading.Event()
        """Set when the work is brought nowhere any more."""
        self._cluster = cluster
        self._resource = resource
        self._unit_timeout = unit_timeout
        self._payload = pickled(work.at({}) if isinstance(work, TravellingWork) else work)
        self._needs, self._files = (work.needs, work.files) if isinstance(work, TravellingWork) else ((), ())
        self._futures: dict[str, Any] = {}
        """Map addresses of dask workers to the work there, which dask frees when its future is released."""
        self._refused: set[str] = set()

    @property
    def slots(self) -> int:
        """Number of units that can be computed at a time."""
        hosts = dict(self._cluster.hosts)
        return sum(hosts[address].threads for address in list(self._futures) if address in hosts)

    def look(self) -> bool:
        """Forget dask workers that have left, and bring the work to those that have joined.

        Returns whether the work had been on no worker and now is on one.
        """
        self._cluster.meet()
        for address in self._futures.keys() - self._cluster.hosts.keys():
            self.forget(address)
        alone = not self._futures
        self.open(late=True)
        return alone and bool(self._futures)

    def forget(self, address: str) -> None:
        """Have the work freed on a dask worker; `look` brings it again if the worker is there."""
        if (future := self._futures.pop(address, None)) is not None:
            future.release()

    def close(self) -> None:
        """Have the work freed everywhere."""
        for address in list(self._futures):
            self.forget(address)

    def open(self, late: bool = False) -> None:
        """Bring the work and its tables to the dask workers that lack it, and give them the resource.

        Raises RunInterruptedError if one has no room for the tables; if it is `late`, that is a warning.
        """
        new: dict[str, Any] = {}
        for host in list(self._cluster.hosts.values()):
            if host.address in self._futures or host.address in self._refused:
                continue
            if refusal := host.refusal(self._needs):
                self._refuse(host, f"{refusal} It gets nothing to do.")
                continue
            with suppress(*GONE):
                if host.processes is None or host.processes.status != "finished":
                    host.processes = self._cluster.put(self._resource, Processes(), host)
                work = WorkHere(self._payload, self._unit_timeout)
                new[host.address] = self._cluster.put(self.name, work, host)

        def each(function: Callable[..., Any], *args: Any, among: list[str] | None = None) -> dict[str, Any]:
            """Call a function in new workers; leave those out of `new` in which it fails."""
            found = self._cluster.run(function, *args, workers=list(new) if among is None else among)
            for address, error in found.items():
                if isinstance(error, Exception):
                    del new[address]
                    host = self._cluster.hosts.get(address)
                    if host is not None and not isinstance(error, GONE):
                        self._refuse(host, f"The worker {host} cannot take part: {error}.", error, late)
            return found

        marks = {path: worker.mark_of(path) for path in self._files}
        missing = each(worker.begin_work, self.name, self._resource, marks)
        for path in self._files:
            lack = [address for address in new if path in missing[address]]
            size = Path(path).stat().st_size
            if lack and size >= _WORTH_TELLING:
                _logger.info(f"Sending a table of {documents.size_in_words(size)} to {len(lack)} workers.")
            with Path(path).open("rb") as file:
                while not self.over.is_set() and (lack := [address for address in lack if address in new]):
                    offset = file.tell()
                    if piece := file.read(_PIECE):
                        each(worker.write_piece, self.name, path, size, offset, piece, among=lack)
                    else:
                        break
        each(worker.supply, self._resource, ALL)
        if not self.over.is_set():
            self._futures |= new

    def _refuse(self, host: Host, sentence: str, error: Exception | None = None, late: bool = True) -> None:
        """Leave a dask worker out of this work, with a warning if it is `late`, else with an error."""
        if not late:
            raise RunInterruptedError(sentence) from error
        if sentence not in self._cluster.told:
            self._cluster.told.add(sentence)
            _logger.warning(sentence)
        self._refused.add(host.address)
        if not host.problem:  # it may have been given the resource for another work
            self._cluster.run(worker.supply, self._resource, 0, workers=[host.address])
