"""What the plugin registers about puzzle instances: generator, rules, evaluators. Light."""

from __future__ import annotations

from epcg_core.difficulty.evaluator import ENTROPY_STATES, MEASURES, entropy_parts
from epcg_core.domain import EvaluatorInfo, GeneratorInfo, InferenceRuleInfo, NoParams
from epcg_tangram import metrics
from epcg_tangram.params import (
    RULE_NAMES,
    ConstraintInstancesParams,
    InstanceEntropyParams,
    InstancesParams,
)

_SUMMARIES = (
    "a piece with one legal placement is placed",
    "a cell that only one piece can cover decides that piece",
    "an empty region whose size the pieces left cannot have is a dead end",
    "an empty region of 6 that is not the shape of a piece left, or of two trapezoids, is a dead end",
)
_MEASURES = tuple(m for m in MEASURES if m.name != "adversarial")

GENERATORS = (
    GeneratorInfo(
        name="instances",
        domain="tangram",
        summary="solved boards of which some pieces are shown, so that one solution is left",
        params=InstancesParams,
        factory="epcg_tangram.generators.instances:instances",
    ),
    GeneratorInfo(
        name="constraint_instances",
        domain="tangram",
        summary="the same under a type of constraint, with every choice of its colours",
        params=ConstraintInstancesParams,
        factory="epcg_tangram.generators.constraint_instances:constraint_instances",
    ),
)

INFERENCE_RULES = tuple(
    InferenceRuleInfo(
        name=name,
        domain="tangram",
        summary=summary,
        params=NoParams,
        factory=f"epcg_tangram.inference.rules:{name.replace('-', '_')}_rule",
    )
    for name, summary in zip(RULE_NAMES, _SUMMARIES, strict=True)
)

EVALUATORS = (
    EvaluatorInfo(
        name="instance",
        domain="tangram",
        summary="the pieces that an instance shows, how many boards complete it, and its own board",
        params=NoParams,
        metrics=(metrics.GIVEN, metrics.COMPLETIONS, metrics.UNIQUE, metrics.BOARD),
        factory="epcg_tangram.evaluation.instances:instance_facts",
        solutions="epcg_tangram.evaluation.instances:instance_solutions",
    ),
    EvaluatorInfo(
        name="entropy",
        domain="tangram",
        summary="difficulty under a player's inference rules: MUSE, ReMUSE, MSI, TSI",
        params=InstanceEntropyParams,
        metrics=_MEASURES,
        factory="epcg_tangram.evaluation.entropy:entropy",
        needs="epcg_tangram.evaluation.entropy:checked",
        uses=entropy_parts("tangram", [metric.name for metric in _MEASURES]),
    ),
    EvaluatorInfo(
        name="rule_differentials",
        domain="tangram",
        summary="what knowing each of the four rules is worth to a player who knows no other",
        params=InstanceEntropyParams,
        metrics=metrics.RULE_DIFFERENTIALS,
        factory="epcg_tangram.evaluation.entropy:rule_differentials",
        needs="epcg_tangram.evaluation.entropy:checked_differentials",
        uses=entropy_parts("tangram", ["muse"]),
    ),
    EvaluatorInfo(
        name="leave_one_out",
        domain="tangram",
        summary="what knowing each of the four rules is worth to a player who knows the others",
        params=InstanceEntropyParams,
        metrics=metrics.LEAVE_ONE_OUT,
        factory="epcg_tangram.evaluation.entropy:leave_one_out",
        needs="epcg_tangram.evaluation.entropy:checked_differentials",
        uses=entropy_parts("tangram", ["muse"]),
    ),
    EvaluatorInfo(
        name="adversarial",
        domain="tangram",
        summary="adversarial entropy, and the states that a player can reach; walks through dead ends",
        params=InstanceEntropyParams,
        metrics=(next(m for m in MEASURES if m.name == "adversarial"), ENTROPY_STATES),
        factory="epcg_tangram.evaluation.entropy:whole_walk",
        needs="epcg_tangram.evaluation.entropy:checked",
        uses=entropy_parts("tangram", ["adversarial"]),
    ),
)
