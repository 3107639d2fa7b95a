"""Both level formats: what is written is read back, and what is malformed is refused by line and column."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from epcg_snakebird.formats.drawing import format_level, parse_level, read_headers, read_level
from epcg_snakebird.formats.map_format import format_map, parse_map
from epcg_snakebird.formats.text import LevelWarning
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level, LevelError
from hypothesis import given, strategies as st

from tests.snakebird.random_levels import random_level
from tests.snakebird.real_levels import LEVELS, real_level
from tests.workplace import facts

SMALL_MAP = "snake6x5\n.b..E.\n.a>.F.\n1O.2O.\nGGSGGG\n"
SMALL = "name: Small\n.>v.E.\n1<<.F.\naO.bO.\n##*###\n"


def places(level: Level, cells: tuple[int, ...]) -> list[tuple[int, int]]:
    return [level.place(cell) for cell in cells]


# --- the .map format -----------------------------------------------------------------------------------


def test_a_map_is_read() -> None:
    level = parse_map(SMALL_MAP, "small.map")
    assert (level.width, level.height, level.name) == (6, 5, "small")
    assert [places(level, snake) for snake in level.snakes] == [[(2, 1), (1, 1), (1, 0)]]
    assert [places(level, cells) for cells in level.objects] == [[(0, 2)], [(3, 2)]]
    assert places(level, level.fruit) == [(4, 1)]
    assert places(level, level.portals) == [(1, 2), (4, 2)]
    assert level.place(level.exit) == (4, 0)
    assert level.tiles[:18] == (SKY,) * 18
    assert level.tiles[18:24] == (GROUND, GROUND, SPIKES, GROUND, GROUND, GROUND)


def test_the_last_row_is_spikes_whatever_the_text_says() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        level = parse_map("Snake4x3\na>.E\nGGGG\nGa>E\n")
    assert level.tiles[-4:] == (SPIKES,) * 4
    assert len(level.snakes) == 1


def test_missing_rows_and_columns_are_sky() -> None:
    level = parse_map("snake5x6\n.a>\nGGG.E\n")
    assert level.tiles == (SKY,) * 5 + (GROUND,) * 3 + (SKY,) * 17 + (SPIKES,) * 5


def test_the_body_begins_behind_the_head_even_where_nothing_is_shown() -> None:
    level = parse_map("snake5x3\n.>..E\nGGGGG\n")
    assert level.snakes == ((1, 0),)


def test_the_next_body_letter_is_looked_for_on_the_right_left_below_and_above() -> None:
    """The second snake takes the `b` that the first, at the fork of its `a`, leaves."""
    level = parse_map("snake6x6\n......\n.^....\n.abE..\n.b....\n.a>...\n......\n")
    assert [level.place(cell) for cell in level.snakes[0]] == [(1, 1), (1, 2), (2, 2)]
    assert [level.place(cell) for cell in level.snakes[1]] == [(2, 4), (1, 4), (1, 3)]


def test_snakes_are_numbered_by_the_reading_order_of_their_heads() -> None:
    level = parse_map("snake6x4\n..a...\n..v.^.\nE.GGcG\n")
    assert [cells[0] for cells in level.snakes] == [level.cell(2, 1), level.cell(4, 1)]


def test_extra_rows_and_columns_are_left_out_with_a_warning() -> None:
    with pytest.warns(LevelWarning, match=r"^wide\.map, line 2, column 5: columns beyond the 4 "):
        level = parse_map("snake4x3\na>.EGGG\nGGGG\n", "wide.map")
    assert level.width == 4
    with pytest.warns(LevelWarning, match=r"^long\.map, line 5, column 1: rows beyond the 3 "):
        parse_map("snake4x3\na>.E\nGGGG\nSSSS\n.>E.\n", "long.map")


BAD_MAPS = {
    "empty": ("", "line 1, column 1: the file is empty"),
    "blank": ("\n \n\n", "line 1, column 1: the file is empty"),
    "no header": ("a>.E\nGGGG\n", "line 1, column 1: the header snake<W>x<H> is missing"),
    "broken header": ("snake4\na>.E\n", "line 1, column 1: the header snake<W>x<H> is missing"),
    "too large": ("snake128x129\na>.E\n", "line 1, column 6: a grid of 128 by 129 cells is not possible"),
    "much too large": ("snake" + "9" * 5000 + "x2\na>.E\n", "line 1, column 6: a grid of "),
    "no width": ("snake0x9\na>.E\n", "line 1, column 6: a grid of 0 by 9 cells is not possible"),
    "spikes only": ("snake9x1\na>.E\n", "line 1, column 6: a grid of 9 by 1 cells is not possible"),
    "no snake": ("snake4x3\n...E\nGGGG\n", "line 1, column 1: there is no snake"),
    "no exit": ("snake4x3\na>..\nGGGG\n", "line 1, column 1: there is no exit"),
    "two exits": ("snake4x3\na>.E\nGGEG\n", "line 3, column 3: this is a second exit"),
    "one portal": ("snake4x3\na>.E\nGOGG\n", "line 3, column 2: this portal has no second one"),
    "three portals": ("snake4x3\na>OE\nGOGO\n", "line 3, column 4: this is a third portal"),
    "body outside": ("snake4x3\n<..E\n>...\n", "line 3, column 1: the body of this snake cannot be followed"),
    "body in ground": (
        "snake4x3\nG>.E\nGGGG\n",
        "line 2, column 2: the body of this snake cannot be followed",
    ),
    "body is a head": (
        "snake4x3\n<>.E\nGGGG\n",
        "line 2, column 1: the body of this snake cannot be followed",
    ),
    "torn body": ("snake5x3\nb.a>E\nGGGGG\n", "line 2, column 1: the body letter 'b' cannot be followed"),
    "gap before the body": ("snake5x3\nba.>E\nGGGGG\n", "line 2, column 2: the body letter 'a' cannot be"),
    "shared body": ("snake5x4\n..v..\n.<a>E\nGGGGG\n", "line 2, column 3: the body of this snake cannot"),
    "shared cell": ("snake5x4\n.....\n.<a>E\nGGGGG\n", "line 3, column 3: two snakes share this cell"),
    "ten snakes": ("snake40x3\n" + "a>." * 10 + "E\n", "line 2, column 29: this is one snake too many"),
    "tab": ("snake4x3\na>\tE\nGGGG\n", "line 2, column 3: a tab fills no certain number of columns"),
    "binary": (b"snake4x3\na>.\x00\n", "line 2, column 4: this is binary data"),
    "no text": (b"snake4x3\r\na>.E\r\nG\xff\xfe", "line 3, column 2: this is binary data"),
    "an image": (b"\x89PNG\r\n\x1a\n\x00\x00", "line 1, column 1: this is binary data"),
}


@pytest.mark.parametrize("kind", BAD_MAPS)
def test_malformed_maps_are_refused_with_line_and_column(kind: str) -> None:
    text, expected = BAD_MAPS[kind]
    with pytest.raises(LevelError) as caught:
        parse_map(text, "bad.map")
    sentence = str(caught.value)
    assert sentence.startswith(f"bad.map, {expected}")
    assert sentence.endswith(".")
    assert len(sentence) < 200


# --- drawings ------------------------------------------------------------------------------------------


def test_a_drawing_is_read() -> None:
    level = parse_level(SMALL)
    assert (level.width, level.height, level.name) == (6, 5, "Small")
    assert [places(level, snake) for snake in level.snakes] == [[(0, 1), (1, 1), (2, 1), (2, 0), (1, 0)]]
    assert [places(level, cells) for cells in level.objects] == [[(0, 2)], [(3, 2)]]
    assert places(level, level.fruit) == [(4, 1)]
    assert places(level, level.portals) == [(1, 2), (4, 2)]
    assert level.place(level.exit) == (4, 0)
    assert level.tiles[18:] == (GROUND, GROUND, SPIKES, GROUND, GROUND, GROUND, *[SPIKES] * 6)


def test_both_formats_say_the_same() -> None:
    assert parse_level("..>1.\n..^E.\n") == parse_map("snake5x3\n..a>.\n..bE.\n")


def test_the_digits_of_snakes_are_names_only() -> None:
    one, other = parse_level("2<...\n.1<.E\n"), parse_level("1<...\n.2<.E\n")
    assert one == other
    assert one.snakes == ((0, 1), (6, 7))


def test_headers_come_first_and_rows_may_be_short() -> None:
    text = "name: A: b\n\nMechanic: none\n>1\n###.E\n\n"
    assert read_headers(text) == {"name": "A: b", "mechanic": "none"}
    level = parse_level(text)
    assert (level.name, level.width, level.height) == ("A: b", 5, 3)
    assert level.tiles[:10] == (SKY,) * 5 + (GROUND,) * 3 + (SKY,) * 2
    assert parse_level(">1\n##.E", "folder/cave.txt").name == "cave"


BAD_DRAWINGS = {
    "empty": ("", "line 1, column 1: the file is empty"),
    "name only": ("name: x\n", "line 2, column 1: there are no rows of tiles"),
    "named twice": ("name: x\nname: y\n>1.E\n", "line 2, column 1: this is a second line 'name:'"),
    "unknown mark": ("name: x\n>1.E\n##?#\n", "line 3, column 3: '?' has no meaning in a level"),
    "too large": (">1.E\n" + "." * 2048 + "\n" + "#\n" * 6, "line 8, column 1: the level is too large"),
    "no snake": ("name: x\n...E\n", "line 2, column 1: there is no snake"),
    "no exit": (">1..\n####\n", "line 1, column 1: there is no exit"),
    "two exits": (">1.E\n##E#\n", "line 2, column 3: this is a second exit"),
    "one portal": (">1.E\n#O##\n", "line 2, column 2: this portal has no second one"),
    "three portals": (">1OE\n#O#O\n", "line 2, column 4: this is a third portal"),
    "no body": (".1.E\n####\n", "line 1, column 2: snake 1 has no body"),
    "two heads": (">1.E\n>1##\n", "line 2, column 2: this is a second head of snake 1"),
    "points outside": ("1<.E\n....\n<...\n", "line 3, column 1: the body '<' cannot be followed"),
    "points to nothing": (">1.E\n.>..\n", "line 2, column 2: the body '>' cannot be followed"),
    "a ring": (">1.E\n>v..\n^<..\n", "line 2, column 1: the body '>' cannot be followed"),
    "a fork": (".v..\n>1.E\n", "line 2, column 1: the body '>' cannot be followed"),
    "tab": (">1\tE\n", "line 1, column 3: a tab fills no certain number of columns"),
    "binary": (b">1.E\n\x01", "line 2, column 1: this is binary data"),
}


@pytest.mark.parametrize("kind", BAD_DRAWINGS)
def test_malformed_drawings_are_refused_with_line_and_column(kind: str) -> None:
    text, expected = BAD_DRAWINGS[kind]
    with pytest.raises(LevelError) as caught:
        parse_level(text, "bad.txt")
    assert str(caught.value).startswith(f"bad.txt, {expected}")
    assert str(caught.value).endswith(".")


# --- both ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [parse_map, parse_level])
def test_ends_of_line_and_marks_of_encoding_do_not_matter(
    read: Callable[[str | bytes], Level],
) -> None:
    text = SMALL_MAP if read is parse_map else SMALL
    level = read(text)
    assert read(text.replace("\n", "\r\n")) == level
    assert read(text.replace("\n", " \r\n")) == level
    assert read(("\ufeff" + text).encode()) == level
    assert read(text.rstrip("\n")) == level


def test_what_is_written_is_read_back() -> None:
    r = random.Random(2020)
    for _ in range(300):
        level = random_level(r)
        assert parse_level(format_level(level)) == level
        assert parse_level(format_level(level)).name == level.name
        assert parse_map(format_map(level)) == level


def test_what_the_map_format_cannot_say_is_refused() -> None:
    many = parse_level(">1.E\nabcd\nefgh\nijkl\n")
    with pytest.raises(LevelError, match="has marks for nine objects, not 12"):
        format_map(many)
    long = parse_level("name: Long\n" + ">" * 40 + "1E\n")
    with pytest.raises(LevelError, match=r"^Long: its snakes are too long"):
        format_map(long)


def sentence(read: Callable[[str | bytes], Level], text: str | bytes) -> str:
    """Why `text` is refused; empty where it is a level."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LevelWarning)
            read(text)
    except LevelError as error:
        return str(error)
    return ""


PLACED = re.compile(r"(level, line \d+, column \d+: .+\.)?", re.DOTALL)
"""An error with its place, or none."""


@given(st.text(st.sampled_from("snake0123456789x\n.GSFEO<>^vabc#*: \t\r\x00é"), max_size=120))
def test_any_text_is_a_level_or_refused(text: str) -> None:
    for read in (parse_map, parse_level):
        assert PLACED.fullmatch(sentence(read, text))
        assert PLACED.fullmatch(sentence(read, "snake6x5\n" + text))


@given(st.binary(max_size=80))
def test_any_data_is_a_level_or_refused(data: bytes) -> None:
    for read in (parse_map, parse_level):
        assert PLACED.fullmatch(sentence(read, data))


def test_files_are_read_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(SMALL_MAP, encoding="utf-8")
    (tmp_path / "small.level").write_text(SMALL, encoding="utf-8")
    (tmp_path / "broken.map").write_text(SMALL, encoding="utf-8")
    assert read_level(tmp_path / "small.txt") == parse_map(SMALL_MAP)
    assert read_level(tmp_path / "small.level") == parse_level(SMALL)
    with pytest.raises(LevelError, match=r"broken\.map, line 1, column 1: the header"):
        read_level(tmp_path / "broken.map")
    with pytest.raises(LevelError, match=r"^There is no level '.*nothing\.map'"):
        read_level(tmp_path / "nothing.map")
    with pytest.raises(LevelError, match=r"is a folder: name a file\.$"):
        read_level(tmp_path)


@pytest.mark.parametrize("read", [parse_map, parse_level])
def test_cut_off_levels_are_levels_or_refused(read: Callable[[str | bytes], Level]) -> None:
    text = SMALL_MAP if read is parse_map else SMALL
    found = [sentence(read, text[:length]) for length in range(len(text))]
    assert all(PLACED.fullmatch(problem) for problem in found)
    assert 0 < found.count("") < len(text) / 2


def test_levels_check_their_parts() -> None:
    level = parse_level(SMALL)
    parts = {
        "width": level.width, "height": level.height, "tiles": level.tiles, "snakes": level.snakes,
        "exit": level.exit, "name": "Odd",
    }  # fmt: skip
    for changed, problem in (
        ({"snakes": ()}, "there is no snake"),
        ({"snakes": ((2,),)}, "snake 1 has no body"),
        ({"snakes": ((6, 8),)}, "the body of snake 1 is torn"),
        ({"tiles": (SKY,) * 30}, "the last row is not spikes"),
        ({"tiles": (SPIKES,) * 30}, "something lies in spikes in column 1, row 2"),
        ({"width": 5}, "the tiles are not 25 of sky, ground and spikes"),
        ({"width": 129, "height": 128}, "a grid of 129 by 128 cells is not possible"),
        ({"exit": 6}, "two things lie in column 1, row 2"),
        ({"exit": 24}, "cell 24 is outside the rows that are not spikes"),
        ({"portals": (11,)}, "there are 1 portals"),
        ({"objects": ((),)}, "an object has no cells"),
    ):
        with pytest.raises(LevelError, match=f"^Odd: {problem}"):
            Level(**{**parts, **changed})


# --- the published levels ------------------------------------------------------------------------------


def test_published_levels_have_the_parts_they_should() -> None:
    golden = facts("snakebird")["levels"]
    for name, expected in golden.items():
        level = real_level(name)
        assert level.name == name
        assert [len(part) for part in (level.snakes, level.objects, level.fruit, level.portals)] == [
            expected[part] for part in ("snakes", "objects", "fruit", "portals")
        ]
        assert parse_map(format_map(level)) == level
        assert parse_level(format_level(level)) == level
    assert len(golden) == 71


def test_five_published_levels_have_extra_text() -> None:
    if not LEVELS.is_dir():
        pytest.skip("the published levels are not at hand")
    warned = set()
    for path in LEVELS.glob("*.map"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read_level(path)
        if caught:
            warned.add(path.stem)
    assert warned == {
        "snakebirdPrimer_4", "snakebirdPrimer_55", "snakebird_1", "snakebird_13", "snakebird_28",
    }  # fmt: skip
