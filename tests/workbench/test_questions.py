"""Questions as forms and as TOML, and what their runs found; without a server."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_workbench.jobs import answer
from epcg_workbench.questions import changed

import epcg_core as epcg
from epcg_core.base.errors import QueryError
from epcg_core.base.params import form_of
from epcg_core.editing import editing
from epcg_core.plugin import GameQuestion
from epcg_core.query.query import SelectParams, parse_query

TEXT = """# my boards
domain = "fling"

[generator]  # which
name = "boards"
width = 4
height = 3  # rows
pieces = 5

[[evaluators]]
name = "solution"

[[select]]
metric = "solution_length"
"""


def asked(name: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": name, **request}))


def test_a_form_changes_keys_and_leaves_the_rest() -> None:
    text = changed(TEXT, ["generator", "pieces"], 4)
    assert text == TEXT.replace("pieces = 5", "pieces = 4")
    assert changed(TEXT, ["generator", "height"], None) == TEXT.replace("height = 3  # rows\n", "")
    more = changed(TEXT, ["evaluators", 1], {"name": "unique"})
    assert [part.name for part in parse_query(more).evaluators] == ["solution", "unique"]
    assert changed(more, ["evaluators", 1], None).strip() == TEXT.strip()
    other = changed(TEXT, ["generator"], {"name": "growth"})
    assert parse_query(other).generator.params == {}
    assert "# my boards" in other
    new = changed(TEXT, ["record", "rows"], "none")
    assert parse_query(new).record.rows == "none"
    ranged = changed(TEXT, ["select", 0, "distinct"], {"toml": '["mirror"]'})
    assert parse_query(ranged).select[0].distinct == ("mirror",)


@pytest.mark.parametrize(
    ("text", "path", "value", "sentence"),
    [
        ("domain = ", ["domain"], "x", "line 1"),
        (TEXT, ["generator", "none"], None, "generator.none cannot be changed"),
        (TEXT, ["evaluators", 7], {"name": "x"}, "evaluators.7 cannot be changed"),
        (TEXT, ["domain", "x"], 1, "domain.x cannot be changed"),
    ],
)
def test_wrong_changes_get_a_sentence(text: str, path: list[Any], value: Any, sentence: str) -> None:
    with pytest.raises(QueryError, match=sentence):
        changed(text, path, value)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_domain_begins_with_a_question_that_can_be_read(every: bool) -> None:
    *domains, common = asked("parts")
    assert {"fling", "snakebird", "tangram", "witness"} <= {each["domain"] for each in domains}
    shipped = [each["name"] for each in common["shipped"]]
    assert shipped
    assert all(each["title"] and each["domains"] for each in common["shipped"])
    for each in domains:
        if each["domain"] == "witness" and not every:
            continue  # to count its panels takes a second
        (found,) = asked("question", domain=each["domain"])
        assert found["query"]["domain"] == each["domain"], found
        names = [field["name"] for part in each["generators"] for field in part["fields"]]
        assert names
    first = {name.partition("/")[0]: name for name in reversed(shipped)}
    for name in shipped if every else first.values():
        (found,) = asked("question", shipped=name)
        assert "query" in found, found
    fields = {field.name: field for field in form_of(SelectParams)}
    assert (fields["count"].kind, fields["count"].minimum, fields["count"].default) == ("int", 1, 10)
    assert fields["direction"].choices == ("max", "min")
    assert (fields["metric"].required, fields["distinct"].kind) == (True, "value")


def test_a_question_begins_with_the_panel_that_is_open_if_the_first_generator_makes_no_panels() -> None:
    """Sets of sub-panels are no panels: what people ask for first does not measure them."""
    if "witness" not in {each.get("domain") for each in asked("parts")}:
        pytest.skip("witness is not installed")
    panel = editing.new_text("witness")
    (found,) = asked("question", domain="witness", content=panel)
    query = parse_query(found["text"])
    assert (query.generator.name, query.generator.params["content"]) == ("changes", panel)
    assert (found["title"], found["count"] != "0") == ("All changes of a panel", True)
    rule = query.select[0]
    assert (rule.metric, [each.metric for each in rule.where]) == ("solutions", ["solutions"])
    assert found["wish"]["where"] == [{"metric": "solutions", "min": 1}], "panels without a solution are none"


@pytest.mark.parametrize("domain", [pytest.param("puzzlescript", marks=pytest.mark.slow), "snakebird"])
def test_a_domain_without_a_space_of_its_own_begins_with_the_changes_of_what_is_open(
    tmp_path: Path, domain: str
) -> None:
    """Such a question can be answered as it stands, by the measure that people ask for first."""
    parts = {each.get("domain"): each for each in asked("parts")}
    if domain not in parts:
        pytest.skip(f"{domain} is not installed")
    (new,) = asked("new", domain=domain)
    content = editing.open_document(domain, new["text"]).put([new["scene"]["sites"][0][0]], "")
    (found,) = asked("question", domain=domain, content=content)
    query = parse_query(found["text"])
    assert (query.generator.name, query.generator.params["content"]) == ("changes", content)
    assert query.select[0].metric == "moves"
    assert (found["of"], found["title"]) == ("all single changes", "All changes of a level")
    (alone,) = asked("question", domain=domain)
    assert parse_query(alone["text"]).generator.params["content"] == new["text"]
    for each in (found, alone):
        (cost,) = asked("cost", text=each["text"], db=str(tmp_path / "epcg.db"))
        assert cost["remaining"] == each["count"] != "0"


def test_results_are_those_of_the_run(tmp_path: Path) -> None:
    db = tmp_path / "epcg.db"
    run = epcg.answer(parse_query(TEXT), db=db)
    (cost,) = asked("cost", text=TEXT, db=str(db))
    assert [each["state"] for each in cost["runs"]] == ["done"]
    ranks, values = run.values("solution_branching")
    middle = float(np.median(values))
    wish = {"metric": "solution_branching", "keep": "highest", "count": 5}
    (made,) = asked("question", text=TEXT, wish=wish)
    (found,) = asked("answered", text=made["text"], db=str(db))
    assert (found["run"], found["tried"], found["done"], found["editor"]) == (run.number, "792", True, True)
    assert sum(count for _, _, count, *_ in found["bars"]) == len(values)
    assert [each["values"]["solution_branching"] for each in found["found"]] == sorted(values)[-5:][::-1]
    (best,) = asked("answered", text=made["text"], low=middle, high=float(values.max()), db=str(db))
    assert best["total"] == (values >= middle).sum()
    (scatter,) = asked(
        "points", run=run.number, metric="solution_branching", second="piece_switches", db=str(db)
    )
    assert (len(scatter["points"]), scatter["drawn"]) == (len(values), False)
    assert {int(rank) for rank, *_ in scatter["points"]} == set(ranks.tolist())
    (drawn,) = asked("picture", puzzles=[best["found"][0]["puzzle"]])
    assert drawn["svg"].startswith("<svg")
    (none,) = asked("picture", puzzles=["<b>"])
    assert none["svg"] == ""
    assert none["reason"]


def test_a_run_that_is_not_finished_says_so(tmp_path: Path) -> None:
    db = tmp_path / "epcg.db"
    run = epcg.answer(parse_query(TEXT), db=db, sample=50)
    (found,) = asked("answered", text=TEXT, db=str(db))
    assert found["resumable"]
    assert (found["sample"], found["done"], found["tried"], found["of"]) == (True, False, "50", "792")
    _, values = run.values(found["metric"])
    assert len(values)
    assert {low: count for low, _, count, *_ in found["bars"]} == dict(Counter(values.tolist()))
    for _, _, count, _, (low, high), _ in found["bars"]:
        assert low <= count * 792 / 50 <= high
    (missing,) = asked("answered", text=TEXT, db=str(tmp_path / "none.db"))
    assert missing["run"] == 0


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "request_", "sentence"),
    [
        ("question", {"text": TEXT, "changes": [1]}, "a list of"),
        ("question", {"text": TEXT, "changes": [[[], 1]]}, "a list of"),
        ("question", {"shipped": "no/such"}, "unknown query 'no/such'"),
        ("question", {"domain": "none"}, "none has no generator"),
        ("cost", {"text": TEXT.replace("boards", "nope")}, "unknown generator 'nope'"),
        ("question", {"text": TEXT, "wish": 5}, "wish: a table of keys is expected"),
        ("answered", {"text": TEXT, "low": "x", "high": 1}, "the number 'low'"),
        ("answered", {"text": "x ="}, "not valid TOML"),
        (
            "points",
            {"run": 99, "metric": "solution_length", "second": "piece_switches"},
            "There is no run 99",
        ),
        ("points", {"run": 1, "metric": 7, "second": "x"}, "needs the text 'metric'"),
        ("recorded", {"run": "x"}, "'run', a whole number"),
        ("picture", {"puzzles": 5}, "'puzzles', a list of texts"),
    ],
)
def test_wrong_requests_get_a_sentence(
    tmp_path: Path, name: str, request_: dict[str, Any], sentence: str
) -> None:
    db = tmp_path / "epcg.db"
    epcg.answer(parse_query(TEXT), db=db)
    (message,) = asked(name, **request_, db=str(db))
    assert message["expected"], message
    assert sentence in message["error"]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda *_: 1 / 0, "raised ZeroDivisionError"),
        (lambda *_: None, "raised TypeError"),
        (lambda *_: [GameQuestion(title="?", about="", query={}, measures=())], "raised KeyError"),
        (lambda *_: [GameQuestion(title="?", about="", query={"name": "stars"}, measures=())],
         "unknown generator 'stars'. Did you mean 'starts'?"),
    ],
)  # fmt: skip
def test_an_editor_whose_questions_are_wrong_is_named(
    made: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epcg_puzzlescript.rendering.editor import LevelEditor, examples

    monkeypatch.setattr(LevelEditor, "questions", made)
    (found,) = asked("further", domain="puzzlescript", text=next(iter(examples().values())))
    assert told in found["error"]
    assert "mistake in EPCG" not in found["error"]


@pytest.mark.parametrize("part", ["generator", "evaluator"])
def test_params_of_a_plugin_that_raise_leave_the_other_parts_to_ask_with(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epcg_snakebird.params import BranchingParams, EditsParams

    def raising(*args: Any, **keys: Any) -> None:
        raise ZeroDivisionError

    (usual,) = asked("question", domain="snakebird")
    monkeypatch.setattr(EditsParams if part == "generator" else BranchingParams, "__init__", raising)
    (found,) = asked("question", domain="snakebird")
    assert found["text"] == usual["text"]
