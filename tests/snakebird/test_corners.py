"""Corners of the rules: what enters a cell that something else leaves in the same move.

Each case has a row in the table "What moves away in the same move" of the plugin's README.
"""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from epcg_snakebird.formats.drawing import parse_level
from epcg_snakebird.rules.moves import Move, Position, play, start, successors
from epcg_snakebird.rules.packed import PackedLevel
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

README = Path(__file__).parents[2] / "plugins/snakebird/README.md"
ILLEGAL, DEAD = "illegal", "dead"


def outcome(position: Position, text: str, rules: Rules) -> str | Position:
    """The position after a move, ILLEGAL or DEAD; the compiled rules are asked, too."""
    move = Move.parse(text)
    packed = PackedLevel(position.level, rules)
    found = packed.successors(packed.pack(position).reshape(1, -1))
    compiled = {
        packed.action(int(a)): packed.unpack(r) for a, r in zip(found.actions, found.positions, strict=True)
    }
    assert compiled == dict(successors(position, rules))
    try:
        after = play(position, move, rules)
    except ValueError:
        return ILLEGAL
    return DEAD if after is None else after


def drawn(*rows: str) -> Position:
    return start(parse_level("\n".join(rows)))


def moved(position: Position, *snakes: str, thing: str | None = None) -> Position:
    """The position with snakes and the first object elsewhere, also where other things are.

    Cells are column and row: '21 11' is a head in column 2, row 1 and its tail; '' is out.
    """
    level = position.level

    def cells(text: str) -> tuple[int, ...]:
        return tuple(level.cell(int(x), int(y)) for x, y in text.split())

    placed = tuple(map(cells, snakes)) or position.snakes
    return attrs.evolve(
        position,
        snakes=placed,
        objects=position.objects if thing is None else (*cells(thing), *position.objects[1:]),
    )


RING = ("....E.", ".>v...", ".av...", ".1<...", "####..")
"""Up, object a is pushed into the cell of the tail."""
ON_EXIT = drawn("a.....", ".>v...", ".Ev...", ".1<...", "####..")
ALONG = drawn("....E.", ">>v...", ".av...", ".1<...", "####..")
ALONG_EXIT = drawn("a.....", ">>v...", ".Ev...", ".1<...", "####..")
FED = drawn("a...E.", ".>v...", ".Fv...", ".1<...", "####..")
UNDER = drawn("a......", ">1F....", "#######", "E......")
LAST = drawn("....a..", ">1E.F2<", "#######")
WAITS = drawn("F......", ">1E.2<.", "#######")
LEFT_PORTAL = drawn(".O..aO.", "#######", "E.>>1..")
PORTALS = drawn(".>1OO..", "#######", "Ea.....")
TWO = (PAPER, GAME)
CASES: list[tuple[str, str, Position, str, dict[Rules, str | Position]]] = [
    ("the head", "the own tail",
     drawn(">v.", "^1E", "###"), "1L", dict.fromkeys(TWO, ILLEGAL)),
    ("what is pushed", "the own tail",
     drawn(*RING), "1U", {PAPER: ILLEGAL, GAME: moved(drawn(*RING), "12 13 23 22 21", thing="11")}),
    ("what is pushed", "the own tail, of a snake that eats",
     moved(FED, thing="12"), "1U", dict.fromkeys(TWO, ILLEGAL)),
    ("what is pushed", "another cell of the own body",
     ALONG, "1U", dict.fromkeys(TWO, ILLEGAL)),
    ("what lies on the open exit", "the own tail",
     moved(ON_EXIT, thing="12"), "1U", {PAPER: ILLEGAL, GAME: moved(ON_EXIT, "", thing="13")}),
    ("what lies on the open exit", "another cell of the own body",
     moved(ALONG_EXIT, thing="12"), "1U", dict.fromkeys(TWO, ILLEGAL)),
    ("the head", "another snake, its tail or not",
     drawn(">1>2...", "#######", "E......"), "1R",
     dict.fromkeys(TWO, drawn(".>1>2..", "#######", "E......"))),
    ("what is pushed", "what is pushed, too",
     drawn(">1ab2<.", "#######", "E......"), "1R",
     dict.fromkeys(TWO, drawn(".>1ab2<", "#######", "E......"))),
    ("the head down", "anything, also what would fall",
     drawn("..v..", "..1..", "..a..", ".....", ".....", "#####", "E...."), "1D", dict.fromkeys(TWO, ILLEGAL)),
    ("what is pushed", "fruit",
     drawn(">1aF...", "#######", "E......"), "1R", dict.fromkeys(TWO, ILLEGAL)),
    ("the head", "fruit under an object",
     moved(UNDER, thing="21"), "1R",
     dict.fromkeys(TWO, attrs.evolve(moved(UNDER, "21 11 01", thing="21"), fruit=()))),
    ("the head", "the exit, where a snake waits while fruit is left",
     moved(WAITS, "11 01", "21 31"), "1R", dict.fromkeys(TWO, moved(WAITS, "21 11", "31 41"))),
    ("a pushed snake's head", "the open exit",
     drawn(">1>2E.", "######", "......"), "1R",
     dict.fromkeys(TWO, moved(drawn(">1>2E.", "######", "......"), "20 10", ""))),
    ("what rests on a snake that waits on the exit", "the exit, as the last fruit is eaten",
     moved(LAST, "21 11", "51 61", thing="20"), "2L",
     dict.fromkeys(TWO, attrs.evolve(moved(LAST, "", "41 51 61", thing="21"), fruit=()))),
    ("what comes through a portal", "the cell that the mover's tail leaves",
     moved(LEFT_PORTAL, "30 20 10"), "1R", dict.fromkeys(TWO, moved(LEFT_PORTAL, "40 30 20", thing="10"))),
    ("what comes through a portal", "its own cells",
     drawn(">>1OO.", "######", "E....."), "1R",
     dict.fromkeys(TWO, drawn("..>>1.", "######", "E....."))),
    ("what comes through a portal", "what enters the other portal in the same step",
     moved(PORTALS, thing="30"), "1R", dict.fromkeys(TWO, moved(PORTALS, "30 20", thing="40"))),
    ("what falls", "what falls, too",
     drawn("a....", "b....", ".....", "#####", ">1..E", "#####"), "1R",
     dict.fromkeys(TWO, drawn(".....", "a....", "b....", "#####", ".>1.E", "#####"))),
]  # fmt: skip


@pytest.mark.parametrize(("enters", "leaves", "position", "move", "expected"), CASES)
def test_what_enters_a_cell_that_is_left_in_the_same_move(
    enters: str, leaves: str, position: Position, move: str, expected: dict[Rules, str | Position]
) -> None:
    for rules, after in expected.items():
        found = outcome(position, move, rules)
        assert looks(found) == looks(after)
    assert f"| {enters} | {leaves} |" in README.read_text("utf-8")


def looks(position: str | Position) -> object:
    """What lies where, whatever the level's drawing."""
    if isinstance(position, str):
        return position
    objects = [position.object_cells(index) for index in range(len(position.objects))]
    return position.snakes, objects, position.fruit
