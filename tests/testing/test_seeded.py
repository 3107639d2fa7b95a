"""mypy finds the mistakes that are seeded into a plugin, line by line, and nothing where there is none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from epcg_testing.new_domain import plugin_files

SEEDED = Path(__file__).with_name("seeded.py.txt")
ROOT = Path(__file__).parents[2]


def mypy(folder: Path, *arguments: object, path: Path | None = None) -> str:
    """What `mypy --strict` prints, with the caches of the repository's own checks."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--follow-imports=silent",
         "--cache-dir", str(folder / "cache"), *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | ({} if path is None else {"MYPYPATH": str(path)}),
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_scaffold_is_strictly_typed(tmp_path: Path) -> None:
    for name, text in plugin_files("demo").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert (tmp_path / "src" / "epcg_demo" / "py.typed").exists()
    assert mypy(tmp_path, tmp_path / "src" / "epcg_demo", path=tmp_path / "src") == ""


@pytest.mark.slow
def test_seeded_mistakes_are_found(tmp_path: Path) -> None:
    plugin = tmp_path / "seeded.py"
    plugin.write_text(SEEDED.read_text(encoding="utf-8"), encoding="utf-8")
    told = mypy(tmp_path, plugin)
    found = {int(line) for line in re.findall(r"seeded\.py:(\d+): error:", told)}
    lines = plugin.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(wrong) >= 14
    assert found == wrong, told
