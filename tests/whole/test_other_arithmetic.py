"""Recorded values depend on no vector units of a processor, no library of linear algebra and no hash."""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workplace import epcg_process, recorded

NUMPY = "import numpy; print(' '.join(numpy._core._multiarray_umath.__cpu_dispatch__))"
"""numpy's own code for single kinds of processors; one that is not here is not used anyway."""
OTHER = {
    "NPY_DISABLE_CPU_FEATURES": "",
    "OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "",
    "PYTHONHASHSEED": "1",
}  # fmt: skip
MODELS = ("uniform", "softmax", "counts", "rules")
PATIENCE_S = 1200.0
LONGEST = ("snakebird", "tangram", "witness")
RUNS = {
    "fling": "fling/entropy --set generator.width=5 --set generator.height=5 --set generator.pieces=4",
    "trees": "fling/best_by_expert_ratio --set generator.pieces=3",
    "witness": "witness/one_rule --sample 40",
    "snakebird": "snakebird/levels",
    "edits": "snakebird/single_edits",
    "puzzlescript": "puzzlescript/levels",
    "tangram": "tangram/puzzles",
    "shapes": "tangram/pieces",
    "differentials": "tangram/stage3_rules --sample 20",
    "hanoi": "hanoi/hardest",
    **{f"{name}": f"{name}.toml" for name in ("uniform_policy", *MODELS)},
}
QUERY = """
domain = "fling"
generator = { name = "boards", width = 4, height = 4, pieces = 4 }
[[evaluators]]
name = "entropy"
rules = []
"""
MODEL: dict[str, Any] = {
    "format": "epcg-player", "version": 1, "domain": "fling", "play": "epcg_fling.rules.model:FlingModel",
    "fitted_on": {}, "rules": [], "rule_params": {},
    "weights": {"nearer": 1.3, "lost": -0.7, "choices": 0.31, "kind:left": 0.11, "kind:up": -0.13},
    "errors": dict.fromkeys(("nearer", "lost", "choices", "kind:left", "kind:up")),
    "strength": 3.7, "counts": {}, "classes": {"nearer left": [3, 7], "lost up": [1, 9], "nearer up": [4, 5]},
    "slip": 0.07,
}  # fmt: skip


def write_queries(folder: Path) -> None:
    """Write queries with every policy that there is."""
    (folder / "uniform_policy.toml").write_text(QUERY)
    for name in MODELS:
        model = {**MODEL, "model": name}
        (folder / f"{name}.json").write_text(json.dumps(model))
        digest = hashlib.sha256((folder / f"{name}.json").read_bytes()).hexdigest()
        params = f'policy_params = {{ model = "{name}.json", sha256 = "{digest}" }}'
        (folder / f"{name}.toml").write_text(f'{QUERY}policy = "player"\n{params}\n')


@pytest.fixture(scope="module")
def features() -> str:
    """All of numpy's code for single kinds of processors, to be disabled."""
    return subprocess.run([sys.executable, "-c", NUMPY], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly if name in LONGEST else pytest.mark.slow) for name in RUNS],
)
def test_other_arithmetic_records_the_same(
    name: str, reader: Path, features: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_queries(reader)
    settings = {"PYTHONHASHSEED": "0"}, {**OTHER, "NPY_DISABLE_CPU_FEATURES": features.strip()}
    found = []
    for number, setting in enumerate(settings):
        cache = tmp_path_factory.getbasetemp() / f"cache{number}"  # all runs share it, to compile once
        arguments = ("run", *shlex.split(RUNS[name]), "--quiet", "--db", f"{number}.db")
        done = epcg_process(*arguments, folder=reader, timeout=PATIENCE_S, EPCG_CACHE=str(cache), **setting)
        assert done.returncode == 0, done.stderr
        found.append(recorded(reader / f"{number}.db"))
        assert found[-1]["rows"] or found[-1]["chunks"]
    assert found[0] == found[1]
