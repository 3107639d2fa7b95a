"""The kernel of a game plays what the plain engine and the interpreter play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from epcg_puzzlescript.commands import info
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.text import level_of, read_game_text
from epcg_puzzlescript.language.files import read_game
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules import game_kernels
from epcg_puzzlescript.rules.checkpoints import CheckpointLevel
from epcg_puzzlescript.rules.kernel_source import KernelSource
from epcg_puzzlescript.rules.large_source import LargeSource
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.packed import PackedLevel
from epcg_puzzlescript.rules.plane_writer import TooLongError
from epcg_puzzlescript.rules.shared_source import SharedSource
from epcg_puzzlescript.rules.tables import Tables, make_tables
from epcg_puzzlescript.rules.turn import EndlessError

from epcg_core.domain import Successors
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.solver import shortest_path
from tests.puzzlescript.random_games import playable, random_game, widened_game
from tests.puzzlescript.recorded import level as recorded_level, searches, simulations

BLOCKS, KERNELS = 18, 1
THIRDS = [pytest.param(n, marks=pytest.mark.nightly if n % 3 else pytest.mark.slow) for n in range(BLOCKS)]

HEAD = """
title t
OBJECTS
background .
black

player p
white

"""


def same(first: Successors, second: Successors) -> bool:
    return (
        np.array_equal(first.counts, second.counts)
        and np.array_equal(first.positions, second.positions)
        and np.array_equal(first.actions, second.actions)
    )


def compared(level: Level, most: int, plain: bool = False, long: bool = False) -> tuple[int, int]:
    """Search a level with both engines; return how many positions were expanded, and by the kernel.

    Of a game that may be `long`, none are if its rules are too many for a kernel. One that keeps checkpoints
    has no kernel: its positions as rows are compared with plain ones.
    """
    model = PuzzleScriptModel()
    if isinstance(packed := model.packed(level), CheckpointLevel):
        return compared_plainly(model, packed, most), 0
    own = packed.kernel.compile()
    if own is None and long:
        assert packed.kernel.reason == "its rules are too many for a kernel of its own"
        return 0, 0
    assert own is not None
    table = PositionTable(packed.words)
    table.add(packed.pack(model.initial(level)).reshape(1, -1))
    start = done = 0
    while start < table.count and start < most:
        rows = table.rows(start, min(table.count, start + most))
        start += len(rows)
        found = packed.by_kernel(own, rows)
        assert same(found, packed.by_interpreter(rows)), level.game.text
        if plain:
            check_plainly(model, packed, rows, found)
        done += int((packed.left_by_kernel(own, rows) == 0).sum())
        table.add(np.ascontiguousarray(found.positions[~packed.solved(found.positions)]))
    return start, done


def compared_plainly(model: PuzzleScriptModel, packed: CheckpointLevel, most: int) -> int:
    """Compare positions as rows with plain ones; return how many were expanded."""
    table = PositionTable(packed.words)
    table.add(packed.pack(model.initial(packed.level)).reshape(1, -1))
    start = 0
    while start < table.count and start < most:
        rows = table.rows(start, min(table.count, start + most))
        start += len(rows)
        found = packed.successors(rows)
        check_plainly(model, packed, rows, found)
        table.add(np.ascontiguousarray(found.positions[~packed.solved(found.positions)]))
    return start


def check_plainly(
    model: PuzzleScriptModel, packed: PackedLevel | CheckpointLevel, rows: np.ndarray, found: Successors
) -> None:
    at = 0
    for row, count in zip(rows, found.counts, strict=True):
        position = packed.unpack(row)
        after = {
            packed.action(int(found.actions[n])): packed.unpack(found.positions[n])
            for n in range(at, at + count)
        }
        assert after == {given: model.apply(position, given) for given in model.actions(position)}
        at += int(count)


def compared_game(game: Game, most: int, plain: bool = False, long: bool = False) -> tuple[int, int]:
    positions = done = 0
    for number in range(len(game.maps)):
        try:
            found = compared(level_of(game, number), most, plain, long)
        except GameError:  # it does not come to rest, or moves something in two directions
            continue
        positions, done = positions + found[0], done + found[1]
    return positions, done


@pytest.mark.parametrize("games", [8, pytest.param(30, marks=pytest.mark.slow)])
def test_games_of_random_rules(games: int) -> None:
    positions = done = 0
    for seed in range(games):
        random = Random(1000 + seed)
        game = playable(random_game, random, rules=3)
        found = compared_game(game, 12, plain=True)
        positions, done = positions + found[0], done + found[1]
    assert positions > 200 * games / 30
    assert done > positions // 2


@pytest.mark.parametrize(
    "seeds",
    [range(6003, 6011), pytest.param(range(6000, 6020), marks=pytest.mark.slow)],
    ids=lambda seeds: str(len(seeds)),
)
def test_games_of_random_rules_in_other_words(seeds: range) -> None:
    positions = done = 0
    for seed in seeds:
        random = Random(seed)
        found = compared_game(playable(widened_game, random), 12, plain=True, long=True)
        positions, done = positions + found[0], done + found[1]
    assert positions > 5 * len(seeds)
    assert done > positions // 2


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(5000, 5080), marks=pytest.mark.slow),
        pytest.param(range(5080, 5400), marks=pytest.mark.nightly),
    ],
)
def test_many_games_of_random_rules(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        compared_game(playable(random_game, random, rules=5), 20, plain=True)


@pytest.mark.parametrize("width", [102, *(pytest.param(n, marks=pytest.mark.slow) for n in (60, 110))])
def test_the_jumps_of_all_loops_of_a_list_count_together(width: int) -> None:
    text = f"""{HEAD}a
red

b
blue

c
green

d
grey

LEGEND
SOUNDS
COLLISIONLAYERS
background
player, a, b, c, d
RULES
startloop
right [ a | no player ] -> [ | b ]
[ b ] -> [ a ]
endloop
[ a | player ] -> [ d | player ]
startloop
left [ d | no player ] -> [ | c ]
[ c ] -> [ d ]
endloop
[ d ] -> [ a ]
WINCONDITIONS
LEVELS

"""
    game = parse_game(text + "a" + "." * (width - 2) + "p")
    assert game.problems == ()
    assert compared(level_of(game, 0), 4, plain=True)[0] > 1


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (path.stem == "frost"))  # its levels are the largest
        for path in shipped_games()
    ],
    ids=lambda path: path.stem,
)
def test_our_own_games_hardly_need_the_interpreter(path) -> None:  # type: ignore[no-untyped-def]
    positions, done = compared_game(read_game(path), 400)
    assert positions >= 20
    assert done > 0.9 * positions


def own_kernels() -> list[int]:
    """The first simulation of each game that is searched."""
    known, found = set(), []
    for number, record in enumerate(simulations()):
        if record["source"] not in known:
            known.add(record["source"])
            if not read_game_text(record["source"]).draws:
                found.append(number)
    return found


@pytest.mark.parametrize("block", THIRDS)
def test_the_games_of_the_simulations(block: int) -> None:
    """The levels of a block of games, those that the first kernel of each game serves."""
    served = 0
    for number in own_kernels()[block::BLOCKS]:
        game = read_game_text(simulations()[number]["source"])
        kernels: list[game_kernels.GameKernel] = []
        for each in range(len(game.maps)):
            try:
                level = level_of(game, each)
                kernel = PuzzleScriptModel().packed_anywhere(level, 0).kernel
                if kernel.reason is not None or (kernel not in kernels and len(kernels) == KERNELS):
                    continue
                if kernel not in kernels:
                    kernels.append(kernel)
                compared(level, 60)
                served += 1
            except GameError:
                continue
    assert served > 200 / BLOCKS


@pytest.mark.slow
def test_searches_have_the_layers_of_the_reference() -> None:
    served = 0
    for search in searches():
        level = recorded_level(search)
        model = PuzzleScriptModel()
        packed = model.packed_anywhere(level, 0)
        own = packed.kernel.compile()
        if own is None or search["stopped"] == "again":
            continue
        served += 1
        table = PositionTable(packed.words)
        table.add(packed.pack(model.initial(level)).reshape(1, -1))
        layers, start, length = [1], 0, None
        while start < table.count and len(layers) < len(search["layers"]) + 1:
            rows = table.rows(start, table.count)
            start = table.count
            found = packed.by_kernel(own, rows).positions
            won = packed.solved(found)
            if won.any():
                length = len(layers)
                break
            table.add(np.ascontiguousarray(found[~won]))
            if table.count > start:
                layers.append(table.count - start)
        if search["stopped"] in ("states", "time"):
            whole = len(search["layers"]) - 1
            assert layers[:whole] == search["layers"][:whole]
        else:
            assert layers == search["layers"]
            assert length == (len(search["solution"]) if search["solution"] else None)
    assert served > 250


def lanterns(number: int) -> Level:
    return level_of(read_game(next(path for path in shipped_games() if path.stem == "lanterns")), number)


def test_a_kernel_is_compiled_meanwhile_and_then_used(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    model, level = PuzzleScriptModel(), lanterns(3)
    expected = shortest_path(model, level)
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    monkeypatch.setattr(game_kernels, "_kernels", {})
    monkeypatch.setattr(game_kernels, "LOOKED_FOR", 10)
    monkeypatch.setattr(game_kernels, "COMPILED", 20)
    assert shortest_path(model, level) == expected
    kernel = model.packed_anywhere(level, 0).kernel
    assert kernel.child is not None
    assert kernel.child.wait(120) == 0
    assert kernel.ready(1000) is not None
    assert shortest_path(model, level) == expected


def test_a_position_of_another_level_is_refused() -> None:
    model, first = PuzzleScriptModel(), lanterns(0)
    keeper = 1 << level_object(first.game, "keeper")
    cells = (first.cells[0] | keeper, *(cell & ~keeper for cell in first.cells[1:]))  # on a rock
    with pytest.raises(GameError, match="not one of this level"):
        model.packed(first).pack(Position(first, cells))


def level_object(game: Game, name: str) -> int:
    return next(thing.number for thing in game.objects if thing.name == name)


def test_a_game_without_rest_is_told_with_a_kernel() -> None:
    text = f"""{HEAD}crate c
red

LEGEND
SOUNDS
COLLISIONLAYERS
background
player, crate
RULES
[ action player ] [ stationary crate | ] -> [ action player ] [ > crate | ] again
right [ stationary crate | ] -> [ > crate | ] again
+ left [ stationary crate | ] -> [ > crate | ] again
WINCONDITIONS
LEVELS

c.
p.
"""
    level = level_of(parse_game(text), 0)
    model = PuzzleScriptModel()
    packed = model.packed_anywhere(level, 0)
    own = packed.kernel.compile()
    assert own is not None
    with pytest.raises(EndlessError):
        packed.by_kernel(own, packed.pack(model.initial(level)).reshape(1, -1))


WAYS = ("large", "shared", "large boards", "many objects")


def each_with_one_of(ways: Sequence[str], things: Sequence[Any]) -> list[Any]:
    """Return each thing with each way; only one of the ways, another for each thing, is no slow test."""
    return [
        pytest.param(thing, way, marks=() if number % len(ways) == at else pytest.mark.slow)
        for number, thing in enumerate(things)
        for at, way in enumerate(ways)
    ]


@pytest.fixture
def written_for_large_games(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let every game have the kernel of a large one."""
    write_for_large_games(monkeypatch, request.param)


def write_for_large_games(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way in ("large boards", "many objects"):
        monkeypatch.setattr(SharedSource, "most_unrolled", 0)
    if way == "many objects":
        monkeypatch.setattr(SharedSource, "most_named", 1)
    source = LargeSource if way == "large" else SharedSource

    def written(kernel: game_kernels.GameKernel, tables: Tables) -> LargeSource:
        return source(tables.game, tables.words, tables.changes)

    monkeypatch.setattr(game_kernels, "_kernels", {})
    monkeypatch.setattr(game_kernels.GameKernel, "_source_of", written)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("written_for_large_games", "games"),
    [
        *((way, range(2)) for way in WAYS),
        pytest.param("large", range(40), marks=pytest.mark.slow),
        *(pytest.param("large", range(n, n + 40), marks=pytest.mark.nightly) for n in range(40, 200, 40)),
        *(pytest.param(way, range(60), marks=pytest.mark.slow) for way in WAYS[1:]),
    ],
    indirect=["written_for_large_games"],
    ids=lambda value: f"{value.start}-{value.stop}" if isinstance(value, range) else None,
)
@pytest.mark.usefixtures("written_for_large_games")
def test_kernels_of_large_games_play_random_rules(games: range) -> None:
    """The slow tests play 200 games as large ones, and the first 60 of them in the other ways."""
    positions = done = 0
    for number in games:
        random = Random(9000 + number)
        game = playable(widened_game if number % 2 else random_game, random, rules=5)
        found = compared_game(game, 12, plain=True)
        positions, done = positions + found[0], done + found[1]
    assert positions > 4 * len(games)
    assert done > positions // 2


@pytest.mark.parametrize(
    ("path", "written_for_large_games"),
    each_with_one_of(WAYS, [path for path in shipped_games() if path.stem != "frost"])
    + [
        pytest.param(path, way, marks=pytest.mark.slow)
        for path in shipped_games()
        if path.stem == "frost"
        for way in WAYS
    ],
    indirect=["written_for_large_games"],
    ids=lambda value: getattr(value, "stem", value),
)
@pytest.mark.usefixtures("written_for_large_games")
def test_kernels_of_large_games_play_our_own(path) -> None:  # type: ignore[no-untyped-def]
    positions, done = compared_game(read_game(path), 100)
    assert positions >= 20
    assert done > 0.9 * positions


def many_objects(count: int, board: str) -> Game:
    """Return a game of many crates; each can be pushed, and each two side by side change places."""
    names = [f"crate{n}" for n in range(count)]
    objects = "\n".join(f"{name}\nred\n" for name in names)
    pairs = [(a, b) for a in names for b in names if a != b]
    rules = "\n".join(f"[ action player | {a} | {b} ] -> [ action player | {b} | {a} ]" for a, b in pairs)
    legend = f"thing = {' or '.join(names)}\n1 = crate0\n2 = crate1\n3 = crate2"
    head = HEAD.replace("\nLEGEND\n", "")
    return parse_game(
        f"{head}{objects}\nLEGEND\n{legend}\nSOUNDS\nCOLLISIONLAYERS\nbackground\nplayer, thing\n"
        f"RULES\n[ > player | thing ] -> [ > player | > thing ]\n{rules}\nWINCONDITIONS\nLEVELS\n\n{board}"
    )


@pytest.mark.parametrize("count", [12, pytest.param(30, marks=pytest.mark.slow)])
def test_a_game_of_many_rules_has_a_kernel_for_what_its_level_needs(count: int) -> None:
    game = many_objects(count, "......\n.p12..\n...3..\n......")
    rules = sum(len(group.rules) for group in game.normal.groups)
    assert rules >= 4 * count * (count - 1)
    level = level_of(game, 0)
    packed = PuzzleScriptModel().packed_anywhere(level, 0)
    assert packed.kernel.reason is None
    positions, done = compared(level, 60, plain=True)
    assert positions >= 60
    assert done == positions


def test_a_large_game_has_its_rules_written_once() -> None:
    game = many_objects(10, ".p12....\n...3....\n........")
    level = level_of(game, 0)
    tables = make_tables(game, level.width, level.height)
    with pytest.raises(TooLongError, match="too many"):
        KernelSource(game, tables.words, tables.changes)
    assert LargeSource(game, tables.words, tables.changes).room > 0
    told = info.facts(game, Path("many.txt"))
    assert (told["engine_kind"], told["engine"].partition("; ")[2]) == (
        "kernel",
        "a kernel of its own for long searches",
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("way", ["", *WAYS])
def test_the_interpreter_plays_only_the_inputs_that_a_kernel_leaves(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way:
        write_for_large_games(monkeypatch, way)
    text = f"""{HEAD}crate c
red

mark
blue

LEGEND
SOUNDS
COLLISIONLAYERS
background
mark
player, crate
RULES
[ > player | crate ] -> [ > player | > crate ]
[ left player ] -> restart
WINCONDITIONS
LEVELS

......
.p.c..
...c..
......
"""
    level = level_of(parse_game(text), 0)
    model = PuzzleScriptModel()
    packed = model.packed_anywhere(level, 0)
    own = packed.kernel.compile()
    assert own is not None
    assert model.inputs(level.game)[1] == "left"
    row = packed.pack(model.apply(model.initial(level), "right")).reshape(1, -1)
    assert packed.left_by_kernel(own, row).tolist() == [1 << 1]
    found = packed.by_kernel(own, row)
    assert same(found, packed.by_interpreter(row))
    check_plainly(model, packed, row, found)


def crates_and_marks(rules: str, board: str) -> str:
    return f"""{HEAD}crate c
red

mark m
blue

spark
yellow

LEGEND
SOUNDS
COLLISIONLAYERS
background
spark
mark
player, crate
RULES
{rules}
WINCONDITIONS
LEVELS

{board}
"""


ORDERED = (
    "[ action player ] [ crate ] -> [ action player ] [ crate mark ]",
    "[ action player ] [ crate ] [ mark ] -> [ action player ] [ crate spark ] [ mark spark ]",
    "[ action player | ... | crate ] -> [ | ... | action player ]",
    "[ action player ] [ crate no mark ] [ mark no crate ] -> [ action player ] [ crate mark ] [ ]",
    "down [ action player ] [ crate | no crate no player ] -> [ action player ] [ | crate ]",
    "right [ crate | crate | no crate no player ] -> [ | crate | crate ]",
    "late left [ crate | ... | mark | ... | no crate ] -> [ crate | ... | spark | ... | crate ]",
    "[ action player ] [ crate ] -> [ action player ] [ left crate ]\n"
    "right [ left crate | ... | no crate | no crate ] -> [ left crate | ... | | right player ]",
    "down [ crate | crate ] [ mark ] -> [ | crate ] [ spark ] again",
    "[ player | crate | ... | crate | ... | crate ] -> [ player | | ... | crate spark | ... | mark ] win",
    "[ > player ] [ crate ] -> [ > player ] [ > crate ]\nleft [ stationary crate ] -> [ > crate ]",
)
"""Rules on which it counts in which order matches are taken, or objects move."""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("rule", "way"), each_with_one_of(("", *WAYS), ORDERED))
def test_kernels_go_from_match_to_match_where_the_order_counts(
    rule: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way:
        write_for_large_games(monkeypatch, way)
    text = crates_and_marks(rule, "..c.m.\n.p.cc.\n..c.m.\n......")
    level = level_of(parse_game(text), 0)
    positions, done = compared(level, 40, plain=True)
    assert positions >= 5
    assert done == positions


@pytest.mark.parametrize(
    ("rule", "way"),
    [pytest.param(rule, way, marks=[pytest.mark.slow] * ((rule, way) != (ORDERED[5], "")))
     for rule in ORDERED for way in ("", *WAYS)],
)  # fmt: skip
def test_kernels_of_wide_boards_go_from_match_to_match_where_the_order_counts(
    rule: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way:
        write_for_large_games(monkeypatch, way)
    wide = level_of(parse_game(crates_and_marks(rule, large_board(14, 8))), 0)  # of several words
    assert compared(wide, 5, plain=True)[0] >= 3


RIGID = (
    "rigid [ > player | crate ] -> [ > player | > crate ]\n"
    "+ rigid [ > crate | crate ] -> [ > crate | > crate ]"
)


@pytest.mark.parametrize(
    "way", ["", "shared", *(pytest.param(way, marks=pytest.mark.slow) for way in WAYS if way != "shared")]
)
def test_rigid_rules_are_left_only_where_a_movement_fails(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way:
        write_for_large_games(monkeypatch, way)
    level = level_of(parse_game(crates_and_marks(RIGID, "..c.m.\n.p.cc.\n..c.m.\n......")), 0)
    positions, done = compared(level, 60, plain=True)
    assert positions >= 50
    assert positions // 2 < done < positions


def large_board(width: int, height: int) -> str:
    """Return the rows of a board with crates and marks here and there."""
    random = Random(width * height)
    rows = [[random.choice("......cm") for _ in range(width)] for _ in range(height)]
    rows[height // 2][width // 2] = "p"
    return "\n".join("".join(row) for row in rows)


@pytest.mark.parametrize(
    ("width", "height"),
    [(70, 7), *(pytest.param(*size, marks=pytest.mark.slow) for size in ((40, 45), (9, 62)))],
)
def test_large_boards_have_kernels(width: int, height: int) -> None:
    rules = "\n".join((ORDERED[0], ORDERED[4], RIGID, "[ < player | crate ] -> [ < player | < crate ]"))
    level = level_of(parse_game(crates_and_marks(rules, large_board(width, height))), 0)
    packed = PuzzleScriptModel().packed_anywhere(level, 0)
    assert packed.kernel.words > 8
    positions, done = compared(level, 6, plain=True)
    assert positions >= 6
    assert done == positions


@pytest.mark.slow
def test_rules_by_the_thousand_have_a_kernel_if_all_of_them_live() -> None:
    things = "123456789defghijkl"
    names = [f"thing_{glyph}" for glyph in things]
    head = HEAD + "\n".join(f"{name} {glyph}\nred\n" for name, glyph in zip(names, things, strict=True))
    layers = [", ".join(names[first::3]) for first in range(3)]
    text = f"""{head}
LEGEND
thing = {" or ".join(names)}
other = {" or ".join(names)}
SOUNDS
COLLISIONLAYERS
background
player, {layers[0]}
{layers[1]}
{layers[2]}
RULES
[ > player | thing ] -> [ > player | > thing ]
[ > thing | other ] -> [ > thing | > other ]
[ stationary thing | < other ] -> [ < thing | < other ]
WINCONDITIONS
LEVELS

{things[:9]}
...p.....
{things[9:]}
"""
    level = level_of(parse_game(text), 0)
    assert sum(len(group.rules) for group in level.game.normal.groups) > 2_500
    positions, done = compared(level, 30, plain=True)
    assert positions >= 30
    assert done == positions
