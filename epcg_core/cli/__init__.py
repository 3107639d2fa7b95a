"""The command line: `epcg`."""

from __future__ import annotations


def main() -> None:
    """The console script.

    It exits with 0 done, 1 error, 2 usage, 3 resumable, 4 a check failed, 130 interrupted.
    """
    import signal
    import sys

    try:
        # A polite kill ends like Ctrl-C: what is finished is recorded and the message says how to go on.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        from epcg_core.cli.app import app

        app(prog_name="epcg")
    except KeyboardInterrupt:  # during the imports, before a command can say it
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
