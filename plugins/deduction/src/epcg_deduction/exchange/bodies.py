"""Bodies of addresses: how the clues of the cells, row by row, are written as signs.

A *cell* is a number, None for a clue without a number, (direction, number) of an arrow, or EMPTY.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from epcg_core.plugin import EpcgError
from epcg_deduction.model.sites import ARROWS

Cell = int | tuple[str, int] | None | str
EMPTY: Final = "empty"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONGER = (("-", 2, 16, 256), ("+", 3, 256, 4096))
"""Sign, digits that follow, and the numbers that are so written."""


class Signs:
    """The signs of a body, taken one by one; faults name their column in the address.

    Args:
        body: the signs.
        column: the column of the first sign, from 1.
    """

    def __init__(self, body: str, column: int) -> None:
        self._body, self._column, self._at = body, column, 0

    def __bool__(self) -> bool:
        return self._at < len(self._body)

    def take(self) -> str:
        self._at += 1
        return self._body[self._at - 1]

    def number(self, digits: int) -> int:
        """Return the number that some hexadecimal digits are."""
        part = self._body[self._at : self._at + digits]
        if len(part) < digits or any(sign not in _DIGITS[:16] for sign in part):
            raise self.fault(f"{digits} hexadecimal digits should follow here", ahead=1)
        self._at += digits
        return int(part, 16)

    def fault(self, said: str, ahead: int = 0) -> EpcgError:
        """Return an error about the last sign, or one that many further on."""
        return EpcgError(f"Column {self._column + max(self._at - 1 + ahead, 0)} of the address: {said}.")


def read_four(signs: Signs) -> Iterator[Cell]:
    """Yield the cells of a body with numbers from 0 to 4."""
    while signs:
        sign = signs.take()
        value = _DIGITS.find(sign)
        if sign == ".":
            yield None
        elif 0 <= value < 15:
            yield value % 5
            yield from [EMPTY] * (value // 5)
        elif value > 15:
            yield from [EMPTY] * (value - 15)
        else:
            raise signs.fault(f"'{sign}' means nothing here")


def write_four(cells: Sequence[Cell]) -> str:
    """Return the body of cells with numbers from 0 to 4; cells after the last one count as empty."""
    found, at = [], 0
    while at < len(cells):
        cell = cells[at]
        if isinstance(cell, int):
            after = next((skip for skip in (0, 1) if _filled(cells, at + 1 + skip)), 2)
            found.append(_DIGITS[cell + 5 * after])
            at += 1 + after
        elif cell is None:
            found.append(".")
            at += 1
        else:
            run = _run(cells, at, 20)
            found.append(_DIGITS[15 + run])
            at += run
    return "".join(found)


def _filled(cells: Sequence[Cell], at: int) -> bool:
    return at < len(cells) and cells[at] != EMPTY


def _run(cells: Sequence[Cell], at: int, most: int) -> int:
    """Return how many empty cells follow, up to a limit."""
    run = 0
    while run < most and at + run < len(cells) and cells[at + run] == EMPTY:
        run += 1
    return run


def read_numbers(signs: Signs) -> Iterator[Cell]:
    """Yield the cells of a body with numbers from 0 to 4,095."""
    longer = {sign: digits for sign, digits, _, _ in _LONGER}
    while signs:
        sign = signs.take()
        value = _DIGITS.find(sign)
        if sign == ".":
            yield None
        elif 0 <= value < 16:
            yield value
        elif value >= 16:
            yield from [EMPTY] * (value - 15)
        elif sign in longer:
            yield signs.number(longer[sign])
        else:
            raise signs.fault(f"'{sign}' means nothing here, or a number above 4,095")


def write_numbers(cells: Sequence[Cell]) -> str:
    """Return the body of cells with numbers from 0 to 4,095."""
    return _written(cells, 20, 15, _number)


def _number(cell: Cell) -> str:
    assert isinstance(cell, int | None)
    if cell is None:
        return "."
    if 0 <= cell < 16:
        return _DIGITS[cell]
    for sign, digits, low, high in _LONGER:
        if low <= cell < high:
            return f"{sign}{cell:0{digits}x}"
    raise EpcgError(f"{cell:,} cannot be written in an address: the largest number is 4,095.")


def _written(cells: Sequence[Cell], most: int, base: int, clue: Callable[[Cell], str]) -> str:
    """Return a body in which runs of empty cells are one sign each."""
    found, at = [], 0
    while at < len(cells):
        run = _run(cells, at, most)
        found.append(_DIGITS[base + run] if run else clue(cells[at]))
        at += run or 1
    return "".join(found)


def read_arrows(signs: Signs) -> Iterator[Cell]:
    """Yield the cells of a body of arrows with numbers."""
    ways = list(ARROWS)
    while signs:
        sign = signs.take()
        value = _DIGITS.find(sign)
        if value >= 10:
            yield from [EMPTY] * (value - 9)
            continue
        if value < 0:
            raise signs.fault(f"'{sign}' means nothing here")
        following = signs.take() if signs and value < 5 else ""
        if following == ".":
            yield None
            continue
        if value % 5 == 0:
            raise signs.fault("a clue without a direction is not known here")
        if value < 5 and (not following or following not in _DIGITS[:16]):
            raise signs.fault("a hexadecimal digit or '.' should stand here", ahead=0 if following else 1)
        number = int(following, 16) if value < 5 else signs.number(2)
        yield ways[value % 5 - 1], number


def write_arrows(cells: Sequence[Cell]) -> str:
    """Return the body of arrows with numbers."""
    return _written(cells, 26, 9, _arrow)


def _arrow(cell: Cell) -> str:
    if not isinstance(cell, tuple):
        return "0."
    way, number = list(ARROWS).index(cell[0]) + 1, cell[1]
    if number > 255:
        raise EpcgError(f"{number:,} cannot be written in an address: the largest number of an arrow is 255.")
    return f"{way}{number:x}" if number < 16 else f"{way + 5}{number:02x}"


def read_circles(signs: Signs) -> Iterator[Cell]:
    """Yield the cells of a body of circles, three a sign: 1 is white, 2 is black."""
    while signs:
        sign = signs.take()
        value = _DIGITS.find(sign)
        if not 0 <= value < 27:
            raise signs.fault(f"'{sign}' means nothing here: three circles are a digit or a letter up to q")
        for part in (value // 9, value // 3 % 3, value % 3):
            yield part or EMPTY


def write_circles(cells: Sequence[Cell]) -> str:
    """Return the body of circles, three a sign; the last group is filled with empty cells."""
    filled = [*cells, *[EMPTY] * (-len(cells) % 3)]
    values = [cell if isinstance(cell, int) else 0 for cell in filled]
    groups = zip(values[::3], values[1::3], values[2::3], strict=True)
    return "".join(_DIGITS[9 * a + 3 * b + c] for a, b, c in groups)


@attrs.frozen
class Body:
    """A way to write the clues of all cells."""

    read: Callable[[Signs], Iterator[Cell]]
    write: Callable[[Sequence[Cell]], str]


FOUR = Body(read_four, write_four)
NUMBERS = Body(read_numbers, write_numbers)
ARROWED = Body(read_arrows, write_arrows)
CIRCLES = Body(read_circles, write_circles)
