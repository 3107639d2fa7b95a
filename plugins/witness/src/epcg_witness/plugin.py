"""The parts that the Witness plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
    ENTROPY_STATES,
    LEAVE_ONE_OUT_DIFFERENTIAL,
    MEASURES,
    RULE_DIFFERENTIAL,
    CommandInfo,
    Domain,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    RendererInfo,
    differential_parts,
    entropy_parts,
    further_measures,
    hookimpl,
)
from epcg_witness import metrics

EPCG_API_VERSION = 1
NAME = "witness"

WITNESS = Domain(
    NAME, "The Witness", "draw one line through a panel so that every symbol on it is satisfied",
    content_word=("panel", "panels"),
    how_to_play="epcg_witness.rendering.how_to_play:how_to_play",
    game_data="epcg_witness.rendering.game_data:PanelData",
    generators=[
        GeneratorInfo(name="must_cross", params="epcg_witness.params:MustCrossParams",
                      summary="all placements of must-cross dots on the edges and vertices of an empty panel",
                      factory="epcg_witness.generators.placements:must_cross"),
        GeneratorInfo(name="pieces", params="epcg_witness.params:PiecesParams",
                      summary="all placements of polyominoes of a library in the cells of an empty panel "
                              "(2018)",
                      factory="epcg_witness.generators.placements:pieces"),
        GeneratorInfo(name="pieces_by_line", params="epcg_witness.params:PiecesByLineParams",
                      summary="all lines, and for each all placements of polyominoes that it solves",
                      factory="epcg_witness.generators.pieces_by_line:PiecesByLine"),
        GeneratorInfo(name="placements", params="epcg_witness.params:PlacementParams",
                      summary="all ways to place groups of symbols on a panel: which, how many, where",
                      factory="epcg_witness.generators.placements:placements"),
        GeneratorInfo(name="blanks", params="epcg_witness.params:BlanksParams",
                      summary="all ways to fill the marked cells of a drawn panel",
                      factory="epcg_witness.generators.placements:blanks"),
        GeneratorInfo(name="edits", params="epcg_witness.params:EditsParams",
                      summary="all panels that differ from a given one in a few symbols",
                      finds="epcg_witness.formats.found:find_panel",
                      factory="epcg_witness.generators.edits:EditedPanels"),
        GeneratorInfo(name="windmill_file", params="epcg_witness.params:WindmillFileParams",
                      summary="the puzzles of a file, as The Windmill stores them",
                      factory="epcg_witness.generators.windmill_file:WindmillFile"),
        GeneratorInfo(name="joint_panels", params="epcg_witness.params:JointPanelsParams",
                      summary="sets of panels with polyominoes, as classes of equal solutions, for one path "
                              "in "
                              "all (2018)",
                      factory="epcg_witness.joint_panels.generator:JointPanels"),
    ],
    evaluators=[
        EvaluatorInfo(name="solutions", params="epcg_witness.params:SolutionsParams",
                      metrics=(metrics.SOLUTIONS,),
                      summary="how many paths satisfy every symbol",
                      factory="epcg_witness.evaluation.solutions:make_solutions"),
        EvaluatorInfo(name="unique", metrics=(metrics.UNIQUE,),
                      summary="whether exactly one path satisfies every symbol",
                      factory="epcg_witness.evaluation.solutions:make_unique"),
        EvaluatorInfo(name="shortest_solution", metrics=(metrics.SHORTEST_SOLUTION,),
                      summary="edges of the shortest solution",
                      factory="epcg_witness.evaluation.solutions:make_shortest_solution"),
        EvaluatorInfo(name="longest_solution", metrics=(metrics.LONGEST_SOLUTION,),
                      summary="edges of the longest solution",
                      factory="epcg_witness.evaluation.solutions:make_longest_solution"),
        EvaluatorInfo(name="entropy", params="epcg_witness.params:PanelEntropyParams",
                      metrics=(*MEASURES, ENTROPY_STATES),
                      summary="difficulty under a player's inference rules: MUSE, ReMUSE, adversarial "
                              "entropy, "
                              "MSI, TSI",
                      factory="epcg_witness.evaluation.entropy:make_entropy",
                      uses=entropy_parts(NAME, [metric.name for metric in MEASURES]),
                      adds=further_measures([*MEASURES, ENTROPY_STATES])),
        EvaluatorInfo(name="rule_differential", params="epcg_witness.params:PanelDifferentialParams",
                      metrics=(RULE_DIFFERENTIAL,), uses=differential_parts(NAME),
                      summary="what knowing one inference rule is worth to a player who knows no other",
                      factory="epcg_witness.evaluation.entropy:make_rule_differential"),
        EvaluatorInfo(name="leave_one_out", params="epcg_witness.params:PanelDifferentialParams",
                      metrics=(LEAVE_ONE_OUT_DIFFERENTIAL,), uses=differential_parts(NAME),
                      summary="what knowing one inference rule is worth to a player who knows the others",
                      factory="epcg_witness.evaluation.entropy:make_leave_one_out"),
        EvaluatorInfo(name="joint_difficulty", metrics=(metrics.JOINT_DIFFICULTY,),
                      summary="fewest joint solutions when a sub-panel is left out, if all together have "
                              "exactly one",
                      factory="epcg_witness.joint_panels.evaluators:JointDifficulty"),
        EvaluatorInfo(name="selections", metrics=(metrics.SELECTIONS,),
                      summary="how many sets of panels a set of classes stands for",
                      factory="epcg_witness.joint_panels.evaluators:Selections"),
    ],
    inference_rules=[
        InferenceRuleInfo(name="path", factory="epcg_witness.inference.rules:path_rule",
                          summary="an edge with a dot must be drawn, an edge with a gap cannot"),
        InferenceRuleInfo(name="reach-goal", factory="epcg_witness.inference.rules:reach_goal_rule",
                          summary="Start and End are a must; a move from the border that cuts the head off "
                                  "from "
                                  "the end is not possible"),
        InferenceRuleInfo(name="separation", factory="epcg_witness.inference.rules:separation_rule",
                          summary="an edge between squares of different colours must be drawn"),
        InferenceRuleInfo(name="triangle", params="epcg_witness.params:TriangleParams",
                          factory="epcg_witness.inference.rules:triangle_rule",
                          summary="what the triangles beside the new edge, and behind the head, say of it"),
        InferenceRuleInfo(name="along-the-path", factory="epcg_witness.inference.rules:along_the_path_rule",
                          summary="symbols that touch one side of the path in a region still open must not "
                                  "contradict each other"),
        InferenceRuleInfo(name="region-completion",
                          factory="epcg_witness.inference.rules:region_completion_rule",
                          summary="regions that are closed when the path reaches the border must satisfy "
                                  "their "
                                  "symbols"),
        InferenceRuleInfo(name="patterns", params="epcg_core.plugin:PatternsParams",
                          factory="epcg_witness.inference.patterns:patterns_rule",
                          summary="what stands around the next edge forbids it, or demands it"),
    ],
    renderers=[
        RendererInfo(format="svg", draws_solution=True,
                     factory="epcg_witness.rendering.renderers:svg_renderer"),
        RendererInfo(format="text", draws_solution=True,
                     factory="epcg_witness.rendering.renderers:text_renderer"),
    ],
    editors=[
        EditorInfo(summary="symbols, dots, gaps, starts and ends on a panel of any size",
                   factory="epcg_witness.rendering.editor:PanelEditor",
                   new="epcg_witness.rendering.editor:new_panel", size=(4, 4),
                   examples="epcg_witness.rendering.editor:examples"),
    ],
    formats=[
        FormatInfo(name="windmill", summary="links to The Windmill, or their last part, one a line",
                   read="epcg_witness.formats.others:read_link",
                   write="epcg_witness.formats.others:write_contents",
                   file="epcg_witness.formats.windmill_lists:LinkFile"),
        FormatInfo(name="windmill-list", summary="JSON lists of puzzles of The Windmill",
                   read="epcg_witness.formats.windmill_lists:read_list",
                   write="epcg_witness.formats.windmill_lists:write_list",
                   file="epcg_witness.formats.windmill_lists:JsonFile"),
    ],
    commands=[
        CommandInfo(name="difficulty", factory="epcg_witness.commands.difficulty:command",
                    summary="measures of a file of Windmill puzzles, against their players' votes"),
    ],
    others={"publications": [
        {
            "name": "2018-witness",
            "paper": "2018",
            "title": "N. R. Sturtevant and M. J. Ota (2018), Exhaustive and Semi-Exhaustive Procedural "
            "Content Generation: The Witness",
            "tables": "epcg_witness.studies:publications/2018-witness.toml",
        },
        {
            "name": "epcg-page",
            "title": "N. R. Sturtevant, the web page on EPCG (movingai.com): ExamineMustCross",
            "tables": "epcg_witness.studies:publications/epcg-page.toml",
        },
        {
            "name": "2023-entropy",
            "paper": "2023",
            "title": "E. Chen, C. White and N. R. Sturtevant (2023), Entropy as a Measure of Puzzle "
            "Difficulty",
            "tables": "epcg_witness.studies:publications/2023-entropy.toml",
        },
        {
            "name": "2024-information",
            "paper": "2024",
            "title": "Shen and N. R. Sturtevant (2024), Generalized Entropy and Solution Information for "
            "Measuring Puzzle Difficulty",
            "tables": "epcg_witness.studies:publications/2024-information.toml",
        },
        {
            "name": "windmill",
            "title": "The Windmill, a public site of panels that people post for each other: all panels of "
            "20 February 2024",
            "tables": "epcg_witness.studies:publications/windmill.toml",
        },
    ]},
)  # fmt: skip


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(WITNESS)
