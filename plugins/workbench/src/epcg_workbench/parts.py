"""The kind of parts that the workbench reads: pages of plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

ImportString = str | Callable[..., Any]


@attrs.frozen(kw_only=True)
class PageInfo:
    """A page of the workbench: `factory(workbench)` makes an ASGI application, mounted at /pages/NAME/."""

    name: str
    title: str
    """The text of its link in the workbench's menu."""
    summary: str
    factory: ImportString
    """(what the workbench lends: its folder, its database) -> an ASGI application"""
