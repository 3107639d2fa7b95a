"""Boards as maps of Tiled and levels of PuzzleScript."""

from __future__ import annotations

from epcg_core.plugin import Alphabet, EpcgError, LetterGrid, grids, tiled

ALPHABET = Alphabet("fling", {".": "Background", "o": "Ball"})


def _grid(own: str, title: str) -> LetterGrid:
    rows = tuple(own.replace("#", "o").replace("/", "\n").split())
    if not rows:
        raise EpcgError("The board is empty: write rows of 'o' and '.'.")
    return LetterGrid(rows, title)


def _own(grid: LetterGrid) -> str:
    return "\n".join(grid.rows)


def read_tiled(text: str, name: str) -> list[str]:
    return [_own(tiled.read_tiled(text, ALPHABET, name))]


def put_tiled(text: str, own: str) -> str:
    title = tiled.read_tiled(text, ALPHABET, "The map").title
    return tiled.put_tiled(text, _grid(own, title), ALPHABET, "The map")


def read_puzzlescript(text: str, name: str) -> list[str]:
    return [_own(grid) for grid in grids.read_puzzlescript(text, ALPHABET, name)]


def write_tmj(own: str, title: str) -> str:
    return tiled.write_tmj(_grid(own, title), ALPHABET)


def write_tmx(own: str, title: str) -> str:
    return tiled.write_tmx(_grid(own, title), ALPHABET)


def write_puzzlescript(own: str, title: str) -> str:
    return grids.write_puzzlescript([_grid(own, title)], ALPHABET)
