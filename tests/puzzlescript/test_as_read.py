"""What of a game was not read is part of every answer, and no such answer is called proven."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from epcg_puzzlescript.language.game import parse_game

from epcg_core.editing import editing
from tests.puzzlescript.test_slips import records
from tests.workplace import epcg

RULE = "[ > Player | Crate ] -> [ > Player | > Crate ]"
GAME = f"""title Slip
OBJECTS
Background
black
Player
white
Crate
orange
Goal
blue
LEGEND
. = Background
P = Player
* = Crate
O = Goal
SOUNDS
COLLISIONLAYERS
Background
Goal
Player, Crate
RULES
{RULE}
WINCONDITIONS
All Goal on Crate
LEVELS
P*O

P.O
"""
LEFT_OUT = "1 rule left out: line 22"


@pytest.mark.parametrize(
    ("written", "slipped", "unread"),
    [
        # a name that is a word of the language is the author's glyph in maps, and an object in cells of rules
        ("P = Player", "P = Player\nv = Crate\n[ = Goal", ""),
        ("P = Player", "P = Player\nwin = Crate", ""),
        ("O = Goal", "O = Goal\nright = Crate", ""),
        ("Goal\nblue", "Goal move\nblue", ""),
        # the last layer is what the reference takes, and a row ends where the first one does
        ("Player, Crate\n", "Player, Crate\nCrate\n", ""),
        ("P.O\n", "P.O\n...\nP.O.#\n", ""),
        # unless the first row is the one that is too short: then the others are cut
        ("P.O\n", "P.O\nP.O.*\n....*\n", "2 lines read in part: lines 29, 30"),
        # a row that is too short goes on with its last sign, as it is meant if the first row ends with it
        ("P.O\n", "P...\n.*.\n", ""),
        ("P.O\n", "P.O\nP.\n", "1 line read in part: line 29"),
        # levels behind an open comment are none, and a comment that ends twice hides nothing
        ("\nP.O\n", "\n(P.O\n\nP*\n", ""),
        ("OBJECTS\n", "(games) )\nOBJECTS\n", ""),
        (RULE, f"( [ > Crate ] -> [ ] ))\n{RULE}", ""),
        (RULE, f"{RULE} )", "1 line read in part: line 22"),
        # a glyph that is defined twice as the same, or as what no map can have
        ("O = Goal", "O = Goal\nO = Goal", ""),
        ("O = Goal", "O = Goal\nO = Player or Crate", ""),
        ("O = Goal", "Thing = Player or Crate\nO = Goal\nO = Thing", ""),
        ("O = Goal", "O = Goal\nO = Player", "1 line read in part: line 16"),
        ("O = Goal", "O = Goal\nGoal = Player or Crate", "1 line read in part: line 16"),
        # a picture that lost its object, and a floor that shares its layer, are only looked at
        ("Crate\norange", "Crate\norange\n\n.000.\n.0.0.", ""),
        # a rule that cannot match is read as it is written, unless it names a thing twice
        (RULE, f"{RULE}\n[ > P no Player | Goal ] -> [ | ]", ""),
        (RULE, f"{RULE}\n[ Player no Player ] -> [ ]", "1 rule left out: line 23"),
        (RULE, f"{RULE}\n[ randomdir Player ] -> [ ]", "1 rule left out: line 23"),
        # a direction may be said again, and a word is a movement where it stands in a cell
        (RULE, f"right {RULE} right", ""),
        (RULE, f"right {RULE.replace('->', '-> right')}", ""),
        (RULE, f"right {RULE.replace('->', '-> left')}", "1 line read in part: line 22"),
        (RULE, f"right {RULE.replace('->', '-> horizontal')}", ""),
        (RULE, f"{RULE}\n[ right Player ] -> [ Player ]", ""),
        # what changes only looks, and a flag whose value says what the flag says
        ("title Slip", "title Slip\nsmoothscreen 5x5\nlevel_select", ""),
        ("title Slip", "title Slip\nrequire_player_movement true", ""),
        ("title Slip", "title Slip\nrequire_player_movement false", "1 line read in part: line 2"),
        ("title Slip", "title Slip\ncolour red", "1 line read in part: line 2"),
    ],
)
def test_what_leaves_the_meaning_of_the_author_is_no_part_that_is_not_read(
    written: str, slipped: str, unread: str
) -> None:
    assert parse_game(GAME.replace(written, slipped, 1)).unread == unread


def test_a_name_may_be_misread_if_a_cell_has_it_and_the_language_too() -> None:
    """As `right` in a cell, which is a movement there."""
    named = GAME.replace("O = Goal", "O = Goal\nright = Crate")
    assert parse_game(named.replace("[ >", "[ right")).unread == "1 line read in part: line 16"


@pytest.fixture
def slip(tmp_path: Path) -> str:
    path = tmp_path / "slip.txt"
    path.write_text(GAME.replace(RULE, f"{RULE} ]"))
    return str(path)


EVERY = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
"""Whether all commands are asked, or a few."""


@EVERY
def test_every_answer_names_what_was_not_read(slip: str, tmp_path: Path, every: bool) -> None:
    database = ("--db", str(tmp_path / "slip.db"))
    asked = ("run", "puzzlescript/levels", "--set", f"generator.game={slip}", *database)
    if every:
        assert f"Not read as it is written: {LEFT_OUT}." in epcg(*asked, "--dry-run").stdout
    told = epcg(*asked).stdout
    assert f"Not read as it is written: {LEFT_OUT}." in told
    assert f"no solution, as read ({LEFT_OUT})" in told
    certificate = tmp_path / "certificate.json"
    answers = [told, epcg("show", "1", *database).stdout, epcg("verify", "1", *database).stdout]
    if every:
        answers += [
            epcg("score", slip).stdout,
            epcg("certificate", "1", *database, "--output", str(certificate)).stdout
            + epcg("verify", "--certificate", str(certificate)).stdout,
        ]
    for answer in answers:
        assert f"as read ({LEFT_OUT})" in answer
        assert "proven" not in answer
    data = json.loads(epcg("show", "1", "--json", *database).stdout)
    assert data["unread"] == LEFT_OUT
    assert not every or json.loads(certificate.read_text())["claims"]["reading"] == {
        "sha256": parse_game(Path(slip).read_text()).identity, "unread": LEFT_OUT,
    }  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("lie", ["NULL", "json_set(reading, '$.unread', '')"])
def test_a_run_that_keeps_it_silent_does_not_hold(slip: str, tmp_path: Path, lie: str) -> None:
    database = tmp_path / "slip.db"
    epcg("run", "puzzlescript/levels", "--set", f"generator.game={slip}", "--db", str(database))
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(f"UPDATE run SET reading = {lie}")
    told = epcg("verify", "1", "--db", str(database), code=4).stdout
    assert "run's reading" in told


@pytest.mark.parametrize("name", ["changes", "contents"])
def test_changes_of_a_level_name_it(slip: str, tmp_path: Path, name: str) -> None:
    text = json.dumps(Path(slip).read_text())
    content = f"content = {text}" if name == "changes" else f"contents = [{text}]"
    query = tmp_path / "query.toml"
    query.write_text(
        f'name = "q"\ndomain = "puzzlescript"\nevaluators = [{{ name = "shortest_solution" }}]\n'
        f'[generator]\nname = "{name}"\n{content}\n'
    )
    told = epcg("run", str(query), "--db", str(tmp_path / "changes.db")).stdout
    assert f"Not read as it is written: {LEFT_OUT}." in told
    assert f"no solution, as read ({LEFT_OUT})" in told


def test_a_game_that_is_read_whole_has_proofs(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(GAME)
    asked = ("run", "puzzlescript/levels", "--set", f"generator.game={tmp_path / 'game.txt'}")
    told = epcg(*asked, "--db", str(tmp_path / "game.db")).stdout
    assert "no solution (proven)" in told
    assert "as read" not in told


def test_of_a_folder_the_file_is_named(slip: str, tmp_path: Path) -> None:
    (tmp_path / "whole.txt").write_text(GAME)
    told = epcg("run", "puzzlescript/levels", "--set", f"generator.game={tmp_path}", "--db",
                str(tmp_path / "both.db")).stdout  # fmt: skip
    assert f"Not read as it is written: slip.txt: {LEFT_OUT}." in told


def test_the_workbench_and_booklets_name_it(slip: str) -> None:
    document = editing.open_document("puzzlescript", Path(slip).read_text())
    assert LEFT_OUT in document.scene.note
    told = [
        measure.reason for _, found in editing.measures(document) if not isinstance(found, str)
        for measure in found if measure.value is None
    ]  # fmt: skip
    assert f"no solution, as read ({LEFT_OUT})" in told


def check_told(record: dict[str, Any], folder: Path) -> None:
    """Run a game with a slip: what is not read must be said, and nothing called proven."""
    unread = parse_game(record["source"]).unread
    path = folder / "game.txt"
    path.write_text(record["source"])
    told = epcg("score", str(path)).stdout
    assert not (unread and "proven" in told), record["name"]
    database = str(folder / f"{abs(hash(record['name']))}.db")
    told = epcg("run", "puzzlescript/levels", "--set", f"generator.game={path}", "--db", database).stdout
    assert not (unread and "proven" in told), record["name"]
    assert unread in told, record["name"]


PARTS = 8
SOME = [slice(3, 4), *(slice(part, None, PARTS) for part in range(PARTS))]
"""One of the games, and all of them in parts: one is a slow test, the others are nightly."""


@pytest.mark.parametrize(
    "some",
    [
        SOME[0],
        pytest.param(SOME[1], marks=pytest.mark.slow),
        *(pytest.param(each, marks=pytest.mark.nightly) for each in SOME[2:]),
    ],
    ids=str,
)
def test_no_answer_about_a_game_with_a_slip_is_called_proven(tmp_path: Path, some: slice) -> None:
    for record in records("slips")[some]:
        check_told(record, tmp_path)


def test_slips_that_change_the_game_are_told_as_such() -> None:
    """Of those that change nothing, such as a colour that does not exist, nothing is said in answers."""
    silent = {
        record["section"] for record in records("slips")
        if record["errors"] and not parse_game(record["source"]).unread
    }  # fmt: skip
    assert silent <= {"prelude", "objects", "sounds", "headings", "rules", "legend", "collision layers"}
    for record in records("slips"):
        if record["section"] in ("win conditions", "levels") and record["errors"]:
            assert parse_game(record["source"]).unread, record["name"]
