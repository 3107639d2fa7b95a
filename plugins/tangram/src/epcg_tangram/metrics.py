"""The metrics of the tangram's evaluators."""

from __future__ import annotations

from epcg_core.plugin import Metric

EXCLUDED_PIECE = Metric(
    "excluded_piece",
    "int",
    "min",
    "",
    "the first piece that the board does without, by its number in the game",
    at_least=0,
)
PIECES = Metric("pieces", "int", "max", "", "pieces on the board", title="pieces", at_least=0)
TOUCHING_PAIRS = Metric(
    "touching_pairs",
    "int",
    "max",
    "",
    "pairs of pieces that share an edge",
    title="pairs that touch",
    at_least=0,
)
SAME_COLOUR_PAIRS = Metric(
    "same_colour_pairs", "int", "min", "", "pairs of pieces of one colour that share an edge: 0 on a "
    "coloured map",
    title="neighbours of one colour", at_least=0,
)  # fmt: skip
FAULT_LINES = Metric(
    "fault_lines", "int", "min", "", "straight lines through the whole board that no piece crosses",
    title="lines of fault", at_least=0,
)  # fmt: skip
BOARD_FACTS = (EXCLUDED_PIECE, PIECES, TOUCHING_PAIRS, SAME_COLOUR_PAIRS, FAULT_LINES)

SOLUTIONS = Metric(
    "solutions", "int", "max", "", "solved boards, modulo the symmetries of the board",
    title="ways to fill the board", sentence="{} way[s] to fill the board", at_least=0,
)  # fmt: skip
FEWEST_PLACEMENTS = Metric(
    "fewest_placements", "int", "max", "", "places of the piece that has the fewest of them on the board",
    title="places of the most cramped piece", at_least=0,
)  # fmt: skip
PLACEMENTS = Metric(
    "placements",
    "int",
    "max",
    "",
    "places of the shape on the board",
    title="places on the board",
    at_least=0,
)
SHAPE_FACTS = (
    Metric(
        "symmetries", "int", "max", "", "symmetries that keep the shape, the identity among them",
        title="symmetries", at_least=0,
    ),
    Metric(
        "own_mirror_image", "bool", "max", "", "a reflection keeps the shape", title="its own mirror image"
    ),
    Metric("perimeter", "int", "min", "", "edges around the shape, holes included", title="edges around it",
    at_least=0),
    Metric("holes", "int", "min", "", "regions that the shape encloses", title="holes", at_least=0),
    Metric(
        "convexity", "real", "max", "", "the share of its convex hull that the shape fills",
        title="convexity", at_least=0, at_most=1
    ),
    Metric(
        "balance", "int", "min", "",
        "cells of its largest class minus those of its smallest: of the two colours of a chessboard, of "
        "triangles that point up and down, of the three classes of hexagons",
        title="imbalance", at_least=0,
    ),
)  # fmt: skip

EDGES_MUST_TOUCH = Metric(
    "edges_must_touch", "int", "max", "", "colours whose pieces all share edges with each other", at_least=0
)
EDGES_MUST_NOT_TOUCH = Metric(
    "edges_must_not_touch", "int", "max", "", "colours whose pieces share no edge", at_least=0
)
CORNERS_MUST_TOUCH = Metric(
    "corners_must_touch_not_edges",
    "int",
    "max",
    "",
    "colours whose pieces all share corners, but no edge",
    at_least=0,
)
NEITHER = Metric(
    "neither_edges_nor_corners",
    "int",
    "max",
    "",
    "colours whose pieces share neither edge nor corner",
    at_least=0,
)
TWO_COLOURS = Metric(
    "two_colours",
    "int",
    "max",
    "",
    "of these four relations, those that hold between two different colours",
    at_least=0,
)
COLOURS = (EDGES_MUST_TOUCH, EDGES_MUST_NOT_TOUCH, CORNERS_MUST_TOUCH, NEITHER, TWO_COLOURS)

BACK_SOLUTIONS = Metric(
    "back_solutions",
    "int",
    "max",
    "",
    "solved boards that can be laid on the bumps, each turned as needed",
    at_least=0,
)

CHAPTERS = tuple(
    Metric(
        f"back_{name}",
        "int",
        "max",
        "",
        f"boards on the back, with each choice of colours: {description}",
        at_least=0,
    )
    for name, description in (
        ("no_constraint", "no colours"),
        *((metric.name, metric.description) for metric in COLOURS),
    )
)
SMALLEST_CHAPTER = Metric(
    "smallest_chapter", "int", "max", "", "the smallest of these six numbers", at_least=0
)

GIVEN = Metric(
    "given",
    "int",
    "min",
    "",
    "pieces that an instance shows",
    sentence="{} piece[s] lie there already",
    title="pieces that lie there",
    headline=3,
    at_least=0,
)
COMPLETIONS = Metric(
    "completions",
    "int",
    "min",
    "",
    "solved boards, in all orientations, that complete it",
    title="ways to complete it",
    headline=1,
    at_least=0,
)
BOARD = Metric("board", "int", "min", "", "the rank of its solved board among the solved_boards", at_least=0)
UNIQUE = Metric(
    "unique", "bool", "max", "", "exactly one solved board completes it", title="one way only", headline=2
)

_RULES = ("one_placement", "one_piece", "region_size", "region_shape")
RULE_DIFFERENTIALS = tuple(
    Metric(
        f"differential_{rule}", "real", "max", "bits", "MUSE with no rules minus MUSE with only this rule",
        sentence="the rule saves {} bit[s] of choice",
    )
    for rule in _RULES
)  # fmt: skip
LEAVE_ONE_OUT = tuple(
    Metric(
        f"left_out_{rule}", "real", "max", "bits", "MUSE with all rules but this minus MUSE with all",
        sentence="the rule saves {} bit[s] of choice beside the others",
    )
    for rule in _RULES
)  # fmt: skip
PUBLISHED_ENTROPY = Metric(
    "published_entropy",
    "real",
    "max",
    "bits",
    "the entropy by the recursion of the paper's program",
    at_least=0,
)
