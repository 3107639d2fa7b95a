"""Compiled code: the only module that imports numba.

Numba's on-disk cache looks only at the file that holds a kernel, so a kernel whose *helper*, in another
module, has changed would be run stale; and it writes an entry in two steps, between which a killed process
leaves an old answer under a new name. Therefore kernels have a cache of their own: each is kept under a
digest of its bytecode, of all functions that it calls and constants that it reads (`ingredients`), the types
of its arguments, the processor and the versions of Python, numba, llvmlite and numpy. What is there is loaded
without numba's compiler, whose registered functions take 0.3 s to set up, and more if scipy is installed.

Importing this module takes about a quarter of a second, so commands that compute nothing must not; it
touches no file.

Rules for kernels (measured with numba 0.68): module-level functions that call other module-level kernels
by name; one signature each (C-contiguous read-only inputs, int64 scalars), because each variation is
compiled again; constants that they read do not change while the program runs; loops instead of an array's
`max()`, `sum()` or `np.searchsorted`, whose code, once compiled, loads numba's compiler (and scipy) with it;
`copy_row` instead of assigning an array to a row or a slice, which compiles the text of an error message.

Kernels are built on parts of numba that it does not publish (`kernels`, `inner`). With a version of numba
that lacks one of them, numba's own `njit` compiles them in every process, and a warning says so, once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled.entries import (
    NotCompiledError,
    cache_folder,
    compiled_or_small,
    prefers_plain,
    without_compiling,
)

__all__ = [
    "NotCompiledError",
    "array_njit",
    "bare_njit",
    "cache_folder",
    "compiled_or_small",
    "compile_seconds",
    "lean_njit",
    "njit",
    "prefers_plain",
    "read_only",
    "warm",
    "without_compiling",
]

config: Any = numba.config  # numba's own types are incomplete

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T", bound=np.generic)

try:
    from epcg_core.compiled.kernels import compile_seconds, compiled
except (ImportError, AttributeError) as error:
    warnings.warn(
        f"EPCG does not know numba {numba.__version__} ({error}), so every process compiles its kernels "
        "again: install a version of numba that epcg-core asks for.",
        stacklevel=2,
    )

    def compiled(function: F, **options: Any) -> F:
        """Compile by numba alone."""
        made: Any = numba.njit(nogil=True)(function)
        return cast(F, made)

    def compile_seconds() -> float:
        """Return 0: how long numba compiles is not measured."""
        return 0.0


def _compiled(function: F, **options: Any) -> F:
    return function if config.DISABLE_JIT else compiled(function, **options)


def njit(function: F) -> F:
    """Compile `function` in no-Python mode, cached on disk, releasing the GIL."""
    return _compiled(function)


def bare_njit(function: F) -> F:
    """Compile like `njit`, without reference counts, inlined into callers: for kernels that make no arrays.

    Worth it if short kernels with many arrays call each other: counting the references of their arguments
    and passing them took two thirds of an expansion of 1 us.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def lean_njit(function: F) -> F:
    """Compile like `bare_njit`, without inlining: for longer kernels that make no arrays."""
    return _compiled(function, _nrt=False)


def array_njit(function: F) -> F:
    """Compile like `njit`, with reference counts also if a bare kernel calls it: for those that make arrays.

    A kernel compiled by `njit` takes over from its first caller whether references are counted, so it would
    depend on the order of compilation whether it may make arrays.
    """
    return _compiled(function, _nrt=True)


def warm(compute: Callable[[], object]) -> None:
    """Compute something while parts are made, so that its kernels are compiled before workers start.

    If nothing is to be compiled, because plain code may do, kernels that are not in the cache stay so.
    """
    with suppress(NotCompiledError):
        compute()


def read_only(array: NDArray[T]) -> NDArray[T]:
    """Return `array` as kernels want inputs: C-contiguous, read-only, plain; copied only if it must be."""
    if type(array) is np.ndarray and not array.flags.writeable and array.flags.c_contiguous:
        return array
    plain = np.ascontiguousarray(array).view(np.ndarray)
    plain.flags.writeable = False
    return plain
