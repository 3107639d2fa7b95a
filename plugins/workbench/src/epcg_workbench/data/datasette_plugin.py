"""A plugin for Datasette: it shows puzzle ids as pictures and adds EPCG's SQL functions.

Datasette finds the plugin through the entry-point group `datasette`, so `datasette epcg.db` is enough. The
plugin only reads, and draws only puzzles that a served database records, because the params of a generator
may name a file.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from datasette import hookimpl
from datasette.utils.asgi import Response
from datasette.views.index import IndexView
from markupsafe import Markup

from epcg_core.inside import PUZZLE, foreign_connection
from epcg_core.plugin import registry
from epcg_workbench.data import front, pictures, questions, renewing
from epcg_workbench.paths import DATA_PATH, OPEN_PATH

if TYPE_CHECKING:  # Datasette loads its plugins while it is imported itself
    from datasette.app import Datasette
    from datasette.utils.asgi import Request

PICTURE_PATH = "/-/epcg/puzzle.svg"
STYLE_PATH = "/-/epcg/style.css"
PICTURE_SECONDS = 3600
LONGEST_DRAWING = 20_000
"""Most characters of an SVG document or string that is shown as a picture."""

SVG_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "x-content-type-options": "nosniff",
}
STYLE = """\
.epcg img { display: block; width: 11em; max-height: 16em; object-fit: contain; background: #fff; }
.epcg figcaption, .epcg summary { font-size: 0.75em; color: #555; overflow-wrap: anywhere; }
figure.epcg { margin: 0; width: 11em; }
.epcg-row { display: flex; flex-wrap: wrap; gap: 1em; }
.epcg-entry { margin-bottom: 1.5em; }
pre.epcg { margin: 0; }
"""
FIGURE = Markup(
    '<figure class="epcg"><a href="{source}"><img src="{source}" alt="{puzzle}" loading="lazy"></a>'
    "<figcaption>{caption}</figcaption>{solution}{board}</figure>"
)
AT_THE_BOARD = Markup('<a href="{}?{}">edit or play it</a>')
SOLUTION = Markup(
    '<details><summary>solution</summary><img src="{source}" alt="the solution" loading="lazy"></details>'
)
NO_PICTURE = Markup('<span class="epcg" title="{reason}">{puzzle}<br><small>{reason}</small></span>')

log = logging.getLogger("epcg.browsing")
_drawing = ThreadPoolExecutor(2, thread_name_prefix="drawing")
"""Drawing may compile or read tables; Datasette's own threads go on with SQL meanwhile."""


_ours: WeakKeyDictionary[Datasette, dict[str, tuple[str, ...]]] = WeakKeyDictionary()


def _ours_of(datasette: Datasette) -> dict[str, tuple[str, ...]]:
    """Return the tables of each EPCG database that a Datasette serves, by the database's name."""
    return _ours.setdefault(datasette, {})


@hookimpl
def prepare_connection(conn: sqlite3.Connection, database: str, datasette: Datasette) -> None:
    """Register the SQL functions on connections to databases of EPCG."""
    try:
        if not foreign_connection.is_ours(conn):
            return
        names = conn.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    except sqlite3.DatabaseError:
        return  # no database at all: Datasette says so itself
    foreign_connection.register(conn, lambda sentence: log.warning("%s: %s", database, sentence))
    _ours_of(datasette)[database] = tuple(str(row[0]) for row in names)


@hookimpl
def startup(datasette: Datasette) -> Callable[[], Awaitable[None]]:
    """Load the plugins, and look at each database, before the first page."""

    async def look() -> None:
        registry()
        for database in datasette.databases.values():
            await database.execute_fn(lambda connection: None)

    return look


@hookimpl
def asgi_wrapper(datasette: Datasette) -> Callable[[renewing.ASGI], renewing.ASGI]:
    """Let requests see the files that are there now, not those that were there at the start."""

    def forget(name: str) -> None:
        _ours_of(datasette).pop(name, None)

    return lambda app: renewing.wrapped(datasette, app, forget)


@hookimpl
def get_metadata(datasette: Datasette) -> dict[str, Any]:
    """Return Datasette's metadata for the served databases."""
    return {"databases": {name: questions.details_of(own) for name, own in _ours_of(datasette).items()}}


@hookimpl
def canned_queries(datasette: Datasette, database: str) -> dict[str, Any]:
    """Return the named queries of `questions`."""
    return questions.queries() if database in _ours_of(datasette) else {}


@hookimpl
def extra_css_urls(datasette: Datasette) -> list[str]:
    """Return the style sheet of pictures."""
    return [STYLE_PATH] if _ours_of(datasette) else []


@hookimpl
def render_cell(
    row: Any, value: Any, column: str, database: str, datasette: Datasette
) -> Awaitable[Markup | None] | Markup | None:
    """Show puzzle ids, ranks and drawings as pictures; None leaves the cell to Datasette."""
    if database not in _ours_of(datasette):
        return None
    if isinstance(value, str):
        if column in ("largest_first", "smallest_first") and value.startswith("best?run="):
            return Markup('<a href="{}">{}</a>').format(
                datasette.urls.path(f"{datasette.urls.database(database)}/{value}"), column.replace("_", " ")
            )
        if _is_puzzle(value):
            return _puzzle_cell(datasette, database, value, value)
        if len(value) <= LONGEST_DRAWING:
            return _drawing_cell(value)
    elif column == "rank" and isinstance(value, int):
        return _rank_cell(datasette, database, row, value)
    return None


def _is_puzzle(text: str) -> bool:
    return len(text) <= pictures.LONGEST_ID and PUZZLE.fullmatch(text) is not None


def _drawing_cell(text: str) -> Markup | None:
    """Return the cell of a drawing: SVG as an image, in which browsers run no scripts, text as lines."""
    if text.startswith("<svg") and text.rstrip().endswith("</svg>"):
        data = base64.b64encode(text.encode("utf-8", "replace")).decode()
        return Markup('<figure class="epcg"><img src="data:image/svg+xml;base64,{}" alt=""></figure>').format(
            data
        )
    return Markup('<pre class="epcg">{}</pre>').format(text) if "\n" in text.strip() else None


async def _puzzle_cell(datasette: Datasette, database: str, puzzle: str, caption: str) -> Markup | None:
    if not await _is_recorded(datasette, database, puzzle):
        return None
    reason = pictures.why_not(puzzle)
    if reason is not None:
        return NO_PICTURE.format(puzzle=puzzle, reason=reason)
    source = picture_url(datasette, puzzle)
    solution = Markup("")
    if pictures.draws_solutions(puzzle):
        solution = SOLUTION.format(source=picture_url(datasette, puzzle, solved=True))
    board = Markup("")
    base = datasette.setting("base_url")
    if base.endswith(DATA_PATH) and pictures.has_editor(puzzle):
        board = AT_THE_BOARD.format(base.removesuffix(DATA_PATH) + OPEN_PATH, urlencode({"puzzle": puzzle}))
    return FIGURE.format(source=source, puzzle=puzzle, caption=caption, solution=solution, board=board)


async def _rank_cell(datasette: Datasette, database: str, row: Any, rank: int) -> Markup | None:
    """Return the picture of a rank if its row names the run and has no other picture of the puzzle."""
    columns = list(row.columns if hasattr(row, "columns") else row.keys())
    values = [row[column] for column in columns]
    if "run_id" not in columns or any(isinstance(v, str) and _is_puzzle(v) for v in values):
        return None
    run = values[columns.index("run_id")]
    run = run.get("value") if isinstance(run, dict) else run  # a foreign key with its label
    try:
        found = (
            await datasette.get_database(database).execute(foreign_connection.SPACE_OF, {"run": run})
        ).first()
    except sqlite3.DatabaseError:
        return None
    if found is None:
        return None
    return await _puzzle_cell(datasette, database, f"{found[0]}#{rank}", str(rank))


async def _is_recorded(datasette: Datasette, database: str, puzzle: str) -> bool:
    try:
        rows = await datasette.get_database(database).execute(
            foreign_connection.IS_RECORDED, foreign_connection.recorded_names(puzzle), log_sql_errors=False
        )
    except (KeyError, sqlite3.DatabaseError):
        return False
    return bool(rows.rows[0][0])


def picture_url(datasette: Datasette, puzzle: str, solved: bool = False) -> str:
    """Return the address of a puzzle's picture."""
    query = {"id": puzzle} | ({"solution": "1"} if solved else {})
    return str(datasette.urls.path(f"{PICTURE_PATH}?{urlencode(query)}"))


@hookimpl
def register_routes() -> list[tuple[str, Callable[..., Any]]]:
    """Return the routes of the first page, of pictures and of their style sheet."""
    return [
        (r"^/(?P<format>)$", _front),
        (rf"^{re.escape(PICTURE_PATH)}$", _picture),
        (rf"^{re.escape(STYLE_PATH)}$", _style),
    ]


async def _front(datasette: Datasette, request: Request, send: Any) -> Response:
    ours = _ours_of(datasette)
    if set(ours) != set(datasette.databases) - {
        "_internal"
    }:  # others are served, too: Datasette's own page lists all
        own: Response = await IndexView.as_view(datasette)(request, send)
        return own

    async def draw(database: str, puzzle: str) -> Markup | None:
        return await _puzzle_cell(datasette, database, puzzle, "") if _is_puzzle(puzzle) else None

    shown = questions.shown(next(iter(ours.values())))
    return await front.page(datasette, request, list(ours), draw, questions.queries(), shown)


async def _style() -> Response:
    return Response(
        STYLE, content_type="text/css; charset=utf-8", headers={"cache-control": f"max-age={PICTURE_SECONDS}"}
    )


async def _picture(datasette: Datasette, request: Request) -> Response:
    puzzle = request.args.get("id") or ""
    solved = request.args.get("solution") == "1"
    if not _is_puzzle(puzzle):
        return _svg(
            pictures.sentence_svg("That is not a puzzle id; one looks like domain:generator?key=value#rank."),
            404,
        )
    if not await _may_see(datasette, request, puzzle):
        return _svg(pictures.sentence_svg(f"{puzzle} is not a puzzle that a database here records."), 404)
    loop = asyncio.get_running_loop()
    picture = await loop.run_in_executor(_drawing, pictures.picture, puzzle, solved)
    if not picture.found:
        return _svg(picture.svg, 404)
    headers = {"etag": picture.etag, "cache-control": f"private, max-age={PICTURE_SECONDS}"}
    if picture.etag in (request.headers.get("if-none-match") or ""):
        return Response("", status=304, headers=headers)
    return _svg(picture.svg, 200, headers)


async def _may_see(datasette: Datasette, request: Request, puzzle: str) -> bool:
    """Return whether a database that the visitor may see records the puzzle."""
    for database in list(_ours_of(datasette)):
        visible, _ = await datasette.check_visibility(
            request.actor, permissions=[("view-database", database), "view-instance"]
        )
        if visible and await _is_recorded(datasette, database, puzzle):
            return True
    return False


def _svg(body: str, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(
        body,
        status=status,
        headers=SVG_HEADERS | (headers or {"cache-control": "no-store"}),
        content_type="image/svg+xml; charset=utf-8",
    )
