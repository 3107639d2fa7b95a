"""What the tangram plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core import hookimpl
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
from epcg_tangram import instance_parts, metrics
from epcg_tangram.params import BackParams, BoardsParams, BumpParams, PartialBoardsParams
from epcg_tangram.studies import publications

EPCG_API_VERSION = 1

GENERATORS = (
    GeneratorInfo(
        name="solved_boards",
        domain="tangram",
        summary="all covers of the hexagon by the pieces, modulo its symmetries",
        params=BoardsParams,
        factory="epcg_tangram.generators.boards:solved_boards",
    ),
    GeneratorInfo(
        name="partial_boards",
        domain="tangram",
        summary="the partial boards at a depth, for the search exact_cover",
        params=PartialBoardsParams,
        factory="epcg_tangram.generators.boards:partial_boards",
    ),
    GeneratorInfo(
        name="bump_patterns",
        domain="tangram",
        summary="all ways to give the pieces' sides holes for the bumps on the back of the board",
        params=BumpParams,
        factory="epcg_tangram.generators.bumps:bump_patterns",
    ),
)

EVALUATORS = (
    EvaluatorInfo(
        name="board",
        domain="tangram",
        summary="the piece that a solved board does without, and how its pieces touch",
        params=NoParams,
        metrics=(metrics.EXCLUDED_PIECE, metrics.TRAPEZOIDS, metrics.TOUCHING_PAIRS),
        factory="epcg_tangram.evaluation.boards:board_facts",
    ),
    EvaluatorInfo(
        name="colours",
        domain="tangram",
        summary="the colour constraints that a solved board meets, by type",
        params=NoParams,
        metrics=metrics.COLOURS,
        factory="epcg_tangram.evaluation.boards:colours",
    ),
    EvaluatorInfo(
        name="back",
        domain="tangram",
        summary="how many solved boards a bump pattern allows on the back",
        params=BackParams,
        metrics=(metrics.BACK_SOLUTIONS,),
        factory="epcg_tangram.evaluation.back:make_back",
    ),
    EvaluatorInfo(
        name="back_chapters",
        domain="tangram",
        summary="how many puzzles of each type of constraint a bump pattern allows, and the fewest",
        params=BackParams,
        metrics=(*metrics.CHAPTERS, metrics.SMALLEST_CHAPTER),
        factory="epcg_tangram.evaluation.back:make_back_chapters",
    ),
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(
        DomainInfo(
            "tangram",
            "Hexagon tangram",
            "cover a hexagon of triangles with pieces made of trapezoids",
        )
    )


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for generator in (*GENERATORS, *instance_parts.GENERATORS):
        register(generator)


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    for evaluator in (*EVALUATORS, *instance_parts.EVALUATORS):
        register(evaluator)


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    for rule in instance_parts.INFERENCE_RULES:
        register(rule)


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    for form in ("svg", "text"):
        factory = f"epcg_tangram.rendering.renderers:{form}_renderer"
        register(RendererInfo(domain="tangram", format=form, factory=factory, draws_solution=True))


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    for name, summary in (
        ("cutout", "a sheet of the pieces at true size, to be cut out"),
        ("solid", "the pieces and the board for a 3D printer"),
    ):
        factory = f"epcg_tangram.commands.{name}:command"
        register(CommandInfo(name=name, domain="tangram", summary=summary, factory=factory))


@hookimpl
def epcg_register_publications(register: Callable[[PublicationInfo], None]) -> None:
    for publication in publications.PUBLICATIONS:
        register(publication)
