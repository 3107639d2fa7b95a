"""The pictures of objects: five by five squares of their colours, as SVG paths."""

from __future__ import annotations

from collections.abc import Iterator

from epcg_puzzlescript.language.vocabulary import SIDE, GameObject


def layers_of(thing: GameObject) -> tuple[tuple[str, str], ...]:
    """Return (colour, data of an SVG path) for each colour of an object, in a box from -0.5 to 0.5.

    An object without a picture fills its cell; one that is transparent has nothing.
    """
    if not thing.picture:
        colour = thing.colours[0] if thing.colours else ""
        return ((colour, "M-.5 -.5h1v1h-1z"),) if colour else ()
    found = []
    for number, colour in enumerate(thing.colours):
        data = "".join(_runs(thing.picture, str(number)))
        if colour and data:
            found.append((colour, data))
    return tuple(found)


def _runs(picture: tuple[str, ...], digit: str) -> Iterator[str]:
    """Yield a rectangle for each run of a digit in a row."""
    for y, row in enumerate(picture):
        x = 0
        while x < SIDE:
            length = len(row[x:]) - len(row[x:].lstrip(digit))
            if length:
                yield f"M{_place(x)} {_place(y)}h{_size(length)}v{_size(1)}h-{_size(length)}z"
            x += max(1, length)


def _place(squares: int) -> str:
    return f"{squares / SIDE - 0.5:g}"


def _size(squares: int) -> str:
    return f"{squares / SIDE:g}"
