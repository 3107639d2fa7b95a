"""The command line: `epcg`."""

from __future__ import annotations


def main() -> None:
    """The console script. It exits with 0 done, 1 error, 2 usage, 3 resumable, 4 a check failed."""
    import signal

    from epcg_core.cli.app import app

    # A polite kill ends like Ctrl-C: what is finished is recorded and the message says how to go on.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    app(prog_name="epcg")
