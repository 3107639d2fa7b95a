"""Collections of Sokoban levels: read, written, and changed level by level."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from epcg_puzzlescript.formats.xsb import SOKOBAN, XsbFile, read_xsb
from epcg_puzzlescript.rendering.editor import LevelEditor
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError
from epcg_core.domain.editing import ERASE
from epcg_core.domain.files import Piece
from epcg_core.editing.files import kinds_of, moved
from tests.workplace import epcg

FILE = XsbFile()
BELOW = """Title: Three <small> "ones"
Author: EPCG

; 1

  ####
###  ####
#  $ . @#
#########
Title: A way & a wall
Comment:
####
Comment-End:

; the second

#######
#+$ *-#
#_____#
#######

-----
notes

#####
#@$.#
#####
"""
ABOVE = """Title: one
####
#@*#
####

Title: two
#####
#@$.#
#####
"""
NUMBERED = "; 1\n\n#####\n#@$.#\n#####\n\n; 2\n\n#####\n#.$@#\n#####\n"
TEXTS = {"below": BELOW, "above": ABOVE, "numbered": NUMBERED}


def shown(text: str) -> list[tuple[str, str]]:
    return [(piece.title, piece.text.removeprefix(SOKOBAN)) for piece in FILE.read(text).pieces]


def put(text: str, number: int, *edits: tuple[str, str]) -> str:
    editor = LevelEditor(FILE.read(text).pieces[number].text)
    state = editor.content
    for site, mark in edits:
        state = editor.put(state, site, mark)
    return FILE.replace(text, number, Piece(editor.format(state)))


def test_levels_with_titles_and_lines() -> None:
    assert shown(BELOW) == [
        ("A way & a wall", "\n--####---\n###--####\n#--$-.-@#\n#########\n"),
        ("the second", "\n#######\n#+$-*-#\n#-----#\n#######\n"),
        ("notes", "\n#####\n#@$.#\n#####\n"),
    ]
    assert [piece.lines for piece in FILE.read(BELOW).pieces] == [(6, 9), (17, 20), (25, 27)]
    assert [title for title, _ in shown(ABOVE)] == ["one", "two"]
    assert [title for title, _ in shown(NUMBERED)] == ["1", "2"]
    assert FILE.read(BELOW).faults == ()
    assert shown("Title: All\nAuthor: EPCG\n\n" + NUMBERED) == shown(NUMBERED)


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_put_back_changes_no_byte(name: str) -> None:
    text = TEXTS[name]
    for number, piece in enumerate(FILE.read(text).pieces):
        assert FILE.replace(text, number, piece) == text
        assert put(text, number) == text


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_inserted_and_removed_leaves_no_trace(name: str) -> None:
    text = TEXTS[name]
    pieces = FILE.read(text).pieces
    for piece in (*pieces, Piece(pieces[0].text), Piece(pieces[0].text, title="A new one")):
        for before in range(len(pieces) + 1):
            longer = FILE.insert(text, before, piece)
            new = (piece.title, piece.text.removeprefix(SOKOBAN))
            assert shown(longer) == [*shown(text)[:before], new, *shown(text)[before:]]
            assert FILE.remove(longer, before) == text


@pytest.mark.parametrize("name", TEXTS)
def test_a_level_that_is_moved_keeps_its_title(name: str) -> None:
    text = TEXTS[name]
    levels = shown(text)
    for number in range(len(levels)):
        for to in range(len(levels)):
            order = [*levels[:number], *levels[number + 1 :]]
            order.insert(to, levels[number])
            assert shown(moved(FILE, text, number, to)) == order


def test_a_level_is_given_a_title_renamed_and_has_none_again() -> None:
    text = "####\n#@$.#\n#####\n\n####\n#@$.#\n#####\nTitle: Two\n"
    named = FILE.entitle(text, 0, " One\nmore ")
    assert [piece.title for piece in FILE.read(named).pieces] == ["One more", "Two"]
    assert FILE.entitle(named, 0, "") == text
    assert FILE.entitle(text, 1, "Second") == text.replace("Two", "Second")
    with pytest.raises(EpcgError, match="no number 3"):
        FILE.entitle(text, 2, "Third")


def test_an_edit_changes_its_cell_and_keeps_the_other_signs() -> None:
    assert put(BELOW, 1, ("c5,2", ERASE)) == BELOW.replace("#+$ *-#", "#+$ _-#")
    assert put(BELOW, 0, ("c5,3", "wall")) == BELOW.replace("#  $ . @#", "#  $#. @#")
    assert put(BELOW, 0, ("c1,1", "wall")) == BELOW.replace("  ####\n###", "# ####\n###")


def test_a_board_of_another_size() -> None:
    editor = LevelEditor(FILE.read(NUMBERED).pieces[0].text)
    wider = Piece(editor.resized(editor.content, 7, 4))
    after = FILE.replace(NUMBERED, 0, wider)
    assert shown(after)[0][1] == "\n#####--\n#@$.#--\n#####--\n-------\n"
    assert shown(after)[1:] == shown(NUMBERED)[1:]
    smaller = FILE.replace(after, 0, FILE.read(NUMBERED).pieces[0])
    assert smaller == NUMBERED


def test_what_a_collection_cannot_hold() -> None:
    level = FILE.read(NUMBERED).pieces[0].text
    editor = LevelEditor(level)
    for changed, sentence in (
        (level.replace("All Goal on Crate", "Some Goal on Crate"), "another game than the Sokoban"),
        (SOKOBAN + "\n@$.\n", "no wall"),
        (editor.format(editor.put(editor.content, "c1,1", "goal")), "wall and goal|goal and wall"),
        ("no game", "cannot be played"),
    ):
        with pytest.raises(EpcgError, match=sentence):
            FILE.replace(NUMBERED, 0, Piece(changed))
        with pytest.raises(EpcgError, match=sentence):
            FILE.new(Piece(changed))
    with pytest.raises(EpcgError, match="has no messages"):
        FILE.insert(NUMBERED, 0, Piece("Hello", "message"))
    with pytest.raises(EpcgError, match="no number 3"):
        FILE.remove(NUMBERED, 2)
    with pytest.raises(EpcgError, match="no place"):
        FILE.insert(NUMBERED, 3, Piece(level))


def test_all_faults_are_told_with_their_places() -> None:
    text = NUMBERED.replace("#@$.#", "#$$.#").replace("#.$@#", "#.x@#") + "\n" + ABOVE
    faults = FILE.read(text).faults
    told = {fault.line: fault for fault in faults}
    assert not any(fault.serious for fault in faults)
    assert "0 players" in told[3].message
    assert "'x' is not a sign of a level" in told[10].message
    assert told[10].column == 3
    assert [fault.serious for fault in FILE.read("nothing\n").faults] == [True]
    assert FILE.read("") == FILE.read(FILE.new())
    assert "5000000 characters" in FILE.read("#" * 5_000_000).faults[0].message
    long = FILE.read(f"{'#' * 1_500_000}x#\n").faults
    assert [fault.column for fault in long if not fault.serious] == [1_500_001]
    with pytest.raises(EpcgError, match=r"levels\.xsb: There is no level with"):
        read_xsb("nothing", "levels.xsb")


def test_an_empty_file_takes_a_level() -> None:
    piece = FILE.read(NUMBERED).pieces[1]
    assert FILE.new(piece) == "#####\n#.$@#\n#####\nTitle: 2\n"
    assert FILE.insert("\n", 0, Piece(piece.text)) == "#####\n#.$@#\n#####\n"


def test_files_are_recognised_and_converted(tmp_path: Path) -> None:
    path = tmp_path / "small.xsb"
    path.write_text(BELOW, encoding="utf-8")
    kind = next(kinds_of(path, BELOW))
    assert (kind.domain, kind.name) == ("puzzlescript", "xsb")
    assert "has 3 levels: add --number" in epcg("convert", path, code=1).stderr
    own = epcg("convert", path, "--number", 2).stdout
    assert own == FILE.read(BELOW).pieces[1].text
    game = tmp_path / "second.txt"
    game.write_text(own, encoding="utf-8")
    back = epcg("convert", game, "--to", "xsb").stdout
    assert back == "#######\n#+$ * #\n#     #\n#######\nTitle: second\n"
    refused = epcg("convert", "puzzlescript:levels?game=badger#0", "--to", "xsb", code=1).stderr
    assert "another game than the Sokoban" in refused


CODED = """\
; 1
7#
#@$2-.#
7#

; 2
5#|#@$.#|5#

; 3
#####
#XB.#
#@$.#
#####
"""


def test_run_lengths_and_rows_in_one_line_are_read() -> None:
    sheet = FILE.read(CODED)
    rows = [piece.text.partition("LEVELS\n\n")[2] for piece in sheet.pieces]
    assert rows == ["#######\n#@$--.#\n#######\n", "#####\n#@$.#\n#####\n"]
    assert [piece.title for piece in sheet.pieces] == ["1", "2"]
    (fault,) = sheet.faults
    assert fault.line == 11
    assert fault.message.startswith(
        "'X' and 'B' are not signs of a level (in line 11), so the level of lines 10 to 13"
    )


def test_a_level_of_run_lengths_is_changed_in_place() -> None:
    pieces = FILE.read(CODED).pieces
    for number, piece in enumerate(pieces):
        assert FILE.replace(CODED, number, piece) == CODED
    changed = FILE.replace(CODED, 0, Piece(pieces[0].text.replace("#@$--.#", "#@$-.-#")))
    assert changed == CODED.replace("#@$2-.#", "#@$-.-#")
    changed = FILE.replace(CODED, 1, Piece(pieces[1].text.replace("#@$.#", "#.$@#")))
    assert changed == CODED.replace("5#|#@$.#|5#", "#####\n#.$@#\n#####")


@given(st.lists(st.text("#@$.-", min_size=1, max_size=12), min_size=1, max_size=4), st.booleans())
def test_what_is_coded_is_decoded(rows: list[str], joined: bool) -> None:
    rows = ["#" + row for row in rows]
    coded = [re.sub(r"(.)\1+", lambda run: f"{len(run[0])}{run[1]}", row) for row in rows]
    text = ("|" if joined else "\n").join(coded) + "\n"
    (piece,) = FILE.read(text).pieces
    wide = max(map(len, rows))
    assert piece.text.partition("LEVELS\n\n")[2].split() == [row.ljust(wide, "-") for row in rows]
