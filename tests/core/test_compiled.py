"""Kernels that call kernels: one specialisation for a constant and a variable argument."""

from __future__ import annotations

from pathlib import Path

import pytest
from numba import literally

from epcg_core.compiled import njit


@njit
def added(number, more):
    return number + more


@njit
def twice(number):
    return added(0, number) + added(number, 1) + added(number, number) + added(more=2, number=number)


@njit
def chosen(pair, index):
    return pair[literally(index)]


@njit
def second(number):
    return chosen((number, 0.5), 1)


def test_a_constant_argument_makes_no_specialisation_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))  # empty, so that `twice` is compiled
    assert twice(10) == 10 + 11 + 20 + 12
    assert len(added.signatures) == 1
    assert added(0, 1) == 1
    assert len(added.signatures) == 1, "neither does a call from Python"


def test_a_kernel_that_needs_a_literal_has_one() -> None:
    assert second(3) == 0.5
