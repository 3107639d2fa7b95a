"""Lists begin with what belongs to the project; no control leads to a measure that a source does not have."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer
from epcg_workbench.plan_words import left_out, spoken
from epcg_workbench.project.belonging import offered_plans, own_domains, shipped_questions

from epcg_core.inside import shipped_plans, shipped_queries
from epcg_core.plugin import EvaluatorInfo, registry
from tests.workbench.test_plans import PLAN, QUERY, Place

LISTED = '[[chapters]]\nname = "a"\ntitle = "A"\nquery = "boards.toml"\ncount = 3\nstrategy = "evenly"\n'
TITLED = f'title = "T"\n{LISTED}'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def asked(place: Place, do: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": do, "db": str(place.db), "folder": str(place.folder), **request}))


def test_the_domains_of_a_project_are_those_of_its_files_and_questions(place: Place) -> None:
    assert own_domains({"folder": str(place.folder)}) == ["fling"]
    (place.folder / "notes.md").write_text("# nothing")
    (place.folder / "level.txt").write_text("####\n#S>#\n####\n")
    found = own_domains({"folder": str(place.folder), "base": str(place.folder.parent)})
    assert "fling" in found
    assert set(found) <= {info.domain for info in registry().all(EvaluatorInfo)}


def test_at_the_desk_and_in_a_folder_that_is_gone_nothing_belongs(tmp_path: Path) -> None:
    (tmp_path / "boards.toml").write_text(QUERY)
    assert own_domains({"folder": str(tmp_path), "base": str(tmp_path)}) == []
    assert own_domains({"folder": str(tmp_path / "gone"), "base": str(tmp_path)}) == []
    assert own_domains({}) == []


def test_what_is_shipped_has_a_title_and_domains_and_no_name_of_a_file_is_read() -> None:
    questions, plans = shipped_questions(), offered_plans()
    assert {each["name"] for each in questions} == set(shipped_queries())
    assert {each["name"] for each in plans} == set(shipped_plans())
    for each in (*questions, *plans):
        assert each["domains"], each
        assert "/" not in each["title"], each
        assert "_" not in each["title"], each


def test_each_list_of_questions_or_plans_says_what_belongs_to_the_project(place: Place) -> None:
    (sources,) = asked(place, "sources")
    (plans,) = asked(place, "plans")
    *_, parts = asked(place, "parts")
    for found in (sources, plans, parts):
        assert found["own"] == ["fling"]
        assert {"name", "title", "domains"} <= set(found["shipped"][0])
    assert [each["name"] for each in sources["questions"]] == ["boards.toml"]


def test_a_new_question_is_among_the_sources_at_once(place: Place) -> None:
    (place.folder / "larger.toml").write_text(f'title = "Larger"\n{QUERY.replace("width = 4", "width = 5")}')
    (sources,) = asked(place, "sources")
    assert "Larger" in [each["title"] for each in sources["questions"]]


def test_a_source_tells_its_measures_before_it_is_chosen(place: Place) -> None:
    (own,) = asked(place, "source_measures", query="boards.toml")
    (part,) = asked(place, "part_measures", name="course.toml", text=PLAN, chapter=1, part=1)
    assert own == part
    (shipped,) = asked(place, "source_measures", query="fling/entropy")
    assert "muse" in {each["metric"] for each in shipped["measures"]}
    (gone,) = asked(place, "source_measures", query="gone.toml")
    assert "error" in gone


def test_a_list_by_hand_has_the_measures_that_its_own_domain_can_compute(place: Place) -> None:
    first = PLAN.index("[[chapters]]")
    second = PLAN.index("[[chapters]]", first + 1)
    (listed,) = asked(
        place, "part_measures", name="p.toml", text=PLAN[:first] + PLAN[second:], chapter=1, part=1
    )
    found = {each["metric"] for each in listed["measures"]}
    known = {m.name for info in registry().all(EvaluatorInfo, "fling") for m in info.metrics}
    assert found
    assert found <= known


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ('measure = "muse"', "its question does not measure “choices (MUSE)”: choose another measure"),
        (
            'measure = "solution_length"\nwhere = [{ metric = "moves", min = 2 }]',
            "its question does not measure “moves”, which the condition of the chapter names",
        ),
        ('measure = "solution_length"\nthen = ["msi"]', "which the order of equals of the chapter names"),
    ],
)
def test_a_measure_that_is_gone_is_told_with_what_to_do_and_no_names(
    place: Place, more: str, sentence: str
) -> None:
    import epcg_core as epcg
    from epcg_core.query.query import parse_query

    epcg.answer(parse_query(QUERY), db=place.db)
    first, _ = asked(place, "choice", name="p.toml", text=f"{TITLED}{more}\n")
    assert sentence in first["trouble"]
    assert "unknown" not in json.dumps(first)
    assert "Known:" not in first["trouble"]


def test_the_measures_of_a_question_are_those_that_score_what_it_is_about() -> None:
    pytest.importorskip("epcg_tangram")
    text = 'domain = "tangram"\n[generator]\nname = "sets"\n[[evaluators]]\nname = "set"\n'
    (found,) = answer({"do": "question", "text": text})
    scoring = {
        metric.name
        for info in registry().all(EvaluatorInfo, "tangram")
        if info.scores("sets")
        for metric in info.metrics
    }
    assert {each["metric"] for each in found["measures"]} <= scoring


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("muse is 3", "choices (MUSE) is 3"),
        ("2 with the same solution_length are chosen", "2 with the same solution length are chosen"),
        ("equal by symmetry to fling:boards?height=3&pieces=5&width=4#7, chosen in One",
         "a mirror image or a turn of another one, chosen in One"),
        ("needs 9 puzzles and finds 2: 'a finite muse' removed most, 7. Ask for 2 (count = 2), or look.",
         "needs 9 puzzles and finds 2: 7 have no value of choices (MUSE). Ask for 2, or look."),
    ],
)  # fmt: skip
def test_sentences_about_a_plan_name_measures_as_people_do(text: str, told: str) -> None:
    assert spoken(text, "fling") == told


def test_no_rule_of_a_choice_is_told_by_a_name_of_a_metric() -> None:
    for info in registry().all(EvaluatorInfo):
        for metric in info.metrics:
            for rule in (f"a finite {metric.name}", f"where {metric.name} >= 3", f"each {metric.name} once"):
                told = left_out(rule, info.domain)
                assert not re.search(r"[a-z]_[a-z]", told), told


def test_a_question_about_something_else_measures_that_and_not_what_it_was_about() -> None:
    """The control of kinds led to "Instances are measured here: choose the generator instances"."""
    pytest.importorskip("epcg_tangram")
    text = (
        'domain = "tangram"\n[generator]\nname = "sets"\n[[evaluators]]\nname = "set"\n'
        '[[select]]\nmetric = "solutions"\nkeep = "top"\ncount = 3\n'
    )
    for generator in ("shapes", "solved_boards", "boards", "instances", "sets"):
        (found,) = answer({"do": "question", "text": text, "changes": [[["generator"], {"name": generator}]]})
        query = found["query"]
        assert query["generator"]["name"] == generator
        assert query["evaluators"], generator
        for part in query["evaluators"]:
            assert registry().evaluator("tangram", part["name"]).scores(generator)
        assert all(rule["metric"] in found["metrics"] for rule in query["select"]), generator
        text = found["text"]
