"""How player models and what people did are told: columns, rows, captions, and lines with the methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epcg_research.players.decisions import Log
from epcg_research.players.models import Model, Softmax
from epcg_research.players.sights import Bottleneck, Sights, Stop, WrongMove
from epcg_research.players.validation import Validation
from epcg_research.statistics import CONFIDENCE, Estimate
from epcg_research.studies.shown import methods

LOSSES = ("model", "bits", "lowest", "highest", "less than uniform", "from", "to")
WEIGHTS = ("feature", "weight", "error", "lowest", "highest")
SIGHTS = ("kind", "position", "what", "share", "lowest", "highest", "people", "seconds", "more")
_Z = 1.959964
_AFTER = {
    "lost": "nothing can be won after it",
    "farther": "the goal is farther after it",
    "level": "the goal is as far after it",
}


def rows_of_losses(found: Validation) -> Iterator[list[Any]]:
    """Yield a row for each model."""
    for each in found.found:
        below = each.below
        more = [None] * 3 if below is None else [below.value, below.low, below.high]
        yield [each.model, each.bits.value, each.bits.low, each.bits.high, *more]


def rows_of_weights(model: Softmax) -> Iterator[list[Any]]:
    """Yield a row for each feature of a softmax."""
    for name, weight in model.weights.items():
        error = model.errors[name]
        ends = [None, None] if error is None else [weight - _Z * error, weight + _Z * error]
        yield [name, weight, error, *ends]


def lines_of_fit(log: Log, model: Model, found: Validation | None, penalty: float) -> Iterator[str]:
    """Say what was fitted to what, how, and what is assumed."""
    decisions = log.decisions
    yield (
        f"{len(decisions):,} decisions; people: {len(log.people):,}; puzzles of {log.domain}: "
        f"{len(log.puzzles):,}. The model: {model.in_words()}."
    )
    if isinstance(model, Softmax):
        if any(error is None for error in model.errors.values()):
            yield "Weights without errors: one person says nothing about others."
        else:
            yield (
                f"Weights: conditional logit (McFadden 1974), L-BFGS, L2 penalty {penalty:g}; errors "
                f"from the Hessian, clustered by person (sandwich), {100 * CONFIDENCE:g} % intervals. "
                "Assumes that people are independent of each other, and that one set of weights fits all."
            )
        unknown = sum(not puzzle.positions.exhausted for puzzle in log.puzzles)
        if unknown:
            yield (
                f"Puzzles with too many positions, so that no distances from a goal are known: {unknown:,}."
            )
    if found is not None:
        yield (
            f"Loss: over {found.decisions:,} decisions between several moves, of {found.people:,} people; "
            f"{found.folds} parts of the {found.held_out} were held out in turn."
        )
        yield from methods(each.bits for each in found.found)
    yield from log.told()


def rows_of_sights(found: Sights) -> Iterator[list[Any]]:
    """Yield a row for each place."""
    for wrong in found.wrong:
        yield ["wrong move", wrong.position, wrong.text, *_share(wrong.share), None, _AFTER[wrong.after]]
    for place in found.bottlenecks:
        told = [
            *([] if place.seconds is None else [f"{100 * place.time:.0f} % of their time"]),
            *([f"{place.turned_back} turned back"] if place.turned_back else []),
        ]
        yield ["bottleneck", place.position, "", *_share(place.share), place.seconds, "; ".join(told)]
    for stop in found.stops:
        more = {True: "nothing can be won there", False: "it can be solved from there", None: ""}[stop.lost]
        if stop.gave_up:
            more = f"{more}; {stop.gave_up} looked at the solution".removeprefix("; ")
        yield ["stop", stop.position, "", *_share(stop.share), None, more]


def _share(share: Estimate) -> list[Any]:
    count = round((share.value or 0) * share.n)
    return [share.value, share.low, share.high, f"{count} of {share.n}"]


def lines_of_sights(found: Sights, log: Log) -> Iterator[str]:
    """Say of how many people, with which method, and what is not known."""
    yield f"{found.people} people opened {found.puzzle}, {found.solved} of whom solved it."
    if not found.exhausted:
        yield "The puzzle has too many positions to know how far a goal is: no move is known to be wrong."
    yield (
        "Shares are of people, with Wilson's 95 % interval: wrong moves of those who moved without a hint, "
        "bottlenecks of those who solved it, stops of all. Position 0 is the first one. Assumes people who "
        "are independent of each other."
    )
    yield from log.told()


def _in_words(share: Estimate) -> str:
    count, low, high = round((share.value or 0) * share.n), share.low or 0, share.high or 0
    return f"{count} of {share.n} people ({100 * low:.0f} to {100 * high:.0f}{_KEPT}%)"


_KEPT = "\N{NO-BREAK SPACE}"


def _at(position: int) -> str:
    return f"Position {position}" if position else "The start"


def caption_of_wrong(each: WrongMove) -> str:
    """Tell a first wrong move."""
    return f"{_at(each.position)}: {_in_words(each.share)}, {each.text}; {_AFTER[each.after]}."


def caption_of_bottleneck(each: Bottleneck, found: Sights) -> str:
    """Tell a bottleneck."""
    said = f"{_at(each.position)}: passed by {_in_words(each.share)}"
    if each.seconds is not None:
        said += f"; {100 * each.time:.0f}{_KEPT}% of their time, median {each.seconds:.1f}{_KEPT}s"
    back = f"; {each.turned_back} of {found.people} turned back here" if each.turned_back else ""
    return f"{said}{back}."


def caption_of_stop(each: Stop) -> str:
    """Tell a stop."""
    lost = {True: "; nothing can be won here", False: "; it can be solved from here", None: ""}[each.lost]
    gave_up = f"; {each.gave_up} looked at the solution" if each.gave_up else ""
    return f"{_at(each.position)}: {_in_words(each.share)} stop here{lost}{gave_up}."
