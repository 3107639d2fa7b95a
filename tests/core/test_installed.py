"""Metadata of several versions in one folder: the version is that of the code that is imported."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from epcg_core.plugins import installed
from epcg_core.plugins.registry import registry
from tests.workplace import ask_sql, epcg, write_plugin

PLUGIN = """
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric

EPCG_API_VERSION = 1
VERSION = "{version}"


class Ten:
    max_rank = 10

    def __init__(self, params): ...
    def unrank(self, rank):
        return rank


class Same:
    metrics = (Metric("same"),)

    def __init__(self, params, generator, tables): ...
    def evaluate(self, state):
        return (state,)


@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("tens", "Tens", "ten numbers"))


@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(name="ten", domain="tens", summary="ten", factory=Ten))


@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(name="same", domain="tens", summary="itself", metrics=Same.metrics, factory=Same))
"""
QUERY = 'name = "q"\ndomain = "tens"\ngenerator = { name = "ten" }\nevaluators = [{ name = "same" }]\n'
VERSIONS = ("0.9", "1.0", "2.0", "10.0")


def install(site: Path, version: str, listed: bool = True) -> None:
    """Install a version, as pip does it: code over older code, metadata beside other metadata."""
    write_plugin(site, "tens", "epcg_tens", PLUGIN.format(version=version), "epcg-tens", version)
    info = site / f"epcg_tens-{version}.dist-info"
    digest = hashlib.sha256((site / "epcg_tens.py").read_bytes()).digest()
    value = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    code = f"epcg_tens.py,sha256={value},{(site / 'epcg_tens.py').stat().st_size}\n" if listed else ""
    (info / "RECORD").write_text(f"{code}{info.name}/METADATA,,\n", encoding="utf-8")


def recorded(site: Path, folder: Path) -> tuple[str, str]:
    """What a new process records as the plugin's version, and what it warns of."""
    (folder / "query.toml").write_text(QUERY, encoding="utf-8")
    (folder / "epcg.db").unlink(missing_ok=True)
    place = os.environ | {"PYTHONPATH": str(site), "EPCG_PLUGINS": "tens"}
    command = [sys.executable, "-m", "epcg_core", "run", "query.toml", "--quiet"]
    done = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, check=True)
    ((version,),) = ask_sql(folder / "epcg.db", "SELECT version FROM plugin WHERE distribution = 'epcg-tens'")
    return version, done.stderr


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


@pytest.mark.parametrize("there", ["0.9", pytest.param("10.0", marks=pytest.mark.slow)])
def test_the_version_of_what_is_imported_is_recorded(site: Path, tmp_path: Path, there: str) -> None:
    """Whatever the order in which the folder lists them: the newer may be the stale one."""
    for version in VERSIONS:
        install(site, version)
    (site / "epcg_tens.py").write_text(PLUGIN.format(version=there), encoding="utf-8")
    version, told = recorded(site, tmp_path)
    assert version == there
    stale = ", ".join(sorted(f"epcg_tens-{other}.dist-info" for other in VERSIONS if other != there))
    assert told.count("Warning: ") == 1
    assert f"several versions of epcg-tens; what is imported is taken for {there}: remove {stale}" in told


def test_one_version_needs_no_warning(site: Path, tmp_path: Path) -> None:
    install(site, "1.0")
    assert recorded(site, tmp_path) == ("1.0", "")


@pytest.mark.parametrize("last", VERSIONS)
def test_of_versions_that_list_no_code_the_last_that_was_written_counts(
    last: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of checkouts, which list no code, and of code that was edited."""
    for version in VERSIONS:
        install(site, version, listed=False)
        for file in (site / f"epcg_tens-{version}.dist-info").iterdir():
            os.utime(file, (1, 2) if version == last else (1, 1))
    monkeypatch.syspath_prepend(str(site))
    installed._warn.cache_clear()
    with pytest.warns(UserWarning, match=f"is taken for {last}: remove "):
        assert installed.version("epcg-tens") == last


@pytest.mark.parametrize("place", ["epcg_tens-1.0.dist-info", "epcg_tens-1.0-py3.11.egg-info"])
def test_a_plugin_whose_installation_is_incomplete_is_told_by_its_folder(
    place: str, tmp_path: Path, install_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_plugin("tens", "epcg_tens", PLUGIN.format(version="1.0"), "epcg-tens")
    folder = tmp_path / "site" / "epcg_tens-1.0.dist-info"
    (folder / "METADATA").unlink()
    folder.rename(folder.with_name(place))
    monkeypatch.setenv("EPCG_PLUGINS", "tens")
    assert installed.version("epcg-tens") == "1.0"
    told = " ".join(epcg("domains", code=0).stdout.split())
    assert "None" not in told
    assert "epcg-tens 1.0, in use; its installation is incomplete: " in told
    assert f"{place} has no METADATA, so its name and version are those of that folder; install it" in told
    assert registry().version_of(registry().domain("tens")) == "epcg-tens 1.0"


def test_a_folder_without_metadata_is_no_version(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, "1.0", listed=False)
    (site / "epcg_tens-3.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(site))
    installed._warn.cache_clear()
    with pytest.warns(UserWarning, match=r"remove epcg_tens-3\.0\.dist-info there"):
        assert installed.version("epcg-tens") == "1.0"
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        installed.version("epcg-none")
