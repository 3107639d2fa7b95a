"""What the fixtures of tests/conftest.py hand out: plugins installed for a test, and a place to work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import attrs

QUERY = """
name = "{name}"
domain = "numbers"
{evaluators}
{more}
[generator]
name = "range"
size = {size}
"""


def write_plugin(
    site: Path, entry_point: str, module: str, source: str, distribution: str, version: str = "1.0"
) -> None:
    """Install a one-module plugin into the folder `site`: the module, and the metadata as pip writes it."""
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[epcg]\n{entry_point} = {module}\n")


def epcg_command(*arguments: object) -> list[str]:
    """The command line's argument vector, for subprocess."""
    return [sys.executable, "-m", "epcg_core.cli", *map(str, arguments)]


@attrs.frozen
class Workplace:
    """A folder with the toy domain at hand; the working directory of the test."""

    folder: Path

    @property
    def database(self) -> Path:
        """Where the command line records by default."""
        return self.folder / "epcg.db"

    def query(self, *evaluators: str, size: int = 100, more: str = "", name: str = "numbers") -> Path:
        """Write NAME.toml, a query over 0 .. size - 1.

        An evaluator is its name, with a param if need be: 'digits', 'slow seconds = 0.1'. `more` is further
        TOML, for example '[[select]]\\nmetric = "digits"'.
        """
        tables = ""
        for evaluator in evaluators:
            part, _, param = evaluator.partition(" ")
            tables += f'[[evaluators]]\nname = "{part}"\n{param}\n'
        path = self.folder / f"{name}.toml"
        path.write_text(QUERY.format(name=name, size=size, evaluators=tables, more=more), encoding="utf-8")
        return path

    def epcg(self, *arguments: object, timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """The command line as a process of its own, with the environment as it is now."""
        return subprocess.run(
            epcg_command(*arguments),
            cwd=self.folder, env=os.environ, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
