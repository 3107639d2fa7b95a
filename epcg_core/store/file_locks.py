"""Tell whether a file system has locks: some have none, and some grant every lock to everybody."""

from __future__ import annotations

import os
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path


def fault_of_locks(path: Path) -> str | None:
    """Lock a file beside `path`, and look whether a second attempt is refused; None if it is.

    Locks of other computers cannot be detected from here.

    Returns:
        What is wrong, if the file system has no locks or only pretends to.

    Raises:
        OSError: if no file can be made there, say; that tells nothing of locks.
    """
    if sys.platform == "win32":
        return None  # locks are the system's there, not the file system's
    import errno
    import fcntl

    descriptor, other = _nameless_file(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return "it grants one lock twice"
        except BlockingIOError:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if sys.platform == "linux":
            # A process's own locks never stand in its way; only a lock of an open file meets them.
            asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            found = asked
            with suppress(OSError):  # a kernel that has no such locks, so it remains unknown
                found = fcntl.fcntl(other, fcntl.F_OFD_GETLK, asked)
            if struct.unpack("hhqqi4x", found)[0] == fcntl.F_UNLCK:
                return "it forgets a lock at once"
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL):
            raise
        return error.strerror
    finally:
        os.close(other)
        os.close(descriptor)
    return None


def _nameless_file(path: Path) -> tuple[int, int]:
    """Open a new file without a name beside `path` twice, so that a process that is killed leaves nothing."""
    with suppress(AttributeError, OSError):  # Linux alone has such files, and not on every file system
        descriptor = os.open(path.parent, os.O_TMPFILE | os.O_RDWR)
        try:
            return descriptor, os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR)
        except OSError:
            os.close(descriptor)
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".try", dir=path.parent)
    try:
        return descriptor, os.open(name, os.O_RDWR)
    finally:
        Path(name).unlink()
