"""The kernels of games: written when a game is searched at length, compiled meanwhile, kept on disk."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from epcg_core.compiled.generated import GeneratedKernel
from epcg_puzzlescript.rules.kernel_source import KernelSource, TooLongError
from epcg_puzzlescript.rules.tables import Tables

LOOKED_FOR = 5_000
"""After so many positions it is looked whether the kernel is there."""
COMPILED = 200_000
"""After so many positions, about a second's work, the kernel is compiled; then it is looked for as often."""
_KEPT = 32
MOST_STRIDE = 64
Expand = Callable[..., int]


class GameKernel:
    """The kernel of a game for boards of a number of words; nothing is written before it is worth it."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._kernel: GeneratedKernel | None = None
        self._expand: Expand | None = None
        self._reason: str | None = None
        self._played = 0
        self._next: float = LOOKED_FOR
        self.words, self.changes = tables.words, tables.changes
        self.statics: tuple[int, ...] = ()
        """The objects of which it reads the planes."""

    def ready(self, positions: int) -> Expand | None:
        """Return the compiled kernel if it is there; count `positions` that are played without it."""
        if self._expand is None and self._reason is None:
            self._played += positions
            if self._played >= self._next:
                self._look()
        return self._expand

    def compile(self) -> Expand | None:
        """Return the kernel, compiled now if need be; None if the game has none."""
        if self._expand is None and self._written():
            assert self._kernel is not None
            self._expand = self._kernel.compile()
        return self._expand

    @property
    def child(self) -> subprocess.Popen[bytes] | None:
        """The process that compiles the kernel, if one was started."""
        return None if self._kernel is None else self._kernel.child

    @property
    def reason(self) -> str | None:
        """Why there is no kernel for the game; None if there is one."""
        self._written()
        return self._reason

    def _look(self) -> None:
        if not self._written():
            return
        assert self._kernel is not None
        self._expand = self._kernel.load()
        if self._expand is None and self._played >= COMPILED:
            self._kernel.compile_elsewhere()
        self._next = COMPILED if self._played < COMPILED else self._played + COMPILED // 4

    def _written(self) -> bool:
        if self._kernel is None and self._reason is None:
            tables = self._tables
            if tables.stride >= MOST_STRIDE:
                self._reason = f"the board is higher than {MOST_STRIDE - 2} cells"
                return False
            try:
                source = KernelSource(tables.game, tables.words, tables.changes)
            except TooLongError as error:
                self._reason = str(error)
                return False
            self.statics = tuple(source.statics)
            digest = sha256(source.text.encode()).hexdigest()[:16]
            self._kernel = GeneratedKernel(f"puzzlescript_{digest}", source.text)
        return self._kernel is not None


_kernels: dict[Any, GameKernel] = {}


def kernel_of(tables: Tables) -> GameKernel:
    """Return the kernel of a game on boards of as many words, the same for all levels of this process."""
    changes = tables.changes
    low = tables.stride < MOST_STRIDE
    key = (tables.game.identity, tables.words, low, changes.objects, changes.kept, changes.exclusive)
    found = _kernels.get(key)
    if found is None:
        while len(_kernels) >= _KEPT:
            _kernels.pop(next(iter(_kernels)))
        found = _kernels[key] = GameKernel(tables)
    return found
