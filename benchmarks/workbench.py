"""The workbench: own answers, all single changes, stopping, memory and the weight of its page.

CPU seconds of the computing process with compiled kernels, beside the bars of the issue that asked for them.
All changes of a level are compared with searching each by itself, in the same run.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path

import psutil
from epcg_workbench.changes import Effects

from benchmarks.table import Row, cpu_seconds, left_out, row, show
from epcg_core.editing import editing
from epcg_core.editing.editing import open_document
from epcg_core.editing.play import Play
from epcg_core.search.shortest_path.solver import shortest_path

PUSH = "A Push for a Friend"


def measure() -> list[Row]:
    """Measure everything."""
    rows = [*_answers(), *_changes(), *_warned()]
    try:
        from epcg_workbench import app
    except ImportError:
        return [*rows, left_out("the workbench's server", "starlette is not installed")]
    page = [path for path in app.STATIC.iterdir() if path.name != "widget.js"]
    kilobytes = sum(path.stat().st_size for path in page) / 1000
    return [
        *rows,
        *asyncio.run(_served()),
        asyncio.run(_cold()),
        _row("workbench: the whole page", kilobytes, 300, "kB"),
        *_first_page(),
    ]


def _row(what: str, value: float, bar: float, unit: str = "s") -> Row:
    return row(what, f"{value:.3f} {unit}", f"{bar:g} {unit}", value / bar, "at most 1", value <= bar)


def _cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the median CPU time of some calls, after one that warms up."""
    work()
    return statistics.median(cpu_seconds(work) for _ in range(repeats))


def _board(pieces: int) -> str:
    """Return a board of Fling!, 7 by 8, by chance."""
    cells = set(random.Random(1).sample(range(56), pieces))
    return "\n".join("".join("o" if y * 7 + x in cells else "." for x in range(7)) for y in range(8))


def _measured(domain: str, text: str, entropy: bool) -> None:
    names = [info.name for info in editing.evaluators(domain) if entropy or info.name != "entropy"]
    list(editing.measures(open_document(domain, text), names))


def _effects(domain: str, text: str, evaluator: str) -> int:
    return sum(map(len, Effects(open_document(domain, text), evaluator)))


def _answers() -> Iterator[Row]:
    board, levels = _board(10), editing.examples("snakebird")
    yield _row("workbench: own answer, Fling! 7 by 8", _cpu(partial(_measured, "fling", board, True)), 0.1)
    for entropy in (False, True):
        times = [
            (_cpu(partial(_measured, "snakebird", text, entropy), 1), title) for title, text in levels.items()
        ]
        most, title = max(times)
        with_or_without = "with" if entropy else "without"
        yield _row(f"workbench: own answer {with_or_without} entropy, slowest level ({title})", most, 0.1)


def _changes() -> Iterator[Row]:
    board, push = _board(10), editing.examples("snakebird")[PUSH]
    for evaluator in ("winning_moves", "solution", "unique"):
        taken = _cpu(partial(_effects, "fling", board, evaluator))
        yield _row(f"workbench: all changes of a board, {evaluator}", taken, 0.15)
    together = _cpu(partial(_effects, "snakebird", push, "shortest_solution"))
    yield _row("workbench: all changes of level 12", together, 0.3)
    anew = _cpu(partial(_searched_anew, push), 1)
    what = "workbench: all changes of level 12 together, beside each anew"
    yield row(what, f"{together:.3f} s", f"{anew:.3f} s", anew / together, "above 1", anew > together)
    for title, panel in editing.examples("witness").items():
        if len(open_document("witness", panel).scene.sites) > 60:
            taken = _cpu(partial(_effects, "witness", panel, "solutions"), 1)
            yield _row(f"workbench: all changes of the panel '{title}'", taken, 0.3)


def _warned(limit: int = editing.MOST_EXPANSIONS) -> Iterator[Row]:
    """Measure what is lost after a move, on the way of a solution, beside a search for each action."""
    document = open_document("snakebird", editing.examples("snakebird")[PUSH])
    way = Play(document).solve(limit).actions
    steps = [Play(document, Play(document).numbers(way)[:taken]) for taken in range(len(way))]

    def searched() -> None:
        for play in steps:
            for action in document.model.actions(play.state):
                after = document.model.apply(play.state, action)
                shortest_path(document.model, document.editor.content, limit, start=after)

    together, apart = (_cpu(work, 1) for work in (lambda: [play.dead() for play in steps], searched))
    what = "workbench: moves that lose, at each position of level 12's solution, beside searches"
    yield row(what, f"{together:.3f} s", f"{apart:.3f} s", apart / together, "above 1", apart > together)


def _searched_anew(text: str) -> None:
    space = Effects(open_document("snakebird", text), "shortest_solution").space
    for rank in range(space.max_rank):
        changed = open_document("snakebird", space.format(space.unrank(rank)))
        list(editing.measures(changed, ["shortest_solution"]))


async def _served() -> list[Row]:
    """Measure a process that answers: stopping and memory."""
    from epcg_workbench.pool import Worker

    worker = Worker()
    opened = {"do": "open", "domain": "fling", "text": _board(10)}
    metric = {"evaluator": "expert_ratio", "metric": "expert_ratio", "most": 2}
    slow = {"do": "effects", "domain": "fling", "text": _board(24), **metric}
    try:
        [_ async for _ in worker.ask(opened)]
        waits = []
        for _ in range(10):
            async with aclosing(worker.ask(slow)) as messages:
                await anext(messages)
                await asyncio.sleep(0.2)
            start = time.perf_counter()
            await worker.stopped()
            waits.append(time.perf_counter() - start)
        [_ async for _ in worker.ask(opened)]
        assert worker.pid is not None
        process, text = psutil.Process(worker.pid), opened["text"]
        before = process.memory_info().rss
        for number in range(1000):
            change = {"sites": [f"c{number % 7 + 1},{number % 8 + 1}"], "mark": "ball" if number % 3 else ""}
            found = [m async for m in worker.ask({"do": "put", "domain": "fling", "text": text, **change})]
            text = found[0]["text"]
        grown = (process.memory_info().rss - before) / 1e6
    finally:
        await worker.close()
    return [
        _row("workbench: wall time until a stopped analysis is gone", statistics.median(waits), 0.05),
        _row("workbench: memory after 1,000 changes", max(0.0, grown), 50, "MB"),
    ]


async def _cold() -> Row:
    """Measure the process that answers by plain code while kernels are compiled: start and first answer."""
    from epcg_workbench.pool import Worker

    text = editing.examples("snakebird")[PUSH]
    request = {"do": "measures", "domain": "snakebird", "text": text, "plain": True}
    with tempfile.TemporaryDirectory() as cache, _environment("EPCG_CACHE", cache):
        worker = Worker()
        try:
            async with aclosing(worker.ask(request | {"evaluators": ["shortest_solution"]})) as messages:
                await anext(messages)
            assert worker.pid is not None
            times = psutil.Process(worker.pid).cpu_times()
        finally:
            await worker.close()
    return _row("workbench: first answer of level 12, cold kernels", times.user + times.system, 1.5)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _first_page() -> Iterator[Row]:
    """Measure the first page in a browser, where one is installed: wall time until all of it is drawn."""
    what = "workbench: wall time until the first page is drawn"
    chromium = shutil.which("chromium")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        yield left_out(what, "chromium or playwright is not installed")
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        epcg = Path(sys.executable).with_name("epcg")
        command = [str(epcg), "workbench", "--db", f"{folder}/epcg.db", "--no-open"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[4]
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                    page = browser.new_page()
                    for _ in range(2):  # the first one starts the processes
                        page.goto(address)
                        page.wait_for_selector(".tiles epcg-board svg")
                        page.wait_for_selector('body[aria-busy="false"]')
                    drawn = page.evaluate("performance.now()") / 1000
                    first = (
                        page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                        / 1000
                    )
                    browser.close()
            finally:
                server.terminate()
    yield _row("workbench: wall time until the first page shows something", first, 1)
    yield _row(what, drawn, 1)


if __name__ == "__main__":
    show(measure())
