"""Maps of Tiled, in JSON and XML: written from grids of letters, read, and changed in their place."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import math
import re
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from xml.sax.saxutils import quoteattr

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError
from epcg_core.rendering.grids import MOST_CELLS, TURNS, Alphabet, LetterGrid

_TILE = 48
"""Pixels of a tile, which has no picture."""
_Shift = tuple[float, float]


def write_tmj(grid: LetterGrid, alphabet: Alphabet) -> str:
    """Write a map of Tiled as JSON: one layer, and a tileset whose tiles bear letter and name."""
    grid = alphabet.checked(grid, "the level")
    width, height = grid.width, len(grid.rows)
    tiles = [
        {"id": i, "type": alphabet.names[letter],
         "properties": [{"name": "letter", "type": "string", "value": letter}]}
        for i, letter in enumerate(alphabet.tiles)
    ]  # fmt: skip
    layer = {
        "id": 1, "name": "level", "type": "tilelayer", "x": 0, "y": 0, "width": width, "height": height,
        "opacity": 1, "visible": True, "data": _numbers(grid, alphabet),
    }  # fmt: skip
    tileset = {
        "firstgid": 1, "name": alphabet.domain, "tilewidth": _TILE, "tileheight": _TILE,
        "tilecount": len(tiles), "columns": 0, "margin": 0, "spacing": 0, "tiles": tiles,
    }  # fmt: skip
    data = {
        "type": "map", "version": "1.10", "orientation": "orthogonal", "renderorder": "right-down",
        "infinite": False, "width": width, "height": height, "tilewidth": _TILE, "tileheight": _TILE,
        "properties": [{"name": "title", "type": "string", "value": grid.title}],
        "nextlayerid": 2, "nextobjectid": 1, "layers": [layer], "tilesets": [tileset],
    }  # fmt: skip
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def write_tmx(grid: LetterGrid, alphabet: Alphabet) -> str:
    """Write the same map as XML."""
    grid = alphabet.checked(grid, "the level")
    numbers = _numbers(grid, alphabet)
    width, height = grid.width, len(grid.rows)
    size = f'width="{width}" height="{height}"'
    pixels = f'tilewidth="{_TILE}" tileheight="{_TILE}"'
    tiles = "\n".join(
        f'  <tile id="{i}" type={quoteattr(alphabet.names[letter])}><properties>'
        f'<property name="letter" value={quoteattr(letter)}/></properties></tile>'
        for i, letter in enumerate(alphabet.tiles)
    )
    rows = ",\n".join(
        ",".join(map(str, numbers[low : low + width])) for low in range(0, width * height, width)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<map version="1.10" orientation="orthogonal" renderorder="right-down" {size} {pixels} infinite="0" '
        'nextlayerid="2" nextobjectid="1">\n'
        f' <properties><property name="title" value={quoteattr(grid.title)}/></properties>\n'
        f' <tileset firstgid="1" name={quoteattr(alphabet.domain)} {pixels} '
        f'tilecount="{len(alphabet.tiles)}" columns="0">\n'
        f"{tiles}\n </tileset>\n"
        f' <layer id="1" name="level" {size}>\n  <data encoding="csv">\n{rows}\n</data>\n </layer>\n</map>\n'
    )


def _numbers(grid: LetterGrid, alphabet: Alphabet) -> list[int]:
    number = {letter: i for i, letter in enumerate(alphabet.tiles, 1)} | {alphabet.empty: 0}
    return [number[letter] for row in grid.rows for letter in row]


def read_tiled(text: str, alphabet: Alphabet, where: str) -> LetterGrid:
    """Read a map of Tiled, JSON or XML, as it is shown: of several layers, the topmost tile of each cell.

    Layers may lie in groups, and may be shifted by whole tiles; hidden ones are left out. Raises EpcgError if
    it is not such a map, or has tiles that bear no letter and no name of a letter.
    """
    data = _xml_map(text, where) if text.lstrip("\ufeff \t\r\n").startswith("<") else _json_map(text, where)
    width, height = (_whole(data.get(key), f"{where}: the {key}") for key in ("width", "height"))
    if data.get("infinite"):
        raise EpcgError(f"{where}: the map has no fixed size: switch 'Infinite' off and export it again.")
    if (orientation := data.get("orientation", "orthogonal")) != "orthogonal":
        raise EpcgError(f"{where}: the map is {orientation}: make an orthogonal one.")
    if not 0 < width * height <= MOST_CELLS:
        raise EpcgError(
            f"{where}: the map has {width:,} by {height:,} cells: resize it to 1 to {MOST_CELLS:,} cells."
        )
    letters = _letters(data, alphabet, where)
    cells = [alphabet.empty] * (width * height)
    layers = list(_shown_layers(data, where))
    if not layers:
        raise EpcgError(f"{where}: the map has no layer of tiles that is shown.")
    for layer, shift in layers:
        name = f"{where}: layer '{layer.get('name', '')}'"
        across, down = _in_tiles(shift, data, name)
        numbers = _layer(layer, name)
        own = tuple(_whole(layer.get(key, data[key]), f"{name}: the {key}") for key in ("width", "height"))
        if own != (width, height):
            raise EpcgError(f"{name} is {own[0]:,} by {own[1]:,} cells, and the map {width} by {height}.")
        if len(numbers) != len(cells):
            raise EpcgError(f"{name} has {len(numbers)} cells, and the map {width} by {height}.")
        for cell, flagged in enumerate(numbers):
            number, flags = flagged & ~TURNS, flagged & TURNS
            if not number:
                continue
            column, row = cell % width + across, cell // width + down
            place = f"{name}: tile {number} in column {cell % width + 1}, row {cell // width + 1}"
            if number not in letters:
                raise EpcgError(
                    f"{place} has no property 'letter' and no class: give it one of "
                    f"{', '.join(alphabet.names.values())}."
                )
            if not (0 <= column < width and 0 <= row < height):
                raise EpcgError(f"{place} is shown outside the map: change the layer's offset, or erase it.")
            cells[row * width + column] = alphabet.turned(letters[number], flags)
    rows = tuple("".join(cells[low : low + width]) for low in range(0, len(cells), width))
    return LetterGrid(rows, str(_property(data, "title") or ""))


def put_tiled(text: str, grid: LetterGrid, alphabet: Alphabet, where: str) -> str:
    """Return a map of Tiled that shows other letters; all else of it, hidden layers too, stays as it is.

    A cell that changes gets its tile in the layer that showed the former one, else in the topmost. An empty
    one loses its tiles in all layers that are shown.

    Raises EpcgError as `read_tiled` does, if the size differs, or if no tile bears a letter that is needed.
    """
    shown = alphabet.checked(read_tiled(text, alphabet, where), where)
    grid = alphabet.checked(grid, "the level")
    if (grid.width, len(grid.rows)) != (shown.width, len(shown.rows)):
        raise EpcgError(
            f"{where}: the level is {grid.width} by {len(grid.rows)}, and the map {shown.width} by "
            f"{len(shown.rows)}: resize the map in Tiled first."
        )
    if grid.title != shown.title:
        raise EpcgError(f"{where}: the map's name is its property 'title': change it in Tiled.")
    is_xml = text.lstrip("\ufeff \t\r\n").startswith("<")
    data = _xml_map(text, where) if is_xml else _json_map(text, where)
    numbers: dict[str, int] = {}
    for number, letter in _letters(data, alphabet, where).items():
        numbers.setdefault(letter, number)
    layers = [
        (layer, _in_tiles(shift, data, where), _layer(layer, where))
        for layer, shift in _shown_layers(data, where)
    ]
    changes: dict[int, dict[int, int]] = {}
    for row, (before, after) in enumerate(zip(shown.rows, grid.rows, strict=True)):
        for column, (old, new) in enumerate(zip(before, after, strict=True)):
            if old == new:
                continue
            if new not in numbers and new != alphabet.empty:
                name = alphabet.names[new]
                raise EpcgError(f"{where}: no tile of the map is a '{name}': add one to its tileset.")
            at = [
                (n, (row - down) * shown.width + column - across)
                for n, (_, (across, down), own) in enumerate(layers)
                if 0 <= row - down < len(shown.rows) and 0 <= column - across < shown.width
            ]
            with_tiles = [(n, cell) for n, cell in at if layers[n][2][cell]]
            if new not in numbers:
                for n, cell in with_tiles:
                    changes.setdefault(n, {})[cell] = 0
            elif not at:
                raise EpcgError(f"{where}: no layer reaches column {column + 1}, row {row + 1}.")
            else:
                n, cell = (with_tiles or at)[-1]
                changes.setdefault(n, {})[cell] = numbers[new]
    return _with_tiles(text, data, {id(layers[n][0]): own for n, own in changes.items()}, is_xml, where)


_JSON_DATA = re.compile(r'"data"\s*:\s*(\[[^\]]*\]|"(?:[^"\\]|\\.)*")')
_XML_DATA = re.compile(r"<data\b[^>]*>(.*?)</data>", re.DOTALL)
_XML_TILE = re.compile(r"<tile\b[^>]*?(?:/>|>\s*</tile>)")


def _with_tiles(
    text: str, data: Mapping[str, Any], changes: Mapping[int, Mapping[int, int]], is_xml: bool, where: str
) -> str:
    """Return a map's text with other numbers in some cells of its layers, which are named by their `id`."""
    layers = [layer for layer in _all_layers(data) if "data" in layer]
    found = list((_XML_DATA if is_xml else _JSON_DATA).finditer(text))
    told = [match[1].strip() if is_xml else documents.parse_json(match[1], where) for match in found]
    known = [layer["data"] for layer in layers]
    if len(told) != len(known) or any(
        a != b for a, b in zip(told, known, strict=True) if isinstance(b, type(a))
    ):
        raise EpcgError(f"{where}: where its layers stand is not plain, so it is changed in Tiled only.")
    for match, layer in reversed(list(zip(found, layers, strict=True))):
        if id(layer) in changes:
            own = _changed(match[1], layer, changes[id(layer)], where)
            text = text[: match.start(1)] + own + text[match.end(1) :]
    return text


def _all_layers(table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for layer in table.get("layers", []):
        if layer.get("type") == "group":
            yield from _all_layers(layer)
        else:
            yield layer


def _changed(written: str, layer: Mapping[str, Any], cells: Mapping[int, int], where: str) -> str:
    """Return the data of a layer, as they are written, with other numbers in some cells."""
    if layer.get("encoding") == "base64":
        numbers = _layer(layer, where)
        for cell, number in cells.items():
            numbers[cell] = number
        packed = b"".join(number.to_bytes(4, "little") for number in numbers)
        kind = str(layer.get("compression") or "")
        if kind:
            packed = zlib.compress(packed) if kind == "zlib" else gzip.compress(packed, mtime=0)
        inner = base64.b64encode(packed).decode("ascii")
        return written.replace(written.strip().strip('"').strip(), inner)
    is_tiles = layer.get("encoding") == "xml"
    counted = iter(range(len(written)))

    def other(match: re.Match[str]) -> str:
        number = cells.get(next(counted))
        if number is None:
            return match[0]
        return f'<tile gid="{number}"/>' if is_tiles else str(number)

    return (_XML_TILE if is_tiles else re.compile(r"\d+")).sub(other, written)


def _letters(data: Mapping[str, Any], alphabet: Alphabet, where: str) -> dict[int, str]:
    """Return the letter of each number of a tile that has one."""
    letters: dict[int, str] = {}
    for tileset in _tables(data.get("tilesets"), f"{where}: the tilesets"):
        first = _whole(tileset.get("firstgid"), f"{where}: firstgid")
        if "source" in tileset:
            raise EpcgError(f"{where}: the tileset {tileset['source']} lies in a file of its own: embed it.")
        for tile in _tables(tileset.get("tiles", []), f"{where}: the tiles"):
            number = _whole(tile.get("id"), f"{where}: a tile's id")
            named = _property(tile, "letter") or tile.get("type") or tile.get("class") or ""
            if named:
                letters[first + number] = alphabet.letter(str(named), f"{where}: tile {number}")
    return letters


def _shown_layers(
    table: Mapping[str, Any], where: str, shift: _Shift = (0.0, 0.0), depth: int = 0
) -> Iterator[tuple[Mapping[str, Any], _Shift]]:
    """Yield the layers of tiles of a map or a group, the lowest first, without hidden ones.

    With each comes the offset at which it is shown, (to the right, down) in pixels, that of its groups
    included.
    """
    if depth > documents.MOST_DEPTH:
        raise EpcgError(f"{where}: groups are nested more than {documents.MOST_DEPTH} deep.")
    for layer in _tables(table.get("layers"), f"{where}: the layers"):
        if layer.get("type") not in ("tilelayer", "group") or not _number(layer, "visible", 1, where):
            continue
        if not _number(layer, "opacity", 1, where):
            continue
        if any(_number(layer, key, 0, where) for key in ("x", "y")):
            raise EpcgError(
                f"{where}: layer '{layer.get('name', '')}' begins in another cell: set x and y to 0."
            )
        own = shift[0] + _number(layer, "offsetx", 0, where), shift[1] + _number(layer, "offsety", 0, where)
        if layer["type"] == "group":
            yield from _shown_layers(layer, where, own, depth + 1)
        else:
            yield layer, own


def _in_tiles(shift: _Shift, data: Mapping[str, Any], name: str) -> tuple[int, int]:
    """Return an offset in tiles. Raises EpcgError if it is not one of whole tiles."""
    found = []
    for pixels, key in zip(shift, ("tilewidth", "tileheight"), strict=True):
        size = _whole(data.get(key, _TILE), f"{name}: the map's {key}")
        tiles = pixels / size if size else float("nan")
        if pixels and (not math.isfinite(tiles) or tiles != round(tiles)):
            raise EpcgError(
                f"{name} is shifted by {shift[0]:g} and {shift[1]:g} pixels, not by whole tiles: set the "
                "offsets of the layer and its groups to 0."
            )
        found.append(round(tiles) if pixels else 0)
    return found[0], found[1]


def _number(layer: Mapping[str, Any], key: str, default: float, where: str) -> float:
    """Return a number, or a yes or no, of a layer in JSON or XML."""
    value = layer.get(key, default)
    with suppress(ValueError, TypeError):
        return float(value)
    raise EpcgError(f"{where}: layer '{layer.get('name', '')}': {key} is {value!r}, not a number.")


def _json_map(text: str, where: str) -> Mapping[str, Any]:
    data = documents.parse_json(text, where)
    if not isinstance(data, Mapping) or "layers" not in data:
        raise EpcgError(f"{where} is not a map of Tiled: it has no layers.")
    return data


def _xml_map(text: str, where: str) -> Mapping[str, Any]:
    """Return an XML map in the form of a JSON map."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise EpcgError(f"{where} declares entities, which a map of Tiled does not: remove them.")
    try:
        root = ElementTree.fromstring(text.encode("utf-8", "surrogateescape"))
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # or an encoding that is none
        raise EpcgError(f"{where} is not valid XML: {error}.") from error
    if root.tag != "map":
        raise EpcgError(f"{where} is not a map of Tiled: it is a <{root.tag}>.")

    def table(node: ElementTree.Element) -> dict[str, Any]:
        own = node.find("properties")
        properties = [dict(one.attrib) for one in own] if own is not None else []
        return {**node.attrib, "properties": properties}

    def layer(node: ElementTree.Element, depth: int) -> dict[str, Any]:
        if node.tag == "group":
            return table(node) | {"type": "group", "layers": layers(node, depth + 1)}
        found = table(node) | {"type": "tilelayer"}
        if (data := node.find("data")) is not None:
            text_of = "".join(data.itertext()).strip()
            found |= {"encoding": data.get("encoding", "xml"), "compression": data.get("compression", "")}
            found["data"] = text_of
            if found["encoding"] == "xml":
                found["data"] = [tile.get("gid", "0") for tile in data.iter("tile")]
        return found

    def layers(node: ElementTree.Element, depth: int = 0) -> list[dict[str, Any]]:
        inner = node if depth <= documents.MOST_DEPTH + 1 else ()  # reading says that this is too deep
        return [layer(each, depth) for each in inner if each.tag in ("layer", "group")]

    tilesets = [table(node) | {"tiles": [table(tile) for tile in node.iter("tile")]}
                for node in root.iter("tileset")]  # fmt: skip
    infinite = root.get("infinite", "0") != "0"
    return {**table(root), "infinite": infinite, "layers": layers(root), "tilesets": tilesets}


def _layer(layer: Mapping[str, Any], where: str) -> list[int]:
    """Return the numbers of a layer's tiles, row by row."""
    data = layer.get("data")
    if isinstance(data, list):
        return [_whole(number, where) for number in data]
    if not isinstance(data, str):
        raise EpcgError(f"{where} has no data.")
    if layer.get("encoding") != "base64":
        return [_whole(number.strip(), where) for number in data.split(",")]
    try:
        packed = base64.b64decode(data.strip(), validate=True)
        kind = str(layer.get("compression") or "")
        if kind not in ("", "zlib", "gzip"):
            raise EpcgError(f"{where} is compressed by {kind}: export it as CSV.")
        if kind:
            packed = _inflated(packed)
    except (binascii.Error, zlib.error) as error:
        raise EpcgError(f"{where} is damaged: {error}.") from error
    return [int.from_bytes(packed[i : i + 4], "little") for i in range(0, len(packed) - 3, 4)]


def _inflated(packed: bytes) -> bytes:
    """Unpack no more than a map of the largest size needs."""
    return zlib.decompressobj(47).decompress(packed, 4 * MOST_CELLS + 4)  # 47: zlib or gzip


def _whole(value: Any, where: str) -> int:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise EpcgError(f"{where} is {value!r}, not a number of 0 or more.")
    return value


def _tables(value: Any, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise EpcgError(f"{where} are not a list of tables.")
    return value


def _property(table: Mapping[str, Any], name: str) -> Any:
    """Return a custom property of a part of a map; None if it has none of that name."""
    properties = table.get("properties", [])
    for each in properties if isinstance(properties, list) else []:
        if isinstance(each, Mapping) and each.get("name") == name:
            return each.get("value")
    return None
