"""The command line: `epcg`.

The root command is imported inside `main`, after a signal handler and garbage collection are set: an
interrupt during the import is an interrupt. Looking for garbage among what it makes, which all stays, and
once more at the end, takes a fifth of a short run. Threads that wait to multiply matrices, which each process
would start with numpy, take a tenth of a CPU second; the environment may ask for them.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

from epcg_core.cli import interrupts

OBJECTS_BETWEEN_COLLECTIONS = 300_000
"""Instead of Python's 700 to 2,000: half as many again as a short run makes."""


def main() -> None:
    """Run the console script.

    It exits with 0 done, 1 error, 2 usage, 3 resumable, 4 a check failed, 5 cannot be checked here, 6 holds
    if others hold, 130 interrupted.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed; another file must not take its number
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers inherit it
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    try:
        interrupts.watch()
        from epcg_core.cli.app import app

        app(prog_name="epcg")
    except KeyboardInterrupt:  # during the imports, before a command can say it
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    finally:
        # All is said; a further interrupt ends the process at once, instead of being raised by what is freed.
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is interrupts.interrupt:
                signal.signal(number, signal.SIG_DFL)
        gc.freeze()  # the process ends: nothing has to be freed
