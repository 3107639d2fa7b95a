"""The progress bar of a terminal. Apart from `progress`, because it imports rich."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress as RichProgress, ProgressColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

_REFRESHES_PER_S = 4


class ProgressBar:
    """A title, a bar and the string of `numbers`, drawn several times a second so that its clock runs on."""

    def __init__(self, title: str, fraction: float, numbers: Callable[[], str], stream: TextIO) -> None:
        self._rich = RichProgress(
            TextColumn("{task.description}", markup=False, table_column=_one_line(ratio=2)),
            BarColumn(None, table_column=_one_line(ratio=1)),
            _Numbers(numbers),
            console=Console(file=stream),
            refresh_per_second=_REFRESHES_PER_S,
            expand=True,
            redirect_stdout=False,  # data goes there, perhaps into a pipe
            redirect_stderr=stream is sys.stderr,
        )
        self._task = self._rich.add_task(title, total=1.0)
        self.show(fraction)

    def start(self) -> None:
        self._rich.start()

    def show(self, fraction: float) -> None:
        """Show that `fraction` of the work is done."""
        self._rich.update(self._task, completed=fraction)

    def stop(self) -> None:
        """Leave the last state on the screen."""
        self._rich.stop()

    def print(self, text: str) -> None:
        """Write `text` above the bar."""
        self._rich.console.print(text, markup=False, highlight=False)


def _one_line(ratio: int | None = None) -> Column:
    """Make a column whose text is cut where a narrow terminal ends; a second line would be left behind."""
    return Column(no_wrap=True, overflow="ellipsis", ratio=ratio)


class _Numbers(ProgressColumn):
    def __init__(self, numbers: Callable[[], str]) -> None:
        super().__init__(table_column=_one_line())
        self._numbers = numbers

    def render(self, task: Task) -> Text:
        return Text(self._numbers())
