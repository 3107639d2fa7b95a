"""Plugins for tests, found by the same discovery as installed ones, here and in subprocesses.

`toy`            the domain of tests/toy_plugin.py and no other plugin; gives a `Workplace`
`install_plugin` adds a plugin that is a module's text, for tests about discovery
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:  # so that tests can share modules: from tests.workplace import ...
    sys.path.insert(0, ROOT)

from epcg_core.plugins.registry import registry  # noqa: E402
from tests.workplace import Workplace, write_plugin  # noqa: E402

hypothesis.settings.register_profile("epcg", deadline=None)  # a first example compiles; tests never time
hypothesis.settings.load_profile("epcg")

TOY_SOURCE = Path(__file__).with_name("toy_plugin.py")


@pytest.fixture
def install_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str, str, str], None]]:
    """install(entry_point, module, source, distribution): one plugin more, here and in child processes."""
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
    monkeypatch.setenv("EPCG_PLUGINS", "numbers")
    monkeypatch.delenv("EPCG_DB", raising=False)
    install_plugin("numbers", "epcg_toy", TOY_SOURCE.read_text(encoding="utf-8"), "epcg-toy")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Workplace(folder)
