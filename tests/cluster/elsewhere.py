"""A preload of `dask worker`: this worker is on another machine, as far as it can tell."""

from epcg_cluster import worker

worker.machine = lambda: "another machine"
