"""Parts from a script, without an installed package: `epcg.register`, in worker processes too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError, PluginError
from epcg_core.domain import Domain, EvaluatorInfo, GeneratorInfo, Metric
from epcg_core.plugins.registry import registry
from epcg_core.plugins.scripts import REGISTERED
from tests.forks.forked import epcg_forked

PARTS = """
import epcg_core as epcg
from epcg_core.domain import *

class Coins:
    max_rank = 64

    def __init__(self, params):
        pass

    def unrank(self, rank):
        return tuple(rank >> i & 1 for i in range(6))

class Heads:
    metrics = (Metric("heads"),)

    def __init__(self, params, generator, tables):
        pass

    def evaluate(self, coins):
        return (heads(coins),)

epcg.register(Domain("coins", "Coins", "six of them",
    generators=[GeneratorInfo(name="all", summary="", factory=Coins)],
    evaluators=[EvaluatorInfo(name="heads", summary="", metrics=Heads.metrics, factory=Heads)]))

def heads(coins):
    return sum(coins)
"""
QUERY = """domain = "coins"
[generator]
name = "all"
[[evaluators]]
name = "heads"
"""
GUARDED = (
    PARTS
    + """
if __name__ == "__main__":
    run = epcg.answer("coins.toml", executor="processes", workers=2, db="coins.db")
    print(run.values("heads")[1].sum(), epcg.open("coins.db").run(1).verify().passed)
"""
)
IMPORTED = """
import parts
import epcg_core as epcg

if __name__ == "__main__":
    run = epcg.answer("coins.toml", executor="processes", workers=2, db="coins.db")
    print(run.values("heads")[1].sum(), epcg.open("coins.db").run(1).verify().passed)
"""


@pytest.mark.slow
@pytest.mark.parametrize("script", ["guarded", pytest.param("imported", marks=pytest.mark.slow)])
def test_a_script_has_parts_that_worker_processes_know(tmp_path: Path, script: str) -> None:
    (tmp_path / "coins.toml").write_text(QUERY)
    (tmp_path / "guarded.py").write_text(GUARDED)
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "imported.py").write_text(IMPORTED)
    environment = {key: value for key, value in os.environ.items() if key != REGISTERED}
    done = subprocess.run(
        [sys.executable, f"{script}.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env=environment | {"EPCG_PLUGINS": ""}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "192 True\n"
    registered = {REGISTERED: str(tmp_path / f"{script}.py"), "PYTHONPATH": str(tmp_path)}
    listed = epcg_forked("domains", folder=tmp_path, EPCG_PLUGINS="", **registered)
    assert "coins" in listed.stdout, listed.stderr
    assert not (tmp_path / "epcg.db").exists()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("EPCG_PLUGINS", "")
    monkeypatch.setenv(REGISTERED, "")
    registry.cache_clear()
    yield
    registry.cache_clear()


def dots(summary: str) -> Domain:
    return Domain(
        "dots", "Dots", summary,
        generators=[GeneratorInfo(name="all", summary="", factory="nowhere:Dots")],
        evaluators=[EvaluatorInfo(name="e", summary="", metrics=(Metric("e"),), factory="nowhere:E")],
    )  # fmt: skip


def test_a_cell_that_runs_again_replaces_its_parts(alone: None) -> None:
    for summary in ("once", "twice"):
        exec(
            "register(domain)", {"register": epcg.register, "domain": dots(summary)}
        )  # as a cell has no file
        assert registry().domain("dots").summary == summary
    assert registry().version_of(registry().domain("dots")) == "script-notebook 0"
    assert os.environ[REGISTERED] == ""


def test_wrong_parts_and_sources_are_refused(alone: None, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="'dots' is not a descriptor of a part, such as"):
        epcg.register("dots")
    wrong = EvaluatorInfo(name="e", domain="dots", summary="", metrics=(Metric("e"),), factory="nowhere:E")
    with pytest.raises(PluginError, match="The evaluator 'dots:e': unknown domain 'dots'"):
        epcg.register(wrong)
    with pytest.raises(EpcgError, match=r"is not a file: name the Python file that registers the parts\."):
        epcg.register(dots(""), source=tmp_path / "missing.py")
    assert os.environ[REGISTERED] == ""
