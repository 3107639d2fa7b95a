"""Faults of a text: each cause stands before what follows from it, and is what is counted."""

from __future__ import annotations

from typing import Any

import pytest
from epcg_workbench.project.templates import template

from tests.workbench.test_regions import last

pytest.importorskip(
    "epcg_puzzlescript", reason="PuzzleScript is not installed: pip install epcg-puzzlescript"
)

RULE = "[ > Player | Crate ] -> [ > Player | > Crate ]"
SIX = [
    (RULE, RULE.replace("Crate", "Crtae")),
    ("\nPlate\nPlayer,", "\nPlaet\nPlayer,"),
    ("All Plate on Crate", "All Plate on Crat"),
    ("\nP = Player", "\nP = Plyer"),
    ("#.PCo.#", "#.PCz.#"),
    ("#...o..#\n########", "#...y..#\n########"),
]
"""What six slips make of the game that a project begins with."""


def six_faults() -> str:
    text = template("Six")
    assert text is not None
    for right, wrong in SIX:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    return text


def checked(text: str) -> dict[str, Any]:
    return dict(last("project_check", domain="puzzlescript", format="game", text=text, file="game.txt"))


def test_six_slips_are_six_faults() -> None:
    text = six_faults()
    found = checked(text)
    causes = [each for each in found["faults"] if not each["follows"]]
    assert len(causes) == len(SIX) < len(found["faults"])
    lines = text.split("\n")
    assert {lines[each["line"] - 1].strip() for each in causes} == {
        "P = Plyer", "Plaet", RULE.replace("Crate", "Crtae"), "All Plate on Crat", "#.PCz.#", "#...y..#",
    }  # fmt: skip
    assert not found["usable"]


def test_what_follows_stands_behind_its_cause() -> None:
    """Plate is in no layer, since the line of the layers has another word."""
    faults = checked(six_faults())["faults"]
    about = [each["message"].partition("'")[2].partition("'")[0] for each in faults]
    at = about.index("plaet")
    assert about[at + 1] == "plate"
    assert faults[at + 1]["follows"]
    assert not faults[at]["follows"]
    assert faults[-1]["message"].startswith("The reference engine")
    assert faults[-1]["follows"]


def test_a_name_that_is_mistaken_where_it_is_made_is_the_one_fault() -> None:
    text = template("One")
    assert text is not None
    first, *others = checked(text.replace("\nCrate\n#", "\nCrat\n#"))["faults"]
    assert first["guess"]["text"] == "Crate"
    assert len(others) > 5
    assert all(each["follows"] for each in others)


def test_a_word_of_three_letters_has_a_guess() -> None:
    text = template("Box")
    assert text is not None
    rule = RULE.replace("Crate", "Box")
    text = text.replace("Crate", "Box").replace(rule, rule.replace("Box", "Bxo"))
    first, *others = checked(text)["faults"]
    assert first["guess"] == {"column": 14, "length": 3, "text": "Box", "lines": [first["line"]]}
    assert all(each["follows"] for each in others)


def test_no_guess_that_mends_nothing() -> None:
    """Plate is like Player, and its fault is that no layer has it: another name would be another fault."""
    text = template("Layer")
    assert text is not None
    faults = checked(text.replace("\nPlate\nPlayer,", "\nPlayer,"))["faults"]
    assert "'plate' is in no collision layer" in faults[0]["message"]
    assert all(each["guess"] is None for each in faults)
