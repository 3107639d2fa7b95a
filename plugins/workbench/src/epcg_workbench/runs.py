"""Commands that the workbench starts: each in a process of its own, which goes on without the page."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from epcg_core.plugin import documents

Message = dict[str, Any]
PROGRESS_SECONDS = "1"
"""The time between two lines of progress."""


@attrs.define(eq=False)
class Running:
    """A process that answers a query."""

    number: int
    title: str
    toml: str
    """The query; '' if a recorded run is resumed."""
    options: tuple[str, ...]
    """Further words of the command line."""
    words: tuple[str, ...] = ()
    """Another command than one that answers a query or resumes a run."""
    says: str = ""
    """The message when it has finished; '' names the recorded runs."""
    file: str = ""
    """The file of the folder that it writes, to be opened when it has finished; '' if there is none."""
    state: Literal["running", "finished", "stopped", "failed"] = "running"
    progress: Message = attrs.field(factory=dict)
    """The last line of its progress."""
    runs: list[int] = attrs.field(factory=list)
    """The recorded runs that answer the query, once it has finished."""
    error: str = ""
    """Why it failed."""
    seconds: float = 0.0
    """The wall time that it took; 0 before it has ended."""
    _process: Process | None = None
    _stopping: bool = False
    _followers: list[asyncio.Queue[Message]] = attrs.field(factory=list)

    def message(self) -> Message:
        """Return its state as data."""
        return {
            "number": self.number,
            "title": self.title,
            "toml": self.toml,
            "state": self.state,
            "progress": self.progress,
            "runs": self.runs,
            "error": self.error,
            "seconds": self.seconds,
            "says": self.says,
            "file": self.file,
        }

    async def follow(self) -> AsyncGenerator[Message, None]:
        """Yield its state, and again after each change, until it has ended."""
        changes: asyncio.Queue[Message] = asyncio.Queue()
        self._followers.append(changes)
        try:
            yield (message := self.message())
            while message["state"] == "running":
                yield (message := await changes.get())
        finally:
            self._followers.remove(changes)

    def stop(self) -> None:
        """Stop it as Ctrl-C does: what is recorded stays, and the run can be resumed.

        By SIGTERM: a process ignores SIGINT if the server was started in the background of a script.
        """
        self._stopping = True
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()

    async def work(self, command: Sequence[str], db: str, folder: str = ".") -> None:
        """Run the process to its end, in `folder`: files that a query names lie there."""
        began = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix=documents.temporary_prefix()) as own:
                what = list(self.words) or ["resume"]
                if self.toml:
                    path = Path(own) / "query.toml"
                    path.write_text(self.toml, encoding="utf-8")
                    what = ["run", str(path)]
                self._process = await asyncio.create_subprocess_exec(
                    *command, *what, *self.options, "--db", db, "--json",
                    env={**os.environ, "EPCG_PROGRESS_SECONDS": PROGRESS_SECONDS},
                    stdin=DEVNULL, stdout=PIPE, stderr=PIPE, cwd=folder,
                )  # fmt: skip
                if self._stopping:
                    self.stop()
                await self._listen(self._process)
        except Exception as error:
            self.state, self.error = "failed", f"The run could not be started: {error}"
            raise
        finally:
            self.seconds = time.monotonic() - began
            self._tell()

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        answer = asyncio.create_task(process.stdout.read())
        said: list[str] = []
        async for line in process.stderr:
            text = line.decode("utf-8", "replace").strip()
            try:
                self.progress = json.loads(text)
            except ValueError:
                said.append(text)
            else:
                self._tell()
        code = await process.wait()
        try:
            runs = json.loads(await answer).get("runs", [])
            self.runs = [run["run"] if isinstance(run, dict) else run for run in runs]
            self.state = "finished"
        except (ValueError, KeyError, TypeError, AttributeError):
            self.state = "stopped" if self._stopping else "failed"
            ending = (
                "It was stopped before it began." if self._stopping else f"The run ended with code {code}."
            )
            self.error = "\n".join(filter(None, said)) or ending

    def _tell(self) -> None:
        for changes in self._followers:
            changes.put_nowait(self.message())


class Runs:
    """The runs of one server, the newest last."""

    def __init__(self, db: str, command: Sequence[str], folder: str = ".") -> None:
        self._db, self._command, self._folder = db, tuple(command), folder
        self._tasks: set[asyncio.Task[None]] = set()
        self.all: dict[int, Running] = {}

    def start(
        self,
        title: str,
        toml: str,
        options: Sequence[str] = (),
        words: Sequence[str] = (),
        says: str = "",
        file: str = "",
    ) -> Running:
        """Start answering a query; if there is none, the command of some words, or a run is resumed."""
        running = Running(len(self.all) + 1, title, toml, tuple(options), tuple(words), says, file)
        self.all[running.number] = running
        task = asyncio.create_task(running.work(self._command, self._db, self._folder))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return running

    @property
    def at_work(self) -> bool:
        """Whether one has not ended."""
        return any(running.state == "running" for running in self.all.values())

    async def close(self) -> None:
        """Stop all runs, each so that it can be resumed, and wait for their processes."""
        for running in self.all.values():
            running.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)
