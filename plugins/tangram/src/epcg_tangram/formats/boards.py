"""Boards as text: what game it is, then each piece with its cells.

'side 3; Line 0 1 2 3 4 5; ...' is on the usual game, 'game pentominoes; I 0 1 2 3 4; ...' on another one.
A game that has no name but its text is that text, as TOML, with a table [[puzzles]] at its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from epcg_core.plugin import ParamsError, UnknownNameError, documents, toml_text
from epcg_tangram.design.layout import layout_of
from epcg_tangram.params import GameRef
from epcg_tangram.rules.boards import Board, piece_texts
from epcg_tangram.texts.game_files import PUZZLES, USUAL, is_text

SHOWN, SIZES = "shown", "sizes"
RULES = ("relation", "colours", "bumps", "group_one")
"""The parts of a puzzle that say what is asked of a solution, named as the params are."""


def head_of(game: GameRef) -> list[str]:
    """Return the parts of a text that say which game it is."""
    found = [] if game.game == USUAL else [f"game {game.game}"]
    if game.sizes or game.game == USUAL:
        found += [f"{name} {size}" for name, size in game.definition.sizes]
    return found


def name_of(game: GameRef) -> str:
    """Return what to call a game in a sentence."""
    if is_text(game.game):
        return f"'{game.definition.title}'" if game.definition.title else "the one that is open"
    return f"'{'; '.join(head_of(game))}'"


def format_parts(game: GameRef, parts: Sequence[str]) -> str:
    """Write the parts of a board or an instance of a game."""
    if not is_text(game.game):
        return "; ".join([*head_of(game), *parts])
    if not parts and not game.sizes:
        return game.game
    lists: dict[str, list[str]] = {SHOWN: [], "without": []}
    rules = []
    for part in parts:
        name, _, value = part.partition(" ")
        if name in RULES:
            whole = all(word.isdecimal() for word in value.split())
            listed = f"[{', '.join(value.split())}]" if name == "colours" else value
            rules.append(f"{name} = {listed if whole else toml_text(value)}")
        elif name == "without":
            lists[name].append(value)
        else:
            lists[SHOWN].append(part)
    lines = ["", f"[[{PUZZLES}]]"]
    if game.sizes:
        lines.append(f"{SIZES} = {toml_text(game.sizes)}")
    for key, listed_parts in lists.items():
        if listed_parts:
            lines += [f"{key} = [", *(f"  {toml_text(part)}," for part in listed_parts), "]"]
    return game.game + "\n".join([*lines, *rules, ""])


def split_parts(text: str) -> tuple[GameRef, list[str]]:
    """Return the game of a text, and its other parts. Raises ParamsError."""
    if is_text(text.strip()):
        return _of_toml(text)
    parts = [part.strip() for part in text.split(";")]
    name = USUAL
    if parts[0].startswith("game "):
        name = parts.pop(0).removeprefix("game ").strip()
    usual = GameRef(name)
    sizes = dict(usual.definition.sizes)
    given = {}
    while parts and (match := re.fullmatch(r"(\w+) ([0-9]{1,9})", parts[0])) and match[1] in sizes:
        given[match[1]] = int(match[2])
        parts.pop(0)
    if name == USUAL and set(given) != set(sizes):
        raise ParamsError(f"A board begins with its side, as in 'side 3', not '{parts[0] if parts else ''}'.")
    if not given:
        return usual, [part for part in parts if part]
    wanted = tuple(given.get(size, usual_size) for size, usual_size in sizes.items())
    if not all(1 <= size <= 100 for size in wanted):
        raise ParamsError(f"The sizes of a board are 1 to 100, not {', '.join(map(str, wanted))}.")
    return GameRef(name, wanted, usual.sha256), [part for part in parts if part]


def _of_toml(text: str) -> tuple[GameRef, list[str]]:
    """Return the game of a TOML text, without its puzzles, and the parts of its first puzzle."""
    table = documents.parse_toml(text, "The text", ParamsError)
    puzzles = table.get(PUZZLES, [{}])
    first = puzzles[0] if isinstance(puzzles, list) and puzzles else {}
    if not isinstance(first, dict):
        raise ParamsError(f"Each puzzle is a table of its own: write [[{PUZZLES}]] above its keys.")
    parts = []
    sizes = first.get(SIZES, [])
    if not isinstance(sizes, list) or not all(type(size) is int and 1 <= size <= 100 for size in sizes):
        raise ParamsError(f"[[{PUZZLES}]]: {SIZES} are numbers from 1 to 100, as in [6, 10], not {sizes!r}.")
    game = GameRef(text, tuple(sizes))
    for key, value in first.items():
        if key in (SHOWN, "without"):
            if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
                raise ParamsError(f'[[{PUZZLES}]]: {key} is a list, as in ["corner 0 1 5"], not {value!r}.')
            parts += [part if key == SHOWN else f"without {part}" for part in value]
        elif key in RULES:
            words = value if isinstance(value, list) else [value]
            parts.append(f"{key} {' '.join(map(str, words))}")
        elif key not in ("title", SIZES):
            raise UnknownNameError("key", key, [SHOWN, "without", "title", SIZES, *RULES], f"[[{PUZZLES}]]")
    return game, parts


def format_board(board: Board) -> str:
    """Write a board, each piece with its cells, row by row from the top."""
    return format_parts(board.game, piece_texts(board))


def parse_board(text: str) -> Board:
    """Read the board that `format_board` wrote. Raises ParamsError."""
    game, parts = split_parts(text)
    return Board(game, placements_of(game, parts))


def board_of(game: GameRef, text: str) -> Board:
    """Read the board of a game that `format_board` wrote.

    Raises ParamsError, also for a board of another game.
    """
    found = parse_board(text)
    if found.game != game:
        raise ParamsError(f"The board is of another game, or of another size, than {name_of(game)}.")
    return found


def placements_of(game: GameRef, parts: Sequence[str]) -> tuple[int, ...]:
    """Return the placements of pieces with their cells, as `format_board` writes them. Raises ParamsError."""
    layout = layout_of(game.definition)
    names = game.definition.names
    numbers = {(p.piece, p.cells): number for number, p in enumerate(layout.placements)}
    found = []
    covered: set[int] = set()
    for part in parts:
        name, cells = split_piece(part)
        if name not in names:
            raise UnknownNameError("piece", name, names, "board")
        own = tuple(sorted(cells))
        number = numbers.get((names.index(name), own))
        if not cells:
            known = [p.cells for p in layout.placements if names[p.piece] == name]
            raise ParamsError(_without_cells(name, known))
        if number is None:
            listed = " ".join(map(str, cells))
            raise ParamsError(f"The piece {name} cannot lie on the cells {listed} of this board.")
        if covered.intersection(own):
            raise ParamsError(f"The piece {name} lies on cells that are covered already.")
        covered.update(own)
        found.append(number)
    return tuple(found)


def _without_cells(name: str, known: Sequence[Sequence[int]]) -> str:
    """Say what a piece lacks that is named without the cells that it covers."""
    if not known:
        return f"The piece {name} cannot lie on this board."
    example = " ".join(map(str, known[0]))
    write = f"write its cells after its name, as '{name} {example}'."
    return f"It is not said where the piece {name} lies: {write}"


def split_piece(part: str) -> tuple[str, list[int]]:
    """Return the name of a piece and its cells. Raises ParamsError."""
    match = re.fullmatch(r"(.*?)((?: +[0-9]{1,9})*)", part.strip())
    assert match is not None
    name, cells = match[1], [int(word) for word in match[2].split()]
    first = name.split(" ")[0] if not cells else name
    if not cells and " " in name:
        raise ParamsError(f"Cells of a board are numbers, not '{name.removeprefix(first).strip()}'.")
    return name, cells
