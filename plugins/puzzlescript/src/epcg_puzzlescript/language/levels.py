"""The section LEVELS: maps and messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.sections import Line
from epcg_puzzlescript.language.vocabulary import Vocabulary

MOST_CELLS = 40_000
MOST_LEVELS = 10_000
"""Maps and messages of a game."""


@attrs.frozen
class Map:
    """A level that is played."""

    line: int
    width: int
    height: int
    cells: tuple[int, ...]
    """A mask of objects for each cell; the cell (x, y) has the index x * height + y."""
    faults: int = 0
    """Glyphs that stand for nothing, which were read as background."""


@attrs.frozen
class Message:
    """A level that shows a text only."""

    line: int
    text: str


def read_levels(
    lines: Iterable[Line], vocabulary: Vocabulary, background: int, problems: Problems
) -> tuple[Map | Message, ...]:
    """Return the levels of the section, messages included. `background` is the number of the object.

    Reading ends at the level after the first MOST_LEVELS: a game with more is refused.
    """
    levels: list[Map | Message] = []
    rows: list[tuple[Line, str]] = []

    def finish() -> None:
        if rows:
            found = _map(rows, vocabulary, background, problems)
            if found is not None:
                levels.append(found)
            rows.clear()

    for line in lines:
        if len(levels) > MOST_LEVELS:
            break
        text = line.lower.strip()
        if not text:
            finish()
        elif text.startswith("message"):
            finish()
            at = line.lower.index("message") + len("message")
            levels.append(Message(line.number, line.text[at:].strip()))
        else:
            rows.append((line, text))
    finish()
    if len(levels) > MOST_LEVELS:
        problems.add(
            levels[MOST_LEVELS].line, 1,
            f"The game has more than {MOST_LEVELS} levels; divide them among several games.",
            fatal=True,
        )  # fmt: skip
    return tuple(levels)


def _map(
    rows: Sequence[tuple[Line, str]], vocabulary: Vocabulary, background: int, problems: Problems
) -> Map | None:
    first = rows[0][0].number
    width, height = len(rows[0][1]), len(rows)
    if width * height > MOST_CELLS:
        problems.add(first, 1, f"The level has {width * height} cells; at most {MOST_CELLS} are read.")
        return None
    cells = [0] * (width * height)
    unread: dict[str, list[tuple[int, int]]] = {}
    for y, (line, row) in enumerate(rows):
        if len(row) != width:
            problems.add(
                line.number, 1,
                f"The row has {len(row)} characters, but the first row of its level {width}; rows of one "
                "length were expected.",
            )  # fmt: skip
            row = row[:width].ljust(width, row[-1])
        for x, glyph in enumerate(row):
            entry = vocabulary.entries.get(glyph)
            if entry is None or entry.kind == "or":
                place = line.number, 1 + len(line.text) - len(line.text.lstrip()) + x
                unread.setdefault(glyph, []).append(place)
                continue
            cells[x * height + y] = entry.mask
    for glyph, places in unread.items():
        more = f" ({len(places)} cells of this level)" if len(places) > 1 else ""
        problems.add(*places[0], f"{_unread(glyph, vocabulary)}{more}.")
    faults = sum(map(len, unread.values()))
    return Map(first, width, height, with_background(cells, vocabulary, background), faults)


def _unread(glyph: str, vocabulary: Vocabulary) -> str:
    """Return why a glyph stands for nothing."""
    if not glyph.strip():
        return "A blank stands in the row; a glyph of the legend was expected"
    if glyph in vocabulary.entries:
        return f"The glyph {quoted(glyph)} stands for one of several objects ('or'), so it does not say which"
    if vocabulary.defines(glyph):
        return f"The glyph {quoted(glyph)} stands for an object in no collision layer; add that to one"
    return f"The glyph {quoted(glyph)} is not in the legend; add it there"


def with_background(cells: Sequence[int], vocabulary: Vocabulary, background: int) -> tuple[int, ...]:
    """Return cells of which each holds an object of the background's layer."""
    layer = sum(1 << number for number in vocabulary.layers[vocabulary.objects[background].layer])
    filling = next((cell & layer for cell in cells if cell & layer), 1 << background)
    return tuple(cell if cell & layer else cell | filling for cell in cells)
