"""Names of the core that the faces of EPCG use, without a promise.

The faces (workbench, publishing, research, testing, cluster) are made and released with the core, and depend
on its exact version. A plugin of others imports from `epcg_core.plugin`: names here may change or go in any
release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epcg_core.api.arguments import (
        checked as checked,
        checked_methods as checked_methods,
    )
    from epcg_core.api.report import (
        json_text as json_text,
        location_of as location_of,
    )
    from epcg_core.base.documents import (
        reserve as reserve,
    )
    from epcg_core.base.errors import (
        PLUGIN_EXCEPTIONS as PLUGIN_EXCEPTIONS,
        CurriculumError as CurriculumError,
        LibraryNotMadeError as LibraryNotMadeError,
        StoreError as StoreError,
        WorkerDiedError as WorkerDiedError,
        name_and_place as name_and_place,
        place_of as place_of,
    )
    from epcg_core.base.params import (
        Field as Field,
        canonical_json as canonical_json,
        fields_of as fields_of,
        form_of as form_of,
        optional_key as optional_key,
    )
    from epcg_core.base.texts import (
        check_ending as check_ending,
        decoded as decoded,
        no_folder as no_folder,
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
    from epcg_core.cli.groups import (
        OpenGroup as OpenGroup,
    )
    from epcg_core.cli.options import (
        computing_options as computing_options,
        json_flag as json_flag,
        json_option as json_option,
        naming_db as naming_db,
        reuse_options as reuse_options,
        security_options as security_options,
    )
    from epcg_core.cli.output import (
        Number as Number,
        count as count,
        csv_lines as csv_lines,
        json_lines as json_lines,
        json_value as json_value,
        plain_table as plain_table,
        say as say,
        show as show,
        write as write,
        write_json as write_json,
        write_report as write_report,
        write_table as write_table,
    )
    from epcg_core.combinatorics.contents import (
        Changes as Changes,
        contents_of as contents_of,
    )
    from epcg_core.combinatorics.rearranged import (
        puts_of as puts_of,
        sites_of as sites_of,
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
    )
    from epcg_core.difficulty import (
        ActionFilter as ActionFilter,
        Inference as Inference,
        LookBackRule as LookBackRule,
    )
    from epcg_core.difficulty.patterns import (
        PATTERNS as PATTERNS,
        Pattern as Pattern,
        PatternPlace as PatternPlace,
        PatternView as PatternView,
        format_pattern as format_pattern,
        images_of as images_of,
        parse_pattern as parse_pattern,
    )
    from epcg_core.difficulty.policies import (
        action_information as action_information,
    )
    from epcg_core.difficulty.rules import (
        AnyRule as AnyRule,
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
    from epcg_core.domain import (
        CAPABILITIES as CAPABILITIES,
        ERROR as ERROR,
        MEMBER_CAPABILITIES as MEMBER_CAPABILITIES,
        ArrayEvaluator as ArrayEvaluator,
        CompiledLayers as CompiledLayers,
        CompiledPartialEvaluator as CompiledPartialEvaluator,
        EditedContent as EditedContent,
        FusedEvaluator as FusedEvaluator,
        PartialEvaluator as PartialEvaluator,
        actions_of as actions_of,
        missing_members as missing_members,
        transition_model as transition_model,
        unknown_attributes as unknown_attributes,
        words_of as words_of,
    )
    from epcg_core.domain.content import (
        format_state as format_state,
        opened_state as opened_state,
    )
    from epcg_core.domain.editing import (
        USUAL_CHANGES as USUAL_CHANGES,
        empty_marks as empty_marks,
        laying as laying,
    )
    from epcg_core.domain.files import (
        FileFormat as FileFormat,
    )
    from epcg_core.editing import (
        editing as editing,
        files as files,
        score as score,
    )
    from epcg_core.editing.editing import (
        MOST_EXPANSIONS as MOST_EXPANSIONS,
        Document as Document,
        applied as applied,
        measures as measures,
        open_document as open_document,
        part_of as part_of,
    )
    from epcg_core.editing.play import (
        Play as Play,
        Solvability as Solvability,
        Step as Step,
        solution_actions as solution_actions,
        solution_steps as solution_steps,
        step_maker as step_maker,
        step_of as step_of,
        written as written,
    )
    from epcg_core.execution import (
        Unit as Unit,
        Work as Work,
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
    from epcg_core.execution.progress import (
        ProgressListener as ProgressListener,
        listened_to_by as listened_to_by,
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
    from epcg_core.query.conditions import (
        Condition as Condition,
    )
    from epcg_core.query.inputs import (
        named_texts as named_texts,
        names_files as names_files,
        read_by as read_by,
    )
    from epcg_core.query.named import (
        plan_title as plan_title,
        query_title as query_title,
        shipped_plans as shipped_plans,
        shipped_queries as shipped_queries,
        study_file as study_file,
    )
    from epcg_core.query.puzzle_id import (
        PUZZLE as PUZZLE,
        puzzle_id as puzzle_id,
    )
    from epcg_core.query.query import (
        FilterParams as FilterParams,
        RecordParams as RecordParams,
        SelectParams as SelectParams,
        parse_query as parse_query,
    )
    from epcg_core.query.short_ids import (
        shortened as shortened,
    )
    from epcg_core.query.spec import (
        max_rank_of as max_rank_of,
        space_in_words as space_in_words,
        space_spec as space_spec,
    )
    from epcg_core.query.written import (
        present as present,
        query_toml as query_toml,
    )
    from epcg_core.rendering.board import (
        board_file as board_file,
    )
    from epcg_core.rendering.render import (
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
        size_of as size_of,
    )
    from epcg_core.runs import (
        ledger as ledger,
    )
    from epcg_core.runs.answers import (
        estimates as estimates,
    )
    from epcg_core.runs.asked import (
        asked as asked,
        coarse as coarse,
        run_for as run_for,
    )
    from epcg_core.runs.coordinator import (
        plan as plan,
    )
    from epcg_core.runs.distributions import (
        Bin as Bin,
        Distribution as Distribution,
        distribution as distribution,
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
        sampled_share as sampled_share,
    )
    from epcg_core.runs.ledger import (
        run_details as run_details,
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
    from epcg_core.search.branch_and_bound.prunings import (
        check_block as check_block,
    )
    from epcg_core.search.planner import (
        search_named as search_named,
    )
    from epcg_core.search.protocol import (
        Checker as Checker,
        Search as Search,
        Solver as Solver,
    )
    from epcg_core.store import (
        foreign_connection as foreign_connection,
        likeness as likeness,
        selection as selection,
    )
    from epcg_core.store.columns import (
        Columns as Columns,
        metric_of as metric_of,
    )
    from epcg_core.store.connection import (
        database_path as database_path,
        is_frozen as is_frozen,
    )
    from epcg_core.store.curricula import (
        PartRow as PartRow,
        SelectionRow as SelectionRow,
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
    )
    from epcg_core.verification.winners import (
        winners_of as winners_of,
    )
else:
    from epcg_core.plugins.facade import facade

    __getattr__, __dir__, __all__ = facade(__name__, __file__)
