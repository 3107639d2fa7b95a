"""Where a content stands among all of its kind: the sentence, and the search that records all of them."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import JOBS
from epcg_workbench.percentiles import percent, told

import epcg_core as epcg
from epcg_core.editing import editing
from epcg_core.editing.score import Standing

BOARDS = ("board", "boards")
BOARD = "o..o\n.o..\no..o"


def ask(name: str, **request: Any) -> dict[str, Any]:
    (*_, last) = JOBS[name](request)
    return dict(last)


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (0, 7, "none"),
        (7, 7, "all"),
        (1, 32_468_436, "under 0.1 %"),
        (32_468_435, 32_468_436, "over 99.9 %"),
        (1, 2, "50 %"),
        (2, 3, "66.7 %"),
        (1, 1999, "0.1 %"),
        (999, 1000, "99.9 %"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(part: int, whole: int, words: str) -> None:
    assert percent(part, whole) == words


def test_lower_equal_and_higher_are_told_apart() -> None:
    at = Standing(1, "fling", "boards", {}, valued=288, lower=36, equal=84)
    assert told(10, at, BOARDS, 288) == "Of 288 boards, 12.5 % are lower, 29.2 % equal, 58.3 % higher."
    some = "Of the 288 boards with a value, 12.5 % are lower, 29.2 % equal, 58.3 % higher. 729 were tried."
    assert told(10, at, BOARDS, 729) == some
    yes_no = Standing(1, "fling", "boards", {}, valued=367_290, lower=202_009, equal=165_281, ordered=False)
    assert told(True, yes_no, BOARDS, 367_290) == "Yes for 45 % of 367,290 boards; yes for this one."
    no = Standing(1, "fling", "boards", {}, valued=4, lower=0, equal=1, ordered=False)
    assert told(False, no, BOARDS, 4) == "Yes for 75 % of 4 boards; no for this one."
    one = Standing(1, "fling", "boards", {}, valued=1, lower=0, equal=1)
    assert told(10, one, BOARDS, 1) == "Of 1 board, none are lower, all equal, none higher."


def test_the_only_search_that_gives_the_measure_is_taken(tmp_path: Path) -> None:
    request = {"domain": "fling", "text": "o.o\n...\n.o.", "db": str(tmp_path / "epcg.db")}
    found = ask("space", **request, evaluator="solution", metric="solution_length")
    assert found["search"] == "exhaustive"


@pytest.mark.slow
def test_all_of_a_kind_are_recorded_by_the_cheapest_search_that_gives_the_measure(tmp_path: Path) -> None:
    text = "\n".join(["o.....o", ".......", "...o...", ".......", "o......", ".......", ".....o.", "......o"])
    request = {"domain": "fling", "text": text, "db": str(tmp_path / "epcg.db")}
    found = ask("space", **request, evaluator="unique", metric="unique")
    assert found["search"] == "retrograde"
    assert "[[evaluators]]" not in found["toml"]
    again = ask("space", **request, evaluator="unique", metric="unique", search="exhaustive")
    assert again["search"] == "exhaustive"
    assert again["seconds"] > found["seconds"]
    only = ask("space", **request, evaluator="solution", metric="solution_length")
    assert only["search"] == "exhaustive"  # no other gives it


@pytest.mark.parametrize("board", ["o.o\n...\n.o.", pytest.param(BOARD, marks=pytest.mark.slow)])
def test_a_run_by_layers_is_what_boards_are_compared_with(tmp_path: Path, board: str) -> None:
    width, height, pieces = board.index("\n"), board.count("\n") + 1, board.count("o")
    boards = comb(width * height, pieces)
    db = str(tmp_path / "epcg.db")
    request = {"domain": "fling", "text": board, "db": db}
    asked = ask("space", **request, evaluator="unique", metric="unique", search="retrograde")
    assert asked["search"] == "retrograde"
    query = tmp_path / "asked.toml"
    query.write_text(asked["toml"].replace("All boards of Fling!", "The small boards of Fling!"))
    run = epcg.answer(query, db=db)
    stands = {
        m["metric"]: m["standings"] for m in ask("standing", **request, evaluators=["unique"])["measures"]
    }
    assert stands.keys() == {"unique"}
    assert [at["run"] for at in stands["unique"]] == [run.record.id]
    size = f"width {width}, height {height}, pieces {pieces}"
    assert stands["unique"][0]["title"] == f"The small boards of Fling!: {size}"  # as the question has it
    share = percent(int(run.values("unique")[1].sum()), boards)
    assert stands["unique"][0]["told"].startswith(f"Yes for {share} of {boards} boards")


@pytest.mark.parametrize(("domain", "is_told"), [("sliding", True), ("snakebird", True), ("witness", False)])
def test_moves_are_told_where_a_domain_counts_them(domain: str, is_told: bool) -> None:
    """The moves of a line are its steps, its start and its end: another number than its length."""
    for text in list(editing.examples(domain).values())[:2]:
        found = ask("solve", domain=domain, text=text, taken=[], verdict=True)
        assert found["solution"]
        assert found["shortest"] is is_told


@pytest.mark.parametrize(
    ("domain", "some"),
    [
        ("fling", slice(None)),
        ("tangram", slice(3, 8)),  # of the others two are given up, which takes most of the time
        pytest.param("tangram", slice(None), marks=pytest.mark.slow),
    ],
)
def test_whether_it_can_be_solved_is_told_without_a_search_of_all_positions(domain: str, some: slice) -> None:
    """Pieces that fill a board have too many positions: a solution is found as a player looks for one."""
    texts = editing.examples(domain)
    every = [*([editing.new_text(domain)] if domain == "tangram" else []), *texts.values()]
    for text in every[some]:
        found = ask("solve", domain=domain, text=text, taken=[], verdict=True)
        assert found["expansions"] <= 5000
        if found["solution"] is None:
            assert found["reason"]
            continue
        assert len(found["words"]) == len(found["solution"])
        assert found["shortest"] is (domain != "tangram")
        play = ask("play", domain=domain, text=text, taken=found["solution"])
        assert play["solved"]
