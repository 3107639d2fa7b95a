"""Published results and their recomputation, as returned by `PublicationInfo` factories.

A publication is a sequence of `Table`s of `Row`s. A row is one published number (or short string),
its source, and the question that gives our number: a query (`Ask`) and a SELECT over its run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypeGuard

import attrs

from epcg_core.domain.lazy import ImportString
from epcg_core.errors import PluginError

RowAnswer: TypeAlias = "int | float | str"
"""The subject of a row."""

LARGEST_IN_REACH = 10**11
"""Candidates: a larger space may be called out of reach."""


@attrs.frozen
class Computed:
    """Our number of a row, and what is to be said about it: how many things it is of, and its interval."""

    value: RowAnswer
    detail: str = ""
    """A short phrase, such as 'n = 103; 95 %: 0.44 to 0.69 (Fisher)'."""


Origin = Literal["paper", "page", "reference"]
"""Whether a number is printed in the paper, stands on the web page, or is neither: a reference value, which
another program computed for the same question."""

Obstacle = Literal["user study", "drawing", "size"]


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


@attrs.frozen
class Ask:
    """A question to the coordinator: a query that a plugin ships, and what to change in it.

    `{data}` in a change stands for the folder of files that are not shipped (`epcg reproduce --data`).
    """

    query: str
    """'plugin/name'"""
    set: tuple[str, ...] = ()
    """Settings as for `epcg run --set`."""

    @property
    def needs_data(self) -> bool:
        """Whether a file that is not shipped is needed."""
        return any("{data}" in change for change in self.set)


CANDIDATES = "SELECT candidates FROM runs WHERE run_id = :run"
"""The SELECT of a `Row` for the number of candidates of its run."""


def of_metric(what: str, metric: str) -> str:
    """Return the SELECT of one fact of a metric: 'mean', 'total', 'minimum', 'maximum', 'valued'."""
    return f"SELECT {what} FROM metrics WHERE run_id = :run AND metric = '{metric}'"


def values_of(metric: str) -> str:
    """Return the SELECT of a metric's values."""
    return f"SELECT value FROM scores WHERE run_id = :run AND metric = '{metric}'"


def count_of(metric: str, value: int) -> str:
    """Return the SELECT that counts the candidates whose metric has a value."""
    return f"SELECT count FROM histograms WHERE run_id = :run AND metric = '{metric}' AND low = {value}"


@attrs.frozen
class OutOfReach:
    """Why a result cannot be computed here. Raises PluginError for a space that can be."""

    obstacle: Obstacle
    sentence: str
    size: int | None = None
    """Candidates, for the obstacle 'size'."""

    def __attrs_post_init__(self) -> None:
        if (self.obstacle == "size") != (self.size is not None):
            raise PluginError(f"'{self.sentence}': the obstacle 'size', and no other, has a size.")
        if self.size is not None and self.size <= LARGEST_IN_REACH:
            raise PluginError(
                f"'{self.sentence}': {self.size:,} candidates are not out of reach; more than "
                f"{LARGEST_IN_REACH:,} are."
            )


@attrs.frozen(kw_only=True)
class Row:
    """One published number, and the way to compute ours.

    Ours is the one value of `sql`, in which `:run` is the number of the run that answers `ask`; or the result
    of `reduce` over its rows; or the result of `compute`, a function of a Bench (see
    `epcg_research.reproduce`) that returns it alone or as `Computed`. Raises PluginError if fields are
    missing or contradict each other.
    """

    label: str
    published: Published | None
    """None: the printed number is not at hand, so nothing is claimed about it."""
    origin: Origin = "paper"
    unit: str = ""
    ask: Ask | None = None
    sql: str = ""
    reduce: ImportString | None = None
    """(the rows of `sql`, a list of tuples) -> ours."""
    compute: ImportString | None = None
    how: str = ""
    """With `compute`: the source of our number, as a sentence or a command."""
    needs_data: bool = False
    """Whether `compute` reads files that are not shipped."""
    found: Published | None = None
    """The expected number if it differs from the published one; any other number is unexplained."""
    reason: str = ""
    """Why the two differ, or why there is nothing to compare."""
    out_of_reach: OutOfReach | None = None
    quick: bool = False
    """Whether `epcg reproduce --quick` computes it: seconds, not minutes."""

    def __attrs_post_init__(self) -> None:
        where = f"The row '{self.label}'"
        asks, computes = self.ask is not None, self.compute is not None
        if asks + computes + (self.out_of_reach is not None) > 1:
            raise PluginError(f"{where} has ask, compute or out_of_reach: one of these.")
        if asks != bool(self.sql) or (self.reduce is not None and not asks):
            raise PluginError(f"{where}: ask and sql belong together, and reduce to them.")
        if computes != bool(self.how):
            raise PluginError(f"{where}: compute and how belong together: how says where ours comes from.")
        if not (asks or computes or self.out_of_reach) and not self.reason:
            raise PluginError(f"{where} neither computes anything nor says why.")
        if self.computable and self.published is not None and (self.found is not None) != bool(self.reason):
            raise PluginError(f"{where}: a difference has what is found here and the reason for it.")

    @property
    def computable(self) -> bool:
        """Whether there is a way to ours."""
        return self.ask is not None or self.compute is not None

    @property
    def expected(self) -> Published | None:
        """Our expected value."""
        return self.found if self.found is not None else self.published

    @property
    def reads_data(self) -> bool:
        """Whether files that are not shipped are needed."""
        return self.needs_data or (self.ask is not None and self.ask.needs_data)


@attrs.frozen(kw_only=True)
class Plot:
    """A picture of a table: published and ours over the rows, or what `draw` makes."""

    title: str
    axis: str = ""
    """The label of the numbers."""
    log: bool = False
    draw: ImportString | None = None
    """(bench, path) draws an SVG file instead."""


@attrs.frozen(kw_only=True)
class Table:
    """A table or figure of a publication, or numbers in its text."""

    name: str
    """Letters, digits and hyphens; unique in the publication."""
    title: str
    printed: str = ""
    """Its place in the publication: 'Table 1'."""
    candidates: int | None = None
    """Number of candidates behind it; None if that depends on files that are not shipped."""
    rows: Sequence[Row]
    plot: Plot | None = None


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
