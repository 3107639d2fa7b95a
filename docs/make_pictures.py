"""The pictures of these pages, made by the program: python docs/make_pictures.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeAlias

from epcg_fling.evaluation.analysis import first_solution
from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, BoardShape, cells_of
from epcg_fling.search.solutions import SolutionSearch

from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator
from epcg_core.rendering.render import render, render_unsolved

PICTURES = {
    "winner": "fling:boards?height=8&pieces=6&width=7#38012",
    "tutorial": "fling:boards?height=5&pieces=5&width=5#4421",
}
"""Name of the file, and puzzle."""
MOVING = "fling:boards?height=8&pieces=6&width=7#38012"
CELL, MARGIN = 48, 34
"""The side of a cell in the picture, and the centre of the first."""
STEP, PAUSE = 1.2, 0.5
"""Seconds that a move and the pause after it take."""
STEPS = {UP: (0, -1), RIGHT: (1, 0), DOWN: (0, 1), LEFT: (-1, 0)}
AWAY = 600
"""How far a piece moves that leaves the board: out of the picture."""
PIECE = re.compile(r'(<g class="piece" [^>]*>)(.*)')
Moment: TypeAlias = tuple[float, tuple[int, int]]
"""(second, where the centre is)."""


def main() -> None:
    """Write them all."""
    folder = Path(__file__).with_name("pictures")
    for name, puzzle in PICTURES.items():
        (folder / f"{name}.svg").write_text(render(puzzle, "svg"), encoding="utf-8")
    (folder / "moving.svg").write_text(moving(MOVING), encoding="utf-8")


def moving(puzzle: str) -> str:
    """Return the picture of a Fling! board that plays its solution again and again."""
    space, rank = parse_puzzle_id(registry(), puzzle)
    generator: Any = make_generator(registry(), space)
    shape, bits = generator.setting, generator.unrank(rank)
    paths, length = travels(shape, bits)
    drawn = render_unsolved(puzzle, "svg")
    assert drawn is not None
    cells = iter(cells_of(bits))

    def animated(found: re.Match[str]) -> str:
        moments = paths[next(cells)]
        times = ";".join(f"{time / length:.4f}" for time, _ in moments)
        values = ";".join(f"{x} {y}" for _, (x, y) in moments)
        return (
            f'{found[1]}<animateTransform attributeName="transform" type="translate" dur="{length:.1f}s" '
            f'repeatCount="indefinite" calcMode="linear" keyTimes="{times}" values="{values}"/>{found[2]}'
        )

    return PIECE.sub(animated, drawn)


def travels(shape: BoardShape, bits: int) -> tuple[dict[int, list[Moment]], float]:
    """Return where each piece, named by its cell, is at which second, and how long the solution takes.

    The pieces that a move sets in motion move one after another, as momentum passes on.
    """
    solution = first_solution(SolutionSearch(shape), bits)
    assert solution is not None
    now = 2 * PAUSE
    lies = {cell: cell for cell in cells_of(bits)}
    found: dict[int, list[Moment]] = {piece: [(0.0, point(shape, piece))] for piece in lies}
    for cell, direction in solution:
        piece_at = {at: piece for piece, at in lies.items()}
        line = [cell, *(ahead for ahead in shape.ahead(cell, direction) if ahead in piece_at)]
        x, y = STEPS[direction]
        for i, start in enumerate(line):
            piece = piece_at[start]
            if i + 1 < len(line):
                lies[piece] = line[i + 1] - y * shape.width - x
                end = point(shape, lies[piece])
            else:
                del lies[piece]
                end = point(shape, start)[0] + AWAY * x, point(shape, start)[1] + AWAY * y
            then = now + STEP / len(line)
            found[piece] += [(now, found[piece][-1][1]), (then, end)]
            now = then
        now += PAUSE
    length = now + 3 * PAUSE
    return {piece: [*path, (length, path[-1][1])] for piece, path in found.items()}, length


def point(shape: BoardShape, cell: int) -> tuple[int, int]:
    """Return the centre of a cell in the picture."""
    return MARGIN + CELL * (cell % shape.width), MARGIN + CELL * (cell // shape.width)


if __name__ == "__main__":
    main()
