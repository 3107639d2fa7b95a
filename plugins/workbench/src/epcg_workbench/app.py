"""The workbench's server: a page, its requests, runs that it starts, and the database under /data.

It listens on one address of this machine, and answers only pages that came from itself; the page may load
nothing from anywhere else. Browsers send cookies to every port of a machine, so the cookie bears the name of
this server and holds a key that only reads. What changes something carries the token in a header: the page
takes it from its address and keeps it where only this port's pages can read it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from epcg_core.plugin import EpcgError, QueryError
from epcg_workbench.pages import Lent, listed, pages_of
from epcg_workbench.paths import DATABASE, OPEN_PATH
from epcg_workbench.pool import Worker
from epcg_workbench.project.history import STATE
from epcg_workbench.project.memory import Memory
from epcg_workbench.project.recent import remember_project
from epcg_workbench.runs import Runs

STATIC = Path(__file__).parent / "static"
BOARD = "epcg_core.rendering", "board"
"""The package and folder of the board, which play pages share."""
TOKEN_HEADER = "x-epcg-token"
PROJECT_HEADER = "x-epcg-project"
MOST_BYTES = 1_000_000
"""The most bytes of a request."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
DATA_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
"""Datasette's pages have scripts and styles within them."""
ANALYSES = frozenset(
    {"effects", "reduce", "measures", "solve", "standing", "space", "sketch", "fillings", "cost"}
    | {"answered", "questions", "placed", "points", "picture", "insert", "choice", "next_best"}
    | {"novelties", "by_hand", "change_counts"}
    | {"project_chips", "project_pictures", "workshop_answer", "workshop_kinds", "workshop_made"}
)
"""Requests that may take long: they have a process of their own, and the latest of a tab and lane wins."""
IN_BACKGROUND = frozenset({"project_chips", "project_pictures"})
"""Analyses of all levels of a file, so that the level on the board waits for none of them."""
RECORDED = frozenset({"query", "space", "sketch", "asked", "build", "export", "share"})
"""Requests that write a query, which can be recorded, or the words of a command line."""
MEASURE_SECONDS = 10.0
"""The time that one evaluator has for one content."""
ASGI = Callable[..., Awaitable[None]]


@attrs.define
class Workbench:
    """The state of one server."""

    db: str
    token: str
    hosts: frozenset[str]
    """Names by which a browser may call this server: 'localhost:8000'."""
    start: str = ""
    """The fragment of the address that opens first: '/DOMAIN/TEXT'."""
    command: tuple[str, ...] = ()
    """The command line of `epcg`, by which analyses are recorded."""
    folder: str = "."
    """Where plans lie, and what is exported is written."""
    quick: Worker = attrs.field(factory=Worker)
    analyst: Worker = attrs.field(factory=Worker)
    plain: Worker = attrs.field(factory=Worker)
    """Answers by plain code until kernels are compiled; so it starts when it is needed."""
    background: Worker = attrs.field(factory=Worker)
    """Answers about all levels of a file; it starts when a project is opened."""
    project: bool = False
    """Whether the folder is open as a project."""
    db_is_given: bool = False
    """The database was named by hand, so it stays if a project is opened."""
    stops: dict[tuple[str, str], asyncio.Event] = attrs.field(factory=dict)
    runs: Runs = attrs.field(init=False)

    @property
    def key(self) -> str:
        """The value of the cookie: it lets pages and data be read, and does not tell the token."""
        return hashlib.sha256(f"cookie {self.token}".encode()).hexdigest()

    @property
    def cookie(self) -> str:
        """The name of the cookie, which no server at another port has."""
        return f"epcg_workbench_{max(self.hosts, default='').rpartition(':')[2]}"

    @property
    def id(self) -> str:
        """The name of what is open, which requests bear: one for another project is refused."""
        return hashlib.sha256(self.folder.encode()).hexdigest()[:16] if self.project else ""

    @property
    def base(self) -> str:
        """The folder in which new projects are made."""
        return str(Path(self.folder).parent) if self.project else self.folder

    def __attrs_post_init__(self) -> None:
        self.runs = Runs(self.db, self.command, self.folder)

    def open_project(self, folder: Path) -> None:
        """Serve another project from now on. Raises QueryError while runs are at work."""
        if self.runs.at_work:
            raise QueryError(
                "A run is at work here. Wait for its end or stop it; then another project can be opened."
            )
        self.folder, self.project, self.start = str(folder.absolute()), True, ""
        if not self.db_is_given:
            self.db = str(folder.absolute() / DATABASE)
        self.runs = Runs(self.db, self.command, self.folder)
        port = max(self.hosts, default="").rpartition(":")[2]
        Memory(folder / STATE).adopt(self.token, int(port or 0))
        remember_project(folder)

    async def close(self) -> None:
        """End all processes; runs can be resumed."""
        workers = self.quick, self.analyst, self.plain, self.background
        await asyncio.gather(*(each.close() for each in workers), self.runs.close())


def make_app(bench: Workbench, data: ASGI | None = None) -> ASGI:
    """Return the server as an ASGI application; `data` is one that is mounted under /data."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await asyncio.gather(bench.quick.start(), bench.analyst.start(), return_exceptions=True)
        yield
        await bench.close()

    async def page(request: Request) -> Response:
        return Response((STATIC / "index.html").read_bytes(), media_type="text/html", headers=HEADERS)

    async def settings(request: Request) -> Response:
        found = {"data": data is not None, "start": bench.start, "pages": listed()}
        found |= {"project": bench.project, "folder": Path(bench.folder).name, "id": bench.id}
        found |= {"base": bench.base, "db": _shown(bench)}
        return JSONResponse(found, headers=HEADERS)

    async def ask(request: Request) -> Response:
        _check_project(bench, request)
        body = await _body(request)
        asked: dict[str, Any] = {**body, "do": request.path_params["name"], **_places(bench)}
        return _streamed(_answers(bench, asked))

    async def opened(request: Request) -> Response:
        asked = {"do": "puzzle", "puzzle": request.query_params.get("puzzle", ""), "db": bench.db}
        async for message in bench.quick.ask(asked):
            if "error" in message:
                return PlainTextResponse(message["error"], 404, headers=HEADERS)
            address = f"/#/{quote(message['domain'], safe='')}/{quote(message['text'], safe='')}"
            return RedirectResponse(address, 303, headers=HEADERS)
        return PlainTextResponse("There is no answer.", 404, headers=HEADERS)

    async def project(request: Request) -> Response:
        """Make a project, or find a recent one, and open it in place of what is open."""
        _check_project(bench, request)
        body = await _body(request)
        do = "make_project" if "name" in body else "find_project"
        async with aclosing(bench.quick.ask({**body, "do": do, **_places(bench)})) as found:
            message = await anext(found)
        if "made" in message:
            try:
                bench.open_project(Path(message["made"]))
            except EpcgError as error:
                message = {"error": str(error), "expected": True}
        return _streamed(_only(message))

    async def record(request: Request) -> Response:
        _check_project(bench, request)
        body = await _body(request)
        job = body.get("job", "query")
        if job not in RECORDED:
            raise HTTPException(400, f"'{job}' is nothing that can be recorded.")
        if (again := body.get("resume")) is not None:
            if type(again) is not int or again < 1:
                raise HTTPException(400, f"A run has a number, not {again!r}.")
            return _streamed(bench.runs.start(f"run {again}", "", (str(again),)).follow())
        message: dict[str, Any] = {}
        async with aclosing(bench.analyst.ask({**body, "do": job, **_places(bench)})) as found:
            async for message in found:
                if message.keys() & {"toml", "words", "error"}:
                    break
        if not message.keys() & {"toml", "words", "error"}:
            message = {"error": "There is nothing to record: no content.", "expected": True}
        if "error" in message:
            return _streamed(_only(message))
        if "words" in message:
            running = bench.runs.start(message["title"], "", (), message["words"], message["says"])
        else:
            running = bench.runs.start(message["title"], message["toml"], _options(body))
        return _streamed(running.follow())

    async def runs(request: Request) -> Response:
        return JSONResponse([each.message() for each in bench.runs.all.values()], headers=HEADERS)

    async def run(request: Request) -> Response:
        found = bench.runs.all.get(int(request.path_params["number"]))
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
        Route("/runs/{number:int}/{what}", run, methods=["POST"]),
        Mount("/static", _WithHeaders(StaticFiles(directory=STATIC, packages=[BOARD]), HEADERS)),
        *[
            Mount(each.path, _WithHeaders(each.app, HEADERS))
            for each in pages_of(lambda: Lent(bench.db, Path(bench.folder)))
        ],
        *([Mount("/data", _WithHeaders(data, DATA_HEADERS))] if data is not None else []),
    ]
    handlers = {HTTPException: _refused}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), bench)


class Guard:
    """Refuses requests to another host, from another origin, or without the token."""

    def __init__(self, app: ASGI, bench: Workbench) -> None:
        self._app, self._bench = app, bench

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope)
        reason = self._reason(request)
        if reason:
            await PlainTextResponse(reason, 403, headers=HEADERS)(scope, receive, send)
            return
        if request.url.path == "/" and request.query_params.get("token"):
            let_in = Response()
            let_in.set_cookie(self._bench.cookie, self._bench.key, httponly=True, samesite="strict")
            cookie = {"set-cookie": let_in.headers["set-cookie"]}
            await _WithHeaders(self._app, cookie)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _reason(self, request: Request) -> str:
        headers: Headers = request.headers
        host = headers.get("host", "")
        if host not in self._bench.hosts:
            return "This workbench answers only at the address that it printed."
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self._bench.hosts:
            return "This request came from another page, so it is refused."
        bench = self._bench
        offered = headers.get(TOKEN_HEADER, "")
        if request.url.path == "/":
            offered = request.query_params.get("token") or offered
        known = _same(offered, bench.token)
        if not offered and request.method in ("GET", "HEAD"):
            known = _same(request.cookies.get(bench.cookie, ""), bench.key)
        if not known:
            return "The token is missing or wrong: open the address that `epcg workbench` printed."
        return ""


def _check_project(bench: Workbench, request: Request) -> None:
    """Refuse what a page asks that was opened for another project: it would be written here."""
    told = request.headers.get(PROJECT_HEADER)
    if told is not None and told != bench.id:
        name = Path(bench.folder).name
        raise HTTPException(409, f"Another tab has opened the project {name} here. Reload this page.")


def _shown(bench: Workbench) -> str:
    """Return the database as the page names it: without the folder that it lies in."""
    path = Path(bench.db)
    return path.name if path.parent == Path(bench.folder) else bench.db


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


class _WithHeaders:
    """Adds headers to what an application answers, if it has none of these names."""

    def __init__(self, app: ASGI, headers: Mapping[str, str]) -> None:
        self._app, self._headers = app, headers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                names = {name.lower() for name, _ in own}
                every = [(name.encode(), value.encode()) for name, value in self._headers.items()]
                message = {**message, "headers": own + [each for each in every if each[0] not in names]}
            await send(message)

        await self._app(scope, receive, sending)


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


def _places(bench: Workbench) -> dict[str, str]:
    """Return where the database, the plans and new projects lie, which a request may not choose."""
    return {"db": bench.db, "folder": bench.folder, "base": bench.base}


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
