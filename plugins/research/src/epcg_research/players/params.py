"""The params of the policy `player`. Light: they are read when parts are only listed."""

from __future__ import annotations

import attrs

from epcg_core.plugin import param


@attrs.frozen
class PlayerParams:
    """Params of the policy `player`."""

    model: str = param(help="the file of a player model, from `epcg study player fit`", names_file=True)
    sha256: str = param("", help="the file's digest, so that a run says which model it is; has to be given")
