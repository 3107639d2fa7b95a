"""What is drawn of runs: gathered, drawn, and said in a caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, get_args

import attrs

from epcg_core.inside import about_all, distribution, metric_of, space_in_words
from epcg_core.plugin import EpcgError, Metric, Reader, registry
from epcg_research.figures.bars import draw_bars, even_bins
from epcg_research.figures.gathered import Pairs, Spread, axis, drawn_from, of_distribution, pairs, spreads
from epcg_research.figures.paper import Paper, save_figure
from epcg_research.figures.relations import MOST_POINTS, coefficient, draw_pairs, least_squares, midranks
from epcg_research.figures.shapes import MOST_RODS, draw_ecdf, draw_violins
from epcg_research.statistics.correlation import Method, interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["bars", "ecdf", "violins"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@attrs.frozen
class Asked:
    """What is drawn of runs, and how."""

    kind: Kind = "bars"
    over: str | None = None
    """A second metric: candidates become points, with it on the horizontal axis."""
    by: tuple[str, int | None] | None = None
    """A second metric whose values are groups, and into how many its values are cut, or None."""
    shares: bool = False
    """Whether bars are shares instead of counts."""
    fit: bool = False
    """Whether points have a straight line."""
    where: str | None = None
    """An SQL condition over rank and the metrics of a run."""
    log: bool = False
    title: str | None = None
    """None for one that says what is drawn, '' for none."""

    def check(self, runs: int) -> None:
        """Raise EpcgError if parts of it do not go together."""
        if runs > 1 and (self.over or self.by):
            what = "Points" if self.over else "Groups"
            raise EpcgError(f"{what} are drawn of one run: name one, not {runs}.")
        if self.over and (self.by or self.shares or self.kind != "bars"):
            raise EpcgError("Points over another metric have no groups, shares or kind: leave these out.")
        if self.fit and not self.over:
            raise EpcgError("A line is fitted to points: say over which metric they are drawn (--over).")
        if self.shares and self.kind != "bars":
            raise EpcgError(f"Shares are for bars; {self.kind} show shares in any case.")


@attrs.frozen(eq=False)
class Drawing:
    """Plots, one below the other, and the caption that says what they show."""

    draws: tuple[Callable[[Axes], None], ...]
    caption: str

    def save(self, target: Path | BinaryIO, paper: Paper | None = None, format: str = ".svg") -> None:
        """Draw it into a file or as bytes (see `save_figure`)."""
        save_figure(target, *self.draws, paper=paper, format=format)


def drawing(reader: Reader, run_ids: Sequence[int], names: Sequence[str], asked: Asked) -> Drawing:
    """Gather metrics of runs, and return how to draw them.

    Args:
        reader: the database.
        run_ids: the runs, side by side.
        names: the metrics, one below the other.
        asked: what is drawn.

    Raises:
        UnknownNameError: if a run has no such metric.
        StoreError: if nothing has a value, or the condition is invalid.
        EpcgError: if parts of what is asked for do not go together.
    """
    asked.check(len(run_ids))
    draws, said = [], []
    for name in names:
        if asked.over is not None:
            found = pairs(reader, run_ids[0], asked.over, name, where=asked.where)
            sides = [metric_of(reader, run_ids[0], each) for each in (asked.over, name)]
            title = _title(asked, _in_words(reader, run_ids[0], "\n"))
            draws.append(partial(_points, found=found, sides=sides, asked=asked, title=title))
            said.append(_caption_of_pairs(found, sides, asked))
        else:
            groups = _spreads(reader, run_ids, name, asked)
            metric = groups[0].metric
            usual = _in_words(reader, run_ids[0], "\n") if len(run_ids) == 1 else metric.description or name
            draws.append(partial(_plot, found=groups, asked=asked, title=_title(asked, usual)))
            said.append(_caption(groups, asked))
    runs = "; ".join(_about(reader, run_id) for run_id in run_ids)
    limit = f" Only candidates where {asked.where}." if asked.where else ""
    return Drawing(tuple(draws), f"{' '.join(said)}{limit} {runs}.")


def _title(asked: Asked, usual: str) -> str:
    return usual if asked.title is None else asked.title


def _in_words(reader: Reader, run_id: int, between: str = " ") -> str:
    run = reader.run(run_id)
    generator = run.spec["query"]["generator"]
    words = space_in_words(registry(), run.domain, generator["name"], generator["params"])
    return words + (f"{between}({run.so_far})" if run.so_far else "")


def _about(reader: Reader, run_id: int) -> str:
    run = reader.run(run_id)
    digest = f", digest {run.digest}" if run.digest else ""
    return f"Run {run_id}: {_in_words(reader, run_id)}, {run.search} search{digest}"


def _spreads(reader: Reader, run_ids: Sequence[int], name: str, asked: Asked) -> list[Spread]:
    if asked.by is not None:
        return spreads(reader, run_ids[0], name, by=asked.by, where=asked.where)
    found = []
    for run_id in run_ids:
        one = distribution(reader, run_id, name)
        own = of_distribution(one, f"run {run_id}: {one.space}", drawn_from(reader, run_id))
        binned = any(low != high for low, high, _ in own.bins)
        if asked.where is not None or (binned and asked.kind != "bars" and not _counted(reader, run_id)):
            own = attrs.evolve(spreads(reader, run_id, name, where=asked.where)[0], label=own.label)
        if asked.where is None:
            own = attrs.evolve(own, of_all=about_all(reader, reader.run(run_id), name))
        found.append(own)
    return found


def _counted(reader: Reader, run_id: int) -> bool:
    run = reader.run(run_id)
    return run.counted or run.dropped


def _plot(axes: Axes, found: Sequence[Spread], asked: Asked, title: str) -> None:
    if asked.kind == "bars":
        draw_bars(axes, found, asked.shares, asked.log)
        axes.set_xlabel(axis(found[0].metric))
    elif asked.kind == "ecdf":
        draw_ecdf(axes, found, asked.log)
        axes.set_xlabel(axis(found[0].metric))
    else:
        draw_violins(axes, found, asked.log)
        axes.set_ylabel(axis(found[0].metric))
    axes.set_title(title)


def _points(axes: Axes, found: Pairs, sides: Sequence[Metric], asked: Asked, title: str) -> None:
    draw_pairs(axes, found, asked.fit, asked.log)
    axes.set_xlabel(axis(sides[0]))
    axes.set_ylabel(axis(sides[1]))
    axes.set_title(title)


# --- captions ---------------------------------------------------------------------------------------------


def _what(metric: Metric) -> str:
    words = metric.description.rstrip(".") if metric.description else ""
    return f"{metric.name} ({words})" if words else metric.name


def _caption(found: Sequence[Spread], asked: Asked) -> str:
    metric, total = found[0].metric, sum(one.total for one in found)
    words = [f"Distribution of {_what(metric)} over {total:,} candidates"]
    groups = f" in groups by {found[0].group}" if found[0].group else f" of {len(found)} runs"
    words.append(f"{groups if len(found) > 1 else ''}.")
    if len(found) > 1:
        words.append(" " + "; ".join(f"{one.short}: n = {one.total:,}" for one in found) + ".")
    if asked.kind == "ecdf":
        words.append(" Each curve is the share of candidates with at most so much.")
    elif asked.kind == "violins":
        smooth = any(len(one.bins) > MOST_RODS for one in found)
        how = "its smoothed share (Gaussian kernel, Scott's rule)" if smooth else "its share"
        words.append(f" Width at a value: {how}. Bar: from lower to upper quartile; dot: median.")
    elif len(found) > 1:
        words.append(" Outlines are shares of the candidates.")
    else:
        words.append(f" Bars are {'shares' if asked.shares else 'counts'}.")
        if metric.kind != "bool":
            words.append(f" Dashed: the mean, {found[0].mean:.4g}.")
            edges, _ = even_bins(found[0].bins, metric.kind)
            if edges[1] - edges[0] != 1 or metric.kind == "real":
                words.append(f" Each bar is {edges[1] - edges[0]:.4g} wide.")
    if any(one.population is not None for one in found):
        more = " Intervals: 95 %, Clopper and Pearson." if asked.shares and len(found) == 1 else ""
        words.append(f" The candidates were drawn by chance.{more}")
        words += [f" {found[0].of_all}"] if len(found) == 1 and found[0].of_all else []
    return "".join(words)


def _caption_of_pairs(found: Pairs, sides: Sequence[Metric], asked: Asked) -> str:
    n = found.total
    words = [f"{_what(sides[1])} over {_what(sides[0])}, {n:,} candidates."]
    if len(found.counts) <= MOST_POINTS:
        if found.counts.max() > 1:
            words.append(" The area of a dot grows with the root of how many candidates it is.")
    else:
        words.append(" Colours: candidates in a cell, on a logarithmic scale.")
    ranks = [midranks(side, found.counts) for side in (found.x, found.y)]
    numbers: list[tuple[str, Method, float | None]] = [
        ("Spearman's rho", "spearman", coefficient(ranks[0], ranks[1], found.counts)),
        ("Pearson's r", "pearson", coefficient(found.x, found.y, found.counts)),
    ]
    for name, method, value in numbers:
        if value is None:
            words.append(f" {name} is not defined: one side is constant.")
            continue
        words.append(f" {name} = {value:.3f}")
        if found.sample and n > 3:
            low, high, _ = interval(value, n, method)
            if low is not None and high is not None:
                words.append(f" (95 %: {low:.3f} to {high:.3f})")
        words.append(".")
    if not found.sample:
        words.append(" There are no intervals, because these are all candidates and not a sample.")
    if asked.fit and (line := least_squares(found.x, found.y, found.counts)) is not None:
        words.append(f" Line: least squares, {sides[1].name} = {line.height:.4g} + {line.slope:.4g} times x")
        words.append("; band: 95 % of the mean." if found.sample else ".")
    return "".join(words)
