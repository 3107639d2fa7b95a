"""Files with contents, open for editing: which domain and format they are of, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from epcg_core.base.errors import EpcgError, QueryError
from epcg_core.domain import EditorInfo, FormatInfo, counted, resolve
from epcg_core.domain.files import Fault, FileFormat, Piece, Sheet
from epcg_core.editing.editing import open_document
from epcg_core.editing.formats import by_ending
from epcg_core.plugins.registry import registry

MOST_BLOCKS = 3
"""Blocks of one content of several in a text: a drawing, its legend, and what is said of it."""
_LINE = re.compile(r"^line (\d+)")
_TITLE = re.compile(r"title:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
"""The line above a content that names it."""


@attrs.frozen
class _Group:
    """Blocks of a text that are one content, or none yet."""

    start: int
    """The line before its first one, which is the number of lines before it."""
    text: str
    why: str
    """Why it is not a content; '' of one."""
    blocks: int = 1
    title: str = ""
    """Its name, in a line before its first one."""

    @property
    def piece(self) -> Piece:
        return Piece(f"{self.text}\n", title=self.title, lines=self.lines)

    @property
    def lines(self) -> tuple[int, int]:
        return self.start + 1, self.start + 1 + self.text.count("\n")

    @property
    def fault(self) -> Fault:
        """The fault of one that is not a content, with the line in the whole text."""
        own = _LINE.match(self.why)
        line = self.start + (int(own[1]) if own else 1)
        return Fault(line, _LINE.sub(f"line {line}", self.why))


@attrs.frozen
class OwnTexts:
    """The format of a file in the own text of its domain. Implements `FileFormat`.

    It holds one content, or several with a blank line between them, as they are pasted one after the other. A
    content may have blank lines itself, before its legend say, and a line `title: NAME` above it.
    """

    domain: str

    def read(self, text: str) -> Sheet:
        blocks = list(_blocks(text))
        is_many = len(blocks) > 1 and not any(self._group(*block).why for block in blocks)
        whole = None if is_many else self._whole(text, blocks)
        if whole is not None and not whole.why:
            return Sheet((whole.piece if whole.title else Piece(text, lines=_all_lines(text)),))
        groups = self._groups(blocks)
        faults = tuple(group.fault for group in groups if group.why)
        if len(groups) < 2 or 2 * len(faults) > len(groups):
            assert whole is not None  # several without a fault were told above
            return Sheet((), (whole.fault if whole.title else Fault(0, whole.why),))
        return Sheet(tuple(each.piece for each in groups if not each.why), faults)

    def replace(self, text: str, number: int, piece: Piece) -> str:
        pieces = self._checked(text, number)
        if len(pieces) < 2 and not pieces[0].title:
            return piece.text
        return self._put(text, number, [piece.text.rstrip("\n")])

    def entitle(self, text: str, number: int, title: str) -> str:
        """Give a content a name, in a line above it; '' takes the name away."""
        pieces, named = self._checked(text, number), " ".join(title.split())
        lines, first = text.split("\n"), pieces[number].lines[0] - 1
        own = [f"title: {named}"] if named else []
        made = "\n".join([*lines[: first - bool(pieces[number].title)], *own, *lines[first:]])
        wanted = [(each.text.strip("\n"), each.title) for each in pieces]
        wanted[number] = (wanted[number][0], named)
        if [(each.text.strip("\n"), each.title) for each in self.read(made).pieces] != wanted:
            raise QueryError(f"The name {named!r} cannot stand in this file.")
        return made

    def insert(self, text: str, before: int, piece: Piece) -> str:
        if not text.strip():
            return piece.text
        pieces = self._checked(text)
        lines, own = text.rstrip("\n").split("\n"), piece.text.rstrip("\n")
        if named := " ".join(piece.title.split()):
            own = f"title: {named}\n{own}"
        at = len(lines)
        if before < len(pieces):
            at = pieces[before].lines[0] - 1 - bool(pieces[before].title)
        middle = [own, ""] if before < len(pieces) else ["", own]
        made = "\n".join([*lines[:at], *middle, *lines[at:], ""])
        if len(self.read(made).pieces) != len(pieces) + 1:
            raise QueryError(_ONE_ONLY)
        return made

    def remove(self, text: str, number: int) -> str:
        if len(self._checked(text, number)) < 2:
            raise QueryError(_NONE_LEFT)
        return self._put(text, number, [])

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else piece.text

    def _checked(self, text: str, number: int = 0) -> Sequence[Piece]:
        """Return the contents of a text. Raises QueryError if it has faults, or no content of a number."""
        sheet = self.read(text)
        if not sheet.usable:
            raise QueryError(sheet.faults[0].message)
        if not 0 <= number < len(sheet.pieces):
            held = counted(len(sheet.pieces), "content")
            raise QueryError(f"This file holds {held}, and no number {number + 1}.")
        return sheet.pieces

    def _put(self, text: str, number: int, put: list[str]) -> str:
        """Put lines in the place of a content of several; with none, blank lines beside it go too."""
        lines, old = text.split("\n"), self.read(text).pieces[number]
        first, last = old.lines
        if old.title and not put:
            first -= 1
        after = lines[last:]
        while not put and after and not after[0].strip():
            del after[0]
        made = "\n".join([*lines[: first - 1], *put, *after])
        return made if put or any(line.strip() for line in after) else f"{made.rstrip()}\n"

    def _why(self, text: str) -> str:
        """Say why a text is not one content; '' if it is."""
        try:
            open_document(self.domain, text)
        except EpcgError as error:
            return str(error)
        return ""

    def _whole(self, text: str, blocks: Sequence[tuple[int, str]]) -> _Group:
        """Return a text as one content, or with why it is none."""
        if not blocks or not _TITLE.match(blocks[0][1]):
            return _Group(0, text, self._why(text))
        start = blocks[0][0]
        return self._group(start, "\n".join(text.rstrip().split("\n")[start:]))

    def _group(self, start: int, block: str) -> _Group:
        """Return a block as a content, with the line above it that names it, or with why it is none."""
        head, _, rest = block.partition("\n")
        named = _TITLE.match(head) if rest.strip() else None
        below = self._why(rest) if named else ""
        if named and (not below or self._why(block)):
            return _Group(start + 1, rest, below, title=named[1])
        return _Group(start, block, "" if named else self._why(block))

    def _groups(self, blocks: Iterable[tuple[int, str]]) -> list[_Group]:
        """Put blocks together to contents, as far as they are several."""
        found: list[_Group] = []
        for start, block in blocks:
            alone = self._group(start, block)
            last = found[-1] if found else None
            if last is not None and alone.why and last.blocks < MOST_BLOCKS:
                gap = "\n" * (start - last.start - last.text.count("\n"))
                joined = self._group(last.start, f"{last.text}{gap}{block}")
                if not joined.why:
                    found[-1] = attrs.evolve(joined, blocks=last.blocks + 1, title=joined.title or last.title)
                    continue
            if len(found) == MOST_BLOCKS and all(each.why for each in found):
                return found  # it is something else
            found.append(alone)
        return found


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield what stands between blank lines, each with the number of lines before it."""
    own: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""]):
        if line.strip():
            own.append(line)
        elif own:
            yield number - len(own), "\n".join(own)
            own = []


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
        own = OwnTexts(editor.domain)
        sheet = own.read(text)
        if sheet.usable:
            yield Kind(editor.domain, "", own)
        elif sheet.pieces:
            faulty.append(Kind(editor.domain, "", own))
    yield from faulty


def kind_named(domain: str, name: str) -> Kind:
    """Return the kind of files of a domain's format, or of its own text (''). Raises UnknownNameError."""
    if not name:
        registry().editor(domain)
        return Kind(domain, "", OwnTexts(domain))
    info = registry().format(domain, name)
    return Kind(domain, name, file_format(info) if _is_edited(info) else OwnTexts(domain))


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
