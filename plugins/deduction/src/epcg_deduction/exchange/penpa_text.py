"""Addresses of penpa-edit as texts: base64 of a raw deflate of lines in which some words are shortened.

The form is that of penpa-edit 3.2, by its published source. Lines count from 0 there and in `Drawing`, and
from 1 in sentences. A point of the drawing is a number: there are two more rows and columns on each side of
the board, cells come first, row by row, then as many lower right corners of cells, middles of lower edges,
and middles of right edges.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import attrs

from epcg_core.plugin import EpcgError
from epcg_deduction.texts.board_tables import MOST_CELLS

HOST = "https://swaroopg92.github.io/penpa-edit/#m=solve&p="
_ADDRESS = re.compile(r"https?://[\w.-]+/(?:[\w.-]+/)*penpa-edit/[\w./-]*[?#]\S+")
_MARGIN = 2
_MOST_SIGNS = 4_000_000
_WORDS = {
    "9": "qa", "Q": "pu_q", "A": "pu_a", "G": "grid", "M": "edit_mode", "S": "surface", "L": "line",
    "E": "lineE", "W": "wall", "C": "cage", "N": "number", "Y": "symbol", "P": "special", "B": "board",
    "R": "command_redo", "U": "command_undo", "8": "command_replay", "1": "numberS", "F": "freeline",
    "2": "freelineE", "T": "thermo", "3": "arrows", "D": "direction", "0": "squareframe", "5": "polygon",
    "4": "deletelineE", "6": "killercages", "7": "nobulbthermo", "_": "__a",
}  # fmt: skip
"""Words in quotation marks by the sign that follows a `z` in their place."""
_SHORT = {**{f"z{sign}": f'"{word}"' for sign, word in _WORDS.items()}, "zO": "null"}
_MAPS = ("surface", "number", "numberS", "symbol", "freeline", "freelineE", "line", "lineE", "wall", "cage",
         "deletelineE")  # fmt: skip
_LISTS = ("thermo", "arrows", "direction", "squareframe", "polygon", "killercages", "nobulbthermo")
_TAGS_LINE, _LINES = 17, 19
_SIZE_OF_A_CELL = 38


def is_penpa(text: str) -> bool:
    """Return whether a text is an address of penpa-edit."""
    return _ADDRESS.fullmatch(text.strip()) is not None


@attrs.frozen
class Drawing:
    """What an address shows: a board, its layers by their names, the title and the tags of genres.

    Layers are by points: those of the squares of the board have keys of `square_at`.
    """

    width: int
    height: int
    layers: Mapping[str, Mapping[str, Any]]
    title: str = ""
    tags: tuple[str, ...] = ()
    left: int = _MARGIN
    top: int = _MARGIN
    around: tuple[int, int] = (2 * _MARGIN, 2 * _MARGIN)
    """Columns and rows that the drawing has beside those of the board."""

    @property
    def stride(self) -> int:
        return self.width + self.around[0]

    @property
    def points(self) -> int:
        """Return how many cells the drawing has, those around the board too."""
        return self.stride * (self.height + self.around[1])

    def key(self, square: int) -> str:
        """Return the key of a square of the board."""
        y, x = divmod(square, self.width)
        return str((y + self.top) * self.stride + x + self.left)

    def square_at(self, key: str) -> int | None:
        """Return the square of the board that a key means, or None."""
        if not re.fullmatch(r"[0-9]{1,9}", key) or int(key) >= self.points:
            return None
        y, x = divmod(int(key), self.stride)
        x, y = x - self.left, y - self.top
        return y * self.width + x if 0 <= x < self.width and 0 <= y < self.height else None

    def edge(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """Return the key of an edge between two corners, (columns, rows) from the upper left of the board."""
        ends = ((y + self.top - 1) * self.stride + x + self.left - 1 for x, y in (start, end))
        return ",".join(str(self.points + at) for at in sorted(ends))


def read_drawing(address: str) -> Drawing:
    """Return the drawing of an address.

    Args:
        address: the address, with `m=solve` or `m=edit` and `p=`.

    Returns:
        Its board, which is a full rectangle, and the layers of its question that are not empty.

    Raises:
        EpcgError: the address has a fault, or a board of another form.
    """
    lines = _inflated(address).split("\n")
    head = lines[0].split(",")
    if head[0] not in ("square", "sudoku"):
        raise EpcgError(
            f"The board of this address of penpa-edit is of the form '{head[0][:20]}': square is possible."
        )
    if len(lines) < 6 or len(head) < 11:
        raise EpcgError("The address of penpa-edit is not whole: lines are missing in its content.")
    if head[4:7] != ["0", "1", "1"]:
        raise EpcgError("The board of this address of penpa-edit is turned or mirrored: turn it back there.")
    columns, rows = (int(word) if re.fullmatch("[0-9]{1,4}", word) else 0 for word in head[1:3])
    if not 0 < columns * rows <= MOST_CELLS:
        raise EpcgError(f"The board has {columns * rows:,} cells; 1 to {MOST_CELLS:,} are possible.")
    left, top, width, height = _rectangle(_json(lines, 5, list), columns, rows)
    layers = _layers(_json(lines, 3, dict))
    tags = _json(lines, _TAGS_LINE, list) if len(lines) > _TAGS_LINE and lines[_TAGS_LINE] else []
    title = head[15].removeprefix("Title: ").replace("%2C", ",") if len(head) > 15 else ""
    around = (columns + 2 * _MARGIN - width, rows + 2 * _MARGIN - height)
    return Drawing(width, height, layers, title, tuple(map(str, tags)), left, top, around)


def _inflated(address: str) -> str:
    """Return the text of an address. Raises EpcgError if it is damaged."""
    _, _, query = address.strip().replace("?", "#", 1).partition("#")
    values = dict(part.partition("=")[::2] for part in query.split("&"))
    if values.get("m") not in ("solve", "edit") or not values.get("p"):
        raise EpcgError(
            "An address of penpa-edit should have 'm=solve' or 'm=edit', and a puzzle behind 'p='."
        )
    packed = unquote(values["p"]).rstrip("=")
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
        machine = zlib.decompressobj(wbits=-15)
        text = machine.decompress(raw, _MOST_SIGNS).decode("utf-8")
    except (binascii.Error, zlib.error, ValueError) as error:
        raise EpcgError("The address of penpa-edit is damaged: copy it again, to its end.") from error
    if not machine.eof:
        raise EpcgError("The address of penpa-edit is not whole, or too long: copy it again, to its end.")
    if text[:1].isdigit():
        raise EpcgError("The address of penpa-edit is in an old form: open it there, and share it again.")
    for short, word in reversed(_SHORT.items()):
        text = text.replace(short, word)
    return text.replace("zZ", "z")


def _json(lines: Sequence[str], at: int, kind: type) -> Any:
    """Return what a line holds in JSON, of a kind. Raises EpcgError if it does not."""
    try:
        found = json.loads(lines[at])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, kind):
        raise EpcgError(
            f"The address of penpa-edit has a fault: line {at + 1} of its content is not as it should be."
        )
    return found


def _rectangle(steps: list[Any], columns: int, rows: int) -> tuple[int, int, int, int]:
    """Return (left, top, width, height) of the cells of a board, of which each is told from the one before.

    Raises EpcgError if they are not a full rectangle.
    """
    stride, at, cells = columns + 2 * _MARGIN, 0, set()
    for step in steps:
        at += step if isinstance(step, int) else 0
        cells.add(divmod(at, stride))
    found = {y for y, _ in cells}, {x for _, x in cells}
    if not cells or any(min(part) < 0 for part in found):
        raise EpcgError("The address of penpa-edit has a fault: its board has no cells.")
    (top, bottom), (left, right) = ((min(part), max(part)) for part in found)
    width, height = right - left + 1, bottom - top + 1
    if len(cells) != width * height or bottom >= rows + 2 * _MARGIN:
        raise EpcgError("The board of this address of penpa-edit has holes: a full rectangle is possible.")
    return left, top, width, height


def _layers(question: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the layers that are not empty. Raises EpcgError for layers that are not known here."""
    found = {}
    for name in _MAPS:
        layer = question.get(name) or {}
        if not isinstance(layer, dict):
            raise EpcgError(
                f"The address of penpa-edit has a fault: its layer '{name}' is not as it should be."
            )
        if layer:
            found[name] = layer
    for name in _LISTS:
        layer = question.get(name) or []
        if not isinstance(layer, list) or any(layer):
            raise EpcgError(
                f"The address of penpa-edit has a drawing in its layer '{name}', which is not read here."
            )
    return found


def write_drawing(drawing: Drawing, sort: str, grid: Iterable[str], tool: tuple[str, Sequence[Any]]) -> str:
    """Return the address of a drawing, for solving.

    Args:
        drawing: the drawing, with its board in the usual place.
        sort: the form of the board there, `square` or `sudoku`.
        grid: how its lines, its corners and its outline are shown.
        tool: the tool that is open for a solver, and its settings.

    Returns:
        The address.
    """
    width, height, size = drawing.width, drawing.height, _SIZE_OF_A_CELL
    middle = _middle(drawing)
    head = [
        sort,
        width,
        height,
        size,
        0,
        1,
        1,
        (width + 1) * size,
        (height + 1) * size,
        middle,
        middle,
        0,
        0,
        0,
        0,
    ]
    head += [f"Title: {drawing.title.replace(',', '%2C')}", "Author: ", "", "", "OFF", "false"]
    question: dict[str, Any] = {f"command_{name}": {"__a": []} for name in ("redo", "undo", "replay")}
    question.update({name: dict(drawing.layers.get(name, {})) for name in _MAPS})
    question.update({name: [] for name in _LISTS})
    cells = [int(drawing.key(square)) for square in range(width * height)]
    steps = [cells[0], *(after - before for before, after in pairwise(cells))]
    lines = [""] * _LINES
    lines[:4] = [
        ",".join(map(str, head)),
        "[0,0,0,0]",
        "~".join(map(_packed, (list(grid), *tool))),
        _packed(question),
    ]
    lines[5:7] = [_packed(steps), "[]"]
    lines[8:11] = ['"x"', '"x"', "[3,2,3]"]
    lines[13], lines[_TAGS_LINE], lines[18] = "0", _packed(list(drawing.tags)), "false"
    text = "\n".join(lines).replace("z", "zZ")
    for short, word in _SHORT.items():
        text = text.replace(word, short)
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = machine.compress(text.encode()) + machine.flush()
    return HOST + base64.b64encode(raw).decode().rstrip("=")


def _packed(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _middle(drawing: Drawing) -> int:
    """Return the point in the middle of the board: that of a cell, a corner or an edge."""
    x, y = (drawing.width + 1) // 2 + 1, (drawing.height + 1) // 2 + 1
    kind = {(1, 1): 0, (0, 0): 1, (1, 0): 2, (0, 1): 3}[drawing.width % 2, drawing.height % 2]
    return kind * drawing.points + y * drawing.stride + x
