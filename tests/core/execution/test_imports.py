"""What a worker process imports before it gets its work: numpy, and nothing that only coordinators need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from epcg_core.compiled import entries
from epcg_core.plugins import sources
from epcg_core.plugins.sources import sources_of
from epcg_core.runs.worker import RunWork
from tests.workplace import Numbers

NOT_FOR_WORKERS = (
    "sqlalchemy", "alembic", "rich", "click", "filelock", "numba", "llvmlite", "scipy", "pandas",
    "distributed", "epcg_core.store", "epcg_core.cli", "epcg_core.verification",
)  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize(
    "modules",
    ["epcg_core.execution.worker", "epcg_core.execution.worker, epcg_core.runs.worker"],
    ids=["process", "work"],
)
def test_a_worker_imports_nothing_that_only_its_coordinator_needs(modules: str) -> None:
    text = f"import sys, {modules}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    found = done.stdout.split()
    assert "epcg_core.execution.worker" in found
    assert [name for name in NOT_FOR_WORKERS if name in found] == []


def test_setting_work_up_imports_no_database() -> None:
    """Discovery, the query, its search and plugins: a worker does all that, and never opens the database."""
    text = (
        "import sys\n"
        "from epcg_core.plugins.registry import registry\n"
        "from epcg_core.domain import SearchInfo, resolve\n"
        "import epcg_core.execution.worker, epcg_core.runs.worker\n"
        "for info in registry().all(SearchInfo):\n"
        "    resolve(info.factory)(registry())\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    found = done.stdout.split()
    assert "epcg_core.search.exhaustive" in found
    assert [name for name in ("sqlalchemy", "alembic", "rich", "epcg_core.store") if name in found] == []


def test_a_run_of_parts_without_kernels_imports_no_numba(toy: Numbers) -> None:
    """Which takes as long as all else that such a run does before it computes."""
    text = (
        "import sys\n"
        "import epcg_core.cli\n"
        "try:\n"
        "    epcg_core.cli.main()\n"
        "finally:\n"
        "    print(*sorted(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", text, "run", str(toy.file("digits")), "--executor", "serial", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = done.stderr.split()
    assert "epcg_core.search.exhaustive" in found
    assert [name for name in ("numba", "llvmlite", "epcg_core.compiled") if name in found] == []


def test_workers_begin_with_numba_if_a_part_has_kernels() -> None:
    for modules, expected in (
        (["epcg_core.search.exhaustive"], False),
        (["epcg_core.search.exhaustive", "epcg_core.combinatorics.permutations"], True),
    ):
        assert sources_of(modules).has_kernels is expected
        work = RunWork({}, "", (), 1, has_kernels=expected)
        assert ("epcg_core.compiled" in work.preload) is expected


def test_what_files_import_is_remembered_beside_the_kernels() -> None:
    assert sources._Imports._file().parent == entries.cache_folder().parent
