"""Renderers: boards as text, and as SVG, with their shortest solution if it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any
from xml.etree import ElementTree

from epcg_core.plugin import Instruction, shortest_path
from epcg_rushhour.rules import RED, Board, RushHour, is_across, pieces, red_row, size_of

CELL, EDGE, LINE = 60, 8, 24
"""Pixels: of a cell, of the frame's edge, of a line of text below."""
FRAME, FLOOR, CAR, ACROSS, DOWN, INK = "#4a4a4a", "#e9e9e4", "#cc2b1d", "#5b8fb9", "#d9a441", "#1c1c1c"


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which writes the board and the moves of its solution."""

    def render(state: Board, *, solution: bool | Sequence[str] = False) -> str:
        size = size_of(state)
        rows = [state[row * size : (row + 1) * size] for row in range(size)]
        return "\n".join([*rows, *([_words(state, solution)] if solution else []), ""])

    return render


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws the board, its pieces with their letters."""

    def render(state: Board, *, solution: bool | Sequence[str] = False) -> str:
        lines = wrap(_words(state, solution), 5 * size_of(state)) if solution else []
        return _svg(state, lines)

    return render


def how_to_play(states: Sequence[Board]) -> list[Instruction]:
    """Tell the players of a booklet the rules."""
    text = (
        "Bring the red car to the right edge. A piece slides along its own line, over free cells: one move."
    )
    return [Instruction(text)]


def _svg(state: Board, lines: list[str]) -> str:
    size = size_of(state)
    frame = size * CELL + 2 * EDGE
    height = frame + LINE * len(lines)
    svg = ElementTree.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {frame} {height}", width=str(frame),
        height=str(height),
    )  # fmt: skip
    inner = size * CELL
    _add(svg, "rect", x=0, y=0, width=frame, height=frame, rx=EDGE, fill=FRAME)
    _add(svg, "rect", x=EDGE, y=EDGE, width=inner, height=inner, fill=FLOOR)
    _add(svg, "rect", x=EDGE + inner, y=EDGE + red_row(size) * CELL, width=EDGE, height=CELL, fill=FLOOR)
    for letter, cells in pieces(state).items():
        row, column = divmod(cells[0], size)
        across, far = is_across(cells), len(cells) * CELL
        x, y = EDGE + column * CELL, EDGE + row * CELL
        wide, high = (far, CELL) if across else (CELL, far)
        fill = CAR if letter == RED else ACROSS if across else DOWN
        _add(svg, "rect", x=x + 3, y=y + 3, width=wide - 6, height=high - 6, rx=10, fill=fill)
        _write(svg, letter, x + wide // 2, y + high // 2, CELL // 3)
    for number, line in enumerate(lines):
        _write(svg, line, frame // 2, frame + LINE * number + LINE // 2, LINE // 2)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def _add(parent: ElementTree.Element, tag: str, **attributes: object) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, {name: str(value) for name, value in attributes.items()})


def _write(parent: ElementTree.Element, text: str, x: int, y: int, size: int) -> None:
    element = _add(parent, "text", x=x, y=y, fill=INK)
    element.set("font-size", str(size))
    element.set("font-family", "sans-serif")
    element.set("text-anchor", "middle")
    element.set("dominant-baseline", "central")
    element.text = text


def _words(state: Board, solution: bool | Sequence[str]) -> str:
    """Write a recorded solution, or else a shortest one: '2 moves: B up 1, A right 2'."""
    if isinstance(solution, bool):
        found = shortest_path(RushHour(), state)
        if found.length is None:
            return "No moves lead to the exit."
        solution = found.actions
    if not solution:
        return "It is solved."
    number = "1 move" if len(solution) == 1 else f"{len(solution)} moves"
    return f"{number}: {', '.join(solution)}"
