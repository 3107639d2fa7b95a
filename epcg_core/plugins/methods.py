"""Methods that plugins add to the objects of the Python interface, and functions beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from typing import TYPE_CHECKING, Any

from epcg_core.base.errors import EpcgError, PluginError
from epcg_core.domain import MethodInfo, resolve
from epcg_core.plugins.registry import registry

MODULE = "epcg"
"""Methods of it are functions of `epcg_core`."""


def _callable(info: MethodInfo, *of: Any) -> Callable[..., Any]:
    """Return a plugin's method of an object, or its function if there is none, with its own description.

    Whatever it raises becomes an EpcgError that names it. Arguments that it does not take are a TypeError, as
    in any call. If it cannot be loaded, a call says so, so that looking at attributes does not fail.
    """
    try:
        with registry().attribute_errors_to(info):
            function = resolve(info.function)
            bound = partial(function, *of)
            taken = signature(bound)
    except EpcgError as error:
        return partial(_fail, error)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        taken.bind(*args, **kwargs)
        with registry().attribute_errors_to(info):
            return bound(*args, **kwargs)

    call.__signature__ = taken  # type: ignore[attr-defined]
    return call


def _fail(error: EpcgError, *args: Any, **kwargs: Any) -> Any:
    raise error


def _method(kind: str, name: str, where: str, *of: Any) -> Callable[..., Any]:
    """Return a method of an object. Raises AttributeError, which names the distribution that has it."""
    info = None if name.startswith("_") else registry().method(kind, name)
    if info is None:
        sentence = f"{where} has no attribute '{name}'"
        note = registry().missing("method", f"{kind}.{name}")
        raise AttributeError(f"{sentence}. {note}" if note else sentence)
    return _callable(info, *of)


def names_of(of: str) -> list[str]:
    """Return the names of the methods that plugins add."""
    return [info.name for info in registry().all(MethodInfo) if info.of == of]


def added(name: str) -> Callable[..., Any]:
    """Return a function that a plugin adds to `epcg_core`. Raises AttributeError if none does."""
    return _method(MODULE, name, "module 'epcg_core'")


def required(name: str, use: str) -> Callable[..., Any]:
    """Return a function that a plugin adds to `epcg_core`. Raises PluginError if none does.

    Args:
        name: of the function.
        use: what needs it, as the sentence begins: '`epcg verify --certificate`'.
    """
    if registry().method(MODULE, name) is None:
        note = registry().missing("method", f"{MODULE}.{name}") or ""
        raise PluginError(f"{use} needs the function '{name}' of a plugin. {note}".strip())
    return added(name)


class Extensible:
    """An object to which plugins add methods: those registered for its class's name in lower case."""

    __slots__ = ()

    if not TYPE_CHECKING:  # so that type checkers tell misspelt names

        def __getattr__(self, name: str) -> Callable[..., Any]:
            kind = _kind(type(self))
            return _method(kind.lower(), name, f"'{kind}' object", self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *names_of(_kind(type(self)).lower())]


def _kind(cls: type) -> str:
    """Return the name of the class that plugins add methods to; an answer is a run."""
    return next(base.__name__ for base in cls.__mro__ if Extensible in base.__bases__)
