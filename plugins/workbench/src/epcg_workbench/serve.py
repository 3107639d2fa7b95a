"""Starting the workbench's server, and finding what it opens first."""

from __future__ import annotations

import importlib.util
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from epcg_core.plugin import (
    EditorInfo,
    QueryError,
    StoreError,
    documents,
    editing,
    listed_reasons,
    registry,
    require,
)
from epcg_workbench import recording
from epcg_workbench.paths import DATA_PATH

HOST = "127.0.0.1"


def serve(
    what: str | None,
    location: str,
    port: int,
    open_browser: bool,
    show: Callable[[str], None],
    command: tuple[str, ...],
) -> None:
    """Serve the workbench until interrupted, which is not an error.

    `show` tells its address, and `command` is the command line of `epcg`.

    Raises PluginError if the extra is not installed, StoreError if the port is taken, and QueryError if
    `what` is nothing that can be opened.
    """
    require("The workbench needs", "starlette", "uvicorn", extra="epcg-workbench")
    import uvicorn

    from epcg_workbench.app import Workbench, make_app

    start = "" if what is None else fragment(what, location)
    listener = _listener(port)
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = frozenset(f"{host}:{port}" for host in (HOST, "localhost"))
    app = make_app(
        Workbench(location, token, hosts, start, command, str(Path.cwd())), datasette_app(location)
    )
    address = f"http://{HOST}:{port}/?token={token}"
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


def fragment(what: str, location: str) -> str:
    """Return the part of the address that opens a domain, a puzzle, a file or a text: '/DOMAIN/TEXT'."""
    if any(info.domain == what for info in registry().all(EditorInfo)):
        return f"/{quote(what, safe='')}/"
    found = recording.text_of_puzzle(what, location)
    domain, text = found if found is not None else (None, what)
    path = documents.named_path(what) if found is None else None
    if path is not None:
        text = documents.read_text(path, "file", QueryError)
    if domain is None:
        told = editing.refusals(text)
        domains = [name for name, refusal in told.items() if not refusal]
        if not domains:
            documents.check_not_path(what, QueryError)
        if len(domains) != 1:
            several = (
                f"Several domains read this: {', '.join(domains)}. Open it from the page, and choose one."
            )
            none = f"'{what}' is neither a domain nor an id nor a file, and no editor reads it as a content."
            if path is not None:
                reasons = listed_reasons(dict(sorted(told.items())))
                none = f"No editor reads {what} as a content:{reasons}"
            raise QueryError(several if domains else none)
        domain = domains[0]
    return f"/{quote(domain, safe='')}/{quote(editing.open_document(domain, text).text, safe='')}"


def datasette_app(location: str) -> Any:
    """Return Datasette as an application for /data; None if it is not installed."""
    return None if importlib.util.find_spec("datasette") is None else _Data(location)


class _Data:
    """Datasette, as soon as there is a database."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._app: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._app is None:
            if not Path(self._location).is_file():
                await _no_database(self._location)(scope, receive, send)
                return
            from datasette.app import Datasette

            from epcg_workbench.data.serve import SETTINGS

            settings = {**SETTINGS, "base_url": DATA_PATH}
            values = {key: False if value == "off" else value for key, value in settings.items()}
            self._app = Datasette([self._location], settings=values).app()
        await self._app(scope, receive, send)


def _no_database(location: str) -> Any:
    from starlette.responses import PlainTextResponse

    sentence = f"There is no database {location} yet: the first analysis that is recorded makes it."
    return PlainTextResponse(sentence, 404)


def _listener(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # a browser that comes before the server is ready waits
    except OSError as error:
        listener.close()
        raise StoreError(f"Port {port} is taken: another --port helps, or none.") from error
    return listener
