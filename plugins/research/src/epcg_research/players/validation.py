"""How well player models foresee the moves of people, or in puzzles, that they were not fitted on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError
from epcg_research.players.decisions import Decision, Log
from epcg_research.players.fitting import Ask, fit
from epcg_research.players.models import Model, looks_back
from epcg_research.statistics import CONFIDENCE, Estimate

Held = Literal["people", "puzzles"]
LEAST = 4
"""Of fewer people, or puzzles, resampling makes no interval."""
REPETITIONS = 2_000
LEAST_CHANCE = 2.0**-20
"""The chance of a move that a model excludes: 20 bits, so that one such move does not hide all others."""


@attrs.frozen
class Foreseen:
    """The loss of a model."""

    model: str
    in_words: str
    """The model, fitted on all."""
    bits: Estimate
    """Bits per decision."""
    below: Estimate | None
    """How much less than the uniform player's; None of that itself."""


@attrs.frozen
class Validation:
    """Models side by side, over the same decisions."""

    held_out: Held
    people: int
    puzzles: int
    decisions: int
    folds: int
    found: tuple[Foreseen, ...]


def validate(
    log: Log, asks: Sequence[Ask], held: Held = "people", folds: int = 5, seed: int = 0
) -> Validation:
    """Compare models by their loss in bits per decision, over people or puzzles that were held out.

    Args:
        log: what people did.
        asks: the models; the uniform player is there in any case.
        held: what is held out.
        folds: how many parts are held out, one after the other.
        seed: of the parts and of the bootstrap.

    Raises:
        EpcgError: if there are fewer than two people, or puzzles.
    """
    decisions = [d for d in log.decisions if len(log.puzzles[d.puzzle].positions.moves(d.position)) > 1]
    units = sorted({_unit(each, held) for each in decisions})
    if len(units) < 2:
        one = "One person has" if held == "people" else "One puzzle has"
        raise EpcgError(f"{one} decisions between several moves: nothing can be held out.")
    random = np.random.default_rng(seed)
    folds = min(max(2, folds), len(units))
    fold_of = {units[i]: n % folds for n, i in enumerate(random.permutation(len(units)).tolist())}
    asks = [Ask("uniform"), *(ask for ask in asks if ask.model != "uniform")]
    bits = np.zeros((len(asks), len(decisions)))
    for fold in range(folds):
        held_out = [i for i, each in enumerate(decisions) if fold_of[_unit(each, held)] == fold]
        rest = [each for each in decisions if fold_of[_unit(each, held)] != fold]
        for row, ask in enumerate(asks):
            bits[row, held_out] = _bits(log, fit(log, ask, rest), [decisions[i] for i in held_out])
    clusters = _clusters(decisions, units, held)
    words = [fit(log, ask, decisions).in_words() for ask in asks]
    found = [
        Foreseen(ask.model, said, _estimate("bits per decision", own, clusters, held, seed),
                 _estimate("less than uniform", bits[0] - own, clusters, held, seed) if row else None)
        for row, (ask, said, own) in enumerate(zip(asks, words, bits, strict=True))
    ]  # fmt: skip
    people = len({each.person for each in decisions})
    puzzles = len({each.puzzle for each in decisions})
    return Validation(held, people, puzzles, len(decisions), folds, tuple(found))


def _unit(decision: Decision, held: Held) -> str:
    return decision.person if held == "people" else str(decision.puzzle)


def _clusters(decisions: Sequence[Decision], units: Sequence[str], held: Held) -> NDArray[np.int64]:
    places = {unit: i for i, unit in enumerate(units)}
    return np.array([places[_unit(each, held)] for each in decisions])


def _bits(log: Log, model: Model, decisions: Sequence[Decision]) -> list[float]:
    """Return -log2 of the probability of each chosen move; 20 bits of one that the model excludes."""
    known: dict[tuple[int, int], NDArray[np.float64]] = {}
    found = []
    for each in decisions:
        place = each.puzzle, each.position
        own = known.get(place)
        if own is None:
            own = model.probabilities(log.puzzles[each.puzzle].positions, each.position, each.way)
            if not looks_back(model):
                known[place] = own
        found.append(-math.log2(max(float(own[each.chosen]), LEAST_CHANCE)))
    return found


def _estimate(
    name: str, bits: NDArray[np.float64], clusters: NDArray[np.int64], held: Held, seed: int
) -> Estimate:
    """Return a mean over decisions, with an interval by resampling people or puzzles."""
    value, count = float(bits.mean()), int(clusters.max()) + 1
    method = f"mean over {len(bits):,} decisions of -log2 of the probability of the chosen move"
    assumes = f"{held} that are drawn at random, and independent of each other"
    if count < LEAST:
        note = f"No interval: there are {count} {held}, and resampling takes {LEAST} or more."
        return Estimate(name, value, count, method, assumes, note=note)
    sums, sizes = np.zeros(count), np.zeros(count)
    np.add.at(sums, clusters, bits)
    np.add.at(sizes, clusters, 1)
    draws = np.random.default_rng(seed).integers(0, count, (REPETITIONS, count))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    made = f"percentile bootstrap of {held}, {REPETITIONS:,} resamples"
    return Estimate(name, value, count, method, assumes, float(low), float(high), made)
