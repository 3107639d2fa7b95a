"""What a cell of a level can hold, by its game: empty cells, glyphs, and heroes of whom there is one."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest
from epcg_puzzlescript.formats.game_file import GameFile
from epcg_puzzlescript.formats.text import level_of, parse_level
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.habits import habits_of
from epcg_puzzlescript.rendering.editor import LevelEditor

from epcg_core.base.errors import CandidateError
from epcg_core.base.params import structure
from epcg_core.combinatorics.contents import changes_of
from epcg_core.combinatorics.sketches import make_sketch
from epcg_core.domain.editing import ERASE, laying
from epcg_core.domain.files import Piece
from epcg_core.plugins.registry import registry

FILE = GameFile()
HEAD = """title Pier
OBJECTS
Background
black

Plank
brown

Ice
white

Mark
yellow

Hero
blue

Crate
orange

Wall
grey

LEGEND
Player = Hero
. = Plank
~ = Ice
# = Wall
P = Hero and Plank
C = Crate and Plank
O = Mark and Plank
@ = Crate and Mark and Plank
_ = Background
SOUNDS
COLLISIONLAYERS
Background
Plank, Ice
Mark
Hero, Crate, Wall
RULES
[ > Hero | Crate ] -> [ > Hero | > Crate ]
WINCONDITIONS
All Mark on Crate
LEVELS
"""
LEVELS = ("####__\n#P.#__\n#.C###\n#~~.O#\n######", "######\n#PCC.#\n#.O.O#\n######", "#####\n#P@.#\n#####")
GAME = HEAD + "\n" + "\n\nmessage on\n\n".join(LEVELS) + "\n"


def editors(text: str) -> list[LevelEditor]:
    return [LevelEditor(piece.text) for piece in FILE.read(text).pieces if piece.kind == "content"]


def legend_of(text: str) -> str:
    return text[text.index("LEGEND") : text.index("COLLISIONLAYERS")]


def heroes(editor: LevelEditor, state: object) -> int:
    scene = editor.scene(state)  # type: ignore[arg-type]
    return sum("hero" in marks for marks in scene.marks.values())


def test_an_empty_cell_holds_what_lies_below_what_moves() -> None:
    for editor in editors(GAME):
        assert editor.empty == ("plank",)
        for site in editor.scene(editor.content).sites:
            emptied = editor.put(editor.content, site.id, ERASE)
            assert editor.scene(emptied).marks[site.id] == ("plank",)
            assert legend_of(editor.format(emptied)) == legend_of(GAME)


def test_a_wall_takes_the_place_of_the_floor_if_the_legend_has_it_so() -> None:
    editor = editors(GAME)[0]
    walled = editor.put(editor.content, "c3,2", "wall")
    assert editor.scene(walled).marks["c3,2"] == ("wall",)
    crate = editor.put(editor.put(walled, "c5,1", "crate"), "c3,2", "crate")
    assert set(editor.scene(crate).marks["c5,1"]) == {"plank", "crate"}
    assert legend_of(editor.format(crate)) == legend_of(GAME)
    assert editor.format(crate).split("LEVELS\n")[1].split()[-5:][1] == "#PC#__"


def test_there_is_one_hero_and_any_number_of_crates() -> None:
    game = parse_game(GAME)
    assert [[t.name for t in game.objects if group >> t.number & 1] for group in habits_of(game).once] == [
        ["hero"]
    ]
    editor = editors(GAME)[1]
    marks = {mark.name: mark for mark in editor.palette}
    assert (marks["hero"].once, marks["crate"].once, marks["glyph P"].once) == ("hero", "", "hero")
    for name in ("hero", "glyph P"):
        moved = editor.put(editor.content, "c5,3", name)
        assert heroes(editor, moved) == 1
        assert editor.scene(moved).marks["c2,2"] == ("plank",)
    assert not editor.keeps(editor.content, editor.put(editor.content, "c2,2", ERASE))


def test_a_level_keeps_the_habits_of_its_game_when_it_is_taken_out() -> None:
    lonely = GAME + "\nmessage end\n\n~~~~\n~P~~\n~~~_\n"
    editor = editors(lonely)[3]
    assert editor.empty == ("plank",)  # ice lies below nothing that moves
    again = LevelEditor(editor.format(editor.put(editor.content, "c2,2", ERASE)))
    assert again.empty == ("plank",)
    assert {mark.once for mark in again.palette} == {"", "hero"}
    assert "In the levels of this game an empty cell holds" in again.format(again.content)
    assert "In the levels" not in FILE.replace(lonely, 6, Piece(again.format(again.content)))


def test_what_the_comment_names_may_be_gone() -> None:
    editor = editors(GAME + "\nmessage end\n\n~~~~\n~P~~\n~~~_\n")[3]
    text = editor.format(editor.put(editor.content, "c1,1", ERASE)).replace("holds", "holds lava and")
    assert parse_level(text).cells  # read as if it had no comment


def test_things_are_taken_elsewhere_in_a_game_with_a_floor() -> None:
    editor = editors(GAME)[0]
    space = changes_of(editor, kinds=["move"])
    states = [space.unrank(rank) for rank in range(space.max_rank)]
    assert len(states) > 20
    for state in states:
        assert sorted(state.cells) == sorted(editor.content.cells)
        assert legend_of(editor.format(state)) == legend_of(GAME)


@pytest.mark.parametrize("kinds", [["put", "erase"], ["swap"], ["flip", "turn"]])
def test_no_change_makes_a_second_hero_or_none(kinds: list[str]) -> None:
    for editor in editors(GAME):
        for most in (1, 2):
            space = changes_of(editor, kinds=kinds, most=most, keep=True)
            ranks = range(space.max_rank) if most == 1 else Random(1).sample(range(space.max_rank), 200)
            for rank in ranks:
                try:
                    assert heroes(editor, space.unrank(rank)) == 1
                except CandidateError:
                    assert most == 2


@pytest.mark.parametrize("sites", [["c2,2", "c3,2", "c2,3"], ["c3,2", "c2,3", "c4,4"]])
def test_no_filling_has_a_second_hero_and_arrays_are_the_contents(sites: list[str]) -> None:
    editor = editors(GAME)[0]
    marks = ["", "hero", "glyph P", "crate", "wall", "glyph _"]
    info = registry().generator("puzzlescript", "sketch")
    keys = {"content": editor.format(editor.content), "open": [{"sites": sites, "marks": marks}]}
    sketch: Any = make_sketch(registry().editor("puzzlescript"), structure(info.params, keys, "sketch"))
    assert all("glyph P" not in own for _, own in sketch.places)  # it makes the same as the hero
    rows = sketch.states_block(0, sketch.max_rank)
    assert sketch.max_rank == (112 if "c2,2" in sites else 64)
    for rank, row in enumerate(rows.tolist()):
        state = sketch.unrank(rank)
        assert heroes(editor, state) == (1 if "c2,2" not in sites else heroes(editor, state)) <= 1
        assert list(sketch.setting.row(state)) == row
        assert sketch.rank(state) == rank


def test_what_is_laid_is_there_whatever_was_there_before() -> None:
    editor = editors(GAME)[0]
    shown = editor.scene(editor.content).marks
    sites = [site.id for site in editor.scene(editor.content).sites]
    for site in sites:
        for other in sites:
            state = editor.content
            for mark in laying(editor, "cell", shown.get(other, ())):
                state = editor.put(state, site, mark)
            assert set(editor.scene(state).marks.get(site, ())) == set(shown.get(other, ()))


# ---- random games


def random_floors(random: Random) -> str:
    """Return a game with one or two floors, or none, whose walls may stand on them, and random levels."""
    floor = random.choice(["Plank", "Ice", ""])
    on = f" and {floor}" if floor else ""
    wall = random.choice([on, ""])
    lines = HEAD[: HEAD.index("LEGEND")] + "LEGEND\nPlayer = Hero\n"
    glyphs = {"H": f"Hero{on}", "c": f"Crate{on}", "#": f"Wall{wall}", "M": f"Mark{on}", "_": "Background"}
    if floor:
        glyphs["."] = floor
    if floor != "Ice" and random.random() < 0.5:
        glyphs["i"] = "Ice"
    lines += "".join(f"{sign} = {meaning}\n" for sign, meaning in glyphs.items())
    lines += HEAD[HEAD.index("SOUNDS") :]
    ground = "." if floor else "_"
    for _ in range(random.randint(1, 4)):
        width, height = random.randint(4, 6), random.randint(3, 5)
        inner = [random.choices(f"{ground}{ground}{ground}{ground}cM#", k=width) for _ in range(height)]
        x, y = random.randrange(width), random.randrange(height)
        inner[y][x] = "H"
        inner[(y + 1) % height][x] = ground
        lines += "\n" + "\n".join("".join(row) for row in inner) + "\n"
    return lines


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_games_keep_their_floor_and_their_legend(seed: int) -> None:
    random = Random(seed)
    text = random_floors(random)
    game = parse_game(text)
    floor = 1 << next(t.number for t in game.objects if t.name == "background")
    floor |= next((mask for name, mask in game.vocabulary.glyphs.items() if name == "."), 0)
    for number, editor in enumerate(editors(text)):
        assert level_of(game, number) == editor.content
        part = 2 * number if "message" in text.split("LEVELS")[1] else number
        state, sites = editor.content, [site.id for site in editor.scene(editor.content).sites]
        glyphs = [mark.name for mark in editor.palette if mark.shows is not None]
        for _ in range(12):
            site = random.choice(sites)
            mark = random.choice([ERASE, *glyphs])
            state = editor.put(state, site, mark)
            column, row = (int(each) - 1 for each in site[1:].split(","))
            if mark == ERASE:
                assert state.cells[column * state.height + row] == floor
            assert heroes(editor, state) <= 1
            assert legend_of(editor.format(state)) == legend_of(text)
            assert parse_level(editor.format(state)) == state
            saved = FILE.replace(text, part, Piece(editor.format(state)))
            assert legend_of(saved) == legend_of(text)
            assert level_of(parse_game(saved), number) == state
            rows = saved.split("LEVELS\n")[1]
            assert not set("hm") & set(rows), "the author writes H and M"


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", range(6))
def test_no_suggestion_for_random_games_puts_a_second_hero(seed: int) -> None:
    for editor in editors(random_floors(Random(seed))):
        space = changes_of(editor, kinds=["put", "erase", "move", "swap"], keep=True)
        for rank in islice(range(space.max_rank), 0, None, 7):
            assert heroes(editor, space.unrank(rank)) == 1
