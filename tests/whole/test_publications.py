"""What the plugins reproduce: all that is quick, and cheap tables in full."""

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
    Row,
    Table,
    TableResult,
    Verdict,
    catalogue,
    chosen,
    reproduced,
)

from epcg_core.query.named import load_query
from epcg_core.runs.coordinator import Options
from tests.workplace import SHARED

ROOT = Path(__file__).resolve().parents[2]
DATA = SHARED / "data"
CHEAP = {
    "2013-fling/table-1": r"(1|2|14) pieces: .*",
    "2018-fling/table-1": ".*",
    "2018-fling/small-boards": r"4 by 4, 2 pieces: .*",
    "2024-information/empty-panels": r"[12] by .*",
    "epcg-page/two-colours": r"[12] by .*",
    "tangram/geometry": ".*",
    "tangram/table-1": ".*",
    "tangram/others": ".*",
}
"""Tables whose every row is cheap -> the labels of those that `make test` computes."""
ANSWERS = ("2020-snakebird/table-1",)
"""Tables of people's answers, which are not published; tests/snakebird/test_people.py simulates them."""
SLOW = {
    "2013-fling/levels": "test_the_published_levels, test_the_boards_of_some_levels_are_as_published",
    "2013-fling/figure-5": "test_the_published_levels, test_the_boards_of_some_levels_are_as_published",
    "2013-fling/figure-7": "test_a_table_saves_exactly_the_searched_boards_of_up_to_its_pieces",
    "2018-fling/expert-ratio": "test_expert_ratio_of_all_unique_boards_of_five_pieces",
    "2018-fling/moves": "test_changes_are_measured_in_arrays_as_one_by_one",
    "2018-witness/figure-3": "test_the_classes_of_the_study",
    "2018-witness/figure-4": "test_the_classes_say_all_that_the_panels_do",
    "2018-witness/three-pieces": "test_the_classes_of_the_study",
    "2023-entropy/correlations": "the same questions in 2024-information/correlations",
    "2023-entropy/puzzles": "test_published_values_of_community_puzzles",
    "2024-information/rules-other": "tests/witness/test_difficulty.py",
    "2024-information/rules-triangles": "tests/witness/test_difficulty.py",
    "2024-information/player-models": "tests/witness/test_players.py",
    "2020-snakebird/headline": "the same questions about other levels, 2020-snakebird/single-edits",
    "tangram/bumps": "test_all_patterns, test_patterns_without_solution",
    "tangram/instances": "test_the_smallest_sizes_are_the_golden_ones",
    "tangram/table-3": "test_chapter_1_is_as_published, test_the_sizes_are_the_golden_ones",
    "tangram/table-3-program": "test_chapter_1_is_as_published, test_the_sizes_are_the_golden_ones",
}
"""Tables whose quick rows take more than half a CPU second -> the tests in `make test` that cover them."""
FEW = {
    "2013-fling/figure-8": r"[1-3] pieces",
    "2018-fling/layers": r"[1-3] pieces: .*",
    "2018-fling/text": r"(6|10) pieces: boards",
    "2020-snakebird/levels": r"snakebirdPrimer_1: .*",
    "2020-snakebird/single-edits": r"snakebird_6: .*",
    "2023-entropy/empty-panels": r"[12] by .*",
    "deduction/fair": r"Slitherlink, 2 by 2",
    "deduction/fair-in-all": r"Kakuro, .*",
    "deduction/minimal": r"Slitherlink, 2 by 2",
    "deduction/steps": r"Slitherlink, 2 by 2, kinds 1",
    "deduction/placed": r"Nurikabe, 3 by 3, 1 number",
    "packing/pentominoes": "3 by 20 squares",
    "packing/others": "the tangram.*",
    "epcg-page/must-cross": r"2 by 2, [1-3] dots?: .*",
    "epcg-page/paths": r"[1-3] by [1-3]",
    "tangram/boards": r"solved boards|without .*",
    "tower-of-london/times": r"people|fewest moves: rho",
    "windmill/panels": r"panels",
}
"""Tables of which `make test` computes the rows with these labels; the others are questions of the same kind.

tests/snakebird/test_packed.py asks about all published levels, tests/witness/test_solver.py about more paths,
tests/tangram/test_muse.py compares both forms of the entropy with every `branching`,
tests/tangram/test_boards.py counts symmetric boards apart, tests/deduction/test_numbers.py asks about all
deduction puzzles that are counted.
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


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "labels"), CHEAP.items(), ids=CHEAP)
def test_rows_of_a_cheap_table_are_as_published(name: str, labels: str, database: Path) -> None:
    as_published_and_known_later((name,), database, labels)


@pytest.mark.slow
def test_the_cheap_tables_are_as_published(database: Path) -> None:
    results = as_published_and_known_later(tuple(CHEAP), database)
    verdicts = [row.verdict for result in results for row in result.rows]
    assert verdicts.count(Verdict.EQUAL) > 105


def as_published_and_known_later(
    names: tuple[str, ...], database: Path, labels: str = ".*"
) -> list[TableResult]:
    """Compute tables, and ask for them again; return what is found first."""
    results = computed(names, database, None, quick=False, labels=labels)
    assert strange(results) == []
    assert all(result.rows for result in results)
    for result in results:
        for row in result.rows:
            assert row.ours is not None or row.row.out_of_reach, f"{result.name}, {row.row.label}"
    differ = [row.row.label for result in results for row in result.rows if row.verdict is Verdict.DIFFERS]
    assert differ == (["Wrench", "Trapezoid"] if "tangram/table-1" in names else [])
    again = computed(names, database, None, quick=False, labels=labels)
    assert not any(row.computed for result in again for row in result.rows)
    assert [row.ours for result in again for row in result.rows] == [
        row.ours for result in results for row in result.rows
    ]
    return results


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


@pytest.mark.sweep(4)
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
@pytest.mark.parametrize(
    ("names", "count"), [(("2",), 4), pytest.param(("1", "7"), 9, marks=pytest.mark.slow)], ids=["2", "1, 7"]
)
def test_the_boards_of_some_levels_are_as_published(
    names: tuple[str, ...], count: int, tmp_path: Path
) -> None:
    """By the questions of 2013-fling/levels, figure-5 and figure-6; `make test-slow` asks about the rest."""
    every = json.loads((DATA / study.LEVEL_FILE).read_text(encoding="utf-8"))
    boards = [board for name in names for board in every[name]]
    (tmp_path / study.LEVEL_FILE).parent.mkdir()
    (tmp_path / study.LEVEL_FILE).write_text(json.dumps({name: every[name] for name in names}))
    options = Options(executor="serial", quiet=True)
    with Bench(str(tmp_path / "levels.db"), load_query, tmp_path, options) as bench:
        assert study.level_boards(bench) == study.level_solvable(bench) == len(boards) == count
        assert study.level_unique(bench) == sum(board["unique_by_successors"] for board in boards) == count
        assert study.level_unique_by_moves(bench) == sum(board["unique_by_moves"] for board in boards) < count
        assert study.level_reachable_agree(bench) == count
        tables = {table.name: by_label(table) for table in chosen(catalogue(), "2013-fling")[0].tables}
        for level in names:
            states = [board["reachable_states"] for board in every[level]]
            for what, value in (("mean", fmean(states)), ("smallest", min(states)), ("largest", max(states))):
                assert ours(bench, tables["figure-5"][f"level {level}: {what}"]) == value
            pieces = [board["pieces"] for board in every[level]]
            assert ours(bench, tables["figure-6"][f"level {level}: mean"]) == fmean(pieces)
        study.draw_reachable(bench, tmp_path / "figure-5.svg")
        assert "reachable states" in (tmp_path / "figure-5.svg").read_text(encoding="utf-8")


def ours(bench: Bench, row: Row) -> object:
    assert row.compute is not None, row.label
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


def table_of(publications: tuple[Publication, ...], name: str) -> Table:
    return chosen(publications, name)[0].tables[0]


def by_label(table: Table) -> dict[str, Row]:
    return {row.label: row for row in table.rows}


def published(row: Row) -> float:
    value = getattr(row.published, "value", None)
    assert isinstance(value, int | float), row.label
    return float(value)
