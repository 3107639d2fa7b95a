"""The parts of the plugin of deduction puzzles. Light: no kernel is imported until a part is made."""

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
from epcg_deduction import metrics

EPCG_API_VERSION = 1
NAME = "deduction"

DEDUCTION = Domain(
    NAME, "Deduction puzzles",
    "write marks into a grid until all rules hold: Slitherlink, Nurikabe, Sudoku and other genres, as texts",
    how_to_play="epcg_deduction.rendering.how_to_play:how_to_play",
    game_data="epcg_deduction.rendering.game_data:PuzzleData",
    generators=[
        GeneratorInfo(name="puzzles", params="epcg_deduction.params:PuzzlesParams",
                      summary="the puzzles of a text, fair or not",
                      finds="epcg_deduction.generators.puzzles:find_puzzle",
                      titles="epcg_deduction.generators.puzzles:titles",
                      factory="epcg_deduction.generators.puzzles:puzzles"),
        GeneratorInfo(name="fair", params="epcg_deduction.params:FairParams",
                      summary="all fair puzzles of a board whose clues follow from the solution",
                      factory="epcg_deduction.generators.fair:fair"),
        GeneratorInfo(name="clues", params="epcg_deduction.params:CluesParams",
                      summary="all ways to place clues of one kind on a board",
                      factory="epcg_deduction.generators.clues:clues"),
        GeneratorInfo(name="layouts", params="epcg_deduction.params:LayoutsParams",
                      summary="all divisions of a board into regions, or all sets of walls",
                      factory="epcg_deduction.generators.layouts:layouts"),
    ],
    evaluators=[
        EvaluatorInfo(name="solutions", params="epcg_deduction.params:SolutionsParams",
                      metrics=metrics.COUNTED,
                      summary="whether a puzzle has exactly one solution, and how many up to a limit",
                      factory="epcg_deduction.evaluation.facts:solutions",
                      solutions="epcg_deduction.evaluation.facts:written_solutions"),
        EvaluatorInfo(name="clues", metrics=metrics.FACTS,
                      summary="how many clues, regions and walls a puzzle has",
                      factory="epcg_deduction.evaluation.facts:facts"),
        EvaluatorInfo(name="minimal", params="epcg_deduction.params:SolutionsParams",
                      metrics=metrics.NEEDED,
                      summary="whether a fair puzzle needs each of its clues, and how many can go",
                      factory="epcg_deduction.evaluation.facts:needed"),
        EvaluatorInfo(name="steps", params="epcg_deduction.params:StepsParams", metrics=metrics.STEPS,
                      summary="which kinds of steps solve a puzzle, in how many rounds, with how much choice",
                      factory="epcg_deduction.evaluation.steps:steps"),
        EvaluatorInfo(name="entropy", params="epcg_deduction.params:StepEntropyParams",
                      metrics=(*MEASURES, ENTROPY_STATES),
                      summary="difficulty for a player who knows kinds of steps: MUSE, ReMUSE, adversarial "
                              "entropy, MSI, TSI",
                      factory="epcg_deduction.evaluation.entropy:entropy",
                      uses=entropy_parts(NAME, [metric.name for metric in MEASURES]),
                      adds=further_measures([*MEASURES, ENTROPY_STATES])),
        EvaluatorInfo(name="rule_differential", params="epcg_deduction.params:StepDifferentialParams",
                      metrics=(RULE_DIFFERENTIAL,), uses=differential_parts(NAME),
                      summary="what knowing one kind of steps is worth to a player who knows no other",
                      factory="epcg_deduction.evaluation.entropy:rule_differential"),
        EvaluatorInfo(name="leave_one_out", params="epcg_deduction.params:StepDifferentialParams",
                      metrics=(LEAVE_ONE_OUT_DIFFERENTIAL,), uses=differential_parts(NAME),
                      summary="what knowing one kind of steps is worth to a player who knows the others",
                      factory="epcg_deduction.evaluation.entropy:leave_one_out"),
    ],
    inference_rules=[
        InferenceRuleInfo(name="without-notes", factory="epcg_deduction.inference.rules:without_notes",
                          summary="one instance of a rule and the marks that are sure exclude a mark"),
        InferenceRuleInfo(name="one-instance", factory="epcg_deduction.inference.rules:one_instance",
                          summary="one instance of a rule, with what was excluded, excludes a mark"),
        InferenceRuleInfo(name="two-instances", factory="epcg_deduction.inference.rules:two_instances",
                          summary="two instances that share a site exclude a mark together"),
        InferenceRuleInfo(name="assumption", factory="epcg_deduction.inference.rules:assumption",
                          summary="a mark that is assumed leads to a contradiction by the easier steps"),
        InferenceRuleInfo(name="patterns", params="epcg_core.plugin:PatternsParams",
                          factory="epcg_deduction.evaluation.patterns:patterns_rule",
                          summary="marks and clues in a window of 3 by 3 say what stands in its middle"),
    ],
    renderers=[
        RendererInfo(format="svg", draws_solution=True,
                     factory="epcg_deduction.rendering.renderers:svg_renderer"),
        RendererInfo(format="text", draws_solution=True,
                     factory="epcg_deduction.rendering.renderers:text_renderer"),
    ],
    editors=[
        EditorInfo(summary="clues and walls on the board of a genre; play with marks",
                   factory="epcg_deduction.workshop.editor:PuzzleEditor",
                   new="epcg_deduction.workshop.editor:new_puzzle", size=(4, 4),
                   examples="epcg_deduction.workshop.editor:examples"),
    ],
    formats=[
        FormatInfo(name="deduction", endings=(".deduction",), summary="a genre with its puzzles",
                   read="epcg_deduction.workshop.puzzle_file:read_puzzles",
                   write="epcg_deduction.workshop.puzzle_texts:write_puzzle",
                   file="epcg_deduction.workshop.puzzle_file:PuzzleFile"),
        FormatInfo(name="puzzlink", summary="addresses of puzz.link, one a line",
                   read="epcg_deduction.formats.own:read_addresses",
                   write="epcg_deduction.formats.own:written_address"),
        FormatInfo(name="pzprv3", summary="files of puzz.link: Slitherlink, Nurikabe, Masyu, Akari",
                   read="epcg_deduction.formats.own:read_pzprv3",
                   write="epcg_deduction.formats.own:written_pzprv3"),
        FormatInfo(name="penpa", summary="addresses of penpa-edit, one a line",
                   read="epcg_deduction.formats.own:read_penpa_addresses",
                   write="epcg_deduction.formats.own:written_penpa"),
    ],
    commands=[
        CommandInfo(name="genres", summary="the genres that are shipped, or the text of one",
                    factory="epcg_deduction.commands.solve:genres_command"),
        CommandInfo(name="check", summary="the faults of a text, and whether its puzzles are fair",
                    factory="epcg_deduction.commands.solve:check_command"),
        CommandInfo(name="solve", summary="the solutions of the puzzles of a file",
                    factory="epcg_deduction.commands.solve:solve_command"),
        CommandInfo(name="hint", summary="how a puzzle is solved, step by step",
                    factory="epcg_deduction.commands.solve:hint_command"),
    ],
    others={"publications": [
        {
            "name": "deduction",
            "title": "Counts of fair deduction puzzles on small boards: OEIS, and a program that tries all",
            "tables": "epcg_deduction.studies:publications/deduction.toml",
        },
    ]},
)  # fmt: skip


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DEDUCTION)
