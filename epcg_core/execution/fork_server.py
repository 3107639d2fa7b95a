"""What Python's fork server imports last, and nothing else imports.

The server ends without a traceback if the system refuses to fork, because the process that asked for a fork
reports it. Its forks do not search for garbage among what it imported, so they share that memory.
"""

from __future__ import annotations

import gc
import sys
import types


def _end_quietly(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
    if not isinstance(error, OSError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _end_quietly
gc.freeze()
