"""Who asks is told that code is being compiled, if the request wants to know."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from epcg_workbench.worker import _Compiling

from epcg_core.compiled import kernels


@pytest.fixture
def handler() -> Iterator[_Compiling]:
    logger = logging.getLogger("epcg_core.compiled")
    level, made = logger.level, _Compiling(io.StringIO())
    yield made
    logger.removeHandler(made)
    logger.setLevel(level)


def told(handler: _Compiling) -> list[dict[str, object]]:
    out = handler._out
    assert isinstance(out, io.StringIO)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_request_that_is_answered_is_told_once(
    handler: _Compiling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_SILENT_FOR_S", -1.0)
    announcement = kernels._Announcement()
    handler.number = 7
    for _ in range(3):
        announcement._tell()
    assert told(handler) == [{"id": 7, "message": {"compiling": True}}]


def test_a_request_that_does_not_want_to_know_gets_its_answer_alone(
    handler: _Compiling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_SILENT_FOR_S", -1.0)
    kernels._Announcement()._tell()
    assert told(handler) == []
