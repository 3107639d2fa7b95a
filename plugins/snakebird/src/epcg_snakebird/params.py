"""Params of the Snakebird parts. Neither numpy nor numba is imported: listings read them."""

from __future__ import annotations

import attrs

from epcg_core.plugin import EntropyParams, ParamsError, param
from epcg_snakebird.formats.files import digest, full_name, level_files
from epcg_snakebird.rules.variants import STAYS, OwnTail, Rules

MOST_EDITS = 8
_DIGEST_HELP = "the digest of the files; default: of the files as they are now"
_FALL_HELP = "whether an object that falls out of the world is gone, instead of ending the game"
_TAIL_HELP = (
    "whether the own tail 'stays' in the way of what a snake pushes, as in the paper, or 'leaves' its cell, "
    "as in the game"
)


def _identify(params: LevelsParams | EditsParams, key: str, only: bool = False) -> None:
    """Complete params by the digest of the levels that they name, unless it is given.

    A space is identified by its levels' digest, and by the full name of a shipped level.
    """
    if not params.sha256:
        name = getattr(params, key)
        object.__setattr__(params, "sha256", digest(level_files(name, only=only)))
        object.__setattr__(params, key, full_name(name))


@attrs.frozen
class LevelsParams:
    """A file or a folder of levels."""

    path: str = param(
        help="a level's file, or a folder of .map and .txt files; or a level shipped here", names_file=True
    )
    objects_may_fall_out: bool = param(False, help=_FALL_HELP)
    sha256: str = param("", help=_DIGEST_HELP)
    own_tail: OwnTail = param(STAYS, help=_TAIL_HELP, named_if_default=False)

    def __attrs_post_init__(self) -> None:
        _identify(self, "path")

    @property
    def rules(self) -> Rules:
        """The variant of the rules."""
        return Rules(self.objects_may_fall_out, self.own_tail)


@attrs.frozen
class EditsParams:
    """The variants of a level with `fewest` to `edits` other tiles."""

    level: str = param(
        help="a level's file, in the .map format or as a drawing; or a level shipped here", names_file=True
    )
    edits: int = param(1, minimum=1, maximum=MOST_EDITS, help="tiles that are changed, at most")
    fewest: int = param(1, minimum=0, maximum=MOST_EDITS, help="tiles that are changed, at least")
    objects_may_fall_out: bool = param(False, help=_FALL_HELP)
    sha256: str = param("", help=_DIGEST_HELP)
    own_tail: OwnTail = param(STAYS, help=_TAIL_HELP, named_if_default=False)

    def __attrs_post_init__(self) -> None:
        if self.fewest > self.edits:
            raise ParamsError(
                f"fewest: {self.fewest} tiles at least and {self.edits} at most cannot both be changed."
            )
        _identify(self, "level", only=True)

    @property
    def rules(self) -> Rules:
        """The variant of the rules."""
        return Rules(self.objects_may_fall_out, self.own_tail)


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
