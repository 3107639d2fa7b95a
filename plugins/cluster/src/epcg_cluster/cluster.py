"""The coordinator's side of a dask cluster: the client, and which dask workers have which plugins.

Dask workers join and leave as dask lets them; each is asked once for its installed plugins. The scheduler
needs no EPCG.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import attrs
import distributed
from distributed.versions import VersionMismatchWarning

from epcg_cluster import worker
from epcg_cluster.address import check_scheduler
from epcg_cluster.inventory import Inventory, differences, inventory
from epcg_core.plugin import EpcgError, PluginError, RunInterruptedError

GONE = (OSError, KeyError)
"""Raised by the client for a dask worker that has left, or cannot be reached."""
_UNSEEN = "127.0.0.1:0"
_CONNECT_S = 10.0
_FAREWELL_S = 5.0


@attrs.define
class Host:
    """A dask worker that has joined."""

    address: str
    name: str
    threads: int
    late: bool
    """It joined after the connection was made: if it cannot take part, the work goes on without it."""
    inventory: Inventory | None = None
    """Its plugins; None if they are those of this very process."""
    problem: str = ""
    """Why it can do no work at all."""
    processes: Any = None
    """A future of its worker processes."""

    def __str__(self) -> str:
        return self.address if self.name == self.address else f"{self.name} ({self.address})"

    def refusal(self, needs: Iterable[str]) -> str:
        """Return why it cannot do work with these needs, 'distribution version' each; '' if it can."""
        why = self.problem
        if not why and self.inventory is not None:
            why = "; ".join(differences(inventory(), self.inventory, needs))
            why += ". Install the same there, and start the worker again" if why else ""
        return f"The worker {self} cannot take part: {why}." if why else ""


class Cluster:
    """A connection to a scheduler, or a cluster inside this process if `scheduler` is None."""

    def __init__(self, scheduler: str | None, workers: int) -> None:
        """Connect, and meet the workers that are there. Raises EpcgError if there is none of either."""
        self.scheduler = scheduler
        self.hosts: dict[str, Host] = {}
        """The dask workers that are there, by their addresses."""
        self.told: set[str] = set()
        """Warnings that were given."""
        self.client: Any = None
        self._own: Any = None
        if scheduler is not None:
            check_scheduler(scheduler)
        self._levels = _silenced()
        try:
            if scheduler is None:
                self._own = distributed.LocalCluster(
                    n_workers=1, threads_per_worker=workers, processes=False, dashboard_address=_UNSEEN,
                    worker_dashboard_address=_UNSEEN, memory_limit=0, silence_logs=False,
                )  # fmt: skip
            self.client = distributed.Client(
                self._own or scheduler, set_as_default=False, timeout=_CONNECT_S, name="epcg"
            )
            self.meet(late=False)
            if not self.hosts:
                raise EpcgError(
                    f"The dask scheduler at {scheduler} has no workers that can be reached. Start some with "
                    f"`dask worker {scheduler}`."
                )
        except (OSError, ValueError) as error:  # a TimeoutError is an OSError
            self.close()
            raise EpcgError(
                f"There is no dask scheduler at {scheduler} ({_first_line(error)}). Start one with "
                "`dask scheduler` and workers with `dask worker ADDRESS`, or leave --scheduler out to use "
                "workers of this machine."
            ) from error
        except BaseException:
            self.close()
            raise

    @property
    def connected(self) -> bool:
        return bool(self.client.status == "running")

    def interrupted(self, what: str) -> RunInterruptedError:
        """Return the error for a run whose scheduler does something."""
        return RunInterruptedError(
            f"The dask scheduler at {self.scheduler} {what}. Recorded values are kept."
        )

    def close(self) -> None:
        """Disconnect, and end the workers of a cluster inside this process."""
        for thing in (self.client, self._own):
            if thing is not None:
                with suppress(TimeoutError, OSError):
                    thing.close(timeout=_FAREWELL_S)
        for logger, level in self._levels.items():
            logging.getLogger(logger).setLevel(level)

    def meet(self, late: bool = True) -> None:
        """Ask dask workers that have joined for their plugins, and forget those that have left."""
        threads = self.client.nthreads()
        for address in self.hosts.keys() - threads.keys():
            self.hosts.pop(address, None)
        new = [address for address in threads if address not in self.hosts]
        if not new:
            return
        known = self.client.scheduler_info(n_workers=-1)["workers"]
        found = self.run(worker.installed, workers=new) if self._own is None else dict.fromkeys(new)
        for address in new:
            answer = found[address]
            if isinstance(answer, GONE) or address not in known:
                continue
            host = Host(address, str(known[address]["name"]), threads[address], late)
            if isinstance(answer, PluginError):
                host.problem = str(answer)
            elif isinstance(answer, Exception):
                version = inventory()["epcg-core"].version
                host.problem = (
                    f"it has no epcg-core {version} ({_first_line(answer)}), which is here. Install "
                    "epcg-core and the plugins there, and start the worker again"
                )
            else:
                host.inventory = answer
            self.hosts[address] = host

    def put(self, name: str, value: Any, host: Host) -> Any:
        """Put a value on a dask worker, under the name followed by its address; return the future.

        Raises one of `GONE`.
        """
        key = name + host.address
        return self.client.scatter({key: value}, workers=[host.address])[key]

    def run(self, function: Callable[..., Any], *args: Any, workers: Iterable[str]) -> dict[str, Any]:
        """Call a function in dask workers, beside their units; return its results or errors by address."""
        addresses = list(workers)
        if not addresses:
            return {}
        found: dict[str, Any] = self.client.run(function, *args, workers=addresses, on_error="return")
        return found


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")


def _silenced() -> dict[str, int]:
    """Silence dask's log, because our sentences say the same; return the levels of its loggers."""
    warnings.simplefilter("ignore", VersionMismatchWarning)
    levels = {}
    for name in [*logging.Logger.manager.loggerDict, "distributed"]:
        if name.partition(".")[0] in ("distributed", "tornado"):
            levels[name] = logging.getLogger(name).level
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return levels
