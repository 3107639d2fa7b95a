"""The workbench's server: a page, its requests, runs that it starts, and the database under /data.

It listens on one address of this machine, and answers only pages that came from itself; the page may load
nothing from anywhere else. Each request is about one place: a project, which its address names, or the desk.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from epcg_core.plugin import EpcgError
from epcg_workbench.guard import DATA_HEADERS, EXPORT_HEADERS, HEADERS, Guard, WithHeaders
from epcg_workbench.pages import Lent, listed, pages_of
from epcg_workbench.paths import OPEN_PATH
from epcg_workbench.places import PLACE, ByPlace, Place, Places, place_of
from epcg_workbench.plan_exports import exported_file
from epcg_workbench.pool import Worker
from epcg_workbench.project.recent import remember_project

STATIC = Path(__file__).parent / "static"
BOARD = "epcg_core.rendering", "board"
"""The package and folder of the board, which play pages share."""
MOST_BYTES = 1_000_000
"""The most bytes of a request."""
ANALYSES = frozenset(
    {"effects", "reduce", "measures", "solve", "standing", "space", "sketch", "fillings", "cost", "further"}
    | {"answered", "questions", "placed", "points", "picture", "insert", "choice", "next_best"}
    | {"novelties", "by_hand", "change_counts"}
    | {"project_chips", "project_pictures", "workshop_answer", "workshop_kinds", "workshop_made"}
)
"""Requests that may take long: they have a process of their own, and the latest of a tab and lane wins."""
IN_BACKGROUND = frozenset({"project_chips", "project_pictures"})
"""Analyses of all levels of a file, so that the level on the board waits for none of them."""
RECORDED = frozenset({"query", "space", "sketch", "asked", "build", "export", "share", "gif"})
"""Requests that write a query, which can be recorded, or the words of a command line."""
MEASURE_SECONDS = 10.0
"""The time that one evaluator has for one content."""
ASGI = Callable[..., Awaitable[None]]


@attrs.define
class Workbench:
    """The state of one server."""

    places: Places
    token: str
    hosts: frozenset[str]
    """Names by which a browser may call this server: 'localhost:8000'."""
    quick: Worker = attrs.field(factory=Worker)
    analyst: Worker = attrs.field(factory=Worker)
    plain: Worker = attrs.field(factory=Worker)
    """Answers by plain code until kernels are compiled; so it starts when it is needed."""
    background: Worker = attrs.field(factory=Worker)
    """Answers about all levels of a file; it starts when a project is opened."""
    stops: dict[tuple[str, str], asyncio.Event] = attrs.field(factory=dict)

    async def close(self) -> None:
        """End all processes; runs can be resumed."""
        workers = self.quick, self.analyst, self.plain, self.background
        await asyncio.gather(
            *(each.close() for each in workers), *(place.runs.close() for place in self.places.all)
        )


def make_app(bench: Workbench, data: Callable[[Place], ASGI] | None = None) -> ASGI:
    """Return the server as an ASGI application; `data` makes what is mounted under the /data of a place."""
    places = bench.places

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await asyncio.gather(bench.quick.start(), bench.analyst.start(), return_exceptions=True)
        yield
        await bench.close()

    async def page(request: Request) -> Response:
        place = request.scope[PLACE]
        if isinstance(place, EpcgError):
            return PlainTextResponse(str(place), 410, headers=HEADERS)
        if place is places.desk and places.first is not None:
            more = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"{places.first.prefix}/{more}", 303, headers=HEADERS)
        if place.is_project:
            remember_project(place.folder)
        return Response((STATIC / "index.html").read_bytes(), media_type="text/html", headers=HEADERS)

    async def settings(request: Request) -> Response:
        place = place_of(request.scope)
        found = {"data": data is not None, "start": place.start, "pages": listed(place.prefix)}
        found |= {"project": place.is_project, "folder": place.folder.name, "id": place.id}
        found |= {"base": str(place.base), "db": place.shown_db}
        return JSONResponse(found, headers=HEADERS)

    async def ask(request: Request) -> Response:
        place, body = place_of(request.scope), await _body(request)
        asked: dict[str, Any] = {**body, "do": request.path_params["name"], **place.named()}
        return _streamed(_answers(bench, asked))

    async def opened(request: Request) -> Response:
        place = place_of(request.scope)
        asked = {"do": "puzzle", "puzzle": request.query_params.get("puzzle", ""), "db": place.db}
        async for message in bench.quick.ask(asked):
            if "error" in message:
                return PlainTextResponse(message["error"], 404, headers=HEADERS)
            content = f"{quote(message['domain'], safe='')}/{quote(message['text'], safe='')}"
            return RedirectResponse(f"{place.prefix}/#/{content}", 303, headers=HEADERS)
        return PlainTextResponse("There is no answer.", 404, headers=HEADERS)

    async def project(request: Request) -> Response:
        """Make a project, open it, and tell its address."""
        place, body = place_of(request.scope), await _body(request)
        async with aclosing(bench.quick.ask({**body, "do": "make_project", **place.named()})) as found:
            message = await anext(found)
        if "made" in message:
            made = places.project(Path(message["made"]))
            remember_project(made.folder)
            message["address"] = f"{made.prefix}/"
        return _streamed(_only(message))

    async def record(request: Request) -> Response:
        place, body = place_of(request.scope), await _body(request)
        job = body.get("job", "query")
        if job not in RECORDED:
            raise HTTPException(400, f"'{job}' is nothing that can be recorded.")
        if (again := body.get("resume")) is not None:
            if type(again) is not int or again < 1:
                raise HTTPException(400, f"A run has a number, not {again!r}.")
            return _streamed(place.runs.start(f"run {again}", "", (str(again),)).follow())
        message: dict[str, Any] = {}
        async with aclosing(bench.analyst.ask({**body, "do": job, **place.named()})) as found:
            async for message in found:
                if message.keys() & {"toml", "words", "error"}:
                    break
        if not message.keys() & {"toml", "words", "error"}:
            message = {"error": "There is nothing to record: no content.", "expected": True}
        if "error" in message:
            return _streamed(_only(message))
        if "words" in message:
            told = message["says"], message.get("file", "")
            running = place.runs.start(message["title"], "", (), message["words"], *told)
        else:
            running = place.runs.start(message["title"], message["toml"], _options(body))
        return _streamed(running.follow())

    async def exported(request: Request) -> Response:
        """Show a file that was written, apart from the workbench: its scripts belong to no origin."""
        try:
            path = exported_file(place_of(request.scope).folder, request.path_params["name"])
        except EpcgError as error:
            return PlainTextResponse(str(error), 404, headers=HEADERS)
        return FileResponse(path, headers=EXPORT_HEADERS)

    async def runs(request: Request) -> Response:
        known = place_of(request.scope).runs.all.values()
        return JSONResponse([each.message() for each in known], headers=HEADERS)

    async def run(request: Request) -> Response:
        found = place_of(request.scope).runs.all.get(int(request.path_params["number"]))
        if found is None:
            raise HTTPException(404, f"This workbench started no run {request.path_params['number']}.")
        if request.path_params["what"] == "stop":
            found.stop()
        return _streamed(found.follow())

    routes = [
        Route("/", page),
        Route("/settings", settings),
        Route(OPEN_PATH, opened),
        Route("/api/{name}", ask, methods=["POST"]),
        Route("/record", record, methods=["POST"]),
        Route("/project", project, methods=["POST"]),
        Route("/runs", runs),
        Route("/exported/{name}", exported),
        Route("/runs/{number:int}/{what}", run, methods=["POST"]),
        Mount("/static", WithHeaders(StaticFiles(directory=STATIC, packages=[BOARD]), HEADERS)),
        *[Mount(each.path, WithHeaders(each.app, HEADERS)) for each in pages_of(_lent)],
        *([Mount("/data", WithHeaders(_Data(data), DATA_HEADERS))] if data is not None else []),
    ]
    handlers = {HTTPException: _refused}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(ByPlace(app, places), bench.token, bench.hosts)


def _lent(scope: Mapping[str, Any]) -> Lent:
    place = place_of(scope)
    return Lent(place.db, place.folder)


class _Data:
    """The databases of all places, each made when it is first opened."""

    def __init__(self, make: Callable[[Place], ASGI]) -> None:
        self._make = make
        self._made: dict[str, ASGI] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        place = place_of(scope)
        if place.id not in self._made:
            self._made[place.id] = self._make(place)
        await self._made[place.id](scope, receive, send)


async def _body(request: Request) -> dict[str, Any]:
    """Return the table that a request holds. Raises HTTPException with a sentence about what is wrong."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BYTES:
            raise HTTPException(413, f"The request is larger than {MOST_BYTES:,} bytes.")
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is not JSON.") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "The request is not a table.")
    return found


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail, "expected": True}, error.status_code, headers=HEADERS)


def _options(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return further words of the command line that records what was asked."""
    sample = body.get("sample")
    workers = () if body.get("job") == "asked" else ("--workers", "1")  # the page goes on beside analyses
    if sample is None:
        return workers
    if type(sample) is not int or not 1 <= sample <= 1_000_000:
        raise HTTPException(400, f"A sample has 1 to 1,000,000 candidates, not {sample!r}.")
    return (*workers, "--sample", str(sample))


def _streamed(messages: AsyncGenerator[Mapping[str, Any], None]) -> Response:
    return StreamingResponse(_lines(messages), media_type="application/x-ndjson", headers=HEADERS)


async def _only(message: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
    yield message


async def _lines(messages: AsyncGenerator[Mapping[str, Any], None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(messages):
        async for message in messages:
            yield json.dumps(message).encode() + b"\n"


async def _answers(bench: Workbench, asked: dict[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
    """Ask the process that a request belongs to. A later analysis of the same tab and lane ends this one."""
    if asked["do"] not in ANALYSES and not asked.get("warn"):
        async with aclosing(bench.quick.ask(asked)) as found:
            async for message in found:
                yield message
        return
    lane = str(asked.get("tab", "")), str(asked.get("lane", asked["do"]))
    if lane in bench.stops:
        bench.stops[lane].set()
    stop = bench.stops[lane] = asyncio.Event()
    stopping = asyncio.create_task(stop.wait())
    following: asyncio.Task[dict[str, Any] | None] | None = None
    ask = _measures if asked["do"] == "measures" else _analysis
    try:
        async with aclosing(ask(bench, asked)) as found:
            try:
                while True:
                    following = asyncio.create_task(_following(found))
                    await asyncio.wait({following, stopping}, return_when=asyncio.FIRST_COMPLETED)
                    if stop.is_set():
                        break
                    answer = following.result()
                    if answer is None:
                        return
                    yield answer
            finally:  # what is still asked for must have ended before the answers are closed
                if following is not None and not following.done():
                    following.cancel()
                    with suppress(asyncio.CancelledError):
                        await following
        yield {"stopped": True}
    finally:
        stopping.cancel()
        if bench.stops.get(lane) is stop:
            del bench.stops[lane]


async def _analysis(bench: Workbench, asked: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
    usual = bench.plain if asked.get("verdict") else bench.analyst  # measures may take long
    worker = bench.background if asked["do"] in IN_BACKGROUND else usual
    async with aclosing(worker.ask(asked)) as found:
        async for message in found:
            yield message


async def _measures(bench: Workbench, asked: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
    """Ask for the measures evaluator by evaluator; one that takes too long is ended and named.

    Its time begins when the process does with it: a process that was ended has to start first.
    """
    worker = bench.plain if asked.get("plain") else bench.analyst
    names: list[str] = []
    async for message in bench.quick.ask({**asked, "do": "evaluators"}):
        if "error" in message:
            yield message
            return
        names = asked.get("evaluators") or message["evaluators"]
    end: dict[str, Any] = {"end": True}
    for name in names:
        try:
            async with asyncio.timeout(None) as limit:
                begun = partial(_limit_from_now, limit, MEASURE_SECONDS)
                found = worker.ask({**asked, "evaluators": [name]}, begun)
                async with aclosing(found) as messages:
                    async for message in messages:
                        if "error" in message and "hash" not in message:
                            yield message
                            return
                        if "end" in message:
                            end = message
                        else:
                            yield message
        except TimeoutError:
            yield {"evaluator": name, "metrics": [], "left_out": f"takes more than {MEASURE_SECONDS:.0f} s"}
    yield end


def _limit_from_now(limit: asyncio.Timeout, seconds: float) -> None:
    with suppress(RuntimeError):  # it has just run out, or ended
        limit.reschedule(asyncio.get_running_loop().time() + seconds)


async def _following(messages: AsyncGenerator[dict[str, Any], None]) -> dict[str, Any] | None:
    return await anext(messages, None)
