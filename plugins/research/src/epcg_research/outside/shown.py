"""How a list of contents beside a whole space is shown: lines, rows, and a figure.

`found` is a `ComparedContents` of the module `report`, which imports this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from epcg_core.inside import Number
from epcg_core.plugin import EpcgError
from epcg_research.figures.drawing import Drawing
from epcg_research.figures.gathered import axis
from epcg_research.figures.paper import COLORS
from epcg_research.outside.measured import BEST, Beside, Bin, Copies
from epcg_research.statistics.multiple import in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (
    "measure", "contents", "mean", "mean of all", "median", "median of all", "more than all", "p", "distance",
    "by chance", "p distance", "best", "best of all", "better", "among best", "of all",
)  # fmt: skip
ODD = ("measure", "from", "to", "share", "lowest", "highest", "of all", "times")
MOST_ODD = 12
MOST_OUTSIDE = 3
MOST_DRAWN = 6


def rows_of(found: Any) -> Iterator[list[Any]]:
    """Yield a row for each measure."""
    for each in found.measures:
        yield [
            each.metric.name, each.valued, _short(each.mean), _short(each.mean_of_all), _short(each.median),
            _short(each.median_of_all), _short(each.more.value), _p(each.more_adjusted),
            _short(each.distance.value), _short(each.distance.by_chance), _p(each.distance_adjusted),
            _short(each.best), _short(each.best_of_all), Number(f"{each.better:,}"),
            _short(each.among_best.value), _short(each.among_best_of_all),
        ]  # fmt: skip


def _short(value: float | None) -> Any:
    return None if value is None else Number(f"{value:.4g}")


def _p(value: float | None) -> Any:
    return None if value is None else Number("<0.001" if value < 0.001 else f"{value:.3f}")


def odd_bins(found: Any) -> list[tuple[str, Bin]]:
    """Return bins that are there too often or too rarely, the farthest from the whole first."""
    parts = [(each.metric.name, each.distance) for each in found.measures]
    parts.append(("region of ranks", found.regions))
    odd = [(name, each) for name, part in parts for each in part.bins if each.off]
    return sorted(odd, key=lambda own: -abs(own[1].share - own[1].of_all))


def rows_of_odd(found: Any) -> list[list[Any]]:
    """Return a row for each bin that is there too often or too rarely, up to a number of them."""
    return [
        [
            name, _short(each.low), _short(each.high), _short(each.share), _short(each.share_low),
            _short(each.share_high), _short(each.of_all),
            _short(each.share / each.of_all) if each.of_all else None,
        ]
        for name, each in odd_bins(found)[:MOST_ODD]
    ]  # fmt: skip


def lines_of(found: Any) -> Iterator[str]:
    """Say how much of the space the list is, and how the rows below are to be read."""
    yield (
        f"{found.file}: {found.contents:,} contents, {found.inside:,} of them among the {found.evaluated:,} "
        f"candidates of {_whole(found)}."
    )
    if found.outside:
        places = "; ".join(f"{place}: {why}" for place, why in found.outside[:MOST_OUTSIDE])
        more = len(found.outside) - MOST_OUTSIDE
        yield f"Outside: {len(found.outside):,}. {places}{f'; and {more:,} more' if more > 0 else ''}."
    yield _of_copies(found.same, "different")
    if found.alike is not None:
        yield _of_copies(found.alike, "different up to symmetry")
    regions = found.regions
    yield (
        f"Over {len(regions.bins)} equal parts of the space, by rank, the list is at a distance of "
        f"{regions.value:.3f} from the whole, lists that are drawn evenly of {regions.by_chance:.3f} "
        f"(p {'< 0.001' if regions.p < 0.001 else f'{regions.p:.3f}'})."
    )
    for each in found.measures:
        place = (
            f"{each.better:,} of {each.whole:,} candidates are better" if each.better else "none is better"
        )
        yield (
            f"{each.metric.name}: the best of the list is {each.best:.6g} "
            f"({found.run}#{each.best_rank}), and {place}; of all the best is "
            f"{each.best_of_all:.6g}."
        )
    tests = sum(each.more.p is not None for each in found.measures)
    yield (
        "'more than all' is how often a content of the list has more than a candidate of the whole, minus "
        f"how often it has less; its {in_words(found.adjust, tests)}. 'distance' is half the sum of what "
        "shares differ by, in bins of the measure; 'by chance' that of lists that are drawn evenly. 'among "
        f"best' is the share of the list that is as good as the best {100 * BEST:g} % of all, with ties the "
        "share 'of all'. p takes contents for made independently of each other."
    )
    if found.unvalued:
        yield f"No content has a value of {', '.join(found.unvalued)}."


def _whole(found: Any) -> str:
    """Return what the list is compared with: 'run 4 (domain:generator), of those with length > 12'."""
    limit = f", of those with {found.where}" if found.where else ""
    return f"run {found.run} ({found.space.partition('?')[0]}){limit}"


def _of_copies(found: Copies, what: str) -> str:
    said = f"{found.different:,} are {what}"
    if found.of is not None and found.expected is not None:
        said += f", {100 * found.different / found.of:.3g} % of the {found.of:,} that there are"
        said += f"; of as many drawn evenly {found.expected:,.1f} would be"
    if found.worth is None:
        return f"{said}. No two are the same."
    return f"{said}. They repeat themselves as if there were {found.worth:,.0f} equally likely ones."


def drawing(found: Any) -> Drawing:
    """Return how the measures are drawn: shares of the list, with intervals, over those of the whole.

    Raises EpcgError if there is no measure.
    """
    if not found.measures:
        raise EpcgError("There is nothing to draw: no content has a value of a measure.")
    own = found.measures[:MOST_DRAWN]
    draws = tuple(partial(_draw, found=each) for each in own)
    left = len(found.measures) - len(own)
    more = f" {left} more measures are not drawn." if left else ""
    return Drawing(
        draws,
        f"Bars: shares of the {found.evaluated:,} candidates of {_whole(found)}. Points: "
        f"shares of the {found.inside:,} contents of {found.file} among them, with Wilson's intervals of "
        f"95 % for all bins of a measure together.{more}",
    )


def _draw(axes: Axes, found: Beside) -> None:
    bins = found.distance.bins
    x = np.arange(len(bins))
    axes.bar(x, [each.of_all for each in bins], color="#d5dde6", width=0.9, label="the whole")
    shares = np.array([each.share for each in bins])
    ends = np.array([[each.share - each.share_low, each.share_high - each.share] for each in bins]).T
    axes.errorbar(
        x, shares, yerr=ends.clip(min=0), fmt="o", color=COLORS[0], markersize=4, linewidth=0.9,
        label=f"the list ({found.valued:,})",
    )  # fmt: skip
    step = max(1, len(bins) // 10)
    axes.set_xticks(x[::step], [_label(each) for each in bins[::step]])
    axes.set_xlabel(axis(found.metric))
    axes.set_ylabel("share")
    axes.grid(axis="y")
    axes.legend()


def _label(found: Bin) -> str:
    return f"{found.low:.4g}" if found.low == found.high else f"{found.low:.4g} to\n{found.high:.4g}"
