"""Grids of letters as maps of Tiled and levels of PuzzleScript, there and back, and what is refused."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError
from epcg_core.rendering.grids import Alphabet, LetterGrid, read_puzzlescript, write_puzzlescript
from epcg_core.rendering.tiled import put_tiled, read_tiled, write_tmj, write_tmx

LETTERS = Alphabet(
    "numbers",
    {".": "Background", "a": "Small", "A": "Large", "<": "Left", "v": "Down", "=": "Bar", "(": "Open"},
)
ARROWS = Alphabet(
    "arrows", {".": "Nothing", "l": "L", "u": "U", "r": "R", "d": "D", "s": "S"}, directed="lurd"
)
GRID = LetterGrid(("aA.", "<v=", "(.."), "Two & 'more'")
rows = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.text("".join(LETTERS.names), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@given(rows)
def test_every_grid_is_read_as_it_was_written(found: list[str]) -> None:
    grid = LetterGrid(tuple(found), "A title")
    assert read_tiled(write_tmj(grid, LETTERS), LETTERS, "map") == grid
    assert read_tiled(write_tmx(grid, LETTERS), LETTERS, "map") == grid
    assert read_puzzlescript(write_puzzlescript([grid, grid], LETTERS), LETTERS, "game") == [grid, grid]


def test_titles_and_short_rows() -> None:
    for write in (write_tmj, write_tmx):
        assert read_tiled(write(GRID, LETTERS), LETTERS, "map") == GRID
    short = LetterGrid(("a", "aaa"))
    assert read_tiled(write_tmj(short, LETTERS), LETTERS, "map").rows == ("a..", "aaa")
    with pytest.raises(EpcgError, match=r"'x' in column 2, row 1 has no meaning here"):
        write_tmj(LetterGrid(("ax",)), LETTERS)


def test_a_map_has_what_tiled_asks_for() -> None:
    data = json.loads(write_tmj(GRID, LETTERS))
    assert (data["type"], data["orientation"], data["width"], data["height"]) == ("map", "orthogonal", 3, 3)
    [layer], [tileset] = data["layers"], data["tilesets"]
    assert (layer["type"], len(layer["data"])) == ("tilelayer", 9)
    assert layer["data"][:3] == [1, 2, 0]
    assert tileset["tilecount"] == len(tileset["tiles"]) == 6
    assert tileset["tiles"][1]["type"] == "Large"


def changed(change: Callable[[dict[str, Any]], Any]) -> str:
    data: dict[str, Any] = json.loads(write_tmj(GRID, LETTERS))
    change(data)
    return json.dumps(data)


def packed(data: dict[str, Any], compression: str) -> None:
    layer = data["layers"][0]
    raw = struct.pack("<9I", *layer["data"][:8], layer["data"][8] | 0x80000000)
    pack = {"": bytes, "zlib": zlib.compress, "gzip": gzip.compress}[compression]
    layer |= {
        "encoding": "base64", "compression": compression, "data": base64.b64encode(pack(raw)).decode(),
    }  # fmt: skip


@pytest.mark.parametrize("compression", ["", "zlib", "gzip"])
def test_packed_layers_and_turned_tiles_are_read(compression: str) -> None:
    assert read_tiled(changed(lambda data: packed(data, compression)), LETTERS, "map") == GRID


def test_of_several_layers_the_topmost_tile_counts_and_a_name_is_enough() -> None:
    def change(data: dict[str, Any]) -> None:
        top = {**data["layers"][0], "data": [0] * 8 + [1]}
        data["layers"] += [top, {"type": "objectgroup", "objects": []}]
        for tile in data["tilesets"][0]["tiles"]:
            del tile["properties"]
            tile["class"] = tile.pop("type").upper()

    assert read_tiled(changed(change), LETTERS, "map").rows == ("aA.", "<v=", "(.a")


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (0, "lurds"),
        (0x80000000, "rulds"),  # key X in Tiled
        (0x40000000, "ldrus"),  # key Y
        (0xA0000000, "urdls"),  # key Z: a quarter turn to the right
        (0xC0000000, "rdlus"),
        (0x60000000, "dlurs"),
        (0x20000000, "uldrs"),
        (0xE0000000, "druls"),
        (0x10000000, "lurds"),  # of hexagonal maps
    ],
)
def test_a_turned_tile_is_what_it_shows(flags: int, shown: str) -> None:
    grid, numbers = LetterGrid(("lurds",)), [number | flags for number in range(1, 6)]
    data = json.loads(write_tmj(grid, ARROWS))
    data["layers"][0]["data"] = numbers
    assert read_tiled(json.dumps(data), ARROWS, "map").rows == (shown,)
    text = write_tmx(grid, ARROWS).replace("1,2,3,4,5", ",".join(map(str, numbers)))
    assert read_tiled(text, ARROWS, "map").rows == (shown,)


def in_groups(data: dict[str, Any]) -> None:
    [level] = data["layers"]
    inner = {"type": "group", "layers": [level, {**level, "data": [0] * 8 + [1]}]}
    data["layers"] = [{"type": "group", "visible": True, "layers": [{"type": "objectgroup"}, inner]}]


def shifted(data: dict[str, Any]) -> None:
    """One tile over the level, two columns and a row from its place; group and layer add up."""
    over = {**data["layers"][0], "data": [0, 0, 0, 1, 0, 0, 0, 0, 0], "offsetx": 144.0, "offsety": -48}
    data["layers"].append({"type": "group", "offsetx": -48, "offsety": 96, "layers": [over]})


def hidden(**how: Any) -> Callable[[dict[str, Any]], None]:
    """Lay something over the level that is not shown."""

    def change(data: dict[str, Any]) -> None:
        over = {**data["layers"][0], "data": [1] * 9}
        data["layers"] += [
            over | how,
            {"type": "group", "layers": [over, {"type": "group", "layers": [over]}]} | how,
        ]

    return change


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        (in_groups, ("aA.", "<v=", "(.a")),
        (shifted, (*GRID.rows[:2], GRID.rows[2][:2] + "a")),
        (hidden(visible=False), GRID.rows),
        (hidden(opacity=0), GRID.rows),
        (hidden(visible=True, opacity=0.5), ("aaa",) * 3),
    ],
)
def test_a_map_is_read_as_it_is_shown(change: Callable[[dict[str, Any]], Any], rows: tuple[str, ...]) -> None:
    assert read_tiled(changed(change), LETTERS, "map").rows == rows


def test_groups_and_hidden_layers_of_xml() -> None:
    text = write_tmx(GRID, LETTERS)
    level = text[text.index(" <layer ") : text.index("</map>")]
    over = re.sub(r"\d+(?=[,\n])", "1", level)
    assert over != level
    for way, rows in (
        (level + over, ("aaa",) * 3),
        (f"<group>{level}<group>{over}</group></group>", ("aaa",) * 3),
        (level + over.replace("<layer ", '<layer visible="0" '), GRID.rows),
        (level + over.replace("<layer ", '<layer opacity="0" '), GRID.rows),
        (level + f'<group visible="0"><group>{over}</group>{over}</group>', GRID.rows),
    ):
        assert read_tiled(text.replace(level, way), LETTERS, "map").rows == rows
    nested = "<group>" * 200_000 + level + "</group>" * 200_000
    with pytest.raises(EpcgError, match="nested"):
        read_tiled(text.replace(level, nested), LETTERS, "map")
    with pytest.raises(EpcgError, match="by 24 and 0 pixels, not by whole tiles: set the offsets"):
        read_tiled(text.replace("<layer ", '<layer offsetx="24" '), LETTERS, "map")
    shifted = level.replace("<layer ", '<layer offsetx="-48" offsety="96" ')
    shifted = re.sub(r'(?s)(<data encoding="csv">).*(</data>)', r"\g<1>0,0,1,0,0,0,0,0,0\2", shifted)
    way = f'{level}<group offsetx="-48" offsety="-48">{shifted}</group>'
    expected = (GRID.rows[0], "a" + GRID.rows[1][1:], GRID.rows[2])
    assert read_tiled(text.replace(level, way), LETTERS, "map").rows == expected


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data.update(infinite=True), "switch 'Infinite' off"),
        (lambda data: data.update(width=10**6, height=10**6), "has 1,000,000 by 1,000,000 cells: resize it"),
        (lambda data: data.update(height=0), "has 3 by 0 cells: resize it"),
        (lambda data: data.update(height=4), "layer 'level' is 3 by 3 cells, and the map 3 by 4"),
        (
            lambda data: data.update(width=9, height=1),
            "layer 'level' is 3 by 3 cells, and the map 9 by 1",
        ),
        (lambda data: data["layers"][0].update(width="x"), "layer 'level': the width is 'x'"),
        (lambda data: data.update(orientation="hexagonal"), "the map is hexagonal: make an orthogonal one"),
        (lambda data: data["layers"][0].update(visible=False), "no layer of tiles that is shown"),
        (lambda data: data["layers"][0].update(visible=[]), r"visible is \[\], not a number"),
        (lambda data: data["layers"][0].update(offsety=-24.5), "by 0 and -24.5 pixels, not by whole tiles"),
        (
            lambda data: data["layers"][0].update(offsetx=1e300),
            "tile 1 in column 1, row 1 is shown outside the map",
        ),
        (
            lambda data: data["layers"][0].update(offsetx=48),
            "tile 5 in column 3, row 2 is shown outside the map",
        ),
        (lambda data: data.update(tilewidth=0) or data["layers"][0].update(offsetx=1), "not by whole tiles"),
        (lambda data: data.update(layers=[{"type": "group"}]), "the layers are not a list"),
        (
            lambda data: data.update(layers=[{"type": "group", "x": 1, "layers": []}]),
            "layer '' begins in another cell",
        ),
        (lambda data: data.update(width=-1), "the width is -1"),
        (lambda data: data["tilesets"][0].update(source="a.tsx"), "embed it"),
        (lambda data: data["layers"].clear(), "no layer of tiles"),
        (lambda data: data["layers"][0]["data"].append(0), "10 cells, and the map 3 by 3"),
        (
            lambda data: data["layers"][0].update(data=[0] * 5 + [77] * 4),
            "layer 'level': tile 77 in column 3, row 2 has no property 'letter'",
        ),
        (lambda data: data["layers"][0].update(data=None), "has no data"),
        (lambda data: data["layers"][0].update(encoding="base64", data="?"), "is damaged"),
        (lambda data: data["layers"][0].update(encoding="base64", data="", compression="zstd"), "as CSV"),
        (lambda data: data["tilesets"][0]["tiles"][0].update(properties=[], type="Tree"), "is 'Tree'"),
        (lambda data: data.update(tilesets=3), "not a list of tables"),
    ],
)
def test_maps_that_are_refused(change: Callable[[dict[str, Any]], Any], sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        read_tiled(changed(change), LETTERS, "map")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "is not a map of Tiled"),
        ("<map", "is not valid XML"),
        ("<svg/>", "it is a <svg>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><map/>', "declares entities"),
    ],
)
def test_texts_that_are_no_map(text: str, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        read_tiled(text, LETTERS, "map")


def test_a_legend_has_small_letters_once_each() -> None:
    text = write_puzzlescript([GRID], LETTERS)
    legend = [line.split(" = ") for line in text.splitlines() if " = " in line]
    glyphs = [glyph for glyph, _ in legend]
    assert len(set(glyphs)) == len(glyphs) == 7
    assert not set(glyphs) & set("<>^v[]|=()") - {"."}
    assert all(glyph == glyph.lower() for glyph in glyphs)
    assert ["a", "Small"] in legend


def test_a_game_of_others_with_comments_and_several_levels() -> None:
    text = """title My game (a comment)
=======
LEGEND
=======
O = small
. = background
@ = Small and Large

=======
LEVELS
=======
(first)
message One

o.
..

.o
"""
    assert read_puzzlescript(text, LETTERS, "game") == [
        LetterGrid(("a.", ".."), "One"), LetterGrid((".a",)),
    ]  # fmt: skip
    for change, sentence in (
        (("o.\n..", "@.\n.."), "'Small and Large', which is none of Background, Small"),
        (("o.\n..", "?.\n.."), r"'\?' is not in the legend"),
        (("o.\n..\n\n.o", ""), "has no level"),
    ):
        with pytest.raises(EpcgError, match=sentence):
            read_puzzlescript(text.replace(*change), LETTERS, "game")


# --- a map that is changed in its place


ENCODINGS = ["list", "base64", "zlib", "gzip", "csv", "xml", "xml base64"]


def as_data(numbers: list[int], encoding: str) -> dict[str, Any]:
    """The keys of a layer that hold its tiles, as a JSON map has them."""
    if encoding == "list":
        return {"data": numbers}
    packed = struct.pack(f"<{len(numbers)}I", *numbers)
    packed = {"zlib": zlib.compress, "gzip": gzip.compress}.get(encoding, bytes)(packed)
    compression = {} if encoding == "base64" else {"compression": encoding}
    return {"data": base64.b64encode(packed).decode(), "encoding": "base64", **compression}


def as_element(name: str, numbers: list[int], encoding: str, size: str, more: str = "") -> str:
    if encoding == "csv":
        inner, about = ",\n".join(map(str, numbers)), ' encoding="csv"'
    elif encoding == "xml":
        inner, about = "".join(f'<tile gid="{n}"/>' if n else "<tile/>" for n in numbers), ""
    else:
        inner, about = as_data(numbers, "base64")["data"], ' encoding="base64"'
    return f'<layer name="{name}" {size} {more}>\n  <data{about}>\n {inner}\n</data></layer>'


def layered(grid: LetterGrid, over: list[int], encoding: str) -> str:
    """A map of two layers that are shown and one that is hidden, with things that are no tiles."""
    plain = write_tmj(grid, LETTERS) if encoding in ENCODINGS[:4] else write_tmx(grid, LETTERS)
    numbers = [
        1 + LETTERS.tiles.index(each) if each in LETTERS.tiles else 0 for row in grid.rows for each in row
    ]
    hidden = [3] * len(numbers)
    if encoding in ENCODINGS[:4]:
        data = json.loads(plain)
        [layer] = data["layers"]
        made = [
            layer | {"name": each} | as_data(own, encoding)
            for each, own in (("low", numbers), ("high", over))
        ]
        secret = layer | {"name": "secret", "visible": False} | as_data(hidden, encoding)
        notes = {"type": "objectgroup", "name": "data", "objects": [{"text": '"data": [1, 2]'}]}
        data["layers"] = [notes, made[0], {"type": "group", "name": "g", "layers": [secret, made[1]]}]
        return json.dumps(data, indent=2)
    size = f'width="{grid.width}" height="{len(grid.rows)}"'
    layers = "\n".join(
        [
            "<!-- by hand --><objectgroup name='notes'/>",
            as_element("low", numbers, encoding, size),
            "<group name='g'>",
            as_element("secret", hidden, encoding, size, 'visible="0"'),
            as_element("high", over, encoding, size),
            "</group>",
        ]
    )
    return re.sub(r"<layer.*</layer>", lambda _: layers, plain, flags=re.DOTALL)


def shown_of(text: str) -> list[str]:
    return list(read_tiled(text, LETTERS, "map").rows)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("encoding", ENCODINGS)
@given(data=st.data())
def test_a_map_is_changed_in_its_place_and_back(encoding: str, data: st.DataObject) -> None:
    found = data.draw(rows)
    size = len(found) * len(found[0])
    over = data.draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    text = layered(LetterGrid(tuple(found), "T"), over, encoding)
    before = shown_of(text)
    letters = st.text("".join(LETTERS.names), min_size=len(found[0]), max_size=len(found[0]))
    wanted = data.draw(st.lists(letters, min_size=len(found), max_size=len(found)))
    changed = put_tiled(text, LetterGrid(tuple(wanted), "T"), LETTERS, "map")
    assert shown_of(changed) == wanted
    assert put_tiled(text, LetterGrid(tuple(before), "T"), LETTERS, "map") == text
    if encoding in ENCODINGS[:4]:
        was, now = json.loads(text), json.loads(changed)
        for each in (was, now):
            each["layers"][1].pop("data")
            each["layers"][2]["layers"][1].pop("data")
        assert was == now
    else:
        plain = re.compile(r"<data.*?</data>", re.DOTALL)
        assert plain.sub("", changed) == plain.sub("", text)
        assert plain.findall(changed)[1] == plain.findall(text)[1]


def test_what_a_map_cannot_show_is_refused() -> None:
    text = layered(LetterGrid(("a.", ".A")), [0] * 4, "list")
    with pytest.raises(EpcgError, match="resize the map in Tiled first"):
        put_tiled(text, LetterGrid(("a..", ".A.")), LETTERS, "map")
    with pytest.raises(EpcgError, match="its property 'title'"):
        put_tiled(text, LetterGrid(("a.", ".A"), "Other"), LETTERS, "map")
    without = json.loads(text)
    without["tilesets"][0]["tiles"] = [t for t in without["tilesets"][0]["tiles"] if t["type"] != "Bar"]
    with pytest.raises(EpcgError, match="no tile of the map is a 'Bar'"):
        put_tiled(json.dumps(without), LetterGrid(("=.", ".A")), LETTERS, "map")
