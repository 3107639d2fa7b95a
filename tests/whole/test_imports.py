"""What commands may import: help, completion and listings start in a breath, with all plugins installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

ARRAYS = r"numpy|numba|scipy|pandas"
DATABASE = r"sqlalchemy|alembic|sqlite3"
PARAMS = r"epcg_(core\.(?!base)\w+|fling|witness|snakebird|tangram|puzzlescript|deduction|pcgbench)\.params"
SPACES = r"epcg_core\.(combinatorics|curriculum|query\.(spec|query|assembling)|search\.(?!shortest_path))"
STUDIES = r"epcg_\w+\.studies\.\w+"
PLUGINS = r"epcg_core\.(domain|plugins\.registry)|" + "|".join(
    sorted({point.module.partition(".")[0] for point in entry_points(group="epcg")})
)

MAY_NOT: dict[str, tuple[list[str], dict[str, str], str]] = {
    "help": (["--help"], {}, f"{ARRAYS}|{DATABASE}|{PARAMS}|{SPACES}|{STUDIES}"),
    "help of a command": (["run", "--help"], {}, f"{ARRAYS}|{DATABASE}|{PARAMS}|{SPACES}|{PLUGINS}"),
    "version": (["--version"], {}, f"{ARRAYS}|{DATABASE}|{PLUGINS}"),
    "completion": (
        [],
        {"_EPCG_COMPLETE": "bash_complete", "COMP_WORDS": "epcg r", "COMP_CWORD": "1"},
        f"{ARRAYS}|{DATABASE}|{PARAMS}|{SPACES}|{STUDIES}",
    ),
    "completion of queries": (
        [],
        {"_EPCG_COMPLETE": "bash_complete", "COMP_WORDS": "epcg run fling/l", "COMP_CWORD": "2"},
        f"{ARRAYS}|{DATABASE}|{PARAMS}|{SPACES}|{STUDIES}",
    ),
    "completion of metrics": (
        [],
        {"_EPCG_COMPLETE": "bash_complete", "COMP_WORDS": "epcg top 1 --", "COMP_CWORD": "3"},
        f"{ARRAYS}|sqlalchemy|alembic|{PARAMS}|{SPACES}|{STUDIES}|{PLUGINS}",
    ),
    "domains": (["domains"], {}, f"{ARRAYS}|{DATABASE}|epcg_core\\.curriculum|{STUDIES}"),
    "sql": (
        ["sql", "SELECT 1", "--db", "none.db"],
        {},
        f"{ARRAYS}|alembic|{PARAMS}|{SPACES}|{STUDIES}|{PLUGINS}",
    ),
}
"""What is asked: its arguments, its environment, and the modules that it may not import."""


@pytest.mark.sweep(3)
@pytest.mark.parametrize("what", MAY_NOT)
def test_a_command_imports_little(what: str) -> None:
    arguments, environment, forbidden = MAY_NOT[what]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "epcg_core.cli", *arguments],
        capture_output=True, text=True, check=False, timeout=60, env=os.environ | environment,
    )  # fmt: skip
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "epcg_core.cli" in imported
    assert done.stdout or what == "sql", done.stderr[-2000:]
    assert sorted(name for name in imported if re.fullmatch(rf"({forbidden})(\..*)?", name)) == []
