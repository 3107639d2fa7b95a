"""The section LEVELS: maps and messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import attrs

from epcg_core.plugin import counted
from epcg_puzzlescript.language.dialects import TITLE
from epcg_puzzlescript.language.problems import Effect, Problems, quoted
from epcg_puzzlescript.language.sections import Line, lowered
from epcg_puzzlescript.language.vocabulary import Vocabulary

MOST_CELLS = 1_000_000
MOST_LEVELS = 10_000
"""Maps and messages of a game."""
_LONGEST_MESSAGE = 400
"""Longer ones do not fit the reference engine's screen."""


@attrs.frozen
class Map:
    """A level that is played."""

    line: int
    width: int
    height: int
    cells: tuple[int, ...]
    """A mask of objects for each cell; the cell (x, y) has the index x * height + y."""


@attrs.frozen
class Message:
    """A level that shows a text only."""

    line: int
    text: str
    column: int = 0
    """The column behind the word 'message', counted from 1."""


@attrs.frozen
class Row:
    """A row of a map, as it stands in its line."""

    line: Line
    text: str
    """In small letters, without blanks around."""
    column: int
    """The column of its first character, counted from 1."""
    cut: bool
    """Whether a comment ends it."""

    @property
    def whole(self) -> str:
        """The text with what stands behind comments."""
        return self.line.lower[self.column - 1 :].rstrip()

    @property
    def written(self) -> str:
        """The text with the capitals that it has in the file."""
        return self.line.text[self.column - 1 : self.column - 1 + len(self.text)]


def read_levels(
    lines: Iterable[Line], vocabulary: Vocabulary, background: int | None, problems: Problems
) -> tuple[Map | Message, ...]:
    """Return the levels of the section, messages included. `background` is the number of the object, if any.

    Reading ends at the level after the first MOST_LEVELS: a game with more is refused.
    """
    levels: list[Map | Message] = []
    for block in blocks(lines, problems):
        found = block if isinstance(block, Message) else _map(block, vocabulary, background, problems)
        if found is not None:
            levels.append(found)
        if len(levels) > MOST_LEVELS:
            break
    if len(levels) > MOST_LEVELS:
        problems.add(
            levels[MOST_LEVELS].line, 1,
            f"The game has more than {MOST_LEVELS} levels; divide them among several games.",
            fatal=True,
        )  # fmt: skip
    return tuple(levels)


def blocks(lines: Iterable[Line], problems: Problems) -> Iterator[Message | list[Row]]:
    """Yield the messages of the section, and the rows of each map."""
    rows: list[Row] = []
    for line in lines:
        text = line.lower.strip()
        message = text.startswith("message")
        if rows and (message or not text or TITLE.match(text)):
            yield rows
            rows = []
        if message:
            yield _message(line, problems)
        elif TITLE.match(text):
            problems.add(
                line.number, 1, "A title of a level belongs to a dialect; it is left out.", errors=0,
                warnings=1, effect="none",
            )  # fmt: skip
        elif text:
            rows.append(_row(line, problems))
    if rows:
        yield rows


def _message(line: Line, problems: Problems) -> Message:
    at = line.lower.index("message") + len("message")
    text = line.text[at:]
    if re.match(r"\w", text, re.ASCII):
        problems.add(
            line.number, at + 1, "A blank was expected behind 'message'.", errors=0, warnings=1, effect="none"
        )
    if len(text) > _LONGEST_MESSAGE:
        problems.add(
            line.number, at + 1, f"The message has {len(text)} characters; about {_LONGEST_MESSAGE} fit a "
            "screen.", errors=0, warnings=1, effect="none",
        )  # fmt: skip
    return Message(line.number, text.strip(), at + 1)


def _row(line: Line, problems: Problems) -> Row:
    """Return the row of a line: what stands before a comment inside it."""
    start = len(line.text) - len(line.text.lstrip())
    end = line.marked.find("\0", start)
    text = line.text[start : end if end >= 0 else len(line.text)].rstrip()
    cut = end >= 0 and bool(line.text[end:].strip())
    if cut:
        problems.add(
            line.number, end + 1, "A comment stands in the row; what stands behind it does not count.",
            errors=0, warnings=1,
        )  # fmt: skip
    return Row(line, lowered(text), start + 1, cut)


def _map(
    rows: Sequence[Row], vocabulary: Vocabulary, background: int | None, problems: Problems
) -> Map | None:
    first = rows[0].line.number
    width, height = len(rows[0].text), len(rows)
    if width * height > MOST_CELLS:
        problems.add(first, 1, f"The level has {width * height} cells; at most {MOST_CELLS} are read.")
        return None
    texts = []
    widths = Counter(len(row.text) for row in rows)
    first_is_usual = all(count < widths[width] for other, count in widths.items() if other != width)
    edge = rows[0].text[-1]
    for row in rows:
        text = row.text
        if len(text) != width:
            meant = first_is_usual if len(text) > width else text[-1] == edge and not row.cut
            problems.add(
                row.line.number, 1,
                f"The row has {counted(len(text), 'character')}, but the first row of its level {width}; "
                f"rows of "
                "one length were expected.", errors=0, warnings=int(not row.cut),
                effect="none" if meant else "word",
            )  # fmt: skip
            text = text[:width].ljust(width, text[-1])
        texts.append(text)
    unread = _unread(rows, texts, vocabulary, problems)
    cells = [0] * (width * height)
    for index in range(len(cells)):
        x, y = divmod(index, height)
        glyph = texts[y][x]
        if glyph in unread:
            _stopped(rows[y], x, glyph, problems)
            return Map(first, width, height, tuple(cells))
        cells[index] = vocabulary.glyphs[glyph]
    if background is None:
        problems.add(first, 1, "There is no background to fill the cells of the level.", shared=True)
    return Map(first, width, height, with_background(cells, vocabulary, background))


def _unread(
    rows: Sequence[Row], texts: Sequence[str], vocabulary: Vocabulary, problems: Problems
) -> set[str]:
    """Return the signs of a map that put nothing into a cell; tell those that the legend does not have."""
    for row, text in zip(rows, texts, strict=True):
        for glyph in dict.fromkeys(row.whole):
            at = row.whole.index(glyph)
            if glyph.strip() and glyph != ")" and _is_foreign(glyph, vocabulary):
                effect: Effect = "word" if glyph in text else "none"
                column = row.column + at
                problems.add(row.line.number, column, f"{_why(glyph, vocabulary)}.", effect=effect)
    return {glyph for text in texts for glyph in set(text) if glyph not in vocabulary.glyphs}


def _is_foreign(glyph: str, vocabulary: Vocabulary) -> bool:
    """Return whether a sign is unknown, or has no other meaning than that of a property."""
    return glyph not in vocabulary.signs


def _stopped(row: Row, x: int, glyph: str, problems: Problems) -> None:
    named = "A blank" if not glyph.strip() else f"The sign {quoted(glyph)}"
    problems.add(
        row.line.number, row.column + x, f"{named} cannot be read: this cell and all that follow, column by "
        "column, are empty, without background. A sign of the legend was expected.",
    )  # fmt: skip


def _why(glyph: str, vocabulary: Vocabulary) -> str:
    """Return why a sign stands for nothing."""
    if glyph in vocabulary.entries:
        return f"The glyph {quoted(glyph)} stands for one of several objects ('or'), so it does not say which"
    return f"The glyph {quoted(glyph)} is not in the legend; add it there"


def with_background(cells: Sequence[int], vocabulary: Vocabulary, background: int | None) -> tuple[int, ...]:
    """Return cells of which each holds an object of the background's layer; without one, the same cells."""
    if background is None:
        return tuple(cells)
    layer = vocabulary.layer_mask(vocabulary.objects[background].layer)
    filling = next((cell & layer for cell in cells if cell & layer), 1 << background)
    return tuple(cell if cell & layer else cell | filling for cell in cells)
