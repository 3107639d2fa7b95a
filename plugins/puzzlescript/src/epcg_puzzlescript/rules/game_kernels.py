"""The kernels of games: written when a game is searched at length, compiled meanwhile, kept on disk."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from epcg_core.plugin import GeneratedKernel
from epcg_puzzlescript.rules.kernel_source import KernelSource
from epcg_puzzlescript.rules.large_source import LargeSource
from epcg_puzzlescript.rules.plane_writer import TooLongError
from epcg_puzzlescript.rules.shared_source import SharedSource
from epcg_puzzlescript.rules.solver_source import SolverSource
from epcg_puzzlescript.rules.tables import Tables

LOOKED_FOR = 5_000
"""After so many positions it is looked whether the kernel is there."""
COMPILED = 200_000
"""After so many positions, about a second's work, the kernel is compiled."""
LEVELS_LOOKED_FOR, LEVELS_COMPILED = 20, 500
"""The same for kernels that search levels, in levels."""
TRIED = 10_000
"""After so many turns a kernel is given up that leaves more than half of them to the interpreter."""
_KEPT = 32
MOST_STRIDE = 64
Expand = Callable[..., int]
SOURCES: tuple[type[KernelSource], ...] = (KernelSource, LargeSource, SharedSource)


class GameKernel:
    """A kernel of a game for boards of a number of words; nothing is written before it is worth it.

    Args:
        tables: those of the game for boards of one size.
        sources: make its source, the fastest ones first; the first that is not too long is taken.
        looked_for: after so much work it is looked whether the kernel is there.
        compiled: after so much work the kernel is compiled; then it is looked for four times as often.
    """

    def __init__(
        self,
        tables: Tables,
        sources: Sequence[type[KernelSource]] = SOURCES,
        looked_for: int | None = None,
        compiled: int | None = None,
    ) -> None:
        self._tables, self._sources = tables, sources
        self._compiled = COMPILED if compiled is None else compiled
        self._kernel: GeneratedKernel | None = None
        self._expand: Expand | None = None
        self._reason: str | None = None
        self._played = self._done = self._left = 0
        self._next = LOOKED_FOR if looked_for is None else looked_for
        self.words, self.changes = tables.words, tables.changes
        self.statics: tuple[int, ...] = ()
        """The objects of which it reads the planes."""
        self.room = 0
        """The words of room that it works in, beside those of a row."""
        self.table: tuple[int, ...] = ()
        """The table that it reads behind the data of a level."""

    def ready(self, work: int) -> Expand | None:
        """Return the compiled kernel if it is there; count the `work` that is done without it."""
        if self._expand is None and self._reason is None:
            self._played += work
            if self._played >= self._next:
                self._look()
        return self._expand

    def note(self, done: int, left: int) -> None:
        """Count the turns of the kernel and those that it left; give it up if these are most."""
        self._done, self._left = self._done + done, self._left + left
        if self._done > TRIED and 2 * self._left > self._done:
            self._expand, self._reason = None, "it would leave most turns to the interpreter"

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
        if self._expand is None and self._played >= self._compiled:
            self._kernel.compile_elsewhere()
        self._next = max(self._compiled, self._played + self._compiled // 4)

    def _written(self) -> bool:
        if self._kernel is None and self._reason is None:
            tables = self._tables
            if tables.stride >= MOST_STRIDE:
                self._reason = f"the board is higher than {MOST_STRIDE - 2} cells"
                return False
            try:
                source = self._source_of(tables)
            except TooLongError as error:
                self._reason = str(error)
                return False
            self.statics, self.room, self.table = tuple(source.statics), source.room, tuple(source.table)
            digest = sha256(source.text.encode()).hexdigest()[:16]
            self._kernel = GeneratedKernel(f"puzzlescript_{digest}", source.text)
        return self._kernel is not None

    def _source_of(self, tables: Tables) -> KernelSource:
        """Return the fastest source that is not too long. Raises TooLongError."""
        for source in self._sources[:-1]:
            with suppress(TooLongError):
                return source(tables.game, tables.words, tables.changes)
        return self._sources[-1](tables.game, tables.words, tables.changes)


_kernels: dict[Any, GameKernel] = {}


def kernel_of(tables: Tables) -> GameKernel:
    """Return the kernel that plays a game on boards of as many words, the same for all of this process."""
    return _kept(tables, "expand", lambda: GameKernel(tables))


def solver_of(tables: Tables) -> GameKernel:
    """Return the kernel that searches levels (`solver_source`), the same for all of this process."""
    return _kept(
        tables, "solve", lambda: GameKernel(tables, [SolverSource], LEVELS_LOOKED_FOR, LEVELS_COMPILED)
    )


def _kept(tables: Tables, what: str, make: Callable[[], GameKernel]) -> GameKernel:
    changes = tables.changes
    low = tables.stride < MOST_STRIDE
    key = (what, tables.game.identity, tables.words, low, changes.objects, changes.kept, changes.exclusive)
    found = _kernels.get(key)
    if found is None:
        while len(_kernels) >= _KEPT:
            _kernels.pop(next(iter(_kernels)))
        found = _kernels[key] = make()
    return found
