"""Functions that are computed in forks: what a fork uses need not be known to the process that asks."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from epcg_core.execution.apart import Apart, compile_seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs os.fork")
COMPILER = "epcg_core.compiled"


def compiled(seconds: float) -> str:
    """Import the door to the compiler, where nobody has, and compile for some seconds."""
    known = sys.modules.get(COMPILER)
    before = 0.0 if known is None else known.compile_seconds()
    sys.modules[COMPILER] = SimpleNamespace(compile_seconds=lambda: before + seconds)  # type: ignore[assignment]
    return "answered"


def test_a_fork_may_be_the_first_that_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a plugin whose kernels are first imported when its evaluator is made, and an empty cache."""
    monkeypatch.delitem(sys.modules, COMPILER, raising=False)
    before = compile_seconds()
    with Apart(compiled) as apart:
        assert [apart(2.0), apart(0.5)] == ["answered", "answered"]
    assert COMPILER not in sys.modules, "this process needs no compiler to account for its forks"
    assert compile_seconds() - before == 2.5


def test_forks_of_forks_are_accounted_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, COMPILER, raising=False)
    before = compile_seconds()

    def below(seconds: float) -> str:
        with Apart(compiled) as inner:
            return inner(seconds)

    with Apart(below) as apart:
        assert apart(1.0) == "answered"
    assert compile_seconds() - before == 1.0
