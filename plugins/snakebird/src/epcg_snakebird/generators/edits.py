"""The generator `edits`: all variants of a level in which some tiles are others."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from epcg_core.plugin import Edit, EditedSpace
from epcg_snakebird.formats.drawing import format_level, parse_level, read_level
from epcg_snakebird.formats.files import check_digest, level_files
from epcg_snakebird.params import EditsParams
from epcg_snakebird.rules.level import TILE_NAMES, Level
from epcg_snakebird.rules.model import SnakebirdModel


class Edits(EditedSpace[Level]):
    """The variants of a level in which some tiles are others.

    Every cell above the last row that holds no snake, object, fruit, portal or exit can get each of the other
    two tiles. Edits are ordered by cell, then by tile (sky, ground, spikes).
    """

    def __init__(self, params: EditsParams) -> None:
        files = level_files(params.level, only=True)
        check_digest(files, params.sha256, params.level)
        level = read_level(files[0])
        super().__init__(level, tile_edits(level), edited, at_most=params.edits, at_least=params.fewest)
        self.transition_model = SnakebirdModel(params.rules)

    def parse(self, text: str) -> Level:
        """Read the level of a drawing."""
        return parse_level(text)

    def format(self, level: Level) -> str:
        """Draw a level as text."""
        return format_level(level)


def tile_edits(level: Level) -> tuple[Edit, ...]:
    """Return every change of one tile, by cell and new tile."""
    return tuple(
        _edit(level, cell, tile)
        for cell in level.plain_cells
        for tile in range(len(TILE_NAMES))
        if tile != level.tiles[cell]
    )


def edited(level: Level, edits: Sequence[Edit]) -> Level:
    """Return the level after changes of tiles."""
    tiles = list(level.tiles)
    for edit in edits:
        tiles[level.cell(edit.change["x"], edit.change["y"])] = TILE_NAMES.index(edit.change["to"])
    return attrs.evolve(level, tiles=tuple(tiles))


def _edit(level: Level, cell: int, tile: int) -> Edit:
    x, y = level.place(cell)
    before, after = TILE_NAMES[level.tiles[cell]], TILE_NAMES[tile]
    return Edit(cell, f"({x}, {y}) {before} to {after}", {"x": x, "y": y, "from": before, "to": after})
