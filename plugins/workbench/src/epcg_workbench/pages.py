"""Pages that plugins add to the workbench: applications under /pages/NAME/, made when first opened.

Each project has its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from epcg_core.plugin import EpcgError, format_exception, registry, resolve
from epcg_workbench.parts import PageInfo

ASGI = Callable[..., Awaitable[None]]


@attrs.frozen
class Lent:
    """Access to a workbench's database and folder, for a page of a plugin."""

    database: str
    """The database, as `epcg_core.open` and `Store.open` take it."""
    folder: Path
    """The folder in which plans lie, and into which exports are written."""


def pages_of(lent: Callable[[Mapping[str, Any]], Lent]) -> list[Mount]:
    """Return the mounts of all pages that plugins add; `lent` tells to what a request's scope has access."""
    return [Mount(f"/pages/{info.name}", _Page(info, lent)) for info in registry().all(PageInfo)]


def listed(prefix: str) -> list[dict[str, str]]:
    """Return what the menu shows of the pages that plugins add; their addresses begin with `prefix`."""
    return [
        {"title": info.title, "summary": info.summary, "address": f"{prefix}/pages/{info.name}/"}
        for info in registry().all(PageInfo)
    ]


class _Page:
    """A page of a plugin. Whatever it raises is a sentence, and harms no other page."""

    def __init__(self, info: PageInfo, lent: Callable[[Mapping[str, Any]], Lent]) -> None:
        self._info, self._lent = info, lent
        self._made: dict[Lent, ASGI] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        begun = False
        lent = self._lent(scope)

        async def sending(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            if lent not in self._made:
                with registry().attribute_errors_to(self._info):
                    self._made[lent] = resolve(self._info.factory)(lent)
            await self._made[lent](scope, receive, sending)
        except Exception as error:
            if begun:
                raise
            said = str(error) if isinstance(error, EpcgError) else format_exception(error)
            sentence = f"The page '{self._info.title}' cannot be shown: {said}"
            await PlainTextResponse(sentence, 500)(scope, receive, send)
