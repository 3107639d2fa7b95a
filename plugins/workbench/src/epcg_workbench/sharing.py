"""What is made for others: a page to play, and a picture that moves. Each is a command of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from epcg_core.plugin import QueryError, documents, registry
from epcg_workbench.messages import Message, taken_of, text_of
from epcg_workbench.project.folder import Project

LEAVES_OUT = ("numbers", "solutions", "hints", "warnings")
"""What a page has unless a request says false."""


def share(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the command that makes one HTML file of a content, or of `file` of the project with all of it.

    `levels` are the numbers of those that it has, from 1; all without it. It lies in the folder of the
    project; nothing is overwritten: a name that is taken gets a number.
    """
    project, domain = _project(request), text_of(request, "domain")
    file = request.get("file")
    if isinstance(file, str) and file:
        name, what, title = Path(file).stem, project.path(file), []
    else:
        name, what = domain, _written(project, text_of(request, "text"))
        title = ["--title", registry().domain(domain).title]
    target = _free(project, name, ".html")
    levels = [word for level in _levels(request) for word in ("--level", str(level))]
    without = [f"--no-{each}" for each in LEAVES_OUT if request.get(each) is False]
    words = ["share", str(what), "--domain", domain, "--output", str(target), *title, *levels, *without]
    yield {
        "title": f"share {name}",
        "words": words,
        "says": f"Written: {target.resolve()}",
        "file": target.name,
    }


def gif(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the command that makes a GIF of the actions `taken` of a content, else of a solution."""
    project, domain = _project(request), text_of(request, "domain")
    file = request.get("file")
    name = Path(file).stem if isinstance(file, str) and file else domain
    what, target = _written(project, text_of(request, "text")), _free(project, name, ".gif")
    moves = [word for number in taken_of(request) for word in ("--move", str(number + 1))]
    words = ["gif", str(what), "--domain", domain, "--output", str(target), *moves]
    yield {
        "title": f"gif {name}",
        "words": words,
        "says": f"Written: {target.resolve()}",
        "file": target.name,
    }


def _project(request: Mapping[str, Any]) -> Project:
    project = Project(Path(text_of(request, "folder")))
    project.check()
    return project


def _levels(request: Mapping[str, Any]) -> list[int]:
    found = request.get("levels")
    if found is None:
        return []
    if not isinstance(found, list) or not found or not all(type(each) is int and each > 0 for each in found):
        raise QueryError("Choose at least one level: without any there is nothing to share.")
    return [int(each) for each in found]


def _written(project: Project, text: str) -> Path:
    """Write a content into a file, because a text could be taken for the name of one."""
    path = project.state / "shared.txt"
    try:
        path.parent.mkdir(exist_ok=True)
        with documents.replaced(path) as part:
            part.write_text(text, encoding="utf-8")
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "the text has half a character"
        raise QueryError(f"Nothing can be shared from {project.folder}: {reason}.") from error
    return path


def _free(project: Project, name: str, ending: str) -> Path:
    """Return a path in the folder of a project that nothing has."""
    names = (f"{name}{more}{ending}" for more in ("", *(f"-{n}" for n in range(2, 10_000))))
    return next(project.folder / each for each in names if not (project.folder / each).exists())


SHARING: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Message]]] = {"share": share, "gif": gif}
"""The requests, by name."""
