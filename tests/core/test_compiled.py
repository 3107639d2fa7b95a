"""Kernels that call kernels: one specialisation for a constant and a variable argument."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from numba import literally

from epcg_core.compiled import NotCompiledError, compiled_or_small, njit, prefers_plain, without_compiling
from epcg_core.execution.apart import Apart


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


@njit
def checked(number):
    if number < 0:
        raise ValueError("negative:", number)  # the environment of the kernel holds how to make it
    return number


@njit
def checked_twice(number):
    return checked(number) + checked(number - 1)


@njit
def checked_often(number):
    return checked_twice(number) + checked_twice(number - 2)


def library_of(kernel: Any) -> str:
    (found,) = kernel.overloads.values()
    return type(found.library).__name__


def error_of(number: int) -> tuple[object, ...]:
    with pytest.raises(ValueError, match="negative") as raised:
        checked_often(number)
    return raised.value.args


def forget(*kernels: Any) -> None:
    """As in a new process: what was compiled is in the cache only."""
    for kernel in kernels:
        kernel._reset_overloads()


def test_kernels_that_others_call_are_not_made_to_run_unless_they_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    forget(checked, checked_twice, checked_often)
    assert checked_often(5) == 5 + 4 + 3 + 2
    assert (library_of(checked), library_of(checked_twice)) == ("InnerLibrary", "InnerLibrary")
    assert library_of(checked_often) == "JITCodeLibrary"
    assert checked_twice(5) == 5 + 4
    assert library_of(checked_twice) == "JITCodeLibrary"
    assert checked_often(6) == 6 + 5 + 4 + 3


def test_errors_of_kernels_that_others_call_are_the_same_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    kernels = checked, checked_twice, checked_often
    forget(*kernels)
    told = ("negative:", -1), ("negative:", -7)
    assert (error_of(1), error_of(-7)) == told
    (outer,) = (tmp_path / "kernels").glob("*checked_often*")
    forget(*kernels)
    assert (error_of(1), error_of(-7)) == told, "all from the cache"
    outer.unlink()
    forget(*kernels)
    assert (error_of(1), error_of(-7)) == told, "a caller compiled anew, with what it calls from the cache"


def apart(compute: Callable[[], Any]) -> Any:
    """Compute something in a process that has no machine code of earlier ones."""
    with Apart(lambda _: compute()) as fork:
        return fork(None, 60.0)


def test_a_caller_is_compiled_in_a_process_that_takes_what_it_calls_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    forget(checked, checked_twice, checked_often)
    expected = 5 + 4 + 3 + 2
    assert apart(lambda: checked_often(5)) == expected, "compiled"
    assert apart(lambda: checked_often(5)) == expected, "all from the cache"
    (outer,) = (tmp_path / "kernels").glob("*checked_often*")
    outer.unlink()
    assert apart(lambda: checked_often(5)) == expected, "compiled anew, with what it calls from the cache"
    assert apart(lambda: (checked_often(5), checked_twice(5))) == (expected, 5 + 4)


def test_a_kernel_that_is_not_in_the_cache_is_not_compiled_where_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    forget(added, twice)
    with pytest.raises(NotCompiledError), without_compiling():
        twice(10)
    assert not (tmp_path / "kernels").exists()
    assert twice(10) == 10 + 11 + 20 + 12
    forget(added, twice)
    with without_compiling(plainly=True):
        assert twice(10) == 10 + 11 + 20 + 12, "it is in the cache"
        assert prefers_plain()
    assert not prefers_plain()


def test_little_work_is_done_without_kernels_that_are_not_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    forget(added, twice)
    assert compiled_or_small(lambda: twice(10), lambda: -1) == -1
    assert not (tmp_path / "kernels").exists()
    assert compiled_or_small(lambda: twice(10), lambda: None) == 10 + 11 + 20 + 12, "too much, so compiled"
    assert compiled_or_small(lambda: twice(10), lambda: -1) == 10 + 11 + 20 + 12


OTHER_NUMBA = """
from numba.core import caching
del caching._Cache
"""
KERNELS = """
import numpy as np
from epcg_core.compiled import array_njit, bare_njit, compile_seconds, lean_njit, njit

@bare_njit
def half(n):
    return n // 2

@lean_njit
def quarter(n):
    return half(half(n))

@array_njit
def quarters(n):
    return np.array([quarter(n), quarter(n + 4)])

@njit
def total(n):
    return quarters(n).sum() + quarter(n)

print(total(8), compile_seconds())
"""


FEW_KERNELS = """
from epcg_core.compiled import bare_njit, compile_seconds, njit

@bare_njit
def quarter(n):
    return n // 4

@njit
def total(n):
    return quarter(n) + quarter(n + 4)

print(total(8), compile_seconds())
"""


@pytest.mark.parametrize(
    ("kernels", "total"), [(FEW_KERNELS, 5), pytest.param(KERNELS, 7, marks=pytest.mark.slow)]
)
def test_a_numba_without_a_private_part_compiles_and_is_named(
    tmp_path: Path, kernels: str, total: int
) -> None:
    command = [sys.executable, "-c", OTHER_NUMBA + kernels]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"{total} 0.0\n"
    assert done.stderr.count("EPCG does not know numba") == 1


@pytest.mark.slow
def test_a_numba_without_a_private_part_computes_the_same(tmp_path: Path) -> None:
    digests = []
    for number, program in enumerate(
        (["-m", "epcg_core"], ["-c", f"{OTHER_NUMBA}\nfrom epcg_core.cli import main\nmain()"])
    ):
        run = [*program, "run", "fling/layers", "--set", "generator.pieces=3", "--db", f"{number}.db"]
        subprocess.run([sys.executable, *run], cwd=tmp_path, capture_output=True, check=True)
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as connection:
            digests.append(connection.execute("SELECT digest FROM run ORDER BY id").fetchall())
    assert digests[0] == digests[1]
    assert all(digest for (digest,) in digests[0])
