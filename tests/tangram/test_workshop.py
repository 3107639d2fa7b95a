"""The workshop: painting changes one thing of a text, puzzles keep their meaning, problems are told."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest
from epcg_tangram.design.layout import layout_of
from epcg_tangram.formats.boards import placements_of, split_parts
from epcg_tangram.lattices import LATTICES
from epcg_tangram.texts.drawings import draw, read_drawing
from epcg_tangram.texts.game_files import shipped_games
from epcg_tangram.texts.game_text import parse_game, read_game
from epcg_tangram.workshop.canvases import PackingWorkshop
from epcg_tangram.workshop.packing_file import PackingFile

from epcg_core.base.errors import EpcgError

SHOP = PackingWorkshop()
FILE = PackingFile()
SMALL = """# a comment that stays
title = "Small" # and this
lattice = "squares"

[board]
drawing = '''
###
###
'''

[[pieces]] # drawn by hand
name = "ell"
drawing = '''
##
#.
'''
copies = 2

[rules]
unused = "any"

[[puzzles]]
title = "One lies there"
shown = ["ell 0 1 3"]
"""


def canvas(text: str, id: str) -> dict[str, str]:
    return dict(next(own for own in SHOP.canvases(text) if own.id == id).painted)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", sorted(shipped_games()))
def test_every_shipped_game_is_drawn_as_its_text_says(name: str) -> None:
    text = shipped_games()[name].read_text(encoding="utf-8")
    game = parse_game(text)
    board, *pieces = SHOP.canvases(text)
    assert {tuple(map(int, site.split(","))) for site in board.painted} == set(game.cells)
    assert [own.title for own in pieces] == list(game.names)
    for own, kind in zip(pieces, game.pieces, strict=True):
        assert {tuple(map(int, site.split(","))) for site in own.painted} == kind.shape
    for own in (board, *pieces):
        ids = [site.id for site in own.sites]
        assert set(own.painted) <= set(ids)
        assert len(set(ids)) == len(ids) > len(own.painted)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["crate", "snowflake", "honeycomb"])
@pytest.mark.parametrize("seed", range(4))
def test_strokes_on_a_board_paint_what_was_touched_and_nothing_else(name: str, seed: int) -> None:
    chance = random.Random(seed)
    text = shipped_games()[name].read_text(encoding="utf-8")
    lattice = parse_game(text).lattice
    for _ in range(6):
        own = SHOP.canvases(text)[0]
        cells = {tuple(map(int, site.split(","))) for site in own.painted}
        sites = chance.sample([site.id for site in own.sites], 3)
        touched = {tuple(map(int, site.split(","))) for site in sites}
        erase = chance.random() < 0.5
        expected = cells - touched if erase else cells | touched
        text = SHOP.paint(text, "board", sites, "" if erase else "cell")
        found = read_game(text)
        assert set(found.board) == lattice.at_origin(expected)
        assert [kind.shape for kind in found.kinds] == [kind.shape for kind in parse_game(text).pieces]


def test_comments_order_and_all_else_stay() -> None:
    text = SHOP.paint(SMALL, "piece 0", ["1,0"], "cell")
    expected = SMALL.replace("'''\n##\n#.\n'''", '"""\n##\n##\n"""').replace('["ell 0 1 3"]', "[]")
    assert text == expected


def test_puzzles_keep_their_places_when_the_board_grows_above_and_to_the_left() -> None:
    text = SHOP.paint(SMALL, "board", ["-1,0", "-1,2"], "cell")
    game, parts = split_parts(text)
    layout = layout_of(game.definition)
    (placement,) = placements_of(game, parts)
    shown = {layout.places[cell] for cell in layout.placements[placement].cells}
    was = split_parts(SMALL)[0].definition.cells
    assert shown == {(was[cell][0] + 1, was[cell][1]) for cell in (0, 1, 3)}


def test_a_piece_that_cannot_lie_there_any_more_is_taken_off() -> None:
    text = SHOP.paint(SMALL, "board", ["0,1"], "")
    assert split_parts(text)[1] == []
    assert FILE.read(text).usable
    assert split_parts(SHOP.paint(SMALL, "piece 0", ["1,0"], "cell"))[1] == []


def test_a_new_name_is_one_in_the_puzzles_too() -> None:
    text = SHOP.set(SMALL, "piece 0", "name", "corner")
    assert split_parts(text)[1] == ["corner 0 1 3"]


def test_shapes_that_a_text_asks_for_are_written_out_when_one_is_changed() -> None:
    board = "[board]\nfamily = 'rectangle'\nwidth = 5\nheight = 4\n"
    text = f"lattice = 'squares'\n{board}[[pieces]]\nshapes = {{ cells = 4 }}\n"
    before = parse_game(text)
    after = SHOP.set(text, "piece 2", "name", "tile")
    game = parse_game(after)
    assert "shapes" not in after
    assert [kind.shape for kind in game.pieces] == [kind.shape for kind in before.pieces]
    assert game.names == tuple("tile" if n == 2 else name for n, name in enumerate(before.names))
    smaller = SHOP.remove(after, "piece 0")
    assert parse_game(smaller).names == game.names[1:]
    assert parse_game(SHOP.add(smaller, "piece 1")).names == (*game.names[1:], "tile-2")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda: SHOP.paint(SMALL, "board", ["0,0", "1,0", "2,0", "0,1", "1,1", "2,1"], ""),
            "one cell at least",
        ),
        (lambda: SHOP.paint(SMALL, "piece 0", ["0,0", "0,1", "1,1"], ""), "remove the piece instead"),
        (lambda: SHOP.paint(SMALL, "piece 1", ["0,0"], "cell"), "no 'piece 1'"),
        (lambda: SHOP.paint(SMALL, "board", ["x"], "cell"), "'x' is not a cell"),
        (lambda: SHOP.paint(SMALL, "board", ["0,0"], "crimson"), "unknown mark 'crimson'"),
        (lambda: SHOP.set(SMALL, "piece 0", "name", "a;b"), "no semicolons"),
        (lambda: SHOP.set(SMALL, "piece 0", "copies", [2, 1]), "the fewest and the most"),
        (lambda: SHOP.set(SMALL, "piece 0", "colour", "rod"), "unknown colour 'rod'. Did you mean 'red'"),
        (lambda: SHOP.set(SMALL, "piece 0", "turn", 1), "true or false"),
        (lambda: SHOP.set(SMALL, "piece 0", "size", 1), "unknown setting 'size'"),
        (lambda: SHOP.set(SMALL, "", "lattice", "spheres"), "unknown lattice 'spheres'"),
        (lambda: SHOP.canvases("lattice = 'spheres'"), "Unknown lattice 'spheres'"),
        (lambda: SHOP.canvases("lattice ="), "not valid TOML"),
    ],
)
def test_what_cannot_be_is_a_sentence(change: object, said: str) -> None:
    with pytest.raises(EpcgError, match=re.escape(said)):
        change()  # type: ignore[operator]


@pytest.mark.parametrize("lattice", sorted(LATTICES))
def test_another_lattice_begins_a_game_that_can_be_filled(lattice: str) -> None:
    text = SHOP.set(SHOP.set(SMALL, "", "lattice", "triangles"), "", "lattice", lattice)
    assert read_game(text).faults == ()
    assert parse_game(text).title == "Small"
    assert SHOP.answer(text).title == "Can be filled"


def test_what_stands_in_the_way_is_told() -> None:
    def answer(board: str, *pieces: str, unused: str = "none") -> str:
        tables = "".join(
            f"[[pieces]]\nname = 'p{n}'\ndrawing = '''\n{own}\n'''\n" for n, own in enumerate(pieces)
        )
        head = f"lattice = 'squares'\n[board]\ndrawing = '''\n{board}\n'''\n"
        text = f"{head}{tables}[rules]\nunused = '{unused}'\n"
        found = SHOP.answer(text)
        return f"{found.title}. {found.about}"

    assert answer("####", "##") == "Cannot be filled. The pieces have 2 squares too few."
    assert answer("##", "##", "#") == (
        "Cannot be filled. The pieces that must be used have 1 square too many."
    )
    assert "Nowhere fits: p0" in answer("##\n##", "###\n#..")
    tee = "###\n.#."
    assert "not in balance" in answer("####\n####", tee, "####")
    assert answer("##\n##", "##", "##") == "Can be filled. In one way. Turned and mirrored: 4."
    assert answer("####\n####", "###\n..#", "#\n#\n##").startswith("Can be filled")
    assert answer("###\n###", "#.\n##", "#.#").startswith("Cannot be filled")


def test_kinds_of_puzzles_are_counted_as_brute_force_counts_them() -> None:
    text = shipped_games()["crate"].read_text(encoding="utf-8")
    layout = layout_of(parse_game(text))
    from epcg_tangram.workshop.outlook import _solve

    every = [tuple(n for n in row if n >= 0) for row in _solve(layout).every.tolist()]  # type: ignore[union-attr]
    kinds = SHOP.kinds(text)
    assert [kind.title for kind in kinds] == [
        "Nothing lies there", "One piece lies there", "Two pieces lie there", "Three pieces lie there",
    ]  # fmt: skip
    for shown, kind in enumerate(kinds[1:], 1):
        subsets = [frozenset(own) for row in every for own in combinations(row, shown)]
        once = {own for own in set(subsets) if subsets.count(own) == 1} if shown == 1 else None
        assert once is None or kind.proper == len(once)
    cells = [set(p.cells) for p in layout.placements]
    pairs = combinations(range(len(cells)), 2)
    apart = sum(
        not cells[a] & cells[b] and layout.placements[a].piece != layout.placements[b].piece for a, b in pairs
    )
    assert kinds[1].puzzles == len(cells)
    assert kinds[2].puzzles == apart
    assert sum(bool(kind.proper) for kind in kinds) >= 2
    for kind in [kind for kind in kinds[1:] if kind.proper]:
        game, parts = split_parts(kind.example)
        shown_there = set(placements_of(game, parts))
        assert sum(shown_there <= set(row) for row in every) == 1


def test_the_star_of_the_mock_up_has_its_numbers() -> None:
    text = shipped_games()["star"].read_text(encoding="utf-8")
    wanted = {"bar", "6a", "6b", "6c", "6d", "6e", "6f", "butterfly"}
    for own in [own for own in SHOP.canvases(text) if own.kind == "piece" and own.title not in wanted]:
        at = next(each.id for each in SHOP.canvases(text) if each.title == own.title)
        text = SHOP.remove(text, at)
    text = SHOP.set(text, "", "unused", "none")
    found = SHOP.answer(text)
    assert (found.title, found.about) == ("Can be filled", "In one way. Turned and mirrored: 12.")
    assert [(kind.puzzles, kind.proper) for kind in SHOP.kinds(text)[:3]] == [
        (1, 1),
        (732, 72),
        (119_502, 336),
    ]


def test_a_drawing_in_a_text_begins_below_its_quotation_marks() -> None:
    text = SHOP.paint(SMALL, "board", ["3,0"], "cell")
    game = parse_game(text)
    assert f'drawing = """\n{draw(game.lattice, game.cells)}"""' in text
    assert set(read_drawing(game.lattice, draw(game.lattice, game.cells)).cells) == set(game.cells)
