"""Callables and classes of params that a descriptor names as 'module:attribute' instead of importing them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeAlias
from weakref import WeakSet

import attrs

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, PluginError, format_exception
from epcg_core.base.params import unsupported

ImportString: TypeAlias = str | Callable[..., Any]
"""A callable, or 'module:attribute' that is imported when it is first called."""


def resolve(lazy: ImportString) -> Callable[..., Any]:
    """Import the callable behind `lazy`. Raises PluginError if the module or the attribute is missing."""
    if not isinstance(lazy, str):
        return lazy
    module, _, attribute = lazy.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise PluginError(f"'{lazy}' cannot be loaded: {error}.") from error
    if not callable(found):
        raise PluginError(f"'{lazy}' is not callable.")
    return found  # type: ignore[no-any-return]


class WithParams:
    """A part with a class of params, which may be given as 'module:Class', imported when needed."""

    __slots__ = ()
    _params: Any

    @property
    def params(self) -> type[Any]:
        """The class of params. Raises PluginError if it cannot be imported, or is not an attrs class."""
        if not isinstance(self._params, str):
            found: type[Any] = self._params
            return found
        names = filter(None, (getattr(self, "domain", ""), getattr(self, "name", "")))
        where = f"{type(self).__name__} {':'.join(names)}"
        try:
            named: Any = resolve(self._params)
        except PluginError as error:
            raise PluginError(f"{where}: its params: {error}") from error
        except PLUGIN_EXCEPTIONS as error:  # an import may raise anything
            raise PluginError(
                f"{where}: its params '{self._params}' cannot be loaded: {format_exception(error)}."
            ) from error
        if named not in _CHECKED:
            check_params_class(where, named)
            _CHECKED.add(named)
        return named  # type: ignore[no-any-return]


def is_usable(part: object) -> bool:
    """Return whether the class of params of `part`, if it has one, can be had."""
    try:
        return not isinstance(part, WithParams) or isinstance(part.params, type)
    except PluginError:
        return False


_CHECKED: WeakSet[type[Any]] = WeakSet()
"""Classes of params that were imported by name and found good."""


def check_params_class(where: str, params: Any) -> None:
    """Raise PluginError unless `params` is an attrs class that a table of TOML can fill."""
    if not attrs.has(params):
        shown = params.__name__ if isinstance(params, type) else repr(params)
        raise PluginError(
            f"{where}: its params, {shown}, are not an attrs class: decorate the class with @attrs.frozen."
        )
    try:
        wrong = unsupported(params)
    except NameError:
        return  # imported for type checkers only: `epcg domains` names the part and lists the others
    if wrong:
        raise PluginError(
            f"{where}: TOML has no such type for its params: {'; '.join(wrong)}. Use int, float, bool, str, "
            "Literal[...], tuple[X, ...], list[X], dict[str, X], X | None, or another attrs class."
        )
