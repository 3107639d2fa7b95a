"""Plugins for tests, found by the same discovery as installed ones, here and in subprocesses.

`toy`            the domain of tests/toy_plugin.py and nothing else; gives a `Workplace`
`install_plugin` adds a plugin made of a module's text, for tests about discovery
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from epcg_core.plugins import registry

TOY_SOURCE = Path(__file__).with_name("toy_plugin.py")

QUERY = """
name = "{name}"
domain = "numbers"
[generator]
name = "range"
size = {size}
{evaluators}
{more}
"""


def write_plugin(
    site: Path, entry_point: str, module: str, source: str, distribution: str, version: str = "1.0"
) -> None:
    """Install a one-module plugin into the folder `site`: the module and the metadata that pip would write."""
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[epcg]\n{entry_point} = {module}\n")


@attrs.frozen
class Workplace:
    """A folder with the toy domain at hand; the working directory of the test."""

    folder: Path

    @property
    def database(self) -> Path:
        """Where the command line records by default."""
        return self.folder / "epcg.db"

    def query(
        self, *evaluators: str, size: int = 100, more: str = "", name: str = "numbers", file: str = ""
    ) -> Path:
        """Write a query over 0 .. size - 1, with evaluators such as 'digits' or 'slow seconds = 0.1'.

        `more` is TOML to append, for example '[[select]]\\nmetric = "digits"'.
        """
        tables = ""
        for name_and_param in evaluators:
            part, _, param = name_and_param.partition(" ")
            tables += f'[[evaluators]]\nname = "{part}"\n{param}\n'
        path = self.folder / (file or f"{name}.toml")
        path.write_text(QUERY.format(name=name, size=size, evaluators=tables, more=more), encoding="utf-8")
        return path

    def epcg(self, *arguments: object, timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """The command line as a process of its own."""
        return subprocess.run(
            epcg_command(*arguments),
            cwd=self.folder, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip


def epcg_command(*arguments: object) -> list[str]:
    """The command line's argument vector, for subprocess."""
    return [sys.executable, "-m", "epcg_core.cli", *map(str, arguments)]


@pytest.fixture
def install_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str, str, str], None]]:
    """install(entry_point, module, source, distribution): a plugin more, in this process and its children."""
    site = tmp_path / "site"
    site.mkdir()
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(str(site))
    modules: list[str] = []

    def install(entry_point: str, module: str, source: str, distribution: str) -> None:
        write_plugin(site, entry_point, module, source, distribution)
        modules.append(module)
        importlib.invalidate_caches()
        registry.cache_clear()

    yield install
    for module in modules:
        sys.modules.pop(module, None)
    registry.cache_clear()


@pytest.fixture
def toy(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workplace:
    """The toy domain alone (EPCG_PLUGINS=numbers), in an empty working directory without EPCG_DB."""
    install_plugin("numbers", "epcg_toy", TOY_SOURCE.read_text(encoding="utf-8"), "epcg-toy")
    monkeypatch.setenv("EPCG_PLUGINS", "numbers")
    monkeypatch.delenv("EPCG_DB", raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Workplace(folder)
