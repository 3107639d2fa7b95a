"""A progress bar in a notebook: an HTML element below the cell, which is replaced as the run goes on."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from html import escape
from typing import Any

EVERY_S = 0.25
"""The element is replaced at most so often."""


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    shell: Any = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


class NotebookBar:
    """A bar with a title and numbers; `numbers` gives their text when the bar is drawn."""

    def __init__(
        self,
        title: str,
        fraction: float,
        numbers: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title = title
        self._fraction = fraction
        self._numbers = numbers
        self._clock = clock
        self._drawn_at = 0.0
        self._ipython: Any = importlib.import_module("IPython.display")
        self._handle: Any = None

    def start(self) -> None:
        """Show the bar."""
        self._drawn_at = self._clock()
        self._handle = self._ipython.display(self._html(), display_id=True)

    def show(self, fraction: float) -> None:
        """Draw the bar again, unless it has just been drawn."""
        self._fraction = fraction
        if self._clock() - self._drawn_at >= EVERY_S:
            self._drawn_at = self._clock()
            self._handle.update(self._html())

    def print(self, text: str) -> None:
        """Write a note below the cell."""
        print(text, file=sys.stderr)

    def stop(self) -> None:
        """Draw the last state, which stays."""
        self._handle.update(self._html())

    def _html(self) -> Any:
        return self._ipython.HTML(
            f'<div style="font-size:0.9em"><progress max="1" value="{self._fraction:.4f}" '
            f'style="width:16em"></progress> {escape(self._numbers())}<br/>'
            f'<small style="overflow-wrap:anywhere">{escape(self._title)}</small></div>'
        )
