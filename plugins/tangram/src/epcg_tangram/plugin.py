"""The parts that the tangram plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
    ENTROPY_STATES,
    MEASURES,
    CommandInfo,
    Domain,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    RendererInfo,
    entropy_parts,
    further_measures,
    hookimpl,
)
from epcg_tangram import metrics

EPCG_API_VERSION = 1
NAME = "tangram"

_ADVERSARIAL = tuple(metric for metric in MEASURES if metric.name == "adversarial")
_OTHERS = tuple(metric for metric in MEASURES if metric.name != "adversarial")

_OF_INSTANCES = (
    "instances", "constraint_instances", "published_instances", "contents", "changes", "sketch",
)  # fmt: skip

TANGRAM = Domain(
    NAME, "Games of pieces",
    "fill a board of squares, triangles, hexagons, quarters of squares or cubes with pieces",
    content_word=("puzzle", "puzzles"),
    how_to_play="epcg_tangram.rendering.how_to_play:how_to_play",
    game_data="epcg_tangram.rendering.game_data:TangramData",
    generators=[
        GeneratorInfo(name="shapes", params="epcg_tangram.params:ShapesParams",
                      summary="all shapes of so many cells, or made of copies of one",
                      factory="epcg_tangram.generators.shapes:shapes"),
        GeneratorInfo(name="sets", params="epcg_tangram.params:SetsParams",
                      summary="the choices of a game's pieces that have the area of its board",
                      factory="epcg_tangram.generators.sets:sets"),
        GeneratorInfo(name="boards", params="epcg_tangram.params:VariantsParams",
                      summary="a game's board with cells taken out, in other sizes, or of any shape",
                      factory="epcg_tangram.generators.variants:boards"),
        GeneratorInfo(name="solved_boards", params="epcg_tangram.params:BoardsParams",
                      summary="all covers of a board by its pieces, modulo the symmetries of the board",
                      factory="epcg_tangram.generators.boards:solved_boards"),
        GeneratorInfo(name="partial_boards", params="epcg_tangram.params:PartialBoardsParams",
                      summary="the partial boards at a depth, for the search exact_cover",
                      factory="epcg_tangram.generators.boards:partial_boards"),
        GeneratorInfo(name="bump_patterns", params="epcg_tangram.params:BumpParams",
                      summary="all ways to give the pieces' sides holes for the bumps on the back of the "
                              "board",
                      factory="epcg_tangram.generators.bumps:bump_patterns"),
        GeneratorInfo(name="instances", params="epcg_tangram.params:InstancesParams",
                      summary="solved boards of which some pieces are shown, so that one solution is left",
                      factory="epcg_tangram.generators.instances:instances"),
        GeneratorInfo(name="constraint_instances", params="epcg_tangram.params:ConstraintInstancesParams",
                      summary="the same under a type of constraint, with every choice of its colours",
                      factory="epcg_tangram.generators.constraint_instances:constraint_instances"),
        GeneratorInfo(name="published_instances",
                      summary="the puzzles of the paper's program: enough is shown if no other board has "
                              "the same cells covered by the same pieces",
                      factory="epcg_tangram.studies.published_instances:published_instances"),
    ],
    evaluators=[
        EvaluatorInfo(name="shape", metrics=metrics.SHAPE_FACTS,
                      summary="symmetry, outline and balance of a shape",
                      generators=("shapes",),
                      factory="epcg_tangram.evaluation.shapes:shape_facts"),
        EvaluatorInfo(name="places", params="epcg_tangram.params:PlacesParams", metrics=(metrics.PLACEMENTS,),
                      summary="the places of a shape on the board of a game",
                      generators=("shapes",),
                      factory="epcg_tangram.evaluation.shapes:places"),
        EvaluatorInfo(name="set", metrics=(metrics.SOLUTIONS, metrics.FEWEST_PLACEMENTS),
                      summary="how many solved boards a set of pieces has",
                      generators=("sets",),
                      factory="epcg_tangram.evaluation.counts:set_solutions"),
        EvaluatorInfo(name="solutions", params="epcg_tangram.params:SolutionsParams",
                      metrics=(metrics.SOLUTIONS, metrics.FEWEST_PLACEMENTS),
                      summary="how many solved boards there are on a board",
                      generators=("boards",),
                      factory="epcg_tangram.evaluation.counts:board_solutions"),
        EvaluatorInfo(name="board",
                      metrics=metrics.BOARD_FACTS,
                      summary="the piece that a solved board does without, and how its pieces touch",
                      generators=("solved_boards",),
                      factory="epcg_tangram.evaluation.boards:board_facts"),
        EvaluatorInfo(name="colours", metrics=metrics.COLOURS,
                      summary="the colour constraints that a solved board meets, by type",
                      generators=("solved_boards",),
                      factory="epcg_tangram.evaluation.boards:colours"),
        EvaluatorInfo(name="back", params="epcg_tangram.params:BackParams", metrics=(metrics.BACK_SOLUTIONS,),
                      summary="how many solved boards a bump pattern allows on the back",
                      generators=("bump_patterns",),
                      factory="epcg_tangram.evaluation.back:make_back"),
        EvaluatorInfo(name="back_chapters", params="epcg_tangram.params:BackParams",
                      metrics=(*metrics.CHAPTERS, metrics.SMALLEST_CHAPTER),
                      summary="how many puzzles of each type of constraint a bump pattern allows, and the "
                              "fewest",
                      generators=("bump_patterns",),
                      factory="epcg_tangram.evaluation.back:make_back_chapters"),
        EvaluatorInfo(name="instance",
                      metrics=(metrics.GIVEN, metrics.COMPLETIONS, metrics.UNIQUE, metrics.BOARD),
                      summary="the pieces that an instance shows, how many boards complete it, and its own "
                              "board",
                      generators=_OF_INSTANCES,
                      factory="epcg_tangram.evaluation.instances:instance_facts",
                      solutions="epcg_tangram.evaluation.instances:instance_solutions"),
        EvaluatorInfo(name="entropy", params="epcg_tangram.params:InstanceEntropyParams", metrics=_OTHERS,
                      summary="difficulty under a player's inference rules: MUSE, ReMUSE, MSI, TSI",
                      generators=_OF_INSTANCES,
                      factory="epcg_tangram.evaluation.entropy:entropy",
                      needs="epcg_tangram.evaluation.entropy:checked",
                      uses=entropy_parts(NAME, [metric.name for metric in _OTHERS]),
                      adds=further_measures(_OTHERS)),
        EvaluatorInfo(name="rule_differentials", params="epcg_tangram.params:InstanceEntropyParams",
                      metrics=metrics.RULE_DIFFERENTIALS,
                      summary="what knowing each of the four rules is worth to a player who knows no other",
                      generators=_OF_INSTANCES,
                      factory="epcg_tangram.evaluation.entropy:rule_differentials",
                      needs="epcg_tangram.evaluation.entropy:checked_differentials",
                      uses=entropy_parts(NAME, ["muse"])),
        EvaluatorInfo(name="leave_one_out", params="epcg_tangram.params:InstanceEntropyParams",
                      metrics=metrics.LEAVE_ONE_OUT,
                      summary="what knowing each of the four rules is worth to a player who knows the others",
                      generators=_OF_INSTANCES,
                      factory="epcg_tangram.evaluation.entropy:leave_one_out",
                      needs="epcg_tangram.evaluation.entropy:checked_differentials",
                      uses=entropy_parts(NAME, ["muse"])),
        EvaluatorInfo(name="adversarial", params="epcg_tangram.params:InstanceEntropyParams",
                      metrics=(*_ADVERSARIAL, ENTROPY_STATES),
                      summary="adversarial entropy, and the states that a player can reach; walks through "
                              "dead ends",
                      generators=_OF_INSTANCES,
                      factory="epcg_tangram.evaluation.entropy:whole_walk",
                      needs="epcg_tangram.evaluation.entropy:checked",
                      uses=entropy_parts(NAME, ["adversarial"]),
                      adds=further_measures([*_ADVERSARIAL, ENTROPY_STATES])),
        EvaluatorInfo(name="published_entropy", params="epcg_tangram.params:PublishedEntropyParams",
                      metrics=(metrics.PUBLISHED_ENTROPY,),
                      summary="the entropy of the paper's program, which follows another recursion than its "
                              "words",
                      generators=("instances",),
                      factory="epcg_tangram.studies.published_entropy:published_entropy"),
    ],
    inference_rules=[
        InferenceRuleInfo(name="one-placement", summary="a piece with one legal placement is placed",
                          factory="epcg_tangram.inference.rules:one_placement_rule"),
        InferenceRuleInfo(name="one-piece", summary="a cell that only one piece can cover decides that piece",
                          factory="epcg_tangram.inference.rules:one_piece_rule"),
        InferenceRuleInfo(name="region-size", factory="epcg_tangram.inference.rules:region_size_rule",
                          summary="an empty region whose size the pieces left cannot have is a dead end"),
        InferenceRuleInfo(name="region-shape", factory="epcg_tangram.inference.rules:region_shape_rule",
                          summary="an empty region that one or two pieces must fill, and cannot, is a dead "
                                  "end"),
        InferenceRuleInfo(name="patterns", params="epcg_core.plugin:PatternsParams",
                          factory="epcg_tangram.inference.patterns:patterns_rule",
                          summary="what is covered around an empty cell after a placement forbids it"),
    ],
    renderers=[
        RendererInfo(format="svg", draws_solution=True,
                     factory="epcg_tangram.rendering.renderers:svg_renderer"),
        RendererInfo(format="text", draws_solution=True,
                     factory="epcg_tangram.rendering.renderers:text_renderer"),
    ],
    editors=[
        EditorInfo(summary="pieces in all orientations on the board, and which pieces may be used",
                   factory="epcg_tangram.rendering.editor:InstanceEditor",
                   new="epcg_tangram.rendering.editor:new_instance", size=(3, 3),
                   examples="epcg_tangram.rendering.editor:examples"),
    ],
    formats=[
        FormatInfo(name="packing", endings=(".packing",), summary="the puzzles of a game of pieces",
                   read="epcg_tangram.workshop.packing_file:read_puzzles",
                   write="epcg_tangram.workshop.packing_file:write_puzzle",
                   file="epcg_tangram.workshop.packing_file:PackingFile"),
        FormatInfo(name="xmpuzzle", endings=(".xmpuzzle",),
                   summary="problems of BurrTools on grids of cubes, squares or triangles",
                   read="epcg_tangram.formats.importers:read_xmpuzzle"),
        FormatInfo(name="pieces", endings=(".pieces",),
                   summary="plain lists of drawn pieces, with a board or not",
                   read="epcg_tangram.formats.importers:read_list"),
    ],
    commands=[
        CommandInfo(name="new", summary="a new game: a board with all shapes of some sizes",
                    factory="epcg_tangram.commands.new:command"),
        CommandInfo(name="info", summary="what a game is made of, its faults, and whether it can be solved",
                    factory="epcg_tangram.commands.info:command"),
        CommandInfo(name="solve", summary="one solved board, also of a game too large to search whole",
                    factory="epcg_tangram.commands.solve:command"),
        CommandInfo(name="cutout", summary="a sheet of the pieces at true size, to be cut out",
                    factory="epcg_tangram.commands.cutout:command"),
        CommandInfo(name="solid", summary="the pieces and the board for a 3D printer",
                    factory="epcg_tangram.commands.solid:command"),
    ],
    others={"publications": [
        {
            "name": "tangram",
            "title": "Mahmoud and N. R. Sturtevant (2024), on exhaustive procedural content generation as a "
            "co-creative partner: the hexagon tangram",
            "tables": "epcg_tangram.studies:publications/tangram.toml",
        },
        {
            "name": "packing",
            "title": "Counts of packing puzzles that books and papers print: pentominoes, dominoes, "
            "the tangram",
            "tables": "epcg_tangram.studies:publications/packing.toml",
        },
    ]},
)  # fmt: skip


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(TANGRAM)
