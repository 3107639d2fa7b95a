"""The params of the Snakebird parts. Light: they are read when parts are only listed."""

from __future__ import annotations

import attrs

from epcg_core.difficulty.params import EntropyParams
from epcg_core.errors import ParamsError
from epcg_core.params import param
from epcg_snakebird.formats.files import digest, full_name, level_files

MOST_EDITS = 8
_DIGEST_HELP = "the digest of what is read; default: that of the files as they are"
_FALL_HELP = "whether an object that falls out of the world is gone, instead of ending the game"


@attrs.frozen
class LevelsParams:
    """A file or a folder of levels. The digest of what is read is part of what identifies the space."""

    path: str = param(help="a level's file, or a folder of .map and .txt files; or a level shipped here")
    objects_may_fall_out: bool = param(False, help=_FALL_HELP)
    sha256: str = param("", help=_DIGEST_HELP)

    def __attrs_post_init__(self) -> None:
        if not self.sha256:
            object.__setattr__(self, "sha256", digest(level_files(self.path)))
            object.__setattr__(self, "path", full_name(self.path))


@attrs.frozen
class EditsParams:
    """The variants of a level with `fewest` to `edits` other tiles."""

    level: str = param(help="a level's file, in the .map format or as a drawing; or a level shipped here")
    edits: int = param(1, minimum=1, maximum=MOST_EDITS, help="tiles that are changed, at most")
    fewest: int = param(1, minimum=0, maximum=MOST_EDITS, help="tiles that are changed, at least")
    objects_may_fall_out: bool = param(False, help=_FALL_HELP)
    sha256: str = param("", help=_DIGEST_HELP)

    def __attrs_post_init__(self) -> None:
        if self.fewest > self.edits:
            raise ParamsError(
                f"fewest: {self.fewest} tiles at least and {self.edits} at most cannot both be changed."
            )
        if not self.sha256:
            object.__setattr__(self, "sha256", digest(level_files(self.level, only=True)))
            object.__setattr__(self, "level", full_name(self.level))


@attrs.frozen
class StateSpaceParams:
    """Params for counting the positions of a level."""

    limit: int = param(
        1_000_000,
        minimum=1,
        help="positions; a level with more gets the status 'limit' (about 100 bytes each)",
    )


@attrs.frozen
class BranchingParams:
    """Params of measures along the shortest solution."""

    limit: int = param(
        1_000_000, minimum=1, help="expansions; a level that needs more gets the status 'limit'"
    )


@attrs.frozen
class LevelEntropyParams(EntropyParams):
    """A player knows that a move which changes nothing leads nowhere."""

    rules: tuple[str, ...] = param(
        ("changes-nothing",), help="the domain's inference rules that the player knows, by name"
    )
    limit: int = param(200_000, minimum=1, help="positions; a level with more gets the status 'limit'")
