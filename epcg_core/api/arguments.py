"""Arguments of the Python interface: one of another type is told in a sentence, before anything happens."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from epcg_core.base.errors import EpcgError

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_IN_WORDS: Mapping[Any, str] = {
    str: "a string", int: "an integer", float: "a number", bool: "True or False", Path: "a path",
    Mapping: "a table (a dict)", Sequence: "a list",
}  # fmt: skip
_SHOWN = 60


def checked(function: F) -> F:
    """Let a function refuse arguments of other types than its annotations name, by an EpcgError.

    Annotations that are imported for type checkers only are not checked.
    """
    signature = inspect.signature(function)
    hints: dict[str, Any] = {}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not hints:
            hints.update({name: _hint(function, each) for name, each in signature.parameters.items()})
        for name, given in signature.bind(*args, **kwargs).arguments.items():
            parameter = signature.parameters[name]
            several = given if parameter.kind is parameter.VAR_POSITIONAL else (given,)
            if parameter.kind is not parameter.VAR_KEYWORD:
                for value in several:
                    _check(name, value, hints[name])
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def checked_methods(cls: C) -> C:
    """Let the public methods of a class check their arguments."""
    for name, member in list(vars(cls).items()):
        if not name.startswith("_") and inspect.isfunction(member):
            setattr(cls, name, checked(member))
    return cls


def _hint(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    annotation = parameter.annotation
    if annotation is parameter.empty or not isinstance(annotation, str):
        return Any
    try:
        return eval(annotation, function.__globals__)
    except NameError:
        return Any


def _check(name: str, value: object, hint: Any) -> None:
    choices = _choices(hint)
    if not any(_fits(value, choice) for choice in choices):
        named = [words for choice in choices if (words := _in_words(choice))]
        found = f"{repr(value)[:_SHOWN]} ({type(value).__name__})"
        raise EpcgError(f"{name} must be {' or '.join(dict.fromkeys(named))}, not {found}.")


def _choices(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    kind = get_origin(hint) or hint
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if kind is Sequence:
        return isinstance(value, Sequence) and not isinstance(value, str)
    if kind is not Any and inspect.isclass(kind) and not getattr(kind, "_is_protocol", False):
        return isinstance(value, kind)
    return True


def _in_words(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(f"'{choice}'" for choice in get_args(hint))
    if hint is NoneType:
        return ""
    kind = get_origin(hint) or hint
    return _IN_WORDS.get(kind) or f"a {getattr(kind, '__name__', kind)}"
