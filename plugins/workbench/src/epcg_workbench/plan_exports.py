"""The requests that give a plan's puzzles away: built, exported, and what was written before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from epcg_core.inside import Plan, parse_plan
from epcg_core.plugin import QueryError, UnknownNameError
from epcg_workbench.kept_texts import path_of, read
from epcg_workbench.messages import Message, text_of

EXPORTS = {
    "pdf": ".pdf",
    "html": ".html",
    "page": "-page.html",
    "site": "-site",
    "json": ".json",
    "csv": ".csv",
}
"""The formats, each with the end of the names of its files."""
OPENED = (".pdf", ".html", ".json", ".csv", ".gif")
"""The endings of files that a link of the page opens."""


def _plan(path: Path) -> Plan:
    return parse_plan(read(path), where=path.name, name=path.stem, folder=path.parent)


def build(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the command that builds the plan `name`."""
    path = path_of(request)
    found = _plan(path)
    yield {
        "title": f"build {found.title}",
        "words": ["curriculum", "build", str(path)],
        "says": f"The curriculum {found.name} is recorded in {text_of(request, 'db')}.",
    }


def export(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the command that writes the built curriculum of a plan `name` in a `format` into the folder.

    Nothing is overwritten: a name that is taken gets a number.
    """
    path, kind = path_of(request), text_of(request, "format")
    if kind not in EXPORTS:
        raise UnknownNameError("format", kind, EXPORTS)
    found = _plan(path)
    ending = EXPORTS[kind]
    names = (f"{path.stem}{more}{ending}" for more in ("", *(f"-{n}" for n in range(2, 10_000))))
    target = next(path.parent / name for name in names if not (path.parent / name).exists())
    words = ["curriculum", "export", found.name, "--format", kind, "--output", str(target)]
    opened = target.resolve() / "index.html" if kind == "site" else target.resolve()
    file = "" if kind == "site" else target.name
    message = {"title": f"export {found.title} as {kind}", "words": words}
    yield message | {"says": f"Written: {opened}", "file": file}


def exported_file(folder: Path, name: str) -> Path:
    """Return the path of a file that an export may have written. Raises QueryError if it is none."""
    path = folder / name
    is_own = not name.startswith(".") and Path(name).name == name and path.suffix in OPENED
    if not is_own or not path.is_file() or path.resolve().parent != folder.resolve():
        raise QueryError(f"There is no file {name} to open: it was moved, or was never written.")
    return path


def written(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the newest file of each format that the plan `name` was exported as: its bytes, and when.

    That is the time of a file of today, else the date.
    """
    path = path_of(request)
    for kind, ending in EXPORTS.items():
        name = re.compile(rf"{re.escape(path.stem)}(-\d+)?{re.escape(ending)}")
        with suppress(OSError):  # the folder or a file is gone meanwhile
            named = [each for each in path.parent.iterdir() if name.fullmatch(each.name)]
            if not named:
                continue
            newest = max(named, key=lambda each: each.stat().st_mtime)
            parts = newest.rglob("*") if newest.is_dir() else [newest]
            size = sum(each.stat().st_size for each in parts if each.is_file())
            changed = datetime.fromtimestamp(newest.stat().st_mtime)
            is_today = changed.date() == datetime.now().date()
            time = changed.strftime("%H:%M" if is_today else "%Y-%m-%d")
            opened = newest / "index.html" if newest.is_dir() else newest
            link = "" if newest.is_dir() else newest.name
            found = {"format": kind, "bytes": size, "time": time, "file": str(opened.resolve())}
            yield found | {"link": link}


GIVING = {"build": build, "export": export, "written": written}
"""The requests, by name."""
