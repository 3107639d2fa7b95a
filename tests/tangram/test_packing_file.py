"""Files of games of pieces: each puzzle is changed in its place; files of others are read."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from epcg_tangram.formats.importers import read_list, read_xmpuzzle
from epcg_tangram.params import BoardsParams
from epcg_tangram.rendering.editor import InstanceEditor
from epcg_tangram.rules.covers import solved_covers
from epcg_tangram.texts.game_files import shipped_games
from epcg_tangram.texts.game_text import parse_game
from epcg_tangram.workshop.packing_file import PackingFile

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError
from epcg_core.domain.files import Piece
from tests.workplace import epcg

FILE = PackingFile()
HEAD = """title = "Two"
lattice = "squares"

[board] # two rows
drawing = '''
###
###
'''

[[pieces]]
name = "ell"
drawing = '''
##
#.
'''
copies = 2
"""
TWO = f"""{HEAD}
[[puzzles]] # the first
title = "Left"
shown = ["ell 0 1 3"] # by hand

# between
[[puzzles]]
shown = []
"""


def content(text: str, **shown: str) -> Piece:
    """Return the text of a puzzle that shows some pieces: name of the mark -> site."""
    editor = InstanceEditor(text)
    state = editor.content
    for site, mark in shown.items():
        state = editor.put(state, site, mark)
    return Piece(editor.format(state))


def test_a_file_without_puzzles_holds_the_empty_board() -> None:
    sheet = FILE.read(HEAD)
    assert sheet.faults == ()
    (piece,) = sheet.pieces
    assert InstanceEditor(piece.text).content.shown == ()


def test_each_puzzle_is_a_content_with_its_title_and_lines() -> None:
    sheet = FILE.read(TWO)
    assert [piece.title for piece in sheet.pieces] == ["Left", ""]
    lines = TWO.split("\n")
    assert [lines[piece.lines[0] - 1] for piece in sheet.pieces] == ["[[puzzles]] # the first", "[[puzzles]]"]
    assert [len(InstanceEditor(piece.text).content.shown) for piece in sheet.pieces] == [1, 0]


def test_a_puzzle_is_replaced_and_nothing_else_differs() -> None:
    new = content(HEAD, s2="ell 1")
    changed = FILE.replace(TWO, 0, new)
    before, after = TWO.split("[[puzzles]]"), changed.split("[[puzzles]]")
    assert (after[0], after[2]) == (before[0], before[2])
    assert 'title = "Left"' in after[1]
    assert "# by hand" in after[1]
    assert "# between" in after[1]
    assert InstanceEditor(FILE.read(changed).pieces[0].text).content == InstanceEditor(new.text).content


@pytest.mark.parametrize("before", [0, 1, 2])
def test_what_is_inserted_is_removed_again(before: int) -> None:
    new = content(HEAD, s2="ell 1")
    changed = FILE.insert(TWO, before, new)
    pieces = FILE.read(changed).pieces
    assert len(pieces) == 3
    assert InstanceEditor(pieces[before].text).content == InstanceEditor(new.text).content
    back = FILE.remove(changed, before)
    assert [piece.text for piece in FILE.read(back).pieces] == [piece.text for piece in FILE.read(TWO).pieces]


def test_the_first_puzzle_of_a_file_without_any() -> None:
    new = content(HEAD, s2="ell 1")
    assert FILE.replace(HEAD, 0, Piece(HEAD)) == HEAD
    changed = FILE.replace(HEAD, 0, new)
    assert changed.startswith(HEAD)
    assert len(FILE.read(changed).pieces) == 1
    assert len(FILE.read(FILE.insert(HEAD, 1, new)).pieces) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: FILE.remove(HEAD, 0), "never without a board"),
        (lambda: FILE.replace(TWO, 2, Piece(HEAD)), "there is no puzzle 2"),
        (lambda: FILE.insert(TWO, 4, Piece(HEAD)), "there is no place 4"),
        (lambda: FILE.insert(TWO, 0, Piece("Well done", "message")), "no messages"),
        (lambda: FILE.replace(TWO, 0, Piece(HEAD.replace("ell", "el"))), "another game"),
        (lambda: FILE.replace(TWO.replace("squares", "spheres"), 0, Piece(HEAD)), "line 2: Unknown lattice"),
        (lambda: FILE.replace(TWO, 0, Piece(TWO.replace("0 1 3", "0 1 9"))), "cannot lie on the cells 0 1 9"),
    ],
)
def test_what_cannot_be_is_a_sentence(change: object, said: str) -> None:
    with pytest.raises(EpcgError, match=said):
        change()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("puzzle", "said"),
    [
        ('shown = ["ell 0 1 2"]', "cannot lie on the cells 0 1 2"),
        ('shown = ["elk 0 1 3"]', "unknown piece 'elk'. Did you mean 'ell'?"),
        ('shown = "ell 0 1 3"', "shown is a list"),
        ('without = ["elk"]', "There is no piece 'elk' to do without"),
        ("showing = []", "unknown key 'showing'. Did you mean 'shown'?"),
    ],
)
def test_faults_of_a_puzzle_stand_at_its_line(puzzle: str, said: str) -> None:
    text = f"{HEAD}\n[[puzzles]]\n{puzzle}\n"
    sheet = FILE.read(text)
    (fault,) = sheet.faults
    assert said in fault.message
    assert text.split("\n")[fault.line - 1] == "[[puzzles]]"


def test_a_new_file_begins_with_a_game_that_can_be_filled() -> None:
    text = FILE.new()
    assert FILE.read(text).faults == ()
    assert len(solved_covers(BoardsParams(game=text))) > 0
    assert FILE.new(Piece(HEAD)) == HEAD


XM = (
    '<?xml version="1.0"?><puzzle version="2"><gridType type="{grid}"/><shapes>'
    '<voxel x="6" y="3" z="1" type="0" name="box">##################</voxel>'
    '<voxel x="3" y="2" z="1" type="0" name="ell">####__</voxel>'
    '<voxel x="4" y="1" z="{high}" type="0">####</voxel><voxel x="2" y="2" z="1" type="0">#1#1##</voxel>'
    '<voxel x="3" y="2" z="1" type="0">_####_</voxel><voxel x="2" y="1" z="1" type="0">##</voxel></shapes>'
    '<problems><problem name="Crate"><shapes><shape id="1" count="1"/><shape id="2" count="1"/>'
    '<shape id="3" min="0" max="1"/><shape id="4" count="1"/><shape id="{last}" count="1"/></shapes>'
    '<result id="0"/></problem></problems></puzzle>'
)


def xm(grid: int = 0, high: int = 1, last: int = 5) -> str:
    return XM.format(grid=grid, high=high, last=last)


def test_a_problem_of_burrtools_is_the_game_that_it_shows() -> None:
    (text,) = read_xmpuzzle(xm(), "crate.xmpuzzle")
    game = parse_game(text)
    assert (game.title, game.names[0], len(game.cells)) == ("Crate", "ell", 18)
    assert [(kind.least, kind.most) for kind in game.pieces] == [(1, 1), (1, 1), (0, 1), (1, 1), (1, 1)]
    first = parse_game(shipped_games()["first-steps"].read_text(encoding="utf-8"))
    assert {kind.size for kind in game.pieces} == {kind.size for kind in first.pieces}
    assert (
        len(solved_covers(BoardsParams(game=text)))
        == len(solved_covers(BoardsParams(game="first-steps")))
        == 5
    )


def test_prisms_of_triangles_lie_as_triangles_do() -> None:
    text = xm(grid=1)
    (own,) = read_xmpuzzle(text, "t")
    game = parse_game(own)
    assert game.lattice.name == "triangles"
    kinds = [game.lattice.kind(cell) for cell in game.cells]
    assert kinds.count(0) == kinds.count(1) == 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (xm(grid=2), "its grid, number 2, is not read"),
        (xm(high=2), "4 voxels, and its sizes say 8"),
        (xm(last=9), "there is no shape '9'; the file has 6"),
        ("<puzzle><shapes/></puzzle>", "has no problem"),
        ("<html/>", "the outermost element is 'html'"),
        ("<puzzle>", "not valid XML"),
        ('<!DOCTYPE p [<!ENTITY a "b">]><puzzle/>', "are not read"),
    ],
)
def test_what_burrtools_does_not_write_is_a_sentence(text: str, said: str) -> None:
    with pytest.raises(EpcgError, match=re.escape(said)):
        read_xmpuzzle(text, "t")


def test_a_list_of_drawings_is_a_game() -> None:
    (text,) = read_list("board:\n###\n###\n\nell\n##\n#.\n\n##\n#\n", "two.pieces")
    game = parse_game(text)
    assert (game.title, game.names, len(game.cells)) == ("two", ("ell", "piece-2"), 6)
    assert len(solved_covers(BoardsParams(game=text))) == 1
    (triangles,) = read_list("AVA\nVAV\n\nAV\n", "t")
    assert parse_game(triangles).lattice.name == "triangles"
    (hexagons,) = read_list("# #\n #\n\n# #\n", "h")
    assert parse_game(hexagons).lattice.name == "hexagons"


def test_without_a_board_one_of_the_right_area_is_drawn() -> None:
    (text,) = read_list("##\n##\n\n####\n", "t")
    assert len(parse_game(text).cells) == 8
    with pytest.raises(EpcgError, match="draw a board"):
        read_list("AVA\n", "t")
    with pytest.raises(EpcgError, match="holds no drawing"):
        read_list("only words\n", "t")


def test_names_may_be_letters_that_triangles_are_drawn_with() -> None:
    """Pentominoes are called so."""
    (text,) = read_list("V\n###\n#..\n#..\n\nX\n.#.\n###\n.#.\n", "two.pieces")
    game = parse_game(text)
    assert (game.lattice.name, game.names) == ("squares", ("V", "X"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("F\n.##\n##x\n.#.\n", "t: line 3, column 3: 'x' is not a sign of a drawing"),
        ("E....\n#####\n", "t: line 1, column 1: 'E' is not a sign of a drawing"),
        ("A heading\n\nF\n##\n", "t: line 1: below the name 'A heading' a drawing is missing."),
        ("F\n##\n\nThe end.\n", "t: line 4: below the name 'The end.' a drawing is missing."),
    ],
)
def test_lists_of_other_things_are_told_where(text: str, sentence: str) -> None:
    """A drawing with a stray sign was a name, and what is left of it a piece."""
    with pytest.raises(EpcgError, match=re.escape(sentence)):
        read_list(text, "t")


@pytest.mark.parametrize("most", [2**20, pytest.param(documents.MOST_BYTES, marks=pytest.mark.slow)])
def test_a_compressed_file_is_converted(reader: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", most)
    Path("a.xmpuzzle").write_bytes(gzip.compress(xm().encode()))
    epcg("convert", "a.xmpuzzle", "--output", "a.packing")
    assert parse_game(Path("a.packing").read_text(encoding="utf-8")).title == "Crate"
    Path("b.xmpuzzle").write_bytes(gzip.compress(xm().encode())[:60])
    Path("c.xmpuzzle").write_bytes(gzip.compress(b" " * (most + most // 2), 9))
    for name in ("b", "c"):
        refused = epcg("convert", f"{name}.xmpuzzle", "--output", f"{name}.packing", code=1)
        assert "is compressed" in refused.stderr


def test_a_new_game_comes_from_options_or_from_a_run(reader: Path) -> None:
    made = epcg(
        "tangram",
        "new",
        "lib",
        "--lattice",
        "hexagons",
        "--board",
        "hexagon",
        "--sizes",
        "2",
        "--cells",
        "2,3",
    )
    assert made.stdout == "lib.packing: a board of 7 hexagons, and 4 pieces that have 11.\n"
    game = parse_game(Path("lib.packing").read_text(encoding="utf-8"))
    assert game.names == ("dihex", "bar-3", "triangle-3", "corner-3")
    assert (game.family, game.sizes) == ("hexagon", (("side", 2),))
    again = epcg("tangram", "new", "lib", "--cells", "1", "--sizes", "2,2", code=1)
    assert "is there already" in again.stderr
    epcg("tangram", "new", "few", "--from", "tangram:sets?game=crate&size=6#0")
    few = parse_game(Path("few.packing").read_text(encoding="utf-8"))
    assert len(few.pieces) == 6
    assert (few.family, few.sizes) == ("rectangle", (("width", 5), ("height", 4)))
    epcg("tangram", "new", "holes", "--from", "tangram:boards?game=crate&holes=2#3")
    assert len(parse_game(Path("holes.packing").read_text(encoding="utf-8")).cells) == 18
    assert "needs a name" in epcg("tangram", "new", "", "--cells", "1", code=1).stderr
    for arguments, said in (
        (["--cells", "x"], "numbers from 1 to 9"),
        (["--cells", "1", "--sizes", "2"], "width, height: give 2 of them"),
        (["--board", "star"], "unknown form of board 'star'"),
        (["--from", "tangram:shapes?count=3#0"], "neither a set of pieces nor a board"),
        (["--from", "tangram:shapes?count=3#0", "--cells", "2"], "leave --board"),
    ):
        refused = epcg("tangram", "new", "other", *arguments, code=1)
        assert said in refused.stderr
        assert not Path("other.packing").exists()


def test_info_tells_faults_by_line_and_whether_a_game_can_be_filled(reader: Path) -> None:
    Path("two.packing").write_text(TWO, encoding="utf-8")
    told = epcg("tangram", "info", "two.packing").stdout
    assert "Two: a board of 6 squares, 1 piece that has 6." in told
    assert told.endswith("Can be filled. In one way. Turned and mirrored: 2.\n")
    Path("bad.packing").write_text(TWO.replace("copies = 2", "copies = [3, 1]"), encoding="utf-8")
    refused = epcg("tangram", "info", "bad.packing", code=1)
    assert "line 16, column 1: 'copies' goes from 3 to 1" in refused.stdout
