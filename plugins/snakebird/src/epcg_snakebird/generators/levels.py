"""The generator `levels`: the levels of a file or a folder."""

from __future__ import annotations

from epcg_core.plugin import RankError
from epcg_snakebird.formats.drawing import format_level, parse_level, read_level
from epcg_snakebird.formats.files import check_digest, level_files
from epcg_snakebird.params import LevelsParams
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.model import SnakebirdModel


class Levels:
    """The levels of a file or folder, in the order of their names.

    A level that cannot be read is an error at its rank. Raises ParamsError if files cannot be read, and
    LevelError if they are others than the digest says.
    """

    domain_attributes = ("files",)

    def __init__(self, params: LevelsParams) -> None:
        files = level_files(params.path)
        check_digest(files, params.sha256, params.path)
        self.files = files
        self.transition_model = SnakebirdModel(params.rules)

    @property
    def max_rank(self) -> int:
        return len(self.files)

    def unrank(self, rank: int) -> Level:
        """Return the level of the file at `rank`. Raises LevelError if the file has none."""
        if not 0 <= rank < len(self.files):
            raise RankError(f"There is no level {rank}: there are {len(self.files)}.")
        return read_level(self.files[rank])

    def parse(self, text: str) -> Level:
        """Read the level of a drawing."""
        return parse_level(text)

    def format(self, level: Level) -> str:
        """Draw a level as text."""
        return format_level(level)
