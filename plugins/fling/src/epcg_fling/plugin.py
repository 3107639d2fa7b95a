"""What the Fling! plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core import hookimpl
from epcg_core.difficulty.evaluator import entropy_evaluator
from epcg_core.domain import (
    CommandInfo,
    DomainInfo,
    EvaluatorInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    NoParams,
    PublicationInfo,
    RendererInfo,
)
from epcg_fling import metrics
from epcg_fling.params import (
    BoardEntropyParams,
    BoardsParams,
    EditsParams,
    IndependentParams,
    ReachableParams,
    TreeParams,
    UniquenessParams,
)
from epcg_fling.studies import publications

EPCG_API_VERSION = 1

EVALUATORS = (
    EvaluatorInfo(
        name="solvable",
        domain="fling",
        summary="whether some sequence of moves leaves one piece",
        params=NoParams,
        metrics=(metrics.SOLVABLE,),
        factory="epcg_fling.evaluation.solutions:Solvable",
        needs="epcg_fling.search.endgame:solvable_needs",
    ),
    EvaluatorInfo(
        name="unique",
        domain="fling",
        summary="whether the solution is unique, except for the last move (2018, Algorithm 5)",
        params=UniquenessParams,
        metrics=(metrics.UNIQUE,),
        factory="epcg_fling.evaluation.solutions:Unique",
        needs="epcg_fling.search.endgame:unique_needs",
    ),
    EvaluatorInfo(
        name="reachable_states",
        domain="fling",
        summary="distinct boards reachable by legal moves (2013, metric 1)",
        params=ReachableParams,
        metrics=(metrics.REACHABLE_STATES,),
        factory="epcg_fling.evaluation.trees:ReachableStates",
    ),
    EvaluatorInfo(
        name="legal_moves",
        domain="fling",
        summary="how many moves a board has",
        params=NoParams,
        metrics=(metrics.LEGAL_MOVES,),
        factory="epcg_fling.evaluation.moves:LegalMoves",
    ),
    EvaluatorInfo(
        name="winning_moves",
        domain="fling",
        summary="moves after which the board is still solvable (2013, metric 2)",
        params=NoParams,
        metrics=(metrics.WINNING_MOVES,),
        factory="epcg_fling.evaluation.solutions:WinningMoves",
        needs="epcg_fling.search.endgame:winning_needs",
    ),
    EvaluatorInfo(
        name="edit_effect",
        domain="fling",
        summary="cells whose edit changes solvability or uniqueness (2013, metric 3)",
        params=UniquenessParams,
        metrics=metrics.EDIT_METRICS,
        factory="epcg_fling.evaluation.solutions:EditEffect",
        needs="epcg_fling.search.endgame:edit_needs",
    ),
    EvaluatorInfo(
        name="expert_ratio",
        domain="fling",
        summary="the tree of all moves over the tree of an expert (2018, evaluating selected boards)",
        params=TreeParams,
        metrics=metrics.EXPERT_METRICS,
        factory="epcg_fling.evaluation.trees:ExpertRatio",
    ),
    EvaluatorInfo(
        name="solution",
        domain="fling",
        summary="length, switches between pieces and branching of the first solution",
        params=NoParams,
        metrics=metrics.SOLUTION_METRICS,
        factory="epcg_fling.evaluation.solutions:Solution",
        needs="epcg_fling.search.endgame:solvable_needs",
    ),
    entropy_evaluator("fling", params=BoardEntropyParams),
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(
        DomainInfo(
            "fling",
            "Fling!",
            "fling pieces at each other until one is left; boards are sets of cells",
        )
    )


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(
        GeneratorInfo(
            name="boards",
            domain="fling",
            summary="all boards of one size with one number of pieces (2018, Algorithms 2 to 4)",
            params=BoardsParams,
            factory="epcg_fling.generators.boards:Boards",
        )
    )
    register(
        GeneratorInfo(
            name="edits",
            domain="fling",
            summary="all boards that differ from a given one in a few pieces",
            params=EditsParams,
            factory="epcg_fling.generators.edits:EditedBoards",
        )
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    for evaluator in EVALUATORS:
        register(evaluator)


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    register(
        InferenceRuleInfo(
            name="independent",
            domain="fling",
            summary="a move that does not depend on the previous one can be excluded (2013)",
            params=IndependentParams,
            factory="epcg_fling.inference.rules:IndependentMoves",
        )
    )


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    for form in ("svg", "text"):
        factory = f"epcg_fling.rendering.renderers:{form}_renderer"
        register(RendererInfo(domain="fling", format=form, factory=factory, draws_solution=True))


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(
            name="analyze",
            domain="fling",
            summary="what each move and each edit of a board leads to",
            factory="epcg_fling.commands.analyze:command",
        )
    )
    register(
        CommandInfo(
            name="study",
            domain="fling",
            summary="measures of published levels and of random boards (2013)",
            factory="epcg_fling.commands.study:command",
        )
    )


@hookimpl
def epcg_register_publications(register: Callable[[PublicationInfo], None]) -> None:
    for publication in publications.PUBLICATIONS:
        register(publication)
