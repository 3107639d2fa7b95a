"""A word on stderr for whoever waits, from parts that know nothing of the command line."""

from __future__ import annotations

import sys

_silent = False


def silence() -> None:
    """Say nothing from now on: for whoever asked for quiet, for workers, and where a game is drawn."""
    global _silent
    _silent = True


def tell(sentence: str) -> None:
    """Print a sentence, unless this process was silenced."""
    if not _silent:
        print(sentence, file=sys.stderr, flush=True)
