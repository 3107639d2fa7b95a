"""The editor of levels: the objects of the game, by collision layers, with the game's own pictures.

The usual background lies everywhere and is not a mark. What an empty cell holds above it, and what a level
has one of, are habits of the game's levels (`language.habits`). Glyphs that stand for several objects are
marks too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ERASE, GameQuestion, Gesture, Mark, Reading, Scene, cell, square_cells
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.found import is_game
from epcg_puzzlescript.formats.text import (
    format_level,
    glyphs_of,
    level_of,
    parse_level,
    read_game_text,
    spelling,
)
from epcg_puzzlescript.generators.questions import starts_questions
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.habits import habits_of
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
_LEFT_OUT = " Searches and play here leave them out."
_TEXTS = {TICK: "tick (key T)", RESTART: "restart at the checkpoint (key C)"}
MOST_CELLS = 2_500
"""Larger boards are not edited."""
GLYPH = "glyph "
"""The names of marks that are glyphs begin so; no object's name has a blank."""
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


def _read(text: str) -> Level:
    """Return the first level of a game. Raises GameError; of what is not a game, without a line of it."""
    try:
        return parse_level(text)
    except GameError:
        if is_game(text):
            raise
    raise GameError("This is not the text of a game, which has sections such as OBJECTS and LEVELS.")


class LevelEditor:
    """Levels of one game and one size.

    An action is a key: the arrows, x for the action key, in a real-time game t for a tick of its clock, and c
    for a restart at the checkpoint where that is an input.
    """

    def __init__(self, text: str) -> None:
        self.transition_model = PuzzleScriptModel()
        self.content = _read(text)
        level = self.content
        if level.width * level.height > MOST_CELLS:
            raise GameError(
                f"The level has {level.width * level.height} cells; boards of up to {MOST_CELLS} are edited."
            )
        self._game = level.game
        self._habits = habits_of(self._game)
        self._empty = self._habits.empty(level.cells)
        self._background = self._empty & self._game.background_layer
        self._floor = self._empty & ~self._background
        self._known = {self._with_background(mask): glyph for mask, glyph in glyphs_of(self._game).items()}
        """The glyphs of the legend, by what they put into a cell."""
        usual = self._game.background
        self.empty = tuple(
            thing.name
            for thing in self._game.objects
            if self._empty >> thing.number & 1 and thing.number != usual
        )
        self._shown = [thing for thing in self._game.objects if thing.number != self._game.background]
        self._bits = {thing.name: thing for thing in self._shown}
        self._wholes: dict[str, int] = {}
        """The cells of glyphs, by the names of their marks."""
        self.palette = (*self._marks(), *self._glyph_marks())
        self.ground = self._ground()
        self._sites = square_cells(level.width, level.height)
        self._index = {
            cell(x, y): x * level.height + y for x in range(level.width) for y in range(level.height)
        }
        self._names: dict[int, tuple[str, ...]] = {}
        """The marks of cells, by what lies there."""
        self._gestures: dict[tuple[int, str], Gesture] = {}
        self._player_of: tuple[Position, int] | None = None
        self._noted: tuple[Level, str] | None = None
        """The level whose note was told last, and the note."""

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
        return self._scene(state.cells, state)

    def put(self, state: Level, site: str, mark: str) -> Level:
        index = self._index[site]
        after = self._after(state.cells[index], mark)
        cells = (*state.cells[:index], after, *state.cells[index + 1 :])
        for group in self._habits.once:
            if after & group:  # it leaves the places where it was
                cells = tuple(
                    self._as_written(cell & ~group) if cell & group and place != index else cell
                    for place, cell in enumerate(cells)
                )
        return state if cells == state.cells else attrs.evolve(state, cells=cells)

    def keeps(self, before: Level, after: Level) -> bool:
        """Return whether there is one of what levels have one of, or as many as there were (`Keeping`)."""
        numbers = (
            [sum(1 for cell in level.cells if cell & group) for level in (before, after)]
            for group in self._habits.once
        )
        return all(now == was or (now == 1 and was != 1) for was, now in numbers)

    def _after(self, here: int, mark: str) -> int:
        """Return what a cell holds after a mark is put there."""
        if mark == ERASE:
            return self._empty
        if mark in self._wholes:
            return self._wholes[mark]
        thing = self._bits[mark]
        bit = 1 << thing.number
        gone = self._game.vocabulary.layer_mask(thing.layer)
        for group in self._habits.once:
            gone |= group if group & bit else 0
        return self._as_written(here & ~gone | bit, bit)

    def _as_written(self, cell: int, put: int = 0) -> int:
        """Return a cell with the floor, or without, if the legend has a glyph for that, and none for it.

        In a game whose walls stand on no floor, a wall that is put on the floor takes its place. What is
        `put` is not taken away.
        """
        if cell in self._known or not self._floor:
            return cell
        without = cell & ~(self._floor & ~put)
        if without in self._known:
            return without
        layers = (self._game.vocabulary.layer_mask(thing.layer) for thing in self._game.objects
                  if self._floor >> thing.number & 1)  # fmt: skip
        on_floor = cell | self._floor
        return on_floor if on_floor in self._known and not any(cell & layer for layer in layers) else cell

    def _with_background(self, mask: int) -> int:
        return mask if mask & self._game.background_layer else mask | self._background

    def filling(
        self, empty: Level, places: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[Levels, Callable[[NDArray[np.int64]], NDArray[np.uint64]]]:
        """Return what completions share, and the function from digits to their rows (`Filling`)."""
        import numpy as np

        from epcg_puzzlescript.rules.batches import Levels

        levels = Levels(self._game, empty.width, empty.height)
        row = levels.row(empty)
        index = self._index

        def filled(site: str, mark: str) -> Level:
            """Put a mark; one of which there is one stays elsewhere, as limits of its number leave it out."""
            after = self._after(empty.cells[index[site]], mark)
            cells = (*empty.cells[: index[site]], after, *empty.cells[index[site] + 1 :])
            return attrs.evolve(empty, cells=cells)

        changes: list[tuple[int, int, NDArray[np.uint64]]] = []
        for place, (site, marks) in enumerate(places):
            rows = np.array([levels.row(filled(site, mark)) for mark in marks], np.uint64) ^ row
            changes += [(place, int(column), rows[:, column]) for column in np.flatnonzero(rows.any(axis=0))]

        def fill(digits: NDArray[np.int64]) -> NDArray[np.uint64]:
            found = np.tile(row, (len(digits), 1))
            for place, column, words in changes:
                found[:, column] ^= words[digits[:, place]]
            return found

        return levels, fill

    def questions(self, state: Level) -> Sequence[GameQuestion]:
        """Return the questions where else it could begin, and where else its goals could lie (`Asked`)."""
        return starts_questions(state)

    def resized(self, state: Level, columns: int, rows: int) -> str:
        if columns < 1 or rows < 1 or columns * rows > MOST_CELLS:
            raise GameError(f"A board has 1 to {MOST_CELLS} cells.")
        cells = tuple(
            state.cells[x * state.height + y] if x < state.width and y < state.height else self._empty
            for x in range(columns) for y in range(rows)
        )  # fmt: skip
        return format_level(attrs.evolve(state, width=columns, height=rows, cells=cells))

    def position_scene(self, content: Level, position: Position) -> Scene:
        found = content.without_chance
        if found is None or not found.decoration:
            return self._scene(position.cells, content)
        still = (cell & found.decoration for cell in content.cells)  # as it lay at the start
        return self._scene(tuple(map(or_, position.cells, still)), content)

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

    def _scene(self, cells: Cells, level: Level) -> Scene:
        marks, known = {}, self._names
        for site, index in self._index.items():
            here = cells[index]
            names = known.get(here)
            if names is None:
                names = known[here] = tuple(thing.name for thing in self._shown if here >> thing.number & 1)
            if names:
                marks[site] = names
        if self._noted is None or self._noted[0] is not level:  # positions of one level have one note
            left_out = [level.without_chance.why + _LEFT_OUT] if level.without_chance else []
            self._noted = level, " ".join([*level.reading.sentences, *left_out])
        return Scene(self._sites, marks, note=self._noted[1])

    def reading_of(self, state: Level) -> Reading:
        """Return how the level's game was read."""
        return state.reading

    @property
    def reading_of_others(self) -> Reading:
        """How levels that are made of the content are read."""
        return self.content.reading_of_others

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
                    once=self._once(1 << thing.number),
                )
            )
        return found

    def _glyph_marks(self) -> list[Mark]:
        """Return a mark for each glyph that stands for several objects, or for what no object alone makes."""
        game, found = self._game, []
        usual = 0 if game.background is None else 1 << game.background
        simple = {self._empty, *(self._after(self._empty, name) for name in self._bits)}
        spelled = spelling(game)
        keys = {mark.key for mark in self._marks()}
        for content, glyph in self._known.items():
            shown = [thing for thing in self._shown if content >> thing.number & 1]
            if content == self._empty or (len(shown) < 2 and content in simple):
                continue
            names = " and ".join(thing.name for thing in shown) or "background"
            picture = tuple(part for thing in shown for part in layers_of(thing))
            if not picture and usual & content:
                picture = layers_of(game.objects[usual.bit_length() - 1])
            sign = spelled.get(glyph, glyph)
            name = f"{GLYPH}{sign}"
            self._wholes[name] = content
            found.append(
                Mark(
                    name=name,
                    title=f"{sign} = {names}",
                    colour=picture[0][0] if picture else "#888888",
                    glyph="" if picture else sign,
                    picture=picture,
                    key="" if glyph in keys else glyph,
                    layer=GLYPH,
                    group="glyphs of the legend",
                    shows=tuple(thing.name for thing in shown),
                    once=self._once(content),
                )
            )
        return found

    def _once(self, bits: int) -> str:
        """Return the name of what a level has one of, if it is among some objects."""
        for group in self._habits.once:
            if group & bits:
                return " or ".join(thing.name for thing in self._game.objects if group >> thing.number & 1)
        return ""

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
