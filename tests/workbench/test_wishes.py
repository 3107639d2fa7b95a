"""Wishes: suggestions that meet conditions, in order, unlike each other, and what stands in the way."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_workbench import jobs
from epcg_workbench.changes import Change, Effects
from epcg_workbench.wishes import Granting, wish_of

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from epcg_core.editing.editing import applied, open_document
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.store.records import Sample

BOARD = "oo..o\n.o...\no..o.\n....."
WISH: dict[str, Any] = {
    "metric": "solution_length",
    "keep": "highest",
    "count": 3,
    "where": [{"metric": "winning_moves", "max": 3}, {"metric": "unique", "equals": False}],
    "then": ["legal_moves"],
}
EVALUATORS = ("solution", "winning_moves", "legal_moves", "unique")
KINDS = ["put", "erase", "move", "swap"]


def asked(name: str, **request: Any) -> list[dict[str, Any]]:
    """The messages that answer a request, as a page gets them."""
    found = list(jobs.answer({"do": name, "domain": "fling", "text": BOARD, **request}))
    return [json.loads(json.dumps(message)) for message in found]


def every(**more: Any) -> list[Change]:
    """All changes with their values, each evaluator by itself."""
    effects = [Effects(open_document("fling", BOARD), name, **more) for name in EVALUATORS]
    parts = [[change for part in each for change in part] for each in effects]
    return [
        attrs.evolve(own[0], values={name: each.values[name] for each in own for name in each.values})
        for own in zip(*parts, strict=True)
    ]


def wanted(changes: list[Change]) -> list[Change]:
    """Those that meet `WISH`, in its order."""
    met = [
        change
        for change in changes
        if (own := change.values)["solution_length"] is not None
        and own["winning_moves"] <= 3
        and own["unique"] is False
    ]
    return sorted(met, key=lambda c: (-c.values["solution_length"], -c.values["legal_moves"], c.rank))


@pytest.mark.parametrize("most", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_suggestions_are_those_that_meet_the_wish_in_its_order(most: int) -> None:
    first, *parts, end = asked("effects", wish=WISH, kinds=KINDS, most=most)
    changes = every(kinds=KINDS, most=most)
    expected = wanted(changes)
    real = [c for c in changes if not (c.failed and len(c.edits) > 1)]
    assert [each["rank"] for each in end["wished"]] == [c.rank for c in expected[:60]]
    assert end["wish"]["met"] == len(expected) > 3
    assert end["wish"]["candidates"] == len(real)
    assert end["wish"]["impossible"] == len(changes) - len(real)
    assert end["wish"]["kept"] == 3
    assert sum(each["first"] for each in end["wish"]["conditions"]) == len(real) - len(expected)
    assert end["wish"]["text"].startswith(f"{len(expected):,} of {len(real):,} meet all conditions; ")
    assert first["owns"].keys() == {"solution_length", "winning_moves", "unique", "legal_moves"}
    for each in end["wished"][:5]:
        text = applied(open_document("fling", BOARD), [tuple(put) for put in each["edits"]])
        shown = {site: ["ball"] for site in sites(text)}
        assert each["marks"] == shown
        assert set(each["sites"]) == {*sites(BOARD)} ^ shown.keys()
    fails = {change["rank"]: change["fails"] for part in parts for change in part["changes"]}
    single = {c.rank for c in expected if len(c.edits) == 1}
    assert {rank for rank, numbers in fails.items() if not numbers} == single
    assert all("text" in part["wish"] for part in parts)


def sites(text: str) -> list[str]:
    rows = text.split("\n")
    return [f"c{x + 1},{y + 1}" for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "o"]


def test_suggestions_are_apart() -> None:
    wish = {"metric": "solution_length", "keep": "lowest", "count": 4, "apart": 2}
    *_, end = asked("effects", wish=wish, most=2)
    kept = [{*each["marks"]} for each in end["wished"]]
    assert len(kept) > 3
    assert all(len(one ^ other) >= 2 for at, one in enumerate(kept) for other in kept[:at])
    values = [each["value"] for each in end["wished"]]
    assert values == sorted(values)


def test_what_stands_in_the_way_is_named_with_what_the_others_allow() -> None:
    wish = {**WISH, "where": [*WISH["where"], {"metric": "solution_length", "min": 40}]}
    *_, end = asked("effects", wish=wish, kinds=KINDS)
    met = wanted(every(kinds=KINDS))
    assert end["wish"]["met"] == 0
    assert end["wished"] == []
    assert end["wish"]["in_the_way"] == "solution_length of 40 or more"
    assert end["allowed"]["condition"] == 2
    assert end["allowed"]["nearest"] == max(c.values["solution_length"] for c in met)
    assert {each["rank"] for each in end["allowed"]["suggestions"]} <= {c.rank for c in met}
    assert f"alone stands in the way: {len(met):,} meet all others" in end["wish"]["text"]
    both = {**WISH, "where": [{"metric": "legal_moves", "min": 99}, {"metric": "winning_moves", "min": 99}]}
    *_, end = asked("effects", wish=both)
    assert "allowed" not in end
    assert end["wish"]["text"].endswith("Each fails at least two.")


def test_a_yes_or_no_measure_is_a_condition() -> None:
    *_, end = asked("effects", wish={"metric": "unique", "keep": "highest", "then": ["solution_length"]})
    assert [each["values"]["unique"] for each in end["wished"]] == [True] * end["wish"]["met"]
    lengths = [each["values"]["solution_length"] for each in end["wished"]]
    assert lengths == sorted(lengths, reverse=True)
    (message,) = asked("effects", wish={"metric": "solution_length", "then": ["unique"]})
    assert "'unique' is a yes/no measure: make it a condition" in message["error"]


def test_a_suggestion_that_keeps_a_no_is_none() -> None:
    text = "oo..\n....\n..oo"
    *_, end = asked("effects", text=text, evaluator="unique", metric="unique")
    assert not [each for each in end["suggestions"] if each["kind"] == "redundant"]


def test_what_has_none_of_what_is_asked_for_is_no_nearer() -> None:
    """Puzzles with 0 ways were suggested where none has one, with 'at least 0' to be asked for."""
    wish = {"metric": "legal_moves", "where": [{"metric": "winning_moves", "min": 1}]}
    *_, end = asked("effects", text="o...\n....\n..o.", wish=wish, kinds=["erase"])
    assert end["wish"]["in_the_way"] == "winning_moves of 1 or more"
    assert end["allowed"] == {
        "condition": 0, "metric": "winning_moves", "suggestions": [], "nearest": None,
    }  # fmt: skip
    *_, end = asked("effects", text="o.o.\n....\n....", wish=wish, kinds=["erase"])
    assert end["wish"]["met"] == 0
    more = {"metric": "legal_moves", "where": [{"metric": "winning_moves", "min": 9}]}
    *_, end = asked("effects", text="o.o.\n....\n....", wish=more, kinds=["put"])
    assert end["allowed"]["nearest"] in range(1, 9)
    assert all(each["values"]["winning_moves"] for each in end["allowed"]["suggestions"])


def test_suggestions_so_far_are_a_part_of_the_changes() -> None:
    """What is sent before the end speaks of the changes that were judged."""
    document = open_document("fling", BOARD)
    wish = wish_of({"wish": WISH}, "fling")
    effects = Effects(document, wish.evaluators[0], others=wish.evaluators[1:], kinds=KINDS, most=2)
    granting, seen = Granting(effects, wish), 0
    for part in effects:
        granting.add(part)
        seen += len(part)
        found = granting.message()
        assert found["wish"]["candidates"] + found["wish"]["impossible"] == seen
        assert all(each["rank"] < seen for each in found["wished"])
        if seen > 100:
            break
    assert seen < len(effects)
    assert found["wished"]
    assert "allowed" not in found


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"metric": "lenght"}, "wish: unknown measure 'lenght'"),
        ({"metric": "solution_length", "keep": "threshold"}, "keeps a number of the"),
        ({"metric": "solution_length", "apart": 0}, "not a number of places"),
        ({"metric": "solution_length", "where": [{"metric": "unique", "equals": True, "min": 1}]}, "either"),
        ({"metric": "solution_length", "cuont": 3}, "unknown key 'cuont'"),
        ({}, "the key 'metric' is missing"),
        ("highest", "a table of keys is expected"),
    ],
)  # fmt: skip
def test_wrong_wishes_get_a_sentence(wish: Any, sentence: str) -> None:
    (message,) = asked("effects", wish=wish, evaluator="solution", metric="solution_length")
    assert sentence in message["error"]
    assert message["expected"]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"kinds": ["mvoe"]}, "unknown kind of change 'mvoe'"),
        ({"kinds": "move"}, "'kinds', a list"),
        ({"kinds": ["flip"], "size": [2]}, "columns and rows"),
        ({"kinds": ["flip"], "size": "2 by 2"}, "'size', columns and rows"),
    ],
)
def test_wrong_kinds_get_a_sentence(more: dict[str, Any], sentence: str) -> None:
    (message,) = asked("effects", wish=WISH, **more)
    assert sentence in message["error"]
    assert message["expected"]


def test_a_recorded_wish_keeps_what_was_suggested(tmp_path: Path) -> None:
    request = {"wish": {**WISH, "apart": 2}, "kinds": KINDS, "db": str(tmp_path / "epcg.db")}
    *_, end = asked("effects", **request)
    (query,) = asked("query", **request)
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        execute(parse_query(query["toml"]), store, Options("serial", quiet=True))
    rows = epcg.open(tmp_path / "epcg.db").sql("SELECT rank FROM kept ORDER BY rank")
    assert [rank for (rank,) in rows] == sorted(each["rank"] for each in end["wished"][:3])
    told, *found = asked("recorded", run=1, **request)
    assert told["wish"]["met"] == end["wish"]["met"]
    assert [each["scores"]["solution_length"] for each in found] == [
        each["value"] for each in end["wished"][:3]
    ]


def test_a_sketch_has_a_wish_and_a_sample_says_what_it_is(tmp_path: Path) -> None:
    open_ = [{"sites": ["c3,1", "c4,1", "c3,2", "c4,2", "c2,3", "c3,3"], "marks": ["", "ball"]}]
    wish = {"metric": "solution_length", "count": 4, "where": [{"metric": "winning_moves", "max": 9}]}
    request = {"wish": wish, "open": open_, "db": str(tmp_path / "epcg.db")}
    *_, cost = asked("sketch", **request)
    query = parse_query(cost["toml"])
    assert [part.name for part in query.evaluators] == ["solution", "winning_moves"]
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        run = execute(query, store, Options("serial", quiet=True), Sample(40, 1)).runs[-1]
    told, *found = asked("recorded", run=run.id, **request)
    assert told["so_far"] == "40 of 64 candidates, drawn by chance"
    assert told["wish"]["candidates"] == 40
    assert "Of all, an estimated " in told["of_all"]
    assert found
    assert all(each["scores"]["winning_moves"] <= 9 for each in found)
    with pytest.raises(EpcgError):
        wish_of({"wish": {"metric": "x"}}, "fling")


def test_the_changes_of_each_kind_are_counted_before_they_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = [*KINDS, "flip", "turn"]
    told = asked("change_counts", kinds=kinds, size=[2, 2], locked=["c1,1"])
    assert [each["kind"] for each in told] == kinds
    for each in told:
        (first, *_) = asked(
            "effects",
            kinds=[each["kind"]],
            size=[2, 2],
            locked=["c1,1"],
            evaluator="legal_moves",
            metric="legal_moves",
        )
        assert each["count"] == first["total"]
    (wide,) = asked("change_counts", kinds=["turn"], size=[9, 9])
    assert wide["count"] in (0, None)
    (unknown,) = asked("change_counts", kinds=["fly"])
    assert "fly" in unknown["error"]
    monkeypatch.setattr(jobs, "MOST_COUNTED", 100)
    many = asked("change_counts", kinds=["put", "swap"])
    assert [each["count"] is None for each in many] == [False, True]
    assert "too many" in many[1]["reason"]


SQUARES = "+---E\n| a |\n+---+\n| b |\nS---+\na: square black\nb: square white\n"


@pytest.mark.parametrize(
    ("domain", "text", "wish", "told"),
    [
        ("witness", SQUARES, {"metric": "shortest_solution"},
         "# of # can be ranked by shortest line; # cannot be solved."),
        ("fling", BOARD, {"metric": "solution_length", "where": [{"metric": "winning_moves", "max": 1}]},
         "None of # meets all conditions; # cannot be solved, # have # or more first moves that win, each "
         "counted at the first that it fails. # meet all others, but cannot be solved. "
         "Without 'first moves that win of # or less' # would."),
        ("fling", BOARD, {"metric": "legal_moves", "where": [{"metric": "solvable", "equals": True}]},
         "# of # meet all conditions; # cannot be solved."),
        ("fling", BOARD, {"metric": "muse"},
         "# of # can be ranked by choices (MUSE); # have no choices (MUSE) (no solution that the rules lead "
         "to)."),
    ],
)  # fmt: skip
def test_what_changes_fail_is_told_in_words_of_its_measure(
    domain: str, text: str, wish: dict[str, Any], told: str
) -> None:
    wish = {"keep": "highest", "count": 3, **wish}
    *_, end = jobs.answer({"do": "effects", "domain": domain, "text": text, "wish": wish})
    assert re.sub(r"[\d,]*\d", "#", end["wish"]["text"]) == told


def test_what_fillings_fail_is_told_in_words_of_its_measure() -> None:
    wish = {"metric": "solution_length", "keep": "highest", "count": 3}
    sketch = {"open": [{"sites": ["c3,1", "c3,2", "c3,3"], "marks": ["", "ball"]}]}
    *_, end = asked("fillings", wish=wish, **sketch)
    told = "# of # can be ranked by solution length; # cannot be solved."
    assert re.sub(r"[\d,]*\d", "#", end["wish"]["text"]) == told
