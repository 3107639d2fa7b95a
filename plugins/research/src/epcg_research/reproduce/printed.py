"""Published numbers as they are printed: what of ours each admits, and how a file writes it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

import attrs

from epcg_core.plugin import ParamsError, structure

RowAnswer: TypeAlias = "int | float | str"
"""The subject of a row."""


@attrs.frozen
class Exact:
    """An exact number or string."""

    value: RowAnswer

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` is the same."""
        return isinstance(ours, str) == isinstance(self.value, str) and ours == self.value

    def __str__(self) -> str:
        return answer_in_words(self.value)


@attrs.frozen
class Rounded:
    """A number printed with a given number of decimals."""

    value: float
    decimals: int

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` can be printed so."""
        return _prints_as(ours, self.value, 10.0**-self.decimals)

    def __str__(self) -> str:
        return f"{self.value:,.{self.decimals}f}"


@attrs.frozen
class Significant:
    """A number printed with a given number of significant digits, such as 1.53e-05."""

    value: float
    digits: int

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` can be printed so."""
        if self.value == 0:
            return _number(ours) and ours == 0
        return _prints_as(
            ours, self.value, 10.0 ** (math.floor(math.log10(abs(self.value))) + 1 - self.digits)
        )

    def __str__(self) -> str:
        return f"{self.value:.{self.digits - 1}e}"


@attrs.frozen
class About:
    """A number given as 'about'; `within` is how far off ours may be, as a share of it."""

    value: float
    within: float

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` is near enough."""
        return _number(ours) and abs(ours - self.value) <= self.within * abs(self.value)

    def __str__(self) -> str:
        return f"about {answer_in_words(self.value)}"


@attrs.frozen
class MoreThan:
    """A lower bound: 'over 40 %'."""

    value: float

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` is more."""
        return _number(ours) and ours > self.value

    def __str__(self) -> str:
        return f"over {answer_in_words(self.value)}"


@attrs.frozen
class LessThan:
    """An upper bound: 'p < 0.05'."""

    value: float

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` is less."""
        return _number(ours) and ours < self.value

    def __str__(self) -> str:
        return f"under {answer_in_words(self.value)}"


@attrs.frozen
class Varies:
    """Any number: a time, which depends on the machine. For `Row.found`."""

    def admits(self, ours: RowAnswer) -> bool:
        """Return whether `ours` is a number."""
        return _number(ours)

    def __str__(self) -> str:
        return "varies"


Published: TypeAlias = Exact | Rounded | Significant | About | MoreThan | LessThan | Varies

NOTHING = "-"
"""What a file writes if nothing is printed."""
_DECIMAL = re.compile(r"-?[0-9]{1,40}(?:\.([0-9]{1,40}))?")
_SCIENTIFIC = re.compile(r"-?[0-9](?:\.([0-9]{1,40}))?[eE][-+]?[0-9]{1,3}")
_BOUND = re.compile(r"(over|under) (-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?)")


@attrs.frozen
class _Text:
    text: str


@attrs.frozen
class _About:
    about: int | float
    within: float


def read_printed(value: Any, where: str) -> Published | None:
    """Read a published number as a file writes it: 47, '0.9746', '3.93e-01', 'over 40', { text = 'RU' }.

    A number is exact; a string is the number as it is printed, with all its digits.

    Args:
        value: the number, string or table.
        where: the beginning of a message.

    Returns:
        The published number; None for '-', which says that nothing is printed.

    Raises:
        ParamsError: if it is none of these.
    """
    if isinstance(value, Mapping):
        if "about" in value:
            found = structure(_About, value, where)
            return About(found.about, found.within)
        return Exact(structure(_Text, value, where).text)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Exact(value)
    if not isinstance(value, str):
        raise ParamsError(f"{where}: {value!r} is not a published number: {_FORMS}.")
    if value == NOTHING:
        return None
    if value == "varies":
        return Varies()
    if match := _DECIMAL.fullmatch(value):
        return Rounded(_read_number(value, where), len(match[1] or ""))
    if match := _SCIENTIFIC.fullmatch(value):
        return Significant(_read_number(value, where), 1 + len(match[1] or ""))
    if match := _BOUND.fullmatch(value):
        bound = _read_number(match[2], where)
        return MoreThan(bound) if match[1] == "over" else LessThan(bound)
    raise ParamsError(f"{where}: '{value}' is not a published number: {_FORMS}.")


_FORMS = (
    "write an exact number as 47, one with all its printed digits as \"0.9746\" or \"3.93e-01\", a bound as "
    '"over 40" or "under 0.05", "varies", { about = 5, within = 0.25 }, { text = "..." } for a string, or "-"'
)  # fmt: skip


def _read_number(text: str, where: str) -> float:
    found = int(text) if text.removeprefix("-").isdecimal() else float(text)
    if not math.isfinite(found):
        raise ParamsError(f"{where}: '{text}' is too large.")
    return found


def answer_in_words(value: RowAnswer) -> str:
    """Format a value: 12,345; 0.25; 1.5e-05; strings are unchanged."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == int(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}"


def _number(value: RowAnswer) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _prints_as(ours: RowAnswer, value: float, unit: float) -> bool:
    """Return whether `ours` is at most half a `unit` of the last digit away from a printed value."""
    slack = 2 * math.ulp(value)  # what reading and rounding a decimal number can change of it
    return _number(ours) and abs(ours - value) <= 0.5 * unit + slack
