"""A game's text as a file of levels and messages: what is changed, and what stays byte for byte."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.game_file import GameFile
from epcg_puzzlescript.rendering.editor import LevelEditor

from epcg_core.base.errors import EpcgError
from epcg_core.domain import FormatInfo
from epcg_core.domain.editing import ERASE
from epcg_core.domain.files import Piece
from epcg_core.editing.files import file_format, kinds_of, moved
from epcg_core.plugins.registry import registry

FILE = GameFile()
HEAD = """title Two <b>"walls"</b>
OBJECTS
floor
green

player
blue

crate
orange

wall
brown

goal
white

LEGEND
background = floor
. = floor
, = floor
p = player
* = crate
# = wall
o = goal
SOUNDS
COLLISIONLAYERS
floor
goal
player, crate, wall
RULES
[ > player | crate ] -> [ > player | > crate ]
WINCONDITIONS
all goal on crate
LEVELS
"""
GAME = (
    HEAD
    + """
(the first one)
message Push "all" of <them> (twice)

  #####   (with a note)
  #P,.#
(between rows)
  #.*o#
  #####

MESSAGE
####
#P*O
####
message well done
"""
)
GAMES = {path.stem: path.read_text(encoding="utf-8") for path in shipped_games()} | {"notes": GAME}


def shown(text: str) -> list[tuple[str, str]]:
    """The pieces of a text; what a level's text says of the habits of others is not its own."""
    return [bare(piece) for piece in FILE.read(text).pieces]


def bare(piece: Piece) -> tuple[str, str]:
    return piece.kind, re.sub(r"\(In the levels of this game .*\)\n\n", "", piece.text)


def put(text: str, number: int, *edits: tuple[str, str]) -> str:
    """The text after marks are put on cells of a level, as the workbench does it."""
    editor = LevelEditor(FILE.read(text).pieces[number].text)
    state = editor.content
    for site, mark in edits:
        state = editor.put(state, site, mark)
    return FILE.replace(text, number, Piece(editor.format(state)))


def lines_that_differ(one: str, other: str) -> list[tuple[str, str]]:
    pairs = zip(one.split("\n"), other.split("\n"), strict=True)
    return [(a, b) for a, b in pairs if a != b]


def test_levels_and_messages_with_their_lines() -> None:
    sheet = FILE.read(GAME)
    assert sheet.usable
    first = HEAD.count("\n") + 3
    assert [(piece.kind, piece.lines) for piece in sheet.pieces] == [
        ("message", (first, first)),
        ("content", (first + 2, first + 6)),
        ("message", (first + 8, first + 8)),
        ("content", (first + 9, first + 11)),
        ("message", (first + 12, first + 12)),
    ]
    assert sheet.pieces[0].text == 'Push "all" of <them> (twice)'
    assert sheet.pieces[1].text == HEAD + "\n#####\n#P,.#\n#.*o#\n#####\n"


@pytest.mark.parametrize("name", GAMES)
def test_each_level_opens_in_the_editor(name: str) -> None:
    for piece in FILE.read(GAMES[name]).pieces:
        if piece.kind == "content":
            editor = LevelEditor(piece.text)
            assert LevelEditor(editor.format(editor.content)).content == editor.content


@pytest.mark.parametrize("name", GAMES)
def test_what_is_put_back_changes_no_byte(name: str) -> None:
    text = GAMES[name]
    for number, piece in enumerate(FILE.read(text).pieces):
        assert FILE.replace(text, number, piece) == text
        if piece.kind == "content":  # also as the editor writes it, which knows one sign for each cell
            assert put(text, number) == text


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", GAMES)
def test_what_is_inserted_and_removed_leaves_no_trace(name: str) -> None:
    text = GAMES[name]
    pieces = FILE.read(text).pieces
    for piece in (*pieces, Piece("Once more", "message")):
        for before in range(len(pieces) + 1):
            longer = FILE.insert(text, before, piece)
            new = [bare(piece)]
            assert shown(longer) == shown(text)[:before] + new + shown(text)[before:]
            assert FILE.remove(longer, before) == text


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", GAMES)
def test_a_piece_that_is_moved_stays_the_same(name: str) -> None:
    text = GAMES[name]
    pieces = shown(text)
    for number in range(len(pieces)):
        for to in range(len(pieces)):
            order = [*pieces[:number], *pieces[number + 1 :]]
            order.insert(to, pieces[number])
            assert shown(moved(FILE, text, number, to)) == order


def test_an_edit_changes_its_cell_and_nothing_else() -> None:
    after = put(GAME, 1, ("c4,2", "wall"))
    assert lines_that_differ(GAME, after) == [("  #P,.#", "  #P,##")]
    after = put(GAME, 3, ("c2,2", ERASE), ("c3,2", ERASE), ("c3,2", "goal"))
    assert lines_that_differ(GAME, after) == [("#P*O", "#.oO")]


def test_a_level_that_needs_a_new_glyph_gets_it_in_the_legend() -> None:
    after = put(GAME, 1, ("c3,3", "goal"))
    lines = after.split("\n")
    at = lines.index("LEGEND")
    glyph = lines[at + 1].split()[0]
    assert lines[at + 1] == f"{glyph} = goal and crate"
    del lines[at + 1]
    assert lines_that_differ(GAME, "\n".join(lines)) == [("  #.*o#", f"  #.{glyph}o#")]


def test_a_board_of_another_size_keeps_notes_and_signs() -> None:
    editor = LevelEditor(FILE.read(GAME).pieces[1].text)
    after = FILE.replace(GAME, 1, Piece(editor.resized(editor.content, 4, 3)))
    assert after == GAME.replace("  #####   (with", "  ####   (with").replace("#P,.#", "#P,.").replace(
        "  #.*o#\n  #####\n", "  #.*o\n"
    )
    after = FILE.replace(GAME, 1, Piece(editor.resized(editor.content, 5, 5)))
    assert after == GAME.replace("  #####\n\nMESSAGE", "  #####\n  .....\n\nMESSAGE")


def test_a_message_has_new_words() -> None:
    after = FILE.replace(GAME, 2, Piece("Two (more)", "message"))
    assert after == GAME.replace("MESSAGE\n", "MESSAGE Two (more)\n")
    with pytest.raises(EpcgError, match="A message is one line"):
        FILE.replace(GAME, 2, Piece("two\nlines", "message"))
    with pytest.raises(EpcgError, match="content cannot take the place of a message"):
        FILE.replace(GAME, 2, FILE.read(GAME).pieces[1])


def test_a_level_of_another_game_fits_by_its_objects() -> None:
    other = HEAD.replace("# = wall\n", "w = wall\n") + "\nwww\nwPw\nwww\n"
    level = FILE.read(other).pieces[0]
    assert shown(FILE.insert(GAME, 5, level))[5][1].endswith("\n\n###\n#P#\n###\n")
    ice = HEAD.replace("crate", "block") + "\nP*\n"
    with pytest.raises(EpcgError, match="holds 'block', which is not an object of this game"):
        FILE.insert(GAME, 0, FILE.read(ice).pieces[0])


def test_a_comment_over_several_lines_is_not_taken_for_rows() -> None:
    text = HEAD + "\nP.*\n..o (a note\n###\n) ###\n\nP*o\n"
    assert [piece.text[len(HEAD) :] for piece in FILE.read(text).pieces] == ["\nP.*\n..o\n###\n", "\nP*o\n"]
    after = put(text, 0, ("c2,1", "wall"))
    assert lines_that_differ(text, after) == [("P.*", "P#*")]
    removed = FILE.remove(text, 0)
    assert [piece.text[len(HEAD) :] for piece in FILE.read(removed).pieces] == ["\nP*o\n"]
    opened = HEAD.replace("LEVELS\n", "LEVELS (mine\n") + "### )\nP*o\n"
    assert [piece.text for piece in FILE.read(opened).pieces] == [HEAD + "\nP*o\n"]
    assert put(opened, 0, ("c1,1", "wall")) == opened.replace("P*o", "#*o")


def test_all_faults_are_told_with_their_places() -> None:
    text = (
        GAME.replace("brown", "braun")
        .replace("#P*O\n", "#P*?\n")
        .replace("background = floor", "background = floor\n! = noise")
    )
    sheet = FILE.read(text)
    assert sheet.usable
    assert len(sheet.faults) >= 3
    assert [fault.line for fault in sheet.faults] == sorted(fault.line for fault in sheet.faults)
    lines = text.split("\n")
    by_line = {lines[fault.line - 1]: fault for fault in sheet.faults}
    assert "'braun' is not a colour" in by_line["braun"].message
    assert by_line["#P*?"].column == 4
    assert not any(fault.serious for fault in sheet.faults)
    refused = FILE.read(text.replace("[ > player | crate ]", "[ > plaier | crate ]"))
    assert len(refused.faults) > len(sheet.faults)
    assert not refused.usable
    assert any("The reference engine counts" in fault.message for fault in refused.faults if fault.serious)


def test_a_game_that_is_refused_still_tells_its_pieces() -> None:
    text = GAME.replace("COLLISIONLAYERS\n", "")
    sheet = FILE.read(text)
    assert not sheet.usable
    assert [piece.kind for piece in sheet.pieces] == ["message", "content", "message", "content", "message"]
    for change in (
        lambda: FILE.replace(text, 1, sheet.pieces[1]),
        lambda: FILE.insert(text, 1, sheet.pieces[1]),
        lambda: FILE.remove(text, 1),
    ):
        with pytest.raises(EpcgError):
            change()


def test_a_game_without_a_level_takes_one() -> None:
    text = HEAD + "\nP*o\n"
    (piece,) = FILE.read(text).pieces
    without = FILE.remove(text, 0)
    assert FILE.read(without).pieces == ()
    assert any("There is no level" in fault.message for fault in FILE.read(without).faults)
    assert FILE.insert(without, 0, piece) == text


def test_new_files() -> None:
    assert FILE.read(FILE.new()).usable
    (piece,) = FILE.read(HEAD + "\nP*o\n").pieces
    assert FILE.read(FILE.new(piece)).pieces == (piece,)
    message = Piece("Hello", "message")
    assert [found.kind for found in FILE.read(FILE.new(message)).pieces] == ["message", "content"]


def test_numbers_that_there_are_not() -> None:
    piece = FILE.read(GAME).pieces[1]
    for number in (-1, 5):
        with pytest.raises(EpcgError, match="no number"):
            FILE.replace(GAME, number, piece)
        with pytest.raises(EpcgError, match="no number"):
            FILE.remove(GAME, number)
    for before in (-1, 6):
        with pytest.raises(EpcgError, match="no place"):
            FILE.insert(GAME, before, piece)


def test_large_texts() -> None:
    (fault,) = FILE.read(GAME + "." * 5_000_000).faults
    assert fault.line == 0
    assert "characters" in fault.message
    many = HEAD + "\n#p*.o\n" * 500
    assert len(FILE.read(many).pieces) == 500
    assert lines_that_differ(many, put(many, 250, ("c1,1", ERASE))) == [("#p*.o", ".p*.o")]
    board = ["#" * 200, "#p*o" + "." * 195 + "#", *["#" + "." * 198 + "#"] * 197, "#" * 200]
    large = HEAD + "\n" + "\n".join(board) + "\n"
    (piece,) = FILE.read(large).pieces
    assert FILE.replace(large, 0, piece) == large
    long_head = "(" + "x" * 1_500_000 + ")\n" + many
    assert "too much to open the levels one by one" in FILE.read(long_head).faults[0].message


def test_windows_lines_become_unix_lines() -> None:
    text = GAME.replace("\n", "\r\n")
    assert shown(text) == shown(GAME)
    assert put(text, 1, ("c4,2", "wall")) == put(GAME, 1, ("c4,2", "wall"))


NAMED = f"""{HEAD}
message Go
(title: Yard)
#p*o#
(of the mill)

#p.*o#

( TITLE : The  attic )
#p..*o#
"""


def names(text: str) -> list[str]:
    return [piece.title for piece in FILE.read(text).pieces]


def test_a_comment_names_the_level_below_it() -> None:
    assert names(NAMED) == ["", "Yard", "", "The  attic"]


def test_a_level_is_named_renamed_and_has_no_name_again() -> None:
    barn = FILE.entitle(NAMED, 2, " The barn\n(old) ")
    assert names(barn) == ["", "Yard", "The barn [old]", "The  attic"]
    assert barn == NAMED.replace("#p.*o#", "(title: The barn [old])\n#p.*o#")
    assert FILE.entitle(barn, 2, "") == NAMED
    assert names(FILE.entitle(NAMED, 1, "Court")) == ["", "Court", "", "The  attic"]
    with pytest.raises(EpcgError, match="A message has no name"):
        FILE.entitle(NAMED, 0, "Words")


def test_a_name_goes_with_its_level() -> None:
    assert names(moved(FILE, NAMED, 1, 3)) == ["", "", "The  attic", "Yard"]
    assert names(moved(FILE, NAMED, 3, 0)) == ["The attic", "", "Yard", ""]
    assert names(FILE.remove(NAMED, 1)) == ["", "", "The  attic"]
    pieces = FILE.read(NAMED).pieces
    assert names(FILE.insert(NAMED, 2, pieces[1])) == ["", "Yard", "Yard", "", "The  attic"]
    assert names(FILE.insert(NAMED, 3, Piece("Words", "message"))) == ["", "Yard", "", "", "The  attic"]
    assert names(FILE.replace(NAMED, 1, pieces[3])) == names(NAMED)


def test_a_game_is_recognised_by_its_ending_and_by_its_text() -> None:
    for name in ("game.puzzlescript", "game.txt"):
        kind = next(kinds_of(Path(name), GAME))
        assert (kind.domain, kind.name) == ("puzzlescript", "game")
    (info,) = (info for info in registry().all(FormatInfo, "puzzlescript") if info.name == "game")
    assert isinstance(file_format(info), GameFile)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(6))
def test_mangled_games_keep_what_is_not_changed(seed: int) -> None:
    """Lines are doubled, dropped and cut, and comments open anywhere."""
    random_, told = random.Random(seed), list[str]()
    for _ in range(8):
        lines = random_.choice(list(GAMES.values())).split("\n")
        for _ in range(random_.randint(1, 6)):
            at = random_.randrange(len(lines) - 30, len(lines))
            lines[at : at + 1] = random_.choice(
                ([], [lines[at]] * 2, [lines[at] + " ("], [") " + lines[at]], ["====", lines[at]], ["  "],
                 [f"({lines[at]}", ")"], ["message " + lines[at]], [lines[at][: len(lines[at]) // 2]])
            )  # fmt: skip
            lines += [""] * (30 - len(lines))
        text = "\n".join(lines)
        sheet = FILE.read(text)
        if not sheet.usable:
            continue
        for number, piece in enumerate(sheet.pieces):
            assert FILE.replace(text, number, piece) == text
            try:
                longer = FILE.insert(text, number, piece)
                assert shown(FILE.remove(longer, number)) == shown(text)
                assert shown(moved(FILE, text, number, 0))[0] == bare(piece)
            except EpcgError as error:
                told.append(str(error))
    assert all("comments around" in sentence or "Mend the text" in sentence for sentence in told), told
