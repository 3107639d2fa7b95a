"""Progress of runs on stderr: a bar on a terminal, otherwise lines of JSON."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Self, TextIO, TypeAlias

from epcg_core.base.errors import QueryError
from epcg_core.execution.notebook_bar import NotebookBar, in_notebook

if TYPE_CHECKING:
    from epcg_core.execution.progress_bar import ProgressBar

LINE_EVERY_S = 10.0
ENOUGH = 0.05
"""The share of a session's candidates after which its rate alone tells the time left."""
EVERY = "EPCG_PROGRESS_SECONDS"
"""The environment variable with another time between two lines."""


ProgressListener: TypeAlias = Callable[[str, int, int], object]
"""Is called with the title of what is computed, how much of it is done, and how much it is."""
_listeners: ContextVar[tuple[ProgressListener, ...]] = ContextVar("listeners", default=())
"""Those of this thread: others may compute at the same time."""


@contextmanager
def listened_to_by(listener: ProgressListener | None) -> Iterator[None]:
    """Tell a function how each progress of this thread goes; None for no function.

    What the function raises ends what is computed, which can be resumed as after an interrupt.
    """
    token = _listeners.set((*_listeners.get(), *([] if listener is None else [listener])))
    try:
        yield
    finally:
        _listeners.reset(token)


class Progress:
    """Shows how many of `total` candidates are done. A context manager; leaving it writes the last state.

    `done` is what an earlier session did: it counts as done, but neither for the rate nor for the time left,
    which are those of this session. On a terminal a bar is drawn, and in a notebook. Elsewhere `stream`
    receives one line at most every 10 s, or as often as EPCG_PROGRESS_SECONDS says, and a last one:

        {"event": "progress", "title": ..., "done": ..., "total": ..., "unit": ...,
         "rate": candidates a second or null, "eta_s": seconds or null, "elapsed_s": seconds}
    """

    def __init__(
        self,
        title: str,
        total: int,
        done: int = 0,
        unit: str = "candidates",
        stream: TextIO | None = None,
        *,
        expected_s: float | None = None,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.title = title
        self.total = total
        self.done = done
        self.unit = unit
        self._stream = sys.stderr if stream is None else stream
        self._expected_s = expected_s
        """The time that this session is expected to take, which counts until enough is done."""
        self._quiet = quiet
        self._clock = clock
        self._every = _every()
        self._done_before = done
        self._started = self._line_at = clock()
        self._bar: ProgressBar | NotebookBar | None = None

    def __enter__(self) -> Self:
        self._started = self._line_at = self._clock()
        self._tell()
        if self._quiet:
            return self
        if in_notebook():
            self._bar = NotebookBar(self.title, self.fraction, partial(numbers, self), self._clock)
            self._bar.start()
        elif self._stream.isatty():
            from epcg_core.execution.progress_bar import ProgressBar  # rich takes a while to import

            self._bar = ProgressBar(self.title, self.fraction, partial(numbers, self), self._stream)
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        else:
            self._write_state()

    def advance(self, count: int) -> None:
        """Add `count` finished candidates."""
        self.done += count
        self._tell()
        if self._bar is not None:
            self._bar.show(self.fraction)
        elif not 0 <= self._clock() - self._line_at < self._every:
            self._write_state()

    def _tell(self) -> None:
        for listener in _listeners.get():
            listener(self.title, self.done, self.total)

    def note(self, text: str) -> None:
        """Write a note; as JSON {"event": "note", "title": ..., "text": ...}."""
        if self._bar is not None:
            self._bar.print(text)
        else:
            self._write({"event": "note", "title": self.title, "text": text})

    @property
    def elapsed_s(self) -> float:
        """Seconds of this session."""
        return max(0.0, self._clock() - self._started)

    @property
    def rate(self) -> float | None:
        """Candidates a second in this session; None until some are done."""
        fresh, elapsed = self.done - self._done_before, self.elapsed_s
        return _ratio(fresh, elapsed) if fresh > 0 and elapsed > 0 else None

    @property
    def eta_s(self) -> float | None:
        """Seconds to the end at the rate of this session; None until that is known.

        Until a twentieth of the session's candidates is done, what was expected before counts, too.
        """
        rate, expected, todo = self.rate, self._expected_s, self.total - self._done_before
        left = max(0, self.total - self.done)
        seen = None if rate is None else _ratio(left, rate)
        if expected is None or todo <= 0:
            return seen
        share = _ratio(max(0, self.done - self._done_before), todo) or 0.0
        before = max(0.0, expected * (1 - share))
        if seen is None:
            return before
        weight = min(1.0, share / ENOUGH)
        return weight * seen + (1 - weight) * before

    @property
    def fraction(self) -> float:
        """The finished share, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total > 0 else 1.0

    def _write_state(self) -> None:
        self._line_at = self._clock()
        self._write(
            {
                "event": "progress",
                "title": self.title,
                "done": self.done,
                "total": self.total,
                "unit": self.unit,
                "rate": _rounded(self.rate),
                "eta_s": _rounded(self.eta_s),
                "elapsed_s": _rounded(self.elapsed_s),
            }
        )

    def _write(self, event: dict[str, object]) -> None:
        if not self._quiet:
            print(json.dumps(event, ensure_ascii=False), file=self._stream, flush=True)


def _every() -> float:
    try:
        return max(0.0, float(os.environ.get(EVERY, LINE_EVERY_S)))
    except ValueError:
        raise QueryError(f"{EVERY} is a number of seconds, not '{os.environ[EVERY]}'.") from None


def _ratio(count: int, divisor: float) -> float | None:
    """Return count / divisor, or None if the quotient exceeds the range of floats, as for huge spaces."""
    try:
        return count / divisor
    except OverflowError:
        return None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 1)


def numbers(progress: Progress) -> str:
    """Format '42 %  1.26 M of 3 M candidates  0:00:03  420 k/s  0:00:04 left'."""
    parts = [
        f"{math.floor(100 * progress.fraction)} %",
        f"{short(progress.done)} of {short(progress.total)} {progress.unit}",
        _duration(progress.elapsed_s),
    ]
    rate, eta_s = progress.rate, progress.eta_s
    if rate is not None:
        parts.append(f"{short(rate)}/s")
    if eta_s is not None:
        parts.append(f"{_duration(eta_s)} left")
    return "  ".join(parts)


def short(number: float) -> str:
    """Format a number with three digits: 999, 1.26 k, 40.1 M, 3 G, 1.20e+18."""
    for limit, scale, suffix in ((1e3, 1.0, ""), (1e6, 1e3, " k"), (1e9, 1e6, " M"), (1e12, 1e9, " G")):
        if number < 0.9995 * limit:
            return f"{number / scale:.3g}{suffix}"
    return f"{Decimal(number):.3g}"  # a whole number may be beyond the floats


def _duration(seconds: float) -> str:
    if seconds > timedelta.max.total_seconds() / 2:
        return "ages"
    return str(timedelta(seconds=round(seconds)))
