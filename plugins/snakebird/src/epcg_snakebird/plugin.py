"""What the Snakebird plugin registers. Light: no kernel is imported until a part is made."""

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
from epcg_core.search.shortest_path.evaluators import edited_path_evaluator, shortest_path_evaluator
from epcg_snakebird import metrics
from epcg_snakebird.params import (
    BranchingParams,
    EditsParams,
    LevelEntropyParams,
    LevelsParams,
    StateSpaceParams,
)
from epcg_snakebird.studies import publications

EPCG_API_VERSION = 1

GENERATORS = (
    GeneratorInfo(
        name="levels",
        domain="snakebird",
        summary="the levels of a file or a folder",
        params=LevelsParams,
        factory="epcg_snakebird.generators.levels:Levels",
    ),
    GeneratorInfo(
        name="edits",
        domain="snakebird",
        summary="all variants of a level with one tile changed, or several (2020)",
        params=EditsParams,
        factory="epcg_snakebird.generators.edits:Edits",
    ),
)

EVALUATORS = (
    EvaluatorInfo(
        name="state_space",
        domain="snakebird",
        summary="positions that play can reach, and how many of them are lost",
        params=StateSpaceParams,
        metrics=(metrics.REACHABLE_STATES, metrics.DEAD_ENDS, metrics.STUCK_STATES),
        factory="epcg_snakebird.evaluation.positions:StateSpace",
    ),
    EvaluatorInfo(
        name="branching",
        domain="snakebird",
        summary="how many moves there are along the shortest solution",
        params=BranchingParams,
        metrics=(metrics.SOLUTION_BRANCHING, metrics.SOLUTION_FORKS),
        factory="epcg_snakebird.evaluation.positions:Branching",
    ),
    shortest_path_evaluator("snakebird"),
    edited_path_evaluator("snakebird"),
    entropy_evaluator("snakebird", params=LevelEntropyParams, measures=("muse", "msi")),
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(
        DomainInfo(
            "snakebird",
            "Snakebird",
            "lead snakes that push, grow and fall to the exit, after all fruit is eaten",
        )
    )


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for generator in GENERATORS:
        register(generator)


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    for evaluator in EVALUATORS:
        register(evaluator)


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    register(
        InferenceRuleInfo(
            name="changes-nothing",
            domain="snakebird",
            summary="a move after which everything is where it was is excluded",
            params=NoParams,
            factory="epcg_snakebird.inference.rules:changes_nothing_rule",
        )
    )


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    register(
        RendererInfo(
            domain="snakebird", format="svg", factory="epcg_snakebird.rendering.renderers:svg_renderer"
        )
    )
    text = "epcg_snakebird.rendering.renderers:text_renderer"
    register(RendererInfo(domain="snakebird", format="text", factory=text, draws_solution=True))


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    for name, summary in (
        ("play", "play a level in the terminal"),
        ("heatmap", "what the best change of each tile does to a level's solution"),
        ("study", "what single changes of tiles do to the solutions of a folder's levels (2020)"),
    ):
        factory = f"epcg_snakebird.commands.{name}:command"
        register(CommandInfo(name=name, domain="snakebird", summary=summary, factory=factory))


@hookimpl
def epcg_register_publications(register: Callable[[PublicationInfo], None]) -> None:
    for publication in publications.PUBLICATIONS:
        register(publication)
