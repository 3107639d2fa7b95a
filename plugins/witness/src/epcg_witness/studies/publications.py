"""The published numbers about The Witness, and the questions that give ours. Light."""

from __future__ import annotations

from functools import partial
from math import comb

from epcg_core.plugin import (
    CANDIDATES,
    Ask,
    Exact,
    Origin,
    OutOfReach,
    Plot,
    Row,
    Significant,
    Table,
    of_metric,
)
from epcg_witness.params import Restriction

MUST_CROSS = {
    (2, 2): ((21, 5, 10), (210, 1, 2), (1_330, 1, 270), (5_985, 1, 2_140), (20_349, 1, 8_248),
             (54_264, 1, 20_290)),
    (3, 3): ((40, 68, 4), (780, 14, 2), (9_880, 4, 36), (91_390, 1, 166), (658_008, 1, 9_572),
             (3_838_380, 1, 166_520)),
}  # fmt: skip
"""(width, height) -> for 1 to 6 dots: panels, fewest solutions, panels with so few (reference values)"""
PATHS = {1: 2, 2: 12, 3: 184, 4: 8_512, 5: 1_262_816}
"""side -> paths from corner to corner of an empty panel (reference values)"""
TWO_COLOURS = {1: (3, 3, 0, 6), 2: (81, 79, 8, 528), 3: (19_683, 17_119, 1_056, None)}
"""side -> panels of squares of two colours or none; solvable; with one solution; all solutions (reference)"""
JOINT: dict[Restriction, tuple[str, tuple[int, int, int], tuple[str, ...], Origin]] = {
    "none": ("any pieces", (7_316, 7, 26), ("classes", "best"), "reference"),
    "different_types": ("three different pieces", (5_275, 6, 120), ("best",), "paper"),
    "not_one_region": ("3 by 3 cells", (7_360, 5, 8), (), "paper"),
}
"""restriction -> (label, (classes of panels, best value, sets with it), which are known, from where)"""
LARGE_PANELS = 7_741_440
"""Panels of 4 by 4 cells with three pieces of the library."""
_PARTS = "epcg_witness.studies.computed"
_SOLVABLE = "SELECT sum(count) FROM histograms WHERE run_id = :run AND metric = 'solutions' AND low > 0"
_WITH = (
    "SELECT coalesce(sum(count), 0) FROM histograms WHERE run_id = :run AND metric = 'solutions' "
    "AND low = {0}"
)
_TEXTS = "SELECT epcg_text(puzzle) FROM kept WHERE run_id = :run"


def joint_panels() -> tuple[Table, ...]:
    """Return the tables of the 2018 paper."""
    return (_text(), _three_pieces(), _figure_3(), _figure_4())


def _text() -> Table:
    from epcg_witness.studies import computed

    row = partial(Row, how="the sizes of the space of the query witness/three_pieces", quick=True)
    return Table(
        name="text",
        printed="the text",
        title="How many ways there are to put three of 24 polyominoes on 3 by 3 cells",
        candidates=1_161_216,
        rows=(
            row(label="types of pieces", published=Exact(24), compute=computed.piece_types),
            row(
                label="ways to place three on 3 by 3 cells",
                published=Exact(84),
                compute=computed.ways_to_place,
            ),
            row(label="types of three pieces", published=Exact(13_824), compute=computed.types_of_three),
            row(
                label="panels of three sub-panels",
                published=Significant(1.6e18, 2),
                compute=computed.panels_of_three,
            ),
        ),
    )


def _three_pieces() -> Table:
    row = partial(Row, origin="reference", ask=Ask("witness/three_pieces"), quick=True)
    return Table(
        name="three-pieces",
        title="Panels of 3 by 3 cells with three of 24 polyominoes",
        printed="the space of Algorithm 6",
        candidates=1_161_216,
        rows=(
            row(label="panels", published=Exact(1_161_216), sql=CANDIDATES),
            row(label="solvable", published=Exact(113_296), sql=_SOLVABLE),
            row(label="with one solution", published=Exact(15_196), sql=_WITH.format(1)),
            row(label="solutions, at most", published=Exact(19), sql=of_metric("maximum", "solutions")),
            row(
                label="solutions of all panels",
                published=Exact(400_146),
                sql=of_metric("total", "solutions"),
            ),
        ),
    )


def joint_ask(restriction: Restriction) -> Ask:
    """Ask for all sets of three sub-panels, the best of them proven."""
    return Ask("witness/joint_panels", (f"generator.restriction={restriction}",))


def _optimum_rows(restriction: Restriction) -> list[Row]:
    """Return the classes of panels, the best value, and how many sets of classes have it."""
    label, numbers, known, origin = JOINT[restriction]
    ways = (
        ("classes", "classes of panels", CANDIDATES, f"{_PARTS}:classes_of"),
        ("best", "best value", of_metric("maximum", "joint_difficulty"), None),
        ("optima", "sets of classes with it", "SELECT count(*) FROM kept WHERE run_id = :run", None),
    )
    return [
        Row(
            label=f"{label}: {what}",
            published=Exact(value) if name in known else None,
            origin=origin,
            ask=joint_ask(restriction),
            sql=sql,
            reduce=reduce,
            found=None if name in known else Exact(value),
            quick=True,
        )
        for (name, what, sql, reduce), value in zip(ways, numbers, strict=True)
    ]


def _figure_3() -> Table:
    return Table(
        name="figure-3",
        printed="Figure 3 and Algorithm 6",
        title="Three sub-panels that one path solves, and that two of them leave most open",
        candidates=comb(7_318, 3),
        rows=(
            *_optimum_rows("none"),
            Row(
                label="any pieces: sets of panels that the classes stand for",
                published=None,
                ask=joint_ask("none"),
                sql="SELECT CAST(space.represents AS INTEGER) FROM run JOIN space ON space.id = run.space_id "
                "WHERE run.id = :run",
                found=Exact(242_384_017_989_296),
                quick=True,
            ),
            Row(
                label="any pieces: joint solutions",
                published=Exact("RULURURDRU, URDRURULUR"),
                origin="reference",
                ask=joint_ask("none"),
                sql=_TEXTS,
                reduce=f"{_PARTS}:joint_solutions",
                quick=True,
            ),
            *_optimum_rows("different_types"),
            Row(
                label="three different pieces: the figure's joint solution is among the best",
                published=Exact("URDRUURU"),
                ask=joint_ask("different_types"),
                sql=_TEXTS,
                reduce=f"{_PARTS}:figure_3_solution",
                quick=True,
            ),
            Row(
                label="the three sub-panels as drawn",
                published=None,
                out_of_reach=OutOfReach("drawing", "which pieces lie where is only drawn"),
            ),
        ),
    )


def _figure_4() -> Table:
    large = Ask("witness/joint_panels_large")
    larger = Ask("witness/joint_panels_large", ("generator.candidates=100000",))
    return Table(
        name="figure-4",
        printed="Figure 4",
        title="The same where the joint solution parts the pieces of every sub-panel",
        candidates=comb(7_362, 3),
        rows=(
            *_optimum_rows("not_one_region"),
            *(
                Row(
                    label=f"4 by 4 cells, {number:,} panels drawn: best value",
                    published=None,
                    ask=ask,
                    sql=of_metric("maximum", "joint_difficulty"),
                    found=Exact(best),
                )
                for number, ask, best in ((10_000, large, 2), (100_000, larger, 6))
            ),
            Row(
                label="4 by 4 cells: best value of all sets",
                published=None,
                out_of_reach=OutOfReach(
                    "size", f"sets of three of the {LARGE_PANELS:,} panels", comb(LARGE_PANELS + 2, 3)
                ),
            ),
            Row(
                label="the sub-panels as drawn",
                published=None,
                out_of_reach=OutOfReach("drawing", "which pieces lie where is only drawn"),
            ),
        ),
    )


def must_cross() -> tuple[Table, ...]:
    """Return the tables about panels of dots, paths and squares."""
    return (_must_cross(), _paths(), _two_colours())


def _must_cross() -> Table:
    rows = []
    for (width, height), counts in MUST_CROSS.items():
        for dots, (panels, fewest, with_fewest) in enumerate(counts, 1):
            ask = Ask(
                "witness/must_cross",
                (
                    f"generator.width={width}",
                    f"generator.height={height}",
                    f"generator.count={dots}",
                    "select=[]",
                ),
            )
            label = f"{width} by {height}, {dots} dot{'s' if dots > 1 else ''}"
            row = partial(Row, origin="reference", ask=ask, quick=True)
            rows += [
                row(label=f"{label}: panels", published=Exact(panels), sql=CANDIDATES),
                row(
                    label=f"{label}: fewest solutions",
                    published=Exact(fewest),
                    sql=of_metric("minimum", "solutions"),
                ),
                row(
                    label=f"{label}: panels with so few",
                    published=Exact(with_fewest),
                    sql=_WITH.format(fewest),
                ),
            ]
    return Table(
        name="must-cross",
        title="Panels of must-cross dots with the fewest solutions, but at least one",
        printed="ExamineMustCross",
        candidates=sum(panels for counts in MUST_CROSS.values() for panels, _, _ in counts),
        rows=rows,
    )


def _paths() -> Table:
    return Table(
        name="paths",
        title="Paths from corner to corner of an empty panel",
        candidates=len(PATHS),
        rows=[
            Row(
                label=f"{side} by {side}",
                published=Exact(paths),
                origin="reference",
                ask=Ask(
                    "witness/must_cross",
                    (f"generator.width={side}", f"generator.height={side}", "generator.count=0"),
                ),
                sql=of_metric("total", "solutions"),
                quick=True,
            )
            for side, paths in PATHS.items()
        ],
        plot=Plot(title="Paths of an empty panel", axis="paths", log=True),
    )


def _two_colours() -> Table:
    rows = []
    for side, (panels, solvable, unique, total) in TWO_COLOURS.items():
        groups = f'[{{symbols=["none", "square black", "square white"], count={side * side}}}]'
        ask = Ask(
            "witness/three_pieces",
            (f'generator={{name="placements", width={side}, height={side}, groups={groups}}}',),
        )
        row = partial(Row, origin="reference", ask=ask, quick=True)
        label = f"{side} by {side}"
        rows += [
            row(label=f"{label}: panels", published=Exact(panels), sql=CANDIDATES),
            row(label=f"{label}: solvable", published=Exact(solvable), sql=_SOLVABLE),
            row(label=f"{label}: with one solution", published=Exact(unique), sql=_WITH.format(1)),
        ]
        if total is not None:
            rows.append(
                row(
                    label=f"{label}: solutions of all",
                    published=Exact(total),
                    sql=of_metric("total", "solutions"),
                )
            )
    return Table(
        name="two-colours",
        title="Panels of black and white squares",
        candidates=sum(panels for panels, *_ in TWO_COLOURS.values()),
        rows=rows,
    )
