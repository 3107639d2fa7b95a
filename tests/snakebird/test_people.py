"""What the 2020 study says of people and of all levels, computed from files that are not shipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from epcg_research.reproduce import Bench, RowResult, Verdict, catalogue, chosen, reproduced
from epcg_snakebird.studies.computed import COLUMNS, RESPONSES, mean_length, variant_first

from epcg_core.base.errors import EpcgError
from epcg_core.query.named import load_query
from epcg_core.runs.coordinator import Options

FIRSTS = {
    "fun": 58,
    "frustrating": 74,
    "surprising": 58,
    "interesting": 74,
    "enjoyable": 66,
    "challenging": 76,
}
"""word -> in how many of 120 comparisons the variant ranked first: the published shares"""


def answers(folder: Path, more: str = "") -> None:
    lines = [",".join(COLUMNS)]
    for word, count in FIRSTS.items():
        for number in range(120):
            first = "variant" if number * 7 % 120 < count else "original"
            lines.append(f"p{number // 2},{number % 2},{word},{first}")
    lines += [f"p{n},,best,{'variant' if n < 39 else 'original'}" for n in range(60)]
    (folder / RESPONSES).parent.mkdir(exist_ok=True)
    (folder / RESPONSES).write_text("\n".join(lines) + "\n" + more, encoding="utf-8")


def bench(folder: Path) -> Bench:
    return Bench(str(folder / "a.db"), load_query, folder, Options(executor="serial", quiet=True))


def rows(folder: Path) -> dict[str, RowResult]:
    with bench(folder) as own:
        (table,) = reproduced(chosen(catalogue(), "2020-snakebird/table-1"), own)
    return {row.row.label: row for row in table.rows}


def test_answers_with_the_published_shares_give_the_published_table(tmp_path: Path) -> None:
    answers(tmp_path)
    found = rows(tmp_path)
    assert len(found) == 2 * len(FIRSTS) + 1
    assert {row.verdict for row in found.values()} == {Verdict.EQUAL}
    assert found["fun: variant ranked first"].detail == "n = 120"


def test_other_answers_are_a_difference(tmp_path: Path) -> None:
    answers(tmp_path, "".join(f"more{n},0,fun,variant\n" for n in range(60)))
    found = rows(tmp_path)
    assert found["fun: variant ranked first"].verdict is Verdict.UNEXPLAINED
    assert found["challenging: p"].verdict is Verdict.EQUAL


def test_without_the_file_the_table_says_what_to_give(tmp_path: Path) -> None:
    for row in rows(tmp_path).values():
        assert row.verdict is Verdict.NEEDS_DATA
        assert row.reason == f"it reads {RESPONSES}, which is not in the folder {tmp_path}"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("p0,0,fun,both\n", "answer 781: 'both' was not ranked first: write 'variant' or 'original'"),
        ("p0,0,fun,variant\n", "'p0' answered 'fun' for this pair in answer 1 already"),
        ("p0,0,fun\n", "line 782 has 3 cells, and the header names 4 columns"),
    ],
)
def test_a_faulty_answer_is_named(tmp_path: Path, line: str, sentence: str) -> None:
    answers(tmp_path, line)
    with bench(tmp_path) as own, pytest.raises(EpcgError, match=sentence):
        variant_first(own, "fun")


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    (tmp_path / RESPONSES).parent.mkdir()
    (tmp_path / RESPONSES).write_text("person,pair,word\np,1,fun\n")
    with bench(tmp_path) as own, pytest.raises(EpcgError, match="the header has no column 'first'"):
        variant_first(own, "fun")


def test_the_mean_length_counts_the_positions_of_the_levels_that_have_a_solution(tmp_path: Path) -> None:
    folder = tmp_path / "snakebird"
    folder.mkdir()
    for name, row in {
        "snakebird_1": ".>..E.",
        "snakebird_2": ".>.E..",
        "snakebird_3": ".>G.E.",
        "snakebirdPrimer_1": ".>E...",
    }.items():
        (folder / f"{name}.map").write_text(f"snake6x4\nGGGGGG\n{row}\nGGGGGG\n......\n")
    with bench(tmp_path) as own:
        assert mean_length(own, "snakebird_") == (3.5, "n = 2 of 3")
        assert mean_length(own, "snakebirdPrimer_") == (2, "n = 1 of 1")
