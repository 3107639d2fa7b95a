"""The requests of the page about its project: files, their pieces and faults, saving, history, chips."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import editing, files
from epcg_core.plugin import EpcgError, Fault, Piece, QueryError, Sheet, counted, documents, registry
from epcg_workbench.messages import (
    Message,
    digest,
    document_message,
    palette_message,
    scene_message,
    text_of,
    texts_of,
)
from epcg_workbench.project.chips import chips
from epcg_workbench.project.folder import ChangedError, Project, Read
from epcg_workbench.project.history import Step
from epcg_workbench.project.listing import listed
from epcg_workbench.project.making import MAKING, make_file
from epcg_workbench.project.notes import notes
from epcg_workbench.project.painting import PAINTING, has_art, has_workshop
from epcg_workbench.project.recent import RECENT
from epcg_workbench.project.session import session
from epcg_workbench.project.sheets import sheet_message
from epcg_workbench.tiles import drawn


def project_of(request: Mapping[str, Any]) -> Project:
    """Return the project of the server's folder."""
    return Project(Path(text_of(request, "folder")))


def listing(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the files of the project, each with the kind that its name and text tell."""
    project = project_of(request)
    found = list(listed(project))
    yield {"folder": str(project.folder), "name": project.folder.resolve().name}
    yield from found


def open_file(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open `file`, with its text, its pieces, and its faults."""
    project = project_of(request)
    yield _opened(project.read(text_of(request, "file")), request)


def _opened(read: Read, request: Mapping[str, Any]) -> Message:
    kind = _kind_named(request, read.name, read.text)
    message: Message = {"file": read.name, "text": read.text, "saved": read.digest, "hash": digest(read.text)}
    if kind is None:
        return message | {"domain": "", "format": ""} | sheet_message(_plain(read.name, read.text), read.text)
    sheet = kind.format.read(read.text)
    message |= {"domain": kind.domain, "format": kind.name, "workshop": has_workshop(kind)}
    message["art"] = has_art(kind)
    message["names"] = hasattr(kind.format, "entitle")
    message["messages"] = bool(kind.name) and registry().format(kind.domain, kind.name).messages
    return message | sheet_message(sheet, read.text, kind.format.read)


def _plain(name: str, text: str) -> Sheet:
    """Return what a file of no domain holds: nothing but the fault of a TOML file."""
    if name.endswith(".toml"):
        try:
            documents.parse_toml(text, name)
        except EpcgError as error:
            line = re.search(r"line (\d+)", str(error))
            return Sheet((), (Fault(int(line[1]) if line else 0, str(error)),))
    return Sheet(())


def _kind_named(request: Mapping[str, Any], name: str, text: str) -> files.Kind | None:
    """Return the domain and format that a request names, or those that the file shows."""
    domain, form = request.get("domain") or None, request.get("format")
    for kind in files.kinds_of(Path(name), text, domain):
        if form in (None, kind.name):
            return kind
    return files.kind_named(domain, form or "") if domain is not None else None


def _kind_of(request: Mapping[str, Any]) -> files.Kind:
    return files.kind_named(text_of(request, "domain"), text_of(request, "format"))


def _words(kind: files.Kind) -> tuple[str, str]:
    """Return the players' word for a content of a file, for one and for several."""
    return registry().domain(kind.domain).content_word


def check(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell the pieces and faults of `text`, a file of `domain` and `format`, as one types it.

    Without a domain, `file` is looked at.
    """
    text = text_of(request, "text")
    if request.get("domain"):
        read = _kind_of(request).format.read
        yield {"hash": digest(text)} | sheet_message(read(text), text, read)
    else:
        yield {"hash": digest(text)} | sheet_message(_plain(text_of(request, "file"), text), text)


def open_piece(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open the content `number` of `text`, a file of `domain` and `format`, for the board."""
    kind, number = _kind_of(request), _number(request, "number")
    pieces = kind.format.read(text_of(request, "text")).pieces
    if number >= len(pieces) or pieces[number].kind != "content":
        raise QueryError(f"There is no {_words(kind)[0]} with the number {number} in this text.")
    document = editing.open_document(kind.domain, pieces[number].text)
    yield document_message(document, palette=True) | {"number": number, "piece": digest(pieces[number].text)}


def change(request: Mapping[str, Any]) -> Iterator[Message]:
    """Change a piece of `text`, a file of `domain` and `format`.

    `how` is replace, insert, duplicate, remove, move or entitle; `number` counts pieces from 0; `piece` has
    the `kind` and `text` of what is put in, `to` the new number of what is moved, `title` a name. Answers the
    new text.
    """
    text, how, kind = text_of(request, "text"), text_of(request, "how"), _kind_of(request)
    number = _number(request, "number")
    if how == "duplicate":
        pieces = kind.format.read(text).pieces
        if number >= len(pieces):
            one, several = _words(kind)
            held = counted(len(pieces), f"{one} or message", f"{several} and messages")
            raise QueryError(f"The file has {held}, and no number {number + 1}.")
        found = kind.format.insert(text, number + 1, pieces[number])
    elif how == "replace":
        found = kind.format.replace(text, number, _piece(request))
    elif how == "insert":
        found = kind.format.insert(text, number, _piece(request))
    elif how == "remove":
        found = kind.format.remove(text, number)
    elif how == "move":
        found = files.moved(kind.format, text, number, _number(request, "to"))
    elif how == "entitle":
        entitle = getattr(kind.format, "entitle", None)
        if entitle is None:
            raise QueryError("This kind of file has no names of its contents.")
        found = entitle(text, number, text_of(request, "title"))
    else:
        raise QueryError(
            f"'{how}' does not change a file; expected replace, insert, duplicate, remove, move or entitle."
        )
    yield {"text": found, "hash": digest(found)} | sheet_message(
        kind.format.read(found), found, kind.format.read
    )


def save(request: Mapping[str, Any]) -> Iterator[Message]:
    """Save `text` as `file`; `saved` is what opening or saving told of it, null of a new file.

    `steps` are the states in which it was since the last save: each a `text` (if it is not
    that which is saved), the hash `parent` of the text that it came from, and a `label`.
    """
    project, name, text = project_of(request), text_of(request, "file"), text_of(request, "text")
    based_on = request.get("saved")
    if based_on is not None and not isinstance(based_on, str):
        raise QueryError("The request needs 'saved', a text, or null for a new file.")
    try:
        done = project.save(name, text, based_on, _steps(request))
        yield {"file": name, "saved": done.digest, "note": done.note}
    except ChangedError as error:
        yield {"file": name, "changed": str(error), "text": error.text, "saved": project.digest(name)}


def _steps(request: Mapping[str, Any]) -> list[Step]:
    found = request.get("steps", [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise QueryError("The request needs 'steps', a list of tables.")
    texts = [text_of(each if "text" in each else request, "text") for each in found]
    pairs = zip(texts, found, strict=True)
    return [Step(text, text_of(each, "parent"), text_of(each, "label")) for text, each in pairs]


def keep_both(request: Mapping[str, Any]) -> Iterator[Message]:
    """Save `text` under a new name beside `file`, which another program has changed."""
    found = project_of(request).save_beside(text_of(request, "file"), text_of(request, "text"))
    yield {"file": found.name, "saved": found.digest, "note": found.note}


def make(request: Mapping[str, Any]) -> Iterator[Message]:
    """Make a new file `file`, with `text` or a game to begin with, and open it.

    A name that is taken gets a number.
    """
    project, name = project_of(request), text_of(request, "file")
    made = make_file(project, name, text_of(request, "text") if "text" in request else None)
    yield _opened(project.read(made), request)


def digests(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell what `file` is now, so that a page notices other programs; null if it is gone."""
    name = text_of(request, "file")
    yield {"file": name, "saved": project_of(request).digest(name)}


def history(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the states that `file` was in, as a tree, in the order in which they came to be.

    The last message counts the older saves that are no longer remembered, if there are any.
    """
    kept, file = project_of(request).history, text_of(request, "file")
    for node in kept.tree(file):
        yield attrs.asdict(node)
    if dropped := kept.dropped(file):
        yield {"dropped": dropped}


def state(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the text that had `digest` when it was saved."""
    yield {"text": project_of(request).history.text(text_of(request, "digest"))}


def look(request: Mapping[str, Any]) -> Iterator[Message]:
    """Draw the content that tells a state of a file, `text` or that of `digest`, from the one before.

    That is the text `beside`, or that of the digest `parent`; none of the first state. Answers the number of
    the piece, null if the state has no content, and its picture.
    """
    kind, history, before = _kind_of(request), project_of(request).history, ""
    text = text_of(request, "text") if "text" in request else history.text(text_of(request, "digest"))
    known: list[str] = []
    with suppress(EpcgError):  # it may be no longer remembered
        before = text_of(request, "beside") if "beside" in request else ""
        before = history.text(text_of(request, "parent")) if "parent" in request else before
        known = [piece.text for piece in kind.format.read(before).pieces]
    pieces = kind.format.read(text).pieces
    number, svg = _told_apart(pieces, known), ""
    if number is not None:
        with suppress(EpcgError):  # a level with a fault has no picture
            svg = drawn(editing.open_document(kind.domain, pieces[number].text))
    yield {"number": number, "svg": svg}


def _told_apart(pieces: Sequence[Piece], before: Sequence[str]) -> int | None:
    """Return the first content that was not there before, else the first one that stands elsewhere."""
    contents = [number for number, piece in enumerate(pieces) if piece.kind == "content"]
    known = set(before)
    fresh = next((number for number in contents if pieces[number].text not in known), None)
    if fresh is not None or not contents:
        return fresh
    pairs = enumerate(zip_longest((piece.text for piece in pieces), before))
    moved = next((number for number, (now, then) in pairs if now != then), 0)
    return next((number for number in contents if number >= moved), contents[-1])


def level_chips(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell of each content of `text` whether it can be solved, one after the other; not of those `known`."""
    yield from chips(_kind_of(request), text_of(request, "text"), _known(request))


def pictures(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return the scene of each content of `text`, for small pictures; not of those `known` by their hash.

    A message with the `palette` comes before the first.
    """
    kind, known = _kind_of(request), _known(request)
    told: object = None
    for number, piece in enumerate(kind.format.read(text_of(request, "text")).pieces):
        hash_ = digest(piece.text)
        if piece.kind != "content" or hash_ in known:
            continue
        with suppress(EpcgError):  # the chip tells why
            document = editing.open_document(kind.domain, piece.text)
            palette = palette_message(document.editor)
            if palette != told:
                told = palette
                yield {"palette": palette}
            yield {"number": number, "hash": hash_, "scene": scene_message(document.scene)}


def _known(request: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(texts_of(request, "known")) if "known" in request else frozenset()


def _piece(request: Mapping[str, Any]) -> Piece:
    found = request.get("piece")
    if not isinstance(found, dict):
        raise QueryError("The request needs 'piece', a table with a kind and a text.")
    kind = text_of(found, "kind")
    if kind == "message":
        return Piece(text_of(found, "text"), "message")
    if kind == "content":
        return Piece(text_of(found, "text"))
    raise QueryError(f"A piece is a content or a message, not '{kind}'.")


def _number(request: Mapping[str, Any], key: str) -> int:
    found = request.get(key)
    if type(found) is not int or found < 0:
        raise QueryError(f"The request needs '{key}', a whole number of 0 or more.")
    return found


PROJECT: dict[str, Callable[[Mapping[str, Any]], Iterator[Message]]] = {
    "project": listing,
    "project_open": open_file,
    "project_check": check,
    "project_change": change,
    "project_piece": open_piece,
    "project_new": make,
    "project_save": save,
    "project_keep": keep_both,
    "project_digest": digests,
    "project_history": history,
    "project_state": state,
    "project_look": look,
    "project_session": session,
    "project_notes": notes,
    "project_chips": level_chips,
    "project_pictures": pictures,
    **MAKING,
    **PAINTING,
    **RECENT,
}
