"""The requests that make a project or a file of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, cast

from epcg_core.inside import PLUGIN_EXCEPTIONS, editing, files
from epcg_core.plugin import EditorInfo, FormatInfo, QueryError, Workshop, registry
from epcg_workbench.messages import Message, text_of
from epcg_workbench.project.folder import MOST_FILES, Project
from epcg_workbench.project.intake import take_in
from epcg_workbench.project.painting import has_workshop
from epcg_workbench.project.templates import new_project, template
from epcg_workbench.tiles import drawn

MOST_OF_NAME = 100
"""Characters of a name."""
REFUSED = "?%#\"'`\\/:*<>|"
"""Characters that addresses, shells or other systems do not take in the name of a folder."""
USUAL_NAME = "game.txt"


def checked_name(name: str) -> str:
    """Return the name of a folder or file that is made. Raises QueryError if it should not have this name."""
    name = name.strip()
    wrong = next((letter for letter in name if letter in REFUSED or not letter.isprintable()), None)
    if not name:
        raise QueryError("A game needs a name: type one.")
    if len(name) > MOST_OF_NAME:
        raise QueryError(f"The name has {len(name)} characters, and at most {MOST_OF_NAME} are allowed.")
    if wrong is not None:
        what = f"'{wrong}'" if wrong.isprintable() and wrong != "'" else ascii(wrong)
        raise QueryError(
            f"A name cannot have {what}: choose letters, digits, spaces, hyphens, underscores, dots."
        )
    if name.startswith(".") or name.endswith("."):
        raise QueryError("A name neither begins nor ends with a dot: choose another.")
    return name


def make_project(request: Mapping[str, Any]) -> Iterator[Message]:
    """Make a project `name` in the folder `base`, and tell its folder and the file to open.

    It begins with a game of three levels, or with `text` as the file `file`.
    """
    folder = Path(text_of(request, "base"), checked_name(text_of(request, "name")))
    if "text" not in request:
        yield {"made": str(folder), "file": new_project(folder)}
        return
    file = checked_name(text_of(request, "file"))
    yield {"made": str(folder), "file": new_project(folder, (file, text_of(request, "text")))}


def make_file(project: Project, name: str, text: str | None) -> str:
    """Make a file of a project, and return its name: one that is taken gets a number.

    Args:
        project: the project.
        name: the file's name; without an ending it gets '.txt'.
        text: what it holds; None for a game to begin with.

    Raises QueryError if it cannot have this name.
    """
    project.digest(name)  # refuses what cannot be a name
    pure = PurePosixPath(name if PurePosixPath(name).suffix else f"{name}.txt")
    for number in range(1, MOST_FILES):
        other = str(pure if number == 1 else pure.with_stem(f"{pure.stem} {number}"))
        if project.digest(other) is None:
            held = template(PurePosixPath(other).stem) or "" if text is None else text
            return project.save(other, held, None).name
    raise QueryError(f"There are too many files with the name {name}: choose another.")


def makers(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the ways to begin: `rules`, `drawn`, `known` and `own`, as far as domains here offer them.

    One that is `drawn` has the `text` with which its file begins, the file's `ending`, the `canvas` that is
    shown first, and the key of its setting that is its title, `titled`.
    """
    text = template("")
    rules = None if text is None else next(files.kinds_of(Path(USUAL_NAME), text), None)
    if rules is not None and text is not None:
        level = next(piece.text for piece in rules.format.read(text).pieces if piece.kind == "content")
        title = registry().domain(rules.domain).title
        picture = drawn(editing.open_document(rules.domain, level))
        yield {"how": "rules", "title": "Rules and levels", "about": f"in {title}", "svg": picture}
    for info in registry().all(FormatInfo):
        yield from _drawn(info)
    known = [
        info.domain for info in registry().all(EditorInfo) if rules is None or info.domain != rules.domain
    ]
    if known:
        about = ", ".join(registry().domain(domain).title for domain in known)
        yield {"how": "known", "title": "A board of a known kind", "about": about, "svg": _sample(known[-1])}
    yield {"how": "own", "title": "A kind of your own", "about": "written in Python", "svg": ""}


def _drawn(info: FormatInfo) -> Iterator[Message]:
    """Yield the way to begin with a game of a format that is drawn, if it is."""
    kind = files.kind_named(info.domain, info.name) if info.file is not None and info.endings else None
    if kind is None or not has_workshop(kind):
        return
    workshop: Workshop = cast("Any", kind.format).workshop
    text, domain = kind.format.new(), registry().domain(info.domain)
    first = next(piece.text for piece in kind.format.read(text).pieces if piece.kind == "content")
    titled = next((setting.key for setting in workshop.settings(text) if setting.kind == "text"), "")
    yield {
        "how": "drawn",
        "title": domain.title,
        "about": domain.summary,
        "svg": drawn(editing.open_document(info.domain, first)),
        "domain": info.domain,
        "format": info.name,
        "text": text,
        "ending": info.endings[0],
        "canvas": workshop.canvases(text)[0].id,
        "titled": titled,
    }


def _sample(domain: str) -> str:
    """Draw a content of a domain."""
    with suppress(*PLUGIN_EXCEPTIONS):
        texts = [*editing.examples(domain).values(), editing.new_text(domain)]
        return drawn(editing.open_document(domain, texts[len(texts) // 2]))
    return ""


MAKING = {
    "make_project": make_project,
    "makers": makers,
    "intake": take_in,
}
"""The requests, by name."""
