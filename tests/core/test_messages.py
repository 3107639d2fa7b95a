"""What is said, once, while kernels are compiled."""

from __future__ import annotations

import pytest
from numba.core import event

from epcg_core import compiled, messages


@pytest.fixture(autouse=True)
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_silent", False)
    monkeypatch.setattr(compiled._announcement, "told", False)


def compile_three_kernels() -> None:
    for _ in range(3):
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            pass


def test_long_compiling_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiled, "_SILENT_FOR_S", 0.0)
    compile_three_kernels()
    assert capsys.readouterr().err == f"{compiled._COMPILING}\n"


def test_short_compiling_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(compiled, "_SILENT_FOR_S", 3600.0)
    compile_three_kernels()
    assert capsys.readouterr().err == ""


def test_whoever_asked_for_quiet_is_told_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiled, "_SILENT_FOR_S", 0.0)
    messages.silence()
    compile_three_kernels()
    assert capsys.readouterr().err == ""
