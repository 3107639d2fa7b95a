"""The numbers of the plugins' READMEs are those of what the plugins reproduce."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from epcg_research.reproduce import Publication, Row, catalogue, chosen

from tests.whole.test_publications import by_label, published, table_of
from tests.workplace import facts

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def publications() -> tuple[Publication, ...]:
    return catalogue()


def readme(plugin: str) -> str:
    return (ROOT / "plugins" / plugin / "README.md").read_text(encoding="utf-8")


def table_rows(text: str, first: str) -> Iterator[list[str]]:
    """The cells of the Markdown table whose first heading is `first`."""
    match = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-:| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert match is not None, first
    for line in match[1].splitlines():
        yield [cell.strip() for cell in line.strip("|").split("|")]


def numbers(text: str) -> list[float]:
    """The numbers of a text, thousands with commas."""
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?(?<!,)", text)]


def expected(row: Row) -> float:
    value = getattr(row.expected, "value", None)
    assert isinstance(value, int | float), row.label
    return float(value)


ANSWERS = "2020-snakebird/table-1"
"""People's answers, which are not published."""


def test_how_many_numbers_are_equal_is_the_same_in_the_readme_and_in_the_guide(
    publications: tuple[Publication, ...],
) -> None:
    """Ours is what a row expects, else it is an error: so the counts of a report follow from the rows."""
    equal: Counter[str] = Counter()
    differs = waiting = 0
    for publication in publications:
        for table in publication.tables:
            for row in table.rows:
                if row.published is None or not row.computable:
                    continue
                if publication.full_name(table) == ANSWERS:
                    waiting += 1
                elif row.found is not None:
                    differs += 1
                elif not row.again:
                    equal[row.origin] += 1
    guide = (ROOT / "docs/guides/reproduce.md").read_text(encoding="utf-8")
    sentence = (
        f"{equal['paper']} numbers printed in papers are equal, {equal['page']} of pages, "
        f"and {equal['reference']} of independent programs; {differs}"
    )
    for text in ((ROOT / "README.md").read_text(encoding="utf-8"), guide):
        assert sentence in " ".join(text.split())
    assert f"({waiting} more wait for the answers" in " ".join(guide.split())


def test_the_layers_in_flings_readme(publications: tuple[Publication, ...]) -> None:
    rows = by_label(table_of(publications, "2018-fling/layers"))
    checked = 0
    for pieces, *cells in table_rows(readme("fling"), "pieces"):
        for what, cell in zip(
            ("boards", "solvable", "unique by successors", "unique by moves"), cells, strict=True
        ):
            assert numbers(cell) == [expected(rows[f"{pieces} pieces: {what}"])], (pieces, what)
            checked += 1
    assert checked == 28


def test_the_shares_in_flings_readme(publications: tuple[Publication, ...]) -> None:
    rows = by_label(table_of(publications, "2013-fling/figure-8"))
    lines = re.findall(r"^    (\d+) +[\d,]+ +[\d,]+ +([\d.]+) % +exact$", readme("fling"), re.MULTILINE)
    assert len(lines) == 8
    counts = facts("fling")["counts"]
    for pieces, share in lines:
        assert float(share) == round(100 * counts[pieces]["solvable"] / counts[pieces]["boards"], 2)
        answer = rows[f"{pieces} pieces"].expected
        assert answer is not None
        assert answer.admits(float(share)), pieces


def test_what_2013_and_2018_print_of_fling_has_a_row(publications: tuple[Publication, ...]) -> None:
    """Nothing that is printed is called missing, and what is only drawn says so."""
    figure = by_label(table_of(publications, "2013-fling/figure-8"))
    assert {label: published(row) for label, row in figure.items() if row.published is not None} == {
        "4 pieces": 10,
        "10 pieces": 65,
    }
    ten = figure["10 pieces"].expected
    assert ten is not None
    assert ten.admits(100 * 23_938_078_337 / 35_607_051_480)
    for name in ("figure-5", "figure-6", "figure-8"):
        for row in table_of(publications, f"2013-fling/{name}").rows:
            assert row.published is not None or row.out_of_reach or "drawing" in row.reason, row.label
    boards = by_label(table_of(publications, "2013-fling/table-1"))
    assert len(boards) == 28
    assert published(boards["14 pieces: boards"]) == 5_804_731_963_800
    assert published(boards["12 pieces: memory at one bit a board"]) == 65.00
    ranks = table_of(publications, "2018-fling/table-1").rows
    assert [getattr(row.published, "value", None) for row in ranks][-2:] == ["15 17 18 19", "16 17 18 19"]


def test_the_joint_panels_in_the_witness_readme(publications: tuple[Publication, ...]) -> None:
    rows = by_label(table_of(publications, "2018-witness/figure-3"))
    rows |= by_label(table_of(publications, "2018-witness/figure-4"))
    labels = {
        "none": "any pieces",
        "different_types": "three different pieces",
        "not_one_region": "3 by 3 cells",
    }
    seen = []
    for restriction, classes, _, best, optima, solutions in table_rows(readme("witness"), "restriction"):
        label = labels[restriction.strip("`")]
        assert numbers(classes) == [expected(rows[f"{label}: classes of panels"])]
        assert numbers(best) == [expected(rows[f"{label}: best value"])]
        assert numbers(optima) == [expected(rows[f"{label}: sets of classes with it"])]
        if restriction == "`none`":
            assert solutions == getattr(rows[f"{label}: joint solutions"].published, "value", None)
        seen.append(label)
    assert len(seen) == 3


def test_the_witness_readmes_other_numbers(publications: tuple[Publication, ...]) -> None:
    text = " ".join(readme("witness").split())
    rows = by_label(table_of(publications, "2018-witness/three-pieces"))
    for label in ("panels", "solvable"):
        assert f"{expected(rows[label]):,.0f}" in text
    figure = by_label(table_of(publications, "2018-witness/figure-4"))
    best = re.search(r"best value among these 10,000 panels is (\d+); .*? it is (\d+)", text)
    assert best is not None
    for number, value in zip(("10,000", "100,000"), best.groups(), strict=True):
        assert int(value) == expected(figure[f"4 by 4 cells, {number} panels drawn: best value"])


def test_the_study_in_snakebirds_readme(publications: tuple[Publication, ...]) -> None:
    rows = {
        row.label.removeprefix("limit 20,000: "): row
        for row in table_of(publications, "2020-snakebird/figure-4").rows
        if row.label.startswith("limit 20,000: ")
    }

    def agrees(label: str, number: str) -> bool:
        found = rows[label].expected
        return found is not None and found.admits(float(number))

    text = readme("snakebird")
    checked = 0
    for name in ("original", "longest", "shortest"):
        match = re.search(rf"^    {name} +(\d+) +(\d+) +([\d.]+) +([\d.e-]+)$", text, re.MULTILINE)
        assert match is not None
        assert agrees("levels that are counted", match[1])
        for what, found in zip(("median", "Shapiro W", "Shapiro p"), match.groups()[1:], strict=True):
            assert agrees(f"{name}: {what}", found)
            checked += 1
    for name in ("longest", "shortest", "original + 1"):
        match = re.search(rf"^    original and {re.escape(name)} +([\d.]+) +([\d.e-]+)$", text, re.MULTILINE)
        assert match is not None
        for what, found in zip("Up", match.groups(), strict=True):
            assert agrees(f"original and {name}: {what}", found)
            checked += 1
    assert checked == 15


TANGRAM = {
    "Table 1, placements of the Wrench": ("table-1", ("Wrench",)),
    "Table 1, placements of the Trapezoid": ("table-1", ("Trapezoid",)),
    "solved boards": ("boards", ("solved boards",)),
    'search nodes ("configurations")': ("boards", ("configurations", "configurations, the smaller number")),
    "CPU seconds for all solved boards": ("boards", ("CPU seconds for all solved boards",)),
    "bump patterns": ("bumps", ("patterns",)),
    "bump patterns without a solution": ("bumps", ("patterns without a solution",)),
    "most solutions of a bump pattern": (
        "bumps",
        ("most solutions of a pattern", "most solutions of a pattern of the last split"),
    ),
    "smallest puzzles with one solution": (
        "instances",
        tuple(f"boards whose smallest puzzles show {n}" for n in (1, 2, 3)),
    ),
    "CPU seconds for all colours on all bump patterns": (
        "bumps",
        ("CPU seconds for all colours on all bump patterns",),
    ),
    "the smallest chapter on the back, at most": (
        "bumps",
        ("puzzles of the smallest chapter, at most", "patterns with so many"),
    ),
    "Table 3, chapter 1: puzzles": ("table-3", ("chapter 1 (no constraint): puzzles",)),
}
"""A figure of the README's comparison -> (table, rows) that say the same"""
BY_PIECE = {
    "Table 1, placements of the others": ("table-1", "{}"),
    "solved boards by excluded piece (Table 2)": ("boards", "without the {}"),
}


def test_the_comparison_in_the_tangrams_readme(publications: tuple[Publication, ...]) -> None:
    (tangram,) = chosen(publications, "tangram")
    tables = {table.name: by_label(table) for table in tangram.tables}
    seen = set()
    for figure, printed, here, _ in table_rows(readme("tangram"), "figure"):
        if figure in TANGRAM:
            table, labels = TANGRAM[figure]
            rows = [tables[table][label] for label in labels]
            said = numbers(re.sub(r"\(.*?\)", "", printed))
            assert said == ([published(row) for row in rows][: len(said)] if said else []), figure
            if "make bench" not in here:
                ours = set(numbers(here))
                assert {expected(row) for row in rows} <= ours, figure
            seen.add(figure)
        elif figure in BY_PIECE:
            table, label = BY_PIECE[figure]
            pairs = re.findall(r"(\d+) (\w+)", here)
            assert len(pairs) >= 8
            for count, piece in pairs:
                assert int(count) == expected(tables[table][label.format(piece)]), (figure, piece)
            seen.add(figure)
    assert seen == {*TANGRAM, *BY_PIECE}


def test_the_tangrams_printed_numbers_are_those_of_the_golden_file(
    publications: tuple[Publication, ...],
) -> None:
    """None is left out: no row waits for a printed number."""
    golden = facts("tangram")["published"]
    order = list(range(1, 13))
    for one, other in golden["exchanged_rows"]:
        order[one - 1], order[other - 1] = other, one
    table_3 = table_of(publications, "tangram/table-3").rows
    for chapter, row in enumerate(order, 1):
        rows = [own for own in table_3 if own.label.startswith(f"chapter {chapter} ")]
        assert [published(own) for own in rows[:6]] == golden["table_3"][row - 1]
    boards = by_label(table_of(publications, "tangram/boards"))
    assert {piece: published(boards[f"without the {piece}"]) for piece in golden["table_2"]} == golden[
        "table_2"
    ]
    bumps = by_label(table_of(publications, "tangram/bumps"))
    assert golden["table_4"] == {
        "all solutions": published(boards["CPU seconds for all solved boards"]),
        "placement constraints": published(bumps["CPU seconds for all patterns"]),
        "adjacency constraints": published(bumps["CPU seconds for all colours on all bump patterns"]),
    }
    assert list(golden["figure_7"].values()) == [
        published(bumps[label])
        for label in (
            "patterns without a solution",
            "patterns",
            "most solutions of a pattern",
            "patterns with the most solutions",
        )
    ]
    (tangram,) = chosen(publications, "tangram")
    without = [row.label for table in tangram.tables for row in table.rows if row.published is None]
    assert without == [
        "puzzles of the smallest chapter, at most",
        "patterns with so many",
        "the curriculum as printed",
    ]


def test_table_3_in_the_tangrams_readme(publications: tuple[Publication, ...]) -> None:
    rows = list(table_of(publications, "tangram/table-3").rows)
    cells = {figure: (printed, here) for figure, printed, here, _ in table_rows(readme("tangram"), "figure")}

    def of(chapter: int, what: str) -> list[Row]:
        return [
            row for row in rows if row.label.startswith(f"chapter {chapter} ") and f": {what}" in row.label
        ]

    printed, here = cells["Table 3, chapter 1: entropy, min / max / mean / median / deviation"]
    first = of(1, "entropy")
    assert numbers(printed) == [published(row) for row in first[:5]]
    assert len(first) == 15
    assert numbers(re.sub(r"\(.*?\)", "", here)) == [expected(row) for row in first]
    front = of(1, "puzzles") + [row for chapter in range(2, 7) for row in of(chapter, "puzzles")]
    back = [row for chapter in range(7, 13) for row in of(chapter, "puzzles")]
    assert [expected(row) for row in front[1:]] == numbers(
        cells["Table 3, chapters 2 to 6: puzzles on the front"][1]
    )
    assert [1674, *map(expected, back)] == numbers(cells["Table 3, chapters 7 to 12: puzzles on the back"][1])
    for name, chapters in (
        ("Table 3, chapters 2 to 6: entropy, min / max / mean / median / deviation", range(2, 7)),
        ("Table 3, chapters 7 to 12: entropy", range(7, 13)),
    ):
        found = numbers(re.sub(r"\(.*?\)", "", cells[name][1]))
        assert found == [expected(row) for chapter in chapters for row in of(chapter, "entropy")], name
