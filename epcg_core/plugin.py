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
    from epcg_core import (
        documents as documents,
    )
    from epcg_core.builtin import (
        SEARCHES as SEARCHES,
    )
    from epcg_core.chunks.blocks import (
        Block as Block,
        BlockEvaluator as BlockEvaluator,
        MisfitError as MisfitError,
        Names as Names,
        as_array as as_array,
    )
    from epcg_core.chunks.codec import (
        aligned_pieces as aligned_pieces,
        chunk_status as chunk_status,
        decode_chunk as decode_chunk,
    )
    from epcg_core.chunks.objective import (
        LAST_RANK as LAST_RANK,
        best_of as best_of,
    )
    from epcg_core.chunks.scores import (
        block_scores as block_scores,
        score_difference as score_difference,
    )
    from epcg_core.chunks.solutions import (
        Solution as Solution,
        actions_to_bytes as actions_to_bytes,
        actions_to_text as actions_to_text,
    )
    from epcg_core.cli import (
        output as output,
    )
    from epcg_core.cli.groups import (
        OpenGroup as OpenGroup,
    )
    from epcg_core.cli.logs import (
        hide_messages as hide_messages,
    )
    from epcg_core.cli.options import (
        candidate_timeout_option as candidate_timeout_option,
        command as command,
        computing_options as computing_options,
        db_option as db_option,
        format_option as format_option,
        json_option as json_option,
        naming_db as naming_db,
        reuse_options as reuse_options,
        run_argument as run_argument,
        security_options as security_options,
    )
    from epcg_core.cli.output import (
        Number as Number,
        count as count,
        csv_lines as csv_lines,
        duration as duration,
        json_lines as json_lines,
        json_value as json_value,
        labelled as labelled,
        plain_table as plain_table,
        printable as printable,
        say as say,
        show as show,
        size as size,
        write as write,
        write_json as write_json,
        write_table as write_table,
    )
    from epcg_core.combinatorics import (
        ArrayWalk as ArrayWalk,
        BaseBlock as BaseBlock,
        BaseRanks as BaseRanks,
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
        Changes as Changes,
        Contents as Contents,
        Edited as Edited,
        changes_of as changes_of,
        contents_of as contents_of,
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
        combination_block as combination_block,
        combination_ranks_of as combination_ranks_of,
        combinations_at as combinations_at,
        copy_row as copy_row,
        highest_bit as highest_bit,
        increment_combination as increment_combination,
        increment_combination_bits as increment_combination_bits,
        rank_combination_bits as rank_combination_bits,
        unrank_combination as unrank_combination,
        unrank_combination_bits as unrank_combination_bits,
    )
    from epcg_core.combinatorics.listed import (
        ListedPrefixes as ListedPrefixes,
    )
    from epcg_core.combinatorics.prefixes import (
        CombinationPrefixes as CombinationPrefixes,
        ConstrainedPrefixes as ConstrainedPrefixes,
        DigitPrefixes as DigitPrefixes,
        MultisetPrefixes as MultisetPrefixes,
        QuotientMultisets as QuotientMultisets,
        prefixes as prefixes,
    )
    from epcg_core.combinatorics.rearranged import (
        puts_of as puts_of,
        sites_of as sites_of,
    )
    from epcg_core.combinatorics.several import (
        Several as Several,
    )
    from epcg_core.combinatorics.tuple_kernels import (
        constrained_at as constrained_at,
        constrained_block as constrained_block,
        increment_mixed_radix as increment_mixed_radix,
        increment_multiset as increment_multiset,
        mixed_radix_at as mixed_radix_at,
        mixed_radix_block as mixed_radix_block,
        multiset_block as multiset_block,
        multisets_at as multisets_at,
        rank_multiset as rank_multiset,
        transversals_at as transversals_at,
        unrank_mixed_radix as unrank_mixed_radix,
        unrank_multiset as unrank_multiset,
    )
    from epcg_core.compiled import (
        array_njit as array_njit,
        bare_njit as bare_njit,
        lean_njit as lean_njit,
        njit as njit,
        prefers_plain as prefers_plain,
        read_only as read_only,
        warm as warm,
    )
    from epcg_core.compiled.generated import (
        GeneratedKernel as GeneratedKernel,
    )
    from epcg_core.curriculum.booklet import (
        Booklet as Booklet,
        BookletChapter as BookletChapter,
        BookletPuzzle as BookletPuzzle,
        capitalized as capitalized,
        instructions as instructions,
        paragraphs as paragraphs,
        read_booklet as read_booklet,
        told as told,
    )
    from epcg_core.curriculum.build import (
        Choices as Choices,
        NotRecordedError as NotRecordedError,
        named_parts as named_parts,
        recorded_runs as recorded_runs,
    )
    from epcg_core.curriculum.by_hand import (
        ByHand as ByHand,
    )
    from epcg_core.curriculum.choice import (
        choose as choose,
        passed_over as passed_over,
    )
    from epcg_core.curriculum.plan import (
        Part as Part,
        Plan as Plan,
        load_plan as load_plan,
        parse_plan as parse_plan,
    )
    from epcg_core.curriculum.strategies import (
        STRATEGIES as STRATEGIES,
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
        further_measures as further_measures,
        measured_rule as measured_rule,
    )
    from epcg_core.difficulty.params import (
        DifferentialParams as DifferentialParams,
        EntropyParams as EntropyParams,
    )
    from epcg_core.difficulty.policies import (
        action_information as action_information,
    )
    from epcg_core.difficulty.rules import (
        DEAD_END as DEAD_END,
        AnyRule as AnyRule,
        NumberedRule as NumberedRule,
        choice_of as choice_of,
    )
    from epcg_core.difficulty.scorers import (
        EntropyScorer as EntropyScorer,
        make_policy as make_policy,
        make_rules as make_rules,
        make_scorer as make_scorer,
    )
    from epcg_core.difficulty.search import (
        CyclicGraphError as CyclicGraphError,
    )
    from epcg_core.documents import (
        reserve as reserve,
    )
    from epcg_core.domain import (
        BOUND as BOUND,
        CAPABILITIES as CAPABILITIES,
        ERROR as ERROR,
        INFEASIBLE as INFEASIBLE,
        LIMIT as LIMIT,
        MEMBER_CAPABILITIES as MEMBER_CAPABILITIES,
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
        PositionGraph as PositionGraph,
        PrefixSpace as PrefixSpace,
        Prunings as Prunings,
        PublicationInfo as PublicationInfo,
        PublishedInfo as PublishedInfo,
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
        counted as counted,
        missing_members as missing_members,
        resolve as resolve,
        toml_tables as toml_tables,
        transition_model as transition_model,
        unknown_attributes as unknown_attributes,
        words_of as words_of,
    )
    from epcg_core.domain.editing import (
        CHANGE_KINDS as CHANGE_KINDS,
        EDGE as EDGE,
        ERASE as ERASE,
        USUAL_CHANGES as USUAL_CHANGES,
        VERTEX as VERTEX,
        Cast as Cast,
        Editor as Editor,
        Filling as Filling,
        Floored as Floored,
        Gesture as Gesture,
        Grounded as Grounded,
        Imaged as Imaged,
        Judged as Judged,
        Judgement as Judgement,
        Keeping as Keeping,
        Mark as Mark,
        Packing as Packing,
        Path as Path,
        Played as Played,
        Point as Point,
        Reads as Reads,
        Resizable as Resizable,
        Scene as Scene,
        Shaped as Shaped,
        Site as Site,
        Strokes as Strokes,
        UnfilledError as UnfilledError,
        Words as Words,
        cell as cell,
        empty_marks as empty_marks,
        laying as laying,
        square_cells as square_cells,
    )
    from epcg_core.domain.explored import (
        Explored as Explored,
        explored as explored,
    )
    from epcg_core.domain.files import (
        Fault as Fault,
        FileFormat as FileFormat,
        Piece as Piece,
        Sheet as Sheet,
    )
    from epcg_core.domain.layers import (
        Allocate as Allocate,
        release_pages as release_pages,
    )
    from epcg_core.domain.publications import (
        CANDIDATES as CANDIDATES,
        About as About,
        Ask as Ask,
        Computed as Computed,
        Exact as Exact,
        LessThan as LessThan,
        MoreThan as MoreThan,
        Origin as Origin,
        OutOfReach as OutOfReach,
        Plot as Plot,
        Published as Published,
        Rounded as Rounded,
        Row as Row,
        RowAnswer as RowAnswer,
        Significant as Significant,
        Table as Table,
        Varies as Varies,
        answer_in_words as answer_in_words,
        count_of as count_of,
        of_metric as of_metric,
        values_of as values_of,
    )
    from epcg_core.domain.workshop import (
        Canvas as Canvas,
        GameAnswer as GameAnswer,
        GameFact as GameFact,
        GameQuestion as GameQuestion,
        HasWorkshop as HasWorkshop,
        PuzzleKind as PuzzleKind,
        Setting as Setting,
        Workshop as Workshop,
    )
    from epcg_core.errors import (
        PLUGIN_EXCEPTIONS as PLUGIN_EXCEPTIONS,
        CandidateError as CandidateError,
        CheckFailedError as CheckFailedError,
        ConditionalError as ConditionalError,
        CurriculumError as CurriculumError,
        DamagedError as DamagedError,
        EpcgError as EpcgError,
        EvaluationError as EvaluationError,
        LibraryNotMadeError as LibraryNotMadeError,
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
        name_and_place as name_and_place,
        place_of as place_of,
        require as require,
        writing as writing,
    )
    from epcg_core.execution import (
        Executor as Executor,
        Progress as Progress,
        Unit as Unit,
        Work as Work,
        make_executor as make_executor,
    )
    from epcg_core.execution.apart import (
        Apart as Apart,
        TimeUpError as TimeUpError,
    )
    from epcg_core.execution.executor import (
        WAKE_UP_S as WAKE_UP_S,
        ClosingExecutor as ClosingExecutor,
        TravellingWork as TravellingWork,
        as_epcg_error as as_epcg_error,
        dispatched as dispatched,
        ended_in_set_up as ended_in_set_up,
        ended_twice as ended_twice,
        overdue as overdue,
        pickled as pickled,
    )
    from epcg_core.execution.notebook_bar import (
        in_notebook as in_notebook,
    )
    from epcg_core.execution.starting import (
        Process as Process,
        ignore_interrupts as ignore_interrupts,
        start_process as start_process,
    )
    from epcg_core.execution.worker import (
        UNIT_FAILED as UNIT_FAILED,
        UNIT_RESULT as UNIT_RESULT,
        UNIT_WARNED as UNIT_WARNED,
        WORKER_READY as WORKER_READY,
        UnitFailure as UnitFailure,
    )
    from epcg_core.execution.worker_process import (
        WorkerProcess as WorkerProcess,
        stop_workers as stop_workers,
        unpickled as unpickled,
    )
    from epcg_core.params import (
        Field as Field,
        canonical_json as canonical_json,
        fields_of as fields_of,
        form_of as form_of,
        optional_key as optional_key,
        param as param,
        plain as plain,
        structure as structure,
        toml_text as toml_text,
    )
    from epcg_core.plugins import (
        API_VERSION as API_VERSION,
        hookimpl as hookimpl,
    )
    from epcg_core.plugins.entry_points import (
        active_entry_points as active_entry_points,
    )
    from epcg_core.plugins.facade import (
        facade as facade,
    )
    from epcg_core.plugins.faces import (
        FACES as FACES,
    )
    from epcg_core.plugins.private import (
        private_imports as private_imports,
    )
    from epcg_core.plugins.registry import (
        Registry as Registry,
        registry as registry,
    )
    from epcg_core.plugins.scripts import (
        end_of_parts as end_of_parts,
    )
    from epcg_core.plugins.sources import (
        sources_of as sources_of,
    )
    from epcg_core.plugins.validation import (
        check_metric as check_metric,
    )
    from epcg_core.query import (
        wish as wish,
    )
    from epcg_core.query.inputs import (
        named_texts as named_texts,
        names_files as names_files,
        read_by as read_by,
    )
    from epcg_core.query.library import (
        Library as Library,
    )
    from epcg_core.query.named import (
        load_query as load_query,
        plan_title as plan_title,
        shipped_plans as shipped_plans,
        shipped_queries as shipped_queries,
        shipped_studies as shipped_studies,
        study_file as study_file,
    )
    from epcg_core.query.puzzle_id import (
        PUZZLE as PUZZLE,
        parse_puzzle_id as parse_puzzle_id,
        puzzle_id as puzzle_id,
    )
    from epcg_core.query.query import (
        FilterParams as FilterParams,
        PartRef as PartRef,
        Query as Query,
        RecordParams as RecordParams,
        SelectParams as SelectParams,
        WhereParams as WhereParams,
        from_data as from_data,
        load as load,
        parse_query as parse_query,
    )
    from epcg_core.query.spec import (
        PartSpec as PartSpec,
        RunSpec as RunSpec,
        SpaceSpec as SpaceSpec,
        make_generator as make_generator,
        max_rank_of as max_rank_of,
        space_in_words as space_in_words,
        space_spec as space_spec,
    )
    from epcg_core.query.written import (
        present as present,
        query_toml as query_toml,
    )
    from epcg_core.rendering import (
        grids as grids,
        svg as svg,
        tiled as tiled,
    )
    from epcg_core.rendering.board import (
        board_file as board_file,
    )
    from epcg_core.rendering.grids import (
        Alphabet as Alphabet,
        LetterGrid as LetterGrid,
    )
    from epcg_core.rendering.render import (
        format_state as format_state,
        opened_state as opened_state,
        render as render,
        render_animated as render_animated,
        render_solved as render_solved,
        render_state as render_state,
        render_unsolved as render_unsolved,
    )
    from epcg_core.rendering.scenes import (
        scene_svg as scene_svg,
    )
    from epcg_core.rendering.svg import (
        INK as INK,
        number as number,
        size_of as size_of,
    )
    from epcg_core.runs.coordinator import (
        Coordinator as Coordinator,
        Options as Options,
        Outcome as Outcome,
        execute as execute,
        plan as plan,
    )
    from epcg_core.runs.estimates import (
        about_all as about_all,
        met_of_all as met_of_all,
    )
    from epcg_core.runs.expenses import (
        NO_COST as NO_COST,
    )
    from epcg_core.runs.inputs import (
        computed_inputs as computed_inputs,
    )
    from epcg_core.runs.intervals import (
        Estimated as Estimated,
        sampled_share as sampled_share,
    )
    from epcg_core.runs.recompute import (
        Recomputation as Recomputation,
    )
    from epcg_core.runs.reuse import (
        sources_below as sources_below,
    )
    from epcg_core.runs.sampling import (
        drawn_ranks as drawn_ranks,
    )
    from epcg_core.runs.sequence import (
        is_sequence as is_sequence,
    )
    from epcg_core.runs.standing_alone import (
        run_of as run_of,
    )
    from epcg_core.runs.worker import (
        compile_kernels as compile_kernels,
    )
    from epcg_core.search.branch_and_bound.kernels import (
        add_pruning as add_pruning,
    )
    from epcg_core.search.branch_and_bound.prunings import (
        check_block as check_block,
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
        estimate_nodes as estimate_nodes,
        solve as solve,
    )
    from epcg_core.search.params import (
        PathParams as PathParams,
    )
    from epcg_core.search.planner import (
        RunDraft as RunDraft,
        search_named as search_named,
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
    from epcg_core.search.shortest_path.reachable import (
        ReachableGraph as ReachableGraph,
        reachable as reachable,
        reachable_from as reachable_from,
    )
    from epcg_core.search.shortest_path.solver import (
        PathResult as PathResult,
        shortest_path as shortest_path,
    )
    from epcg_core.services import (
        editing as editing,
        files as files,
        ledger as ledger,
        score as score,
    )
    from epcg_core.services.answers import (
        estimates as estimates,
    )
    from epcg_core.services.arguments import (
        checked as checked,
        checked_methods as checked_methods,
    )
    from epcg_core.services.asked import (
        Asked as Asked,
        Bar as Bar,
        asked as asked,
        coarse as coarse,
        run_for as run_for,
    )
    from epcg_core.services.columns import (
        Columns as Columns,
        Wanted as Wanted,
        columns as columns,
        metric_of as metric_of,
    )
    from epcg_core.services.distributions import (
        Bin as Bin,
        Distribution as Distribution,
        distribution as distribution,
    )
    from epcg_core.services.editing import (
        MOST_EXPANSIONS as MOST_EXPANSIONS,
        Document as Document,
        applied as applied,
        measures as measures,
        open_document as open_document,
        part_of as part_of,
    )
    from epcg_core.services.files import (
        kinds_of as kinds_of,
        moved as moved,
    )
    from epcg_core.services.ledger import (
        run_details as run_details,
    )
    from epcg_core.services.play import (
        Play as Play,
        Solvability as Solvability,
        Step as Step,
        solution_actions as solution_actions,
        solution_steps as solution_steps,
        step_of as step_of,
    )
    from epcg_core.services.score import (
        listed_reasons as listed_reasons,
    )
    from epcg_core.store import (
        Reader as Reader,
        RunRecord as RunRecord,
        Store as Store,
        chunk_queries as chunk_queries,
        foreign_connection as foreign_connection,
        likeness as likeness,
        selection as selection,
    )
    from epcg_core.store.connection import (
        database_path as database_path,
        is_frozen as is_frozen,
    )
    from epcg_core.store.curricula import (
        PartRow as PartRow,
        SelectionRow as SelectionRow,
    )
    from epcg_core.store.extensions import (
        has_tables as has_tables,
        make_tables as make_tables,
    )
    from epcg_core.store.imported import (
        Measured as Measured,
        check_importable as check_importable,
        save_measures as save_measures,
    )
    from epcg_core.store.kept import (
        kept_notes as kept_notes,
    )
    from epcg_core.store.recorded import (
        parsed as parsed,
    )
    from epcg_core.store.records import (
        Sample as Sample,
    )
    from epcg_core.store.run_digest import (
        EXACT_VALUES as EXACT_VALUES,
    )
    from epcg_core.store.solutions import (
        recorded_solutions as recorded_solutions,
    )
    from epcg_core.store.sparse import (
        objective_of as objective_of,
        pruning_batches as pruning_batches,
        recorded_best as recorded_best,
        states_represented as states_represented,
    )
    from epcg_core.store.sql import (
        ask_sql as ask_sql,
    )
    from epcg_core.store.traces import (
        ACTIONS as ACTIONS,
        Trace as Trace,
        TracedAction as TracedAction,
        append_traces as append_traces,
        newest_traces as newest_traces,
    )
    from epcg_core.verification.planned import (
        planned as planned,
        plugins_in_use as plugins_in_use,
    )
    from epcg_core.verification.remade import (
        checker_of as checker_of,
    )
    from epcg_core.verification.verdicts import (
        Check as Check,
        make_check as make_check,
        verdict_of as verdict_of,
    )
    from epcg_core.verification.verify import (
        new_seed as new_seed,
        not_checked as not_checked,
        verify as verify,
    )
    from epcg_core.verification.winners import (
        winners_of as winners_of,
    )
else:
    from epcg_core.plugins.facade import facade

    __getattr__, __dir__, __all__ = facade(__name__, __file__)
