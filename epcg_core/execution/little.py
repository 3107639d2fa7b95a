"""Little work by plain code, if compiled code would have to be made first.

The kernels of a domain compile for 5 to 30 seconds, once; plain code measures a small puzzle in a part of a
second. Which of the two answers depends on how many calls plain code makes, not on the clock, so it is the
same on slow machines and fast ones. Plain code works in a fork, so that nothing is left half done here when
it is given up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Generic, TypeVar

from epcg_core.base.errors import EpcgError
from epcg_core.execution.apart import Apart, TimeUpError

CALLS = 10_000_000
"""Calls and returns that plain code makes before kernels are compiled: four seconds."""
_LONGEST_S = 60.0
"""CPU seconds of plain code that makes few calls, such as a library's own loops."""

R = TypeVar("R")


class UnfitError(Exception):
    """The value of plain code will not do."""


class Little:
    """Answers by compiled code that is in the cache, else by plain code if it makes few calls.

    Args:
        calls: the calls of all answers by plain code; a single one may use half of those that are left.
    """

    def __init__(self, calls: int = CALLS) -> None:
        self._left = calls

    def answer(self, compiled: Callable[[], R], plain: Callable[[], R]) -> R:
        """Return what `compiled` returns, or what `plain` does, which can be pickled.

        Args:
            compiled: computes the value by compiled code.
            plain: computes the same value by plain code. It raises UnfitError if its value will not do.
        """
        # It imports numba, and parts may import their kernels as late as they use them.
        from epcg_core.compiled import NotCompiledError, without_compiling

        try:
            with without_compiling():
                return compiled()
        except NotCompiledError:
            found = self._of_plain_code(plain)
        return found.value if found is not None else compiled()

    def _of_plain_code(self, plain: Callable[[], R]) -> _Found[R] | None:
        if sys.platform != "linux" or self._left < 2:
            return None
        most = self._left // 2
        counted = _Counted(plain, most)
        apart: Apart[None, tuple[_Found[R] | None, int]] = Apart(lambda _: counted())
        with apart as fork:
            try:
                found, used = fork(None, _LONGEST_S)
            except (EpcgError, TimeUpError):  # if compiled code fails, too, that is told
                found, used = None, most
        self._left -= used
        return found


class _Found(Generic[R]):
    """A value, which may be None."""

    def __init__(self, value: R) -> None:
        self.value = value


class _TooMuchError(BaseException):
    """Plain code made more calls than it may; no part may take it for a failure of its own."""


class _Counted(Generic[R]):
    """Calls a function, which is given up after a number of calls."""

    def __init__(self, function: Callable[[], R], most: int) -> None:
        self._function, self._most, self._left = function, most, most

    def __call__(self) -> tuple[_Found[R] | None, int]:
        """Return the function's value, None if there is none without more calls, and the number of calls."""
        from epcg_core.compiled import NotCompiledError, without_compiling

        found: _Found[R] | None = None
        sys.setprofile(self._count)
        try:
            with without_compiling(plainly=True):
                found = _Found(self._function())
        except (NotCompiledError, UnfitError, _TooMuchError):
            pass
        finally:
            sys.setprofile(None)
        return (found, self._most - self._left) if self._left >= 0 else (None, self._most)

    def _count(self, frame: FrameType, event: str, argument: Any) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooMuchError
