"""The plugin: the executor `dask`. Light, because every command reads it; using it imports distributed."""

from collections.abc import Callable

from epcg_core.plugin import ExecutorInfo, hookimpl

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_executors(register: Callable[[ExecutorInfo], None]) -> None:
    register(
        ExecutorInfo(
            name="dask",
            summary="compute on a dask cluster: this machine's own, or the workers of a scheduler",
            factory="epcg_cluster.executor:ClusterExecutor",
            has_scheduler=True,
        )
    )
