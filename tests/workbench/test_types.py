"""The types of the page as the checker reads them: its ids, and the shapes of what the server answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import epcg_workbench
import pytest
from epcg_workbench.jobs import answer

from epcg_core.base.params import Field
from epcg_core.domain import editing, files, workshop
from tests import page_types
from tests.workbench import ids

ROOT = Path(__file__).parents[2]
DECLARED = [*ROOT.glob("plugins/*/types/*.d.ts"), *ROOT.glob("epcg_core/rendering/board/*.d.ts")]
MODULES = [
    *Path(epcg_workbench.__file__).parent.glob("static/*.js"),
    *ROOT.glob("plugins/publishing/src/epcg_publishing/site/static/*.js"),
    *ROOT.glob("epcg_core/rendering/board/*.js"),
    ROOT / "plugins/puzzlescript/src/epcg_puzzlescript/commands/survey.js",
]
BOARD = "\n".join(["........", "........", ".o....o.", "........", "........", "........", "........"])


def fields_of(name: str) -> dict[str, bool]:
    """Return the fields of a shape by name, each with whether it may be missing."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in DECLARED)
    found = re.search(rf"^interface {name}(?: extends (\w+))? \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    assert found, name
    own = {key: bool(mark) for key, mark in re.findall(r"^  (\w+)(\??):", found[2], re.MULTILINE)}
    return (fields_of(found[1]) if found[1] else {}) | own


def has_shape(name: str, message: Mapping[str, Any]) -> None:
    """Hold that a message has all that a shape needs, and nothing that it does not name."""
    fields = fields_of(name)
    assert {key for key, may_miss in fields.items() if not may_miss} <= message.keys()
    assert message.keys() <= fields.keys()


def asked(do: str, **request: Any) -> list[dict[str, Any]]:
    found = list(answer({"do": do, **request}))
    assert not any("error" in each for each in found), found
    return found


def test_the_types_of_the_ids_are_those_of_the_page() -> None:
    page = ids.PAGE.read_text(encoding="utf-8")
    assert ids.TYPES.read_text(encoding="utf-8") == ids.types_of(page), "python -m tests.workbench.ids"


def test_an_id_that_a_page_has_twice_is_named() -> None:
    with pytest.raises(ValueError, match="several elements here"):
        ids.ids_of('<p id="here"></p><ul><li id="here"></li></ul>')


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_goes_round_the_checker(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"@ts-(ignore|nocheck|expect-error)", text)
    assert not re.search(r"[{<|(,:] ?any(\[\])?[}>|),]", re.sub(r'"any"', "", text))


@pytest.mark.parametrize(
    ("name", "kind", "apart"),
    [
        ("Mark", editing.Mark, {"tile"}),
        ("Line", editing.Path, {}),
        ("Fault", files.Fault, {"guess", "follows"}),
        ("Setting", workshop.Setting, {}),
        ("Canvas", workshop.Canvas, {}),
        ("GameAnswer", workshop.GameAnswer, {"stopped"}),
        ("Field", Field, {}),
    ],
)
def test_a_shape_has_the_fields_of_the_class_that_is_sent(name: str, kind: type, apart: set[str]) -> None:
    assert fields_of(name).keys() - apart == {field.name for field in attrs.fields(kind)}


def test_the_shapes_of_domains_are_those_of_the_answers() -> None:
    for message in asked("domains"):
        has_shape("Domain", message)
        for rule in message["rules"]:
            has_shape("Rule", rule)
        for evaluator in message["evaluators"]:
            for metric in evaluator["metrics"]:
                has_shape("Metric", metric)


def test_the_shapes_of_a_content_are_those_of_the_answers() -> None:
    (opened,) = asked("open", domain="fling", text=BOARD)
    has_shape("Opened", opened)
    has_shape("Scene", opened["scene"])
    for mark in opened["palette"]:
        has_shape("Mark", mark)
    (put,) = asked("put", domain="fling", text=BOARD, sites=["c1,1"], mark=opened["palette"][-1]["name"])
    has_shape("Content", put)


def test_the_shapes_of_play_are_those_of_the_answers() -> None:
    (position,) = asked("play", domain="fling", text=BOARD, taken=[], warn=True)
    has_shape("Position", position)
    for action in position["actions"]:
        has_shape("Action", action)


def test_the_shapes_of_questions_are_those_of_the_answers() -> None:
    *domains, common = asked("parts")
    for message in domains:
        has_shape("DomainParts", message)
    has_shape("CommonParts", common)
    (question,) = asked("question", domain="fling")
    has_shape("Question", question)
    for measure in question["measures"]:
        has_shape("Measure", measure)


def test_the_shapes_of_plans_are_those_of_the_answers(tmp_path: Path) -> None:
    (plan,) = asked("new_plan", name="course.toml", title="Course", folder=str(tmp_path), db="")
    has_shape("Plan", plan)
    for chapter in plan["chapters"]:
        has_shape("Chapter", chapter)
        for part in chapter["parts"]:
            has_shape("PlanPart", part)


def test_the_shapes_of_projects_are_those_of_the_answers(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text(BOARD, encoding="utf-8")
    where = {"folder": str(tmp_path)}
    for message in asked("project", **where)[1:]:
        has_shape("ProjectFile", message)
    (found,) = asked("project_open", file="two.txt", **where)
    has_shape("OpenFile", found)
    for piece in found["pieces"]:
        has_shape("Piece", piece)


def test_without_node_the_types_are_not_checked_and_only_ci_minds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page_types, "found_node", lambda: None)
    monkeypatch.delenv("CI", raising=False)
    assert page_types.main() == 0
    assert "not checked, because there is no node" in capsys.readouterr().out
    monkeypatch.setenv("CI", "true")
    assert page_types.main() == 1
