"""What the plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core import hookimpl
from epcg_core.domain import (
    CommandInfo,
    DomainInfo,
    EvaluatorInfo,
    GeneratorInfo,
    NoParams,
    RendererInfo,
)
from epcg_core.search.shortest_path.evaluators import shortest_path_evaluator
from epcg_sliding.metrics import MANHATTAN, MOVES, SOLUTIONS, UNIQUE_MOVES
from epcg_sliding.params import BoardsParams

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("sliding", "Sliding tiles", "slide the tiles of a frame into order"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(
        GeneratorInfo(
            name="boards",
            domain="sliding",
            summary="every board of a frame that can be solved",
            params=BoardsParams,
            factory="epcg_sliding.boards:Boards",
        )
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    register(
        EvaluatorInfo(
            name="manhattan",
            domain="sliding",
            summary="how far the tiles are from their own cells",
            params=NoParams,
            metrics=(MANHATTAN,),
            factory="epcg_sliding.evaluators:Manhattan",
        )
    )
    register(
        EvaluatorInfo(
            name="shortest_solutions",
            domain="sliding",
            summary="the moves of the shortest solutions, and how many there are, from recorded depths",
            params=NoParams,
            metrics=(MOVES, SOLUTIONS, UNIQUE_MOVES),
            factory="epcg_sliding.evaluators:ShortestSolutions",
            needs="epcg_sliding.evaluators:depth_table",
        )
    )
    register(shortest_path_evaluator("sliding"))


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    for form in ("svg", "text"):
        factory = f"epcg_sliding.render:{form}_renderer"
        register(RendererInfo(domain="sliding", format=form, factory=factory, draws_solution=True))


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(
            name="solve",
            domain="sliding",
            summary="solve a board, and show it move by move",
            factory="epcg_sliding.solve:command",
        )
    )
