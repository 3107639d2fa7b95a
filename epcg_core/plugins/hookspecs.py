"""The hooks of plugins. Each hook is called once, at set-up, and never inside a search.

A plugin is a module named by an entry point of group `epcg`. It declares `EPCG_API_VERSION = 1` and
implements any of these hooks with `epcg_core.hookimpl`. Each receives `register`, to be called once for
every part contributed, so one plugin can add any number, also to another plugin's domain. A domain that is
registered as a `Domain` brings its own parts, so its plugin needs no other hook.

There is one hook for each kind of part (`epcg_core.domain.kinds`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pluggy

from epcg_core.domain.kinds import KINDS, Kind

hookspec = pluggy.HookspecMarker("epcg")


def _hook(kind: Kind) -> Callable[[Callable[[Any], None]], None]:
    """Make the hook of a kind of part."""

    def register_parts(register: Callable[[Any], None]) -> None: ...

    register_parts.__name__ = register_parts.__qualname__ = kind.hook
    register_parts.__doc__ = kind.purpose
    register_parts.__annotations__ = {"register": Callable[[kind.info], None], "return": None}
    return hookspec(register_parts)


globals().update({kind.hook: _hook(kind) for kind in KINDS})
