"""The parts that the plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
    CommandInfo,
    Domain,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    GeneratorInfo,
    RendererInfo,
    hookimpl,
    play_evaluators,
    shortest_path_evaluator,
)
from epcg_sliding.metrics import MANHATTAN, MOVES, SOLUTIONS, UNIQUE_MOVES
from epcg_sliding.params import BoardsParams

EPCG_API_VERSION = 1
NAME = "sliding"

SLIDING = Domain(
    NAME,
    "Sliding tiles",
    "slide the tiles of a frame into order",
    generators=[
        GeneratorInfo(
            name="boards",
            summary="all boards of a frame that can be solved",
            params=BoardsParams,
            factory="epcg_sliding.boards:Boards",
        )
    ],
    evaluators=[
        EvaluatorInfo(
            name="manhattan",
            summary="how far the tiles are from their own cells",
            metrics=(MANHATTAN,),
            factory="epcg_sliding.evaluators:Manhattan",
        ),
        EvaluatorInfo(
            name="shortest_solutions",
            summary="the moves of the shortest solutions, and how many there are, from recorded depths",
            metrics=(MOVES, SOLUTIONS, UNIQUE_MOVES),
            factory="epcg_sliding.evaluators:ShortestSolutions",
            needs="epcg_sliding.evaluators:depth_table",
        ),
        shortest_path_evaluator(NAME),
        *play_evaluators(NAME, forgets=True),
    ],
    renderers=[
        RendererInfo(format="svg", factory="epcg_sliding.render:svg_renderer", draws_solution=True),
        RendererInfo(format="text", factory="epcg_sliding.render:text_renderer", draws_solution=True),
    ],
    editors=[
        EditorInfo(
            summary="tiles that change places",
            factory="epcg_sliding.editor:BoardEditor",
            new="epcg_sliding.editor:new_board",
            size=(3, 3),
            examples="epcg_sliding.editor:examples",
        )
    ],
    commands=[
        CommandInfo(
            name="solve",
            summary="solve a board, and show it move by move",
            factory="epcg_sliding.solve:command",
        )
    ],
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(SLIDING)
