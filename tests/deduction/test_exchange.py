"""Addresses of puzz.link: its own program decodes those of `EXAMPLES` to the boards that are meant."""

from __future__ import annotations

import random
from pathlib import Path

import attrs
import pytest
from epcg_deduction.exchange import is_address, read_address, write_address
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
