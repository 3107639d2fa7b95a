"""How learning and engagement are shown: columns, rows, lines that say the methods, and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from epcg_research.figures.drawing import Drawing
from epcg_research.figures.paper import COLORS
from epcg_research.statistics import Adjustment
from epcg_research.statistics.multiple import in_words
from epcg_research.studies.answers import Answers
from epcg_research.studies.course import AtPlace, Engaged, Learned, Stay
from epcg_research.studies.shown import methods

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLACES = ("response", "under", "place", "people", "gave up", "what", "value", "lowest", "highest")
TRENDS = ("response", "under", "trend", "lowest", "highest", "people", "p", "p adjusted")
STAYS = ("under", "place", "came", "left", "share", "lowest", "highest")
Ends = tuple[float | None, float | None, float | None]
"""A value and the ends of its interval."""


def rows_of_places(found: Learned) -> Iterator[list[Any]]:
    """Yield a row for each response, condition and place."""
    for each in found.places:
        yield [
            each.response, each.by or None, each.place, each.people, each.gave_up, each.what, each.value,
            each.low, each.high,
        ]  # fmt: skip


def rows_of_trends(found: Learned) -> Iterator[list[Any]]:
    """Yield a row for the trend of each response and condition."""
    for each in found.trends:
        own = each.estimate
        yield [each.response, each.by or None, own.value, own.low, own.high, own.n, own.p, each.adjusted]


def lines_of_learned(found: Learned, adjust: Adjustment) -> Iterator[str]:
    """Say method, number and assumptions of responses over the order."""
    yield (
        "A place is one in the order of a person's puzzles, after training. Shares have Wilson's interval; "
        "medians one by order statistics, and where people gave up those of Kaplan and Meier that of "
        "Brookmeyer and Crowley. They are of the people who came so far, and of the puzzles that these had "
        "there."
    )
    yield (
        "A trend is from -1 to 1, positive if people have more the later they play a puzzle, beside others "
        "who had the same puzzle earlier or later."
    )
    yield from methods(each.estimate for each in found.trends)
    tests = sum(each.estimate.p is not None for each in found.trends)
    yield f"Of trends, {in_words(adjust, tests)}."
    yield from _unordered(found.unordered)
    yield from found.set_aside.told()


def _unordered(people: int) -> Iterator[str]:
    if people:
        yield f"Left out: {people:,} people, of whose answers it is not known in which order they gave them."


def rows_of_stays(found: Engaged) -> Iterator[list[Any]]:
    """Yield a row for each condition and place."""
    for each in found.stays:
        yield [each.by or None, each.place, each.came, each.left, each.share, each.low, each.high]


def lines_of_engaged(found: Engaged) -> Iterator[str]:
    """Say method, number and assumptions of how many go on."""
    never = f"; {found.never:,} more were given puzzles and have no answer" if found.never else ""
    yield (
        f"Study '{found.study}': {found.people:,} people began, {found.finished:,} of whom played the last "
        f"puzzle that they were given{never}."
    )
    yield (
        "'share' is of those who began (Kaplan and Meier), with the interval of Rothman 1978, which is "
        "Wilson's if all were given equally many puzzles. Assumes people who are independent of each other."
    )
    if not any(each.left for each in found.stays):
        yield (
            "None is known to have stopped. Of a table that is known if it has rows without numbers for the "
            "puzzles that people did not come to."
        )
    if found.test is not None:
        value, p = found.test.value, found.test.p
        if value is not None and p is not None:
            yield f"Whether conditions differ: chi-squared {value:.3f}, p {p:.3f}."
        yield from methods([found.test])
    yield from _unordered(found.unordered)
    yield from found.set_aside.told()


# --- figures ----------------------------------------------------------------------------------------------


def learned_drawing(answers: Answers, found: Learned, adjust: Adjustment) -> Drawing:
    """Draw what people did at each place: a plot for each response, a line for each condition."""
    draws = []
    words = [f"Study {found.study}, {found.people} people; horizontal: the place in the order."]
    for response in dict.fromkeys(each.response for each in found.places):
        own = [each for each in found.places if each.response == response]
        unit = answers.response(response).unit
        label = f"{response}, {own[0].what}" + (f" ({unit})" if unit else "")
        draws.append(partial(_draw_places, rows=own, label=label))
        for trend in (each for each in found.trends if each.response == response):
            if trend.estimate.value is not None:
                under = f" under {trend.by}" if trend.by else ""
                p = "" if trend.adjusted is None else f", p {trend.adjusted:.3f}"
                words.append(f"Trend of {response}{under}: {trend.estimate.value:.3f}{p}.")
    words += lines_of_learned(found, adjust)
    return Drawing(tuple(draws), " ".join(words))


def engaged_drawing(found: Engaged) -> Drawing:
    """Draw the share of those who began that still plays, with its intervals, a line for each condition."""
    return Drawing((partial(_draw_stays, rows=found.stays),), " ".join(lines_of_engaged(found)))


def _draw_places(axes: Axes, rows: Sequence[AtPlace], label: str) -> None:
    _draw(axes, {
        level: {each.place: (each.value, each.low, each.high) for each in rows if each.by == level}
        for level in dict.fromkeys(each.by for each in rows)
    }, "default")  # fmt: skip
    axes.set_ylabel(label)


def _draw_stays(axes: Axes, rows: Sequence[Stay]) -> None:
    _draw(axes, {
        level: {each.place: (each.share, each.low, each.high) for each in rows if each.by == level}
        for level in dict.fromkeys(each.by for each in rows)
    }, "steps-post")  # fmt: skip
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("share that still plays")


def _draw(axes: Axes, lines: Mapping[str, Mapping[int, Ends]], style: str) -> None:
    """Draw lines over places with the intervals of their points, side by side."""
    for number, (level, points) in enumerate(lines.items()):
        color, aside = COLORS[number % len(COLORS)], 0.08 * (number - (len(lines) - 1) / 2)
        known = {place: ends for place, ends in points.items() if ends[0] is not None}
        x = [place + aside for place in known]
        y = [own for own, _, _ in known.values() if own is not None]
        axes.plot(
            x, y, color=color, marker="o", markersize=4, label=level or None,
            drawstyle=style,
        )  # fmt: skip
        for place, (_, low, high) in points.items():
            if low is not None and high is not None:
                axes.vlines(place + aside, low, high, color=color, linewidth=0.9, alpha=0.6)
    if any(lines):
        axes.legend()
    axes.grid()
    axes.set_xlabel("place in the order")
