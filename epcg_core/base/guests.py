"""Parts of plugins are guests: standard output, the working folder and the environment are their host's.

`hosting`   results of a command go to `output()`; all else that Python or C writes to stdout goes to stderr
`be_guest`  the same in a process that computes for another one: its stdout is its stderr
`visit`     a call of a part: the folder and the environment are afterwards what they were before
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO

OUR_VARIABLES = ("EPCG_CACHE", "EPCG_REGISTERED")
"""Variables that EPCG itself sets, for the processes that it starts, while a part may be running."""

_outputs: list[TextIO] = []
"""The stream of a command's results; empty if no command is the host."""
_visits = threading.local()
_variables: Mapping[Any, Any] = getattr(os.environ, "_data", os.environ)
"""The environment without decoding each variable, which takes a hundred times as long as a copy."""


def output() -> TextIO:
    """Return the stream for results: stdout, which parts do not reach while a command is the host."""
    return _outputs[-1] if _outputs else sys.stdout


@contextmanager
def hosting() -> Iterator[None]:
    """Keep standard output for the results of a command, from its beginning to its end.

    What parts, and libraries that they use, write there goes to stderr instead.
    """
    if _outputs:
        yield
        return
    plain, kept = sys.stdout, _kept_descriptor()
    _outputs.append(plain if kept is None else _stream_to(kept, plain))
    sys.stdout = sys.stderr
    try:
        yield
        _outputs[-1].flush()
    finally:
        ours = _outputs.pop()
        sys.stdout = plain
        if kept is not None:
            os.dup2(kept, 1)
            with suppress(OSError):  # if it cannot be written, `flush` has said so
                ours.close()


def be_guest() -> None:
    """Make the stdout of this process its stderr, for good: it computes for another process."""
    with suppress(OSError):
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    _outputs.clear()
    _visits.inside = False  # a fork may have begun in the middle of one


@contextmanager
def visit() -> Iterator[None]:
    """Call a part: afterwards the working folder and the environment are what they were before.

    Calls inside a call change nothing, so that a part may work in a folder of its own for a while.
    """
    if getattr(_visits, "inside", False):
        yield
        return
    folder, environment = _folder(), dict(_variables)
    _visits.inside = True
    try:
        yield
    finally:
        _visits.inside = False
        _put_back(folder, environment)


def _put_back(folder: str | None, environment: Mapping[Any, Any]) -> None:
    if folder is not None and _folder() != folder:
        with suppress(OSError):  # it is gone
            os.chdir(folder)
    now = dict(_variables)
    for name in {*now, *environment} if now != environment else ():
        variable = os.fsdecode(name)
        if name not in environment and variable not in OUR_VARIABLES:
            del os.environ[variable]
        elif now.get(name) != environment.get(name) and variable not in OUR_VARIABLES:
            os.environ[variable] = os.fsdecode(environment[name])


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  (ten times as fast, and asked at each visit)
    except OSError:  # it was deleted
        return None


def _kept_descriptor() -> int | None:
    """Return a new descriptor of standard output, whose own one is led to stderr.

    None if `sys.stdout` or `sys.stderr` is another stream, as in tests and notebooks.
    """
    try:
        if (sys.stdout.fileno(), sys.stderr.fileno()) != (1, 2):
            return None
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError, AttributeError):
        return None
    return kept


def _stream_to(descriptor: int, like: TextIO) -> TextIO:
    return open(
        descriptor, "w", encoding=like.encoding, errors=like.errors, buffering=1 if like.isatty() else -1
    )
