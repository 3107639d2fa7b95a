"""Puzzle entropy of panels, compiled: all five measures in one walk, and what one rule is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import attrs
import numpy as np

from epcg_core.plugin import (
    ENTROPY_STATES,
    LEAVE_ONE_OUT_DIFFERENTIAL,
    MEASURES,
    RULE_DIFFERENTIAL,
    Bits,
    DifferentialParams,
    EntropyParams,
    EvaluatorInfo,
    LimitReachedError,
    Value,
    difference,
    differential_evaluators,
    entropy_evaluator,
    measured_rule,
    resolve,
    structure,
    warm,
)
from epcg_witness.entropy import kernels
from epcg_witness.entropy.tables import board_of, rule_bits
from epcg_witness.params import (
    RULE_NAMES,
    Counting,
    PanelDifferentialParams,
    PanelEntropyParams,
    TriangleParams,
)
from epcg_witness.rules.model import check_difficulty
from epcg_witness.rules.panel import Panel

_NAMES = tuple(metric.name for metric in MEASURES)
_PLAIN = entropy_evaluator("witness", params=PanelEntropyParams)
_PLAIN_DIFFERENTIAL, _PLAIN_LEAVE_ONE_OUT = differential_evaluators("witness", PanelDifferentialParams)


@attrs.frozen
class PanelEntropy:
    """The difficulty of a panel, in bits; infinite if it has no solution, `adversarial` excepted."""

    muse: float
    """MUSE with the zero collapse, as in the published tables."""
    remuse: float
    adversarial: float
    msi: float
    """Equal to MUSE without the zero collapse."""
    tsi: float
    states: int
    """Partial paths visited, the empty one, dead ends and ended paths included."""


def panel_entropy(
    panel: Panel, rules: Sequence[str] = (), limit: int = 2**62, counting: Counting = "exact"
) -> PanelEntropy:
    """Measure a panel, of any size, under the uniform policy of `epcg_core.difficulty`.

    Args:
        panel: the panel.
        rules: the rules that the player knows, by name (see `epcg_witness.inference.rules.RULES`).
        limit: the most partial paths.
        counting: how the rule `triangle` counts edges (see `TriangleParams`).

    Raises:
        LimitReachedError: if there are more than `limit` partial paths.
        UnknownDifficultyError: if the panel has erasers or symmetry.
    """
    check_difficulty(panel)
    board = board_of(panel)
    depths, most = panel.grid.vertices + 2, max(5, len(panel.starts))
    out = np.zeros(kernels.MEASURES)
    done = kernels.walk(
        board.steps,
        board.cells,
        board.sets,
        board.colours,
        board.starts,
        board.log2,
        board.pieces,
        board.dots,
        rule_bits(rules, counting),
        limit,
        2.0,
        np.zeros(panel.grid.edges, np.int64),
        np.zeros((depths, kernels.WORDS), np.uint64),
        np.zeros((depths, kernels.ACTIONS + most), np.int64),
        np.zeros((depths, most, kernels.MEASURED)),
        np.zeros(depths),
        out,
    )
    if not done:
        raise LimitReachedError(f"There are more than {limit} partial paths.")
    muse, remuse, adversarial, msi, tsi, states = out.tolist()
    return PanelEntropy(muse, remuse, adversarial, msi, tsi, int(states))


class _Plain:
    """The core's evaluator, which walks a transition model, for panels of which the rules say something."""

    def __init__(
        self, info: EvaluatorInfo, params: Any, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._evaluator = resolve(info.factory)(params, generator, tables)
        self.metrics = self._evaluator.metrics

    def evaluate(self, panel: Panel) -> Any:
        """Return the measures. Raises UnknownDifficultyError (see `check_difficulty`)."""
        check_difficulty(panel)
        return self._evaluator.evaluate(panel)


class Entropy:
    """The evaluator `entropy`: of a panel without a solution, the finite measures and the states alone."""

    metrics = (*MEASURES, ENTROPY_STATES)

    def __init__(self, params: EntropyParams, generator: Any) -> None:
        self._params = params
        self._generator = generator
        self._counting = _counting(params)
        _warm()

    def evaluate(self, panel: Panel) -> tuple[Value | None, ...]:
        """Return the five measures, in bits, and the number of partial paths visited."""
        found = panel_entropy(panel, self._params.rules, self._params.limit, self._counting)
        values = [_measure(found, name, self._params) for name in _NAMES]
        return (*(None if value == inf else value for value in values), found.states)

    def plain(self) -> Any:
        """Return the core's evaluator, which walks a transition model."""
        return _Plain(_PLAIN, self._params, self._generator)


class RuleDifferential:
    """The evaluators `rule_differential` and `leave_one_out`: None if the difference is not finite."""

    def __init__(self, params: DifferentialParams, generator: Any, leave_one_out: bool) -> None:
        self._info = _PLAIN_LEAVE_ONE_OUT if leave_one_out else _PLAIN_DIFFERENTIAL
        self._generator = generator
        self.metrics = (LEAVE_ONE_OUT_DIFFERENTIAL if leave_one_out else RULE_DIFFERENTIAL,)
        self._params = params
        self._counting = _counting(params)
        self._others = tuple(name for name in params.rules if name != params.rule) if leave_one_out else ()
        _warm()

    def evaluate(self, panel: Panel) -> tuple[Value, ...] | None:
        """Return the entropy without the rule minus the entropy with it, in bits."""
        params = self._params
        without, with_it = (
            _measure(panel_entropy(panel, rules, params.limit, self._counting), params.measure, params)
            for rules in (self._others, (*self._others, params.rule))
        )
        found = difference(without, with_it)
        return (found,) if abs(found) < inf else None

    def plain(self) -> Any:
        """Return the core's evaluator, which walks a transition model."""
        return _Plain(self._info, self._params, self._generator)


def make_entropy(params: PanelEntropyParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> Any:
    """Make the evaluator `entropy`; plain if a policy or a rule is not compiled."""
    if _is_compiled(params):
        return Entropy(params, generator)
    return _Plain(_PLAIN, params, generator, tables)


def make_rule_differential(
    params: PanelDifferentialParams, generator: Any, tables: Mapping[str, Bits] | None = None
) -> Any:
    """Make the evaluator `rule_differential`, for a rule and a measure of any plugin."""
    if _is_compiled(params):
        return RuleDifferential(params, generator, leave_one_out=False)
    return _Plain(_PLAIN_DIFFERENTIAL, params, generator, tables)


def make_leave_one_out(
    params: PanelDifferentialParams, generator: Any, tables: Mapping[str, Bits] | None = None
) -> Any:
    """Make the evaluator `leave_one_out`, for a rule and a measure of any plugin."""
    if _is_compiled(params):
        return RuleDifferential(params, generator, leave_one_out=True)
    return _Plain(_PLAIN_LEAVE_ONE_OUT, params, generator, tables)


def _is_compiled(params: EntropyParams) -> bool:
    names = set(params.rules)
    if isinstance(params, DifferentialParams):
        names.add(measured_rule(params))
        if params.measure not in _NAMES:
            return False
    own = (params.policy, params.depth_limit, params.policy_params, params.scorer_params, params.measures)
    if own != ("uniform", None, {}, {}, ()) or not params.rule_params.keys() <= names & {"triangle"}:
        return False
    return names <= set(RULE_NAMES)


def _counting(params: EntropyParams) -> Counting:
    """Return how the rule `triangle` counts. Raises ParamsError if its params are not valid."""
    own = structure(TriangleParams, params.rule_params.get("triangle", {}), "rule_params.triangle")
    return own.counting


def _measure(found: PanelEntropy, name: str, params: EntropyParams) -> float:
    if name == "muse" and not params.collapse_zero:
        return found.msi
    value: float = getattr(found, name)
    return value


def _warm() -> None:
    """Compile the walk where the parts are made, before workers start."""
    warm(lambda: panel_entropy(Panel(width=1, height=1)))
