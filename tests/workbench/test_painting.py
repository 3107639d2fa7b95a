"""Games that are drawn: what the page asks of their boards and pieces, and what it is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer

pytest.importorskip(
    "epcg_tangram", reason="no domain here has a game that is drawn: pip install epcg-tangram"
)

KIND = {"domain": "tangram", "format": "packing"}
BOARD = """title = "Two"
lattice = "squares"

[board]
drawing = '''
###
##.
'''

[[pieces]]
name = "bar"
drawing = "###"

[[pieces]]
name = "domino"  # it stays a domino
drawing = "##"
"""


def got(name: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": name, **KIND, **request}))


def canvas(found: dict[str, Any], number: int) -> dict[str, Any]:
    own: dict[str, Any] = found["canvases"][number]
    return own


def test_the_board_and_the_pieces_are_canvases_with_what_can_be_painted_and_set() -> None:
    [found] = got("workshop", text=BOARD)
    assert [(each["id"], each["title"], each["subtitle"]) for each in found["canvases"]] == [
        ("board", "Board", "5 squares"),
        ("piece 0", "bar", "3 squares"),
        ("piece 1", "domino", "2 squares"),
    ]
    assert {each["key"]: each["value"] for each in found["settings"]} == {
        "title": "Two",
        "lattice": "squares",
        "unused": "none",
    }
    for each in found["canvases"]:
        ids = [site[0] for site in each["sites"]]
        marks = {mark["name"] for mark in each["marks"]}
        assert len(ids) == len(set(ids)) > len(each["painted"])
        assert set(each["painted"]) <= set(ids)
        assert set(each["painted"].values()) <= marks
        assert all(len(points) == 4 and title for _, _, points, title in each["sites"])


def test_a_change_answers_the_text_with_its_canvases_its_contents_and_its_faults() -> None:
    [before] = got("workshop", text=BOARD)
    free = "2,0"
    assert free in [site[0] for site in canvas(before, 0)["sites"]]
    assert free not in canvas(before, 0)["painted"]
    [found] = got("workshop_change", text=BOARD, how="paint", canvas="board", sites=[free], mark="cell")
    [told] = got("project_check", text=found["text"])
    assert {key: found[key] for key in told} == told
    assert canvas(found, 0)["subtitle"] == "6 squares"
    assert [fault["message"][:22] for fault in found["faults"]] == ["The board has 6 cells "]
    assert "# it stays a domino" in found["text"]
    [after] = got("workshop", text=found["text"])
    assert after == {key: found[key] for key in after}


def test_pieces_are_added_set_and_removed() -> None:
    [found] = got("workshop_change", text=BOARD, how="add", canvas="")
    assert [each["title"] for each in found["canvases"]] == ["Board", "bar", "domino", "new"]
    change = {"canvas": "piece 2", "how": "set"}
    [found] = got("workshop_change", text=found["text"], **change, key="name", value="dot")
    [found] = got("workshop_change", text=found["text"], **change, key="copies", value=[0, 2])
    values = {each["key"]: each["value"] for each in canvas(found, 3)["settings"]}
    assert (values["name"], values["copies"]) == ("dot", [0, 2])
    [found] = got("workshop_change", text=found["text"], how="remove", canvas="piece 2")
    assert found["text"].split() == BOARD.split()


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"how": "melt"}, "'melt' does not change a game; expected paint, set, add, remove, take."),
        ({"how": "remove", "canvas": "piece 7"}, "The game has 2 pieces, and no 'piece 7'."),
        (
            {"how": "set", "canvas": "piece 0", "key": "name", "value": "domino"},
            "There is a piece 'domino' already",
        ),
        (
            {"how": "set", "canvas": "piece 0", "key": "copies", "value": [3, 1]},
            "Copies are the fewest and the most",
        ),
        ({"how": "paint", "canvas": "piece 0", "sites": ["x"], "mark": "cell"}, "'x' is not a cell"),
    ],
    ids=["how", "canvas", "name", "copies", "cell"],
)
def test_a_change_that_cannot_be_has_a_sentence(request_: dict[str, Any], sentence: str) -> None:
    [found] = got("workshop_change", text=BOARD, **request_)
    assert found["expected"]
    assert sentence in found["error"]


def test_a_file_that_is_not_drawn_says_so() -> None:
    [found] = list(answer({"do": "workshop", "domain": "tangram", "format": "pieces", "text": ""}))
    assert found["error"] == "A file of the format pieces is not drawn: change its text."


def test_a_faulty_text_is_drawn_as_far_as_it_can_be_told() -> None:
    [found] = got("workshop", text=BOARD.replace('"domino"', '"bar"'))
    assert [each["title"] for each in found["canvases"]] == ["Board", "bar", "bar"]
    [said] = got("workshop_answer", text=BOARD.replace('"domino"', '"bar"'))
    assert (said["title"], said["solved"]) == ("Not a game yet", None)
    assert said["about"].startswith("Line 15: There is a piece 'bar' already")
    [found] = got("workshop", text=BOARD.replace("squares", "spheres"))
    assert found["error"].startswith("line 2: ")


def test_the_answer_counts_and_every_kind_has_an_example_and_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.packing").write_text(BOARD)
    [said] = got("workshop_answer", text=BOARD)
    assert (said["title"], said["solved"], said["about"]) == ("Can be filled", True, "In one way.")
    assert said["svg"].startswith("<svg")
    nothing, one = got("workshop_kinds", text=BOARD, file="two.packing")
    assert (nothing["title"], nothing["puzzles"], nothing["proper"]) == ("Nothing lies there", 1, 1)
    assert one["proper"] == 2, "either piece of the one solved board leaves one way for the other"
    for kind in (nothing, one):
        [opened] = got("open", text=kind["example"])
        [solved] = got("solve", text=opened["text"], taken=[])
        assert solved["solution"], kind["title"]
        [question] = list(answer({"do": "question", "text": kind["question"]}))
        assert question["query"]["generator"]["params"]["game"] == "two.packing"
        assert question["wish"]["where"] == [{"metric": "unique", "equals": True}]
        assert int(question["count"]) == kind["proper"]


def test_a_game_that_is_drawn_is_a_way_to_begin(tmp_path: Path) -> None:
    [way] = [each for each in got("makers") if each["how"] == "drawn" and each["domain"] == "tangram"]
    assert (way["title"], way["ending"], way["canvas"]) == ("Games of pieces", ".packing", "board")
    assert way["svg"].startswith("<svg")
    [found] = got(
        "workshop_change", text=way["text"], how="set", canvas="", key=way["titled"], value="My game"
    )
    asked = {"base": str(tmp_path), "name": "mine", "file": f"game{way['ending']}", "text": found["text"]}
    [made] = list(answer({"do": "make_project", **asked}))
    written = Path(made["made"], made["file"]).read_text()
    assert re.search('^title = "My game"$', written, re.MULTILINE)
    [opened] = list(answer({"do": "project_open", "folder": made["made"], "file": made["file"]}))
    assert (opened["workshop"], opened["usable"], opened["faults"]) == (True, True, [])


@pytest.mark.parametrize(
    ("name", "more"), [("art", {}), ("art_change", {"how": "paint", "sites": ["1,1"], "mark": "cell"})]
)
def test_a_game_without_painted_pictures_says_so(name: str, more: dict[str, Any]) -> None:
    [found] = got(name, text=BOARD, canvas="board", **more)
    assert "has no pictures that are painted" in found["error"]
