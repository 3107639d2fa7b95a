"""Metrics, and the values that evaluators give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import attrs

from epcg_core.base.errors import PluginError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Value: TypeAlias = "int | float | bool"
"""A value of a metric."""

VALUE, NONE, LIMIT, ERROR = 0, 1, 2, 3
"""The status of a candidate: with values; without (no solution, say); a limit was reached; an error."""
STATUS_NAMES = ("value", "none", "limit", "error")
"""The names of statuses, by status."""
_IF_MANY = re.compile(r"\[(\w+)\]")
_AFTER = re.compile(r" (?:of|to|with|that|which|one|on|in|from|for|whatever|where)\b| \(|,")
"""The beginning of what follows the noun of a heading."""
_PLURAL = re.compile(r"\b\w*[^su\W]s\b")


@attrs.frozen
class Metric:
    """One number that an evaluator gives to a candidate."""

    name: str
    kind: Literal["int", "real", "bool"] = "int"
    direction: Literal["max", "min"] = "max"
    """The better end, for `top` and `best`."""
    unit: str = ""
    description: str = ""
    always: bool = attrs.field(default=False, kw_only=True)
    """The metric has a value for candidates of status NONE and LIMIT too (an effort, say); 0 if a plain
    evaluator gives no values at all."""
    none: str = attrs.field(default="", kw_only=True, eq=False)
    """The meaning of the status NONE, as in 'no solution (proven)'. It is not recorded."""
    sentence: str = attrs.field(default="", kw_only=True, eq=False)
    """How a value is told to players, with {} for it: '{} position[s] to look at'. What stands in brackets is
    left out for 1, and what stands behind a bar is told for 0: '{} bit[s] of choice|nothing to choose'.
    Default: the name, the value and the unit."""
    title: str = attrs.field(default="", kw_only=True, eq=False)
    """A short name in people's words, 'first moves that win'; default: the name with blanks."""
    headline: int = attrs.field(default=0, kw_only=True, eq=False)
    """The place among the few measures that people are shown first, from 1; 0 of the others."""

    at_least: float | None = attrs.field(default=None, kw_only=True, eq=False)
    """The least value that is possible: 0 for what is counted. Intervals of samples do not go beyond it."""
    at_most: float | None = attrs.field(default=None, kw_only=True, eq=False)
    """The greatest value that is possible: 1 for a share."""
    covers: tuple[str, ...] = attrs.field(default=(), kw_only=True, eq=False, repr=False)
    """The parts of content that searches leave out (`Reading.unsearched`), and this measure does not."""
    words: tuple[str, ...] = attrs.field(default=(), kw_only=True, eq=False, repr=False)
    """The names of the values 0, 1, 2 and so on, where these are kinds of something rather than a number."""

    @at_most.validator
    def _is_a_range(self, attribute: object, value: float | None) -> None:
        if value is not None and self.at_least is not None and value < self.at_least:
            raise PluginError(f"The metric {self.name}: at_most = {value:g} is below at_least.")

    @property
    def heading(self) -> str:
        """The short name that people read."""
        return self.title or self.name.replace("_", " ")

    @property
    def counts(self) -> bool:
        """Whether it counts something that its heading names in the plural: 'ways to complete it'."""
        return self.kind == "int" and not self.words and self.is_plural

    @property
    def is_plural(self) -> bool:
        """Whether its heading is a noun in the plural."""
        return _PLURAL.search(_AFTER.split(self.heading, maxsplit=1)[0]) is not None

    def brief(self, value: Value) -> str:
        """Tell a value in two words if it counts something: '3 ways'; else '14 edges', or 'gain: 2'."""
        if not self.counts:
            return f"{self.named(value)} {self.unit}" if self.unit else f"{self.heading}: {self.named(value)}"
        noun = _AFTER.split(self.heading, maxsplit=1)[0]
        return f"{number(value)} {_PLURAL.sub(lambda many: _singular(many[0]), noun) if value == 1 else noun}"

    @sentence.validator
    def _has_one_place(self, attribute: object, text: str) -> None:
        if text and text.count("{}") != 1:
            raise PluginError(
                f"The metric {self.name}: the sentence '{text}' must have one {{}}, for the value."
            )

    def named(self, value: Value) -> str:
        """Return the name of a value, or the value as players read it."""
        is_place = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(self.words)
        return self.words[int(value)] if is_place else number(value)

    def told(self, low: Value, high: Value | None = None) -> str:
        """Tell players a value, or all from `low` to `high`: '53 positions to look at'."""
        sentence, _, nothing = self.sentence.partition("|")
        if nothing and low == 0 and high in (None, 0):
            return nothing
        first, last = self.named(low), self.named(low if high is None else high)
        text = first if first == last else f"{first} to {last}"
        if not self.sentence:
            return f"{self.heading} {text}{' ' if self.unit else ''}{self.unit}"
        return _IF_MANY.sub("" if text == "1" else r"\1", sentence).replace("{}", text)


def _singular(noun: str) -> str:
    """Return the singular of a noun in the plural."""
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-2] if noun.endswith(("ches", "shes", "xes")) else noun[:-1]


OF_ITEMS = Metric("of_items", "real", "max", description="the items' values of a metric, as one number")
"""The metric of the core's evaluator `of_items`, which every domain has."""


def number(value: Value) -> str:
    """Write a value for players: three digits of a real, all of an integer, yes or no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def counted(number: int, one: str, several: str | None = None) -> str:
    """Write a number with its noun: '1 row', '2,000 rows'.

    Args:
        number: how many there are.
        one: the noun if there is one; what follows may be part of it: 'row is'.
        several: the noun for any other number; default: `one` with an s.
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


class LimitReachedError(Exception):
    """Raised by a plain evaluator that gives up on a candidate: its status becomes LIMIT.

    `values`, if given, holds the values of the metrics with `always`, and None for the others.
    """

    def __init__(self, message: str = "", values: Sequence[Value | None] | None = None) -> None:
        super().__init__(message)
        self.values = values


@attrs.frozen(eq=False)
class Bits:
    """`count` booleans, eight a byte, the lowest bit first (numpy's bitorder="little")."""

    data: NDArray[np.uint8]
    """(ceil(count / 8),); bits past `count` are 0."""
    count: int


@attrs.frozen(eq=False)
class Evaluation:
    """An evaluator's result for an array of n states."""

    values: Sequence[NDArray[Any] | Bits]
    """One (n,) array per metric, in the evaluator's order; int, float or bool; or Bits for a bool metric."""
    status: NDArray[np.uint8] | None = None
    """(n,) VALUE, NONE or LIMIT per candidate; (metrics, n) if metrics differ; None: all have values."""
