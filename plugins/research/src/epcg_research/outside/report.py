"""The function `epcg_core.compare`: contents that other programs made, beside the whole space of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import EpcgError, Note, Report, Table
from epcg_core.inside import SelectParams, checked, likeness, location_of, metric_of, puzzle_id
from epcg_core.plugin import (
    Metric,
    Reader,
    RunRecord,
    Store,
    columns,
    find,
    make_generator,
    registry,
)
from epcg_research import figures, statistics
from epcg_research.figures import Paper, Plot
from epcg_research.figures.gathered import spreads
from epcg_research.outside.contents import items_of, ranked
from epcg_research.outside.measured import Beside, Copies, Distance, beside, copies, distance, together
from epcg_research.outside.shown import COLUMNS, ODD, drawing, lines_of, rows_of, rows_of_odd
from epcg_research.statistics import Adjustment

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CLASSES = 8_000_000
MOST_PLAIN_CLASSES = 200_000
"""Candidates whose symmetry classes are counted, and those of a generator that tells them one by one."""
MOST_TOLD = 3


@attrs.frozen(repr=False)
class ComparedContents(Report):
    """A list of contents beside the whole space of a run."""

    file: str
    run: int
    space: str
    contents: int
    """The contents of the file."""
    inside: int
    """Those that are candidates of the run."""
    outside: tuple[tuple[str, str], ...]
    """(place in the file, why) of each of the others."""
    where: str
    """The condition that holds for the candidates that are the whole; '' for all."""
    evaluated: int
    """The candidates of the whole."""
    same: Copies
    alike: Copies | None
    """The same up to symmetry; None if the space has no symmetries."""
    measures: tuple[Beside, ...]
    unvalued: tuple[str, ...]
    """Metrics of which no content of the list has a value."""
    regions: Distance
    """The list over equal parts of the space, in the order of its ranks."""
    adjust: Adjustment

    def parts(self) -> Iterator[str | Table]:
        """Yield how much of the space it is, a row for each measure, and bins that are off."""
        yield from lines_of(self)
        yield self.table()
        odd = rows_of_odd(self)
        if odd:
            yield Note("There too often or too rarely, of all bins of a measure, with 95 % for all together:")
            yield Table.of(ODD, odd)

    def table(self) -> Table:
        """Return a row for each measure."""
        return Table.of(COLUMNS, list(rows_of(self)))

    def json(self) -> dict[str, Any]:
        """Return all numbers."""
        found = attrs.asdict(self)
        for each in found["measures"]:
            each["best_puzzle"] = puzzle_id(self.space, each["best_rank"])
        return found

    def plot(self, paper: Paper | None = None) -> Plot:
        """Draw each measure: its shares of the list, with intervals, over those of the whole.

        Args:
            paper: size and font; None for a picture on a page.

        Raises:
            EpcgError: if there is nothing to draw.
            PluginError: without matplotlib.
        """
        figures.require_matplotlib()
        return Plot.of(drawing(self), paper or Paper())


@checked
def compare(
    file: str | Path,
    run: int,
    *,
    metrics: Sequence[str] = (),
    where: str | None = None,
    column: str | None = None,
    regions: int = 16,
    adjust: Adjustment = "holm",
    seed: int = 0,
    db: str | Path | None = None,
) -> ComparedContents:
    """Compare contents that another program made with the whole space of a run, as `epcg compare` does.

    Args:
        file: a table with a column puzzle, rank, content or text; a list in JSON; a file of one of the
            domain's formats; a text with ids, ranks, or texts between empty lines; or a folder of files.
        run: the number of a finished run, which records the values of all candidates.
        metrics: the measures; none for all of the run.
        where: an SQL condition over rank and all metrics of the run; only candidates for which it holds are
            the whole.
        column: the column of a table that holds the contents; None for the first of those.
        regions: into how many equal parts the space is cut, in the order of its ranks.
        adjust: how p is adjusted for the number of measures.
        seed: of the lists that are drawn evenly, to compare with.
        db: the database; as for `open`.

    Raises:
        EpcgError: if the file cannot be read, none of its contents is a candidate of the run, or the run does
            not record all values.
    """
    statistics.need_statistics("Comparing needs")
    if not 2 <= regions <= 1000:
        raise EpcgError(f"regions: {regions} is not from 2 to 1,000.")
    location = location_of(db)
    with Store.open(location) as store, store.reader() as reader:
        record = reader.run(run)
        _check(record)
        known = [metric_of(reader, run, name) for name in metrics] or reader.every_metric(run)
        items = items_of(Path(file), record.domain, column)
        found = ranked(reader, location, record, items)
        candidates = _evaluated(reader, record, known[0].name, where)
        if not len(candidates):
            raise EpcgError(f"The condition holds for no candidate of run {run}.")
        ranks = np.array(found.ranks, np.int64)
        there = np.isin(ranks, candidates)
        reason = "the run left it out, by a filter of its query" if where is None else f"not {where}"
        outside = [*found.outside, *_not_among(found.ranks, there, reason)]
        ranks = ranks[there]
        if not len(ranks):
            raise EpcgError(
                f"None of the {len(items):,} contents of {file} is a candidate of run {run}: {_told(outside)}"
            )
        values = _of_list(reader, record, ranks, known)
        measures, unvalued = [], []
        for metric in known:
            every, counts = _of_all(reader, record, metric, where)
            own = beside(metric, ranks, values[metric.name], every, counts, seed)
            if own is None:
                unvalued.append(metric.name)
            else:
                measures.append(own)
        classes = _classes(reader, record, location)
        alike = None
        if classes is not None:
            of = _number_of_classes(classes, candidates)
            alike = copies(classes[0](ranks), of)
    edges = np.array([part[-1] for part in np.array_split(candidates, min(regions, len(candidates)))])
    sizes = np.diff(np.searchsorted(candidates, edges, side="right"), prepend=0)
    starts = np.concatenate([candidates[:1], candidates[np.searchsorted(candidates, edges[:-1], "right")]])
    return ComparedContents(
        str(file),
        run,
        record.space,
        len(items),
        len(ranks),
        tuple(outside),
        where or "",
        len(candidates),
        copies(ranks, len(candidates)),
        alike,
        tuple(together(measures, adjust)),
        tuple(unvalued),
        distance(ranks.astype(float), starts.astype(float), edges.astype(float), sizes, seed),
        adjust,
    )


def _check(run: RunRecord) -> None:
    """Raise EpcgError unless a run records the values of all its candidates."""
    if not run.done:
        what = "a sample" if run.is_only_drawn else "not finished"
        raise EpcgError(
            f"Run {run.id} is {what}, so the whole is not known: compare with one that is whole "
            f"(epcg resume {run.id} goes on)."
        )
    if run.kept_values != "all":
        raise EpcgError(
            f"Run {run.id} does not record the values of all candidates: run its query with "
            "--set record.values=all, or name another run."
        )
    if run.pruned:
        raise EpcgError(
            f"Run {run.id} proved {run.pruned:,} candidates worse without evaluating them: compare with an "
            "exhaustive run."
        )


def _evaluated(reader: Reader, run: RunRecord, metric: str, where: str | None) -> NDArray[np.int64]:
    """Return the ranks of all evaluated candidates for which a condition holds."""
    parts = [part.ranks for part in columns(reader, run.id, (metric,), where=where)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _not_among(ranks: Sequence[int], there: NDArray[np.bool_], reason: str) -> Iterator[tuple[str, str]]:
    for rank, inside in zip(ranks, there.tolist(), strict=True):
        if not inside:
            yield f"rank {rank:,}", reason


def _told(outside: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{place}: {why}" for place, why in outside[:MOST_TOLD]) + "."


def _of_list(
    reader: Reader, run: RunRecord, ranks: NDArray[np.int64], metrics: Sequence[Metric]
) -> dict[str, NDArray[np.float64]]:
    """Return the values of contents by metric, NaN for none."""
    different, places = np.unique(ranks, return_inverse=True)
    names = tuple(metric.name for metric in metrics)
    found = {name: np.full(len(different), np.nan) for name in names}
    for part in columns(reader, run.id, names):
        own = np.flatnonzero(np.isin(part.ranks, different))
        if not len(own):
            continue
        taken = part.taken(own)
        at = np.searchsorted(different, taken.ranks)
        for name in names:
            values, missing = taken.values[name]
            known = np.ones(len(at), bool) if missing is None else ~missing
            found[name][at[known]] = values[known]
    return {name: values[places] for name, values in found.items()}


def _of_all(
    reader: Reader, run: RunRecord, metric: Metric, where: str | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different values of a metric, and how many candidates have each."""
    (spread,) = spreads(reader, run.id, metric.name, where=where)
    return spread.exact


def _classes(
    reader: Reader, run: RunRecord, location: str
) -> tuple[Callable[[NDArray[np.int64]], NDArray[np.int64]], bool] | None:
    """Return the function to the first rank of a class, and whether it is fast; None without symmetries."""
    space, _ = find.named(f"{run.id}#0", reader, location)
    generator = make_generator(registry(), space)
    if getattr(generator, "canonical_rank", None) is None:
        return None
    rule = SelectParams("", distinct=True)
    found = likeness.likeness_of(rule, space, generator).canonical_ranks
    return None if found is None else (found, hasattr(generator, "canonical_ranks"))


def _number_of_classes(
    classes: tuple[Callable[[NDArray[np.int64]], NDArray[np.int64]], bool], candidates: NDArray[np.int64]
) -> int | None:
    first, fast = classes
    if len(candidates) > (MOST_CLASSES if fast else MOST_PLAIN_CLASSES):
        return None
    size = 1 << 18
    parts = [np.unique(first(candidates[at : at + size])) for at in range(0, len(candidates), size)]
    return len(np.unique(np.concatenate(parts)))
