"""The contracts between domains and the core.

A *generator* produces every piece of content by its rank, an *evaluator* scores states, a *transition model*
says how a puzzle is played, a *layered space* is solved from the bottom by retrograde analysis. All are
structural (typed Protocols): a plugin inherits nothing. Plugins register frozen descriptors with lazy
factories, so that listing the domains runs none of their heavy code.

Parts meet in arrays. A generator may offer `states_block` and `states_at` (one packed array of states), an
evaluator `evaluate_states` (one array per metric and a status per candidate). `epcg_core.chunks.blocks`
supplies the array forms of plain parts, so plain Python and compiled kernels live behind one interface.
"""

from __future__ import annotations

from epcg_core.domain.bounds import (
    BOUND,
    INFEASIBLE,
    PRUNING_REASONS,
    BlockResult,
    CompiledPartialEvaluator,
    Cutoff,
    PartialEvaluator,
    PrefixSpace,
    Prunings,
    SearchingEvaluator,
)
from epcg_core.domain.capabilities import (
    CAPABILITIES,
    MEMBERS,
    capability_names,
    missing_members,
    unknown_attributes,
    warn_of_unknown_attributes,
)
from epcg_core.domain.content import (
    ArrayEvaluator,
    ArrayGenerator,
    CompiledEvaluator,
    Edit,
    EditedContent,
    Evaluator,
    FusedEvaluator,
    GameData,
    Generator,
    Omission,
)
from epcg_core.domain.descriptors import (
    CORE_SELECTION_RULES,
    CommandInfo,
    DomainInfo,
    EditorInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    ImportString,
    InferenceRuleInfo,
    Instruction,
    NoParams,
    PolicyInfo,
    PublicationInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
    TableNeed,
    callables_of,
    modules_of,
    resolve,
)
from epcg_core.domain.domain import Domain
from epcg_core.domain.graph import DirectedGraph, RankedGraph
from epcg_core.domain.layers import CompiledLayers, LayeredSpace, SizedLayers
from epcg_core.domain.play import PackedModel, Successors, TransitionModel, actions_of, transition_model
from epcg_core.domain.values import (
    ERROR,
    LIMIT,
    NONE,
    STATUS_NAMES,
    VALUE,
    Bits,
    Evaluation,
    LimitReachedError,
    Metric,
    Value,
)

__all__ = [
    "CORE_SELECTION_RULES",
    "BOUND",
    "CAPABILITIES",
    "ERROR",
    "INFEASIBLE",
    "LIMIT",
    "MEMBERS",
    "NONE",
    "PRUNING_REASONS",
    "STATUS_NAMES",
    "VALUE",
    "ArrayEvaluator",
    "ArrayGenerator",
    "Bits",
    "BlockResult",
    "CommandInfo",
    "CompiledLayers",
    "CompiledPartialEvaluator",
    "Cutoff",
    "DirectedGraph",
    "Domain",
    "DomainInfo",
    "EditorInfo",
    "Edit",
    "EditedContent",
    "EntropyScorerInfo",
    "Evaluation",
    "Evaluator",
    "EvaluatorInfo",
    "FormatInfo",
    "CompiledEvaluator",
    "FusedEvaluator",
    "GameData",
    "Generator",
    "GeneratorInfo",
    "ImportString",
    "InferenceRuleInfo",
    "Instruction",
    "LayeredSpace",
    "LimitReachedError",
    "Metric",
    "NoParams",
    "Omission",
    "PackedModel",
    "PartialEvaluator",
    "PolicyInfo",
    "PrefixSpace",
    "Prunings",
    "PublicationInfo",
    "RankedGraph",
    "RendererInfo",
    "SearchInfo",
    "SearchingEvaluator",
    "SizedLayers",
    "SelectionRuleInfo",
    "StrategyInfo",
    "Successors",
    "TableNeed",
    "TransitionModel",
    "Value",
    "capability_names",
    "missing_members",
    "actions_of",
    "callables_of",
    "modules_of",
    "resolve",
    "transition_model",
    "unknown_attributes",
    "warn_of_unknown_attributes",
]
