"""What a part does to its host: what it writes to stdout, and what it changes of folder and environment."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Self

import attrs

_OURS = ("EPCG_CACHE",)
"""Variables that the core sets for the processes that it starts."""


@attrs.define
class Seen:
    """What was done while a part was watched."""

    printed: str = ""
    """What was written to standard output, by Python or by C."""
    folder: str = ""
    """The working folder afterwards; empty if it is still the same."""
    variables: tuple[str, ...] = ()
    """The names of environment variables that are others now."""


@attrs.frozen
class Home:
    """The working folder and the environment of the host."""

    folder: str
    variables: Mapping[str, str]

    @classmethod
    def now(cls) -> Self:
        """Return those of this moment."""
        return cls(os.getcwd(), dict(os.environ))  # noqa: PTH109

    def restore(self) -> tuple[str, tuple[str, ...]]:
        """Put both back; return the folder that was another one, and the names of variables that were."""
        folder = ""
        with suppress(OSError):  # it was deleted
            folder = os.getcwd()  # noqa: PTH109
        os.chdir(self.folder)
        now = dict(os.environ)
        names = {name for name in {*now, *self.variables} if now.get(name) != self.variables.get(name)}
        for name in names.difference(_OURS):
            os.environ.pop(name, None)
            if name in self.variables:
                os.environ[name] = self.variables[name]
        return "" if folder == self.folder else folder, tuple(sorted(names.difference(_OURS)))


@contextmanager
def watched() -> Iterator[Seen]:
    """Watch what is done inside, and undo it."""
    seen, plain, home = Seen(), sys.stdout, Home.now()
    plain.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as sys.stdout:
                yield seen
        finally:
            sys.stdout = plain
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            seen.printed = file.read().decode("utf-8", "replace")
            seen.folder, seen.variables = home.restore()
