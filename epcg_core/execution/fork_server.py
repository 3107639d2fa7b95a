"""Modules that Python's fork server imports first; nothing else imports this one.

The server starts no threads to multiply matrices, which its forks would not have. It ends without a traceback
if the system refuses to fork, because the process that asked for a fork reports it.
"""

from __future__ import annotations

import os
import sys
import types


def _end_quietly(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
    if not isinstance(error, OSError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _end_quietly
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
