"""The editor: every cell holds one sign. Pictures are drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epcg_core.plugin import Mark, RankError, Scene, square_cells, structure
from epcg_pcgbench.contents import Content, images, packed, parse
from epcg_pcgbench.params import SizeParams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARKS = {
    "#": Mark(name="solid", colour="#4a4e57", fills=True, key="s"),
    "@": Mark(name="player", colour="#1f6feb", glyph="@", key="p"),
    "+": Mark(name="key", colour="#b58900", glyph="+", key="k"),
    "D": Mark(name="door", colour="#7a4b1e", glyph="D", key="d"),
    "e": Mark(name="enemy", colour="#c0392b", glyph="e", key="e"),
    "$": Mark(name="crate", colour="#a9713a", outline="M-.35 -.35H.35V.35H-.35Z", key="c"),
    "x": Mark(name="target", colour="#2e8b57", glyph="x", key="t"),
}
SIGN_OF = {mark.name: sign for sign, mark in MARKS.items()} | {"": "."}


def new_content(columns: int, rows: int) -> str:
    """Return a content of empty cells. Raises EpcgError for an impossible size."""
    structure(SizeParams, {"rows": rows, "columns": columns}, "content")
    return "/".join(["." * columns] * rows)


def examples() -> dict[str, str]:
    """Return contents to begin with, by their titles."""
    return {
        "A winding maze": "...#/##.#/...#/.#../...#",
        "A key and a door": "@..#/##e./+...",
        "One crate": "@../.$./..x",
    }


class ContentEditor:
    """Contents of one size."""

    palette = tuple(MARKS.values())

    def __init__(self, text: str) -> None:
        self.content = parse(text)
        rows, columns = self.setting = (len(self.content), len(self.content[0]))
        structure(SizeParams, {"rows": rows, "columns": columns}, "content")
        self._sites = square_cells(columns, rows)
        self._cells = {site.id: divmod(number, columns) for number, site in enumerate(self._sites)}

    def parse(self, text: str) -> Content:
        content = parse(text)
        if (len(content), len(content[0])) != self.setting:
            raise RankError(
                f"{self.format(content)} is not a content of {self.setting[0]} x {self.setting[1]} cells."
            )
        return content

    def format(self, content: Content) -> str:
        return "/".join(content)

    def scene(self, content: Content) -> Scene:
        signs = {site: content[row][column] for site, (row, column) in self._cells.items()}
        return Scene(self._sites, {site: (MARKS[sign].name,) for site, sign in signs.items() if sign != "."})

    def put(self, content: Content, site: str, mark: str) -> Content:
        row, column = self._cells[site]
        own = content[row][:column] + SIGN_OF[mark] + content[row][column + 1 :]
        return (*content[:row], own, *content[row + 1 :])

    def resized(self, content: Content, columns: int, rows: int) -> str:
        new = new_content(columns, rows).split("/")
        kept = [row[:columns] for row in content[:rows]]
        return "/".join(
            [own + empty[len(own) :] for own, empty in zip(kept, new, strict=False)] + new[len(kept) :]
        )

    def images(self, content: Content) -> list[Content]:
        return images(content)

    def packed(self, contents: Sequence[Content]) -> NDArray[np.uint8]:
        return packed(contents, *self.setting)
