"""The command line for what starts it by itself, a shell or a server: a client of a few lines (client.py).

The command runs in a fork of a process that has imported EPCG once.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path

import epcg_core.cli
from tests.forks import driver, forked
from tests.processes import no_workers

CLIENT = Path(__file__).with_name("client.py")
FORK = multiprocessing.get_context("fork")


def epcg_client(*arguments: object) -> list[str]:
    """Return an argument vector for `epcg ARGUMENTS`, as `epcg_command`, which starts in 30 ms."""
    return [sys.executable, "-I", "-S", str(CLIENT), str(_listening()), *map(str, arguments)]


@cache
def _listening() -> Path:
    """Return the socket at which a process waits for clients; it ends with the tests."""
    folder = Path(tempfile.mkdtemp(prefix="epcg-shell-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen()
        process = forked.fork_server().Process(target=_listen, args=(listener,))
        process.start()
    assert process.pid is not None
    no_workers.add(process.pid)
    atexit.register(process.kill)
    return folder / "socket"


def _listen(listener: socket.socket) -> None:
    tests = multiprocessing.parent_process()
    assert tests is not None
    while tests.sentinel not in wait([listener, tests.sentinel]):
        client, _ = listener.accept()
        FORK.Process(target=_attend, args=(client,)).start()
        client.close()


def _attend(client: socket.socket) -> None:
    """Run a client's command, pass its signals on, and tell it the end; if it dies, so does the command."""
    size, streams, _, _ = socket.recv_fds(client, 4, 3)
    words = os.fsdecode(client.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)).split("\0")
    command = FORK.Process(target=_run, args=(words, streams))
    command.start()
    assert command.pid is not None
    for stream in streams:
        os.close(stream)
    while command.sentinel not in wait([client, command.sentinel]):
        numbers = client.recv(16)
        for number in numbers:
            os.kill(command.pid, number)
        if not numbers:
            with suppress(ProcessLookupError):  # it has no group of its own yet
                os.killpg(command.pid, signal.SIGKILL)
            command.kill()
            break
    command.join()
    with suppress(BrokenPipeError):
        client.sendall((command.exitcode or 0).to_bytes(4, "big", signed=True))


def _run(words: Sequence[str], streams: Sequence[int]) -> None:
    os.setsid()
    folder, interrupts, count, *words = words
    environment = dict(word.split("=", 1) for word in words[int(count) :])
    driver.begin(environment, Path(folder), interrupts != "ignored", *streams)
    sys.argv[:] = ["epcg", *words[: int(count)]]
    epcg_core.cli.main()
