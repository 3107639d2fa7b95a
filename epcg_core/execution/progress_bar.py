"""The progress bar of a terminal. Apart from `progress`, because it imports rich."""

from __future__ import annotations

import math
import sys
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

if TYPE_CHECKING:
    from epcg_core.execution.progress import Progress

_REFRESHES_PER_S = 4


class ProgressBar:
    """Draws a `Progress` several times a second: its clock runs on even when nothing advances."""

    def __init__(self, progress: Progress, stream: TextIO) -> None:
        self._rich = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            _Numbers(progress),
            console=Console(file=stream),
            refresh_per_second=_REFRESHES_PER_S,
            redirect_stdout=False,  # data goes there, perhaps into a pipe
            redirect_stderr=stream is sys.stderr,
        )
        self._task = self._rich.add_task(progress.title, total=1.0)
        self.show(progress.fraction)

    def start(self) -> None:
        self._rich.start()

    def show(self, fraction: float) -> None:
        """`fraction` of everything is done."""
        self._rich.update(self._task, completed=fraction)

    def stop(self) -> None:
        """Leave the last state on the screen."""
        self._rich.stop()

    def print(self, text: str) -> None:
        """Write `text` above the bar."""
        self._rich.console.print(text, markup=False, highlight=False)


class _Numbers(ProgressColumn):
    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:
        return Text(numbers(self._progress))


def numbers(progress: Progress) -> str:
    """'42 %  1.26 M of 3 M candidates  0:00:03  420 k/s  0:00:04 left'."""
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
    """A number to three digits: 999, 1.26 k, 40.1 M, 3 G, 1.20e+18."""
    for limit, scale, suffix in ((1e3, 1.0, ""), (1e6, 1e3, " k"), (1e9, 1e6, " M"), (1e12, 1e9, " G")):
        if number < 0.9995 * limit:
            return f"{number / scale:.3g}{suffix}"
    return f"{Decimal(number):.3g}"  # a whole number may be beyond the floats


def _duration(seconds: float) -> str:
    if seconds > timedelta.max.total_seconds() / 2:
        return "ages"
    return str(timedelta(seconds=round(seconds)))
