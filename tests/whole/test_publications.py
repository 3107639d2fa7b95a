"""What the plugins reproduce: all that is quick, cheap tables in full, the READMEs' numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import attrs
import pytest
from epcg_fling.studies import computed as study
from epcg_research.reproduce import (
    Bench,
    Publication,
    TableResult,
    Verdict,
    catalogue,
    chosen,
    reproduced,
)
from epcg_snakebird.studies.publications import STUDY

from epcg_core.domain.publications import Row, Table
from epcg_core.query.named import load_query
from epcg_core.runs.coordinator import Options
from tests.workplace import SHARED, facts

ROOT = Path(__file__).resolve().parents[2]
DATA = SHARED / "data"
CHEAP = (
    "2013-fling/table-1",
    "2018-fling/table-1",
    "2018-fling/small-boards",
    "2024-information/empty-panels",
    "epcg-page/two-colours",
    "tangram/geometry",
    "tangram/table-1",
    "tangram/others",
)
"""Tables whose every row is computed by `make test`."""
ANSWERS = ("2020-snakebird/table-1",)
"""Tables of people's answers, which are not published; tests/snakebird/test_people.py simulates them."""
SLOW = {
    "2013-fling/levels": "test_the_published_levels, test_the_boards_of_two_levels_are_as_published",
    "2013-fling/figure-5": "test_the_published_levels, test_the_boards_of_two_levels_are_as_published",
    "2013-fling/figure-7": "test_a_table_saves_exactly_the_searched_boards_of_up_to_its_pieces",
    "2018-fling/expert-ratio": "test_expert_ratio_of_all_unique_boards_of_five_pieces",
    "2018-fling/moves": "test_changes_are_measured_in_arrays_as_one_by_one",
    "2018-witness/figure-3": "test_the_classes_of_the_study",
    "2018-witness/figure-4": "test_the_classes_say_all_that_the_panels_do",
    "2018-witness/three-pieces": "test_the_classes_of_the_study",
    "2024-information/rules-other": "tests/witness/test_difficulty.py",
    "2024-information/rules-triangles": "tests/witness/test_difficulty.py",
    "2024-information/player-models": "tests/witness/test_players.py",
    "2020-snakebird/headline": "the same questions about other levels, 2020-snakebird/single-edits",
    "tangram/instances": "test_the_smallest_sizes_are_the_golden_ones",
    "tangram/table-3-program": "test_chapter_1_is_as_published, test_the_sizes_are_the_golden_ones",
}
"""Tables whose quick rows take more than a CPU second -> the tests in `make test` that cover them."""
FEW = {
    "2013-fling/figure-8": r"[1-5] pieces",
    "2018-fling/layers": r"[1-5] pieces: .*",
    "2020-snakebird/levels": r"snakebird(Primer)?_\d?5: .*",
    "2020-snakebird/single-edits": r"snakebird(Primer)?_(2|6|57): .*",
    "epcg-page/must-cross": r"2 by 2, .*|3 by 3, [1-3] dots?: .*",
    "epcg-page/paths": r"[1-3] by [1-3]",
    "tangram/boards": r"(?!configurations, the smaller number).*(?<!symmetric ones counted apart)",
    "tangram/table-3": r"chapter (1|4|10) .*(?<!branching all)(?<!branching cell)",
}
"""Tables of which `make test` computes the rows with these labels; the others are questions of the same kind.

tests/snakebird/test_packed.py asks about all published levels, tests/witness/test_solver.py about more paths,
tests/tangram/test_muse.py compares both forms of the entropy with every `branching`,
tests/tangram/test_boards.py counts symmetric boards apart.
"""


@pytest.fixture(scope="module")
def publications() -> tuple[Publication, ...]:
    return catalogue()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("published") / "papers.db"


def computed(
    names: tuple[str, ...], database: Path, data: Path | None, quick: bool, labels: str = ".*"
) -> list[TableResult]:
    """Compute the rows whose labels match, of tables by name."""
    found = [with_rows(labels, p) for name in names for p in chosen(catalogue(), name)]
    options = Options(executor="serial", quiet=True)
    with Bench(str(database), load_query, data, options) as bench:
        return list(reproduced(found, bench, quick))


def with_rows(labels: str, publication: Publication) -> Publication:
    tables = [
        attrs.evolve(table, rows=[row for row in table.rows if re.fullmatch(labels, row.label)])
        for table in publication.tables
    ]
    return attrs.evolve(publication, tables=tuple(tables))


def strange(results: list[TableResult]) -> list[str]:
    """Differences without a reason."""
    return [
        f"{result.name}, {row.row.label}: {row.ours}, {row.reason}"
        for result in results
        for row in result.rows
        if row.verdict is Verdict.UNEXPLAINED
    ]


def test_the_four_papers_and_the_page_are_there(publications: tuple[Publication, ...]) -> None:
    assert {publication.paper for publication in publications} >= {
        "2013", "2018", "2020", "2023", "2024", "tangram", "epcg-page"
    }  # fmt: skip


def test_the_cheap_tables_are_as_published(database: Path) -> None:
    results = computed(CHEAP, database, None, quick=False)
    assert strange(results) == []
    for result in results:
        for row in result.rows:
            assert row.ours is not None or row.row.out_of_reach, f"{result.name}, {row.row.label}"
    verdicts = [row.verdict for result in results for row in result.rows]
    assert verdicts.count(Verdict.EQUAL) > 105
    assert [row.row.label for result in results for row in result.rows if row.verdict is Verdict.DIFFERS] == [
        "Wrench",
        "Trapezoid",
    ]
    again = computed(CHEAP, database, None, quick=False)
    assert not any(row.computed for result in again for row in result.rows)
    assert [row.ours for result in again for row in result.rows] == [
        row.ours for result in results for row in result.rows
    ]


def names_of_tables() -> list[str]:
    return [p.full_name(table) for p in catalogue() for table in p.tables]


def quick_cases() -> Iterator[object]:
    """Yield each table but the cheap ones, and which of its rows; all of an expensive one are a slow test."""
    for name in names_of_tables():
        if name in CHEAP:
            continue
        if name in FEW:
            yield pytest.param(name, FEW[name], id=f"{name}, some")
        slow = name in SLOW or name in FEW
        yield pytest.param(name, ".*", id=name, marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize(("name", "labels"), list(quick_cases()))
def test_all_that_is_quick_is_as_published(name: str, labels: str, database: Path) -> None:
    """With the published levels and puzzles where they are at hand; rows that need them say so where not."""
    data = DATA if DATA.is_dir() else None
    (result,) = computed((name,), database, data, quick=True, labels=labels)
    assert result.rows
    assert strange([result]) == []
    for row in result.rows:
        if name in ANSWERS:
            assert row.verdict is Verdict.NEEDS_DATA
        elif row.row.quick and (data is not None or not row.row.reads_data):
            assert row.ours is not None, f"{result.name}, {row.row.label}: {row.reason}"
        elif row.verdict in (Verdict.NOT_RUN, Verdict.NEEDS_DATA):
            assert row.reason


def test_slow_tables_are_tables() -> None:
    assert SLOW.keys() | FEW.keys() <= set(names_of_tables())


@pytest.mark.skipif(not DATA.is_dir(), reason="the published levels are not beside the repository")
def test_the_boards_of_two_levels_are_as_published(tmp_path: Path) -> None:
    """By the questions of 2013-fling/levels, figure-5 and figure-6; `make test-slow` asks about the rest."""
    every = json.loads((DATA / study.LEVEL_FILE).read_text(encoding="utf-8"))
    boards = [board for name in ("1", "7") for board in every[name]]
    (tmp_path / study.LEVEL_FILE).parent.mkdir()
    (tmp_path / study.LEVEL_FILE).write_text(json.dumps({name: every[name] for name in ("1", "7")}))
    options = Options(executor="serial", quiet=True)
    with Bench(str(tmp_path / "levels.db"), load_query, tmp_path, options) as bench:
        assert study.level_boards(bench) == study.level_solvable(bench) == len(boards) == 9
        assert study.level_unique(bench) == sum(board["unique_by_successors"] for board in boards) == 9
        assert study.level_unique_by_moves(bench) == sum(board["unique_by_moves"] for board in boards) < 9
        assert study.level_reachable_agree(bench) == 9
        tables = {table.name: by_label(table) for table in chosen(catalogue(), "2013-fling")[0].tables}
        for level in ("1", "7"):
            states = [board["reachable_states"] for board in every[level]]
            for what, value in (("mean", fmean(states)), ("smallest", min(states)), ("largest", max(states))):
                assert ours(bench, tables["figure-5"][f"level {level}: {what}"]) == value
            pieces = [board["pieces"] for board in every[level]]
            assert ours(bench, tables["figure-6"][f"level {level}: mean"]) == fmean(pieces)
        study.draw_reachable(bench, tmp_path / "figure-5.svg")
        assert "reachable states" in (tmp_path / "figure-5.svg").read_text(encoding="utf-8")


def ours(bench: Bench, row: Row) -> object:
    assert callable(row.compute), row.label
    return row.compute(bench)


def test_every_row_says_what_is_missing_without_the_data(
    publications: tuple[Publication, ...], tmp_path: Path
) -> None:
    reading = [
        (publication, table, row)
        for publication in publications
        for table in publication.tables
        for row in table.rows
        if row.reads_data
    ]
    assert len(reading) > 300
    names = tuple({publication.full_name(table) for publication, table, _ in reading})
    results = computed(names, tmp_path / "empty.db", None, quick=True)
    for result in results:
        for row in result.rows:
            if row.row.reads_data:
                assert row.verdict in (Verdict.NOT_RUN, Verdict.NEEDS_DATA)
                assert "--data" in row.reason or "--quick" in row.reason, (result.name, row)


@pytest.mark.parametrize(
    ("paper", "printed"),
    [
        ("2023-entropy", {"muse": (0.410, 1.10e-5), "remuse": (0.570, 1.57e-10)}),
        (
            "2024-information",
            {"muse": (0.412, 1.53e-5), "remuse": (0.583, 1.02e-10), "tsi": (0.563, 5.78e-10)},
        ),
    ],
)
def test_each_paper_has_its_own_correlations(
    publications: tuple[Publication, ...], paper: str, printed: dict[str, tuple[float, float]]
) -> None:
    rows = by_label(table_of(publications, f"{paper}/correlations"))
    assert {
        label: published(row) for label, row in rows.items() if row.published is not None
    } == {f"{m}: {what}": pair[i] for m, pair in printed.items() for i, what in enumerate("rp")}  # fmt: skip
    differ = {label for label, row in rows.items() if row.reason}
    assert bool(differ) == (paper == "2023-entropy"), "the puzzles at hand are those of 2024"


# --- the READMEs -------------------------------------------------------------------------------------------


def readme(plugin: str) -> str:
    return (ROOT / "plugins" / plugin / "README.md").read_text(encoding="utf-8")


def table_rows(text: str, first: str) -> Iterator[list[str]]:
    """The cells of the Markdown table whose first heading is `first`."""
    match = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-:| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert match is not None, first
    for line in match[1].splitlines():
        yield [cell.strip() for cell in line.strip("|").split("|")]


def table_of(publications: tuple[Publication, ...], name: str) -> Table:
    return chosen(publications, name)[0].tables[0]


def by_label(table: Table) -> dict[str, Row]:
    return {row.label: row for row in table.rows}


def numbers(text: str) -> list[float]:
    """The numbers of a text, thousands with commas."""
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?(?<!,)", text)]


def expected(row: Row) -> float:
    value = getattr(row.expected, "value", None)
    assert isinstance(value, int | float), row.label
    return float(value)


def published(row: Row) -> float:
    value = getattr(row.published, "value", None)
    assert isinstance(value, int | float), row.label
    return float(value)


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


def test_the_study_in_snakebirds_readme() -> None:
    found_here = {label: getattr(number, "value", None) for label, _, number in STUDY}
    text = readme("snakebird")
    checked = 0
    for name in ("original", "longest", "shortest"):
        match = re.search(rf"^    {name} +(\d+) +(\d+) +([\d.]+) +([\d.e-]+)$", text, re.MULTILINE)
        assert match is not None
        assert float(match[1]) == found_here["levels that are counted"]
        for what, found in zip(("median", "Shapiro W", "Shapiro p"), match.groups()[1:], strict=True):
            assert float(found) == found_here[f"{name}: {what}"]
            checked += 1
    for name in ("longest", "shortest", "original + 1"):
        match = re.search(rf"^    original and {re.escape(name)} +([\d.]+) +([\d.e-]+)$", text, re.MULTILINE)
        assert match is not None
        for what, found in zip("Up", match.groups(), strict=True):
            assert float(found) == found_here[f"original and {name}: {what}"]
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
