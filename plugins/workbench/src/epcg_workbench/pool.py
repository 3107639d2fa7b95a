"""The workbench's processes, seen from the server: requests as streams of messages that can be stopped."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from typing import Any

from epcg_core.inside import Process, start_process
from epcg_core.plugin import EpcgError
from epcg_workbench import worker

PATIENCE = 0.05
"""Seconds that a process has to stop a job by itself before it is replaced."""
LONGEST_LINE = 64 * 2**20
"""Bytes of one message."""
LOST: dict[str, Any] = {
    "error": "The process that computed this ended. It is started anew.",
    "expected": False,
}
_PRELOAD = ("numba", "epcg_workbench.jobs")
"""Modules that processes would import one by one, half a second each."""


class Worker:
    """One process, started when it is first needed and again when it has ended."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._answers: dict[int, asyncio.Queue[dict[str, Any] | None]] = {}
        self._requests: dict[int, Mapping[str, Any]] = {}
        self._begun: dict[int, Callable[[], None]] = {}
        self._stopping: set[asyncio.Task[None]] = set()
        self._next = 0
        self._starting = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process's number; None if none is running."""
        return None if self._process is None else self._process.pid

    @property
    def busy(self) -> int:
        """How many requests are not answered to the end."""
        return len(self._answers)

    async def start(self) -> None:
        """Start the process if none is running. Raises EpcgError if the system starts no further process."""
        async with self._starting:
            if self._process is not None and self._process.exitcode is None:
                return
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    self._process = await asyncio.to_thread(
                        start_process, worker.serve, theirs, name="epcg workbench", preload=_PRELOAD
                    )
                except OSError as error:
                    ours.close()
                    raise EpcgError(
                        f"No process could be started for this ({error}): end other programs and try again."
                    ) from error
            reader, self._writer = await asyncio.open_connection(sock=ours, limit=LONGEST_LINE)
            self._listening = asyncio.create_task(self._listen(self._process, reader, self._writer))

    async def ask(
        self, request: Mapping[str, Any], begun: Callable[[], None] | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the messages that answer a request. Closing the iterator stops the job.

        Args:
            request: what `epcg_workbench.jobs.answer` takes.
            begun: called when the process begins with the request, which may have to start, or to end another
                request, before.
        """
        try:
            await self.start()
        except EpcgError as error:
            yield {"error": str(error), "expected": True}
            return
        self._next += 1
        number = self._next
        answers: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._answers[number], self._requests[number] = answers, {**request, "id": number}
        if begun is not None:
            self._begun[number] = begun
        ended = False
        try:
            await self._send(self._requests[number])
            while (message := await answers.get()) is not None:
                yield message
            ended = True
        finally:
            self._begun.pop(number, None)  # the request was given up, or answered
            if ended:
                self._forget(number)
            else:
                task = asyncio.create_task(self._stop(number, answers))
                self._stopping.add(task)
                task.add_done_callback(self._stopping.discard)

    async def stopped(self) -> None:
        """Wait until all jobs that were stopped have ended."""
        for task in list(self._stopping):
            await task

    async def close(self) -> None:
        """End the process."""
        await self.stopped()
        if self._process is not None:
            await _killed(self._process)
        if self._listening is not None:
            await self._listening

    async def _send(self, line: Mapping[str, Any]) -> None:
        if self._process is None or self._writer is None:  # it has ended: the listener tells everybody
            return
        with suppress(ConnectionError):
            self._writer.write(json.dumps(line).encode() + b"\n")
            await self._writer.drain()

    async def _listen(
        self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while line := await _next_line(reader):
            found = json.loads(line)
            answers = self._answers.get(found["id"])
            if "begun" in found:
                self._begun.get(found["id"], lambda: None)()
            elif answers is not None:
                answers.put_nowait(None if found.get("done") else found["message"])
        writer.close()
        await _killed(process)
        if self._process is process:
            self._process = None
            self._tell_all_lost()

    def _tell_all_lost(self) -> None:
        for answers in self._answers.values():
            answers.put_nowait(LOST)
            answers.put_nowait(None)

    async def _stop(self, number: int, answers: asyncio.Queue[dict[str, Any] | None]) -> None:
        """Stop a job: by asking, and if that takes too long, by ending the process.

        Other requests are asked again then. A job that still waits behind another is left to the process.
        """
        try:
            await self._send({"stop": number})
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    while await answers.get() is not None:
                        pass
                return
            if any(other < number for other in self._answers):
                return
            process, self._process = self._process, None
            self._forget(number)
            if process is not None:
                await _killed(process)
            try:
                await self.start()
            except EpcgError:
                self._tell_all_lost()
            for request in list(self._requests.values()):
                await self._send(request)
        finally:
            self._forget(number)

    def _forget(self, number: int) -> None:
        self._answers.pop(number, None)
        self._requests.pop(number, None)
        self._begun.pop(number, None)


async def _next_line(reader: asyncio.StreamReader) -> bytes:
    """Read a line; empty at the end, even if the process was killed."""
    try:
        return await reader.readline()
    except ConnectionError:
        return b""


async def _killed(process: Process) -> None:
    """Kill a process and wait for its end."""
    if process.exitcode is None:
        process.kill()
    await asyncio.to_thread(process.join)
