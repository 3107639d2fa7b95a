"""All that a plugin may import.

Contracts, descriptors of parts, ranked spaces, rules, ready evaluators and searches, params and errors;
`njit` and kernels that kernels call; SVG and boards of letters; options and tables of commands;
queries, runs and their database. `docs/reference/stability.md` says how stable it is; all else in epcg_core
is private.

Names are imported from private modules when they are first used, so that listings and help stay light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epcg_core.base import (
        documents as documents,
    )
    from epcg_core.base.errors import (
        CandidateError as CandidateError,
        CheckFailedError as CheckFailedError,
        ConditionalError as ConditionalError,
        EpcgError as EpcgError,
        OutdatedRunError as OutdatedRunError,
        ParamsError as ParamsError,
        PluginError as PluginError,
        QueryError as QueryError,
        RankError as RankError,
        RunInterruptedError as RunInterruptedError,
        UncheckedError as UncheckedError,
        UnknownNameError as UnknownNameError,
        format_exception as format_exception,
        require as require,
        writing as writing,
    )
    from epcg_core.base.params import (
        param as param,
        plain as plain,
        structure as structure,
        toml_text as toml_text,
    )
    from epcg_core.chunks.objective import (
        LAST_RANK as LAST_RANK,
    )
    from epcg_core.cli import (
        output as output,
    )
    from epcg_core.cli.logs import (
        hide_messages as hide_messages,
    )
    from epcg_core.cli.options import (
        candidate_timeout_option as candidate_timeout_option,
        command as command,
        db_option as db_option,
        format_option as format_option,
        run_argument as run_argument,
    )
    from epcg_core.combinatorics import (
        ArrayWalk as ArrayWalk,
        Combinations as Combinations,
        ConstrainedTuples as ConstrainedTuples,
        FactoredSpace as FactoredSpace,
        KPermutations as KPermutations,
        Listed as Listed,
        MixedRadix as MixedRadix,
        Multisets as Multisets,
        MyrvoldRuskeyPermutations as MyrvoldRuskeyPermutations,
        Occurrences as Occurrences,
        PartialTransversals as PartialTransversals,
        Permutations as Permutations,
        Product as Product,
        RankedSpace as RankedSpace,
        Walk as Walk,
    )
    from epcg_core.combinatorics.contents import (
        Contents as Contents,
        changes_of as changes_of,
    )
    from epcg_core.combinatorics.edits import (
        EditedSpace as EditedSpace,
    )
    from epcg_core.combinatorics.kernels import (
        binomial_table as binomial_table,
        bit_count as bit_count,
        bit_index as bit_index,
        combination_bits_at as combination_bits_at,
        combination_bits_block as combination_bits_block,
        combination_ranks_of as combination_ranks_of,
        copy_row as copy_row,
        highest_bit as highest_bit,
        increment_combination_bits as increment_combination_bits,
        rank_combination_bits as rank_combination_bits,
        unrank_combination_bits as unrank_combination_bits,
    )
    from epcg_core.combinatorics.prefixes import (
        QuotientMultisets as QuotientMultisets,
        prefixes as prefixes,
    )
    from epcg_core.combinatorics.tuple_kernels import (
        increment_multiset as increment_multiset,
        unrank_multiset as unrank_multiset,
    )
    from epcg_core.compiled import (
        array_njit as array_njit,
        bare_njit as bare_njit,
        compiled_or_small as compiled_or_small,
        lean_njit as lean_njit,
        njit as njit,
        prefers_plain as prefers_plain,
        read_only as read_only,
        warm as warm,
    )
    from epcg_core.compiled.generated import (
        GeneratedKernel as GeneratedKernel,
    )
    from epcg_core.curriculum.strategies import (
        Pick as Pick,
        Pool as Pool,
        Strategy as Strategy,
    )
    from epcg_core.difficulty import (
        Answer as Answer,
        Difficulty as Difficulty,
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
        further_measures as further_measures,
        measured_rule as measured_rule,
    )
    from epcg_core.difficulty.params import (
        DifferentialParams as DifferentialParams,
        EntropyParams as EntropyParams,
    )
    from epcg_core.difficulty.patterns import (
        PatternRule as PatternRule,
        PatternsParams as PatternsParams,
    )
    from epcg_core.domain import (
        BOUND as BOUND,
        INFEASIBLE as INFEASIBLE,
        LIMIT as LIMIT,
        NONE as NONE,
        STATUS_NAMES as STATUS_NAMES,
        VALUE as VALUE,
        WHOLE as WHOLE,
        ArrayGenerator as ArrayGenerator,
        Bits as Bits,
        BlockResult as BlockResult,
        CheckInfo as CheckInfo,
        CommandInfo as CommandInfo,
        CompiledEvaluator as CompiledEvaluator,
        Cutoff as Cutoff,
        Domain as Domain,
        DomainInfo as DomainInfo,
        Edit as Edit,
        EditorInfo as EditorInfo,
        EntropyScorerInfo as EntropyScorerInfo,
        Evaluation as Evaluation,
        Evaluator as Evaluator,
        EvaluatorInfo as EvaluatorInfo,
        ExecutorInfo as ExecutorInfo,
        FormatInfo as FormatInfo,
        GameData as GameData,
        Generator as Generator,
        GeneratorInfo as GeneratorInfo,
        InferenceRuleInfo as InferenceRuleInfo,
        Instruction as Instruction,
        KindInfo as KindInfo,
        LayeredSpace as LayeredSpace,
        LimitReachedError as LimitReachedError,
        MethodInfo as MethodInfo,
        Metric as Metric,
        NoParams as NoParams,
        Omission as Omission,
        PackedModel as PackedModel,
        PolicyInfo as PolicyInfo,
        PrefixSpace as PrefixSpace,
        Prunings as Prunings,
        PublishedInfo as PublishedInfo,
        Reading as Reading,
        RendererInfo as RendererInfo,
        SearchInfo as SearchInfo,
        SelectionRuleInfo as SelectionRuleInfo,
        StrategyInfo as StrategyInfo,
        Successors as Successors,
        TableNeed as TableNeed,
        TablesInfo as TablesInfo,
        TransitionModel as TransitionModel,
        Value as Value,
        counted as counted,
        resolve as resolve,
        toml_tables as toml_tables,
    )
    from epcg_core.domain.editing import (
        EDGE as EDGE,
        ERASE as ERASE,
        VERTEX as VERTEX,
        Cast as Cast,
        Editor as Editor,
        GameQuestion as GameQuestion,
        Gesture as Gesture,
        Judgement as Judgement,
        Mark as Mark,
        Path as Path,
        Point as Point,
        Scene as Scene,
        Site as Site,
        UnfilledError as UnfilledError,
        Words as Words,
        cell as cell,
        square_cells as square_cells,
    )
    from epcg_core.domain.explored import (
        Explored as Explored,
        explored as explored,
    )
    from epcg_core.domain.files import (
        Fault as Fault,
        Piece as Piece,
        Sheet as Sheet,
    )
    from epcg_core.domain.layers import (
        Allocate as Allocate,
        release_pages as release_pages,
    )
    from epcg_core.domain.workshop import (
        Canvas as Canvas,
        GameAnswer as GameAnswer,
        GameFact as GameFact,
        PuzzleKind as PuzzleKind,
        Setting as Setting,
        Workshop as Workshop,
    )
    from epcg_core.execution import (
        Executor as Executor,
        Progress as Progress,
        make_executor as make_executor,
    )
    from epcg_core.execution.apart import (
        Apart as Apart,
        TimeUpError as TimeUpError,
    )
    from epcg_core.plugins import (
        API_VERSION as API_VERSION,
        hookimpl as hookimpl,
    )
    from epcg_core.plugins.methods import (
        required as required,
    )
    from epcg_core.plugins.registry import (
        registry as registry,
    )
    from epcg_core.query.library import (
        Library as Library,
    )
    from epcg_core.query.named import (
        load_query as load_query,
    )
    from epcg_core.query.puzzle_id import (
        parse_puzzle_id as parse_puzzle_id,
    )
    from epcg_core.query.query import (
        PartRef as PartRef,
        Query as Query,
        from_data as from_data,
        load as load,
    )
    from epcg_core.query.spec import (
        PartSpec as PartSpec,
        RunSpec as RunSpec,
        SpaceSpec as SpaceSpec,
        make_generator as make_generator,
    )
    from epcg_core.rendering import (
        grids as grids,
        svg as svg,
        tiled as tiled,
    )
    from epcg_core.rendering.grids import (
        Alphabet as Alphabet,
        LetterGrid as LetterGrid,
    )
    from epcg_core.rendering.svg import (
        INK as INK,
        number as number,
    )
    from epcg_core.runs.coordinator import (
        Coordinator as Coordinator,
        Options as Options,
        Outcome as Outcome,
        execute as execute,
    )
    from epcg_core.search.branch_and_bound.kernels import (
        add_pruning as add_pruning,
    )
    from epcg_core.search.branch_and_bound.search import (
        PlainSearch as PlainSearch,
    )
    from epcg_core.search.exact_cover.choices import (
        count_covers as count_covers,
    )
    from epcg_core.search.exact_cover.counting import (
        CoverCount as CoverCount,
        count_by_states as count_by_states,
    )
    from epcg_core.search.exact_cover.problem import (
        CoverProblem as CoverProblem,
    )
    from epcg_core.search.exact_cover.solver import (
        PartialCovers as PartialCovers,
        estimate_cost as estimate_cost,
        solve as solve,
    )
    from epcg_core.search.params import (
        PathParams as PathParams,
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
    from epcg_core.search.shortest_path.of_play import (
        play_evaluators as play_evaluators,
    )
    from epcg_core.search.shortest_path.reachable import (
        ReachableGraph as ReachableGraph,
        reachable as reachable,
        reachable_from as reachable_from,
    )
    from epcg_core.search.shortest_path.solver import (
        PathResult as PathResult,
        shortest_path as shortest_path,
    )
    from epcg_core.store import (
        Reader as Reader,
        RunRecord as RunRecord,
        Store as Store,
        find as find,
    )
    from epcg_core.store.columns import (
        Wanted as Wanted,
        columns as columns,
    )
    from epcg_core.store.extensions import (
        has_tables as has_tables,
        make_tables as make_tables,
    )
    from epcg_core.verification.verify import (
        verify as verify,
    )
else:
    from epcg_core.plugins.facade import facade

    __getattr__, __dir__, __all__ = facade(__name__, __file__)
