"""What each table of `epcg reproduce` says of itself, beside what the paper's table or figure shows."""

from __future__ import annotations

import re

import pytest
from epcg_research.reproduce import Publication, Row, catalogue, chosen

# (table, what its title and place must say, as words; how many rows have a number that the paper prints)
FACTS = [
    ("2013-fling/table-1", ("Table 1", "number of pieces"), 28),
    ("2013-fling/text", ("text", "14 balls", "Figure 3"), 2),
    ("2013-fling/figure-5", ("Figure 5", "error bars", "smallest", "largest", "Reachable states"), 0),
    ("2013-fling/figure-6", ("Figure 6", "Pieces", "mean"), 0),
    ("2013-fling/figure-7", ("Figure 7", "9 pieces", "100 random boards", "14, 15 and 16"), 1),
    ("2013-fling/figure-8", ("Figure 8", "Solvable", "number of pieces"), 2),
    ("2018-fling/table-1", ("Table 1", "4 of 20"), 7),
    ("2018-fling/text", ("text",), 6),
    ("2018-fling/layers", ("Algorithm 5",), 5),
    ("2018-fling/moves", ("text", "6 pieces"), 1),
    ("2018-witness/text", ("24 polyominoes", "3 by 3"), 4),
    ("2018-witness/three-pieces", ("3 by 3", "24 polyominoes"), 2),
    ("2018-witness/figure-3", ("Figure 3",), 1),
    ("2020-snakebird/headline", ("text", "positions"), 8),
    ("2020-snakebird/levels", ("published levels",), 0),
    ("2020-snakebird/figure-4", ("Figure 4", "share", "medians", "Shapiro", "rank-sum", "signed-rank"), 6),
    ("2020-snakebird/table-1", ("Table 1", "variant ranked first", "120 comparisons", "signed-rank"), 13),
    ("2023-entropy/puzzles", ("of 52",), 0),
    (
        "2023-entropy/correlations",
        ("Pearson", "104 panels", "4 by 4", "number of upvotes", "linear regression"),
        4,
    ),
    ("2024-information/correlations", ("Pearson", "103 panels", "4 by 4", "separation and path"), 6),
    ("2024-information/rules-triangles", ("Pearson", "TSI", "179", "at least one", "29 November 2021"), 9),
    ("2024-information/rules-other", ("Pearson", "TSI", "226", "without triangles", "29 November 2021"), 9),
    ("2024-information/player-models", ("Pearson", "24 panels", "two colours of squares only"), 10),
    ("2024-information/what-was-learned", ("11,050 states", "probability of actions", "separation rule"), 6),
    ("tangram/table-1", ("Table 1", "Placements"), 10),
    ("tangram/orders", ("text",), 4),
    ("tangram/boards", ("Tables 2 and 4",), 14),
    ("tangram/bumps", ("Table 4", "Figure 7"), 8),
    ("tangram/instances", ("one solution",), 0),
    ("tangram/table-3", ("Table 3",), 82),
    ("tangram/table-3-program", ("Table 3", "published program"), 11),
    ("packing/pentominoes", ("Golomb",), 6),
    ("packing/others", ("Kasteleyn",), 1),
    ("packing/calendar", ("DragonFjord",), 0),
    ("deduction/fair-in-all", ("Fair puzzles",), 0),
    ("epcg-page/must-cross", ("ExamineMustCross",), 0),
    ("windmill/all-panels-votes", ("Spearman", "detrended upvotes", "30 solves or more"), 0),
    ("windmill/all-panels-rate", ("Spearman", "upvotes per solve", "30 solves or more"), 0),
]


@pytest.fixture(scope="module")
def publications() -> tuple[Publication, ...]:
    return catalogue()


@pytest.mark.parametrize(("name", "words", "printed"), FACTS, ids=[name for name, _, _ in FACTS])
def test_a_table_says_what_the_paper_shows(
    publications: tuple[Publication, ...], name: str, words: tuple[str, ...], printed: int
) -> None:
    (table,) = chosen(publications, name)[0].tables
    caption = f"{table.printed}: {table.title}"
    assert [word for word in words if word not in caption] == []
    assert sum(row.published is not None and row.origin == "paper" for row in table.rows) == printed


def test_the_twelve_rows_of_table_3_stand_with_their_six_numbers(
    publications: tuple[Publication, ...],
) -> None:
    (table,) = chosen(publications, "tangram/table-3")[0].tables
    chapters: dict[int, list[Row]] = {}
    for row in table.rows:
        match = re.match(r"chapter (\d+) ", row.label)
        assert match is not None
        chapters.setdefault(int(match[1]), []).append(row)
    assert sorted(chapters) == list(range(1, 13))
    for rows in chapters.values():
        what = {re.sub(r".*: |, branching.*", "", row.label) for row in rows}
        assert what == {
            "puzzles",
            *(f"entropy, {m}" for m in ("lowest", "highest", "mean", "median", "deviation")),
        }
        assert all(row.published is not None and row.computable for row in rows)
        assert all(row.reason for row in rows if row.found is not None)


def test_every_row_that_computes_nothing_says_why(publications: tuple[Publication, ...]) -> None:
    for publication in publications:
        for table in publication.tables:
            for row in table.rows:
                assert row.computable or row.reason or row.out_of_reach is not None, row.label


def test_a_number_that_is_printed_in_a_paper_or_only_drawn_there_checks_a_claim(
    publications: tuple[Publication, ...],
) -> None:
    """Claims without a row have a reason: the reader of the files asks for one."""
    without = [
        f"{publication.full_name(table)}, {row.label}"
        for publication in publications
        for table in publication.tables
        for row in table.rows
        if row.origin == "paper"
        and not row.claim
        and (
            row.published is not None
            or (row.out_of_reach is not None and row.out_of_reach.obstacle == "drawing")
        )
    ]
    assert without == []


def test_claims_say_where_they_stand_and_what_would_be_needed(publications: tuple[Publication, ...]) -> None:
    claims = [(p.name, claim) for p in publications for claim in p.claims]
    assert len(claims) > 70
    for name, claim in claims:
        assert claim.place or name == "tower-of-london", (name, claim.name)
        assert claim.says.endswith("."), (name, claim.name)
        assert not claim.reason or "needs " in claim.reason, (name, claim.name)


def test_numbers_of_the_oeis_and_of_web_pages_are_of_pages(publications: tuple[Publication, ...]) -> None:
    found = [
        (row.label, row.origin)
        for publication in publications
        for table in publication.tables
        for row in table.rows
        if "OEIS" in row.label or "online" in row.label
    ]
    assert len(found) == 9
    assert {origin for _, origin in found} == {"page"}
