"""What servers remember from one start to the next, so that an open page goes on: a key, and their ports.

The key, the token, is that of the user: it lies in the user's folder of states, so that a page of any project
goes on with whichever workbench of the user serves it next. A project remembers where it was served.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

import filelock

from epcg_core.plugin import EpcgError, documents

TOKEN_BYTES = 24
TOKEN = "token"
"""The name of the token's file."""
PATIENCE = 10.0
"""Seconds in which another server has to end its start."""
_MOST = 200
"""Bytes of a file that is read."""


def user_token(folder: Path) -> str:
    """Return the token that is kept in a folder of the user, or make one.

    Its file can be read by its owner only, and is new if it cannot be trusted. A token that cannot be kept is
    one for this start: the page has to be opened by the address that is printed then.
    """
    lock = filelock.FileLock(folder / f"{TOKEN}.lock", timeout=PATIENCE)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(NotImplementedError, filelock.Timeout):  # a file system without locks
            lock.acquire()
    try:
        found = _kept_token(folder)
        if not found:
            found = secrets.token_urlsafe(TOKEN_BYTES)
            _write(folder / TOKEN, found, 0o600)
        return found
    finally:
        with suppress(OSError):
            lock.release()


def _kept_token(folder: Path) -> str:
    path = folder / TOKEN
    found = _read(path)
    try:
        state = path.lstat()
    except OSError:
        return ""
    own = not hasattr(os, "getuid") or state.st_uid == os.getuid()
    private = os.name != "posix" or not state.st_mode & 0o077
    return found if own and private and len(found) >= TOKEN_BYTES else ""


class Memory:
    """The port of a server, in a folder; without a folder, nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None or folder.is_symlink() else folder
        found = "" if self._folder is None else _read(self._folder / "port")
        self.port = int(found) if found.isascii() and found.isdecimal() and 0 < int(found) < 65536 else None
        """Where the server listened; None if that is not known."""

    def keep_port(self, port: int) -> None:
        """Remember where the server listens."""
        if self._folder is not None and port != self.port:
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
            _write(self._folder / ".gitignore", "*\n", 0o644)
            _write(self._folder / "port", f"{port}\n", 0o644)


def _read(path: Path) -> str:
    with suppress(EpcgError):
        return documents.read_text(path, "file", most=_MOST).strip()
    return ""


def _write(path: Path, text: str, mode: int) -> None:
    with suppress(OSError), documents.replaced(path) as part:
        opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(text)
