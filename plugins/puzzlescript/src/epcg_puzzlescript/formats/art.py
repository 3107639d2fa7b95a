"""The pictures of a game's objects, painted square by square: colours and rows in the section OBJECTS.

A change is made in the lines and then read: it is kept only if the game is the same but for that object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from epcg_core.plugin import Canvas, Mark, Setting, square_cells
from epcg_puzzlescript.formats.text import read_game_text
from epcg_puzzlescript.language import colours
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.objects import MOST_COLOURS, SIDE, ObjectReader, Sketch
from epcg_puzzlescript.language.problems import GameError, Problems, quoted
from epcg_puzzlescript.language.sections import cut, lines_of

_SITES = square_cells(SIDE, SIDE)
_INDEX = {site.id: (number % SIDE, number // SIDE) for number, site in enumerate(_SITES)}
_FREE = "."
_COLOUR = "colour "
"""The key of a setting is this with the number of a colour, counted from 1; one more is a further colour."""
_NAMES = tuple((name, face) for name, face in colours.NAMED.items() if "gray" not in name)


class GameArt:
    """The pictures of the objects of a game. Has `canvases`, `paint` and `set` of a `Workshop`.

    A canvas is an object, by its name in small letters, and a mark one of its colours by its digit.
    """

    def canvases(self, text: str) -> Sequence[Canvas]:
        """Return the pictures of all objects, in the order of the text."""
        lines = lines_of(text)
        return [_canvas(sketch, lines) for sketch in _sketches(text).values()]

    def paint(self, text: str, canvas: str, sites: Sequence[str], mark: str) -> str:
        """Paint squares in a colour of the object, or make them transparent. Raises GameError."""
        sketch = _sketch(text, canvas)
        if mark and not (mark.isdecimal() and int(mark) < len(sketch.colours)):
            raise GameError(f"{quoted(sketch.name)} has no colour {quoted(mark)}.")
        rows = [list(row) for row in _rows(sketch)]
        for site in sites:
            if site not in _INDEX:
                raise GameError(f"A picture has no square {quoted(site)}: it has {SIDE} by {SIDE}.")
            x, y = _INDEX[site]
            rows[y][x] = mark or _FREE
        return _changed(text, sketch, sketch.colours, tuple("".join(row) for row in rows))

    def set(self, text: str, canvas: str, key: str, value: Any) -> str:
        """Set a colour of an object, or give it one more: a name, or '#rrggbb'. Raises GameError."""
        sketch = _sketch(text, canvas)
        number = key.removeprefix(_COLOUR)
        if not (
            key.startswith(_COLOUR) and number.isdecimal() and 1 <= int(number) <= len(sketch.colours) + 1
        ):
            raise GameError(f"{quoted(sketch.name)} has no {quoted(key)}.")
        face = colours.colour(str(value).lower())
        if face is None:
            raise GameError(
                f"{quoted(str(value))} is not a colour; write a name such as 'red', or '#rrggbb'."
            )
        if int(number) > MOST_COLOURS:
            raise GameError(f"An object has at most {MOST_COLOURS} colours.")
        found = list(sketch.colours)
        found[int(number) - 1 : int(number)] = [face]
        return _changed(text, sketch, tuple(found), sketch.square, int(number) - 1, str(value))


def _sketches(text: str) -> dict[str, Sketch]:
    """Return the objects as their section tells them. Raises GameError if the game cannot be read."""
    read_game_text(text)
    sections, _ = cut(text, Problems())
    reader = ObjectReader(Problems())
    reader.read(sections["objects"])
    return reader.found


def _sketch(text: str, name: str) -> Sketch:
    """Return an object that can be painted. Raises GameError if there is none, or it has no colours."""
    found = _sketches(text).get(name)
    if found is None:
        raise GameError(f"The game has no object {quoted(name)}.")
    if not found.colour_lines:
        raise GameError(
            f"Line {found.line}: {quoted(name)} has no line of colours below it: write one first."
        )
    return found


def _rows(sketch: Sketch) -> tuple[str, ...]:
    """Return the five rows of a picture; an object without one fills its cell."""
    return sketch.square or ("0" * SIDE,) * SIDE


def _canvas(sketch: Sketch, lines: Sequence[str]) -> Canvas:
    words = [word for _, _, word in _words(sketch)] or list(sketch.colours)
    marks = [
        Mark(name=str(number), title=word, colour=face or "#ffffff00", fills=True, key=str(number))
        for number, (word, face) in enumerate(zip(words, sketch.colours, strict=True))
    ]
    rows = _rows(sketch)
    painted = {
        site: rows[y][x]
        for site, (x, y) in _INDEX.items()
        if rows[y][x].isdecimal() and int(rows[y][x]) < len(marks)
    }
    settings = [_setting(number, word) for number, word in enumerate(words)]
    if len(words) < MOST_COLOURS and sketch.colour_lines:
        settings.append(attrs.evolve(_setting(len(words), ""), title="one more colour"))
    return Canvas(
        id=sketch.name,
        kind="object",
        title=next(
            (word for word in lines[sketch.line - 1].split() if word.lower() == sketch.name), sketch.name
        ),
        subtitle=f"{SIDE} by {SIDE} squares",
        sites=_SITES,
        painted=painted,
        marks=tuple(marks),
        settings=tuple(settings),
    )


def _setting(number: int, word: str) -> Setting:
    own = () if not word or word in colours.NAMED else ((word, colours.colour(word) or "#ffffff00"),)
    return Setting(
        key=f"{_COLOUR}{number + 1}",
        title=f"colour {number + 1}",
        kind="colour",
        value=word.replace("gray", "grey"),
        choices=(*_NAMES, *own),
    )


def _words(sketch: Sketch) -> list[tuple[int, int, str]]:
    """Return (begin, end, word) of each colour in the line of colours, columns from 0."""
    found = []
    for line in sketch.colour_lines[:1]:
        text, at = line.lower, 0
        while at < len(text):
            colour = colours.beginning(text, at)
            if colour is not None:
                found.append((at, at + len(colour[0]), colour[0]))
                at += len(colour[0])
            else:
                at += 1
    return found if len(found) == len(sketch.colours) else []


def _changed(
    text: str,
    sketch: Sketch,
    faces: tuple[str, ...],
    picture: tuple[str, ...],
    number: int = -1,
    word: str = "",
) -> str:
    """Return a text with other colours and rows of an object, which differs in nothing else."""
    before = read_game_text(text)
    lines = lines_of(text)
    if number >= 0:
        _colour(lines, sketch, number, word)
    new = "\n".join(_pictured(lines, sketch, picture) if picture != sketch.square else lines)
    after = read_game_text(new)
    wanted = [
        attrs.evolve(thing, colours=faces, picture=picture) if thing.name == sketch.name else thing
        for thing in before.objects
    ]
    if list(after.objects) != wanted or _rest(after) != _rest(before):
        raise GameError(
            f"The comments around the picture of {quoted(sketch.name)}, line {sketch.line}, are in the way: "
            "change it in the game's text."
        )
    return new


def _rest(game: Game) -> Any:
    return [(found.width, found.height, found.cells) for found in game.maps]


def _colour(lines: list[str], sketch: Sketch, number: int, word: str) -> None:
    """Set a colour in the line of colours, or add one behind the last."""
    spans = _words(sketch)
    if not spans:
        raise GameError(
            f"The colours of {quoted(sketch.name)} have a fault, line {sketch.line + 1}: mend it in the text."
        )
    at = sketch.colour_lines[0].number - 1
    begin, end = spans[number][:2] if number < len(spans) else (spans[-1][1], spans[-1][1])
    blank = " " if number >= len(spans) else ""
    lines[at] = f"{lines[at][:begin]}{blank}{word}{lines[at][end:]}"


def _pictured(lines: Sequence[str], sketch: Sketch, picture: Sequence[str]) -> Iterator[str]:
    """Yield the lines with these rows in the place of those of a picture; what else stands there stays."""
    rows = dict(zip((line.number for line in sketch.picture_lines), picture, strict=False))
    old = {line.number: line for line in sketch.picture_lines}
    last = (sketch.picture_lines or sketch.colour_lines)[-1]
    indent = last.text[: len(last.text) - len(last.text.lstrip())]
    for number, raw in enumerate(lines, 1):
        if number in rows:
            written = old[number].text
            begin, end = len(written) - len(written.lstrip()), len(written.rstrip())
            yield f"{raw[:begin]}{rows[number]}{raw[end:]}"
        else:
            yield raw
        if number == last.number:
            yield from (indent + row for row in picture[len(rows) :])
