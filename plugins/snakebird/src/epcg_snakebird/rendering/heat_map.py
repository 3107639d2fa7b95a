"""Heat maps: a level's picture that shows for each tile what the best change there does to the solution.

A tile carries the gain in moves of its best change and a sign of the tile that it becomes; a cross where
every change leaves no solution. Tiles without either change nothing. If the level has no solution, tiles
carry the moves of the changed level, and those whose changes leave it so carry nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from epcg_core.plugin import INK, number, svg
from epcg_snakebird.edits.runs import Variant
from epcg_snakebird.rendering import picture
from epcg_snakebird.rendering.levels import entities, fixtures, title
from epcg_snakebird.rendering.picture import CELL, words
from epcg_snakebird.rules.level import GROUND, SKY, Level
from epcg_snakebird.rules.moves import start

Goal = Literal["longest", "shortest"]
_LONGER = ("#fde4c8", "#f9b47a", "#ee7d3b", "#c9471a")
_SHORTER = ("#d7e8f7", "#9cc8ec", "#579fd9", "#2a6fb0")
_UNSOLVABLE = "#d9d5d0"
_SIGNS = {
    SKY: '<circle r="5" fill="#fff" stroke="#4b8fb5" stroke-width="2"/>',
    GROUND: '<rect x="-5" y="-5" width="10" height="10" rx="2" fill="#b98357" stroke="#6b4526"/>',
}
_SPIKES_SIGN = '<path d="M0 -6.5L6 5H-6z" fill="#5a5560" stroke="#fff" stroke-width=".8"/>'
CROSS = f'<path d="M-7 -7L7 7M7 -7L-7 7" stroke="{INK}" stroke-width="3" stroke-linecap="round"/>'
_LINE = 26
_LEGEND_WIDTH = 430


def best_changes(variants: Sequence[Variant], goal: Goal) -> dict[int, Variant]:
    """Return {cell: its best change}: the longest (or shortest) solution, the first of equals.

    If no change leaves a solution it is the first one, of which over the limit comes before unsolvable.
    """
    sign = 1 if goal == "longest" else -1

    def value(variant: Variant) -> tuple[bool, int, bool]:
        return variant.moves is not None, sign * (variant.moves or 0), variant.over_limit

    best: dict[int, Variant] = {}
    for variant in variants:
        if variant.cell not in best or value(variant) > value(best[variant.cell]):
            best[variant.cell] = variant
    return best


def heat_map_svg(level: Level, moves: int | None, variants: Sequence[Variant], goal: Goal = "longest") -> str:
    """Draw the heat map of a level as an SVG document with a legend.

    Args:
        level: the level.
        moves: the moves of the level's shortest solution; None if none was found.
        variants: the level's single changes.
        goal: which change of a tile is its best: the one with the longest or the shortest solution.
    """
    best = best_changes(variants, goal)
    gains = {cell: v.moves - (moves or 0) for cell, v in best.items() if v.moves is not None}
    largest = max(map(abs, gains.values()), default=0)
    width, height = max(level.width * CELL, _LEGEND_WIDTH), level.height * CELL
    legend = _legend(gains, best, moves)
    total = height + len(legend) * _LINE + 16
    parts = [
        f'<rect width="{number(width)}" height="{number(total)}" fill="#fff"/>',
        *picture.scene(level),
        f'<rect width="{level.width * CELL}" height="{height}" fill="#fff" fill-opacity=".5"/>',
        *fixtures(level, level.fruit),
        *entities(start(level)),
        *(_tile(level, best[cell], gains.get(cell), largest, moves is None) for cell in sorted(best)),
        *(line for i, entry in enumerate(legend) for line in _legend_line(height + 12 + i * _LINE, *entry)),
    ]
    before = "this level without a solution" if moves is None else f"the {moves} moves"
    what = f"{title(level)}; for each tile, what its change to the {goal} solution does to {before}"
    return svg.document(width, total, what, parts)


def heat_map_text(
    level: Level, moves: int | None, variants: Sequence[Variant], goal: Goal = "longest"
) -> str:
    """Write the heat map in rows, four characters a cell: gains, x for unsolvable, ? for unknown.

    If the level has no solution, its rows hold the moves of the changed levels.

    Args:
        level: the level.
        moves: the moves of the level's shortest solution; None if none was found.
        variants: the level's single changes.
        goal: which change of a tile is its best: the one with the longest or the shortest solution.
    """
    best = best_changes(variants, goal)
    rows = []
    for y in range(level.height - 1):
        cells = [_entry(best.get(level.cell(x, y)), moves) for x in range(level.width)]
        rows.append("".join(text.rjust(4) for text in cells).rstrip())
    return "\n".join(rows) + "\n"


def _entry(variant: Variant | None, moves: int | None) -> str:
    if variant is None:
        return "o"
    if variant.moves is None:
        return "?" if variant.over_limit else "x"
    if moves is None:
        return str(variant.moves)
    return f"{variant.moves - moves:+d}" if variant.moves != moves else "."


def _tile(level: Level, variant: Variant, gain: int | None, largest: int, opens: bool) -> str:
    """Draw what lies on a tile: nothing if its best change changes nothing.

    `opens` says that the level has no solution, so that `gain` is the moves of the changed one.
    """
    if gain == 0 or (opens and gain is None and not variant.over_limit):
        return ""
    x, y = picture.centre(variant.cell, level.width)
    at = f'<g class="change" transform="translate({number(x)} {number(y)})">'
    square = '<rect x="-22" y="-22" width="44" height="44" rx="6" fill="{}" fill-opacity=".93"/>'
    if gain is None:
        mark = words(0, 7, 20, "?") if variant.over_limit else CROSS
        return f"{at}{square.format(_UNSOLVABLE)}{mark}</g>"
    shades = _LONGER if gain > 0 else _SHORTER
    shade = min(len(shades) - 1, abs(gain) * len(shades) // (largest + 1))
    ink = "#fff" if shade == len(shades) - 1 else INK
    sign = f'<g transform="translate(13 13)">{_SIGNS.get(variant.tile, _SPIKES_SIGN)}</g>'
    text = words(-2, 3, 16, str(gain) if opens else f"{gain:+d}", colour=ink)
    return f"{at}{square.format(shades[shade])}{text}{sign}</g>"


def _legend(
    gains: Mapping[int, int], best: Mapping[int, Variant], moves: int | None
) -> list[tuple[str, str, str]]:
    """Return (colour, mark, words) of each kind of tile that occurs."""
    lost = [variant for cell, variant in best.items() if cell not in gains]
    if moves is None:
        opening = [
            (bool(gains), _LONGER[2], "", "the change makes a solution of that many moves"),
            (any(v.over_limit for v in lost), _UNSOLVABLE, "?", "no solution was found within the limit"),
            (True, "", "signs", "the tile becomes sky, ground or spikes"),
        ]
        return [(colour, mark, text) for there, colour, mark, text in opening if there]
    kinds = [
        (any(gain > 0 for gain in gains.values()), _LONGER[2], "", "longer: moves more than the level's {}"),
        (
            any(gain < 0 for gain in gains.values()),
            _SHORTER[2],
            "",
            "shorter: moves fewer than the level's {}",
        ),
        (any(not v.over_limit for v in lost), _UNSOLVABLE, CROSS, "every change here leaves no solution"),
        (any(v.over_limit for v in lost), _UNSOLVABLE, "?", "no solution was found within the limit"),
    ]
    return [(colour, mark, text.format(moves)) for there, colour, mark, text in kinds if there] + [
        ("", "signs", "the tile becomes sky, ground or spikes")
    ]


def _legend_line(top: float, colour: str, mark: str, text: str) -> list[str]:
    middle = top + 10
    if mark == "signs":
        signs = (_SIGNS[SKY], _SIGNS[GROUND], _SPIKES_SIGN)
        drawn = [
            f'<g transform="translate({14 + 16 * i} {number(middle)})">{s}</g>' for i, s in enumerate(signs)
        ]
    else:
        inside = words(14, middle + 5, 15, mark) if mark == "?" else ""
        if mark == CROSS:
            inside = f'<g transform="translate(14 {number(middle)}) scale(.7)">{mark}</g>'
        drawn = [f'<rect x="4" y="{number(top)}" width="20" height="20" rx="4" fill="{colour}"/>{inside}']
    return [*drawn, words(62, middle + 5, 14, text, anchor="start")]
