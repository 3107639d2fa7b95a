"""Files with contents, open for editing: which domain and format they are of, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs

from epcg_core.base.errors import EpcgError, QueryError
from epcg_core.domain import EditorInfo, FormatInfo, counted, resolve
from epcg_core.domain.files import Fault, FileFormat, Piece, Sheet
from epcg_core.editing.editing import open_document
from epcg_core.editing.formats import by_ending
from epcg_core.plugins.registry import registry


@attrs.frozen
class OneContent:
    """The format of a file that is one content, in the own text of its domain. Implements `FileFormat`."""

    domain: str

    def read(self, text: str) -> Sheet:
        try:
            open_document(self.domain, text)
        except EpcgError as error:
            return Sheet((), (Fault(0, str(error)),))
        return Sheet((Piece(text, lines=_all_lines(text)),))

    def replace(self, text: str, number: int, piece: Piece) -> str:
        _check_first(number)
        return piece.text

    def insert(self, text: str, before: int, piece: Piece) -> str:
        raise QueryError(_ONE_ONLY)

    def remove(self, text: str, number: int) -> str:
        raise QueryError(_NONE_LEFT)

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else piece.text


@attrs.frozen
class Converted:
    """The format of a file of others with one content. Implements `FileFormat`.

    A change is put into the file if the format can, else the whole file is written.
    """

    info: FormatInfo

    def read(self, text: str) -> Sheet:
        try:
            contents = self._contents(text)
            kept = len(contents) == 1 and (
                self.info.put is not None or self._written(Piece(contents[0])) == text
            )
        except EpcgError as error:
            return Sheet((), (Fault(0, str(error)),))
        if len(contents) != 1:
            sentence = (
                f"The file has {counted(len(contents), 'content')}, which are not edited in their place: "
                "make a file of each by `epcg convert --number`."
            )
            return Sheet((), (Fault(0, sentence),))
        sentence = "A change writes the whole file: what was not read of it, other layers say, will be lost."
        faults = () if kept else (Fault(0, sentence, serious=False),)
        return Sheet((Piece(contents[0], lines=_all_lines(text)),), faults)

    def replace(self, text: str, number: int, piece: Piece) -> str:
        _check_first(number)
        if self._contents(text) == [piece.text]:
            return text
        if self.info.put is None:
            return self._written(piece)
        with registry().attribute_errors_to(self.info):
            return str(resolve(self.info.put)(text, piece.text))

    def insert(self, text: str, before: int, piece: Piece) -> str:
        if text.strip():
            raise QueryError(_ONE_ONLY)
        return self._written(piece)

    def remove(self, text: str, number: int) -> str:
        raise QueryError(_NONE_LEFT)

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else self._written(piece)

    def _contents(self, text: str) -> list[str]:
        assert self.info.read is not None
        with registry().attribute_errors_to(self.info):
            return list(resolve(self.info.read)(text, "The file"))

    def _written(self, piece: Piece) -> str:
        assert self.info.write is not None
        with registry().attribute_errors_to(self.info):
            return str(resolve(self.info.write)(piece.text, piece.title))


_ONE_ONLY = "This file holds one content: a further one belongs into a file of its own."
_NONE_LEFT = "This file holds one content: remove the file instead."


def _check_first(number: int) -> None:
    if number != 0:
        raise QueryError(f"This file holds one content, and no number {number + 1}.")


def _all_lines(text: str) -> tuple[int, int]:
    return 1, text.count("\n") + (not text.endswith("\n"))


@attrs.frozen
class Kind:
    """The domain and the format of a file."""

    domain: str
    name: str
    """The format's name; '' of the domain's own text."""
    format: FileFormat


def kinds_of(path: Path, text: str, domain: str | None = None) -> Iterator[Kind]:
    """Yield what a file may be, the likeliest first.

    First come formats of its ending, then others that can use it, own texts, and formats that find contents
    in it, but also serious faults.

    Args:
        path: the file's name, which need not exist.
        text: its content.
        domain: the only domain that is asked for; None for all.
    """
    for info in by_ending(path, domain):
        if _is_edited(info):
            made = file_format(info)
            if made.read(text).pieces or not text.strip():
                yield Kind(info.domain, info.name, made)
    faulty = []
    for info in registry().all(FormatInfo, domain):
        if info.file is not None and path.suffix.lower() not in info.endings:
            made = file_format(info)
            sheet = made.read(text)
            if sheet.pieces and sheet.usable:
                yield Kind(info.domain, info.name, made)
            elif sheet.pieces:
                faulty.append(Kind(info.domain, info.name, made))
    for editor in registry().all(EditorInfo, domain):
        own = OneContent(editor.domain)
        if own.read(text).usable:
            yield Kind(editor.domain, "", own)
    yield from faulty


def kind_named(domain: str, name: str) -> Kind:
    """Return the kind of files of a domain's format, or of its own text (''). Raises UnknownNameError."""
    if not name:
        registry().editor(domain)
        return Kind(domain, "", OneContent(domain))
    info = registry().format(domain, name)
    return Kind(domain, name, file_format(info) if _is_edited(info) else OneContent(domain))


def _is_edited(info: FormatInfo) -> bool:
    """Return whether files of a format are changed, and not only read, or only written."""
    return info.file is not None or (info.read is not None and info.write is not None)


def file_format(info: FormatInfo) -> FileFormat:
    """Make the file format of a descriptor: its own, or that of files of one content, read and written."""
    if info.file is None:
        return Converted(info)
    with registry().attribute_errors_to(info):
        made: FileFormat = resolve(info.file)()
        return made


def moved(format: FileFormat, text: str, number: int, to: int) -> str:
    """Return a text in which a piece has another place: `to` is its number afterwards. Raises EpcgError."""
    pieces = format.read(text).pieces
    if not 0 <= number < len(pieces):
        held = counted(len(pieces), "content or message", "contents and messages")
        raise QueryError(f"The file has {held}, and no number {number + 1}.")
    return text if to == number else format.insert(format.remove(text, number), to, pieces[number])
