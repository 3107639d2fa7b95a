"""Drawing of regions: several places of a content get what is copied or moved there, in one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epcg_core.inside import Document, editing, empty_marks, laying
from epcg_core.plugin import ERASE, EpcgError, QueryError, UnknownNameError, registry
from epcg_workbench.messages import Message, document_message, opened, text_of


def lay(request: Mapping[str, Any]) -> Iterator[Message]:
    """Make the `places` of a content hold what a request says: a table of sites with their marks."""
    document = opened(request)
    text = laid(document, _places(request))
    yield document_message(editing.open_document(document.domain, text))


def also_put(document: Document, sites: Sequence[str], image: Sequence[str], mark: str) -> Document:
    """Put a mark on further sites, as far as it may stand there, and return the content.

    Args:
        document: the content, in which the mark is on `sites`.
        sites: the sites that keep what they hold: what there is only one of stays there.
        image: the further sites; drawn over in this order if the mark is drawn over sites.
        mark: the mark; `ERASE` empties.

    Raises UnknownNameError for a site or a mark that the content does not have.
    """
    _check(document, dict.fromkeys(image, ()))
    image = [site for site in image if site not in sites]
    whole = _kept(document, sites, image, mark)
    if whole is not None or any(each.stroke for each in document.editor.palette if each.name == mark):
        return whole or document
    for site in image:
        document = _kept(document, sites, [site], mark) or document
    return document


def _kept(document: Document, sites: Sequence[str], image: Sequence[str], mark: str) -> Document | None:
    """Put a mark on further sites; None if it may not stand there, or `sites` would hold something else."""
    try:
        found = editing.open_document(document.domain, document.put(image, mark))
    except EpcgError:
        return None
    before, after = document.scene.marks, found.scene.marks
    return found if all(before.get(site) == after.get(site) for site in sites) else None


def images_of(request: Mapping[str, Any]) -> list[list[str]]:
    """Return the `images` of a request: lists of sites. Raises QueryError if they are something else."""
    found = request.get("images", [])
    is_lists = isinstance(found, list) and all(isinstance(image, list) for image in found)
    if not is_lists or not all(isinstance(site, str) for image in found for site in image):
        raise QueryError("The request needs 'images', lists of sites.")
    return [list(image) for image in found]


def casts(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell which sites `mark` would cover, by the site that it is put on; none if marks have no shape."""
    document = opened(request)
    editor: Any = document.editor
    mark = text_of(request, "mark")
    with registry().attribute_errors_to(document.info):
        found = editor.casts(editor.content, mark) if hasattr(editor, "casts") else {}
    yield {"casts": {site: [list(cast.sites), cast.fits] for site, cast in found.items()}}


def laid(document: Document, places: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a content whose places hold other marks; all of them, or none.

    The order of the places does not matter: what there is only one of may leave a place that is emptied
    later, and a place that cannot be emptied yet is tried again.

    Raises:
        UnknownNameError: for a site or a mark that the content does not have.
        EpcgError: if these marks make no content together.
    """
    editor: Any = document.editor
    _check(document, places)
    kinds = {site.id: site.kind for site in document.scene.sites}
    with registry().attribute_errors_to(document.info):
        places = {site: _shown(editor, kinds[site], marks) for site, marks in places.items()}
        state, waiting = editor.content, list(places.items())
        while waiting:
            left: list[tuple[str, Sequence[str]]] = []
            why: EpcgError | None = None
            for site, marks in waiting:
                try:
                    state = _laid(editor, state, site, kinds[site], marks)
                except EpcgError as error:
                    left.append((site, marks))
                    why = why or error
            if why is not None and len(left) == len(waiting):
                raise why
            waiting = left
        scene = editor.scene(state)
        for site, marks in places.items():
            if set(scene.marks.get(site, ())) != set(marks):
                title = next(each.title or each.id for each in scene.sites if each.id == site)
                raise QueryError(f"This does not fit at {title}: what lies there needs other places too.")
        text: str = editor.format(state)
    return text


def _laid(editor: Any, state: Any, site: str, kind: str, marks: Sequence[str]) -> Any:
    now = set(editor.scene(state).marks.get(site, ()))
    first, *_ = laying(editor, kind, marks)
    if now - set(marks) or (first != ERASE and now != set(marks)):
        try:
            state = editor.put(state, site, first)
        except EpcgError:  # a place that cannot be empty may hold something else
            if set(marks) == set(empty_marks(editor, kind)):
                raise
        now = set(editor.scene(state).marks.get(site, ()))
    for mark in marks:
        if mark not in now:
            state = editor.put(state, site, mark)
    return state


def _shown(editor: Any, kind: str, marks: Sequence[str]) -> Sequence[str]:
    """Return what a place shows that holds marks: an empty one its floor, a mark for several all of these."""
    wholes = {mark.name: mark.shows for mark in editor.palette if mark.shows is not None}
    if not marks:
        return empty_marks(editor, kind)
    return wholes[marks[0]] if len(marks) == 1 and marks[0] in wholes else marks


def _check(document: Document, places: Mapping[str, Sequence[str]]) -> None:
    sites = {site.id for site in document.scene.sites}
    names = {mark.name for mark in document.editor.palette}
    for site, marks in places.items():
        if site not in sites:
            raise UnknownNameError("site", site, list(sites))
        for mark in marks:
            if mark not in names:
                raise UnknownNameError("mark", mark, list(names))


def _places(request: Mapping[str, Any]) -> dict[str, list[str]]:
    found = request.get("places")
    if not isinstance(found, dict) or not all(
        isinstance(marks, list) and all(isinstance(mark, str) for mark in marks) for marks in found.values()
    ):
        raise QueryError("The request needs 'places', a table of sites with lists of marks.")
    return found
