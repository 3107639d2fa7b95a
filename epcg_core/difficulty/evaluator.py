"""The evaluators `entropy`, `rule_differential` and `leave_one_out`, for any domain with a transition model.

A plugin registers them in a line each: `register(entropy_evaluator("my_domain"))`. The generator must offer
`transition_model`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.base.params import fields_of
from epcg_core.difficulty.attribution import attribute
from epcg_core.difficulty.differential import difference
from epcg_core.difficulty.rules import Inference
from epcg_core.difficulty.scorers import EntropyScorer, make_rules, make_scorer, scorer_parts
from epcg_core.difficulty.search import Difficulty, StateSpace
from epcg_core.domain import Bits, Evaluation, EvaluatorInfo, Metric, TableNeed, Value, transition_model
from epcg_core.domain.capabilities import CompiledEntropy
from epcg_core.domain.explored import explored
from epcg_core.plugins.registry import Registry, registry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from epcg_core.difficulty.params import DifferentialParams, EntropyParams, PlayParams

_BITS = "{} bit[s] of choice|nothing to choose: each step follows from the rules"
_UNSOLVED = "no solution that the rules lead to"
MEASURES = (
    Metric(
        "muse", "real", "max", "bits", "minimum uniform solution entropy", sentence=_BITS,
        title="choices (MUSE)", at_least=0,
    ),
    Metric(
        "remuse", "real", "max", "bits", "relative minimum uniform solution entropy", sentence=_BITS,
        title="choices, relative (ReMUSE)", at_least=0,
    ),
    Metric(
        "adversarial", "real", "max", "bits", "adversarial entropy",
        sentence="{} bit[s] of choice with the worst of luck|nothing to choose, even with the worst of luck",
        title="choices with bad luck (adversarial)",
        at_least=0,
    ),
    Metric(
        "msi", "real", "max", "bits", "information of the most likely solution",
        sentence="{} bit[s] from the likeliest solution", title="likeliest solution (MSI)", at_least=0,
    ),
    Metric(
        "tsi", "real", "max", "bits", "information of reaching any solution",
        sentence="{} bit[s] from a lucky guess", title="lucky guess (TSI)", at_least=0,
    ),
)  # fmt: skip
"""The core's measures; `entropy_evaluator` takes all of them, or those that are named."""
ENTROPY_STATES = Metric(
    "entropy_states",
    "int",
    "min",
    "states",
    "different states that a player with the rules can reach",
    title="positions that the rules leave",
    sentence="{} position[s] that a player who knows the rules can come to",
    at_least=0,
)
RULE_DIFFERENTIAL = Metric(
    "rule_differential",
    "real",
    "max",
    "bits",
    "entropy with no rules minus entropy with only this rule",
    sentence="the rule saves {} bit[s] of choice",
)
LEAVE_ONE_OUT_DIFFERENTIAL = Metric(
    "leave_one_out_differential",
    "real",
    "max",
    "bits",
    "entropy with all rules but this one minus entropy with all of them",
    sentence="the rule saves {} bit[s] of choice beside the others",
)


def entropy_evaluator(
    domain: str,
    *,
    name: str = "entropy",
    params: type[EntropyParams] | str = "epcg_core.difficulty.params:EntropyParams",
    measures: Sequence[str | Metric] = MEASURES,
    states: str = ENTROPY_STATES.name,
) -> EvaluatorInfo:
    """Make a domain's evaluator of difficulty: its metrics are `measures` (entropy scorers) and the states.

    A domain gives its own default rules by a subclass of EntropyParams, and, if its states can recur, names
    only `measures` that are defined then (("muse", "msi")). A third party can add an evaluator with scorers
    of its own to an existing domain, with its own `name` and its own name for the metric `states`. A
    candidate without a solution has the status 'none', and no value of the measures that are infinite for it;
    one with too many states has the status 'limit' and no values.
    """
    metrics = (*map(_metric, measures), attrs.evolve(ENTROPY_STATES, name=states))
    names = ", ".join(metric.name for metric in metrics[:-1])
    return EvaluatorInfo(
        name=name,
        domain=domain,
        summary=f"difficulty under a player's inference rules: {names}",
        params=params,
        metrics=metrics,
        factory=partial(_make_entropy, domain, metrics),
        needs=partial(_no_needs, partial(_make_entropy, domain, metrics)),
        uses=entropy_parts(domain, [metric.name for metric in metrics[:-1]]),
        adds=further_measures(metrics),
    )


def differential_evaluators(
    domain: str, params: type[DifferentialParams] | str = "epcg_core.difficulty.params:DifferentialParams"
) -> tuple[EvaluatorInfo, EvaluatorInfo]:
    """Make a domain's evaluators of one rule's effect: `rule_differential` and `leave_one_out`.

    The first compares a player without rules with one who knows only `rule`, the second a player who knows
    all `rules` but `rule` with one who knows all of them. A candidate without a solution under either has the
    status 'none'.
    """

    def info(name: str, leave_one_out: bool, others: str) -> EvaluatorInfo:
        factory = partial(RuleDifferential, domain, leave_one_out)
        return EvaluatorInfo(
            name=name,
            domain=domain,
            summary=f"what knowing one inference rule is worth to a player who knows {others}",
            params=params,
            metrics=(LEAVE_ONE_OUT_DIFFERENTIAL if leave_one_out else RULE_DIFFERENTIAL,),
            factory=factory,
            needs=partial(_no_needs, factory),
            uses=differential_parts(domain),
        )

    return info("rule_differential", False, "no other"), info("leave_one_out", True, "the others")


def further_measures(own: Sequence[Metric]) -> Callable[[EntropyParams, Registry], tuple[Metric, ...]]:
    """Return the `adds` of an evaluator `entropy` with the metrics `own`: the measures that params name.

    It raises UnknownNameError for an entropy scorer that is not registered, and ParamsError for one that is
    measured already.
    """
    return partial(_further, [metric.name for metric in own])


def _further(own: Sequence[str], params: EntropyParams, registry: Registry) -> tuple[Metric, ...]:
    for i, name in enumerate(params.measures):
        if name in own:
            raise ParamsError(f"measures: {name} is measured without being asked for.")
        if name in params.measures[:i]:
            raise ParamsError(f"measures: {name} is named twice.")
    infos = [registry.entropy_scorer(name, "measures") for name in params.measures]
    return tuple(info.metric or _metric(info.name, info.summary) for info in infos)


def entropy_parts(domain: str, measures: Sequence[str]) -> Callable[[EntropyParams, Registry], list[object]]:
    """Return the `uses` of an evaluator `entropy`: rules, scorers of `measures`, and policies."""
    return partial(_parts, domain, tuple(measures))


def differential_parts(domain: str) -> Callable[[DifferentialParams, Registry], list[object]]:
    """Return the `uses` of the evaluators of one rule's effect."""
    return partial(_differential_parts, domain)


class Entropy:
    """Scores a state by several entropy scorers over one walk; those that are infinite are None.

    `metrics` are those of the scorers and that of the states; the measures that only the params name follow.
    """

    def __init__(self, domain: str, metrics: Sequence[Metric], params: EntropyParams, generator: Any) -> None:
        self._arguments = domain, metrics, params, generator
        further = further_measures(metrics)(params, registry())
        self.metrics = (*metrics, *further)
        self._scorers = [_scorer(metric.name, params, generator) for metric in (*metrics[:-1], *further)]
        self._own = len(metrics) - 1
        self._model = transition_model(generator)
        self._inference = Inference[Any, Any](make_rules(generator, domain, params.rules, params.rule_params))
        self._params = params

    def evaluate(self, state: Any) -> Sequence[Value | None]:
        """Compute the measures in bits, and the number of visited states."""
        return self._measured(self._model, state)

    def _measured(self, model: Any, state: Any) -> Sequence[Value | None]:
        space = _space(model, state, self._inference, self._params)
        found = [_scored(scorer, space) for scorer in self._scorers]
        values = [None if difficulty.value == inf else difficulty.value for difficulty in found]
        states = max(difficulty.states for difficulty in found)
        return (*values[: self._own], states, *values[self._own :])


class ExploredEntropy(Entropy):
    """The same over positions that are explored once for all readers, mostly in packed form."""

    def evaluate(self, state: Any) -> Sequence[Value | None]:
        """Compute the measures in bits, and the number of visited states."""
        return self._measured(explored(self._model, state), state)

    def plain(self) -> Entropy:
        """Return an evaluator that walks plain positions."""
        return Entropy(*self._arguments)


class ArrayEntropy(Entropy):
    """The same, with a domain's compiled capability for packed arrays of states."""

    def __init__(self, compiled: Callable[[NDArray[Any]], Evaluation], domain: str, *arguments: Any) -> None:
        super().__init__(domain, *arguments)
        self._compiled = compiled

    def evaluate_states(self, states: NDArray[Any]) -> Evaluation:
        """Return one array per metric and a status."""
        return self._compiled(states)


class RuleDifferential:
    """The difference that one rule makes to a measure; None if it is not finite."""

    def __init__(
        self,
        domain: str,
        leave_one_out: bool,
        params: DifferentialParams,
        generator: Any,
        tables: Mapping[str, Bits] | None = None,
    ) -> None:
        rule = measured_rule(params)
        self.metrics = (LEAVE_ONE_OUT_DIFFERENTIAL if leave_one_out else RULE_DIFFERENTIAL,)
        self._scorer = _scorer(params.measure, params, generator)
        self._model = transition_model(generator)
        names = [*(name for name in params.rules if name != rule), rule]
        rules = make_rules(generator, domain, names, params.rule_params)
        others = rules[:-1] if leave_one_out else []
        self._without = Inference[Any, Any](others)
        self._with_it = Inference[Any, Any]([*others, rules[-1]])
        self._params = params

    def evaluate(self, state: Any) -> Sequence[Value] | None:
        """Compute the differential in bits."""
        without, with_it = (
            _scored(self._scorer, _space(self._model, state, inference, self._params)).value
            for inference in (self._without, self._with_it)
        )
        found = difference(without, with_it)
        return (found,) if isfinite(found) else None


def _make_entropy(
    domain: str,
    metrics: Sequence[Metric],
    params: EntropyParams,
    generator: Any,
    tables: Mapping[str, Bits] | None = None,
) -> Entropy:
    """Make the compiled evaluator if the generator offers one for these params, else the plain one."""
    if isinstance(generator, CompiledEntropy) and not params.measures:
        compiled = generator.compiled_entropy(params, [metric.name for metric in metrics[:-1]])
        if compiled is not None:
            return ArrayEntropy(compiled, domain, metrics, params, generator)
    make = ExploredEntropy if hasattr(transition_model(generator), "play_identity") else Entropy
    return make(domain, metrics, params, generator)


def _no_needs(factory: Callable[[Any, Any], object], params: Any, generator: Any) -> tuple[TableNeed, ...]:
    """Ask for no tables, but check names, which refuses unknown ones when a query is planned."""
    factory(params, generator)
    return ()


def measured_rule(params: DifferentialParams) -> str:
    """Return the rule whose effect is measured. Raises ParamsError if none is named."""
    if not params.rule:
        raise ParamsError("rule: name the inference rule whose effect is measured.")
    if params.measures:
        raise ParamsError("measures: the effect of a rule is that on one measure: name it as `measure`.")
    return params.rule


def _parts(domain: str, measures: Sequence[str], params: EntropyParams, registry: Registry) -> list[object]:
    shared = _shared_params(params)
    return [
        *(registry.inference_rule(domain, name, "rules") for name in params.rules),
        *(
            part
            for name in (*measures, *params.measures)
            for part in scorer_parts(name, params.scorer_params.get(name), shared, registry)
        ),
    ]


def _differential_parts(domain: str, params: DifferentialParams, registry: Registry) -> list[object]:
    rule = registry.inference_rule(domain, measured_rule(params), "rule")
    return [rule, *_parts(domain, [params.measure], params, registry)]


def _shared_params(params: EntropyParams) -> dict[str, Any]:
    return {key: getattr(params, key) for key in fields_of(type(params))}


def _space(model: Any, state: Any, inference: Inference[Any, Any], params: PlayParams) -> StateSpace:
    return StateSpace(model, state, inference, depth_limit=params.depth_limit, limit=params.limit)


def _scored(scorer: EntropyScorer, space: StateSpace) -> Difficulty:
    """Ask an entropy scorer; an exception names it."""
    try:
        return scorer(space)
    except Exception as error:
        attribute(error, "entropy scorer", scorer)


def _scorer(name: str, params: EntropyParams, generator: Any) -> EntropyScorer:
    return make_scorer(name, params.scorer_params.get(name), _shared_params(params), generator=generator)


def _metric(measure: str | Metric, summary: str = "") -> Metric:
    if isinstance(measure, Metric):
        return measure if measure.none else attrs.evolve(measure, none=_UNSOLVED)
    return _metric(_named(measure, summary))


def _named(measure: str, summary: str) -> Metric:
    """Return the core's measure of a name, else one that an entropy scorer of this name gives."""
    known = {metric.name: metric for metric in MEASURES}
    said = summary or f"the entropy scorer {measure}"
    return known.get(measure, Metric(measure, "real", "max", "bits", said))
