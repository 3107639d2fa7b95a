"""The editor: ground, platforms and enemies are put into the cells of a level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epcg_core.plugin import ERASE, EpcgError, Gesture, Mark, ParamsError, Path, Scene, cell, square_cells
from epcg_segments.rules import (
    AIR,
    COLUMNS,
    ENEMY,
    GROUND,
    JUMP,
    PLATFORM,
    ROWS,
    Level,
    Platformer,
    Position,
    format_level,
    packed,
    parse,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLOURS = {GROUND: "#8a5a33", PLATFORM: "#4f7cac", ENEMY: "#b3202c"}
PLAYER = "#2f7d4f"
WIDEST = 240
NAMES = {GROUND: "ground", PLATFORM: "platform", ENEMY: "enemy"}
_SIGNS = {name: sign for sign, name in NAMES.items()} | {ERASE: AIR}


def new_level(columns: int, rows: int) -> str:
    """Return flat ground with a gap. Raises ParamsError for an impossible size."""
    if rows != ROWS or not 2 <= columns <= WIDEST:
        raise ParamsError(
            f"A level has {ROWS} rows and 2 to {WIDEST} columns: {rows} rows and {columns} columns are none."
        )
    middle = columns // 2
    ground = "".join(
        AIR if middle <= column < min(middle + 2, columns - 1) else GROUND for column in range(columns)
    )
    return "\n".join([AIR * columns] * (ROWS - 2) + [ground] * 2)


def examples() -> dict[str, str]:
    """Return levels to begin with, by their titles."""
    sky = "\n".join([AIR * COLUMNS] * 8)
    return {
        "A gap and an enemy": f"""{sky}
....................
....................
....................
............e.......
####...#############
####...#############""",
        "Over the platforms": f"""{sky}
.........==.........
.....==.............
....................
..............e.....
##..........########
##..........########""",
    }


class LevelEditor:
    """Levels of one width. Whatever is put makes a level, if not always one that can be passed."""

    palette = (
        Mark(name="ground", key="g", colour=COLOURS[GROUND], fills=True),
        Mark(name="platform", key="p", colour=COLOURS[PLATFORM], outline="M-0.5 -0.5H0.5V-0.2H-0.5Z"),
        Mark(name="enemy", key="e", colour=COLOURS[ENEMY], outline="M-0.4 0.5L0 -0.3L0.4 0.5Z"),
    )

    def __init__(self, text: str) -> None:
        self.content = parse(text)
        self._columns = len(self.content[0])
        self.setting = self._columns if self._columns % COLUMNS else COLUMNS
        """The columns of a segment: 20, if the level can be cut into such."""
        self.transition_model = Platformer()
        self._sites = square_cells(self._columns, ROWS)
        self._places = {site.id: divmod(number, self._columns) for number, site in enumerate(self._sites)}

    def parse(self, text: str) -> Level:
        level = parse(text)
        if len(level[0]) != self._columns:
            raise EpcgError(
                f"This level has {len(level[0])} columns, and the one that is edited {self._columns}."
            )
        return level

    def format(self, state: Level) -> str:
        return format_level(state)

    def scene(self, state: Level) -> Scene:
        marks = {
            site: (NAMES[sign],)
            for site, (row, column) in self._places.items()
            if (sign := state[row][column]) != AIR
        }
        return Scene(self._sites, marks)

    def put(self, state: Level, site: str, mark: str) -> Level:
        at, column = self._places[site]
        changed = state[at][:column] + _SIGNS[mark] + state[at][column + 1 :]
        return (*state[:at], changed, *state[at + 1 :])

    def packed(self, states: Sequence[Level]) -> NDArray[np.uint8]:
        return packed(states, self._columns)

    def resized(self, state: Level, columns: int, rows: int) -> str:
        """Return a level with more or fewer columns: new ones go on as the last one is."""
        new_level(columns, rows)
        return "\n".join(row[:columns] + row[-1] * (columns - len(row)) for row in state)

    def position_scene(self, content: Level, position: Position) -> Scene:
        scene = self.scene(content)
        if position.height < 0:
            return Scene(scene.sites, scene.marks, note="The player is lost.")
        x, y = position.column, ROWS - 1 - position.height
        corners = ((x + 0.2, y + 0.1), (x + 0.8, y + 0.1), (x + 0.8, y + 1.0), (x + 0.2, y + 1.0))
        player = Path(corners, colour=PLAYER, closed=True, fill=PLAYER, title="the player")
        return Scene(scene.sites, scene.marks, (player,))

    def gesture(self, content: Level, position: Position, action: str) -> Gesture:
        row = ROWS - 1 - position.height
        if action == JUMP:
            return Gesture((cell(position.column, max(row - 1, 0)),), ("ArrowUp",), "jump")
        return Gesture(
            (cell(position.column + 1, row),), ("ArrowRight",), "run" if position.stands else "go on"
        )
