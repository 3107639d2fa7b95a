"""The difficulty of instances: entropy under the four rules, and the worth of each rule.

Compiled for instances that one board completes (see `entropy_kernels`); others, and players with
rules or policies of a third party, go through `epcg_core.difficulty`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import log2
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.plugin import (
    ENTROPY_STATES,
    LIMIT,
    MEASURES,
    NONE,
    VALUE,
    Entropy,
    Evaluation,
    LimitReachedError,
    Metric,
    ParamsError,
    Value,
    prefers_plain,
)
from epcg_tangram import metrics
from epcg_tangram.evaluation.by_game import by_game
from epcg_tangram.generators.instances import Instances
from epcg_tangram.params import (
    RULE_NAMES,
    GameParams,
    InstanceEntropyParams,
    InstancesParams,
)
from epcg_tangram.rules.games import Game, game
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import TangramModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_tangram.evaluation.weighing_kernels import Tiles

NAMES = ("muse", "remuse", "msi", "tsi")
"""The measures that depend on the way to the solution alone; columns of the kernel's output."""
BRANCHINGS = ("piece", "cell", "all")
TIES = ("all", "lowest")
ORDERS = ("filters, answers, choice", "answers, filters, choice", "filters, choice, answers")
WORD = 64
"""Most cells of a board whose measures are compiled."""


@cache
def tiles(rules: GameParams) -> Tiles:
    """Return the placements of a game as arrays."""
    import numpy as np

    from epcg_core.plugin import read_only
    from epcg_tangram.evaluation.weighing_kernels import Tiles
    from epcg_tangram.inference.rules import sizes_in_a_region, small_fillings

    own = game(rules)
    board = own.setting
    neighbours = [sum(1 << other for other in near) for near in board.neighbours]
    by_mask = sorted((sum(1 << cell for cell in cells), f) for cells, f in small_fillings(board).items())
    fillings = [(*own, -1)[:2] for _, filling in by_mask for own in filling]
    sizes = sizes_in_a_region(board)
    return Tiles(
        masks=read_only(np.array(own.masks, np.uint64)),
        pieces=read_only(np.array(own.pieces, np.int64)),
        legal=read_only(own.legal),
        clashes=own.clashes,
        neighbours=read_only(np.array(neighbours, np.uint64)),
        largest=max(kind.size for kind in board.definition.pieces),
        sizes=read_only(np.array([sum(1 << n for n in own if n < WORD) for own in sizes], np.uint64)),
        regions=read_only(np.array([mask for mask, _ in by_mask], np.uint64)),
        first=read_only(np.cumsum([0, *(len(filling) for _, filling in by_mask)])),
        fillings=read_only(np.array(fillings, np.int64).reshape(-1, 2)),
    )


@attrs.frozen(eq=False)
class Players:
    """The pieces of the players of some boards."""

    available: NDArray[np.int64]
    """(boards, pieces): how many copies of each piece."""
    must: NDArray[np.bool_]
    """(boards,): whether all of them must be placed."""


def players(game: Game, excluded: Sequence[tuple[int, ...]]) -> Players:
    """Return the players of boards that exclude these pieces, one for each board."""
    import numpy as np

    from epcg_core.plugin import read_only

    most = np.array(game.most, np.int64)
    kinds = np.arange(len(most))
    available = np.array([np.where(np.isin(kinds, own), 0, most) for own in excluded], np.int64)
    areas = np.array([kind.size for kind in game.setting.definition.pieces], np.int64)
    available = available.reshape(len(excluded), len(most))  # also of no boards
    return Players(read_only(available), read_only(available @ areas <= game.setting.cells))


@cache
def _listed_players(params: InstancesParams) -> Players:
    """Return the players of a space's boards."""
    generator = Instances(params)
    numbers, families = generator.families
    return players(generator.game, [families[number] for number in numbers.tolist()])


def rule_bits(rules: Sequence[str]) -> int:
    """Return the rules as the bits that the kernels read."""
    return sum(1 << RULE_NAMES.index(name) for name in set(rules))


def measured(
    game: Game,
    boards: NDArray[np.int32],
    instances: NDArray[np.int64],
    players: Players,
    rules: Sequence[str],
    params: InstanceEntropyParams,
) -> NDArray[np.float64]:
    """Return MUSE, ReMUSE, MSI and TSI, in bits, of instances that their board completes: (n, measures).

    `instances` are rows (board, positions as bits), as in `Instances.rows`.
    """
    import numpy as np

    from epcg_core.plugin import read_only
    from epcg_tangram.evaluation import entropy_kernels as kernels

    out = np.zeros((len(instances), kernels.MEASURES))
    kernels.measure_all(
        tiles(game.params),
        read_only(boards),
        read_only(instances),
        players.available,
        players.must,
        rule_bits(rules),
        BRANCHINGS.index(params.branching),
        TIES.index(params.ties),
        ORDERS.index(params.order),
        params.collapse_zero,
        logarithms(len(game.pieces)),
        2.0,
        out,
    )
    return out


def measured_one(
    instance: Instance, solution: tuple[int, ...], rules: Sequence[str], params: InstanceEntropyParams
) -> list[float]:
    """Measure an instance that `solution` alone completes.

    Args:
        instance: the instance.
        solution: the placements of the board that completes it.
        rules: the names of the rules that the player knows.
        params: the branching, the order of rules and the rest of the evaluator's params.
    """
    import numpy as np

    shown = sum(1 << solution.index(number) for number in instance.shown)
    rows = np.array([[0, shown]], np.int64)
    boards = np.array([solution], np.int32)
    own = measured(instance.game, boards, rows, players(instance.game, [instance.excluded]), rules, params)
    found: list[float] = own[0].tolist()
    return found


class InstanceEntropy:
    """The evaluator `entropy`: no values if nothing completes an instance."""

    domain_attributes = ("generator", "params")

    metrics: Sequence[Metric] = tuple(next(m for m in MEASURES if m.name == name) for name in NAMES)

    def __init__(self, params: InstanceEntropyParams, generator: Any) -> None:
        check(params, generator)
        self.params = params
        self.generator = generator
        self._plain = plain_entropy(self.metrics, params, generator)
        self.metrics = (*self.metrics, *self._plain.metrics[len(self.metrics) + 1 :])

    def evaluate(self, state: Instance) -> Sequence[Value | None] | None:
        """Return MUSE, ReMUSE, MSI and TSI in bits."""
        found = state.completions()
        if len(found) == 1 and is_compiled(self.params, state.game):
            TangramModel(state.game.setting, self.params.branching).initial(
                state
            )  # refuses what is not defined
            return measured_one(state, found[0], self.params.rules, self.params)
        if not found:
            return None
        return self._walked(state, found)

    def _walked(self, state: Instance, completions: Sequence[tuple[int, ...]]) -> Sequence[Value | None]:
        """Return what a walk measures, but the number of its states."""
        plain, states = self._plain, len(NAMES)
        if prefers_plain() and len(completions) == 1 and is_compiled(self.params, state.game):
            plain = plain_entropy(self.metrics, self.params, self.generator, completions[0])
        values = plain.evaluate(state)
        return (*values[:states], *values[states + 1 :])

    def plain(self) -> InstanceEntropy:
        """Return an evaluator that walks the transition model."""
        return _PlainInstanceEntropy(self.params, self.generator)


class _PlainInstanceEntropy(InstanceEntropy):
    def evaluate(self, state: Instance) -> Sequence[Value | None] | None:
        found = state.completions()
        return self._walked(state, found) if found else None


class ListedEntropy(InstanceEntropy):
    """The same of a list of instances, in arrays."""

    generator: Instances

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows of `Instances.rows`."""
        import numpy as np

        proper = self.generator.proper(states)
        values = np.zeros((len(NAMES), len(states)))
        status = np.zeros((len(NAMES), len(states)), np.uint8)
        values[:, proper] = listed(self.generator, states[proper], self.params.rules, self.params).T
        for i in np.flatnonzero(~proper).tolist():
            try:
                found = self.evaluate(self.generator.state(states[i]))
            except LimitReachedError:
                status[:, i] = LIMIT
                continue
            for column, value in enumerate(found or [None] * len(NAMES)):
                if value is None:
                    status[column, i] = NONE
                else:
                    values[column, i] = value
        return Evaluation(list(values), status if status.any() else None)


class RuleDifferentials:
    """The worth of each rule, in bits of MUSE; no values if not exactly one board completes an instance.

    `rule_differentials`: no rules against this one alone. `leave_one_out`: the other rules of `rules` against
    them and this one.
    """

    domain_attributes = ("generator", "params")

    def __init__(self, params: InstanceEntropyParams, generator: Any, leave_one_out: bool) -> None:
        check(params, generator)
        self.metrics = metrics.LEAVE_ONE_OUT if leave_one_out else metrics.RULE_DIFFERENTIALS
        self.params = params
        self.generator = generator
        self._pairs = [(others(params, name) if leave_one_out else (), name) for name in RULE_NAMES]

    def evaluate(self, state: Instance) -> Sequence[Value] | None:
        found = state.completions()
        if len(found) != 1:
            return None
        TangramModel(state.game.setting, self.params.branching).initial(state)
        return [
            measured_one(state, found[0], without, self.params)[0]
            - measured_one(state, found[0], (*without, name), self.params)[0]
            for without, name in self._pairs
        ]

    def plain(self) -> RuleDifferentials:
        """Return an evaluator that walks the transition model."""
        return _PlainRuleDifferentials(self)


class _PlainRuleDifferentials(RuleDifferentials):
    def __init__(self, other: RuleDifferentials) -> None:
        self.__dict__.update(vars(other))

    def evaluate(self, state: Instance) -> Sequence[Value] | None:
        found = state.completions()
        if len(found) != 1:
            return None
        way = found[0] if prefers_plain() else None
        rules = {own for without, name in self._pairs for own in (without, (*without, name))}
        muse = {own: self._muse(own, state, way) for own in rules}
        return [muse[without] - muse[(*without, name)] for without, name in self._pairs]

    def _muse(self, rules: tuple[str, ...], state: Instance, way: tuple[int, ...] | None) -> Value:
        params = attrs.evolve(self.params, rules=rules)
        value = plain_entropy(InstanceEntropy.metrics[:1], params, self.generator, way).evaluate(state)[0]
        assert value is not None
        return value


class ListedRuleDifferentials(RuleDifferentials):
    """The same of a list of instances, in arrays."""

    generator: Instances

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows of `Instances.rows`."""
        import numpy as np

        proper = self.generator.proper(states)
        muse: dict[tuple[str, ...], NDArray[np.float64]] = {}
        for without, name in self._pairs:
            for rules in (without, (*without, name)):
                key = tuple(sorted(rules))
                if key not in muse:
                    muse[key] = np.zeros(len(states))
                    muse[key][proper] = listed(self.generator, states[proper], rules, self.params)[:, 0]
        differences = [muse[tuple(sorted(o))] - muse[tuple(sorted((*o, name)))] for o, name in self._pairs]
        return Evaluation(
            differences, None if proper.all() else np.where(proper, VALUE, NONE).astype(np.uint8)
        )


class WholeWalk:
    """The evaluator `adversarial`: what needs the dead ends too, by the core's plain walk."""

    metrics: Sequence[Metric] = (next(m for m in MEASURES if m.name == "adversarial"), ENTROPY_STATES)

    def __init__(self, params: InstanceEntropyParams, generator: Any) -> None:
        check(params, generator)
        self._plain = plain_entropy(self.metrics[:-1], params, generator)
        self.metrics = self._plain.metrics

    def evaluate(self, state: Instance) -> Sequence[Value | None]:
        """Return the adversarial entropy in bits, and the states that a player with the rules can reach."""
        return self._plain.evaluate(state)


def others(params: InstanceEntropyParams, name: str) -> tuple[str, ...]:
    """Return the rules that the player knows besides one."""
    return tuple(own for own in params.rules if own != name)


def listed(
    generator: Instances, states: NDArray[np.int64], rules: Sequence[str], params: InstanceEntropyParams
) -> NDArray[np.float64]:
    """Return the measures of rows of a generator's list: (n, measures)."""
    game = generator.game
    return measured(game, game.distinct, states, _listed_players(generator.params), rules, params)


def plain_entropy(
    measures: Sequence[Metric],
    params: InstanceEntropyParams,
    generator: Any,
    way: Iterable[int] | None = None,
) -> Entropy:
    """Make the core's evaluator for a player who weighs actions as the params say; the states come last.

    The player applies the general rules in the order of `RULE_NAMES`, as the kernels do.

    Args:
        measures: the measures.
        params: the params of the evaluator.
        generator: the generator of the instances.
        way: the placements of the only solution of the instances, if only states that lead there are walked
            through. The measures are the same, as they are infinite elsewhere; the states are fewer.
    """
    if set(params.rules) <= set(RULE_NAMES):
        params = attrs.evolve(params, rules=tuple(name for name in RULE_NAMES if name in params.rules))
    return Entropy("tangram", (*measures, ENTROPY_STATES), params, _Played(generator, params, way))


class _Played:
    """A generator whose instances are played with another branching or order."""

    def __init__(self, generator: Any, params: InstanceEntropyParams, way: Iterable[int] | None) -> None:
        self._generator = generator
        self.transition_model = TangramModel(
            generator.setting, params.branching, params.order, ties=params.ties,
            way=None if way is None else frozenset(way),
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)


def is_compiled(params: InstanceEntropyParams, game: Game) -> bool:
    """Return whether the kernels know the board, the rules and the policy."""
    own = (params.policy, params.depth_limit, params.policy_params, params.rule_params, params.scorer_params)
    plain = own == ("uniform", None, {}, {}, {}) and not params.measures
    return plain and set(params.rules) <= set(RULE_NAMES) and game.setting.cells <= WORD


def check(params: InstanceEntropyParams, generator: Any) -> None:
    """Raise ParamsError if the branching is not defined for a generator's instances."""
    for own in getattr(generator, "games", (generator,)):
        if isinstance(own, Instances) and own.max_rank:
            TangramModel(own.setting, params.branching).initial(own.unrank(0))


def checked(params: InstanceEntropyParams, generator: Any) -> tuple[()]:
    """Check the params when a query is planned; the evaluators of difficulty need no tables."""
    check(params, generator)
    return ()


def checked_differentials(params: InstanceEntropyParams, generator: Any) -> tuple[()]:
    """Check the params of the evaluators of the rules' worth, which know four rules. Raises ParamsError."""
    if params.measures:
        raise ParamsError("measures: the worth of a rule is told in bits of MUSE, and in nothing else.")
    games = [own for own in getattr(generator, "games", (generator,)) if isinstance(own, Instances)]
    if any(not is_compiled(params, own.game) for own in games):
        raise ParamsError(
            f"Rule differentials are computed for the rules {', '.join(RULE_NAMES)} under the uniform "
            f"policy, on boards of up to {WORD} cells."
        )
    return checked(params, generator)


def is_listed(params: InstanceEntropyParams, generator: Any) -> bool:
    """Return whether the kernels can measure the proper instances among a generator's states."""
    return isinstance(generator, Instances) and is_compiled(params, generator.game)


@cache
def logarithms(count: int) -> NDArray[np.float64]:
    """Return log2 of 0 (not used), 1, ..., count, as Python's math has them."""
    import numpy as np

    from epcg_core.plugin import read_only

    return read_only(np.array([0.0, *(log2(number) for number in range(1, count + 1))]))


@by_game
def entropy(params: InstanceEntropyParams, generator: Any, tables: Any = None) -> InstanceEntropy:
    """Make the evaluator `entropy`. Raises ParamsError."""
    return (ListedEntropy if is_listed(params, generator) else InstanceEntropy)(params, generator)


@by_game
def rule_differentials(
    params: InstanceEntropyParams, generator: Any, tables: Any = None
) -> RuleDifferentials:
    """Make the evaluator `rule_differentials`. Raises ParamsError."""
    return _differentials(params, generator, False)


@by_game
def leave_one_out(params: InstanceEntropyParams, generator: Any, tables: Any = None) -> RuleDifferentials:
    """Make the evaluator `leave_one_out`. Raises ParamsError."""
    return _differentials(params, generator, True)


@by_game
def whole_walk(params: InstanceEntropyParams, generator: Any, tables: Any = None) -> WholeWalk:
    """Make the evaluator `adversarial`. Raises ParamsError."""
    return WholeWalk(params, generator)


def _differentials(params: InstanceEntropyParams, generator: Any, left_out: bool) -> RuleDifferentials:
    checked_differentials(params, generator)
    make = ListedRuleDifferentials if is_listed(params, generator) else RuleDifferentials
    return make(params, generator, left_out)
