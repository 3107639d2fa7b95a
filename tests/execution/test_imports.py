"""What a worker process imports before it gets its work: numpy, and nothing that only coordinators need."""

from __future__ import annotations

import subprocess
import sys

import pytest

NOT_FOR_WORKERS = (
    "sqlalchemy", "alembic", "rich", "click", "filelock", "numba", "llvmlite", "scipy", "pandas",
    "distributed", "epcg_core.store", "epcg_core.cli", "epcg_core.verification",
)  # fmt: skip


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
