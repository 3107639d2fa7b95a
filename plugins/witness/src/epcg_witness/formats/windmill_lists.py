"""Files of several puzzles of The Windmill: links, one a line, and JSON lists as `windmill_file` reads them.

A panel is changed where its `contents` string stands; all else in the file stays as it is. Puzzles that
cannot be read stay, too, and are told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import attrs

from epcg_core.plugin import EpcgError, Fault, Piece, Sheet, documents
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.formats.windmill import SUFFIX, read_windmill, write_windmill
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import Panel

MOST_CHARACTERS = 4_000_000
MOST_PUZZLES = 10_000
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def read_list(text: str, name: str) -> list[str]:
    """Return the panels of a JSON list as drawings. Raises PanelError if one of them cannot be read."""
    sheet = JsonFile().read(text)
    for fault in sheet.faults:
        raise PanelError(f"{name}, line {fault.line}: {fault.message}")
    if not sheet.pieces:
        raise PanelError(f"{name} is empty.")
    return [piece.text for piece in sheet.pieces]


def write_list(own: str, title: str) -> str:
    """Return a JSON list of one panel."""
    return JsonFile().new(Piece(own, title=title))


@attrs.frozen
class _Entry:
    """A puzzle, where it stands in a text."""

    start: int
    """The span of its entry: what is removed with it."""
    end: int
    at: tuple[int, int]
    """The span of its `contents`."""
    contents: str
    title: str = ""
    panel: Panel | None = None


class _PuzzleFile:
    """What both forms share: which entries there are, and a panel's contents put into their place."""

    def entries(self, text: str) -> Iterator[_Entry | Fault]:
        """Yield the entries of a text, and what is of another form."""
        raise NotImplementedError

    def written(self, contents: str) -> str:
        """Return `contents` as the text holds them."""
        raise NotImplementedError

    def read(self, text: str) -> Sheet:
        """Return the panels of a text, with all of its faults."""
        if len(text) > MOST_CHARACTERS:
            sentence = f"The text has {len(text)} characters; files of at most {MOST_CHARACTERS} are read."
            return Sheet((), (Fault(0, sentence),))
        line_of = _lines(text)
        found, faults = self._found(text)
        pieces = tuple(
            Piece(
                format_panel(entry.panel),
                title=entry.title,
                lines=(line_of(entry.at[0]), line_of(entry.at[1])),
            )
            for entry in found
            if entry.panel is not None
        )
        if text.strip() and not pieces and not faults:
            faults.append(Fault(0, "There is no puzzle in this file: add one."))
        return Sheet(pieces, tuple(sorted(faults)))

    def _found(self, text: str) -> tuple[list[_Entry], list[Fault]]:
        """Return the entries with panels, and the faults."""
        line_of = _lines(text)
        found, faults = [], []
        for number, entry in enumerate(self.entries(text), 1):
            if isinstance(entry, Fault):
                faults.append(entry)
                continue
            if number > MOST_PUZZLES:
                sentence = f"There are more than {MOST_PUZZLES} puzzles; divide the file."
                faults.append(Fault(line_of(entry.start), sentence))
                break
            try:
                panel = read_windmill(entry.contents, f"Puzzle {entry.title or number}")
            except PanelError as error:  # it stays as it is
                faults.append(Fault(line_of(entry.start), str(error), serious=False))
            else:
                found.append(attrs.evolve(entry, panel=panel))
        return found, faults

    def replace(self, text: str, number: int, piece: Piece) -> str:
        entry, panel = self._entry(text, number), _panel(piece)
        if entry.panel == panel:
            return text
        return text[: entry.at[0]] + self.written(write_windmill(panel)) + text[entry.at[1] :]

    def new(self, piece: Piece | None = None) -> str:
        raise NotImplementedError

    def _entry(self, text: str, number: int) -> _Entry:
        entries = self._usable(text)
        if not 0 <= number < len(entries):
            raise PanelError(f"The file has {len(entries)} puzzles, and no number {number + 1}.")
        return entries[number]

    def _usable(self, text: str, place: int = 0) -> list[_Entry]:
        """Return the entries with panels, among which there is a place. Raises PanelError for other texts."""
        found, faults = self._found(text)
        for fault in faults:
            if fault.serious:
                raise PanelError(f"Mend the text first. Line {fault.line}: {fault.message}")
        if not 0 <= place <= len(found):
            raise PanelError(f"The file has {len(found)} puzzles: there is no place {place}.")
        return found


class LinkFile(_PuzzleFile):
    """Links to The Windmill, or their last part, one a line. Implements `FileFormat`."""

    _CONTENTS = re.compile(rf"[A-Za-z0-9_=%-]+{SUFFIX}")

    def entries(self, text: str) -> Iterator[_Entry | Fault]:
        start = 0
        for number, line in enumerate(text.split("\n"), 1):
            end = start + len(line)
            link = line.strip()
            if link:
                begin = start + line.index(link)
                contents = re.split(r"[/?#&]", link)[-1]
                if not self._CONTENTS.fullmatch(contents):
                    sentence = f"'{link[:60]}' is not a Windmill link: it does not end in {SUFFIX}."
                    yield Fault(number, sentence)
                else:
                    at = begin + len(link) - len(contents), begin + len(link)
                    yield _Entry(start, end, at, contents.replace("%3D", "=").replace("%3d", "="))
            start = end + 1

    def written(self, contents: str) -> str:
        return contents

    def insert(self, text: str, before: int, piece: Piece) -> str:
        entries = self._usable(text, before)
        contents = write_windmill(_panel(piece))
        link = text[entries[0].start : entries[0].at[0]].strip() + contents if entries else contents
        if before < len(entries):
            at = entries[before].start
            return f"{text[:at]}{link}\n{text[at:]}"
        return f"{text}{link}\n" if text.endswith("\n") or not text else f"{text}\n{link}"

    def remove(self, text: str, number: int) -> str:
        entry = self._entry(text, number)
        if entry.end < len(text):
            return text[: entry.start] + text[entry.end + 1 :]
        return text[: max(0, entry.start - 1)]

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else self.insert("", 0, piece)


class JsonFile(_PuzzleFile):
    """A JSON list of puzzles with `contents`, of which `id` is the title. Implements `FileFormat`."""

    def entries(self, text: str) -> Iterator[_Entry | Fault]:
        if not text.strip():
            return
        try:
            if not isinstance(documents.parse_json(text, "The file", PanelError), list):
                raise PanelError('The file is not a list of puzzles, like [{"contents": "..."}].')
        except EpcgError as error:
            yield Fault(0, str(error))
            return
        at = _after(text, text.index("[") + 1)
        while text[at] != "]":
            _, end = _DECODER.raw_decode(text, at)
            yield self._read(text, at, end)
            at = _after(text, end)
            at = _after(text, at + 1) if text[at] == "," else at

    def _read(self, text: str, start: int, end: int) -> _Entry | Fault:
        found: dict[str, tuple[object, tuple[int, int]]] = {}
        if text[start] == "{":
            at = _after(text, start + 1)
            while text[at] != "}":
                key, at = _DECODER.raw_decode(text, at)
                at = _after(text, _after(text, at) + 1)
                value, stop = _DECODER.raw_decode(text, at)
                found[key] = value, (at, stop)
                at = _after(text, stop)
                at = _after(text, at + 1) if text[at] == "," else at
        contents, span = found.get("contents", (None, (0, 0)))
        if not isinstance(contents, str):
            sentence = 'This entry is not a puzzle with "contents": "..."; add them, or take it out.'
            return Fault(_lines(text)(start), sentence, serious=False)
        name = found.get("id", ("", None))[0]
        return _Entry(start, end, span, contents, name if isinstance(name, str) else "")

    def written(self, contents: str) -> str:
        return json.dumps(contents)

    def insert(self, text: str, before: int, piece: Piece) -> str:
        entries = self._usable(text, before)
        named = {"id": piece.title} if piece.title else {}
        made = json.dumps({**named, "contents": write_windmill(_panel(piece))}, ensure_ascii=False)
        if not entries:
            return f"[\n{made}\n]\n"
        near = entries[min(before, len(entries) - 1)]
        blank = text[len(text[: near.start].rstrip(" \t\r\n")) : near.start]
        if before < len(entries):
            return f"{text[: near.start]}{made},{blank}{text[near.start :]}"
        return f"{text[: near.end]},{blank}{made}{text[near.end :]}"

    def remove(self, text: str, number: int) -> str:
        entry = self._entry(text, number)
        behind = _after(text, entry.end)
        if text[behind] == ",":
            return text[: entry.start] + text[_after(text, behind + 1) :]
        before = text[: entry.start].rstrip(" \t\r\n")
        if before.endswith(","):
            return before[:-1].rstrip(" \t\r\n") + text[entry.end :]
        return before + text[entry.end :]

    def new(self, piece: Piece | None = None) -> str:
        return "[\n]\n" if piece is None else self.insert("", 0, piece)


def _panel(piece: Piece) -> Panel:
    if piece.kind != "content":
        raise PanelError("A file of panels has no messages.")
    return parse_panel(piece.text)


def _after(text: str, at: int) -> int:
    """Return the place behind blanks."""
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _lines(text: str) -> Callable[[int], int]:
    """Return the function from a place in a text to its line, from 1; asked for ascending places."""
    known = [0, 1]

    def line_of(at: int) -> int:
        if at < known[0]:
            return text.count("\n", 0, at) + 1
        known[1] += text.count("\n", known[0], at)
        known[0] = at
        return known[1]

    return line_of
