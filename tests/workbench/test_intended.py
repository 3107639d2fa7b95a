"""The solution that a designer intends, in requests of the workbench."""

from __future__ import annotations

from typing import Any

import pytest
from epcg_workbench import jobs

from epcg_core.editing.editing import open_document
from epcg_core.editing.play import written
from epcg_core.query.query import parse_query

LEVEL = """\
........
........
........
.>1..E..
########
"""
ASKED = {"domain": "snakebird", "text": LEVEL}
WISH = {
    "metric": "other_solutions",
    "keep": "lowest",
    "count": 3,
    "where": ["intended_stays", {"metric": "moves_saved", "equals": 0}],
}
LONGER = "1U, 1R, 1R, 1R"


def last(name: str, **more: Any) -> Any:
    return list(jobs.answer({"do": name, **ASKED, **more}))[-1]


def test_a_solution_that_is_played_is_written_as_text() -> None:
    document = open_document("snakebird", LEVEL)
    words = [step["text"] for step in last("play", taken=[])["actions"]]
    assert "written" not in last("play", taken=[])
    solution = last("solve", taken=[])["solution"]
    assert last("play", taken=solution)["written"] == written(document, solution) == "1R, 1R, 1R"
    assert len(words) > 1


@pytest.mark.parametrize("solution", ["", LONGER, "urrr", "u, r, r, r"])
def test_changes_are_asked_for_the_given_solution(solution: str) -> None:
    found = last("effects", wish=WISH, **({"solution": solution} if solution else {}))
    assert found["wish"]["met"] == (112 if not solution else 3)


def test_the_query_of_an_analysis_has_the_solution() -> None:
    query = parse_query(last("query", wish=WISH, solution=LONGER)["toml"])
    assert {ref.name: ref.params.get("solution") for ref in query.evaluators} == {
        "other_solutions": LONGER,
        "intended_solution": LONGER,
    }
    without = parse_query(last("query", wish=WISH)["toml"])
    assert all("solution" not in ref.params for ref in without.evaluators)


def test_a_solution_that_is_no_text_is_refused_in_a_sentence() -> None:
    found = last("effects", wish=WISH, solution=[1, 2])
    assert found["expected"], found
    assert "'solution'" in found["error"]
