"""Params of the PuzzleScript parts. Neither numpy nor numba is imported: listings read them."""

from __future__ import annotations

import attrs

from epcg_core.plugin import EntropyParams, ParamsError, param
from epcg_puzzlescript.formats.files import digest, game_files

_GAME_HELP = "a game's file, or the name of a game shipped here"
_DIGEST_HELP = "the digest of the files; default: of the files as they are now"


@attrs.frozen
class LevelsParams:
    """The levels of a game, or of a folder of games."""

    game: str = param(
        help="a game's file, a folder of games, or the name of a game shipped here", names_file=True
    )
    sha256: str = param("", help=_DIGEST_HELP)

    def __attrs_post_init__(self) -> None:
        if not self.sha256:
            object.__setattr__(self, "sha256", digest(game_files(self.game)))


@attrs.frozen
class StartsParams:
    """All placements of some objects on a level, of a game or given as a text."""

    game: str = param("", help=_GAME_HELP, names_file=True, named_if_default=False)
    objects: tuple[str, ...] = param(
        (),
        help="the objects that are placed anew, as many as the level has; each by its name; default: all "
        "that the player or a rule moves",
    )
    level: int = param(1, minimum=1, help="the number of the map, message levels not counted")
    sha256: str = param("", help=_DIGEST_HELP, named_if_default=False)
    content: str = param(
        "",
        help="in place of a game: the text of a level, or its file",
        from_file=True,
        named_if_default=False,
    )
    on_floor: bool = param(
        False,
        help="only where the game's levels have a floor, an empty cell or one below what moves; goals may "
        "lie there too",
        named_if_default=False,
    )

    def __attrs_post_init__(self) -> None:
        if bool(self.game) == bool(self.content):
            raise ParamsError("game: give either a game or, as 'content', the text of a level.")
        if self.content and (self.level > 1 or self.sha256):
            raise ParamsError("content: it is one level by itself, without a number and a digest of files.")
        if self.game and not self.sha256:
            object.__setattr__(self, "sha256", digest(game_files(self.game, only=True)))


@attrs.frozen
class PositionsParams:
    """Params of the measures of all positions of a level."""

    limit: int = param(
        1_000_000,
        minimum=1,
        help="positions; a level with more gets the status 'limit' (about 100 bytes each)",
    )


@attrs.frozen
class ChanceParams:
    """Params of the measures of levels on which chance decides."""

    limit: int = param(
        5_000,
        minimum=1,
        help="positions; a level with more gets the status 'limit' (all draws of each turn are played)",
    )
    draws: int = param(
        1_000, minimum=2, help="outcomes of one turn; a level with more gets the status 'limit'"
    )


@attrs.frozen
class SolutionParams:
    """Params of measures along the shortest solution."""

    limit: int = param(
        1_000_000, minimum=1, help="expansions; a level that needs more gets the status 'limit'"
    )
    objects: tuple[str, ...] = param(
        (), help="the objects or properties whose steps count as displacements; default: all but the player"
    )


@attrs.frozen
class NeededRulesParams:
    """Params of the search without each rule."""

    limit: int = param(
        100_000, minimum=1, help="expansions of each search; a level that needs more gets the status 'limit'"
    )


@attrs.frozen
class LookAheadParams:
    """Params of the rule of lost positions."""

    positions: int = param(
        50, minimum=1, maximum=100_000,
        help="the player sees that an input loses if it leads to at most so many positions, none of them won",
    )  # fmt: skip


@attrs.frozen
class LevelEntropyParams(EntropyParams):
    """A player sees small dead ends."""

    rules: tuple[str, ...] = param(
        ("nothing-is-won",), help="the domain's inference rules that the player knows, by name"
    )
    limit: int = param(50_000, minimum=1, help="positions; a level with more gets the status 'limit'")
