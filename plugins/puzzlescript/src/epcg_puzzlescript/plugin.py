"""The parts that the PuzzleScript plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

import attrs

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
    TablesInfo,
    edited_path_evaluator,
    entropy_evaluator,
    hookimpl,
    play_evaluators,
    shortest_path_evaluator,
)
from epcg_puzzlescript import metrics

EPCG_API_VERSION = 1
NAME = "puzzlescript"

PUZZLESCRIPT = Domain(
    NAME, "PuzzleScript", "levels of any game that is written in PuzzleScript",
    content_word=("level", "levels"),
    how_to_play="epcg_puzzlescript.rendering.how_to_play:how_to_play",
    game_data="epcg_puzzlescript.rendering.game_data:LevelData",
    generators=[
        GeneratorInfo(name="levels", params="epcg_puzzlescript.params:LevelsParams",
                      summary="the levels of a game, or of a folder of games",
                      finds="epcg_puzzlescript.formats.found:find_level",
                      titles="epcg_puzzlescript.generators.levels:titles",
                      factory="epcg_puzzlescript.generators.levels:Levels"),
        GeneratorInfo(name="starts", params="epcg_puzzlescript.params:StartsParams",
                      summary="all placements of some objects on a level",
                      factory="epcg_puzzlescript.generators.starts:make_starts"),
    ],
    evaluators=[
        EvaluatorInfo(name="state_space", params="epcg_puzzlescript.params:PositionsParams",
                      metrics=(metrics.REACHABLE, metrics.DEAD, metrics.STUCK),
                      summary="positions that play can reach, and how many of them are lost",
                      factory="epcg_puzzlescript.evaluation.positions:StateSpace"),
        EvaluatorInfo(name="solutions", params="epcg_puzzlescript.params:PositionsParams",
                      metrics=(metrics.SHORTEST_SOLUTIONS,),
                      summary="the number of shortest solutions",
                      factory="epcg_puzzlescript.evaluation.positions:Solutions"),
        EvaluatorInfo(name="along_solution", params="epcg_puzzlescript.params:SolutionParams",
                      metrics=(metrics.DISPLACEMENTS, metrics.BRANCHING, metrics.FORKS, metrics.RULES_FIRED),
                      summary="pushes and other displacements, choices and rules along the shortest solution",
                      factory="epcg_puzzlescript.evaluation.along:AlongSolution"),
        EvaluatorInfo(name="needed_rules", params="epcg_puzzlescript.params:NeededRulesParams",
                      metrics=(metrics.RULES_NEEDED, metrics.RULES_ESSENTIAL),
                      summary="rules without which the level has another solution, or none",
                      factory="epcg_puzzlescript.evaluation.along:NeededRules"),
        EvaluatorInfo(name="chance", params="epcg_puzzlescript.params:ChanceParams",
                      metrics=(metrics.LUCKY_MOVES, metrics.SURE_MOVES, metrics.WIN_CHANCE,
                               metrics.CHANCE_POSITIONS),
                      summary="what luck can do, what no draw can prevent, and the chance of a win",
                      factory="epcg_puzzlescript.evaluation.chance:ChanceMeasures"),
        EvaluatorInfo(name="start_moves", params="epcg_puzzlescript.params:PositionsParams",
                      metrics=(metrics.START_MOVES,),
                      summary="shortest solutions of all starts at once, by retrograde analysis",
                      factory="epcg_puzzlescript.evaluation.starts:make_start_moves"),
        attrs.evolve(
            shortest_path_evaluator(NAME),
            factory="epcg_puzzlescript.evaluation.shortest:LevelSolution",
        ),
        edited_path_evaluator(NAME),
        *play_evaluators(NAME, forgets=True),
        entropy_evaluator(NAME, params="epcg_puzzlescript.params:LevelEntropyParams",
                          measures=("muse", "msi")),
    ],
    inference_rules=[
        InferenceRuleInfo(name="nothing-is-won", params="epcg_puzzlescript.params:LookAheadParams",
                          summary="an input that leads to a few positions, none of them won, is excluded",
                          factory="epcg_puzzlescript.inference.rules:nothing_is_won_rule"),
    ],
    renderers=[
        RendererInfo(format="svg", draws_solution=True,
                     explains="epcg_puzzlescript.rendering.how_to_play:solutions_explained",
                     factory="epcg_puzzlescript.rendering.renderers:svg_renderer"),
        RendererInfo(format="text", draws_solution=True,
                     factory="epcg_puzzlescript.rendering.renderers:text_renderer"),
    ],
    editors=[
        EditorInfo(summary="the objects of the game by collision layers, with the game's own pictures",
                   factory="epcg_puzzlescript.rendering.editor:LevelEditor",
                   new="epcg_puzzlescript.rendering.editor:new_level", size=(8, 6),
                   examples="epcg_puzzlescript.rendering.editor:examples"),
    ],
    formats=[
        FormatInfo(name="game", endings=(".puzzlescript", ".pz"), summary="the levels and messages of a game",
                   read="epcg_puzzlescript.formats.game_file:read_levels",
                   write="epcg_puzzlescript.formats.game_file:write_level",
                   file="epcg_puzzlescript.formats.game_file:GameFile", messages=True),
        FormatInfo(name="xsb", endings=(".xsb", ".sok"), summary="collections of Sokoban levels",
                   read="epcg_puzzlescript.formats.xsb:read_xsb",
                   write="epcg_puzzlescript.formats.xsb:write_xsb",
                   file="epcg_puzzlescript.formats.xsb:XsbFile"),
    ],
    commands=[
        CommandInfo(name="info", summary="what a game is made of, its faults, and which engine serves it",
                    factory="epcg_puzzlescript.commands.info:command"),
        CommandInfo(name="survey", summary="what becomes of all games of a folder, and what changed since",
                    factory="epcg_puzzlescript.commands.survey:command"),
    ],
)  # fmt: skip


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(PUZZLESCRIPT)


@hookimpl
def epcg_register_tables(register: Callable[[TablesInfo], None]) -> None:
    register(
        TablesInfo(
            name=NAME,
            summary="games and levels of surveyed folders",
            migrations="epcg_puzzlescript.migrations",
        )
    )
