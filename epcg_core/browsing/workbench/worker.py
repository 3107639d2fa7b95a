"""A process that answers the workbench's requests, one after the other, and can be stopped at any time.

Requests and messages are lines of JSON on its stdin and stdout: {"id": 1, ...} is answered by any number of
{"id": 1, "message": {...}} and one {"id": 1, "done": true}; {"stop": 1} ends the answer early. What parts
print goes to stderr.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any, TextIO


def main() -> None:
    """Answer requests until stdin ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    stopped: set[int] = set()
    reader = threading.Thread(target=_read, args=(sys.stdin, requests, stopped), daemon=True)
    reader.start()
    from epcg_core.browsing.workbench.jobs import answer

    while (request := requests.get()) is not None:
        number = request["id"]
        if number not in stopped:
            answers = answer(request)
            for message in answers:
                _write(out, {"id": number, "message": message})
                if number in stopped:
                    break
            answers.close()
        stopped.discard(number)
        _write(out, {"id": number, "done": True})


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


if __name__ == "__main__":
    main()
