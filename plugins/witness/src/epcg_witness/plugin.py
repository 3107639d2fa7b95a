"""What the Witness plugin registers. Light: no kernel is imported until a part is made."""

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
from epcg_witness import difficulty_parts, joint_parts, metrics
from epcg_witness.params import (
    BlanksParams,
    EditsParams,
    MustCrossParams,
    PiecesParams,
    PlacementParams,
    SolutionsParams,
)
from epcg_witness.studies import publications

EPCG_API_VERSION = 1

GENERATORS = (
    GeneratorInfo(
        name="must_cross",
        domain="witness",
        summary="all placements of must-cross dots on the edges and vertices of an empty panel",
        params=MustCrossParams,
        factory="epcg_witness.generators.placements:must_cross",
    ),
    GeneratorInfo(
        name="pieces",
        domain="witness",
        summary="all placements of polyominoes of a library in the cells of an empty panel (2018)",
        params=PiecesParams,
        factory="epcg_witness.generators.placements:pieces",
    ),
    GeneratorInfo(
        name="placements",
        domain="witness",
        summary="all ways to place groups of symbols on a panel: which, how many, where",
        params=PlacementParams,
        factory="epcg_witness.generators.placements:placements",
    ),
    GeneratorInfo(
        name="blanks",
        domain="witness",
        summary="all ways to fill the marked cells of a drawn panel",
        params=BlanksParams,
        factory="epcg_witness.generators.placements:blanks",
    ),
    GeneratorInfo(
        name="edits",
        domain="witness",
        summary="all panels that differ from a given one in a few symbols",
        params=EditsParams,
        factory="epcg_witness.generators.edits:EditedPanels",
    ),
)

EVALUATORS = (
    EvaluatorInfo(
        name="solutions",
        domain="witness",
        summary="how many paths satisfy every symbol",
        params=SolutionsParams,
        metrics=(metrics.SOLUTIONS,),
        factory="epcg_witness.evaluation.solutions:make_solutions",
    ),
    EvaluatorInfo(
        name="unique",
        domain="witness",
        summary="whether exactly one path satisfies every symbol",
        params=NoParams,
        metrics=(metrics.UNIQUE,),
        factory="epcg_witness.evaluation.solutions:make_unique",
    ),
    EvaluatorInfo(
        name="shortest_solution",
        domain="witness",
        summary="edges of the shortest solution",
        params=NoParams,
        metrics=(metrics.SHORTEST_SOLUTION,),
        factory="epcg_witness.evaluation.solutions:make_shortest_solution",
    ),
    EvaluatorInfo(
        name="longest_solution",
        domain="witness",
        summary="edges of the longest solution",
        params=NoParams,
        metrics=(metrics.LONGEST_SOLUTION,),
        factory="epcg_witness.evaluation.solutions:make_longest_solution",
    ),
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(
        DomainInfo(
            "witness",
            "The Witness",
            "draw one line through a panel so that every symbol on it is satisfied",
        )
    )


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for generator in (*GENERATORS, *difficulty_parts.GENERATORS, *joint_parts.GENERATORS):
        register(generator)


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    for evaluator in (*EVALUATORS, *difficulty_parts.EVALUATORS, *joint_parts.EVALUATORS):
        register(evaluator)


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    for form in ("svg", "text"):
        factory = f"epcg_witness.rendering.renderers:{form}_renderer"
        register(RendererInfo(domain="witness", format=form, factory=factory, draws_solution=True))


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    for rule in difficulty_parts.INFERENCE_RULES:
        register(rule)


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    for command in difficulty_parts.COMMANDS:
        register(command)


@hookimpl
def epcg_register_publications(register: Callable[[PublicationInfo], None]) -> None:
    for publication in publications.PUBLICATIONS:
        register(publication)
