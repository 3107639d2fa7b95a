"""Show the log messages of the core on stderr. Modules outside the command line use `logging` alone."""

from __future__ import annotations

import logging
import sys

_core = logging.getLogger("epcg_core")


class _StderrHandler(logging.Handler):
    """Print each message, without level or time, to the `sys.stderr` of the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr, flush=True)


_handler = _StderrHandler()


def show_messages() -> None:
    """Show the core's messages on stderr."""
    _core.setLevel(logging.INFO)
    _core.addHandler(_handler)


def hide_messages() -> None:
    """Show none from now on: for `--quiet`, and while a screen is drawn."""
    _core.setLevel(logging.ERROR)
