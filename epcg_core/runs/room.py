"""The room that runs need for their tables, compared with what there is before the first of them begins."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from epcg_core.base.errors import StoreError
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import RunSpec
from epcg_core.runs.sequence import read_run, search_of
from epcg_core.runs.tables import folder_beside
from epcg_core.search.protocol import SizedSearch
from epcg_core.store import Reader

_log = logging.getLogger(__name__)


def check_room(specs: Iterable[RunSpec], database: Path, reader: Reader) -> None:
    """Raise StoreError if the working folder of a run would not fit the disk; warn of too little memory.

    What a run records comes on top, and is not known before.
    """
    sizes = [(table_bytes(spec), _inputs(spec, reader), spec) for spec in specs]
    if not sizes:
        return
    tables, inputs, spec = max(sizes, key=lambda size: size[0] + size[1])
    left = folder_beside(database)  # by a run that was killed: it is removed before the next begins
    there = sum(path.stat().st_blocks * 512 for path in left.glob("*")) if left.is_dir() else 0
    free = shutil.disk_usage(database.parent).free + there
    what = f"{spec.title(registry())}: its tables take {gigabytes(tables)}"
    if tables + inputs > free:
        raise StoreError(
            f"There is too little room on the disk of {database}. {what}, those of the run below "
            f"{gigabytes(inputs)}, and {gigabytes(free)} are free; what is recorded comes on top. Make "
            "room, or ask for less."
        )
    memory = physical_memory()
    if memory is not None and tables > memory:
        _log.warning(
            "%s, and this machine has %s of memory: they are read from the disk again and again, so the run "
            "will be slow.", what, gigabytes(memory),
        )  # fmt: skip


def working_bytes(spec: RunSpec) -> int:
    """Return the bytes of the files in the working folder of a run: tables and inputs that it cannot miss."""
    return table_bytes(spec) + _inputs(spec)


def table_bytes(spec: RunSpec) -> int:
    """Return the bytes of the tables that all workers of a run map, beside its inputs."""
    search = search_of(spec)
    return search.working_bytes(spec) if isinstance(search, SizedSearch) else 0


def _inputs(spec: RunSpec, reader: Reader | None = None) -> int:
    """Return the bytes of the bits that a run reads: what it needs, and what is recorded of the rest."""
    return sum(
        (needed.run.max_rank + 7) // 8
        for needed in spec.inputs
        if needed.kind == "bits"
        and (needed.required or (reader is not None and read_run(needed, reader) is not None))
    )


def physical_memory() -> int | None:
    """Return the bytes of this machine's memory; None if the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def gigabytes(size: int) -> str:
    """Write a number of bytes."""
    return f"{size / 1e9:,.1f} GB"
