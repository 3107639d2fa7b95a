"""Symbols in words: 'square black', 'star white', 'triangles 2', 'polyomino ##/#. free', 'eraser', 'dot'."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import (
    COLOURS,
    CellSymbol,
    Eraser,
    Polyomino,
    Square,
    Star,
    Triangles,
    UnknownColourError,
)
from epcg_witness.rules.spaces import LineSymbol, SiteSymbol

KINDS = ("square", "star", "triangles", "polyomino", "eraser", "dot", "gap", "missing", "none")
HELP = (
    "'square COLOUR', 'star COLOUR', 'triangles 1' (to 4), 'polyomino ##/#.' (rows, the top one first; then "
    "'free' if it may be turned, 'negative' if it takes away), 'eraser'; a colour may follow triangles, "
    "polyominoes and erasers"
)


def parse_symbol(text: str) -> SiteSymbol | None:
    """Read the symbol that `text` describes; None for 'none'. Raises PanelError."""
    kind, *words = text.split() or [""]
    if kind == "square":
        return Square(_colour(kind, words))
    if kind == "star":
        return Star(_colour(kind, words))
    if kind in ("triangles", "triangle"):
        return _triangles(words)
    if kind == "polyomino":
        return _polyomino(words)
    if kind == "eraser":
        if len(words) > 1:
            raise PanelError(f"'{text}': at most a colour follows 'eraser'.")
        return Eraser(*words)
    if kind in ("dot", "gap", "missing", "none"):
        if kind == "dot" and words in (["first"], ["second"]):
            return LineSymbol(f"dot {words[0]}")
        if words:
            lines = ", except 'first' or 'second', the line that must cover the dot" if kind == "dot" else ""
            raise PanelError(f"'{text}': nothing follows '{kind}'{lines}.")
        return None if kind == "none" else LineSymbol(kind)
    near = difflib.get_close_matches(kind[:100], KINDS, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise PanelError(f"'{text}' is not a symbol.{hint} Write {HELP}.")


def format_symbol(symbol: SiteSymbol | None) -> str:
    """Describe a symbol in a string that `parse_symbol` reads."""
    if symbol is None:
        return "none"
    if isinstance(symbol, LineSymbol):
        return symbol.value
    if isinstance(symbol, Square | Star):
        return f"{'square' if isinstance(symbol, Square) else 'star'} {symbol.colour}"
    words: list[str]
    if isinstance(symbol, Eraser):
        words, usual = ["eraser"], Eraser().colour
    elif isinstance(symbol, Triangles):
        words, usual = ["triangles", str(symbol.count)], Triangles(symbol.count).colour
    else:
        words = ["polyomino", symbol.rows()]
        words += ["free"] * symbol.free + ["negative"] * symbol.negative
        usual = Polyomino(symbol.cells, negative=symbol.negative).colour
    return " ".join(words + [symbol.colour] * (symbol.colour != usual))


def parse_cell_symbol(text: str) -> CellSymbol:
    """Read the symbol of a cell that `text` describes. Raises PanelError for one of edges and vertices."""
    symbol = parse_symbol(text)
    if symbol is None or isinstance(symbol, LineSymbol):
        raise PanelError(f"'{text}' is not a symbol of a cell. Write {HELP}.")
    return symbol


def _colour(kind: str, words: Sequence[str]) -> str:
    if len(words) != 1:
        raise PanelError(f"A {kind} has one colour, as in '{kind} black'; colours are {', '.join(COLOURS)}.")
    return words[0]


def _triangles(words: Sequence[str]) -> Triangles:
    if not 1 <= len(words) <= 2 or not (words[0].isdecimal() and len(words[0]) < 9):
        raise PanelError(f"'{' '.join(['triangles', *words])}': write 'triangles 1', 2, 3 or 4.")
    return Triangles(int(words[0]), *words[1:])


def _polyomino(words: Sequence[str]) -> Polyomino:
    if not words:
        raise PanelError("A polyomino has rows of '#' and '.', as in 'polyomino ##/#.'.")
    rows, *settings = words
    free, negative = "free" in settings, "negative" in settings
    colours = [word for word in settings if word not in ("free", "negative")]
    if len(colours) > 1 or len(set(settings)) != len(settings):
        raise PanelError(
            f"'{' '.join(['polyomino', *words])}': after the rows come 'free', 'negative' and a colour, each "
            "at most once."
        )
    if colours and colours[0] not in COLOURS:
        raise UnknownColourError(colours[0], "polyomino")
    options = {"colour": colours[0]} if colours else {}
    return Polyomino.parse(rows, free=free, negative=negative, **options)
