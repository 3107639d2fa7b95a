"""The published numbers about Snakebird, and the questions that give ours. Light: rows are only declared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from epcg_core.plugin import (
    CANDIDATES,
    Ask,
    Exact,
    LessThan,
    MoreThan,
    OutOfReach,
    Plot,
    Published,
    Rounded,
    Row,
    Significant,
    Table,
    of_metric,
    values_of,
)
from epcg_snakebird.studies.published_levels import AS_SHORT, FOLDER, LEVELS, SINGLE_EDITS, STUDY_LIMIT

LIMIT = 1_000_000
QUICK_LEVELS = 100_000
"""Expansions: --quick solves levels of fewer."""
QUICK_EDITS = 300_000
"""Expansions of a level times its variants."""
NONE = "no solution"
SHORTEST = "variants that are the shortest"
NONE_SHORTER = "no change makes the level shorter; the reference counts only variants that are"
OVER = f"none within {LIMIT:,} expansions"
_PARTS = "epcg_snakebird.studies.computed"
_MOVES = (
    f"SELECT coalesce(moves.value, CASE WHEN expansions.value > {LIMIT} THEN '{OVER}' ELSE '{NONE}' END) "
    "FROM scores AS moves JOIN scores AS expansions USING (run_id, rank) WHERE run_id = :run "
    "AND moves.metric = 'moves' AND expansions.metric = 'expansions'"
)
_TIES = (
    "SELECT count(*) FROM scores WHERE run_id = :run AND metric = 'moves' AND value = "
    "(SELECT {0} FROM metrics WHERE run_id = :run AND metric = 'moves')"
)
_WITHOUT = (
    "SELECT count(*) FROM scores AS moves JOIN scores AS expansions USING (run_id, rank) WHERE run_id = :run "
    "AND moves.metric = 'moves' AND expansions.metric = 'expansions' AND moves.value IS NULL "
    "AND expansions.value {0} " + str(LIMIT)
)

STUDY: tuple[tuple[str, str, Published], ...] = (
    ("levels that are counted", "counted", Exact(47)),
    ("original: median", "median_original", Exact(22)),
    ("original: Shapiro W", "w_original", Rounded(0.9746, 4)),
    ("original: Shapiro p", "p_original", Significant(3.93e-01, 3)),
    ("longest: median", "median_longest", Exact(28)),
    ("longest: Shapiro W", "w_longest", Rounded(0.9625, 4)),
    ("longest: Shapiro p", "p_longest", Significant(1.35e-01, 3)),
    ("shortest: median", "median_shortest", Exact(14)),
    ("shortest: Shapiro W", "w_shortest", Rounded(0.9507, 4)),
    ("shortest: Shapiro p", "p_shortest", Significant(4.61e-02, 3)),
    ("original and longest: U", "u_longest", Exact(801.5)),
    ("original and longest: p", "rank_sum_p_longest", Significant(2.21e-02, 3)),
    ("original and shortest: U", "u_shortest", Exact(1597)),
    ("original and shortest: p", "rank_sum_p_shortest", Significant(1.96e-04, 3)),
    (
        "original and longest, of the same levels: signed-rank p",
        "signed_rank_p_longest",
        Significant(3.27e-09, 3),
    ),
    (
        "original and shortest, of the same levels: signed-rank p",
        "signed_rank_p_shortest",
        Significant(1.09e-08, 3),
    ),
    ("original and original + 1: U", "u_plus_1", Exact(1028)),
    ("original and original + 1: p", "rank_sum_p_plus_1", Significant(5.65e-01, 3)),
)
"""(label, what of the study, what is found with STUDY_LIMIT)"""
PRINTED: dict[str, Published] = {
    "p_original": LessThan(0.01),
    "p_longest": LessThan(0.01),
    "p_shortest": LessThan(0.01),
    "rank_sum_p_longest": LessThan(0.001),
    "rank_sum_p_shortest": LessThan(0.001),
    "rank_sum_p_plus_1": Rounded(0.5, 1),
}
"""What the paper prints of these, for its levels"""
_FEWER = (
    f"these are the levels at hand whose searches end within {STUDY_LIMIT:,} expansions, not all that the "
    "paper counts"
)
_SAME_LEVELS = "the paper has no such test; it is the better one, because the lengths are of the same levels"
WORDS = {
    "fun": (48.3, False),
    "frustrating": (61.7, True),
    "surprising": (48.3, False),
    "interesting": (61.7, True),
    "enjoyable": (55.0, False),
    "challenging": (63.3, True),
}
"""word -> in how many percent of the comparisons the variant ranked first, and whether p < 0.05"""
BEST = 65


def tables() -> tuple[Table, ...]:
    """Return the tables of the paper."""
    return (_headline(), _levels(), _edits(), _figure_4(), _table_1())


def level_ask(level: str) -> Ask:
    """Ask for a level's shortest solution."""
    return Ask("snakebird/levels", (f'generator.path="{{data}}/{FOLDER}/{level}.map"',))


def edits_ask(level: str) -> Ask:
    """Ask for every change of one tile of a level."""
    return Ask("snakebird/single_edits", (f'generator.level="{{data}}/{FOLDER}/{level}.map"',))


def _headline() -> Table:
    ask = edits_ask("snakebird_24")
    other = edits_ask("snakebird_28")
    return Table(
        name="headline",
        title="What one tile can do (lengths in positions, one more than moves)",
        printed="the text",
        rows=(
            Row(
                label="level 24: positions of the shortest solution",
                published=Exact(27),
                ask=level_ask("snakebird_24"),
                sql=of_metric("minimum + 1", "moves"),
                quick=True,
            ),
            Row(
                label="level 24: with the best change of a tile",
                published=Exact(58),
                ask=ask,
                sql=of_metric("maximum + 1", "moves"),
                quick=True,
            ),
            Row(
                label="level with the largest gain, in moves: gain",
                published=Exact(58 - 27),
                ask=other,
                sql=of_metric("maximum", "gain"),
                found=Exact(86 - 49),
                reason="level 28 gains more: with canonical states more variants finish under the limit",
            ),
            Row(
                label=f"levels of 129 solved within {LIMIT:,} expansions, the authors' states",
                published=Exact(108),
                reason=f"only {len(LEVELS)} of the levels are at hand",
            ),
            Row(
                label=f"levels of 129 solved within {LIMIT:,} expansions, canonical states",
                published=Exact(111),
                origin="reference",
                reason=f"only {len(LEVELS)} of the levels are at hand",
            ),
        ),
    )


def _levels() -> Table:
    return Table(
        name="levels",
        title="Shortest solutions of the published levels",
        rows=list(_level_rows()),
    )


def _level_rows() -> Iterator[Row]:
    for level, (moves, expansions) in LEVELS.items():
        row = partial(Row, origin="reference", ask=level_ask(level), quick=expansions < QUICK_LEVELS)
        unsolved = OVER if expansions > LIMIT else NONE
        yield row(label=f"{level}: moves", published=Exact(unsolved if moves is None else moves), sql=_MOVES)
        yield row(label=f"{level}: expansions", published=Exact(expansions), sql=values_of("expansions"))


def _edits() -> Table:
    return Table(
        name="single-edits",
        title="Every change of one tile of a published level",
        candidates=sum(numbers[0] for numbers in SINGLE_EDITS.values()),
        rows=list(_edit_rows()),
    )


def _edit_rows() -> Iterator[Row]:
    for level, numbers in SINGLE_EDITS.items():
        quick = numbers[0] * LEVELS[level][1] < QUICK_EDITS
        row = partial(Row, origin="reference", ask=edits_ask(level), quick=quick)
        for what, sql, number in zip(
            (
                "variants",
                "longest, moves",
                "variants that are the longest",
                "shortest, moves",
                SHORTEST,
                "without a solution",
                "over the limit",
            ),
            (
                CANDIDATES,
                of_metric("maximum", "moves"),
                _TIES.format("maximum"),
                of_metric("minimum", "moves"),
                _TIES.format("minimum"),
                _WITHOUT.format("<="),
                _WITHOUT.format(">"),
            ),
            numbers,
            strict=True,
        ):
            as_short = AS_SHORT.get(level) if what == SHORTEST else None
            yield row(
                label=f"{level}: {what}",
                published=Exact(number),
                sql=sql,
                found=None if as_short is None else Exact(as_short),
                reason="" if as_short is None else NONE_SHORTER,
            )


def _figure_4() -> Table:
    from epcg_snakebird.studies import computed

    row = partial(Row, needs_data=True)
    return Table(
        name="figure-4",
        printed="Figure 4 and its tests",
        title="Lengths of the shortest solutions (share of the levels; medians): originals, with the change "
        "to the longest, to the shortest; Shapiro, two-sample Wilcoxon (rank-sum), signed-rank tests beside",
        rows=(
            *(
                row(
                    label=f"limit {STUDY_LIMIT:,}: {label}",
                    compute=partial(computed.of_study, what=what, limit=STUDY_LIMIT),
                    how=f"epcg snakebird study {FOLDER} --limit {STUDY_LIMIT}",
                    **_beside(what, found),  # type: ignore[arg-type]
                )
                for label, what, found in STUDY
            ),
            *(
                row(
                    published=None,
                    label=f"limit {LIMIT:,}: {label}",
                    compute=partial(computed.of_study, what=what, limit=LIMIT),
                    how=f"epcg snakebird study {FOLDER}",
                )
                for label, what, _ in STUDY
            ),
            Row(
                label="the levels of the figure",
                published=None,
                out_of_reach=OutOfReach("drawing", "which level is which of its points is only drawn"),
            ),
        ),
        plot=Plot(title="Lengths of the shortest solutions", draw=f"{_PARTS}:draw"),
    )


def _beside(what: str, found: Published) -> dict[str, object]:
    """Return what is printed of a number of the study, and what is found if that is another number."""
    printed = PRINTED.get(what)
    value = getattr(found, "value", None)
    if printed is not None and value is not None and printed.admits(value):
        return {"published": printed}
    reason = _SAME_LEVELS if what.startswith("signed_rank") else "" if printed is None else _FEWER
    return {"published": printed, "found": found, "reason": reason}


def _table_1() -> Table:
    from epcg_snakebird.studies import computed

    row = partial(Row, how=computed.RESPONSES, needs_data=True, quick=True)
    rows = []
    for word, (share, differs) in WORDS.items():
        rows += [
            row(
                label=f"{word}: variant ranked first",
                published=Rounded(share, 1),
                unit="%",
                compute=partial(computed.variant_first, word=word),
            ),
            row(
                label=f"{word}: p",
                published=LessThan(0.05) if differs else MoreThan(0.05),
                compute=partial(computed.variant_first_p, word=word),
            ),
        ]
    rows.append(
        row(
            label="best of all levels: a variant",
            published=Rounded(BEST, 0),
            unit="%",
            compute=partial(computed.variant_first, word="best"),
        )
    )
    return Table(
        name="table-1",
        printed="Table 1",
        title="Share in which the variant ranked first, of 120 comparisons (60 pairs); paired Wilcoxon "
        "signed-rank test",
        rows=rows,
    )
