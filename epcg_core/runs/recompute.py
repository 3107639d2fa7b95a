"""Recorded ranks computed again: by plain code as far as a time goes, else by compiled code.

Plain code shares no kernel with a run, so it also finds mistakes of the kernels. It can take a thousand times
as long, so its time has a limit; the ranks beyond are computed by compiled code, and counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from epcg_core.base.errors import PLUGIN_EXCEPTIONS
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.scores import Score, block_scores, score_difference
from epcg_core.chunks.solutions import Solution
from epcg_core.domain import Metric, Value
from epcg_core.execution import Unit, as_epcg_error
from epcg_core.execution.apart import Apart, TimeUpError, cpu_seconds
from epcg_core.search.protocol import Checker

PLAIN_SECONDS = 60.0
"""The time that plain code gets unless a caller says otherwise."""
GRACE_SECONDS = 5.0
"""Seconds of plain code beyond its time, so that a rank that was expected to fit is seldom given up."""
_SLOWER = 300
"""Factor by which plain code is expected to be slower than compiled code, until it has been measured."""


class Recomputation:
    """Computes ranks of a run again, and counts by which code."""

    def __init__(
        self,
        checker: Checker,
        metrics: Sequence[Metric],
        seconds: float = PLAIN_SECONDS,
        limited: bool = True,
    ) -> None:
        """Give plain code `seconds` of CPU time, or all that it needs if there is no compiled code.

        Unless it is `limited`, a rank is computed to its end in this process even if it takes longer.
        """
        self._checker = checker
        plain = partial(plain_block, checker)
        self._plain: Callable[[int, float], Block] = Apart(plain) if limited else lambda rank, _: plain(rank)
        self._fast: Apart[int, Block] | None = None
        self._metrics = metrics
        self._left = seconds
        self._slower = float(_SLOWER)
        self._longest = 0.0
        self.plain = 0
        """Number of ranks computed by plain code alone."""
        self.slow = 0
        """Number of ranks for which plain code would have taken too long."""
        self.solutions: Sequence[Solution] | None = None
        """The solutions of the last rank that was compared; None if the search does not find any."""
        self.without = Counter[str]()
        """Number of ranks for which a part had no plain form, by its name."""

    def blocks(self, rank: int) -> list[tuple[Block, bool]]:
        """Compute a rank by each code that applies: (block, whether by plain code), plain code last."""
        compiled = self._checker.compiled
        if compiled is None:
            return [(self._counted(plain_block(self._checker, rank)), True)]
        begun = time.thread_time()
        with _errors_of(rank):
            found = [(compiled(rank, 1), False)]
        taken = max(time.thread_time() - begun, 1e-6)
        self._longest = max(self._longest, taken)
        # What an evaluator does once, for its first state, plain code has to do once, too.
        expected = taken if self.plain else self._longest
        if expected * self._slower > self._left:
            self.slow += 1
            return found
        begun = cpu_seconds()
        try:
            found.append((self._counted(self._plain(rank, self._left + GRACE_SECONDS)), True))
        except TimeUpError:  # it grows faster than compiled code: no other rank is tried
            self._left = 0.0
            self.slow += 1
            return found
        spent = cpu_seconds() - begun
        self._left -= spent
        self._slower = max(self._slower, spent / taken)
        return found

    def soon(self, rank: int, seconds: float) -> Block | None:
        """Compute a rank by the fastest code; None if it takes longer than `seconds`."""
        if self._fast is None:
            solve = self._checker.compiled or self._checker.plain
            self._fast = Apart(lambda each: solve(each, 1))
        try:
            return self._fast(rank, seconds)
        except TimeUpError:
            return None

    def block(self, rank: int) -> Block:
        """Compute a rank by the best code that applies."""
        return self.blocks(rank)[-1][0]

    def bounds(self, rank: int) -> Sequence[Value | None]:
        """Compute the bounds of the partial states that lead to a rank of a search that prunes."""
        assert self._checker.bounds is not None
        with _errors_of(rank):
            return self._checker.bounds(rank)

    def _counted(self, block: Block) -> Block:
        self.without.update(block.compiled)
        self.plain += not block.compiled
        return block

    def difference(self, rank: int, recorded: Sequence[Score] | None) -> str | None:
        """Say how a rank computed again differs from its record; None if it agrees.

        Compiled code must agree bit for bit; plain code may round reals in another order where there is
        compiled code that agrees.
        """
        found = self.blocks(rank)
        self.solutions = found[-1][0].solutions
        for block, plain in found:
            now = block_scores(block, self._metrics, rank)
            text = score_difference(self._metrics, recorded, now, close=plain and len(found) > 1)
            if text is not None:
                return text
        return None

    @property
    def forms(self) -> str:
        """The code that computed how many ranks, such as 'by plain code (12) and compiled code ...'."""
        compiled = [f"{number:,} because {name} has no plain form" for name, number in self.without.items()]
        if self.slow:
            compiled.append(f"{self.slow:,} because plain code would have taken too long")
        if not compiled:
            return "by plain code"
        plain = f"by plain code ({self.plain:,}) and " if self.plain else "by "
        return f"{plain}compiled code ({'; '.join(compiled)})"


def plain_block(checker: Checker, rank: int) -> Block:
    """Compute a rank by plain code."""
    with _errors_of(rank):
        return checker.plain(rank, 1)


@contextmanager
def _errors_of(rank: int) -> Iterator[None]:
    """Turn whatever a part raises into an EpcgError that names the rank."""
    try:
        yield
    except PLUGIN_EXCEPTIONS as error:
        raise as_epcg_error(error, Unit(rank, 1)) from error
