"""The parts that the plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
    Domain,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    RendererInfo,
    entropy_evaluator,
    hookimpl,
    play_evaluators,
    shortest_path_evaluator,
)
from epcg_segments.metrics import CHAIN_JUMPS, ENTRIES, EXITS, JUMPS, PASSABLE, TIGHTEST
from epcg_segments.rules import COLUMNS, ROWS

EPCG_API_VERSION = 1
NAME = "segments"

SEGMENTS = Domain(
    NAME,
    "Segments",
    "run and jump through levels that are chained from segments",
    how_to_play="epcg_segments.how_to_play:how_to_play",
    game_data="epcg_segments.game_data:LevelData",
    content_word=("level", "levels"),
    generators=[
        GeneratorInfo(
            name="segments",
            summary="all segments of a grammar of columns",
            params="epcg_segments.params:SegmentsParams",
            factory="epcg_segments.segments:Segments",
        ),
        GeneratorInfo(
            name="chains",
            summary="all chains of segments from a library",
            params="epcg_segments.params:ChainsParams",
            factory="epcg_segments.chains:Chains",
        ),
    ],
    evaluators=[
        EvaluatorInfo(
            name="passable",
            summary="whether a level can be passed, and at how many heights it is entered and left",
            metrics=(PASSABLE, ENTRIES, EXITS),
            factory="epcg_segments.evaluators:Passable",
        ),
        EvaluatorInfo(
            name="jumps",
            summary="the fewest jumps",
            metrics=(JUMPS,),
            factory="epcg_segments.evaluators:Jumps",
            solutions="epcg_segments.evaluators:jumps_solutions",
        ),
        EvaluatorInfo(
            name="tightest",
            summary="how exactly the jumps must be timed",
            metrics=(TIGHTEST,),
            factory="epcg_segments.evaluators:Tightest",
        ),
        EvaluatorInfo(
            name="chain_jumps",
            summary="the fewest jumps through a chain, segment by segment",
            metrics=(CHAIN_JUMPS,),
            factory="epcg_segments.chaining:ChainJumps",
        ),
        shortest_path_evaluator(NAME),
        *play_evaluators(NAME),
        entropy_evaluator(NAME),
    ],
    inference_rules=[
        InferenceRuleInfo(
            name="looks_ahead",
            summary="no action after which the player is soon lost, whatever it does",
            params="epcg_segments.inference:AheadParams",
            factory="epcg_segments.inference:looks_ahead",
        )
    ],
    renderers=[
        RendererInfo(format="svg", factory="epcg_segments.render:svg_renderer", draws_solution=True),
        RendererInfo(format="text", factory="epcg_segments.render:text_renderer", draws_solution=True),
    ],
    editors=[
        EditorInfo(
            summary="ground, platforms and enemies in cells",
            factory="epcg_segments.editor:LevelEditor",
            new="epcg_segments.editor:new_level",
            size=(COLUMNS, ROWS),
            examples="epcg_segments.editor:examples",
            joins="epcg_segments.rules:joined",
        )
    ],
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(SEGMENTS)
