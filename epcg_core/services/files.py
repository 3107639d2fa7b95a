"""Files with contents, open for editing: which domain and format they are of, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs

from epcg_core.domain import EditorInfo, FormatInfo, resolve
from epcg_core.domain.files import Fault, FileFormat, Piece, Sheet
from epcg_core.errors import EpcgError, QueryError
from epcg_core.plugins.registry import registry
from epcg_core.services.editing import open_document
from epcg_core.services.formats import by_ending


@attrs.frozen
class OneContent:
    """The format of a file that is one content, in the own text of its domain. Implements `FileFormat`."""

    domain: str

    def read(self, text: str) -> Sheet:
        try:
            open_document(self.domain, text)
        except EpcgError as error:
            return Sheet((), (Fault(0, str(error)),))
        return Sheet((Piece(text, lines=(1, text.count("\n") + (not text.endswith("\n")))),))

    def replace(self, text: str, number: int, piece: Piece) -> str:
        self._check(number)
        return piece.text

    def insert(self, text: str, before: int, piece: Piece) -> str:
        raise QueryError("This file holds one content: a further one belongs into a file of its own.")

    def remove(self, text: str, number: int) -> str:
        raise QueryError("This file holds one content: remove the file instead.")

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else piece.text

    @staticmethod
    def _check(number: int) -> None:
        if number != 0:
            raise QueryError(f"This file holds one content, and no number {number + 1}.")


@attrs.frozen
class Kind:
    """The domain and the format of a file."""

    domain: str
    name: str
    """The format's name; '' of the domain's own text."""
    format: FileFormat


def kinds_of(path: Path, text: str, domain: str | None = None) -> Iterator[Kind]:
    """Yield what a file may be, the likeliest first: formats of its ending, then own texts that it shows.

    Args:
        path: the file's name, which need not exist.
        text: its content.
        domain: the only domain that is asked for; None for all.
    """
    for info in by_ending(path, domain):
        if info.file is not None:
            made = file_format(info)
            if made.read(text).pieces or not text.strip():
                yield Kind(info.domain, info.name, made)
    for info in registry().all(FormatInfo, domain):
        if info.file is not None and path.suffix.lower() not in info.endings:
            made = file_format(info)
            if made.read(text).usable and made.read(text).pieces:
                yield Kind(info.domain, info.name, made)
    for editor in registry().all(EditorInfo, domain):
        own = OneContent(editor.domain)
        if own.read(text).usable:
            yield Kind(editor.domain, "", own)


def kind_named(domain: str, name: str) -> Kind:
    """Return the kind of files of a domain's format, or of its own text (''). Raises UnknownNameError."""
    if not name:
        registry().editor(domain)
        return Kind(domain, "", OneContent(domain))
    info = registry().format(domain, name)
    return Kind(domain, name, OneContent(domain) if info.file is None else file_format(info))


def file_format(info: FormatInfo) -> FileFormat:
    """Make the file format of a descriptor that has one."""
    assert info.file is not None
    with registry().attribute_errors_to(info):
        made: FileFormat = resolve(info.file)()
        return made


def moved(format: FileFormat, text: str, number: int, to: int) -> str:
    """Return a text in which a piece has another place: `to` is its number afterwards."""
    piece = format.read(text).pieces[number]
    return format.insert(format.remove(text, number), to, piece)
