"""Fitting player models to decisions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import Inference
from epcg_core.plugin import EpcgError
from epcg_research.players.decisions import Decision, Log
from epcg_research.players.features import ALWAYS, OF_THE_WAY, RULED_OUT, Features, found_in, remaining
from epcg_research.players.models import (
    Counts,
    Model,
    Rules,
    Softmax,
    Uniform,
    classes_of,
    made_rules,
    softmax,
)

STRENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 1024.0)
ENDLESS = 12.0
"""A weight above it, without a penalty, is one that still grew: e to it is 160,000."""
DECIMALS = 6
"""Of fitted weights, errors and slips: further digits are those of the processor, not of the people."""
INNER_FOLDS = 4
"""Of people, between which the strength of the back-off is chosen."""


@attrs.frozen
class Ask:
    """What is fitted."""

    model: str
    """One of `models.KINDS`."""
    rules: tuple[str, ...] = ()
    """Inference rules: of the model 'rules', or behind the feature 'ruled_out'."""
    rule_params: Mapping[str, Any] = attrs.field(factory=dict)
    way: bool = False
    """Whether the softmax looks at the moves before."""
    without: tuple[str, ...] = ()
    """Features that are left out."""
    penalty: float = 1.0
    """Half of it times the sum of the squared weights is taken from the log-likelihood."""

    def about(self, log: Log) -> dict[str, Any]:
        """Return what a model's file says: what it is fitted on, and how, so that it can be fitted again."""
        how = {"penalty": self.penalty, "way": self.way, "without": list(self.without)}
        return log.about() | {"of": sorted(puzzle.id for puzzle in log.puzzles), "how": how}


@attrs.frozen(eq=False)
class Choices:
    """n decisions with their alternatives, one below the other: a row for each, k features."""

    features: NDArray[np.float64]
    """(rows, k)"""
    starts: NDArray[np.int64]
    """(n,) the first row of each decision."""
    chosen: NDArray[np.int64]
    """(n,) the row that was chosen."""
    people: NDArray[np.int64]
    """(n,) a number for each person."""

    @property
    def owners(self) -> NDArray[np.int64]:
        """(rows,) the decision of each row."""
        sizes = np.diff(np.append(self.starts, len(self.features)))
        return np.repeat(np.arange(len(self.starts)), sizes)

    def probabilities(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (rows,) the probability of each alternative."""
        utility = self.features @ weights
        found = np.exp(utility - np.maximum.reduceat(utility, self.starts)[self.owners])
        return np.asarray(found / np.add.reduceat(found, self.starts)[self.owners])

    def loss(self, weights: NDArray[np.float64], penalty: float) -> tuple[float, NDArray[np.float64]]:
        """Return the penalized negative log-likelihood in nats, and its gradient."""
        p = self.probabilities(weights)
        value = -np.log(np.maximum(p[self.chosen], 1e-300)).sum() + penalty / 2 * weights @ weights
        slope = p @ self.features - self.features[self.chosen].sum(axis=0) + penalty * weights
        return float(value), slope

    def errors(self, weights: NDArray[np.float64], penalty: float) -> NDArray[np.float64] | None:
        """Return (k,) standard errors clustered by person (the sandwich); None of one person."""
        clusters = int(self.people.max()) + 1
        if clusters < 2:
            return None
        p = self.probabilities(weights)
        means = np.add.reduceat(p[:, None] * self.features, self.starts)
        spread = self.features - means[self.owners]
        hessian = (p[:, None] * spread).T @ spread + penalty * np.eye(len(weights))
        scores = np.zeros((clusters, len(weights)))
        np.add.at(scores, self.people, self.features[self.chosen] - means)
        scores -= penalty * weights / clusters
        inverse = np.linalg.pinv(hessian)
        covariance = inverse @ (scores.T @ scores) @ inverse * clusters / (clusters - 1)
        return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0.0)))


def fit(log: Log, ask: Ask, decisions: Sequence[Decision] | None = None) -> Model:
    """Fit a model.

    Args:
        log: what people did.
        ask: which model.
        decisions: those that count; None for all of the log.

    Raises:
        EpcgError: if there are no decisions, or nothing that could be fitted.
    """
    decisions = log.decisions if decisions is None else decisions
    if not decisions:
        raise EpcgError("There are no decisions to fit a model to.")
    if ask.model == "uniform":
        return Uniform()
    if ask.model == "counts":
        return _counts(log, decisions)
    generator = log.puzzles[0].generator
    inference = Inference[Any, Any](made_rules(generator, log.domain, ask.rules, ask.rule_params))
    if ask.model == "rules":
        return _rules(log, ask, inference, decisions)
    return _softmax(log, ask, inference, decisions)


# --- softmax ----------------------------------------------------------------------------------------------


def choices_of(log: Log, features: Features, decisions: Sequence[Decision]) -> Choices:
    """Return decisions as rows of features, those with one legal move left out. Raises EpcgError if none."""
    known: dict[tuple[int, int], NDArray[np.float64]] = {}
    rows, sizes, chosen, people = [], [], [], []
    numbers: dict[str, int] = {}
    for each in decisions:
        place = each.puzzle, each.position
        own = known.get(place)
        if own is None:
            own = features.of(log.puzzles[each.puzzle].positions, each.position, each.way)
            if not features.looks_back:
                known[place] = own
        if len(own) > 1:
            rows.append(own)
            sizes.append(len(own))
            chosen.append(each.chosen)
            people.append(numbers.setdefault(each.person, len(numbers)))
    if not rows:
        raise EpcgError("In every position there was one legal move only: nothing was decided.")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return Choices(np.concatenate(rows), starts, starts + np.array(chosen), np.array(people))


def features_for(log: Log, ask: Ask) -> list[str]:
    """Return the names of the features that a softmax has. Raises EpcgError for an unknown one left out."""
    names = [*ALWAYS, *(OF_THE_WAY if ask.way else ()), *((RULED_OUT,) if ask.rules else ())]
    places = {(d.puzzle, d.position) for d in log.decisions}
    names += found_in((log.puzzles[puzzle].positions, number) for puzzle, number in sorted(places))
    for name in ask.without:
        if name not in names:
            raise EpcgError(f"without: there is no feature '{name}' here, but {', '.join(names)}.")
    return [name for name in names if name not in ask.without]


def _softmax(log: Log, ask: Ask, inference: Inference[Any, Any], decisions: Sequence[Decision]) -> Softmax:
    """Fit the weights by L-BFGS with the analytical gradient; features that never differ are left out."""
    if ask.penalty < 0 or not math.isfinite(ask.penalty):
        raise EpcgError(f"The penalty {ask.penalty:g} is not 0 or more.")
    names = features_for(log, ask)
    made = inference if ask.rules else None
    found = choices_of(log, Features(names, made), decisions)
    first = found.features[found.starts][found.owners]
    varies = np.flatnonzero((found.features != first).any(axis=0))
    if not len(varies):
        raise EpcgError(
            f"No feature differs between the legal moves of a position ({', '.join(names)} are constant), so "
            "there is nothing to fit: try counts."
        )
    kept = [names[i] for i in varies]
    found = attrs.evolve(found, features=found.features[:, varies])
    weights = maximize(found, ask.penalty)
    errors = found.errors(weights, ask.penalty)
    known = None if errors is None else dict(zip(kept, _rounded(errors), strict=True))
    return softmax(dict(zip(kept, _rounded(weights), strict=True)), known, made, ask.rules, ask.rule_params)


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(value, DECIMALS) for value in values.tolist()]


def maximize(choices: Choices, penalty: float) -> NDArray[np.float64]:
    """Return the (k,) weights of the largest penalized likelihood. Raises EpcgError if none is found."""
    from scipy import optimize

    start = np.zeros(choices.features.shape[1])
    found: Any = optimize.minimize(
        choices.loss, start, args=(penalty,), jac=True, method="L-BFGS-B",
        options={"maxiter": 1000, "ftol": 1e-13, "gtol": 1e-7},
    )  # fmt: skip
    weights = np.asarray(found.x)
    if not np.isfinite(weights).all() or (not penalty and np.abs(weights).max() > ENDLESS):
        raise EpcgError(
            "The weights grow without end, because a feature separates all chosen moves from the others: "
            "use a penalty above 0."
        )
    return weights


# --- rules ------------------------------------------------------------------------------------------------


def _rules(log: Log, ask: Ask, inference: Inference[Any, Any], decisions: Sequence[Decision]) -> Rules:
    """Fit how often people slip: the most likely share of moves that ignore the rules."""
    from scipy import optimize

    if not ask.rules:
        raise EpcgError("The model 'rules' needs the inference rules that the player knows: name some.")
    own, alike = [], []
    for each in decisions:
        positions = log.puzzles[each.puzzle].positions
        moves = positions.moves(each.position)
        left = remaining(inference, positions, each.position, each.way) or moves
        own.append(float(moves[each.chosen] in left) / len(left))
        alike.append(1 / len(moves))
    seen = Counter(zip(own, alike, strict=True))

    def loss(slip: float) -> float:
        chances = ((max(slip * u + (1 - slip) * k, 1e-300), times) for (k, u), times in seen.items())
        return -math.fsum(times * math.log(p) for p, times in chances)

    found: Any = optimize.minimize_scalar(loss, bounds=(0, 1), method="bounded")
    slip = min((0.0, round(float(found.x), DECIMALS), 1.0), key=loss)
    return Rules(ask.rules, dict(ask.rule_params), slip, inference)


# --- counts -----------------------------------------------------------------------------------------------


def _counts(log: Log, decisions: Sequence[Decision]) -> Counts:
    """Count moves; the strength of the back-off is chosen between folds of people."""
    people = sorted({each.person for each in decisions})
    tallies = [Counter[tuple[int, int, int]]() for _ in range(min(INNER_FOLDS, len(people)))]
    folds = {person: i % len(tallies) for i, person in enumerate(people)}
    for each in decisions:
        tallies[folds[each.person]][each.puzzle, each.position, each.chosen] += 1
    whole = sum(tallies, Counter())
    strength = _best_strength(log, whole, tallies) if len(tallies) > 1 else 1.0
    return counted(log, whole, strength)


def counted(log: Log, tally: Mapping[tuple[int, int, int], int], strength: float) -> Counts:
    """Make the model of numbers by (puzzle, position, move)."""
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    classes: dict[str, list[int]] = {}
    in_position = Counter[tuple[int, int]]()
    for (puzzle, number, chosen), times in sorted(tally.items()):
        positions = log.puzzles[puzzle].positions
        counts[positions.identity(number)][positions.words(number)[chosen]] = times
        classes.setdefault(classes_of(positions, number)[chosen], [0, 0])[0] += times
        in_position[puzzle, number] += times
    for (puzzle, number), times in in_position.items():
        for name in classes_of(log.puzzles[puzzle].positions, number):
            classes.setdefault(name, [0, 0])[1] += times
    return Counts(strength, dict(counts), {name: (pair[0], pair[1]) for name, pair in classes.items()})


def _best_strength(
    log: Log, whole: Mapping[tuple[int, int, int], int], tallies: Sequence[Mapping[tuple[int, int, int], int]]
) -> float:
    """Return the strength with the least loss for people who were held out."""
    losses = dict.fromkeys(STRENGTHS, 0.0)
    for tally in tallies:
        rest = {key: times - tally.get(key, 0) for key, times in whole.items() if times > tally.get(key, 0)}
        if not rest:
            continue
        model = counted(log, rest, 1.0)
        for strength in STRENGTHS:
            own = attrs.evolve(model, strength=strength)
            for (puzzle, number, chosen), times in tally.items():
                p = own.probabilities(log.puzzles[puzzle].positions, number)[chosen]
                losses[strength] -= times * math.log(p)
    return min(STRENGTHS, key=lambda strength: losses[strength])
