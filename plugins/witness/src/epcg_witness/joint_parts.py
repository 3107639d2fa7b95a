"""What the plugin registers about joint sub-panels. Light."""

from __future__ import annotations

from epcg_core.domain import EvaluatorInfo, GeneratorInfo, NoParams
from epcg_witness import metrics
from epcg_witness.params import JointPanelsParams

GENERATORS = (
    GeneratorInfo(
        name="joint_panels",
        domain="witness",
        summary="sets of panels with polyominoes, as classes of equal solutions, for one path in all (2018)",
        params=JointPanelsParams,
        factory="epcg_witness.joint_panels.generator:JointPanels",
    ),
)

EVALUATORS = (
    EvaluatorInfo(
        name="joint_difficulty",
        domain="witness",
        summary="fewest joint solutions when a sub-panel is left out, where all together have exactly one",
        params=NoParams,
        metrics=(metrics.JOINT_DIFFICULTY,),
        factory="epcg_witness.joint_panels.evaluators:JointDifficulty",
    ),
    EvaluatorInfo(
        name="selections",
        domain="witness",
        summary="how many sets of panels a set of classes stands for",
        params=NoParams,
        metrics=(metrics.SELECTIONS,),
        factory="epcg_witness.joint_panels.evaluators:Selections",
    ),
)
