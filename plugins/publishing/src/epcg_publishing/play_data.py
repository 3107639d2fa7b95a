"""Play graphs as the bytes that play pages read: tables in JSON, then positions as changes of earlier ones.

The bytes are compressed by zlib. Uncompressed they are the length of the tables, the tables, and numbers as
`_packed_paths` and `_positions` write them. A number has seven bits a byte, the lowest first, and a high bit
if more follow. A signed number n is written as 2n, or as -2n - 1 if it is negative.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Hashable, Sequence
from typing import Any

import attrs

from epcg_core.inside import Document
from epcg_core.plugin import Path, PluginError, Scene
from epcg_publishing.play_graph import UNKNOWN, PlayGraph

GOAL, PATHS, NOTE, KNOWN = 1, 2, 4, 8
"""Flags of a position: a goal; paths, or a note, that differ from its parent's; actions that are known."""


def packed(graph: PlayGraph) -> bytes:
    """Return a graph as the bytes that a page reads. Raises PluginError if its scenes differ in sites."""
    return zlib.compress(_Packer(graph).data(), 9)


def scene_data(scene: Scene) -> dict[str, Any]:
    """Return a scene as the board takes it."""
    return {
        "sites": [[site.id, site.kind, site.points, site.title or site.id] for site in scene.sites],
        "marks": {site: list(marks) for site, marks in scene.marks.items() if marks},
        "paths": [attrs.asdict(line) for line in scene.paths],
        "note": scene.note,
    }


def drawn_marks(document: Document, used: Collection[str]) -> list[dict[str, Any]]:
    """Return the marks of a palette that are used as the board takes them, after what lies below all."""
    ground = getattr(document.editor, "ground", None)
    below = [] if ground is None else [{**attrs.asdict(ground), "name": ""}]
    palette = [attrs.asdict(mark) for mark in document.editor.palette if mark.name in used]
    return [
        *({key: mark[key] for key in (*_DRAWN, "kinds")} for mark in below),
        *({key: mark[key] for key in _DRAWN if key not in _RARE or mark[key]} for mark in palette),
    ]


class Table:
    """Values by number, in the order of their first appearance."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        number = self.numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


@attrs.frozen
class _Drawn:
    """A scene by the numbers of what is in it."""

    marks: tuple[int, ...]
    paths: tuple[int, ...]
    note: int


class _Packer:
    def __init__(self, graph: PlayGraph) -> None:
        self._graph = graph
        self._first = graph.scene(0)
        self._ids = [site.id for site in self._first.sites]
        self._numbers = {name: number for number, name in enumerate(self._ids)}
        self._marks, self._styles, self._points = Table(), Table(), Table()
        self._paths, self._notes, self._gestures = Table(), Table(), Table()
        self._words = Table()
        self._marks.number(())
        self._path_bases: list[int] = []

    def data(self) -> bytes:
        positions = self._positions()
        paths = self._packed_paths()
        graph = self._graph
        used = {name for names in self._marks.values for name in names}
        shown = scene_data(self._first)
        tables = {
            "sites": shown["sites"],
            "palette": drawn_marks(graph.document, used),
            "marks": self._marks.values,
            "styles": [dict(zip(_STYLE, style, strict=True)) for style in self._styles.values],
            "points": self._points.values,
            "notes": self._notes.values,
            "gestures": self._gestures.values,
            "positions": len(graph.states),
            "complete": graph.complete,
            "paths": len(self._paths.values),
        }
        if graph.explains:
            tables["words"] = self._words.values
        if str(graph.document.reading):
            tables["lost"] = graph.document.lost_words
        text = json.dumps(tables, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        return bytes(varint(len(text))) + text + bytes(paths) + bytes(positions)

    def _positions(self) -> bytearray:
        """Write each position: its parent, flags, marks, paths, note, distance, and actions.

        - How many numbers back its parent is, if it is not the first.
        - The flags, then how many sites changed: of each its number and that of its marks.
        - If PATHS: how many paths there are, and of each 0 if it is the first that is not yet used, or how
          many numbers back it is from that.
        - If NOTE: the number of its note.
        - Signed, how much farther the goal is than from its parent, where UNKNOWN is -1 and DEAD -2.
        - If KNOWN: how many actions, and of each the gesture, then 0 if its target is unknown, or 1 more than
          the signed distance from the position after the highest one yet.
        - If KNOWN, and the tables have words: 0, or 1 more than the number of why an action is right, and the
          action.
        """
        out, graph = bytearray(), self._graph
        drawn: list[_Drawn] = []
        distances, highest, used = graph.distances, 0, 0
        nothing = _Drawn((0,) * len(self._ids), (), self._notes.number(""))
        for number, (parent, scene) in enumerate(zip(graph.parents, graph.scenes(), strict=True)):
            before = drawn[parent] if number else nothing
            here = self._drawn(scene, before)
            drawn.append(here)
            if number:
                out += varint(number - parent)
            known = graph.expanded[number]
            flags = GOAL * (number in graph.goals) + PATHS * (here.paths != before.paths)
            out += varint(flags + NOTE * (here.note != before.note) + KNOWN * known)
            changed = [
                (site, marks)
                for site, (marks, old) in enumerate(zip(here.marks, before.marks, strict=True))
                if marks != old
            ]
            out += varint(len(changed))
            for site, marks in changed:
                out += varint(site)
                out += varint(marks)
            if here.paths != before.paths:
                out += varint(len(here.paths))
                for path in here.paths:
                    out += varint(used - path)
                    used = max(used, path + 1)
            if here.note != before.note:
                out += varint(here.note)
            out += _signed(distances[number] - (distances[parent] if number else 0))
            if not known:
                continue
            out += varint(len(graph.edges[number]))
            for edge in graph.edges[number]:
                gesture = edge.step.gesture
                sites = tuple(self._numbers[site] for site in gesture.sites)
                out += varint(self._gestures.number((sites, gesture.keys, edge.step.text)))
                if edge.target == UNKNOWN:
                    out += varint(0)
                else:
                    out += varint(1 + _zigzag(edge.target - highest - 1))
                    highest = max(highest, edge.target)
            if graph.explains:
                hint = graph.hint(number)
                out += (
                    varint(0) if hint is None else varint(1 + self._words.number(hint[1])) + varint(hint[0])
                )
        return out

    def _drawn(self, scene: Scene, before: _Drawn) -> _Drawn:
        if scene.sites is not self._first.sites and scene.sites != self._first.sites:
            raise PluginError(
                f"The editor of {self._graph.document.domain} shows positions of one content with different "
                "sites: position_scene must return the sites of the content."
            )
        marks, numbers, known = [0] * len(self._ids), self._numbers, self._marks.numbers
        for site, names in scene.marks.items():
            key = tuple(names)
            number = known.get(key)
            marks[numbers[site]] = self._marks.number(key) if number is None else number
        paths = tuple(self._path(path, slot, before) for slot, path in enumerate(scene.paths))
        return _Drawn(tuple(marks), paths, self._notes.number(scene.note))

    def _path(self, path: Path, slot: int, before: _Drawn) -> int:
        style = self._styles.number(tuple(getattr(path, name) for name in _STYLE))
        points = tuple(self._points.number(point) for point in path.points)
        number = self._paths.number((style, points))
        if number == len(self._path_bases):
            old = before.paths[slot] if slot < len(before.paths) else -1
            self._path_bases.append(old if old >= 0 and self._paths.values[old][0] == style else -1)
        return number

    def _packed_paths(self) -> bytearray:
        """Write each path: its style, and its points, new ones around those of an earlier path.

        - The style, then 0, or how many numbers back the earlier path is.
        - How many new points come first, and their numbers.
        - If there is an earlier path: which of its points comes next, and how many of them do.
        - How many new points come last, and their numbers.
        """
        out = bytearray()
        for number, (style, points) in enumerate(self._paths.values):
            base = self._path_bases[number]
            out += varint(style)
            out += varint(0 if base < 0 else number - base)
            old: Sequence[int] = () if base < 0 else self._paths.values[base][1]
            first, start, length = _common(points, old)
            parts = (points[:first], points[first + length :])
            out += _varints(parts[0])
            if base >= 0:
                out += varint(start) + varint(length)
            out += _varints(parts[1])
        return out


_STYLE = ("colour", "width", "closed", "fill", "head", "title")
_DRAWN = ("name", "title", "colour", "lines", "glyph", "outline", "fills", "picture")
_RARE = ("lines", "picture")
"""Keys of marks that are left out where they are empty."""


def _common(points: Sequence[int], old: Sequence[int]) -> tuple[int, int, int]:
    """Return (place in `points`, place in `old`, length) of a long part that both have.

    It is sought from the first point, and from the second, which is where most lines grow.
    """
    best = (0, 0, 0)
    for first in range(min(2, len(points))):
        for start in [at for at, point in enumerate(old) if point == points[first]][:2]:
            length = 0
            while (
                first + length < len(points)
                and start + length < len(old)
                and points[first + length] == old[start + length]
            ):
                length += 1
            if length > best[2]:
                best = (first, start, length)
    return best


def varint(number: int) -> bytes:
    """Return a number in seven bits a byte."""
    if number < 128:
        return _SHORT[number]
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


_SHORT = [bytes([number]) for number in range(128)]


def _varints(numbers: Sequence[int]) -> bytearray:
    out = bytearray(varint(len(numbers)))
    for number in numbers:
        out += varint(number)
    return out


def _zigzag(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


def _signed(number: int) -> bytes:
    return varint(_zigzag(number))
