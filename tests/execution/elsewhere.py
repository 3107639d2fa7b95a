"""A preload of `dask worker`: this worker is on another machine, as far as it can tell."""

from epcg_core.execution import cluster_worker

cluster_worker.machine = lambda: "another machine"
