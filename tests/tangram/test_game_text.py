"""Games as texts: what a designer writes is read, and every fault is told with its line and column."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_tangram.design.definition import (
    PALETTE,
    Back,
    CellColour,
    Definition,
    Paint,
    PieceKind,
    Place,
    darker,
)
from epcg_tangram.design.layout import layout_of
from epcg_tangram.formats.boards import format_board, parse_board
from epcg_tangram.formats.instances import format_instance, parse_instance
from epcg_tangram.lattices import LATTICES, Cell, Lattice
from epcg_tangram.params import BoardsParams, GameParams, GameRef
from epcg_tangram.rendering.renderers import board_svg
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.covers import cover_problem
from epcg_tangram.rules.instance import Instance
from epcg_tangram.texts.game_files import definition_of, digest_of, shipped_games
from epcg_tangram.texts.game_text import GameTextError, parse_game, read_game
from epcg_tangram.texts.game_writer import format_game
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.base.params import structure

SQUARES, TRIANGLES, HEXAGONS = (LATTICES[name] for name in ("squares", "triangles", "hexagons"))
GAME = '''title = "Two by four"
lattice = "squares"

[board]
drawing = """
####
####
"""

[[pieces]]
name = "domino"
drawing = """
##
"""
copies = 4
'''
"""Line 4 is [board], line 10 the first [[pieces]], line 15 its copies."""


def changed(old: str, new: str) -> str:
    assert GAME.count(old) == 1
    return GAME.replace(old, new)


def faults(text: str, serious: bool | None = True) -> list[tuple[int, int, str]]:
    """(line, column, sentence) of all serious faults, or all that are not, or all."""
    found = [fault for fault in read_game(text).faults if serious in (None, fault.serious)]
    return [(fault.line, fault.column, fault.message) for fault in found]


# --- texts that are right ----------------------------------------------------------------------------------


def test_a_text_is_a_game() -> None:
    game = parse_game(GAME)
    assert faults(GAME, None) == []
    assert (game.title, game.lattice, game.unused, game.empty, game.back) == (
        "Two by four",
        SQUARES,
        0,
        0,
        None,
    )
    assert len(game.cells) == 8
    (domino,) = game.pieces
    assert (domino.name, domino.least, domino.most, domino.turn, domino.flip) == ("domino", 4, 4, True, True)
    assert domino.shape == {(0, 0), (1, 0)}
    assert game.colours == (PALETTE[domino.colour],)
    assert len(layout_of(game).placements) == 10


@pytest.mark.parametrize(
    ("copies", "unused", "range_"),
    [
        ("4", '"none"', (4, 4)),
        ("4", '"any"', (0, 4)),
        ("4", "2", (0, 4)),
        ("[1, 4]", '"none"', (1, 4)),
        ("[1, 4]", '"any"', (1, 4)),
        ("[0, 0]", '"any"', (0, 0)),
    ],
)
def test_copies_and_what_may_stay_in_the_box(copies: str, unused: str, range_: tuple[int, int]) -> None:
    text = changed("copies = 4", f"copies = {copies}") + f"[rules]\nunused = {unused}\n"
    game = parse_game(text)
    assert (game.pieces[0].least, game.pieces[0].most) == range_
    assert game.unused == {'"none"': 0, '"any"': None, "2": 2}[unused]


def test_shapes_that_others_make() -> None:
    game = parse_game(GAME + '[[pieces]]\nshapes = { of = "domino", count = 2 }\nflip = false\n')
    assert [kind.name for kind in game.pieces[1:]] == sorted({"I4", "O4", "L4", "S4"}, key=[
        kind.name for kind in game.pieces
    ].index)  # fmt: skip
    assert read_game(GAME + "[[pieces]]\nshapes = { cells = 3 }\n").owners == (0, 1, 1)
    one_sided = parse_game(GAME + '[[pieces]]\nshapes = { cells = 4, equal = "one-sided" }\n')
    assert {"L4", "L4-mirrored", "S4", "S4-mirrored"} < set(one_sided.names)
    named = parse_game(GAME + '[[pieces]]\nname = "part"\nshapes = { cells = 3 }\n')
    assert named.names[1:] == ("part-a", "part-b")
    for times in (2, 3, 5):  # the same shapes again have names of their own
        names = parse_game(GAME + "[[pieces]]\nshapes = { cells = 4 }\n" * times).names
        assert len(set(names)) == len(names) == 1 + 5 * times


@pytest.mark.parametrize(
    ("said", "may"),
    [
        ("", (True, True)),
        (', equal = "one-sided"', (True, False)),
        (', equal = "fixed"', (False, False)),
    ],
)
def test_pieces_that_differ_when_moved_are_not_moved_that_way(said: str, may: tuple[bool, bool]) -> None:
    text = GAME + f"[[pieces]]\nshapes = {{ cells = 4{said} }}\n"
    assert {(kind.turn, kind.flip) for kind in parse_game(text).pieces[1:]} == {may}
    assert not any("is the same piece as" in fault.message for fault in read_game(text).faults)
    every = parse_game(text + "turn = true\nflip = true\n").pieces[1:]
    assert all(kind.turn and kind.flip for kind in every)


def test_a_piece_in_parts_and_a_colour_that_no_piece_has_are_told_and_play_on() -> None:
    text = (
        "lattice = 'squares'\n[board]\ndrawing = 'r###'\nwants = { r = 'red' }\n"
        "[[pieces]]\nname = 'gap'\ncolour = 'blue'\ncopies = 2\ndrawing = '#.#'\n"
    )
    found = read_game(text)
    assert found.usable
    assert [(fault.line, fault.serious) for fault in found.faults] == [(4, False), (9, False)]
    assert "which no piece has" in found.faults[0].message
    assert "one piece in 2 parts, of 1 and 1 cells" in found.faults[1].message


def test_line_ends_of_windows_and_a_last_line_without_an_end() -> None:
    assert parse_game(GAME.replace("\n", "\r\n")) == parse_game(GAME) == parse_game(GAME.rstrip())


@pytest.mark.parametrize(
    ("lattice", "name"), [(own, name) for own in LATTICES.values() for name in own.families]
)
def test_boards_of_a_family_and_other_sizes_of_them(lattice: Lattice, name: str) -> None:
    family = lattice.families[name]
    text = f'lattice = "{lattice.name}"\n[board]\nfamily = "{name}"\n'
    text += "".join(f"{size} = 2\n" for size in family.sizes)
    text += "[[pieces]]\nshapes = { cells = 1 }\ncopies = [0, 1000]\n"
    game = parse_game(text)
    assert game.sizes == tuple((size, 2) for size in family.sizes)
    assert set(game.cells) == lattice.at_origin(family.cells(*[2] * len(family.sizes)))
    other = parse_game(text, sizes=(3,) * len(family.sizes))
    assert set(other.cells) == lattice.at_origin(family.cells(*[3] * len(family.sizes)))
    with pytest.raises(GameTextError, match=f"line 2, column 1: A {name} has {len(family.sizes)} size"):
        parse_game(text, sizes=(1, 2, 3, 4))
    with pytest.raises(GameTextError, match=r"'(width|side)' is a whole number from 1 to 100, not 0"):
        parse_game(text, sizes=(0,) * len(family.sizes))


def test_a_drawn_board_has_no_sizes() -> None:
    with pytest.raises(GameTextError, match="line 4, column 1: This board is drawn"):
        parse_game(GAME, sizes=(3,))


# --- writing is the inverse of reading ---------------------------------------------------------------------


def random_game(source: random.Random) -> Definition:
    """Any game: a board anywhere, pieces connected or not, colours of its own, in any order."""
    lattice = source.choice(list(LATTICES.values()))
    step = lattice.step
    own_offsets = {"triangles": [(1, 1), (2, 2)], "quarters": [(1, 0), (0, 1), (2, 0), (0, 2)]}
    offsets = own_offsets.get(lattice.name, [(0, 0)])
    field: list[Cell] = [(step * a + x, step * b + y) for a in range(5) for b in range(5) for x, y in offsets]
    if lattice.layered:
        field = list(product(range(3), repeat=3))
    cells = lattice.at_origin(source.sample(field, source.randrange(1, len(field))))
    ordered = tuple(sorted(cells, key=lattice.reading))
    own = [Paint(name, face, darker(face)) for name, face in (("sky blue", "#aabbcc"), ("red", "#112233"))]
    known = [paint for name, paint in PALETTE.items() if name != "red"]
    colours = source.sample([*own, *known], source.randrange(1, 6))
    unused = source.choice([0, None, 1, 7])
    pieces = []
    for number in range(source.randrange(1, 6)):
        most = source.randrange(4)
        least = most if unused == 0 and source.random() < 0.5 else source.randrange(most + 1)
        turn, flip = source.random() < 0.5, source.random() < 0.5
        shape = lattice.at_origin(source.sample(field, source.randrange(1, 6)))
        colour = source.choice(colours).name
        name = f"piece {chr(97 + number)}"
        pieces.append(PieceKind(name, shape, lattice, least, most, colour, turn, flip))
    if source.random() < 0.5:  # most texts name only colours that are used, in the order of the palette
        used = {kind.colour for kind in pieces}
        colours = [paint for paint in PALETTE.values() if paint in colours and paint.name in used]
        colours = colours or [PALETTE["blue"]]
        names = [paint.name for paint in colours]
        pieces = [k if k.colour in names else attrs.evolve(k, colour=names[0]) for k in pieces]
    names = [paint.name for paint in colours]
    for number, kind in enumerate(pieces):
        sides = [(source.choice(names), source.choice(names)) for _ in "rs7"]
        own = [
            CellColour(sign, a, a if lattice.layered else b)
            for sign, (a, b) in zip("rs7", sides, strict=True)
        ]
        marks = sorted((cell, source.choice(own)) for cell in kind.shape if source.random() < 0.3)
        pieces[number] = attrs.evolve(kind, marks=tuple(marks))
    wanted = source.sample(range(len(ordered)), source.choice([0, 0, 1, len(ordered)]) if ordered else 0)
    places = [
        Place(f"{n}", tuple(source.sample(names, source.choice((1, min(2, len(names))))))) for n in range(3)
    ]
    return Definition(
        lattice=lattice, cells=ordered, pieces=tuple(pieces),
        title=source.choice(["", 'A "game"', "Spiel é"]),
        colours=tuple(colours),
        places=frozenset(places), marks=tuple((cell, source.choice(places)) for cell in sorted(wanted)),
        unused=unused, empty=source.choice([0, 0, len(ordered)]),
        back=None if lattice.layered else source.choice([None, Back(0), Back(1, True)]),
    )  # fmt: skip


@given(source=st.randoms(use_true_random=False))
def test_a_game_that_is_written_is_read_again(source: random.Random) -> None:
    game = random_game(source)
    text = format_game(game)
    assert faults(text) == []
    assert parse_game(text) == game
    assert format_game(parse_game(text)) == text
    assert parse_game(text.replace("\n", "\r\n")) == game


@pytest.mark.parametrize("name", shipped_games())
def test_shipped_games_are_right_and_written_again(name: str) -> None:
    text = shipped_games()[name].read_text(encoding="utf-8")
    assert faults(text, None) == []
    assert parse_game(format_game(parse_game(text))) == parse_game(text)


def test_a_cell_may_want_a_colour_that_no_piece_has() -> None:
    text = changed('####\n####\n"""', '###r\n####\n"""\nwants = { r = "red" }')
    text = text.replace("copies = 4", 'copies = 4\ncolour = "blue"')
    game = parse_game(text)
    assert game.marks == ((3, Place("r", ("red",))),)
    assert [paint.name for paint in game.colours] == ["blue", "red"]
    assert 'class="wants"' in board_svg(Board(GameRef(text), ()))
    assert not any(3 in placement.cells for placement in layout_of(game).placements)


# --- faults ------------------------------------------------------------------------------------------------

FAMILY = 'lattice = "squares"\n[board]\nfamily = "rectangle"\nwidth = 2\nheight = 2\n'
OPTIONAL = 'lattice = "squares"\nboard = { drawing = "##oo", optional = "o" }\n[[pieces]]\nname = "a"\n'
OPTIONAL += 'drawing = "##"\n\n\n'
MORE = 'name = "corner"\ndrawing = """\n##\n#.\n"""\n'


@pytest.mark.parametrize(
    ("text", "line", "column", "sentence"),
    [
        # the lattice
        (changed('"squares"', '"square"'), 2, 1, "Unknown lattice 'square'. Did you mean 'squares'?"),
        (changed('"squares"', "4"), 2, 1, "'lattice' is written in quotation marks, not 4."),
        (changed('lattice = "squares"\n', ""), 1, 1, "A game needs a lattice: lattice = one of squares,"),
        ("", 1, 1, "A game needs a lattice"),
        # drawings
        (changed("##\n####\n", "##\n##x#\n"), 7, 3, "'x' is not a sign of a drawing: # is a cell"),
        (changed('"""\n####\n', '"""##?#\n'), 5, 16, "'?' is not a sign of a drawing"),
        (changed('"""\n##\n"""', "'##,'"), 12, 14, "',' is not a sign of a drawing"),
        (changed('"""\n##\n"""', '"""\n\t##,\n"""'), 13, 4, "',' is not a sign of a drawing"),
        (changed("####\n####\n", "\n"), 6, 1, "A drawing needs a cell: # is a cell, a dot is not."),
        # the board
        (changed("[board]\n", "[bord]\n"), 1, 1, "A game needs a board: write [board]"),
        (changed("[board]\n", "[[board]]\n"), 4, 1, "'board' is a table of keys: write [board] above them."),
        (changed('"""\n\n', '"""\nfamily = "rectangle"\n\n'), 4, 1, "A board has either a drawing,"),
        (changed('"""\n\n', '"""\nheigth = 3\n\n'), 9, 1, "Unknown key 'heigth'. Did you mean 'height'?"),
        (changed('"""\n\n', '"""\nwants = { r = "rde" }\n\n'), 9, 1, "Unknown colour 'rde'. Did you mean '"),
        (changed('"""\n\n', '"""\nwants = { rr = "red" }\n\n'), 9, 1, "one letter or digit"),
        (changed('"""\n\n', '"""\nwants = "red"\n\n'), 9, 1, "'wants' says which sign wants which colour"),
        (changed('"""\n\n', '"""\n[board.wants]\nr = 3\n\n'), 9, 1, "Unknown colour '3'."),
        (changed('"""\n\n', '"""\nwants = { r = ["red", "rde"] }\n\n'), 9, 1, "Unknown colour 'rde'."),
        (changed('"""\n\n', '"""\nwants = { r = [] }\n\n'), 9, 1, "The sign 'r' wants no colour: name one"),
        (changed('"""\n\n', '"""\noptional = 3\n\n'), 9, 1, "'optional' has the signs of cells that may"),
        (changed('"""\n\n', '"""\noptional = "#"\n\n'), 9, 1, "A sign of a drawing is one letter or digit,"),
        (FAMILY + 'optional = "o"\n', 6, 1, "'optional' is about signs of a drawing, and this"),
        (FAMILY + 'wants = { r = "red" }\n', 6, 1, "'wants' is about signs of a drawing, and this board"),
        (OPTIONAL + "[rules]\nempty = 3\n", 9, 1, "'empty' is a whole number from 0 to 2, not 3."),
        # pieces
        (changed("[[pieces]]", "[[piece]]"), 1, 1, "A game needs pieces: write [[pieces]]"),
        (changed("[[pieces]]", "[pieces]"), 10, 1, "Each piece is a table of its own: write [[pieces]]"),
        (changed('name = "domino"\n', ""), 10, 1, "A piece needs a name."),
        (changed('"domino"', '""'), 10, 1, "A piece needs a name."),
        (changed('"domino"', "3"), 11, 1, "'name' is written in quotation marks, not 3."),
        (changed('"domino"', '" a"'), 11, 1, "The name of a piece has 1 to 60 characters, and no blanks"),
        (changed('"domino"', '"a;b"'), 11, 1, "The name of a piece has no semicolons, quotation marks"),
        (changed('"domino"', '"a 3"'), 11, 1, "The name 'a 3' can be mistaken"),
        (changed('"domino"', '"side a"'), 11, 1, "The name 'side a' can be mistaken"),
        (changed('"domino"', '"bumps"'), 11, 1, "The name 'bumps' can be mistaken"),
        (changed("[[pieces]]\n", "[[pieces]]\nshapes = { cells = 2 }\n"), 10, 1, "either a drawing, or"),
        (changed('drawing = """\n##\n"""\n', ""), 10, 1, "A piece has either a drawing, or shapes"),
        (GAME + "[[pieces]]\n" + MORE.replace("corner", "domino"), 17, 1, "There is a piece 'domino'"),
        (GAME + "[[pieces]]\nnane = 1\n" + MORE, 17, 1, "Unknown key 'nane'. Did you mean 'name'?"),
        (changed("copies = 4", "copies = [3, 1]"), 15, 1, "'copies' goes from 3 to 1:"),
        (changed("copies = 4", "copies = [1, 2, 3]"), 15, 1, "'copies' is a number, or the"),
        (changed("copies = 4", 'copies = "4"'), 15, 1, "'copies' is a whole number from 0 to 1,000, not \""),
        (changed("copies = 4", "copies = true"), 15, 1, "'copies' is a whole number from 0 to 1,000,"),
        (changed("copies = 4", "copies = 1001"), 15, 1, "'copies' is a whole number from 0 to 1,000,"),
        (changed("copies = 4", "copies = 1" + "0" * 30), 15, 1, "This integer has more than 63 bits"),
        (changed("copies = 4", 'colour = "rde"'), 15, 1, "Unknown colour 'rde'. Did you mean 'red'?"),
        (changed("copies = 4", "  flip = 1"), 15, 3, "'flip' is true or false, not 1."),
        # shapes
        (GAME + "[[pieces]]\nshapes = 3\n", 17, 1, 'Write shapes as in { of = "domino", count = 2 }'),
        (GAME + "[[pieces]]\nshapes = { cels = 3 }\n", 17, 1, "Unknown key 'cels'. Did you mean 'cells'?"),
        (GAME + "[[pieces]]\nshapes = { cells = 10 }\n", 17, 1, "'cells' is a whole number from 1 to 9,"),
        (GAME + "[[pieces]]\nshapes = { cells = 9 }\n", 17, 1, "8 cells make 369 shapes:"),
        (GAME + '[[pieces]]\nshapes = { of = "domin" }\n', 17, 1, "Unknown shape 'domin'. Did you mean '"),
        (GAME + '[[pieces]]\nshapes = { of = "I", count = 9 }\n', 17, 1, "These shapes would have 45 cells"),
        pytest.param(GAME + '[[pieces]]\nshapes = { of = "I3", count = 9 }\n', 17, 1,
                     "12 cells make 833 shapes",
                     marks=pytest.mark.slow),
        (GAME + '[[pieces]]\nshapes = { of = "I", cells = 5 }\n', 17, 1, "Shapes have either `cells`,"),
        (GAME + '[[pieces]]\nshapes = { cells = 2, equal = "same" }\n', 17, 1, "'equal' is \"free\", \"one-"),
        (GAME + '[[pieces]]\nname = "a;b"\nshapes = { cells = 2 }\n', 17, 1, "no semicolons, quotation"),
        (GAME + "[[pieces]]\n[pieces.shapes]\ncount = 2\n", 17, 1, "Shapes have either `cells`"),
        # rules, colours, the back
        (GAME + "[rules]\nunused = -1\n", 17, 1, "'unused' is \"none\", \"any\", or how many pieces"),
        (GAME + "[rules]\nunsed = 1\n", 17, 1, "Unknown key 'unsed'. Did you mean 'unused'?"),
        (GAME + "[rules]\nempty = 9\n", 17, 1, "'empty' is a whole number from 0 to 8, not 9."),
        (GAME + "rules.empty = 9\n", 16, 1, "Unknown key 'rules'."),
        ("rules.empty = 9\n" + GAME, 1, 1, "'empty' is a whole number from 0 to 8, not 9."),
        (GAME + '[colours]\nsky = "blue"\n', 17, 1, "A colour is written as in '#f3c64f', not \"blue\"."),
        ('colours = "red"\n' + GAME, 1, 1, "'colours' is a table of keys: write [colours] above them."),
        (GAME + '[back]\nbumps = "up"\n', 17, 1, "Unknown class of cells 'up'. Known: dark, light."),
        (GAME + "[back]\n", 16, 1, "A back needs bumps: bumps = one of light, dark."),
        ('titel = "x"\n' + GAME, 1, 1, "Unknown key 'titel'. Did you mean 'title'?"),
        # texts that are not TOML
        (changed('title = "Two by four"', "title = Two"), 1, 9, "The text is not valid TOML"),
        (changed('"squares"', '"squares'), 2, 19, "The text is not valid TOML"),
        (changed("copies = 4", "copies = 4\ncopies = 5"), 16, 11, "The text is not valid TOML:"),
        ("\x00", 1, 1, "The text is not valid TOML"),
        ("game of pieces", 1, 6, "The text is not valid TOML"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_place(text: str, line: int, column: int, sentence: str) -> None:
    for own in (text, text.replace("\n", "\r\n")):
        found = faults(own)
        assert [place for *place, said in found if sentence in said] == [[line, column]], found
        with pytest.raises(GameTextError, match=r"^game x, line \d+, column \d+: "):
            parse_game(own, "game x")


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (GAME + '[[pieces]]\nname = "long"\ndrawing = "#########"\n', 16, "'long' has 9 cells,"),
        (changed("copies = 4", "copies = 3"), 4, "The board has 8 cells to cover,"),
        (changed("copies = 4", "copies = 5"), 4, "must be used have 10 cells, and the board has 8 to cover:"),
        (changed("copies = 4", "copies = [5, 6]") + '[rules]\nunused = "any"\n', 4, "ask for fewer copies"),
    ],
)  # fmt: skip
def test_what_cannot_fit_is_told_and_can_be_asked_about(text: str, line: int, sentence: str) -> None:
    """It has no solution, which is an answer; the search for one says why."""
    assert faults(text) == []
    assert any(
        sentence in said and (there, 1) == (line, column) for there, column, said in faults(text, False)
    )
    assert parse_game(text).pieces
    with pytest.raises(ParamsError, match=r"cannot cover the board|does not fit on the board anywhere"):
        cover_problem(BoardsParams(text))


def test_all_faults_are_told_in_the_order_of_their_lines() -> None:
    text = (
        changed("copies = 4", "copies = [3, 1]").replace("####\n####", "##x#\n###?")
        + "turn = 3\n[rules]\nx = 1\n"
    )
    found = faults(text)
    assert [place for *place, _ in found] == [[6, 3], [7, 4], [15, 1], [16, 1], [18, 1]]
    said = r"^line 6, column 3: 'x' is not a sign .*\. There are 4 more faults\.$"
    with pytest.raises(GameTextError, match=said):
        parse_game(text)


def test_faults_of_drawings_on_other_lattices() -> None:
    text = 'lattice = "triangles"\n[board]\ndrawing = """\nAVAV\nVAA\n"""\n'
    text += '[[pieces]]\nname = "a"\ndrawing = "A"\ncopies = 9\n'
    assert faults(text) == [(5, 3, "Here lies a triangle 'V', not 'A': they alternate.")]
    ((line, column, said),) = faults(
        text.replace("triangles", "hexagons").replace("AVAV\nVAA", "# #\n#").replace('"A"', '"#"')
    )
    assert (line, column) == (5, 1)
    assert said.startswith("A hexagon lies between two of the row above")


MANY = "".join(f'[[pieces]]\nname = "p{n}"\ndrawing = "#"\n' for n in range(300))


# --- huge inputs -------------------------------------------------------------------------------------------


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("#" * 1_000_001, "longer than 1,000,000 characters"),
        (changed("####\n####\n", "#" * 2_000 + "\n"), "The board has 2,000 cells; at most 1,"),
        (changed("####\n####\n", "?" * 100_000 + "\n"), r"'\?' is not a sign"),
        (GAME + MANY, "These are 301 pieces"),
        (GAME + "[[pieces]]\nshapes = { cells = 7 }\n" * 3, "These are 325 pieces; at most 250"),
        pytest.param(GAME + '[[pieces]]\nshapes = { of = "Y", count = 5 }\n',
                     "15 cells make 5,324 shapes: at most 250", marks=pytest.mark.slow),
        ("x = " + "[" * 100_000, "The text is not valid TOML|nested|deep"),
        ("a." * 50_000 + "b = 1\n" + GAME, "A key has more than 40 parts"),
    ],
)  # fmt: skip
def test_huge_texts_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(GameTextError, match=sentence):
        parse_game(text)


def test_a_message_does_not_repeat_a_huge_value() -> None:
    text = changed('"domino"', '"' + "x" * 1000 + '"') + f'turn = "{"y" * 5000}"\n'
    assert all(len(said) < 300 for _, _, said in faults(text))


# --- files -------------------------------------------------------------------------------------------------


def test_a_file_is_known_by_its_digest(tmp_path: Path) -> None:
    """What was read once stays; what was not cannot be read from a file that has changed."""
    read, other = tmp_path / "read.packing", tmp_path / "other.packing"
    read.write_text(GAME)
    other.write_text(changed("Two by four", "Another"))
    game, later = GameRef(str(read)), GameRef(str(other))
    assert len(game.sha256) == 64
    assert game.sha256 == digest_of(str(read)) != later.sha256
    assert game.definition == parse_game(GAME)
    assert GameRef(str(read), sha256=game.sha256) == game
    for path in (read, other):
        path.write_text(changed("copies = 4", "copies = 2"))
    assert game.definition == parse_game(GAME)
    with pytest.raises(ParamsError, match=r"has changed since: its SHA-256 digest is not " + later.sha256):
        later.definition  # noqa: B018
    assert GameRef(str(read)).sha256 == GameRef(str(other)).sha256 != game.sha256
    assert GameRef(str(read)).definition.pieces[0].most == 2


def test_line_ends_of_windows_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "game.packing"
    path.write_bytes(changed('"squares"', '"square"').replace("\n", "\r\n").encode())
    with pytest.raises(ParamsError, match=r"game '.*game.packing', line 2, column 1: Unknown lattice"):
        GameRef(str(path)).definition  # noqa: B018
    path.write_bytes(b"\xef\xbb\xbf" + GAME.encode())
    assert GameRef(str(path)).definition == parse_game(GAME)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: path.mkdir(), r"is a folder, not the file of a game\. Shipped are: .*hexagon"),
        (lambda path: None, r"is neither a file nor a game\. Shipped are: .*hexagon"),
        (lambda path: path.write_bytes(b"# " + b"x" * 5_000_000), "is larger than 4 MB"),
        (lambda path: path.write_bytes(b"title = '\xff'\n"), "not valid UTF-8"),
        (lambda path: path.write_bytes(b""), "line 1, column 1: A game needs a lattice"),
    ],
    ids=["folder", "missing", "5 MB", "bytes", "empty"],
)
def test_files_that_are_none(tmp_path: Path, make: Any, sentence: str) -> None:
    path = tmp_path / "there"
    make(path)
    with pytest.raises(ParamsError, match=sentence):
        GameRef(str(path)).definition  # noqa: B018


@pytest.mark.parametrize("name", ["", "hexagn", "no\x00thing", "a" * 5000])
def test_names_that_are_no_game(name: str) -> None:
    with pytest.raises(EpcgError, match=r"neither a file nor a game|cannot be read"):
        definition_of(name)


# --- what stands in params, boards and puzzles -------------------------------------------------------------


def test_the_params_of_earlier_releases_mean_the_same() -> None:
    table = {"side": 2, "trapezoids": 4, "copies": 2, "without": ["Line"]}
    params = structure(BoardsParams, table, "generator")
    names = GameRef().definition.names
    assert params.sizes == (2,)
    assert params.without == ("Line",)
    assert params.copies == (*(f"{name} 2" for name in names[:9]), "Trapezoid 4")
    assert structure(BoardsParams, {"side": 3, "trapezoids": 2, "copies": 1}, "generator") == BoardsParams()
    both = {"side": 2, "sizes": [2]}
    for wrong in ({"copies": 101}, {"copies": True}, {"trapezoids": -1}, {"side": "3"}, both):
        with pytest.raises(EpcgError, match=next(iter(wrong))):
            structure(BoardsParams, wrong, "generator")
    with pytest.raises(EpcgError, match="trapezoids"):
        structure(BoardsParams, {"game": GAME, "trapezoids": 2}, "generator")


@pytest.mark.parametrize("name", ["domino", "I 4a", "to", "none", "shown", "of 2x3", "naïve", "wide", "a.b"])
def test_boards_and_puzzles_of_a_drawn_game_are_read_again(name: str) -> None:
    text = changed('"domino"', f'"{name}"')
    game = GameRef(text)
    placements = layout_of(game.definition).placements
    first = next(n for n, p in enumerate(placements) if p.cells == (0, 1))
    second = next(n for n, p in enumerate(placements) if p.cells == (2, 3))
    board = Board(game, (first, second))
    assert parse_board(format_board(board)) == board
    assert parse_board(format_board(Board(game, ()))) == Board(game, ())
    rules = GameParams(text)
    puzzle = parse_instance(rules, format_instance(Instance(rules, (first, second))))
    assert puzzle.shown == (first, second)
    assert puzzle.completions() == [puzzle.board]
    assert len(puzzle.board) == 4
    assert parse_board(format_board(board).replace("\n", "\r\n")).placements == board.placements


@pytest.mark.parametrize("name", ["hexagon", "drawn here"])
def test_boards_of_other_sizes_are_read_again(name: str) -> None:
    text = 'lattice = "squares"\n[board]\nfamily = "rectangle"\nwidth = 4\nheight = 2\n'
    text += '[[pieces]]\nname = "domino"\ndrawing = "##"\ncopies = 4\n'
    game = GameRef("hexagon", sizes=(2,)) if name == "hexagon" else GameRef(text, sizes=(2, 4))
    for placements in ((), (3,)):
        written = format_board(Board(game, placements))
        assert parse_board(written) == Board(game, placements)
        rules = GameParams(game.game, game.sizes)
        assert parse_instance(rules, format_instance(Instance(rules, placements))).shown == placements
    assert GameRef(text, sizes=(4, 2)) == GameRef(text)


@pytest.mark.parametrize(
    ("puzzle", "sentence"),
    [
        ("sizes = 3", r"sizes are numbers from 1 to 100, as in \[6, 10\], not 3\."),
        ("sizes = [true]", r"not \[True\]"),
        ("sizes = [4]", "of another game, or of another size, than 'Two by four'"),
        ("shwon = []", "unknown key 'shwon'. Did you mean 'shown'"),
        ("shown = 3", "shown is a list"),
        ('shown = ["domino 0 5"]', "cannot lie on the cells 0 5"),
        ('shown = ["domino"]', "write its cells after its name, as 'domino 0 1'."),
        ('shown = ["domino 0 1", "domino 1 2"]', "covered already"),
        ('without = ["dominoes"]', "There is no piece 'dominoes' to do without"),
    ],
)
def test_puzzles_that_are_none(puzzle: str, sentence: str) -> None:
    text = f"{GAME}[[puzzles]]\n{puzzle}\n"
    with pytest.raises(EpcgError, match=sentence):
        parse_instance(GameParams(GAME), text)


def test_a_size_that_cannot_be_is_the_only_fault_that_is_told() -> None:
    board = "[board]\nfamily = 'rectangle'\nwidth = 1000\nheight = 2\n"
    found = read_game(f"lattice = 'squares'\n{board}[[pieces]]\nname = 'two'\ndrawing = '##'\n")
    assert [fault.message for fault in found.faults] == ["'width' is a whole number from 1 to 100, not 1000."]
    assert found.definition is None
