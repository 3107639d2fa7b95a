"""Results of studies that ran on pages: what is brought in, what is refused, and which of two was chosen."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from epcg_research.exchange.results import read_plan, row_of
from epcg_research.studies.reading import recorded, recorded_choices

from epcg_core.base.errors import StoreError
from epcg_core.base.params import canonical_json
from tests.workplace import Numbers

SPACE = "numbers:range?size=100"
SPIKED = ("study", "choices", "--of", "spiked", "--format", "csv")


def question(name: str, when: str, kind: str, **own: Any) -> dict[str, Any]:
    usual = {
        "text": name, "low": 1, "high": 5, "ends": [], "equal": False, "options": [], "minimum": None,
        "maximum": None, "optional": False, "training": False, "block": 0,
    }  # fmt: skip
    return {**usual, "name": name, "when": when, "kind": kind, **own}


def plan(**changes: Any) -> dict[str, Any]:
    """A study of two pairs, as its study.json holds it: odd people begin with the first pair."""
    names = [("", "1"), ("a", "plain"), ("a", "spiked"), ("b", "plain"), ("b", "spiked")]
    data = {
        "format": "epcg-study-plan", "version": 1, "name": "spikes", "groups": ["g", "h"], "conditions": [],
        "puzzles": [
            {"name": f"{s or 'training'}/{label}", "set": s, "label": label, "puzzle": f"{SPACE}#{7 + at}"}
            for at, (s, label) in enumerate(names)
        ],
        "sets": [{"name": "a", "puzzles": [1, 2]}, {"name": "b", "puzzles": [3, 4]}], "training": [0],
        "questions": [
            question("hard", "puzzle", "scale"), question("harder", "set", "which", equal=True),
            question("age", "end", "number", minimum=16, maximum=99, optional=True),
            question("often", "end", "choice", options=["yes", "no"]),
            question("why", "end", "text", optional=True),
        ],
        "rows": [[0, [[0, 0, [0, 1]], [1, 0, [1, 0]]]], [1, [[1, 0, [0, 1]], [0, 0, [1, 0]]]]],
    } | changes  # fmt: skip
    return data | {"digest": hashlib.sha256(canonical_json(data).encode()).hexdigest()}


def result(person: str, harder: tuple[str, str] = ("a/spiked", "b/spiked"), **changes: Any) -> dict[str, Any]:
    """What a person saves who finds spiked puzzles 4 hard and the others 2."""
    own = plan()
    row = row_of(person, 2)
    order = {0: ["training/1", "a/plain", "a/spiked", "b/spiked", "b/plain"],
             1: ["training/1", "b/plain", "b/spiked", "a/spiked", "a/plain"]}[row]  # fmt: skip
    ids = {each["name"]: each["puzzle"] for each in own["puzzles"]}
    answers: list[dict[str, Any]] = [
        {"question": "hard", "about": name, "value": 4 if "spiked" in name else 2} for name in order[1:]
    ]
    answers += [{"question": "harder", "about": s, "value": v} for s, v in zip("ab", harder, strict=True)]
    answers += [
        {"question": "age", "about": "", "value": 30},
        {"question": "often", "about": "", "value": "no"},
    ]
    puzzles = [
        {"puzzle": ids[name], "seconds": 2.5, "moves": 1, "undos": 0, "restarts": 0, "hints": 1,
         "solution": False, "finished": True, "rating": None, "actions": [[900, "hint"], [2500, "move", "x"]]}
        for name in order
    ]  # fmt: skip
    return {
        "format": "epcg-study", "version": 1, "study": "spikes", "plan": own["digest"], "person": person,
        "row": row, "group": "gh"[row], "complete": True, "sequence": [[name, ""] for name in order],
        "answers": answers,
        "traces": {"format": "epcg-traces", "version": 2, "player": "0f3a90b1c4d5e6f7",
                   "curriculum": "spikes", "puzzles": puzzles},
    } | changes  # fmt: skip


@pytest.fixture
def place(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "root", size=100))
    (toy.folder / "study.json").write_text(json.dumps(plan()))
    return toy


def saved(place: Numbers, data: Any, name: str) -> Path:
    path = place.folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_results_become_traces_answers_and_choices(place: Numbers, cli: Callable[..., Any]) -> None:
    files = [saved(place, result(str(n)), f"{n}.json") for n in range(1, 7)]
    files.append(saved(place, result("7", ("", "b/plain")), "7.json"))
    said = cli("import", "study", *files[:3], "--plan", ".").stderr
    assert "3 people brought in, 15 puzzles played, 6 choices: the study 'spikes' has 3 people" in said
    assert "has 7 people" in cli("import", "study", *files[3:], "--plan", "study.json").stderr
    hard = "SELECT rank, value FROM responses WHERE response = 'hard' AND person = '2' ORDER BY position"
    assert place.sql(hard) == [(10, 2.0), (11, 4.0), (9, 4.0), (8, 2.0)]
    assert place.sql('SELECT "group", count(*) FROM study_people GROUP BY 1') == [("g", 4), ("h", 3)]
    assert place.sql("SELECT count(*), count(DISTINCT player), sum(hints) FROM traces") == [(35, 7, 35)]
    assert place.sql("SELECT count(*) FROM traces JOIN study_people USING (player)") == [(35,)]
    assert place.sql("SELECT answer, count(*) FROM study_said WHERE question = 'age' GROUP BY 1") == [
        ("30", 7)
    ]
    assert len(place.read(recorded_choices).counted) == 14
    rows = list(
        csv.DictReader(io.StringIO(cli("study", "choices", "--of", "spiked", "--format", "csv").stdout))
    )
    assert [(r["question"], r["choices"], r["equal"], r["people"]) for r in rows] == [
        ("harder", "13", "1", "7")
    ]
    assert float(rows[0]["share"]) == pytest.approx(12 / 13)
    assert rows[0]["p"] == ""  # people chose twice
    by_measure = cli("study", "choices", "--metric", "digits", "--format", "json").stdout
    assert json.loads(by_measure)[0]["share"]["n"] == 13
    played_first = cli("study", "choices").stdout
    assert "played first" in played_first
    printed = cli("study", "choices", "--of", "spiked")
    assert "Wilson" in printed.stderr + printed.stdout
    assert "unknown label 'spike'" in cli("study", "choices", "--of", "spike", code=1).stderr
    assert "unknown question 'x'" in cli("study", "choices", "--question", "x", code=1).stderr
    found = list(csv.DictReader(io.StringIO(cli("study", "responses", "--format", "csv").stdout)))
    assert {"hard", "harder", "seconds"} <= {r["response"] for r in found if r["study"] == "spikes"}
    cli("study", "correlate", "--study", "spikes", "--response", "hard")


def test_a_person_comes_once_unless_that_is_replaced(place: Numbers, cli: Callable[..., Any]) -> None:
    one, two = saved(place, result("1"), "1.json"), saved(place, result("2"), "2.json")
    again = saved(place, result("1", ("a/plain", "b/plain")), "again.json")
    assert (
        "are both of person 1: keep one" in cli("import", "study", one, again, "--plan", ".", code=1).stderr
    )
    cli("import", "study", one, "--plan", ".")
    said = cli("import", "study", two, again, "--plan", ".", code=1).stderr
    assert "nothing is recorded" in said
    assert place.sql("SELECT person FROM study_people") == [("1",)]
    cli("import", "study", two, again, "--plan", ".", "--replace")
    assert place.sql("SELECT person FROM study_people ORDER BY 1") == [("1",), ("2",)]
    chosen = {(c.person, c.label) for c in place.read(recorded_choices).counted}
    assert chosen == {("1", "plain"), ("2", "spiked")}
    assert place.sql("SELECT count(*) FROM responses_value") == [(2 * (5 * 6 + 4 + 4),)]
    (place.folder / "study.json").write_text(json.dumps(plan(name="spikes", seed=2)))
    other = saved(place, result("3", plan=plan(name="spikes", seed=2)["digest"]), "3.json")
    assert "There is another study 'spikes'" in cli("import", "study", other, "--plan", ".", code=1).stderr


def changed(**changes: Any) -> dict[str, Any]:
    return result("1") | changes


def with_answer(question: str, value: Any, about: str | None = None) -> dict[str, Any]:
    data = result("1")
    for each in data["answers"]:
        if each["question"] == question:
            each["value"] = value
            each["about"] = each["about"] if about is None else about
    return data


def with_trace(**changes: Any) -> dict[str, Any]:
    data = result("1")
    data["traces"]["puzzles"][0] |= changes
    return data


FAULTS: list[tuple[Any, str]] = [
    (json.dumps(result("1"))[:700], "is not valid JSON"),
    ("[]", "is not one that the pages of a study save"),
    (changed(version=2), "install a newer EPCG"),
    (changed(more=1), '"more" is not known'),
    ({k: v for k, v in result("1").items() if k != "answers"}, '"answers" is missing'),
    (changed(plan="0" * 64), "belongs to another plan"),
    (changed(person="ann lee"), "neither a number nor a code"),
    (changed(row=1), "person 1 has row 0 of the plan"),
    (changed(group="h"), "is not that of person 1"),
    (changed(sequence=[]), "is not that of person 1"),
    (changed(complete="yes"), '"complete" is true or false'),
    (changed(answers=[]), "says that it is complete, and the question 'hard'"),
    (changed(answers=[3]), '"question", "about" and "value" are expected'),
    (changed(answers=result("1")["answers"] * 2), "is answered twice"),
    (with_answer("hard", 6), "6 is not on the scale 1 to 5"),
    (with_answer("hard", True), "True is not on the scale"),
    (with_answer("harder", "b/plain"), "is not one of the puzzles that were compared"),
    (with_answer("age", 3), "is not between the smallest and the largest"),
    (with_answer("often", "maybe"), "is not one of the options"),
    (with_answer("age", 20, "a"), "there is no question 'age' about 'a'"),
    (with_trace(puzzle=f"{SPACE}#50"), "was not given the puzzle"),
    (with_trace(actions=[[2500, "hint"], [900, "move", "x"]]), "its time is 900 ms"),
    (with_trace(seconds=-1), '"seconds" is not a number from 0'),
    (with_trace(moves=2), '"moves" is 2, and 1 of the actions are such'),
]


@pytest.mark.sweep(8)
@pytest.mark.parametrize(("data", "said"), FAULTS)
def test_a_file_at_fault_brings_in_nothing_of_any(
    place: Numbers, cli: Callable[..., Any], data: Any, said: str
) -> None:
    good, bad = saved(place, result("2"), "2.json"), saved(place, data, "bad.json")
    refused = " ".join(cli("import", "study", good, bad, "--plan", ".", code=1).stderr.split())
    assert said in refused
    assert place.read(recorded) == []
    assert place.sql("SELECT count(*) FROM traces") == [(0,)]


def test_a_plan_that_was_changed_is_refused(place: Numbers, cli: Callable[..., Any]) -> None:
    file = saved(place, result("1"), "1.json")
    saved(place, plan() | {"seed": 5}, "changed.json")
    saved(place, "x = 1", "plan.toml")
    for name, said in (
        ("changed.json", "was changed since it was written"),
        ("plan.toml", "is the plan as it is written: name the study.json"),
        ("1.json", "is not the study.json"),
        ("nothing", "There is no plan of a study"),
    ):
        assert said in " ".join(cli("import", "study", file, "--plan", name, code=1).stderr.split())
    with pytest.raises(StoreError):
        read_plan(place.folder / "1.json")


VOTES = f"""who,word,yes,no,yes is,no is
ann,fun,{SPACE}#7,{SPACE}#8,plain,spiked
ann,hard,{SPACE}#8,{SPACE}#7,spiked,plain
bob,hard,{SPACE}#8,{SPACE}#7,spiked,plain
"""
COLUMNS = ("--person", "who", "--question", "word", "--chosen", "yes", "--other", "no")
KINDS = ("--chosen-is", "yes is", "--other-is", "no is")


def test_choices_of_others_are_brought_in_and_asked(place: Numbers, cli: Callable[..., Any]) -> None:
    file = saved(place, VOTES, "votes.csv")
    said = cli("import", "choices", file, *COLUMNS, *KINDS).stderr
    assert "3 choices of 2 people, 2 questions: the study 'votes'" in said
    rows = list(
        csv.DictReader(io.StringIO(cli("study", "choices", "--of", "spiked", "--format", "csv").stdout))
    )
    assert [(r["question"], r["share"], r["choices"]) for r in rows] == [
        ("fun", "0.0", "1"),
        ("hard", "1.0", "2"),
    ]
    assert "There is a study 'votes' already" in cli("import", "choices", file, *COLUMNS, code=1).stderr
    cli("import", "choices", file, *COLUMNS, "--replace")
    assert len(place.read(recorded_choices).counted) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (VOTES.replace(f"{SPACE}#8,plain", f"{SPACE}#7,plain"), "this is the puzzle that was chosen"),
        (VOTES + VOTES.splitlines()[1] + "\n", "chose between these two in line 2 already"),
        (VOTES.replace("bob", ""), "line 4, column 'who': the cell is empty"),
        (VOTES.replace("#7", "#700", 1), "has ranks 0 to 99"),
        (VOTES.replace("who", "person"), "unknown column 'who'"),
        (VOTES[:-12], "the file may be cut"),
        (VOTES.splitlines()[0], "has no rows"),
    ],
)
def test_a_table_of_choices_at_fault_brings_in_nothing(
    place: Numbers, cli: Callable[..., Any], text: str, said: str
) -> None:
    file = saved(place, text, "votes.csv")
    assert said in " ".join(cli("import", "choices", file, *COLUMNS, *KINDS, code=1).stderr.split())
    assert place.read(recorded) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"questions": 3}, {"questions": [{"name": "hard"}]}, {"rows": []}, {"rows": [[7, []]]},
        {"rows": [[0, [[9, 0, [0]]]]]}, {"puzzles": []}, {"puzzles": [{"name": "a"}]}, {"sets": {}},
        {"name": ""},        {"groups": None, "training": None}, {"training": [99]}, {"training": "0"},
    ],
)  # fmt: skip
def test_a_plan_of_another_form_is_told_whatever_its_digest_says(
    place: Numbers, cli: Callable[..., Any], changes: dict[str, Any]
) -> None:
    saved(place, plan(**changes), "other.json")
    file = saved(place, result("1"), "1.json")
    assert "is not of the form" in cli("import", "study", file, "--plan", "other.json", code=1).stderr


def test_groups_and_labels_are_compared(place: Numbers, cli: Callable[..., Any]) -> None:
    """Spiked puzzles are 4 hard for all and the others 2; groups differ in nothing."""
    files = [saved(place, result(str(n)), f"{n}.json") for n in range(1, 8)]
    cli("import", "study", *files, "--plan", ".")
    asked = ("study", "conditions", "--study", "spikes", "--response", "hard", "--format", "json")
    (by_label,) = json.loads(cli(*asked, "--by", "label").stdout)
    assert (by_label["one"], by_label["other"], by_label["within"]) == ("plain", "spiked", True)
    assert (by_label["first"], by_label["second"]) == (2.0, 4.0)
    assert by_label["estimate"]["value"] == -1.0
    assert by_label["estimate"]["n"] == 7
    assert by_label["estimate"]["p"] == pytest.approx(2 / 2**7)
    (by_group,) = json.loads(cli(*asked).stdout)
    assert (by_group["one"], by_group["other"], by_group["within"]) == ("g", "h", False)
    assert (by_group["first"], by_group["second"], by_group["estimate"]["value"]) == (3.0, 3.0, 0.0)
    said = cli("study", "conditions", "--study", "spikes", "--by", "label", "--response", "hard")
    assert "A person counts once" in said.stderr
    assert "Assumes" in said.stderr
    assert "has not two of what --by condition asks for" in cli(*asked, "--by", "condition", code=1).stderr
    (place.folder / "other.csv").write_text("who,rank,fun\na,3,4\nb,5,2\n")
    cli("import", "responses", "other.csv", "--space", 1, "--person", "who", "--puzzle", "rank",
        "--response", "fun")  # fmt: skip
    assert "did not run on pages" in cli("study", "conditions", "--study", "other", code=1).stderr
    wrong = cli("study", "conditions", "--study", "spikes", "--response", "hrad", code=1).stderr
    assert "Did you mean 'hard'?" in wrong
