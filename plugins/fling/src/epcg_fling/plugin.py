"""The parts that the Fling! plugin registers. Light: no kernel is imported until a part is made."""

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
    entropy_evaluator,
    hookimpl,
    play_evaluators,
)
from epcg_fling import metrics

EPCG_API_VERSION = 1
NAME = "fling"

FLING = Domain(
    NAME, "Fling!", "fling pieces at each other until one is left; boards are sets of cells",
    content_word=("board", "boards"),
    how_to_play="epcg_fling.rendering.how_to_play:how_to_play",
    game_data="epcg_fling.rendering.game_data:BoardData",
    generators=[
        GeneratorInfo(name="boards", params="epcg_fling.params:BoardsParams",
                      summary="all boards of one size with one number of pieces (2018, Algorithms 2 to 4)",
                      finds="epcg_fling.formats.found:find_board",
                      factory="epcg_fling.generators.boards:Boards"),
        GeneratorInfo(name="edits", params="epcg_fling.params:EditsParams",
                      summary="all boards that differ from a given one in a few pieces",
                      factory="epcg_fling.generators.edits:EditedBoards"),
    ],
    evaluators=[
        EvaluatorInfo(name="solvable", metrics=(metrics.SOLVABLE,),
                      summary="whether some sequence of moves leaves one piece",
                      factory="epcg_fling.evaluation.solutions:Solvable",
                      needs="epcg_fling.search.endgame:solvable_needs"),
        EvaluatorInfo(name="unique", params="epcg_fling.params:UniquenessParams", metrics=(metrics.UNIQUE,),
                      summary="whether the solution is unique, except for the last move (2018, Algorithm 5)",
                      factory="epcg_fling.evaluation.solutions:Unique",
                      needs="epcg_fling.search.endgame:unique_needs"),
        EvaluatorInfo(name="reachable_states", params="epcg_fling.params:ReachableParams",
                      metrics=(metrics.REACHABLE_STATES,),
                      summary="distinct boards reachable by legal moves (2013, metric 1)",
                      factory="epcg_fling.evaluation.trees:ReachableStates"),
        EvaluatorInfo(name="dead_ends", params="epcg_fling.params:ReachableParams",
                      metrics=metrics.DEAD_END_METRICS,
                      summary="moves and reachable boards after which nothing can be won",
                      factory="epcg_fling.evaluation.trees:DeadEnds"),
        EvaluatorInfo(name="legal_moves", metrics=(metrics.LEGAL_MOVES,),
                      summary="how many moves a board has", factory="epcg_fling.evaluation.moves:LegalMoves"),
        EvaluatorInfo(name="winning_moves", metrics=(metrics.WINNING_MOVES,),
                      summary="moves after which the board is still solvable (2013, metric 2)",
                      factory="epcg_fling.evaluation.solutions:WinningMoves",
                      needs="epcg_fling.search.endgame:winning_needs"),
        EvaluatorInfo(name="edit_effect", params="epcg_fling.params:UniquenessParams",
                      metrics=metrics.EDIT_METRICS,
                      summary="cells whose edit changes solvability or uniqueness (2013, metric 3)",
                      factory="epcg_fling.evaluation.solutions:EditEffect",
                      needs="epcg_fling.search.endgame:edit_needs"),
        EvaluatorInfo(name="expert_ratio", params="epcg_fling.params:TreeParams",
                      metrics=metrics.EXPERT_METRICS,
                      summary="the tree of all moves over the tree of an expert "
                              "(2018, evaluating selected boards)",
                      factory="epcg_fling.evaluation.trees:ExpertRatio"),
        EvaluatorInfo(name="solution", metrics=metrics.SOLUTION_METRICS,
                      summary="length, switches between pieces and branching of the first solution",
                      factory="epcg_fling.evaluation.solutions:Solution",
                      needs="epcg_fling.search.endgame:solvable_needs"),
        *play_evaluators(NAME),
        entropy_evaluator(NAME, params="epcg_fling.params:BoardEntropyParams"),
    ],
    inference_rules=[
        InferenceRuleInfo(name="independent", params="epcg_fling.params:IndependentParams",
                          summary="a move that does not depend on the previous one can be excluded (2013)",
                          factory="epcg_fling.inference.rules:IndependentMoves"),
    ],
    renderers=[
        RendererInfo(format="svg", draws_solution=True, animates_solution=True,
                     solutions_explained="Fling the balls in the order of their numbers, in the direction of "
                                         "the arrows. If a ball is flung twice, there is a board for each "
                                         "move.",
                     factory="epcg_fling.rendering.renderers:svg_renderer"),
        RendererInfo(format="text", draws_solution=True,
                     factory="epcg_fling.rendering.renderers:text_renderer"),
    ],
    editors=[
        EditorInfo(summary="balls on a board of any size",
                   factory="epcg_fling.rendering.editor:BoardEditor",
                   new="epcg_fling.rendering.editor:new_board", size=(7, 8),
                   examples="epcg_fling.rendering.editor:examples"),
    ],
    formats=[
        FormatInfo(name="tiled", endings=(".tmj",), summary="maps of Tiled, as JSON",
                   read="epcg_fling.formats.others:read_tiled", write="epcg_fling.formats.others:write_tmj",
                   put="epcg_fling.formats.others:put_tiled"),
        FormatInfo(name="tmx", endings=(".tmx",), summary="maps of Tiled, as XML",
                   read="epcg_fling.formats.others:read_tiled", write="epcg_fling.formats.others:write_tmx",
                   put="epcg_fling.formats.others:put_tiled"),
        FormatInfo(name="puzzlescript", summary="levels of PuzzleScript, with their legend",
                   read="epcg_fling.formats.others:read_puzzlescript",
                   write="epcg_fling.formats.others:write_puzzlescript"),
    ],
    commands=[
        CommandInfo(name="analyze", summary="what each move and each edit of a board leads to",
                    factory="epcg_fling.commands.analyze:command"),
        CommandInfo(name="study", summary="measures of published levels and of random boards (2013)",
                    factory="epcg_fling.commands.study:command"),
    ],
    others={"publications": [
        {
            "name": "2013-fling",
            "paper": "2013",
            "title": "N. R. Sturtevant (2013), An Argument for Large-Scale Breadth-First Search for Game "
            "Design and Content Generation via a Case Study of Fling!",
            "tables": "epcg_fling.studies:publications/2013-fling.toml",
        },
        {
            "name": "2018-fling",
            "paper": "2018",
            "title": "N. R. Sturtevant and M. J. Ota (2018), Exhaustive and Semi-Exhaustive Procedural "
            "Content Generation: Fling!",
            "tables": "epcg_fling.studies:publications/2018-fling.toml",
        },
    ]},
)  # fmt: skip


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(FLING)
