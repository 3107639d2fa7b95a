"""The editor of levels: the objects of the game, by collision layers, with the game's own pictures.

The usual background lies everywhere and is not a mark; emptying a cell leaves it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ERASE, Gesture, Mark, Reading, Scene, cell, square_cells
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.text import format_level, level_of, parse_level, read_game_text
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.language.vocabulary import GameObject
from epcg_puzzlescript.rendering.sprites import layers_of
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import INPUTS, RESTART, TICK, Cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_puzzlescript.rules.batches import Levels

_KEYS = dict(zip(INPUTS, ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight", "x", "t", "c"), strict=True))
_STEPS = {"up": (0, -1), "left": (-1, 0), "down": (0, 1), "right": (1, 0), "action": (0, 0), TICK: (0, 0)}
_TEXTS = {TICK: "tick (key T)", RESTART: "restart at the checkpoint (key C)"}
MOST_CELLS = 2_500
"""Larger boards are not edited."""
_NEW = "lanterns"


def new_level(columns: int, rows: int) -> str:
    """Return a new level of a shipped game: walls around a floor, and what wins if there is room."""
    if not (columns >= 3 and rows >= 3 and columns * rows <= MOST_CELLS):
        raise GameError(f"A new level has 3 columns and 3 rows or more, and at most {MOST_CELLS} cells.")
    path = next(path for path in shipped_games() if path.stem == _NEW)
    text = read_text(path)
    head = text[: text.index("\nLEVELS\n") + len("\nLEVELS\n")]
    inner = ["#" + "." * (columns - 2) + "#"] * (rows - 2)
    begin = "#P*O" if columns > 5 else "#P"
    inner[0] = begin + inner[0][len(begin) :]
    board = ["#" * columns, *inner, "#" * columns]
    return format_level(parse_level(head + "\n" + "\n".join(board) + "\n"))


def examples() -> dict[str, str]:
    """Return the levels of the shipped games by their titles."""
    return {title: text for path in shipped_games() for title, text in _levels(path)}


def _levels(path: Path) -> list[tuple[str, str]]:
    game = read_game_text(read_text(path))
    return [
        (f"{game.title} {number + 1}", format_level(level_of(game, number)))
        for number in range(len(game.maps))
    ]


class LevelEditor:
    """Levels of one game and one size.

    An action is a key: the arrows, x for the action key, in a real-time game t for a tick of its clock, and c
    for a restart at the checkpoint where that is an input.
    """

    def __init__(self, text: str) -> None:
        self.transition_model = PuzzleScriptModel()
        self.content = parse_level(text)
        level = self.content
        if level.width * level.height > MOST_CELLS:
            raise GameError(
                f"The level has {level.width * level.height} cells; boards of up to {MOST_CELLS} are edited."
            )
        self._game = level.game
        self._background = 0 if self._game.background is None else 1 << self._game.background
        self.palette = tuple(self._marks())
        self.ground = self._ground()
        self._sites = square_cells(level.width, level.height)
        self._shown = [thing for thing in self._game.objects if thing.number != self._game.background]
        self._bits = {thing.name: thing for thing in self._shown}
        self._index = {
            cell(x, y): x * level.height + y for x in range(level.width) for y in range(level.height)
        }
        self._names: dict[int, tuple[str, ...]] = {}
        """The marks of cells, by what lies there."""
        self._gestures: dict[tuple[int, str], Gesture] = {}
        self._player_of: tuple[Position, int] | None = None

    def parse(self, text: str) -> Level:
        level, own = parse_level(text), self.content
        if (level.width, level.height) != (own.width, own.height) or level.rules != own.rules:
            raise GameError(
                f"The level is not one of this game with {own.width} columns and {own.height} rows: open it "
                "by itself."
            )
        return level

    def format(self, state: Level) -> str:
        return format_level(state)

    def scene(self, state: Level) -> Scene:
        return self._scene(state.cells)

    def put(self, state: Level, site: str, mark: str) -> Level:
        index = self._index[site]
        if mark == ERASE:
            after = self._background
        else:
            thing = self._bits[mark]
            layer = sum(1 << number for number in self._game.layers[thing.layer])
            after = state.cells[index] & ~layer | 1 << thing.number
        if after == state.cells[index]:
            return state
        return attrs.evolve(state, cells=(*state.cells[:index], after, *state.cells[index + 1 :]))

    def filling(
        self, empty: Level, places: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[Levels, Callable[[NDArray[np.int64]], NDArray[np.uint64]]]:
        """Return what completions share, and the function from digits to their rows (`Filling`)."""
        import numpy as np

        from epcg_puzzlescript.rules.batches import Levels

        levels = Levels(self._game, empty.width, empty.height)
        row = levels.row(empty)
        changes: list[tuple[int, int, NDArray[np.uint64]]] = []
        for place, (site, marks) in enumerate(places):
            rows = np.array([levels.row(self.put(empty, site, mark)) for mark in marks], np.uint64) ^ row
            changes += [(place, int(column), rows[:, column]) for column in np.flatnonzero(rows.any(axis=0))]

        def fill(digits: NDArray[np.int64]) -> NDArray[np.uint64]:
            found = np.tile(row, (len(digits), 1))
            for place, column, words in changes:
                found[:, column] ^= words[digits[:, place]]
            return found

        return levels, fill

    def resized(self, state: Level, columns: int, rows: int) -> str:
        if columns < 1 or rows < 1 or columns * rows > MOST_CELLS:
            raise GameError(f"A board has 1 to {MOST_CELLS} cells.")
        cells = tuple(
            state.cells[x * state.height + y] if x < state.width and y < state.height else self._background
            for x in range(columns) for y in range(rows)
        )  # fmt: skip
        return format_level(attrs.evolve(state, width=columns, height=rows, cells=cells))

    def position_scene(self, content: Level, position: Position) -> Scene:
        return self._scene(position.cells)

    def gesture(self, content: Level, position: Position, action: str) -> Gesture:
        if self._player_of is None or self._player_of[0] is not position:
            self._player_of = position, self._player_in(position.cells)
        where = self._player_of[1], action
        found = self._gestures.get(where)
        if found is None:
            touched = self._touched(*where)
            found = self._gestures[where] = Gesture(touched, (_KEYS[action],), _TEXTS.get(action, action))
        return found

    def _player_in(self, cells: Cells) -> int:
        """Return the index of the only player; -1 if there is none, or several."""
        player = self._game.player
        places = [index for index, here in enumerate(cells) if here & player.bits and player.lies_in(here)]
        return places[0] if len(places) == 1 else -1

    def _touched(self, place: int, action: str) -> tuple[str, ...]:
        """Return the cell beside the only player; nothing for several.

        Its own cell is for the action key, and for a tick if the game has no action key.
        """
        if place < 0 or action == RESTART or (action == TICK and not self._game.says("noaction")):
            return ()
        x, y = divmod(place, self.content.height)
        (dx, dy), site = _STEPS[action], ""
        if 0 <= x + dx < self.content.width and 0 <= y + dy < self.content.height:
            site = cell(x + dx, y + dy)
        return (site,) if site else ()

    def _scene(self, cells: Cells) -> Scene:
        marks, known = {}, self._names
        for site, index in self._index.items():
            here = cells[index]
            names = known.get(here)
            if names is None:
                names = known[here] = tuple(thing.name for thing in self._shown if here >> thing.number & 1)
            if names:
                marks[site] = names
        return Scene(self._sites, marks, note=" ".join(self._game.reading.sentences))

    def reading_of(self, state: Level) -> Reading:
        """Return how the level's game was read."""
        return state.game.reading

    def _marks(self) -> list[Mark]:
        """Return a mark for each object but the usual background, layer by layer."""
        keys = self._keys()
        found = []
        for thing in self._game.objects:
            if thing.number == self._game.background:
                continue
            picture = layers_of(thing)
            glyph = "" if picture else keys.get(thing.name, "?")
            colour = picture[0][0] if picture else "#888888"
            found.append(
                Mark(
                    name=thing.name,
                    colour=colour,
                    glyph=glyph,
                    picture=picture,
                    key=keys.get(thing.name, ""),
                    layer=str(thing.layer),
                    group=f"layer {thing.layer + 1}",
                )
            )
        return found

    def _ground(self) -> Mark | None:
        """Return how the usual background looks; None if it cannot be seen."""
        number = self._game.background
        if number is None:
            return None
        thing: GameObject = self._game.objects[number]
        picture = layers_of(thing)
        return Mark(name=thing.name, colour=picture[0][0], picture=picture) if picture else None

    def _keys(self) -> dict[str, str]:
        """Return a key for each object that a glyph stands for."""
        found: dict[str, str] = {}
        known = self._game.vocabulary.glyphs
        glyphs = {known[name]: name for name in sorted(known) if len(name) == 1}
        things: Sequence[GameObject] = self._game.objects
        for thing in things:
            glyph = glyphs.get(1 << thing.number)
            if glyph is not None:
                found[thing.name] = glyph
        return found
