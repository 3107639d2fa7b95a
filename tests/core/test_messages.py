"""The message that kernels are being compiled: logged once, and shown on stderr by the command line."""

from __future__ import annotations

import logging

import pytest
from numba.core import event

from epcg_core.cli.logs import hide_messages, show_messages
from epcg_core.compiled import kernels


@pytest.fixture(autouse=True)
def not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels._announcement, "told", False)
    monkeypatch.setattr(kernels, "_SILENT_FOR_S", 0.0)
    show_messages()


def compile_three_kernels() -> None:
    for _ in range(3):
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            pass


def test_long_compiling_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    compile_three_kernels()
    assert capsys.readouterr().err == f"{kernels._COMPILING}\n"


def test_short_compiling_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(kernels, "_SILENT_FOR_S", 3600.0)
    compile_three_kernels()
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_after_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    hide_messages()
    compile_three_kernels()
    assert capsys.readouterr().err == ""


def test_it_is_a_record_of_the_module_that_compiles(caplog: pytest.LogCaptureFixture) -> None:
    compile_three_kernels()
    assert caplog.record_tuples == [("epcg_core.compiled", logging.INFO, kernels._COMPILING)]
