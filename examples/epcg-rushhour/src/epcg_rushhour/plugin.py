"""The parts that the plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
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
from epcg_rushhour.metrics import CLUSTER_MINIMAL, MINIMAL, PIECES
from epcg_rushhour.params import BoardsParams

EPCG_API_VERSION = 1
NAME = "rushhour"

RUSHHOUR = Domain(
    NAME,
    "Rush Hour",
    "slide the pieces out of the way, and the red car to the exit",
    how_to_play="epcg_rushhour.render:how_to_play",
    content_word=("board", "boards"),
    generators=[
        GeneratorInfo(
            name="boards",
            summary="all boards, the red car anywhere in its row",
            params=BoardsParams,
            factory="epcg_rushhour.boards:Every",
            finds="epcg_rushhour.boards:finds",
        ),
        GeneratorInfo(
            name="packed",
            summary="all boards on which no piece can move left or up",
            params=BoardsParams,
            factory="epcg_rushhour.boards:Packed",
        ),
        GeneratorInfo(
            name="exits",
            summary="all boards with the red car at the exit",
            params=BoardsParams,
            factory="epcg_rushhour.boards:Exits",
        ),
        GeneratorInfo(
            name="hardest",
            summary="the hardest board of each cluster, by the ranks of its packed boards",
            params=BoardsParams,
            factory="epcg_rushhour.boards:Hardest",
        ),
    ],
    evaluators=[
        EvaluatorInfo(
            name="pieces",
            summary="how many pieces there are",
            metrics=(PIECES,),
            factory="epcg_rushhour.evaluators:Pieces",
        ),
        EvaluatorInfo(
            name="minimal",
            summary="whether the number of moves differs without any one piece",
            metrics=(MINIMAL,),
            factory="epcg_rushhour.minimal:Minimal",
        ),
        EvaluatorInfo(
            name="cluster",
            summary="of the hardest board of each cluster, whether each piece matters",
            metrics=(CLUSTER_MINIMAL,),
            factory="epcg_rushhour.minimal:OfClusters",
            generators=("packed",),
        ),
        shortest_path_evaluator(NAME, name="moves"),
        *play_evaluators(NAME, forgets=True),
    ],
    renderers=[
        RendererInfo(format="svg", factory="epcg_rushhour.render:svg_renderer", draws_solution=True),
        RendererInfo(format="text", factory="epcg_rushhour.render:text_renderer", draws_solution=True),
    ],
    editors=[
        EditorInfo(
            summary="pieces that are put where they begin",
            factory="epcg_rushhour.editor:BoardEditor",
            new="epcg_rushhour.editor:new_board",
            size=(6, 6),
            examples="epcg_rushhour.editor:examples",
        )
    ],
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(RUSHHOUR)
