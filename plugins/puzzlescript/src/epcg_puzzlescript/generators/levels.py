"""The generator `levels`: the levels of a game or of a folder of games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from epcg_core.plugin import WHOLE, RankError, Reading
from epcg_puzzlescript.formats.files import check_digest, game_files
from epcg_puzzlescript.formats.text import format_level, level_of, parse_level, read_game_text, reading_of
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.params import LevelsParams
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel


class Levels:
    """The maps of the games, file by file; message levels are left out.

    A level that cannot be read is an error at its rank, and so is, in a folder, a file that is not a game.
    Raises ParamsError if files cannot be read, and GameError if a single file is not a game, or if the
    files are others than the digest says.
    """

    domain_attributes = ("title",)

    def __init__(self, params: LevelsParams) -> None:
        files = game_files(params.game)
        check_digest(files, params.sha256, params.game)
        self._places: list[tuple[Path, str, int] | GameError] = []
        readings: list[tuple[Reading, str]] = []
        for file in files:
            try:
                text = read_text(file)
                game = read_game_text(text)
            except GameError as error:
                if len(files) == 1:
                    raise GameError(f"{file.name}: {error}") from None
                self._places.append(GameError(" ".join(f"{file.name}: {error}".split())))
                continue
            readings.append((reading_of(game), file.name))
            self._places += [(file, text, number) for number in range(len(game.maps))]
        self.transition_model = PuzzleScriptModel()
        names = [name for _, name in readings]
        self.reading = Reading.together([found for found, _ in readings], names) if readings else WHOLE

    @property
    def max_rank(self) -> int:
        """The number of levels."""
        return len(self._places)

    def title(self, rank: int) -> tuple[str, ...]:
        """Return the name of the game's file, and the number of the level in it, messages not counted."""
        place = self._places[rank]
        if isinstance(place, GameError):
            return (str(place).partition(":")[0],)
        file, _, number = place
        return file.name, f"level {number + 1}"

    def unrank(self, rank: int) -> Level:
        """Return a level. Raises GameError if it cannot be read."""
        if not 0 <= rank < len(self._places):
            raise RankError(f"There is no level {rank}: there are {len(self._places)}.")
        place = self._places[rank]
        if isinstance(place, GameError):
            raise place
        file, text, number = place
        try:
            return level_of(read_game_text(text), number)
        except GameError as error:
            raise GameError(f"{file.name}: {error}") from None

    def parse(self, text: str) -> Level:
        """Read the first level of a game's text."""
        return parse_level(text)

    def format(self, level: Level) -> str:
        """Write the level's game with the level as its only one."""
        return format_level(level)


def titles(params: LevelsParams) -> Callable[[int], tuple[str, ...]]:
    """Return the function from ranks to titles: the game's file, and the number of the level in it."""
    return Levels(params).title
