"""All that a plugin may import: contracts, descriptors, spaces, rules, ready evaluators and searches, errors.

`plugin.kernels` has what compiled code is made of, `plugin.drawing` what pictures are made of,
`plugin.commands` what commands are made of, and `plugin.engine` queries, runs and their database. These five
modules are stable as `docs/reference/stability.md` says; everything else in epcg_core is private.

Names are imported from private modules when they are first used, so that listings and help stay light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import facade

if TYPE_CHECKING:
    from epcg_core.combinatorics import (
        Combinations as Combinations,
        ConstrainedTuples as ConstrainedTuples,
        KPermutations as KPermutations,
        MixedRadix as MixedRadix,
        Multisets as Multisets,
        MyrvoldRuskeyPermutations as MyrvoldRuskeyPermutations,
        Occurrences as Occurrences,
        PartialTransversals as PartialTransversals,
        Permutations as Permutations,
        Product as Product,
        RankedSpace as RankedSpace,
    )
    from epcg_core.combinatorics.contents import (
        Changes as Changes,
        Contents as Contents,
        Edited as Edited,
        changes_of as changes_of,
        contents_of as contents_of,
    )
    from epcg_core.combinatorics.edits import (
        EditedSpace as EditedSpace,
    )
    from epcg_core.combinatorics.prefixes import (
        CombinationPrefixes as CombinationPrefixes,
        ConstrainedPrefixes as ConstrainedPrefixes,
        DigitPrefixes as DigitPrefixes,
        MultisetPrefixes as MultisetPrefixes,
        QuotientMultisets as QuotientMultisets,
        prefixes as prefixes,
    )
    from epcg_core.curriculum.strategies import (
        Pick as Pick,
        Pool as Pool,
        Strategy as Strategy,
    )
    from epcg_core.difficulty import (
        ActionChoice as ActionChoice,
        ActionFilter as ActionFilter,
        Answer as Answer,
        Difficulty as Difficulty,
        Inference as Inference,
        LookBackRule as LookBackRule,
        Policy as Policy,
        Rule as Rule,
        Stage as Stage,
        StateSpace as StateSpace,
    )
    from epcg_core.difficulty.differential import (
        difference as difference,
    )
    from epcg_core.difficulty.evaluator import (
        ENTROPY_STATES as ENTROPY_STATES,
        LEAVE_ONE_OUT_DIFFERENTIAL as LEAVE_ONE_OUT_DIFFERENTIAL,
        MEASURES as MEASURES,
        RULE_DIFFERENTIAL as RULE_DIFFERENTIAL,
        Entropy as Entropy,
        differential_evaluators as differential_evaluators,
        differential_parts as differential_parts,
        entropy_evaluator as entropy_evaluator,
        entropy_parts as entropy_parts,
        measured_rule as measured_rule,
    )
    from epcg_core.difficulty.params import (
        DifferentialParams as DifferentialParams,
        EntropyParams as EntropyParams,
    )
    from epcg_core.difficulty.rules import (
        DEAD_END as DEAD_END,
    )
    from epcg_core.domain import (
        BOUND as BOUND,
        ERROR as ERROR,
        INFEASIBLE as INFEASIBLE,
        LIMIT as LIMIT,
        NONE as NONE,
        STATUS_NAMES as STATUS_NAMES,
        VALUE as VALUE,
        WHOLE as WHOLE,
        ArrayEvaluator as ArrayEvaluator,
        ArrayGenerator as ArrayGenerator,
        Bits as Bits,
        BlockResult as BlockResult,
        CheckInfo as CheckInfo,
        CommandInfo as CommandInfo,
        CompiledEvaluator as CompiledEvaluator,
        CompiledLayers as CompiledLayers,
        CompiledPartialEvaluator as CompiledPartialEvaluator,
        Cutoff as Cutoff,
        DirectedGraph as DirectedGraph,
        Domain as Domain,
        DomainInfo as DomainInfo,
        Edit as Edit,
        EditedContent as EditedContent,
        EditorInfo as EditorInfo,
        EntropyScorerInfo as EntropyScorerInfo,
        Evaluation as Evaluation,
        Evaluator as Evaluator,
        EvaluatorInfo as EvaluatorInfo,
        ExecutorInfo as ExecutorInfo,
        ExporterInfo as ExporterInfo,
        FormatInfo as FormatInfo,
        FusedEvaluator as FusedEvaluator,
        GameData as GameData,
        Generator as Generator,
        GeneratorInfo as GeneratorInfo,
        ImportString as ImportString,
        InferenceRuleInfo as InferenceRuleInfo,
        Instruction as Instruction,
        LayeredSpace as LayeredSpace,
        LimitReachedError as LimitReachedError,
        MethodInfo as MethodInfo,
        Metric as Metric,
        NoParams as NoParams,
        Omission as Omission,
        PackedModel as PackedModel,
        PageInfo as PageInfo,
        PartialEvaluator as PartialEvaluator,
        PolicyInfo as PolicyInfo,
        PrefixSpace as PrefixSpace,
        Prunings as Prunings,
        PublicationInfo as PublicationInfo,
        RankedGraph as RankedGraph,
        Reading as Reading,
        RendererInfo as RendererInfo,
        SearchInfo as SearchInfo,
        SearchingEvaluator as SearchingEvaluator,
        SelectionRuleInfo as SelectionRuleInfo,
        SizedLayers as SizedLayers,
        StrategyInfo as StrategyInfo,
        Successors as Successors,
        TableNeed as TableNeed,
        TablesInfo as TablesInfo,
        TransitionModel as TransitionModel,
        Value as Value,
        actions_of as actions_of,
        resolve as resolve,
        transition_model as transition_model,
    )
    from epcg_core.domain.editing import (
        EDGE as EDGE,
        ERASE as ERASE,
        VERTEX as VERTEX,
        Editor as Editor,
        Filling as Filling,
        Gesture as Gesture,
        Imaged as Imaged,
        Mark as Mark,
        Packing as Packing,
        Path as Path,
        Played as Played,
        Point as Point,
        Reads as Reads,
        Resizable as Resizable,
        Scene as Scene,
        Site as Site,
        Strokes as Strokes,
        UnfilledError as UnfilledError,
        Words as Words,
        cell as cell,
        square_cells as square_cells,
    )
    from epcg_core.domain.layers import (
        Allocate as Allocate,
        release_pages as release_pages,
    )
    from epcg_core.domain.publications import (
        CANDIDATES as CANDIDATES,
        About as About,
        Ask as Ask,
        Exact as Exact,
        MoreThan as MoreThan,
        Origin as Origin,
        OutOfReach as OutOfReach,
        Plot as Plot,
        Published as Published,
        Rounded as Rounded,
        Row as Row,
        Significant as Significant,
        Table as Table,
        Varies as Varies,
        count_of as count_of,
        of_metric as of_metric,
        values_of as values_of,
    )
    from epcg_core.errors import (
        CandidateError as CandidateError,
        CheckFailedError as CheckFailedError,
        ConditionalError as ConditionalError,
        CurriculumError as CurriculumError,
        DamagedError as DamagedError,
        EpcgError as EpcgError,
        EvaluationError as EvaluationError,
        OutdatedRunError as OutdatedRunError,
        OutOfMemoryError as OutOfMemoryError,
        ParamsError as ParamsError,
        PluginError as PluginError,
        QueryError as QueryError,
        RankError as RankError,
        RunInterruptedError as RunInterruptedError,
        StoreError as StoreError,
        UncheckedError as UncheckedError,
        UnitTimeoutError as UnitTimeoutError,
        UnknownNameError as UnknownNameError,
        WorkerDiedError as WorkerDiedError,
        format_exception as format_exception,
        require as require,
        writing as writing,
    )
    from epcg_core.params import (
        param as param,
        plain as plain,
        structure as structure,
    )
    from epcg_core.plugins import (
        API_VERSION as API_VERSION,
        hookimpl as hookimpl,
    )
    from epcg_core.query.spec import (
        RunSpec as RunSpec,
    )
    from epcg_core.search.exact_cover.problem import (
        CoverProblem as CoverProblem,
    )
    from epcg_core.search.exact_cover.solver import (
        PartialCovers as PartialCovers,
        estimate_nodes as estimate_nodes,
        solve as solve,
    )
    from epcg_core.search.params import (
        PathParams as PathParams,
    )
    from epcg_core.search.planner import (
        RunDraft as RunDraft,
    )
    from epcg_core.search.protocol import (
        Checker as Checker,
        Search as Search,
        Solver as Solver,
    )
    from epcg_core.search.selective import (
        Scorer as Scorer,
        SelectiveSearch as SelectiveSearch,
    )
    from epcg_core.search.shortest_path.evaluators import (
        ShortestSolution as ShortestSolution,
        edited_path_evaluator as edited_path_evaluator,
        shortest_path_evaluator as shortest_path_evaluator,
    )
    from epcg_core.search.shortest_path.positions import (
        PositionTable as PositionTable,
    )
    from epcg_core.search.shortest_path.solver import (
        PathResult as PathResult,
        shortest_path as shortest_path,
    )
else:
    __getattr__, __dir__, __all__ = facade(__name__, __file__)
