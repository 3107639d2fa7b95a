"""What one server has open: projects, and the desk, the folder outside of all projects where it was started.

The address of a page names its project, /p/ID/, and so do all requests of the page. So several tabs work in
several projects, an address that is kept opens its project again, and a project is one, however often and by
whatever path it is opened.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from epcg_core.plugin import EpcgError
from epcg_workbench.paths import DATABASE
from epcg_workbench.project.history import STATE
from epcg_workbench.project.memory import Memory
from epcg_workbench.project.recent import project_id, project_named
from epcg_workbench.runs import Runs

ASGI = Callable[..., Awaitable[None]]
PLACE = "epcg_place"
"""Under this key, the scope of a request has its place."""
_PREFIX = re.compile(r"/p/([0-9a-f]{16})(?=/|$)")


@attrs.define(eq=False)
class Place:
    """A folder in which a page works, with its database and the runs that were started there."""

    folder: Path
    """Absolute."""
    db: str
    command: Sequence[str] = ()
    """The command line of `epcg`, by which analyses are recorded."""
    id: str = ""
    """The name of a project in addresses; '' for the desk."""
    start: str = ""
    """The fragment of the address that opens first: '/DOMAIN/TEXT'."""
    runs: Runs = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.runs = Runs(self.db, self.command, str(self.folder))

    @property
    def is_project(self) -> bool:
        """Whether it is a project, and not the desk."""
        return bool(self.id)

    @property
    def prefix(self) -> str:
        """What addresses of the place begin with: '' for the desk."""
        return f"/p/{self.id}" if self.id else ""

    @property
    def base(self) -> Path:
        """The folder in which new projects are made."""
        return self.folder.parent if self.is_project else self.folder

    @property
    def shown_db(self) -> str:
        """The database as the page names it: without the folder that it lies in."""
        path = Path(self.db)
        return path.name if path.parent == self.folder else self.db

    def named(self) -> dict[str, str]:
        """Return where the database, the plans and new projects lie, which a request may not choose."""
        return {"db": self.db, "folder": str(self.folder), "base": str(self.base)}


@attrs.define
class Places:
    """The places of one server."""

    desk: Place
    db: str | None = None
    """The database that was named by hand, which all places have; None if each has its own."""
    port: int | None = None
    """Where the server listens; projects remember it."""
    first: Place | None = None
    """The project with which the server was started, to which its bare address leads."""
    projects: dict[str, Place] = attrs.field(factory=dict)
    """By their ids."""

    def project(self, folder: Path) -> Place:
        """Return the place of a project's folder, which is opened if it is not."""
        folder = folder.resolve()
        name = project_id(folder)
        if name not in self.projects:
            db = str(folder / DATABASE) if self.db is None else self.db
            self.projects[name] = Place(folder, db, self.desk.command, name)
            if self.port is not None:
                Memory(folder / STATE).keep_port(self.port)
        return self.projects[name]

    def named(self, name: str) -> Place:
        """Return an open project, or open one that was open of late. Raises QueryError if there is none."""
        found = self.projects.get(name)
        return self.project(project_named(name)) if found is None else found

    @property
    def all(self) -> tuple[Place, ...]:
        """The desk and the projects."""
        return self.desk, *self.projects.values()


class ByPlace:
    """Gives each request its place, and answers it as if that were the root."""

    def __init__(self, app: ASGI, places: Places) -> None:
        self._app, self._places = app, places

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        prefix = _PREFIX.match(scope["path"])
        place: Place | EpcgError = self._places.desk
        if prefix is not None:
            try:
                place = self._places.named(prefix[1])
            except EpcgError as error:  # it is told by a route, in the manner of all refusals
                place = error
            if prefix[0] == scope["path"]:
                query = scope.get("query_string", b"").decode("latin-1")
                address = f"{prefix[0]}/?{query}" if query else f"{prefix[0]}/"
                await RedirectResponse(address, 308)(scope, receive, send)
                return
        root = scope.get("root_path", "") + ("" if prefix is None else prefix[0])
        await self._app({**scope, "root_path": root, PLACE: place}, receive, send)


def is_page(path: str) -> bool:
    """Return whether a path is that of a page: of the desk, or of a project."""
    return path == "/" or (path.endswith("/") and _PREFIX.fullmatch(path[:-1]) is not None)


def place_of(scope: Mapping[str, Any]) -> Place:
    """Return the place of a request. Raises HTTPException if there is no such project."""
    place = scope[PLACE]
    if isinstance(place, Place):
        return place
    raise HTTPException(410, str(place))
