"""What the plugin registers about difficulty: rules, evaluators, files of puzzles, the study. Light."""

from __future__ import annotations

from epcg_core.difficulty.evaluator import (
    ENTROPY_STATES,
    LEAVE_ONE_OUT_DIFFERENTIAL,
    MEASURES,
    RULE_DIFFERENTIAL,
    differential_parts,
    entropy_parts,
)
from epcg_core.domain import CommandInfo, EvaluatorInfo, GeneratorInfo, InferenceRuleInfo, NoParams
from epcg_witness.params import (
    RULE_NAMES,
    PanelDifferentialParams,
    PanelEntropyParams,
    WindmillFileParams,
)

_SUMMARIES = (
    "an edge with a dot must be drawn, an edge with a gap cannot",
    "Start and End are a must; a move from the border that cuts the head off from the end is not possible",
    "an edge between squares of different colours must be drawn",
    "what the triangles beside the new edge, and behind the head, say of it",
    "symbols that touch one side of the path in a region still open must not contradict each other",
    "regions that are closed when the path reaches the border must satisfy their symbols",
)

INFERENCE_RULES = tuple(
    InferenceRuleInfo(
        name=name,
        domain="witness",
        summary=summary,
        params=NoParams,
        factory=f"epcg_witness.inference.rules:{name.replace('-', '_')}_rule",
    )
    for name, summary in zip(RULE_NAMES, _SUMMARIES, strict=True)
)

EVALUATORS = (
    EvaluatorInfo(
        name="entropy",
        domain="witness",
        summary="difficulty under a player's inference rules: MUSE, ReMUSE, adversarial entropy, MSI, TSI",
        params=PanelEntropyParams,
        metrics=(*MEASURES, ENTROPY_STATES),
        factory="epcg_witness.evaluation.entropy:make_entropy",
        uses=entropy_parts("witness", [metric.name for metric in MEASURES]),
    ),
    EvaluatorInfo(
        name="rule_differential",
        domain="witness",
        summary="what knowing one inference rule is worth to a player who knows no other",
        params=PanelDifferentialParams,
        metrics=(RULE_DIFFERENTIAL,),
        factory="epcg_witness.evaluation.entropy:make_rule_differential",
        uses=differential_parts("witness"),
    ),
    EvaluatorInfo(
        name="leave_one_out",
        domain="witness",
        summary="what knowing one inference rule is worth to a player who knows the others",
        params=PanelDifferentialParams,
        metrics=(LEAVE_ONE_OUT_DIFFERENTIAL,),
        factory="epcg_witness.evaluation.entropy:make_leave_one_out",
        uses=differential_parts("witness"),
    ),
)

GENERATORS = (
    GeneratorInfo(
        name="windmill_file",
        domain="witness",
        summary="the puzzles of a file, as The Windmill stores them",
        params=WindmillFileParams,
        factory="epcg_witness.generators.windmill_file:WindmillFile",
    ),
)

COMMANDS = (
    CommandInfo(
        name="difficulty",
        domain="witness",
        summary="measures of a file of Windmill puzzles, against their players' votes",
        factory="epcg_witness.commands.difficulty:command",
    ),
)
