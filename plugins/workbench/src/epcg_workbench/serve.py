"""Starting the workbench's server, and finding what it opens first."""

from __future__ import annotations

import difflib
import importlib.util
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from epcg_core.inside import StoreError, editing, files
from epcg_core.plugin import EditorInfo, QueryError, documents, registry, require
from epcg_workbench import recorded as recording
from epcg_workbench.paths import DATA_PATH, DATABASE
from epcg_workbench.project.history import STATE
from epcg_workbench.project.intake import refusal
from epcg_workbench.project.memory import Memory, user_token
from epcg_workbench.project.recent import remember_project, state_folder

if TYPE_CHECKING:
    from epcg_workbench.places import Place

HOST = "127.0.0.1"
PORT = 8247
"""The port that is tried first, so that the address stays the same."""
MOST_PORTS = 50
"""Further ports that are tried if it is taken."""


def serve(
    what: str | None,
    location: str | None,
    port: int | None,
    open_browser: bool,
    show: Callable[[str], None],
    command: tuple[str, ...],
) -> None:
    """Serve the workbench until interrupted, which is not an error.

    A folder, or a file, is opened as a project. Other projects are opened from the page, beside it.

    Args:
        what: what is opened first; None for the page of all domains.
        location: the database; None for the usual one, in the project's folder.
        port: where to listen; None for the usual port, or the next one that is free.
        open_browser: whether the page is opened in the browser.
        show: tells the address.
        command: the command line of `epcg`.

    Raises PluginError if the extra is not installed, StoreError if the port is taken, and QueryError if
    `what` is nothing that can be opened.
    """
    require("The workbench needs", "starlette", "uvicorn", extra="epcg-workbench")
    import uvicorn

    from epcg_workbench.app import Workbench, make_app
    from epcg_workbench.places import Place, Places

    given = None if location is None else str(Path(location).absolute())
    folder, start = project_folder(what, given)
    if folder is None and what is None and Path(STATE).is_dir():
        folder = Path.cwd()
    outside = Path.cwd() if folder is None else folder.resolve().parent
    usual = given or str(outside / DATABASE)
    if folder is None and what is not None:
        start = fragment(what, usual)
    memory = Memory(None if folder is None else folder / STATE)
    listener = _listener(port, memory.port)
    found = listener.getsockname()[1]
    if port is None and found != (memory.port or PORT):
        show(f"Port {memory.port or PORT} is taken, so this is port {found}.")
    hosts = frozenset(f"{host}:{found}" for host in (HOST, "localhost"))
    places = Places(Place(outside, usual, command), given, found)
    first = places.desk
    if folder is not None:
        first = places.first = places.project(folder)
        remember_project(folder)
    first.start = start
    token = user_token(state_folder())
    app = make_app(Workbench(places, token, hosts), datasette_app())
    address = f"http://{HOST}:{found}{first.prefix}/?token={token}"
    show(f"The workbench is at {address} (Ctrl-C ends it).")
    if open_browser:
        webbrowser.open(address)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


def project_folder(what: str | None, location: str | None) -> tuple[Path | None, str]:
    """Return the folder of the project that `what` names, and the address that opens its file.

    The folder is None if that is neither a folder nor a file: a domain, an id, a text. Raises QueryError
    for a file that nothing opens.
    """
    path = None if what is None else _existing(what)
    if path is None or what is None:
        return None, ""
    if path.is_dir():
        return path, ""
    text = documents.read_text(path, "file", QueryError)
    if path.suffix.lower() != ".toml" and next(files.kinds_of(path, text), None) is None:
        fragment(what, location or DATABASE)  # says why
    return path.resolve().parent, f"file/{quote(path.name, safe='')}"


def _existing(what: str) -> Path | None:
    """Return the folder or file that a text names; None for any other text."""
    if any(info.domain == what for info in registry().all(EditorInfo)):
        return None
    with suppress(OSError, ValueError):  # a text may be longer than a name can be
        return Path(what) if what.strip() and "\n" not in what and Path(what).exists() else None
    return None


def fragment(what: str, location: str) -> str:
    """Return the part of the address that opens a domain, a puzzle, a file or a text: '/DOMAIN/TEXT'."""
    if any(info.domain == what for info in registry().all(EditorInfo)):
        return f"/{quote(what, safe='')}/"
    found = recording.text_of_puzzle(what, location)
    domain, text = found if found is not None else (None, what)
    path = registry().named_path(what) if found is None else None
    if path is not None:
        text = documents.read_text(path, "file", QueryError)
    if domain is None:
        domains = editing.recognised(text)
        if not domains:
            documents.check_not_path(what, QueryError)
        if len(domains) != 1:
            several = (
                f"Several domains read this: {', '.join(domains)}. Open it from the page, and choose one."
            )
            none = (
                f"'{what}' is neither a domain nor an id nor a file, and no editor reads it as a content."
                f"{_domain_meant(what)} "
                f"`epcg workbench --new NAME` makes a folder for a game."
            )
            if path is not None:
                none = f"{what}: {refusal(text)}"
            raise QueryError(several if domains else none)
        domain = domains[0]
    return f"/{quote(domain, safe='')}/{quote(editing.open_document(domain, text).text, safe='')}"


def _domain_meant(what: str) -> str:
    """Ask whether a domain is meant; '' if the text is like no domain's name."""
    near = difflib.get_close_matches(what, [info.domain for info in registry().all(EditorInfo)], n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def datasette_app() -> Callable[[Place], Any] | None:
    """Return what makes Datasette an application for the /data of a place; None if it is not installed."""
    return None if importlib.util.find_spec("datasette") is None else _Data


class _Data:
    """Datasette, as soon as there is a database."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._made: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        location = self._place.db
        if not Path(location).is_file():
            await _no_database(location)(scope, receive, send)
            return
        if self._made is None:
            from datasette.app import Datasette

            from epcg_workbench.data.serve import SETTINGS

            settings = {**SETTINGS, "base_url": self._place.prefix + DATA_PATH}
            values = {key: False if value == "off" else value for key, value in settings.items()}
            self._made = Datasette([location], settings=values).app()
        await self._made(scope, receive, send)


def _no_database(location: str) -> Any:
    from starlette.responses import PlainTextResponse

    sentence = f"There is no database {location}: the first analysis that is recorded makes it."
    return PlainTextResponse(sentence, 404)


def _listener(port: int | None, former: int | None) -> socket.socket:
    """Listen on a port, or on the first that is free: the former one, the usual one, and those behind it."""
    usual = [*([former] if former else []), *range(PORT, PORT + MOST_PORTS), 0]
    for number in usual if port is None else [port]:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen()  # a browser that comes before the server is ready waits
        except OSError:
            listener.close()
        else:
            return listener
    raise StoreError(f"Port {port} is taken: another --port helps, or none.")
