"""A process that answers the workbench's requests, one after the other, and can be stopped at any time.

Requests and messages are lines of JSON on a socket: {"id": 1, ...} is answered by
{"id": 1, "begun": true}, any number of {"id": 1, "message": {...}} and one {"id": 1, "done": true};
{"stop": 1} ends the answer early. A request with "tells" also gets the message {"compiling": true} if its
answer waits for code to be compiled. What parts print goes to stderr.
It reads requests while it imports the modules that answer them.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import socket
import threading
from contextlib import suppress
from typing import Any, TextIO

from epcg_core.inside import ignore_interrupts


def serve(connection: socket.socket) -> None:
    """Answer the server's requests until it closes its end of `connection`."""
    ignore_interrupts()
    os.dup2(2, 1)
    lines, out = (connection.makefile(mode, encoding="utf-8") for mode in ("r", "w"))
    requests: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    stopped: set[int] = set()
    reader = threading.Thread(target=_read, args=(lines, requests, stopped), daemon=True)
    reader.start()
    from epcg_workbench.jobs import answer

    compiling = _Compiling(out)
    while (request := requests.get()) is not None:
        number = request["id"]
        if number not in stopped:
            _go_to(request.get("folder"))
            compiling.number = number if request.get("tells") else None
            _write(out, {"id": number, "begun": True})
            answers = answer(request)
            for message in answers:
                _write(out, {"id": number, "message": message})
                if number in stopped:
                    break
            answers.close()
            compiling.number = None
        stopped.discard(number)
        _write(out, {"id": number, "done": True})


class _Compiling(logging.Handler):
    """Tells who asks that code is being compiled, when the core logs it."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(logging.INFO)
        self._out = out
        self.number: int | None = None
        """The request that is answered now, if it wants to know."""
        logger = logging.getLogger("epcg_core.compiled")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        if self.number is not None:
            _write(self._out, {"id": self.number, "message": {"compiling": True}})


def _go_to(folder: object) -> None:
    """Work in the folder of the server, which may have opened another project."""
    if isinstance(folder, str):
        with suppress(OSError):  # it is gone, which the answer tells
            os.chdir(folder)


def _read(lines: TextIO, requests: queue.SimpleQueue[dict[str, Any] | None], stopped: set[int]) -> None:
    for line in lines:
        request = json.loads(line)
        if "stop" in request:
            stopped.add(request["stop"])
        else:
            requests.put(request)
    os._exit(0)  # the server is gone


def _write(out: TextIO, message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()
