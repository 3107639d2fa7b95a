"""Addresses of puzz.link and of penpa-edit, and files pzprv3.

The own program of puzz.link decodes `EXAMPLES` to the boards that are meant.
"""

from __future__ import annotations

import base64
import json
import random
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest
from epcg_deduction.exchange import (
    is_address,
    is_file,
    is_penpa,
    read_address,
    read_file,
    read_penpa,
    write_address,
    write_file,
    write_penpa,
)
from epcg_deduction.exchange.puzzlink import KINDS
from epcg_deduction.genres import genre
from epcg_deduction.model.boards import Board
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import values_at
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.compiled import count
from epcg_deduction.texts import genre_document, read_text

from epcg_core.plugin import EpcgError
from tests.workplace import epcg

EXAMPLES = {
    "https://puzz.link/p?slither/3/3/jeh": ("slitherlink", "...\n.4.\n..."),
    "https://puzz.link/p?nurikabe/4/4/h3h1m2g1": ("nurikabe", "..3.\n.1..\n....\n.2.1"),
    "https://puzz.link/p?mashu/4/4/i3a900": ("masyu", "B...\nW.W.\nWW..\n...."),
    "https://puzz.link/p?akari/3/3/jeh": ("akari", "...\n.4.\n..."),
    "https://puzz.link/p?akari/3/2/hb./": ("akari", "..1\n..#"),
}


def drawn_text(name: str, drawing: str) -> str:
    return f"genre = '{name}'\n[puzzle]\ndrawing = '''\n{drawing}\n'''\n"


def drawn(name: str, drawing: str) -> Puzzle:
    return read_text(drawn_text(name, drawing)).puzzles[0]


def contents(puzzle: Puzzle) -> object:
    return puzzle.genre.name, puzzle.board.kinds, [(clue, clue.value) for clue in puzzle.clues]


@pytest.mark.parametrize("address", EXAMPLES)
def test_examples_are_read_and_written(address: str) -> None:
    puzzle = drawn(*EXAMPLES[address])
    assert is_address(address)
    assert contents(read_address(address)) == contents(puzzle)
    assert write_address(puzzle) == address


@pytest.mark.parametrize("address", [*EXAMPLES][:4])
def test_the_examples_are_fair(address: str) -> None:
    assert count(problem_of(read_address(address))).fair


@pytest.mark.parametrize(
    ("address", "other"),
    [
        ("https://puzz.link/p?slitherlink/3/3/jeh", "https://puzz.link/p?slither/3/3/jeh"),
        ("http://pzv.jp/p.html?slither_edit/3/3/jeh", "https://puzz.link/p?slither/3/3/jeh"),
        ("slither/3/3/j4j", "https://puzz.link/p?slither/3/3/jeh"),
        ("https://puzz.link/p?pearl/4/4/i3a900", "https://puzz.link/p?mashu/4/4/i3a900"),
        ("https://puzz.link/p?lightup_play/3/3/jeh/", "https://puzz.link/p?akari/3/3/jeh"),
        ("https://puzz.link/p?slither//3/3/jeh", "https://puzz.link/p?slither/3/3/jeh"),
        ("https://puzz.link/p?nurikabe/2/1", "https://puzz.link/p?nurikabe/2/1/h"),
    ],
)
def test_other_forms_of_an_address_are_read(address: str, other: str) -> None:
    assert write_address(read_address(address)) == other


@pytest.mark.parametrize("name", KINDS)
def test_random_boards_are_read_back(name: str) -> None:
    rng = random.Random(name)
    for _ in range(25):
        width, height = rng.randrange(1, 13), rng.randrange(1, 13)
        if name == "sudoku":
            width = height = rng.choice((4, 6, 9))
        puzzle = random_board(name, width, height, rng)
        address = write_address(puzzle)
        assert contents(read_address(address)) == contents(puzzle)
        assert address[-1].isalnum() or address.endswith("/")
        assert write_address(read_address(address)) == address


def random_board(name: str, width: int, height: int, rng: random.Random) -> Puzzle:
    kinds = genre(name).clues
    walls = "walls" in {kind.on for kind in kinds.values()}
    share = rng.choice((0.02, 0.2, 0.9))
    chosen = [square for square in range(width * height) if rng.random() < share]
    board = Board(width, height, bytes(walls and square in chosen for square in range(width * height)))
    if name == "sudoku":
        address = f"sudoku/{width}/{height}"
        board = read_address(address).board
    puzzle, clues = Puzzle(genre(name), board), []
    for square in chosen:
        kind = rng.choice(list(kinds.values()))
        values = values_at(puzzle, kind, square)
        assert values is not None
        value = None if kind.values not in "WB" and rng.random() < 0.2 else rng.choice(values)
        if not (walls and value is None):
            clues.append(Clue(kind.name, square, value))
    order = list(kinds)
    clues.sort(key=lambda clue: (order.index(clue.kind), clue.place))
    return attrs.evolve(puzzle, clues=tuple(clues))


def test_large_numbers_of_nurikabe_are_written() -> None:
    board = Board(60, 60, bytes(3600))
    values = {0: 15, 1: 16, 2: 255, 3: 256, 5: 3600, 3599: None}
    clues = tuple(Clue("area", place, value) for place, value in values.items())
    address = write_address(Puzzle(genre("nurikabe"), board, clues))
    assert address.startswith("https://puzz.link/p?nurikabe/60/60/f-10-ff+100g+e10z")
    assert address.endswith("./")
    assert [(clue.place, clue.value) for clue in read_address(address).clues] == list(values.items())


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "https://puzz.link/p?slithr/3/3/jeh",
            "Unknown genre of puzz.link 'slithr'. Did you mean 'slither'?",
        ),
        ("https://puzz.link/p?slither/f/3/3/jeh", "Column 29 of the address: the flag 'f' changes the rules"),
        (
            "https://puzz.link/p?slither/v:x/3/3/jeh",
            "Column 29 of the address: the variant 'x' changes the rules",
        ),
        ("https://puzz.link/p?slither/3", "The address does not say how large the board is"),
        ("https://puzz.link/p?slither/200/200/g", "The board has 40,000 cells; 1 to 4,096 are possible."),
        ("https://puzz.link/p?slither/3/3/j!h", "Column 34 of the address: '!' means nothing here."),
        ("https://puzz.link/p?slither/3/3/fjh", "Column 33 of the address: 'f' means nothing here."),
        (
            "https://puzz.link/p?slither/1/1/44",
            "The address has 1 more clues than the board of 1 by 1 can hold",
        ),
        (
            "https://puzz.link/p?nurikabe/3/3/-g",
            "Column 35 of the address: 2 hexadecimal digits should follow",
        ),
        ("https://puzz.link/p?nurikabe/2/1/0g", "0 in r1c1 is not a clue of Nurikabe on this board."),
        ("https://puzz.link/p?mashu/3/3/z00", "Column 31 of the address: 'z' means nothing here"),
        ("https://puzz.link/p?yajilin/3/3/02", "Column 34 of the address: a clue without a direction"),
        ("https://puzz.link/p?sudoku/5/5/g", "A Sudoku of 5 by 5 has no boxes that are known here"),
    ],
)
def test_a_fault_of_an_address_is_told(address: str, said: str) -> None:
    with pytest.raises(EpcgError) as error:
        read_address(address)
    assert str(error.value).startswith(said)


def test_what_an_address_cannot_hold_is_told() -> None:
    with pytest.raises(EpcgError, match=r"Tapa has no address of puzz\.link here"):
        write_address(genre_document("tapa").puzzles[0])
    with pytest.raises(EpcgError, match="a board with holes or walls"):
        write_address(drawn("slitherlink", "._\n.."))
    other = attrs.evolve(genre("slitherlink"), rules=genre("slitherlink").rules[:1])
    with pytest.raises(EpcgError, match=r"are not those that puzz\.link has"):
        write_address(Puzzle(other, Board(2, 2, bytes(4))))


@pytest.mark.parametrize("address", EXAMPLES)
def test_commands_take_addresses_and_write_them(reader: Path, address: str) -> None:
    assert epcg("render", address).stdout == epcg("render", drawn_text(*EXAMPLES[address])).stdout
    (reader / "address.txt").write_text(f"{address}\n")
    epcg("convert", "address.txt", "--output", "own.deduction")
    assert epcg("convert", "own.deduction", "--to", "puzzlink").stdout.strip() == address


def test_an_address_of_another_genre_or_with_a_fault_is_a_sentence(reader: Path) -> None:
    for address, said in (
        ("https://puzz.link/p?tilepaint/3/3/jeh", "Unknown genre of puzz.link 'tilepaint'"),
        ("https://puzz.link/p?slither/3/3/j!", "of the address"),
    ):
        assert said in epcg("score", address, code=1).stderr
        (reader / "two.txt").write_text(f"{next(iter(EXAMPLES))}\n{address}\n")
        assert "line 2" in epcg("convert", "two.txt", "--from", "puzzlink", code=1).stderr
    assert "has no address of puzz.link" in epcg("convert", "deduction:puzzles?genre=kakuro#0", "--to",
                                                 "puzzlink", code=1).stderr  # fmt: skip


SOLVED = {
    "pzprv3.1/slither/2/2/. . /- 0 /0 0 /0 2 /1 1 0 /1 -1 0 /1 0 /1 0 /0 0 //": [(2, None), (3, 0)],
    "pzprv3/slither/2/2/. . /- 0 /1 1 0 /1 -1 0 /1 0 /1 0 /0 0 /": [(2, None), (3, 0)],
    "pzprv3/nurikabe/2/3/. # - /4 # + /": [(2, None), (3, 4)],
    "pzprv3/mashu/3/2/2 . /. 1 /. . /1 /-1 /0 /1 1 /0 1 /": [(3, "W"), (0, "B")],
    "pzprv3/lightup/2/3/# + - /. 4 . /": [(4, 4)],
    "pzprv3/mashu/3/2/": [],
}
"""Files with marks of a solution, right or wrong, between slashes; and places and values of clues."""
BEHIND = 'history:{"type": "pzpr", "datas": [["a/b", "\\n"]]}\ninfo:{"metadata": {"author": "x / y"}}'


@pytest.mark.parametrize("text", SOLVED)
def test_a_file_is_read_without_its_marks(text: str) -> None:
    puzzle = read_file(text)
    assert [(clue.place, clue.value) for clue in puzzle.clues] == SOLVED[text]
    lines = text.replace("/", "\n")
    assert is_file(text)
    assert is_file(lines)
    for other in (lines, lines.replace("\n", "\r\n"), f"{lines.strip()}\n{BEHIND}\n", f"{text}{BEHIND}"):
        assert contents(read_file(other)) == contents(puzzle)
    if "lightup" in text:
        assert list(puzzle.board.kinds) == [0, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("name", ["slitherlink", "nurikabe", "masyu", "akari"])
def test_random_boards_are_read_back_from_files(name: str) -> None:
    rng = random.Random(f"file {name}")
    for _ in range(75):
        puzzle = random_board(name, rng.randrange(1, 13), rng.randrange(1, 13), rng)
        text = write_file(puzzle)
        for own in (text, text.replace("\n", "/")):
            assert contents(read_file(own)) == contents(puzzle)
        board = puzzle.board
        assert text.split("\n")[2:4] == [str(board.height), str(board.width)]
        assert all(line.endswith(" ") for line in text.split("\n")[4:] if line and board.width > 1)


def test_damaged_files_are_told_in_sentences() -> None:
    """Whatever is cut out, doubled or written over, a file is read or refused with a sentence."""
    rng = random.Random(1)
    texts = [*SOLVED, *(f"{text}{BEHIND}" for text in SOLVED)]
    refused = []
    for _ in range(600):
        text = rng.choice(texts)
        text = text.replace("/", "\n") if rng.random() < 0.5 else text
        start = rng.randrange(len(text))
        stop = start + rng.randrange(6)
        filling = rng.choice(
            ["", text[start:stop] * 2, "7", "/", " ", "\n", "²", "x", "{", "-", '"', "999999"]
        )
        try:
            read_file(text[:start] + filling + text[stop:])
        except EpcgError as error:
            refused.append(str(error))
    assert 300 < len(refused) < 600
    assert all(said[0] in "0123456789" or said[0].isupper() for said in refused)
    assert all(said[-1] in ".?" for said in refused)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pzprv4\nslither", "Line 1 of the file: 'pzprv3' or 'pzprv3.1' should stand here, not 'pzprv4'."),
        (
            "pzprv3\nslithr\n2\n2",
            "Line 2 of the file: unknown genre of a file pzprv3 'slithr'. Did you mean 'sl",
        ),
        (
            "pzprv3\nslither\n2",
            "Line 4 of the file: the number of columns should stand here, but the board ends",
        ),
        (
            "pzprv3/slither/2/b/",
            "Part between slashes 4 of the file: the number of columns should stand here, n",
        ),
        ("pzprv3\nslither\n0\n2", "Line 4 of the file: the board has 0 cells; 1 to 4,096 are possible."),
        ("pzprv3\nslither\n2\n2\nf\n. . \n. . ", "Line 5 of the file: the flag 'f' changes the rules"),
        (
            "pzprv3\nmashu\n2\n2\n. . \n. ",
            "Line 6 of the file: row 2 of the cells should have 2 signs with a b",
        ),
        (
            "pzprv3\nmashu\n2\n2\n. . ",
            "Line 6 of the file: row 2 of the cells should stand here, but the board",
        ),
        ("pzprv3\nmashu\n1\n1\n3 ", "Line 5 of the file: '3' means nothing in a cell of this genre."),
        ("pzprv3\nslither\n1\n2\n. # ", "Line 5 of the file: '#' means nothing in a cell of this genre."),
        ("pzprv3\nslither\n2\n2\n. . \n. 5 ", "5 in r2c2 (line 6 of the file) is not a clue of Slitherlink"),
        (
            "pzprv3\nmashu\n1\n2\n. . \n2 ",
            "Line 6 of the file: '2' cannot stand here: possible are -1, 0, 1.",
        ),
        ("pzprv3\nmashu\n2\n2\n. . \n. . \n0 ", "Line 8 of the file: row 2 of marks should stand here, but"),
        ("pzprv3\nakari\n1\n1\n. \n. ", "Line 6 of the file: the board should end here."),
        ("pzprv3\nakari\n1\n1\n. \ninfo:{", "What stands behind 'info:' in the file is not JSON."),
        (
            "pzprv3\nakari\n1\n1\n. \ninfo:" + "[" * 99_999,
            "What stands behind 'info:' in the file is not JSON.",
        ),
        (
            "pzprv3\nakari\n1\n1\n. \ninfo:1",
            "What stands behind 'info:' in the file is not an object in JSON.",
        ),
        (
            "pzprv3\nakari\n1\n1\n. \ninfo:{} x",
            "Behind the board should stand 'info:' or 'history:' or nothing",
        ),
    ],
)
def test_a_fault_of_a_file_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(EpcgError) as error:
        read_file(text)
    assert str(error.value).startswith(said)


def test_what_a_file_cannot_hold_is_told() -> None:
    with pytest.raises(
        EpcgError, match=r"Sudoku has no file pzprv3 here: these genres have one: slitherlink, "
    ):
        write_file(genre_document("sudoku").puzzles[0])
    with pytest.raises(EpcgError, match="A file pzprv3 cannot hold a board with holes"):
        write_file(drawn("slitherlink", "._\n.."))


def test_files_are_converted_and_scored(reader: Path) -> None:
    for number, (address, own) in enumerate(EXAMPLES.items()):
        (reader / "own.deduction").write_text(drawn_text(*own))
        epcg("convert", "own.deduction", "--to", "pzprv3", "--output", f"{number}.txt")
        assert epcg("convert", f"{number}.txt", "--to", "puzzlink").stdout.strip() == address
        assert epcg("render", f"{number}.txt").stdout == epcg("render", address).stdout
    (reader / "damaged.txt").write_text("pzprv3\nmashu\n1\n1\n3 \n")
    assert "damaged.txt: Line 5 of the file: '3'" in epcg("convert", "damaged.txt", "--from", "pzprv3",
                                                          code=1).stderr  # fmt: skip


# ---- penpa-edit

PENPA = "https://swaroopg92.github.io/penpa-edit/#m=edit&p="
HEAD = "square,3,2,38,0,1,1,152,114,87,87,0,0,0,0,Title: a%2Cz,Author: ,,,OFF,false"
BOARD = [16, 1, 1, 5, 1, 1]
"""The cells of a board of 3 columns and 2 rows: two columns and rows are around it, so that it is 7 wide."""


def penpa(question: Mapping[str, object], tag: str = "masyu", **lines: object) -> str:
    """Return an address as the form is described: no word is shortened but those that need it."""
    parts: list[object] = [HEAD, [0, 0, 0, 0], '["1","2","1"]~"line"~["1",3]', question, "", BOARD, []]
    parts += ["", "x", "x", [3, 2, 3], "", "", "0", "", "x", "", [tag], "false"]
    for name, value in lines.items():
        parts[int(name.removeprefix("line"))] = value
    text = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in parts)
    return packed(text.replace("z", "zZ").replace('"symbol"', "zY").replace("null", "zO"))


def packed(text: str) -> str:
    machine = zlib.compressobj(wbits=-15)
    return PENPA + base64.b64encode(machine.compress(text.encode()) + machine.flush()).decode()


@pytest.mark.parametrize(
    ("question", "tag", "drawing"),
    [
        (
            {"symbol": {"16": [1, "circle_L", 2], "25": [2, "circle_M", 1]}, "thermo": [None]},
            "masyu",
            "W..\n..B",
        ),
        (
            {"number": {"17": [3, 1, "1"], "23": ["0 ", 1, "1"], "24": [" ", 1, "1"]}},
            "slitherlink",
            ".3.\n0..",
        ),
        ({"number": {"17": ["4", 1, "10"]}}, "nurikabe", ".4.\n..."),
        ({"surface": {"16": 4, "25": 1}, "number": {"25": ["2", 7, "1"]}}, "akari", "#..\n..2"),
    ],
)
def test_drawings_of_penpa_edit_are_read(question: Mapping[str, object], tag: str, drawing: str) -> None:
    own = {"masyu": "masyu", "slitherlink": "slitherlink", "nurikabe": "nurikabe", "akari": "akari"}[tag]
    puzzle = drawn(own, drawing)
    address = penpa(question, tag)
    assert is_penpa(address)
    assert not is_address(address)
    for other in (
        address,
        address.rstrip("="),
        address.replace("#m=edit", "?m=solve"),
        f"{address}&a=x",
        penpa(question, line17=[tag, "noconflict"]),
        penpa(question, line17="", line0=HEAD.replace("a%2Cz", own.title())),
    ):
        assert contents(read_penpa(other)) == contents(puzzle)
    assert contents(read_penpa(write_penpa(puzzle))) == contents(puzzle)


def test_a_board_within_margins_is_read() -> None:
    head, cells = HEAD.replace("3,2", "4,3", 1), [27, 1, 1, 6, 1, 1]
    address = penpa({"symbol": {"36": [2, "circle_L", 1]}}, line0=head, line1=[1, 0, 1, 0], line5=cells)
    assert contents(read_penpa(address)) == contents(drawn("masyu", "...\n.B."))


@pytest.mark.parametrize("name", ["slitherlink", "nurikabe", "masyu", "akari", "sudoku"])
def test_random_boards_are_read_back_from_penpa_edit(name: str) -> None:
    rng = random.Random(f"penpa {name}")
    for _ in range(60):
        width, height = rng.randrange(1, 13), rng.randrange(1, 13)
        if name == "sudoku":
            width = height = rng.choice((4, 6, 9))
        puzzle = random_board(name, width, height, rng)
        address = write_penpa(puzzle)
        assert is_penpa(address)
        assert contents(read_penpa(address)) == contents(puzzle)


def test_boxes_of_a_sudoku_are_drawn() -> None:
    """The corners of a board of 4 by 4 are 8 a row, from 64 on; 64 + 9 is in the upper left of the board."""
    address = write_penpa(read_address("sudoku/4/4/1z"))
    raw = base64.b64decode(address.partition("p=")[2] + "==")
    question = zlib.decompress(raw, wbits=-15).decode().split("\n")[3]
    upright = [f"{64 + 3 + 8 * row},{64 + 3 + 8 * (row + 1)}" for row in range(1, 5)]
    level = [f"{64 + 3 * 8 + column},{64 + 3 * 8 + column + 1}" for column in range(1, 5)]
    edges = re.search(r"zE:(\{[^}]*\})", question)
    assert edges is not None
    assert set(json.loads(edges[1])) == {*upright, *level}
    assert 'zN:{"18":["1",1,"1"]}' in question


CIRCLE = {"symbol": {"16": [1, "circle_L", 2]}}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (PENPA[:-2], "An address of penpa-edit should have 'm=solve' or 'm=edit', and a puzzle behind 'p='."),
        (f"{PENPA}!!", "The address of penpa-edit is damaged: copy it again, to its end."),
        (penpa(CIRCLE)[:-60], "The address of penpa-edit is not whole, or too long: copy it again"),
        (packed("\0" * 5_000_000), "The address of penpa-edit is not whole, or too long"),
        (packed("1,2"), "The address of penpa-edit is in an old form"),
        (
            packed("hex,2"),
            "The board of this address of penpa-edit is of the form 'hex': square is possible.",
        ),
        (packed(HEAD), "The address of penpa-edit is not whole: lines are missing in its content."),
        (
            penpa(CIRCLE, line0=HEAD.replace("38,0,1", "38,90,1")),
            "The board of this address of penpa-edit is tu",
        ),
        (
            penpa(CIRCLE, line0=HEAD.replace("3,2", "300,200", 1)),
            "The board has 60,000 cells; 1 to 4,096 are p",
        ),
        (penpa(CIRCLE, line5=BOARD[:-1]), "The board of this address of penpa-edit has holes"),
        (penpa(CIRCLE, line5=[]), "The address of penpa-edit has a fault: its board has no cells."),
        (
            penpa(CIRCLE, line3="[" * 99_999),
            "The address of penpa-edit has a fault: line 4 of its content is no",
        ),
        (
            penpa({"symbol": 5}),
            "The address of penpa-edit has a fault: its layer 'symbol' is not as it should be",
        ),
        (
            penpa(CIRCLE, tag="snake"),
            "The address of penpa-edit should have one genre tag of these: slitherlink, ",
        ),
        (
            penpa(CIRCLE, line17=""),
            "The address of penpa-edit should have one genre tag of these: slitherlink, ",
        ),
        (
            penpa({"surface": {"16": 4}}),
            "The address of penpa-edit has a drawing in its layer 'surface', which ma",
        ),
        (
            penpa({"cage": {"1,2": 4}}),
            "The address of penpa-edit has a drawing in its layer 'cage', which masyu ",
        ),
        (
            penpa({"thermo": [[16, 17]]}),
            "The address of penpa-edit has a drawing in its layer 'thermo', which is",
        ),
        (
            penpa({"symbol": {"15": [1, "circle_L", 2]}}),
            "The address of penpa-edit has a symbol that is not in a",
        ),
        (
            penpa({"symbol": {"17": [3, "circle_L", 2]}}),
            "The address of penpa-edit cannot be read in r1c2: the s",
        ),
        (
            penpa({"symbol": {"17": [[1], "circle_L", 2]}}),
            "The address of penpa-edit cannot be read in r1c2: th",
        ),
        (
            penpa({"number": {"17": ["x", 1, "1"]}}, "nurikabe"),
            "The address of penpa-edit cannot be read in r1c2",
        ),
        (
            penpa({"number": {"17": ["1", 1, "5"]}}, "nurikabe"),
            "The address of penpa-edit cannot be read in r1c2",
        ),
        (
            penpa({"number": {"17": ["1", 1, "1"]}}, "akari"),
            "The address of penpa-edit cannot be read in r1c2: t",
        ),
        (
            penpa({"surface": {"17": 2}}, "akari"),
            "The address of penpa-edit cannot be read in r1c2: the colour",
        ),
        (
            penpa({"number": {"17": ["9", 1, "1"]}}, "slitherlink"),
            "9 in r1c2 is not a clue of Slitherlink on th",
        ),
        (penpa({}, "classic"), "A Sudoku of 3 by 2 has no boxes that are known here"),
    ],
)
def test_a_fault_of_penpa_edit_is_told(address: str, said: str) -> None:
    with pytest.raises(EpcgError) as error:
        read_penpa(address)
    assert str(error.value).startswith(said)


def test_a_sudoku_without_its_boxes_is_refused() -> None:
    address = penpa({}, "classic", line0=HEAD.replace("3,2", "4,4", 1),
                    line5=[18, 1, 1, 1, 5, 1, 1, 1, 5, 1, 1, 1, 5, 1, 1, 1])  # fmt: skip
    with pytest.raises(EpcgError, match="does not draw the usual boxes of a Sudoku"):
        read_penpa(address)


def test_damaged_drawings_are_told_in_sentences() -> None:
    rng = random.Random(2)
    good = write_penpa(read_address("sudoku/4/4/1h2z"))
    raw = base64.b64decode(good.partition("p=")[2] + "==")
    text, refused = zlib.decompress(raw, wbits=-15).decode(), 0
    for _ in range(300):
        start = rng.randrange(len(text))
        filling = rng.choice(["", "7", '"', "[", "}", ",", "\n", "-9", "null", "zO", "²", "9" * 5000])
        address = packed(text[:start] + filling + text[start + rng.randrange(6) :])
        cut = rng.randrange(len(PENPA), len(address))
        for damaged in (address, good[:cut], good[:cut] + filling + good[cut + 1 :]):
            try:
                read_penpa(damaged)
            except EpcgError:
                refused += 1
    assert 500 < refused < 900


def test_commands_take_drawings_and_write_them(reader: Path) -> None:
    (reader / "own.deduction").write_text(drawn_text("masyu", "W..\n..B"))
    address = epcg("convert", "own.deduction", "--to", "penpa").stdout
    typed = address.strip().replace("#", "?")
    assert epcg("render", typed).stdout == epcg("render", "own.deduction").stdout
    (reader / "drawn.txt").write_text(address)
    assert epcg("render", "drawn.txt").stdout == epcg("render", "own.deduction").stdout
    assert epcg("convert", "drawn.txt", "--to", "puzzlink").stdout == "https://puzz.link/p?mashu/3/2/92\n"
    (reader / "two.txt").write_text(f"{address}https://puzz.link/p?mashu/3/2/92\n")
    refused = epcg("convert", "two.txt", "--from", "penpa", code=1).stderr
    assert "two.txt, line 2: An address of penpa-edit should stand here." in refused
    refused = epcg("convert", "deduction:puzzles?genre=kakuro#0", "--to", "penpa", code=1).stderr
    assert "has no address of penpa-edit here" in refused
