"""Levels as `.map` files, maps of Tiled and levels of PuzzleScript."""

from __future__ import annotations

import attrs

from epcg_core.plugin import Alphabet, LetterGrid, grids, tiled
from epcg_snakebird.formats.drawing import (
    EXIT_MARK,
    FRUIT_MARK,
    OBJECT_MARKS,
    PORTAL_MARK,
    SNAKE_MARKS,
    TILE_MARKS,
    format_level,
    parse_level,
)
from epcg_snakebird.formats.map_format import format_map, parse_map

ALPHABET = Alphabet(
    "snakebird",
    {
        **dict(zip(TILE_MARKS, ("Background", "Ground", "Spikes"), strict=True)),
        FRUIT_MARK: "Fruit", EXIT_MARK: "Exit", PORTAL_MARK: "Portal",
        **{mark: f"Head{mark}" for mark in SNAKE_MARKS},
        "<": "BodyLeft", ">": "BodyRight", "^": "BodyUp", "v": "BodyDown",
        **{mark: f"Object{mark.upper()}" for mark in OBJECT_MARKS},
    },
    directed="<^>v",
)  # fmt: skip


def read_map(text: str, name: str) -> list[str]:
    return [format_level(parse_map(text, name))]


def write_map(own: str, title: str) -> str:
    return format_map(parse_level(own, title))


def read_tiled(text: str, name: str) -> list[str]:
    return [_own(tiled.read_tiled(text, ALPHABET, name), name)]


def put_tiled(text: str, own: str) -> str:
    grid, title = _grid(own, ""), tiled.read_tiled(text, ALPHABET, "The map").title
    if not title:  # the name is that of the file
        grid = attrs.evolve(grid, title="")
    return tiled.put_tiled(text, grid, ALPHABET, "The map")


def read_puzzlescript(text: str, name: str) -> list[str]:
    return [_own(grid, name) for grid in grids.read_puzzlescript(text, ALPHABET, name)]


def write_tmj(own: str, title: str) -> str:
    return tiled.write_tmj(_grid(own, title), ALPHABET)


def write_tmx(own: str, title: str) -> str:
    return tiled.write_tmx(_grid(own, title), ALPHABET)


def write_puzzlescript(own: str, title: str) -> str:
    return grids.write_puzzlescript([_grid(own, title)], ALPHABET)


def _grid(own: str, title: str) -> LetterGrid:
    """Return the rows of a drawing, in the form that `format_level` gives them."""
    level = parse_level(own, title)
    rows = format_level(level).splitlines()
    named = bool(level.name)
    return LetterGrid(tuple(rows[named:]), level.name or title)


def _own(grid: LetterGrid, name: str) -> str:
    head = f"name: {grid.title}\n" if grid.title else ""
    return format_level(parse_level(head + "\n".join(grid.rows) + "\n", name))
