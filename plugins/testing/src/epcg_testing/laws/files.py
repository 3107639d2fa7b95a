"""Files of several contents: whatever a text is, it is read, and a change touches nothing but its piece."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from epcg_core.inside import FileFormat, format_state
from epcg_core.plugin import EditorInfo, EpcgError, FormatInfo, Piece, Sheet, resolve
from epcg_testing.report import Laws
from epcg_testing.subject import Subject
from epcg_testing.violations import Broken, Case, Cases, Skip, require, require_type

LAWS = Laws()

_EXAMPLES = 4
"""Examples of the editor, and states of each space, that are put into files."""
_FILES = 4
"""Files of several contents that are made of them."""
_MANGLED = 12
"""Damaged copies of each file."""
_NONSENSE = (
    "", "\n", "no such text", "\0", "[1", "<a", "{}", "(", ")", "=\n#\n", "LEVELS\n", "\ud800", "9" * 5000,
    "[" * 3000,
)  # fmt: skip
_NOISE = ("(", ")", " ", "\t", ";", ":", "#", '"', "<", "\0", "x", "9", "=", "{", "]", ",", "é")


@attrs.frozen
class FileKind:
    """A format of files, with texts in it."""

    where: str
    format: FileFormat
    content: Callable[[str], Any]
    """The content of a piece's text, as the editor opens it; what it says of other pieces is not of it."""
    texts: tuple[str, ...]
    messages: bool = False
    """Whether the format says that it has messages."""


def read(format: FileFormat, text: str) -> Sheet:
    """Read a text, and check the form of what is found. Raises Broken."""
    sheet = format.read(text)
    require_type("what read returns", Sheet, sheet)
    require("what read returns, asked twice", sheet, format.read(text))
    lines = [fault.line for fault in sheet.faults]
    require("the lines of the faults, which are sorted", sorted(lines), lines)
    for fault in sheet.faults:
        if not fault.message.rstrip().endswith("."):
            raise Broken("the message of a fault", "a sentence", fault.message)
    count, last = text.count("\n") + 1, 1
    for piece in sheet.pieces:
        first, end = piece.lines
        if not last <= first <= end <= count:
            raise Broken("the lines of the pieces", f"ascending, from 1 to {count}", str(piece.lines))
        last = end
    return sheet


def check_changes(kind: FileKind, text: str, exact: bool = True) -> None:
    """Check replacing, inserting and removing each piece of a text. Raises Broken.

    Args:
        kind: the format.
        text: the text; nothing is checked if it cannot be used.
        exact: whether each change has to succeed, and inserting and removing leaves the same bytes;
            otherwise a change may be refused by an EpcgError.
    """
    sheet = read(kind.format, text)
    if not sheet.usable:
        return
    for number, piece in enumerate(sheet.pieces):
        require(f"piece {number}, replaced by itself", text, kind.format.replace(text, number, piece))
        try:
            _check_replaced(kind, text, sheet, number)
            _check_inserted(kind, text, sheet, number, exact)
            _check_removed(kind, text, sheet, number)
        except EpcgError:
            if exact:
                raise


def check_messages(kind: FileKind, text: str) -> None:
    """Check that a message is put in, found again and removed, if the format has messages. Raises Broken."""
    sheet = read(kind.format, text)
    if not kind.messages:
        found = [piece.text for piece in sheet.pieces if piece.kind == "message"]
        require("the messages in a file of a format without messages", [], found)
        return
    if not sheet.usable:
        return
    message = Piece("Words", "message")
    try:
        longer = kind.format.insert(text, 0, message)
    except EpcgError as error:
        raise Broken(
            "a message that is inserted", "the message, since the format has some", str(error)
        ) from error
    require("the pieces after it", _known(kind, [message, *sheet.pieces]), _told(kind, longer))
    require("the text after it is removed", text, kind.format.remove(longer, 0))


def _check_replaced(kind: FileKind, text: str, sheet: Sheet, number: int) -> None:
    """Check that a piece takes another one's content, and that nothing else changes."""
    old = sheet.pieces[number]
    new = next((each for each in sheet.pieces if each.kind == old.kind and each.text != old.text), None)
    if new is None:
        return
    after = kind.format.replace(text, number, new)
    lines, (first, last) = text.split("\n"), old.lines
    before, behind = lines[: first - 1], lines[last:]
    found = after.split("\n")
    require("the lines above a piece that is replaced", before, found[: len(before)])
    require("the lines below a piece that is replaced", behind, found[len(found) - len(behind) :])
    pieces = [*sheet.pieces[:number], new, *sheet.pieces[number + 1 :]]
    require("the pieces after one is replaced", _known(kind, pieces, False), _told(kind, after, False))


def _check_inserted(kind: FileKind, text: str, sheet: Sheet, number: int, exact: bool) -> None:
    piece = sheet.pieces[number]
    for before in (0, number, len(sheet.pieces)):
        longer = kind.format.insert(text, before, piece)
        pieces = [*sheet.pieces[:before], piece, *sheet.pieces[before:]]
        require(f"the pieces after one is inserted at {before}", _known(kind, pieces), _told(kind, longer))
        shorter = kind.format.remove(longer, before)
        if exact:
            require(f"the text after a piece is inserted at {before} and removed", text, shorter)
        else:
            require("the pieces after that", _known(kind, sheet.pieces), _told(kind, shorter))


def _check_removed(kind: FileKind, text: str, sheet: Sheet, number: int) -> None:
    try:
        shorter = kind.format.remove(text, number)
    except EpcgError:
        if len(sheet.pieces) > 1:
            raise
        return  # a file that is never without a content
    pieces = [*sheet.pieces[:number], *sheet.pieces[number + 1 :]]
    require("the pieces after one is removed", _known(kind, pieces), _told(kind, shorter))
    again = kind.format.insert(shorter, number, sheet.pieces[number])
    require("the pieces after it is inserted again", _known(kind, sheet.pieces), _told(kind, again))


def _told(kind: FileKind, text: str, titles: bool = True) -> list[tuple[str, Any, str]]:
    return _known(kind, read(kind.format, text).pieces, titles)


def _known(kind: FileKind, pieces: Sequence[Piece], titles: bool = True) -> list[tuple[str, Any, str]]:
    """Return what pieces are, whatever their lines and signs."""
    return [
        (p.kind, p.text if p.kind == "message" else kind.content(p.text), p.title if titles else "")
        for p in pieces
    ]


def mangled(text: str, seed: int) -> str:
    """Return a text with some of its lines lost, doubled, cut or with noise; the same for the same seed."""
    random_ = random.Random(seed)
    lines = text.split("\n")
    for _ in range(random_.choice((1, 1, 2, 4))):
        at = random_.randrange(len(lines))
        cut = random_.randint(0, len(lines[at]))
        noise = lines[at][:cut] + random_.choice(_NOISE) + lines[at][cut:]
        lines[at : at + 1] = random_.choice(([], [lines[at]] * 2, [lines[at][:cut]], [noise], [noise], [""]))
        lines = lines or [""]
    return "\n".join(lines)


def _kinds(subject: Subject) -> Iterator[FileKind | Skip]:
    infos = [info for info in subject.parts(FormatInfo) if info.file is not None]
    if not infos:
        yield Skip(subject.name, "no format has file")
    editors = subject.parts(EditorInfo)
    if infos and not editors:
        yield Skip(subject.name, "no editor is registered, which would open the pieces")
        return
    for info in infos:
        assert info.file is not None
        made: Any = resolve(info.file)()
        factory = resolve(editors[0].factory)
        pieces = list(_pieces(subject, editors[0], partial(_own, factory)))
        content = partial(_content, factory)
        yield FileKind(f"files of {info.name}", made, content, tuple(_texts(made, pieces)), info.messages)


def _content(factory: Callable[[str], Any], text: str) -> Any:
    return factory(text).content


def _own(factory: Callable[[str], Any], text: str) -> str:
    editor = factory(text)
    return str(editor.format(editor.content))


def _pieces(subject: Subject, info: EditorInfo, own: Callable[[str], str]) -> Iterator[Piece]:
    """Yield contents: new ones, examples of the editor, and states of the spaces that it opens."""
    texts = [resolve(info.new)(*info.size)]
    texts += [] if info.examples is None else list(resolve(info.examples)().values())[:_EXAMPLES]
    for space in subject.spaces:
        if space.offers("format"):
            texts += [format_state(space.generator, space.unrank(rank)) for rank in space.few(_EXAMPLES)]
    for text in dict.fromkeys(texts):
        try:
            yield Piece(own(text))
        except EpcgError:
            continue


def _texts(made: FileFormat, pieces: Sequence[Piece]) -> Iterator[str]:
    """Yield files of one content, then of as many as fit into one."""
    count = 0
    for first in pieces:
        try:
            text = made.new(first)
        except EpcgError:  # a format need not hold each content
            continue
        yield text
        for piece in (*pieces, Piece("A message", "message")):
            try:
                text = made.insert(text, len(made.read(text).pieces), piece)
            except EpcgError:
                continue
            if len(made.read(text).pieces) > _FILES:
                break
        yield text
        count += 1
        if count == _FILES:
            return


@LAWS.listed(
    "files-are-read",
    "read of a file format takes any text, and tells its pieces with lines, and its faults in sentences",
    "return Sheet(pieces, faults): never raise, also for damaged texts; count lines from 1.",
    lambda subject: _kinds(subject),
)
def files_are_read(kind: FileKind) -> Cases:
    yield Case.once(f"{kind.where}, a new one", lambda: _read_new(kind))
    for text in _NONSENSE:
        yield Case.once(f"{kind.where}, reading {text[:20]!r}", partial(_reads, kind, text))
    for number, text in enumerate(kind.texts, 1):
        for seed in range(_MANGLED):
            yield Case.once(
                f"{kind.where}, file {number}, damaged", partial(_reads, kind, mangled(text, seed))
            )


def _read_new(kind: FileKind) -> None:
    read(kind.format, kind.format.new())
    if not kind.texts:
        raise Broken("whether a new file holds a content", "one that the editor opens", "none")
    for text in kind.texts:
        require("whether a new file can be used", True, read(kind.format, text).usable)
    require("the pieces of a new file with a content", 1, len(read(kind.format, kind.texts[0]).pieces))


def _reads(kind: FileKind, text: str) -> None:
    read(kind.format, text)


@LAWS.listed(
    "files-change-in-place",
    "replace, insert and remove of a file format change a piece and no other byte, and undo each other",
    "keep the lines of the text, and change those of the piece; what remove takes away, insert brings.",
    lambda subject: _kinds(subject),
)
def files_change_in_place(kind: FileKind) -> Cases:
    for number, text in enumerate(kind.texts, 1):
        where = f"{kind.where}, file {number}"
        yield Case.once(where, partial(check_changes, kind, text))
        yield Case.once(f"{where}, messages", partial(check_messages, kind, text))
        for seed in range(_MANGLED):
            yield Case.once(f"{where}, damaged", partial(check_changes, kind, mangled(text, seed), False))
