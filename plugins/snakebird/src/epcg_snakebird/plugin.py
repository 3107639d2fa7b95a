"""The parts that the Snakebird plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
    CommandInfo,
    Domain,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    RendererInfo,
    edited_path_evaluator,
    entropy_evaluator,
    hookimpl,
    play_evaluators,
    shortest_path_evaluator,
)
from epcg_snakebird import metrics

EPCG_API_VERSION = 1
NAME = "snakebird"

SNAKEBIRD = Domain(
    NAME, "Snakebird", "lead snakes that push, grow and fall to the exit, after all fruit is eaten",
    content_word=("level", "levels"),
    how_to_play="epcg_snakebird.rendering.how_to_play:how_to_play",
    game_data="epcg_snakebird.rendering.game_data:LevelData",
    generators=[
        GeneratorInfo(name="levels", params="epcg_snakebird.params:LevelsParams",
                      summary="the levels of a file or a folder",
                      finds="epcg_snakebird.formats.found:find_level",
                      factory="epcg_snakebird.generators.levels:Levels"),
        GeneratorInfo(name="edits", params="epcg_snakebird.params:EditsParams",
                      summary="all variants of a level with one tile changed, or several (2020)",
                      factory="epcg_snakebird.generators.edits:Edits"),
    ],
    evaluators=[
        EvaluatorInfo(name="state_space", params="epcg_snakebird.params:StateSpaceParams",
                      metrics=(metrics.REACHABLE_STATES, metrics.DEAD_ENDS, metrics.STUCK_STATES),
                      summary="positions that play can reach, and how many of them are lost",
                      factory="epcg_snakebird.evaluation.positions:StateSpace"),
        EvaluatorInfo(name="branching", params="epcg_snakebird.params:BranchingParams",
                      metrics=(metrics.SOLUTION_BRANCHING, metrics.SOLUTION_FORKS),
                      summary="how many moves there are along the shortest solution",
                      factory="epcg_snakebird.evaluation.positions:Branching"),
        shortest_path_evaluator(NAME),
        edited_path_evaluator(NAME),
        *play_evaluators(NAME, forgets=True),
        entropy_evaluator(NAME, params="epcg_snakebird.params:LevelEntropyParams", measures=("muse", "msi")),
    ],
    inference_rules=[
        InferenceRuleInfo(name="changes-nothing",
                          summary="a move after which everything is where it was is excluded",
                          factory="epcg_snakebird.inference.rules:changes_nothing_rule"),
    ],
    renderers=[
        RendererInfo(format="svg", draws_solution=True, animates_solution=True,
                     solutions_explained="Each arrow is a move of the snake of its colour and number. Read "
                                         "row by row; the small numbers count moves.",
                     factory="epcg_snakebird.rendering.renderers:svg_renderer"),
        RendererInfo(format="text", draws_solution=True,
                     factory="epcg_snakebird.rendering.renderers:text_renderer"),
    ],
    editors=[
        EditorInfo(summary="tiles, fruit, the exit, portals, objects, and snakes drawn from head to tail",
                   factory="epcg_snakebird.rendering.editor:LevelEditor",
                   new="epcg_snakebird.rendering.editor:new_level", size=(10, 6),
                   examples="epcg_snakebird.rendering.editor:examples"),
    ],
    formats=[
        FormatInfo(name="map", endings=(".map",), summary="the format of the published levels",
                   read="epcg_snakebird.formats.others:read_map",
                   write="epcg_snakebird.formats.others:write_map"),
        FormatInfo(name="tiled", endings=(".tmj",), summary="maps of Tiled, as JSON",
                   read="epcg_snakebird.formats.others:read_tiled",
                   write="epcg_snakebird.formats.others:write_tmj",
                   put="epcg_snakebird.formats.others:put_tiled"),
        FormatInfo(name="tmx", endings=(".tmx",), summary="maps of Tiled, as XML",
                   read="epcg_snakebird.formats.others:read_tiled",
                   write="epcg_snakebird.formats.others:write_tmx",
                   put="epcg_snakebird.formats.others:put_tiled"),
        FormatInfo(name="puzzlescript", summary="levels of PuzzleScript, with their legend",
                   read="epcg_snakebird.formats.others:read_puzzlescript",
                   write="epcg_snakebird.formats.others:write_puzzlescript"),
    ],
    commands=[
        CommandInfo(name="play", summary="play a level in the terminal",
                    factory="epcg_snakebird.commands.play:command"),
        CommandInfo(name="heatmap", summary="what the best change of each tile does to a level's solution",
                    factory="epcg_snakebird.commands.heatmap:command"),
        CommandInfo(name="study", factory="epcg_snakebird.commands.study:command",
                    summary="what single changes of tiles do to the solutions of a folder's levels (2020)"),
    ],
    others={"publications": [
        {
            "name": "2020-snakebird",
            "paper": "2020",
            "title": "N. R. Sturtevant, N. Decroocq, A. Tripodi and M. Guzdial (2020), The Unexpected "
            "Consequence of Incremental Design Changes",
            "tables": "epcg_snakebird.studies:publications/2020-snakebird.toml",
        },
    ]},
)  # fmt: skip


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(SNAKEBIRD)
