"""What a project's server remembers from one start to the next, so that an open page goes on."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from epcg_core.plugin import EpcgError, documents

TOKEN_BYTES = 24
_MOST = 200
"""Bytes of a file that is read."""


class Memory:
    """The token and the port of a project's server; without a folder, a token for one start.

    The token's file can be read by its owner only, and is new if it cannot be trusted. What cannot be kept
    is not: the page then has to be opened by the address that is printed.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None or folder.is_symlink() else folder
        self.token = self._read_token() or self._new_token()
        found = self._read("port")
        self.port = int(found) if found.isascii() and found.isdecimal() and 0 < int(found) < 65536 else None
        """Where the server listened; None if that is not known."""

    def keep_port(self, port: int) -> None:
        """Remember where the server listens."""
        if port != self.port:
            self._write("port", f"{port}\n", 0o644)

    def adopt(self, token: str, port: int) -> None:
        """Keep the token and the port of a server that has opened the project, so that its tabs go on."""
        self.token = token
        self._keep_token(token)
        self.keep_port(port)

    def _read_token(self) -> str:
        found = self._read("token")
        if self._folder is None or not found:
            return ""
        state = (self._folder / "token").stat()
        own = not hasattr(os, "getuid") or state.st_uid == os.getuid()
        private = os.name != "posix" or not state.st_mode & 0o077
        return found if own and private and len(found) >= TOKEN_BYTES else ""

    def _new_token(self) -> str:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._keep_token(token)
        return token

    def _keep_token(self, token: str) -> None:
        self._write(".gitignore", "*\n", 0o644)
        self._write("token", token, 0o600)

    def _read(self, name: str) -> str:
        if self._folder is not None:
            with suppress(EpcgError):
                return documents.read_text(self._folder / name, "file", most=_MOST).strip()
        return ""

    def _write(self, name: str, text: str, mode: int) -> None:
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            with documents.replaced(self._folder / name) as part:
                opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
                with os.fdopen(opened, "w", encoding="utf-8") as file:
                    file.write(text)
