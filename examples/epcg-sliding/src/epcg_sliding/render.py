"""Renderers: boards as text, and as SVG, with their shortest solution if it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.etree import ElementTree

from epcg_sliding.boards import Boards
from epcg_sliding.rules import Board, Sliding
from epcg_sliding.solve import in_words, moves_in_words, solution as shortest

CELL, EDGE, LINE = 60, 8, 26
"""Pixels: of a cell, of the frame's edge, of a line of text below."""
FRAME, TILE, HOME, INK = "#5b4636", "#f3e9d2", "#d9e8c5", "#3b2f26"
MOVES_A_LINE = 16


def board_text(model: Sliding, state: Board) -> str:
    """Draw the board as text: one row per line, the hole as a dot."""
    width = len(str(len(state) - 1))
    cells = [f"{tile or '.':>{width}}" for tile in state]
    return "\n".join(
        " ".join(cells[row * model.columns : (row + 1) * model.columns]) for row in range(model.rows)
    )


def text_renderer(generator: Boards) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which writes the board and the moves of its solution."""
    model = generator.transition_model

    def render(state: Board, *, solution: bool | Sequence[str] = False) -> str:
        text = board_text(model, state) + "\n"
        return f"{text}{_words(model, state, solution)}\n" if solution else text

    return render


def svg_renderer(generator: Boards) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws the board; tiles in their own cells are green."""
    model = generator.transition_model

    def render(state: Board, *, solution: bool | Sequence[str] = False) -> str:
        lines: list[str] = []
        if solution:
            words = _words(model, state, solution).split(" ")
            for word in words:
                if not lines or len(lines[-1]) + len(word) > max(MOVES_A_LINE, model.columns * 8):
                    lines.append(word)
                else:
                    lines[-1] += f" {word}"
        return _svg(model, state, lines)

    return render


def _svg(model: Sliding, state: Board, lines: list[str]) -> str:
    width = model.columns * CELL + 2 * EDGE
    frame_height = model.rows * CELL + 2 * EDGE
    height = frame_height + LINE * len(lines) + (EDGE if lines else 0)
    svg = ElementTree.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=str(width),
        height=str(height),
    )  # fmt: skip
    _add(svg, "rect", x=0, y=0, width=width, height=frame_height, rx=EDGE, fill=FRAME)
    for cell, tile in enumerate(state):
        if tile:
            row, column = divmod(cell, model.columns)
            x, y = EDGE + column * CELL, EDGE + row * CELL
            fill = HOME if model.solved[cell] == tile else TILE
            _add(svg, "rect", x=x + 2, y=y + 2, width=CELL - 4, height=CELL - 4, rx=6, fill=fill)
            _write(svg, str(tile), x + CELL // 2, y + CELL // 2, CELL // 2)
    for number, line in enumerate(lines):
        _write(svg, line, width // 2, frame_height + LINE * number + LINE // 2 + EDGE // 2, LINE // 2)
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


def _words(model: Sliding, state: Board, solution: bool | Sequence[str]) -> str:
    """Write a recorded solution, or else a shortest one."""
    return in_words(shortest(model, state)) if isinstance(solution, bool) else moves_in_words(solution)
