"""Player models: each gives the moves of a position their probabilities, and can be written as JSON.

Policies are made of them, so probabilities are recorded values: they come from scalar `math`, and sums from
`math.fsum`, which no order of features or moves, no processor and no library of linear algebra changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import AnyRule, Inference, make_rules
from epcg_core.plugin import EpcgError
from epcg_research.players.features import (
    OF_THE_WAY,
    RULED_OUT,
    Features,
    kind_of,
    outcomes,
    remaining,
)
from epcg_research.players.positions import Positions

Probabilities: TypeAlias = NDArray[np.float64]


@attrs.frozen
class Uniform:
    """A player to whom all legal moves are alike."""

    name = "uniform"

    def probabilities(self, positions: Positions, number: int, way: Sequence[int] = ()) -> Probabilities:
        """Return (moves,) probabilities of a position's moves."""
        count = len(positions.moves(number))
        return np.full(count, 1 / max(1, count))

    def in_words(self) -> str:
        return "all legal moves are equally likely"


@attrs.frozen
class Rules:
    """A player who knows inference rules: the moves that they leave are alike, and slips are rare.

    Where the rules leave nothing, all legal moves are alike.
    """

    name = "rules"
    rules: tuple[str, ...]
    rule_params: Mapping[str, Any]
    slip: float
    """How often the player moves without looking: all legal moves are alike then."""
    inference: Inference[Any, Any] = attrs.field(eq=False, repr=False)

    def probabilities(self, positions: Positions, number: int, way: Sequence[int] = ()) -> Probabilities:
        """Return (moves,) probabilities of a position's moves."""
        moves = positions.moves(number)
        left = remaining(self.inference, positions, number, way)
        own = in_proportion([float(move in left) if left else 1.0 for move in moves])
        alike = self.slip / max(1, len(moves))
        return np.array([alike + (1 - self.slip) * p for p in own] if self.slip else own)

    @property
    def looks_back(self) -> bool:
        return self.inference.looks_back

    def in_words(self) -> str:
        return f"what {', '.join(self.rules)} leaves is equally likely, with {100 * self.slip:.1f} % of slips"


@attrs.frozen
class Counts:
    """How often people chose each move in this very position, backed off to the class of the move.

    The class is what the move does to the distance from a goal, and its kind. With n decisions in the
    position, p(move) = (count of the move + strength * q(move)) / (n + strength), a Dirichlet prior around
    q, which is proportional to how often moves of the class were chosen when they could be:
    (chosen + 1) / (offered + 1 / usual), where `usual` is that share over all classes.
    """

    name = "counts"
    strength: float
    counts: Mapping[str, Mapping[str, int]]
    """By the position's identity and the move's text."""
    classes: Mapping[str, tuple[int, int]]
    """(chosen, offered) by class."""

    def probabilities(self, positions: Positions, number: int, way: Sequence[int] = ()) -> Probabilities:
        """Return (moves,) probabilities of a position's moves."""
        words = positions.words(number)
        known = self.counts.get(positions.identity(number), {})
        own = [known.get(text, 0) for text in words]
        total = sum(own) + self.strength
        prior = self._backed_off(positions, number)
        return np.array([(n + self.strength * q) / total for n, q in zip(own, prior, strict=True)])

    def _backed_off(self, positions: Positions, number: int) -> list[float]:
        chosen, offered = (sum(each[i] for each in self.classes.values()) for i in (0, 1))
        usual = chosen / offered if chosen else 1.0
        found = []
        for name in classes_of(positions, number):
            own = self.classes.get(name, (0, 0))
            found.append((own[0] + 1) / (own[1] + 1 / usual))
        return in_proportion(found)

    def in_words(self) -> str:
        return (
            f"counts of {len(self.counts):,} positions, backed off to {len(self.classes)} classes of moves "
            f"with the strength of {self.strength:g} decisions"
        )


def in_proportion(weights: Sequence[float]) -> list[float]:
    """Return the probabilities that are proportional to weights, not all of which are 0."""
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def classes_of(positions: Positions, number: int) -> list[str]:
    """Return the class of each move of a position."""
    pairs = zip(outcomes(positions, number), positions.words(number), strict=True)
    return [f"{outcome or 'unknown'} {kind_of(text)}".strip() for outcome, text in pairs]


@attrs.frozen
class Softmax:
    """A linear softmax: p(move) is proportional to e to the weighted sum of the move's features."""

    name = "softmax"
    weights: Mapping[str, float]
    """By feature."""
    errors: Mapping[str, float | None]
    """Standard errors, clustered by person; None of one person."""
    rules: tuple[str, ...] = ()
    rule_params: Mapping[str, Any] = attrs.field(factory=dict)
    features: Features = attrs.field(eq=False, repr=False, kw_only=True)

    def probabilities(self, positions: Positions, number: int, way: Sequence[int] = ()) -> Probabilities:
        """Return (moves,) probabilities of a position's moves."""
        weights = [self.weights[name] for name in self.features.names]
        rows = self.features.of(positions, number, way).tolist()
        utility = [math.fsum(w * x for w, x in zip(weights, row, strict=True)) for row in rows]
        most = max(utility, default=0.0)
        return np.array(in_proportion([math.exp(own - most) for own in utility]))

    @property
    def looks_back(self) -> bool:
        return self.features.looks_back

    def in_words(self) -> str:
        return f"a linear softmax over {', '.join(self.features.names)}"


Model: TypeAlias = Uniform | Rules | Counts | Softmax
KINDS = ("uniform", "rules", "counts", "softmax")


def looks_back(model: Model) -> bool:
    """Return whether a model looks at the way to a position, too."""
    return bool(getattr(model, "looks_back", False))


def softmax(
    weights: Mapping[str, float],
    errors: Mapping[str, float | None] | None = None,
    inference: Inference[Any, Any] | None = None,
    rules: Sequence[str] = (),
    rule_params: Mapping[str, Any] | None = None,
) -> Softmax:
    """Make a softmax over features by name.

    Args:
        weights: of the features.
        errors: their standard errors; None if there are none.
        inference: the rules, made.
        rules: the names of the rules behind `ruled_out`.
        rule_params: their params.

    Raises:
        EpcgError: if there is no such feature.
    """
    known = dict(errors or dict.fromkeys(weights))
    features = Features(sorted(weights), inference)
    return Softmax(dict(weights), known, tuple(rules), dict(rule_params or {}), features=features)


def made_rules(generator: Any, domain: str, rules: Sequence[str], params: Mapping[str, Any]) -> list[AnyRule]:
    """Make the inference rules that a model names, for the puzzles of a generator."""
    return make_rules(generator, domain, rules, params) if rules else []


def to_data(model: Model) -> dict[str, Any]:
    """Return a model as JSON has it."""
    if isinstance(model, Rules):
        return {"rules": list(model.rules), "rule_params": dict(model.rule_params), "slip": model.slip}
    if isinstance(model, Counts):
        return {
            "strength": model.strength,
            "classes": {name: list(pair) for name, pair in sorted(model.classes.items())},
            "counts": {name: dict(sorted(model.counts[name].items())) for name in sorted(model.counts)},
        }
    if isinstance(model, Softmax):
        own = {"weights": dict(model.weights), "errors": dict(model.errors)}
        return own | {"rules": list(model.rules), "rule_params": dict(model.rule_params)}
    return {}


def from_data(name: str, data: Mapping[str, Any], domain: str, generator: Any) -> Model:
    """Make a model of what `to_data` wrote, for the puzzles of a generator.

    Args:
        name: the model's name, one of KINDS.
        data: what it consists of.
        domain: the domain, whose rules it may name.
        generator: the generator, which rules may look at.

    Raises:
        EpcgError: if a part is missing or is not what is expected.
    """
    if name == "uniform":
        return Uniform()
    if name == "counts":
        counts = _table(data, "counts", _counts)
        classes = _table(data, "classes", _pair)
        strength = _number(data.get("strength"), "strength")
        if strength <= 0:
            raise EpcgError('"strength" is not more than 0.')
        return Counts(strength, counts, classes)
    rules, params = data.get("rules"), data.get("rule_params")
    if not isinstance(rules, list) or not all(isinstance(r, str) for r in rules):
        raise EpcgError('"rules" is not a list of names.')
    if not isinstance(params, dict):
        raise EpcgError('"rule_params" is not a table.')
    inference = Inference[Any, Any](made_rules(generator, domain, rules, params))
    if name == "rules":
        slip = _number(data.get("slip"), "slip")
        if not 0 <= slip <= 1:
            raise EpcgError('"slip" is not from 0 to 1.')
        return Rules(tuple(rules), params, slip, inference)
    weights = _table(data, "weights", lambda own: _number(own, "weights"))
    errors = _table(data, "errors", lambda own: None if own is None else _number(own, "errors"))
    if not weights or errors.keys() != weights.keys():
        raise EpcgError('"weights" and "errors" do not have the same features.')
    if RULED_OUT in weights and not rules:
        raise EpcgError(f'"rules" is empty, and "{RULED_OUT}" needs one.')
    return softmax(weights, errors, inference, rules, params)


def history_of(model: Model) -> str:
    """Name the features of a model that look at the way to a position."""
    names = getattr(model, "weights", {})
    return " and ".join(name for name in OF_THE_WAY if name in names) or "a rule that looks back"


def _table(data: Mapping[str, Any], key: str, read: Any) -> dict[str, Any]:
    found = data.get(key)
    if not isinstance(found, dict):
        raise EpcgError(f'"{key}" is not a table.')
    return {name: read(own) for name, own in found.items()}


def _number(value: Any, key: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise EpcgError(f'"{key}" has {str(value)[:40]!r}, which is not a number.')
    return float(value)


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise EpcgError(f'"counts" has {str(value)[:40]!r}, which is not a count.')
    return value


def _counts(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        raise EpcgError('"counts" has a position whose counts are not a table.')
    return {move: _count(times) for move, times in value.items()}


def _pair(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise EpcgError('"classes" has something that is not a pair of counts.')
    return _count(value[0]), _count(value[1])
