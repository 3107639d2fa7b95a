"""Tell users of the command line that an interrupt found code that does not return.

A thread of the command line (`epcg_core.cli.interrupts`) then ends the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

resume = ""
"""How to go on with the run that this process computes; empty if it computes none."""


@contextmanager
def resumable(how: str) -> Iterator[None]:
    """Tell meanwhile how to go on with what this process computes."""
    global resume
    resume = how
    try:
        yield
    finally:
        resume = ""
