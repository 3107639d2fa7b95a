"""Generators: levels from files, and all variants of a level with other tiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from epcg_core.combinatorics.edits import EditedSpace
from epcg_core.domain import Edit
from epcg_core.errors import RankError
from epcg_snakebird.formats.drawing import format_level, parse_level, read_level
from epcg_snakebird.formats.files import digest, level_files
from epcg_snakebird.params import EditsParams, LevelsParams
from epcg_snakebird.rules.level import TILE_NAMES, Level, LevelError
from epcg_snakebird.rules.model import SnakebirdModel


class Levels:
    """The levels of a file or folder, in the order of their names.

    A level that cannot be read is an error at its rank. Raises ParamsError where files cannot be read, and
    LevelError where they are others than the digest says.
    """

    def __init__(self, params: LevelsParams) -> None:
        files = level_files(params.path)
        _check_digest(files, params.sha256, params.path)
        self.files = files
        self.transition_model = SnakebirdModel(params.objects_may_fall_out)

    @property
    def max_rank(self) -> int:
        return len(self.files)

    def unrank(self, rank: int) -> Level:
        """The level of the file at `rank`. Raises LevelError where it holds none."""
        if not 0 <= rank < len(self.files):
            raise RankError(f"There is no level {rank}: there are {len(self.files)}.")
        return read_level(self.files[rank])

    def parse(self, text: str) -> Level:
        """The level of a drawing."""
        return parse_level(text)

    def format(self, level: Level) -> str:
        """The drawing of a level."""
        return format_level(level)


class Edits(EditedSpace[Level]):
    """The variants of a level in which some tiles are others.

    Every cell above the last row that holds no snake, object, fruit, portal or exit can get each of the other
    two tiles. Edits are ordered by cell, then by tile (sky, ground, spikes).
    """

    def __init__(self, params: EditsParams) -> None:
        files = level_files(params.level, only=True)
        _check_digest(files, params.sha256, params.level)
        level = read_level(files[0])
        super().__init__(level, tile_edits(level), edited, at_most=params.edits, at_least=params.fewest)
        self.transition_model = SnakebirdModel(params.objects_may_fall_out)

    def parse(self, text: str) -> Level:
        """The level of a drawing."""
        return parse_level(text)

    def format(self, level: Level) -> str:
        """The drawing of a level."""
        return format_level(level)


def tile_edits(level: Level) -> tuple[Edit, ...]:
    """Every change of one tile, by cell and new tile."""
    return tuple(
        _edit(level, cell, tile)
        for cell in level.plain_cells
        for tile in range(len(TILE_NAMES))
        if tile != level.tiles[cell]
    )


def edited(level: Level, edits: Sequence[Edit]) -> Level:
    """The level after changes of tiles."""
    tiles = list(level.tiles)
    for edit in edits:
        tiles[level.cell(edit.change["x"], edit.change["y"])] = TILE_NAMES.index(edit.change["to"])
    return attrs.evolve(level, tiles=tuple(tiles))


def _edit(level: Level, cell: int, tile: int) -> Edit:
    x, y = level.place(cell)
    before, after = TILE_NAMES[level.tiles[cell]], TILE_NAMES[tile]
    return Edit(cell, f"({x}, {y}) {before} to {after}", {"x": x, "y": y, "from": before, "to": after})


def _check_digest(files: Sequence[Path], sha256: str, text: str) -> None:
    if digest(files) != sha256:
        raise LevelError(f"The levels of {text} have changed since: their SHA-256 digest is not {sha256}.")
