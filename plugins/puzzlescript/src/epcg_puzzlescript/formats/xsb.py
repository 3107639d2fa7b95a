"""Collections of Sokoban levels as text, the format of `.xsb` and `.sok` files.

A level is a block of rows: `#` wall, `@` player, `$` crate, `.` goal, `+` player on a goal, `*` crate on a
goal, and a blank, `-` or `_` for floor. A number before a sign says how often it stands there, and `|` ends
a row, so `5#|#@$.#|5#` is a level in one line. `Title: ...` names the level that it is nearer to, the one
above if both are as near; else the last line above a level names it, as in `; 12`. What else there is
belongs to no level, and stays. A block with a row of other signs is not a level, which is told. See
www.sokobano.de/wiki, "Level format".

Here a level is one of the game SOKOBAN, whose legend has the same signs, with `-` for floor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import attrs

from epcg_core.plugin import Fault, Piece, Sheet, counted
from epcg_puzzlescript.formats.text import drawn, parse_level, read_game_text
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.levels import MOST_CELLS, MOST_LEVELS
from epcg_puzzlescript.language.problems import MOST_BYTES, GameError, quoted

SOKOBAN = """title Sokoban

OBJECTS

Floor -
#ded2b8

Wall #
#6b5a4a #7d6a57
00010
11111
01000
11111
00010

Goal .
#b5452f
.....
.0.0.
..0..
.0.0.
.....

Player @
#2f4858 #e9b872
..1..
.000.
00000
.000.
.0.0.

Crate $
#a9713a #7c4f24
11111
10001
10101
10001
11111

LEGEND

Background = Floor
+ = Player and Goal
* = Crate and Goal

SOUNDS

COLLISIONLAYERS

Floor
Goal
Player, Crate, Wall

RULES

[ > Player | Crate ] -> [ > Player | > Crate ]

WINCONDITIONS

All Goal on Crate

LEVELS
"""
_LONGEST_TITLE = 80
"""Longer ones, ids of puzzles say, are not written."""
_SIGNS = re.compile(r"[ \-_#@+$*.]+")
_CODED = re.compile(r"(?:\d{0,4}[\-_#@+$*.| ])+")
_MOST_SIGNS = 6
_RUN = re.compile(r"(\d*)([^\d])")
_FLOORS = str.maketrans("_ ", "--")
_TITLE = re.compile(r"\s*title\s*:(.*)", re.IGNORECASE)
_KEY = re.compile(r"\s*[\w-]+\s*:")
_COMMENT = re.compile(r"\s*comment\s*:\s*", re.IGNORECASE)
_COMMENT_END = re.compile(r"\s*comment-end\s*:?\s*", re.IGNORECASE)


def read_xsb(text: str, name: str) -> list[str]:
    """Return each level of a collection as a game's text. Raises GameError."""
    sheet = XsbFile().read(text)
    for fault in sheet.faults:
        if fault.serious:
            raise GameError(f"{name}: {fault.message}")
    return [piece.text for piece in sheet.pieces]


def write_xsb(own: str, title: str) -> str:
    """Return a collection with one level. Raises GameError for another game, and for what has no sign."""
    return XsbFile().new(Piece(own, title=title if len(title) <= _LONGEST_TITLE else ""))


class XsbFile:
    """The levels of a collection. Implements `FileFormat`."""

    def read(self, text: str) -> Sheet:
        if len(text) > MOST_BYTES:
            sentence = f"The text has {len(text)} characters; collections of at most {MOST_BYTES} are read."
            return Sheet((), (Fault(0, sentence),))
        lines = text.split("\n")
        boards = _boards(lines)
        faults = [*_foreign(lines), *(fault for board in boards for fault in _warnings(board))]
        if text.strip() and not any(board.complete for board in boards):
            faults.append(
                Fault(1, "There is no level with a player '@', a crate '$' and a goal '.' yet: draw it.")
            )
        if len(boards) > MOST_LEVELS:
            faults.append(
                Fault(boards[MOST_LEVELS].first, f"There are more than {MOST_LEVELS} levels; divide them.")
            )
        return Sheet(tuple(board.piece for board in boards[:MOST_LEVELS]), tuple(sorted(faults)))

    def replace(self, text: str, number: int, piece: Piece) -> str:
        lines, boards = self._opened(text, number)
        board = boards[number]
        rows = _rows_of(piece)
        merged = _merged(lines[board.first - 1 : board.last], rows)
        after = [*lines[: board.first - 1], *merged, *lines[board.last :]]
        wanted = [*boards[:number], attrs.evolve(board, rows=tuple(rows)), *boards[number + 1 :]]
        return _checked([after], wanted)

    def entitle(self, text: str, number: int, title: str) -> str:
        """Give a level a title, where it has one or beside its rows; '' takes the title away."""
        lines, boards = self._opened(text, number)
        board, named = boards[number], " ".join(title.split())
        wanted = [*boards[:number], attrs.evolve(board, title=named), *boards[number + 1 :]]
        own = [f"Title: {named}"] if named else []
        places = [slice(at, at) for at in (board.last, board.first - 1)]
        if board.titled:
            places = [slice(board.titled - 1, board.titled)]
        return _checked(([*lines[: at.start], *own, *lines[at.stop :]] for at in places), wanted)

    def insert(self, text: str, before: int, piece: Piece) -> str:
        lines = text.split("\n")
        boards = _boards(lines)
        if not 0 <= before <= len(boards):
            raise GameError(f"The file has {counted(len(boards), 'level')}: there is no place {before}.")
        rows, title = _rows_of(piece), " ".join(piece.title.split())
        wanted = [*boards[:before], _Board(0, 0, tuple(rows), title), *boards[before:]]
        return _checked(_inserted(lines, boards, before, _merged((), rows), title), wanted)

    def remove(self, text: str, number: int) -> str:
        lines, boards = self._opened(text, number)
        board = boards[number]
        first, last = board.first - 1, board.last
        if 0 < board.titled <= first:
            first = board.titled - 1
        elif board.titled == last + 1:
            last += 1
        if last < len(lines) - 1 and not lines[last].strip():
            last += 1
        elif first > 0 and not lines[first - 1].strip():
            first -= 1
        wanted = [*boards[:number], *boards[number + 1 :]]
        short = [*lines[: board.first - 1], *lines[board.last :]]
        return _checked([[*lines[:first], *lines[last:]], short], wanted)

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else self.insert("", 0, piece)

    def _opened(self, text: str, number: int) -> tuple[list[str], list[_Board]]:
        lines = text.split("\n")
        boards = _boards(lines)
        if not 0 <= number < len(boards):
            raise GameError(f"The file has {counted(len(boards), 'level')}, and no number {number + 1}.")
        return lines, boards


@attrs.frozen
class _Board:
    """A level where it stands."""

    first: int = attrs.field(eq=False)
    """Its first and last row as numbers of lines, from 1."""
    last: int = attrs.field(eq=False)
    rows: tuple[str, ...]
    """Its rows, of one length, with '-' for floor."""
    title: str
    titled: int = attrs.field(default=0, eq=False)
    """The number of the line of its title; 0 if it has none."""

    @property
    def players(self) -> int:
        return sum(row.count("@") + row.count("+") for row in self.rows)

    @property
    def crates(self) -> int:
        return sum(row.count("$") + row.count("*") for row in self.rows)

    @property
    def goals(self) -> int:
        return sum(row.count(sign) for row in self.rows for sign in ".+*")

    @property
    def complete(self) -> bool:
        """Whether it can be played. A text without such a level may be anything: other formats have '#'."""
        return self.players == 1 and self.crates > 0 and self.goals > 0

    @property
    def piece(self) -> Piece:
        text = "\n".join([SOKOBAN, *self.rows, ""])
        return Piece(text, title=self.title, lines=(self.first, self.last))


def _boards(lines: Sequence[str]) -> list[_Board]:
    spans = list(_spans(lines))
    gaps = [
        range(a, b)
        for a, b in zip([0, *(b for _, b in spans)], [*(a for a, _ in spans), len(lines)], strict=True)
    ]
    found = []
    for number, (first, last) in enumerate(spans):
        at = _title_below(lines, gaps[number + 1])
        if at is None:
            at = _title_above(lines, gaps[number])
        title = "" if at is None else _title(lines[at])
        rows = _signs([row for line in lines[first:last] for row in _decoded(line) or ()])
        found.append(_Board(first + 1, last, rows, title, 0 if at is None else at + 1))
    return found


def _spans(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each level, from 0, and the line behind it."""
    for first, last in _blocks(lines):
        if not any(_is_foreign(line) for line in lines[first:last]):
            yield first, last


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each block of rows that has a wall, from 0, and the line behind it.

    Rows with other signs, which make it no level, are part of the block.
    """
    ends = {number for number, line in enumerate(lines) if _COMMENT_END.fullmatch(line)}
    last_end = max(ends, default=-1)
    start, comment = None, False
    for number, line in enumerate([*lines, ""]):
        if comment:
            comment = number not in ends
            continue
        known, foreign = _decoded(line) is not None, _is_foreign(line)
        row = known or foreign
        if known and start is not None and not any(_decoded(each) for each in lines[start:number]):
            yield start, number  # a heading, say
            start = None
        if row and start is None:
            start = number
        elif not row and start is not None:
            if any("#" in lines[n] for n in range(start, number)):
                yield start, number
            start = None
        comment = number < last_end and _COMMENT.fullmatch(line) is not None


def _is_row(line: str) -> bool:
    return _SIGNS.fullmatch(line) is not None and not line.isspace()


def _decoded(line: str) -> list[str] | None:
    """Return the rows of a line, several if it has '|'; None if it is not a line of rows."""
    if _is_row(line):
        return [line]
    line = line.rstrip()
    if "#" not in line or _CODED.fullmatch(line) is None:
        return None
    runs = [(int(count or 1), sign) for count, sign in _RUN.findall(line)]
    if sum(count for count, _ in runs) > MOST_CELLS:
        return None
    return "".join(sign * count for count, sign in runs).strip("|").split("|")


def _is_foreign(line: str) -> bool:
    """Return whether a line looks like a row, but has other signs."""
    text = line.strip()
    return len(text) > 2 and text[0] == text[-1] == "#" and _decoded(line) is None


def _title_below(lines: Sequence[str], gap: range) -> int | None:
    """Return the first title in the gap below a level, unless it is nearer to the next level."""
    at = next((number for number in gap if _TITLE.fullmatch(lines[number])), None)
    last = gap.stop == len(lines)
    return at if at is not None and (last or at - gap.start < gap.stop - at) else None


def _title_above(lines: Sequence[str], gap: range) -> int | None:
    """Return the last line with words in the gap above a level, unless it belongs to other things."""
    at = next((number for number in reversed(gap) if lines[number].strip()), None)
    if at is None or _decoded(lines[at]) is not None or _is_foreign(lines[at]):
        return None
    if _TITLE.fullmatch(lines[at]):
        return at if gap.start == 0 or at - gap.start >= gap.stop - at else None
    return at if lines[at].lstrip().startswith(";") or not _KEY.match(lines[at]) else None


def _title(line: str) -> str:
    key = _TITLE.fullmatch(line)
    return " ".join((key[1] if key else line.lstrip(" \t;")).split())


def _signs(rows: Sequence[str]) -> tuple[str, ...]:
    """Return rows of one length, with '-' for floor."""
    width = max((len(row.rstrip(" ")) for row in rows), default=0)
    return tuple(row[:width].ljust(width).translate(_FLOORS) for row in rows)


def _rows_of(piece: Piece) -> list[str]:
    """Return the rows of a level of SOKOBAN, with '-' for floor. Raises GameError for others."""
    if piece.kind != "content":
        raise GameError("A file of Sokoban levels has no messages: write a comment in a text editor.")
    level = parse_level(piece.text)
    if level.game.identity != _sokoban().identity:
        raise GameError("This level is of another game than the Sokoban of .xsb files, which have no rules.")
    rows, added = drawn(attrs.evolve(level, game=_sokoban()))
    if added:
        names = " and ".join(next(iter(added.values())))
        raise GameError(f"A cell holds {names}, for which .xsb files have no sign: change that cell.")
    if not any("#" in row for row in rows):
        raise GameError("The level has no wall, as each level of an .xsb file has: add a wall.")
    return rows


@cache
def _sokoban() -> Game:
    return read_game_text(SOKOBAN + "\n#@$.\n")


def _merged(old: Sequence[str], rows: Sequence[str]) -> list[str]:
    """Return rows as lines, with the old signs where they mean the same."""
    if [row for line in old for row in _decoded(line) or ()] and tuple(rows) == _signs(
        [row for line in old for row in _decoded(line) or ()]
    ):
        return list(old)
    if any(len(_decoded(line) or ()) > 1 for line in old):  # several rows in a line are written one by one
        old = ()
    floors = Counter(sign for line in old for sign in line.strip() if sign in " -_")
    floor = max(" -_", key=lambda sign: floors[sign])
    found = []
    for number, row in enumerate(rows):
        was = old[number] if number < len(old) else ""
        if was and (_decoded(was) or [was])[0].rstrip(" ").translate(_FLOORS).ljust(len(row), "-") == row:
            found.append(was)
            continue
        padded = was.ljust(len(row))
        line = "".join(
            padded[x] if padded[x].translate(_FLOORS) == sign else floor if sign == "-" else sign
            for x, sign in enumerate(row)
        ).rstrip(" ")
        found.append(line if line else "-" * len(row))
    wide = len(rows[0]) if rows else 0
    if found and max(len(line.rstrip(" ")) for line in found) < wide:
        found[0] = found[0].ljust(wide, "-")  # a border of floor on the right
    return found


def _inserted(
    lines: list[str], boards: Sequence[_Board], before: int, rows: list[str], title: str
) -> Iterator[list[str]]:
    """Yield the lines with a further level, in some places of which one fits."""
    named = [f"Title: {title}"] if title else []
    if not any(line.strip() for line in lines):
        yield [*rows, *named, ""]
        return
    for block in ([*rows, *named], [*named, *rows]):
        if before == len(boards):
            end = len(lines) - (not lines[-1])
            yield [*lines[:end], "", *block, *lines[end:]]
            continue
        board = boards[before]
        words = [n for n in range(1, board.first) if lines[n - 1].strip()]
        for place in dict.fromkeys((board.titled or board.first, board.first, words[-1] if words else 1)):
            if place <= board.first:
                yield [*lines[: place - 1], *block, "", *lines[place - 1 :]]
                yield [*lines[: place - 1], "", *block, *lines[place - 1 :]]
        if before:
            last = boards[before - 1].last
            yield [*lines[:last], "", *block, *lines[last:]]


def _checked(trials: Sequence[list[str]] | Iterator[list[str]], wanted: Sequence[_Board]) -> str:
    """Return the first trial in which these levels are read. Raises GameError if there is none."""
    for lines in trials:
        if _boards(lines) == list(wanted):
            return "\n".join(lines)
    raise GameError("The titles and comments around this level are in the way: make the change in the text.")


def _foreign(lines: Sequence[str]) -> Iterator[Fault]:
    """Yield a warning for each block that other signs keep from being a level."""
    for first, last in _blocks(lines):
        odd = [number for number in range(first, last) if _is_foreign(lines[number])]
        if not odd:
            continue
        signs = dict.fromkeys(
            sign for number in odd for sign in lines[number].rstrip() if not _SIGNS.match(sign)
        )
        named = " and ".join(map(quoted, list(signs)[:_MOST_SIGNS]))
        are = "is not a sign" if len(signs) == 1 else "are not signs"
        rows = ", ".join(str(number + 1) for number in odd[:_MOST_SIGNS])
        sentence = (
            f"{named} {are} of a level (in {'line' if len(odd) == 1 else 'lines'} {rows}), so the level of "
            f"lines {first + 1} to {last} is left out: '#@$.+*' or a blank fits."
        )
        column = next(x for x, sign in enumerate(lines[odd[0]], 1) if sign in signs)
        yield Fault(odd[0] + 1, sentence, column=column, serious=False)


def _warnings(board: _Board) -> Iterator[Fault]:
    if board.players != 1:
        sentence = f"The level has {counted(board.players, 'player')}; one was expected."
        yield Fault(board.first, sentence, serious=False)
    if board.crates < board.goals:
        crates, goals = counted(board.crates, "crate"), counted(board.goals, "goal")
        sentence = f"The level has {crates} for {goals}, so it cannot be won."
        yield Fault(board.first, sentence, serious=False)
