"""The params of the difficulty evaluators and of files of puzzles. Light: no kernel is imported."""

from __future__ import annotations

import hashlib
from pathlib import Path

import attrs

from epcg_core.difficulty.params import DifferentialParams, EntropyParams
from epcg_core.errors import ParamsError
from epcg_core.params import param

RULE_NAMES = ("path", "reach-goal", "separation", "triangle", "along-the-path", "region-completion")
PUBLISHED_RULES = RULE_NAMES[:3]
"""Those under which the published tables were made (Chen, White & Sturtevant 2023)."""
_RULES_HELP = f"the inference rules that the player knows: {', '.join(RULE_NAMES)}"
_LIMIT_HELP = "partial paths; a panel with more gets the status 'limit'"


@attrs.frozen
class PanelEntropyParams(EntropyParams):
    """The defaults are those of the published tables."""

    rules: tuple[str, ...] = param(PUBLISHED_RULES, help=_RULES_HELP)
    collapse_zero: bool = param(True, help="for muse: a state all of whose children are 0 is 0 itself")
    limit: int = param(100_000_000, minimum=1, help=_LIMIT_HELP)


@attrs.frozen
class PanelDifferentialParams(DifferentialParams):
    """For the effect of one rule."""

    rules: tuple[str, ...] = param(RULE_NAMES, help=_RULES_HELP)
    collapse_zero: bool = param(True, help="for muse: a state all of whose children are 0 is 0 itself")
    limit: int = param(100_000_000, minimum=1, help=_LIMIT_HELP)


@attrs.frozen
class WindmillFileParams:
    """A file of puzzles as The Windmill stores them. Its digest is part of what identifies the space."""

    path: str = param(help="a JSON file: a list of puzzles, each with its contents")
    sha256: str = param("", help="the digest of the file; default: that of the file as it is")

    def __attrs_post_init__(self) -> None:
        if not self.sha256:
            object.__setattr__(self, "sha256", hashlib.sha256(read_bytes(self.path)).hexdigest())


def read_bytes(path: str) -> bytes:
    """The content of a file. Raises ParamsError where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ParamsError(f"The file of puzzles {path} cannot be read: {reason}.") from error
