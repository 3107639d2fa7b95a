"""How findings of studies are shown: columns, rows, and lines that say method, number and assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from epcg_research.statistics import Adjustment, Estimate
from epcg_research.statistics.multiple import in_words
from epcg_research.studies.analysis import PEOPLE_IN_WORDS, Beside, Correlated, Halves, How
from epcg_research.studies.choices import PLAYED_FIRST, Chosen
from epcg_research.studies.conditions import Compared
from epcg_research.studies.omitted import lines_of_omitted

BESIDE = ("metric", "beside", "with", "n", "one", "other", "difference", "lowest", "highest")
_SHORT = {
    "Spearman's rho": "rho",
    "Pearson's r": "r",
    "Kendall's tau-b": "tau",
    "standardized slope": "slope",
    "hazard ratio": "ratio",
}
OF_GIVEN_UP = (
    "Who gave up would have needed longer than the time, or more than the moves, that are recorded: medians "
    "are those of Kaplan and Meier, ranks within people count what is known of the order (Gehan's scores)."
)
_HALVES = ("run", "metric", "with", "above", "puzzles", "compared", "n", "effect", "lowest", "highest", "p")
MOST_NOTES = 5


def columns_of(found: Correlated) -> list[str]:
    """Return the names of the columns of findings; the last, of baselines, if there are any."""
    names = {each.estimate.name for each in found.found}
    estimate = _SHORT[names.pop()] if len(names) == 1 else "estimate"
    header = ["run", "metric", "with", "puzzles", "people", estimate, "lowest", "highest", "p", "p adjusted"]
    header += ["gave up"] if any(each.gave_up for each in found.found) else []
    return [*header, "left out", *(["baseline"] if any(each.baseline for each in found.found) else [])]


def rows_of(found: Correlated) -> Iterator[list[Any]]:
    """Yield the rows of findings, with as many cells as `columns_of` has names."""
    several = any(each.baseline for each in found.found)
    gave_up = any(each.gave_up for each in found.found)
    for each in found.found:
        estimate = each.estimate
        yield [
            runs_in_words(each.runs), each.metric, each.response, each.puzzles, each.people, estimate.value,
            estimate.low, estimate.high, estimate.p, each.adjusted,
            *([each.gave_up] if gave_up else []), each.left_out,
            *([each.baseline] if several else []),
        ]  # fmt: skip


def runs_in_words(runs: Sequence[int]) -> int | str:
    """Return the number of a run, or those of several."""
    return runs[0] if len(runs) == 1 else ", ".join(map(str, runs))


def row_beside(found: Beside, estimate: Estimate | None = None) -> list[Any]:
    """Return the row of a comparison of two correlations, with the interval of `estimate` if it is given."""
    estimate = estimate or found.estimate
    numbers = [found.first, found.second, estimate.value, estimate.low, estimate.high]
    return [found.metric, found.other, found.response, estimate.n, *numbers]


def rows_beside(found: Beside) -> list[list[Any]]:
    """Return the row of a comparison, and another with the resampled interval if there is one."""
    more = [] if found.resampled is None else [row_beside(found, found.resampled)]
    return [row_beside(found), *more]


def columns_of_halves() -> list[str]:
    """Return the names of the columns of comparisons of upper and lower puzzles."""
    return [*_HALVES, "p adjusted"]


def rows_of_halves(found: Halves) -> list[list[Any]]:
    """Return the three rows of a comparison of upper and lower puzzles."""
    start = [
        runs_in_words(found.runs),
        found.metric,
        found.response,
        found.at,
        f"{found.upper} and {found.lower}",
    ]
    return [
        [*start, what, each.n, each.value, each.low, each.high, each.p, adjusted]
        for what, each, adjusted in (
            ("within people: rank-biserial", found.within, None),
            ("share of people", found.share, None),
            ("between puzzles: Cliff's delta", found.between, found.adjusted),
        )
    ]


def lines_of(found: Correlated) -> Iterator[str]:
    """Say what the table cannot: methods, numbers, assumptions, what is left out, and what is missing."""
    yield from lines_of_omitted(each.omitted for each in found.found)
    yield (
        f"Study '{found.study}': {found.answers:,} answers of {found.people:,} people to {found.puzzles:,} "
        f"puzzles; {found.unmeasured:,} of puzzles without a measure here."
    )
    yield f"A point is a puzzle with {PEOPLE_IN_WORDS[found.how.people]}."
    tests = sum(each.estimate.p is not None for each in found.found if not each.baseline)
    yield f"The {in_words(found.how.adjust, tests)}; baselines do not count."
    if found.beside and found.how.people in ("mixed", "hazards"):
        yield f"Beside baselines stand correlations, with {PEOPLE_IN_WORDS[found.how.average]}."
    yield from methods(each.estimate for each in found.found)
    yield from methods(each.estimate for each in found.beside)
    yield from methods(each.resampled for each in found.beside if each.resampled is not None)
    if any(each.gave_up for each in found.found):
        yield OF_GIVEN_UP
    yield (
        "Left out: answers without the response, or of puzzles without a value"
        + (f", and the {found.unanswered:,} puzzles that people were given and have no answer to."
           if found.unanswered else ".")
    )  # fmt: skip
    yield from found.set_aside.told()


def lines_beside(found: Beside, how: How) -> Iterator[str]:
    """Say method, number and assumptions of a comparison of two correlations."""
    yield from lines_of_omitted(found.omitted)
    yield f"A point is a puzzle with {PEOPLE_IN_WORDS[how.people]}."
    yield from methods([found.estimate, *([] if found.resampled is None else [found.resampled])])
    yield from found.set_aside.told()


def lines_of_halves(found: Sequence[Halves], how: How) -> Iterator[str]:
    """Say method, number and assumptions of comparisons of upper and lower puzzles."""
    yield from lines_of_omitted(each.omitted for each in found)
    for part in ("within", "share", "between"):
        yield from methods(getattr(each, part) for each in found)
    if any(each.scored for each in found):
        yield f"{OF_GIVEN_UP} Within people, means are of these scores."
    tests = sum(each.between.p is not None for each in found)
    yield f"Between puzzles, {in_words(how.adjust, tests)}."
    yield "Tests within people speak of other people, for these puzzles; those between of other puzzles."
    yield from found[0].set_aside.told() if found else ()


CHOSEN = ("question", "chosen", "choices", "equal", "share", "lowest", "highest", "p", "played first",
          "orders balanced", "people", "within", "p within", "p adjusted", "order", "p order")  # fmt: skip


def row_of_chosen(found: Chosen) -> list[Any]:
    """Return the row of a question."""
    share, within = found.share, found.within
    return [
        found.question, found.of, share.n, found.equal, share.value, share.low, share.high, share.p,
        found.played_first, found.balanced, found.people, within.value, within.p, found.adjusted,
        None if found.order is None else found.order.value, found.order_adjusted,
    ]  # fmt: skip


def lines_of_chosen(found: Sequence[Chosen], adjust: Any, left_out: int) -> Iterator[str]:
    """Say method, number and assumptions of shares of choices."""
    yield from methods(each.share for each in found)
    yield from methods(each.within for each in found)
    yield from methods(each.order for each in found if each.order is not None)
    tests = sum(each.within.p is not None for each in found)
    yield f"Within people, {in_words(adjust, tests)}."
    if any(each.share.n and each.share.p is None for each in found):
        yield "One person's choices are not independent, so the share has no p where people chose twice."
    if any(each.weighed and each.played_first != 0.5 for each in found):
        yield (
            "What was asked for was not played first as often as second: 'within' is the preference if it "
            "had been, from -1 to 1, and 'orders balanced' the share."
        )
    if any(each.order is not None for each in found):
        yield (
            "'order' is positive if what was played first is chosen more often. Whether order matters more "
            "for one of the two cannot be seen in choices, because a choice of the one is one against the "
            "other: responses to each tell it (`epcg study conditions`, `epcg study factors`)."
        )
    asked = [each for each in found if each.share.n and each.of != PLAYED_FIRST]
    if any(each.played_first is None for each in asked):
        yield "In which order puzzles were played is not known, so people may have chosen by it."
    for each in asked:
        if each.when_first is not None and each.when_second is not None:
            yield (
                f"{each.question}: '{each.of}' was chosen in {100 * each.when_first:.0f} % of the choices "
                f"before which it was played first, and in {100 * each.when_second:.0f} % of the others."
            )
        if each.order_unknown and each.played_first is not None:
            where = "do not count within people" if each.weighed else "count as the others"
            yield (
                f"{each.question}: of {each.order_unknown:,} of {each.share.n:,} choices it is not known "
                f"which puzzle was played first; they {where}."
            )
    if any(each.played_first in (0.0, 1.0) for each in asked):
        yield "All were played in one order, so what was liked cannot be told from what was played first."
    if left_out:
        yield (
            f"{left_out:,} choices do not count: what was asked for holds of both puzzles or of neither, or "
            "it is not known."
        )
    yield from found[0].set_aside.told("choice") if found else ()


def methods(estimates: Iterable[Estimate]) -> Iterator[str]:
    """Say each method once, with the range of n, and each reason for a missing number once."""
    by_method: dict[tuple[str, str, str], list[Estimate]] = {}
    notes: dict[str, None] = {}
    for each in estimates:
        if each.value is not None:
            by_method.setdefault((each.name, each.method, each.interval), []).append(each)
        if each.note:
            notes[each.note] = None
    for group in by_method.values():
        ns = sorted({each.n for each in group})
        n = f"{ns[0]:,}" if len(ns) == 1 else f"{ns[0]:,} to {ns[-1]:,}"
        line = attrs.evolve(group[0], note="").told()[0]
        line = line[0].upper() + line[1:]
        yield line.replace(f"; n = {group[0].n:,}.", f"; n = {n}.", 1)
    for note in list(notes)[:MOST_NOTES]:
        yield f"'-': {note}"
    if len(notes) > MOST_NOTES:
        yield f"And {len(notes) - MOST_NOTES} further reasons; --format json has all."


_CONDITIONS = (
    "response", "by", "one", "other", "compared", "n", "mean of one", "mean of other", "effect", "lowest",
    "highest", "p", "p adjusted",
)  # fmt: skip
_ORDERS = ("one first", "balanced", "p balanced", "order", "p order", "interaction", "p interaction")


def columns_of_compared(found: Sequence[Compared]) -> list[str]:
    """Return the names of the columns of comparisons of conditions; the last, of orders, if any is known."""
    return [*_CONDITIONS, *(_ORDERS if any(each.balanced is not None for each in found) else [])]


def rows_of_compared(found: Sequence[Compared]) -> Iterator[list[Any]]:
    """Yield the row of a response under two conditions, with as many cells as there are columns."""
    more = len(columns_of_compared(found)) - len(_CONDITIONS)
    for each in found:
        own = each.estimate
        how = "within people: rank-biserial" if each.within else "between people: Cliff's delta"
        orders: list[Any] = [None] * more
        if each.orders is not None and each.balanced is not None and each.order is not None:
            orders = [
                each.orders.share, each.balanced.value, each.balanced_adjusted, each.order.value,
                each.order.p,
                *((None, None) if each.interaction is None else (each.interaction.value, each.interaction.p)),
            ]  # fmt: skip
        yield [
            each.response, each.by, each.one, each.other, how, own.n, each.first, each.second, own.value,
            own.low, own.high, own.p, each.adjusted, *orders,
        ]  # fmt: skip


def lines_of_compared(found: Sequence[Compared], adjust: Adjustment) -> Iterator[str]:
    """Say what is off, then method, number and assumptions of responses under two conditions."""
    yield from dict.fromkeys(line for each in found for line in _off(each))
    yield "A person counts once, with the mean of the person's answers under a condition."
    if scored := sorted({each.response for each in found if each.scored}):
        yield (
            f"Some people gave up, so means of {', '.join(scored)} are of scores from 0 to 1, by how many "
            "other answers are known to have needed less or more (Gehan): of the person, or between groups "
            "of the puzzle's people."
        )
    yield from methods(each.estimate for each in found)
    tests = sum(each.estimate.p is not None for each in found)
    yield f"The {in_words(adjust, tests)}."
    if any(each.balanced is not None for each in found):
        yield (
            "'one first' is how often the one came before the other. 'balanced' is the effect if it had been "
            "half of the time, over pairs of people of opposite orders, with its own p, adjusted likewise; "
            "'order' is positive if what came first has more. 'interaction' is positive if those who had the "
            "one first have more of both: order matters more for one of the two then, or these people differ."
        )
        yield from methods(each.balanced for each in found if each.balanced is not None)
        yield from methods(each.order for each in found if each.order is not None)
        yield from methods(each.interaction for each in found if each.interaction is not None)
    unknown = max((each.orders.unknown for each in found if each.orders is not None), default=0)
    if unknown:
        yield (
            f"In which order {unknown:,} people were under the two is not known, so a difference may be one "
            "of order."
        )
    yield from found[0].set_aside.told() if found else ()


def _off(found: Compared) -> Iterator[str]:
    """Say what may make a comparison wrong: orders that are off, and answers that are missing."""
    orders = found.orders
    if orders is not None and orders.off:
        n = orders.first + orders.last
        if not orders.first or not orders.last:
            one, other = (found.one, found.other) if orders.first else (found.other, found.one)
            yield (
                f"Orders are off: '{one}' came before '{other}' for all {n:,} people who had one first, so "
                "what comes from the two cannot be told from what comes from their order"
                + ("." if not orders.equal else f"; 'balanced' is of the {orders.equal:,} others.")
            )
        else:
            yield (
                f"Orders are off: '{found.one}' came before '{found.other}' for {orders.first:,} of {n:,} "
                "people, more or less than by chance; read 'balanced' instead of 'effect'."
            )
    if found.goes_with and found.missing is not None:
        assert found.missing.value is not None
        more = found.one if found.missing.value > 0 else found.other
        yield (
            f"What is left out goes with the condition: of '{found.response}' more answers are missing under "
            f"'{more}' (p adjusted {found.missing_adjusted:.2g}), so '{found.one}' and '{found.other}' may "
            "differ by who answered."
        )
