"""Methods that plugins add to the objects of the Python interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from epcg_core.domain import MethodInfo, resolve
from epcg_core.plugins.registry import registry


def _call(info: MethodInfo, thing: object, *args: Any, **kwargs: Any) -> Any:
    """Call a plugin's method. Whatever it raises becomes an EpcgError that names it."""
    with registry().attribute_errors_to(info):
        return resolve(info.function)(thing, *args, **kwargs)


class Extensible:
    """An object to which plugins add methods: those registered for its class's name in lower case."""

    __slots__ = ()

    if not TYPE_CHECKING:  # so that type checkers tell misspelt names

        def __getattr__(self, name: str) -> Callable[..., Any]:
            kind = type(self).__name__
            info = None if name.startswith("_") else registry().method(kind.lower(), name)
            if info is None:
                where = registry().missing("method", f"{kind.lower()}.{name}") or ""
                raise AttributeError(f"'{kind}' object has no attribute '{name}'. {where}".removesuffix(". "))
            return partial(_call, info, self)

    def __dir__(self) -> list[str]:
        kind = type(self).__name__.lower()
        return [*super().__dir__(), *(info.name for info in registry().all(MethodInfo) if info.of == kind)]
