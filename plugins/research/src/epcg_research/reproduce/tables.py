"""Tables of publications: rows, each of a published number, its source, and the question that gives ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import attrs

from epcg_core.plugin import PluginError, resolve
from epcg_research.reproduce.printed import Published, RowAnswer

LARGEST_IN_REACH = 10**11
"""Candidates: a larger space may be called out of reach."""

Origin = Literal["paper", "page", "reference"]
"""Whether a number is printed in a paper or book, stands on a web page, or is neither: a reference value,
which another program computed for the same question."""

Obstacle = Literal["user study", "drawing", "size"]


@attrs.frozen
class Computed:
    """Our number of a row, and what is to be said about it: how many things it is of, and its interval."""

    value: RowAnswer
    detail: str = ""
    """A short phrase, such as 'n = 103; 95 %: 0.44 to 0.69 (Fisher)'."""


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


@attrs.frozen
class Call:
    """A function of a plugin, which is imported when it is called, and what it is given after the Bench."""

    function: str
    """'module:name'"""
    args: Mapping[str, Any] = attrs.field(factory=dict)

    def __call__(self, *first: Any) -> Any:
        """Call the function. Raises PluginError if it cannot be imported."""
        function: Callable[..., Any] = resolve(self.function)
        return function(*first, **self.args)


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
    of `reduce` over its rows; or the result of `compute`, a function of a Bench that returns it alone or with
    a phrase about it. Raises PluginError if fields are missing or contradict each other.
    """

    label: str
    published: Published | None
    """None: there is no printed number, so nothing is claimed about it."""
    claim: str = ""
    """The name of the claim that it checks; none if the publication does not make it."""
    again: bool = False
    """Whether another row has the same printed number, computed in another way; it is counted once."""
    origin: Origin = "paper"
    unit: str = ""
    ask: Ask | None = None
    sql: str = ""
    reduce: str | None = None
    """'module:name' of a function: (the rows of `sql`, a list of tuples) -> ours."""
    compute: Call | None = None
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
            raise PluginError(f"{where} has a query, compute or out_of_reach: keep one of these.")
        if asks != bool(self.sql) or (self.reduce is not None and not asks):
            raise PluginError(f"{where}: query and sql belong together, and reduce to them.")
        if computes != bool(self.how):
            raise PluginError(f"{where}: compute and how belong together: how says where ours comes from.")
        if not (asks or computes or self.out_of_reach) and not self.reason:
            raise PluginError(f"{where} neither computes anything nor says why: write uncomputed = '...'.")
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
class Claim:
    """A sentence of a publication that can be checked, or cells of a table, in our own words."""

    name: str
    """Letters, digits and hyphens; unique in the publication."""
    says: str
    place: str = ""
    """Its place in the publication: 'Table 1'."""
    statistic: str = ""
    """What kind of number it is: 'count', 'mean', "Pearson's r and p"."""
    n: int | None = None
    """How many things the statistic is of, if the publication says so."""
    not_compared: str = ""
    """Why no row checks it, and what would be needed."""
    out_of_reach: str = ""
    """The same, if it cannot be checked by computing."""

    @property
    def reason(self) -> str:
        """Why no row checks it; '' if rows do."""
        return self.not_compared or self.out_of_reach


@attrs.frozen(kw_only=True)
class Plot:
    """A picture of a table: published and ours over the rows, or what `draw` makes."""

    title: str
    axis: str = ""
    """The label of the numbers."""
    log: bool = False
    draw: str | None = None
    """'module:name' of a function that draws an SVG file instead: (bench, path, the args)."""
    args: dict[str, Any] = attrs.field(factory=dict)
    """What `draw` is given, too."""


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
