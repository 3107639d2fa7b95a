"""Descriptors checked when a plugin registers them, so that no wrong value is taken for another one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.domain import CORE_SELECTION_RULES, EvaluatorInfo, Metric, SelectionRuleInfo
from epcg_core.domain.lazy import WithParams, check_params_class

RESERVED = ("rank", "status", "evaluated")
"""Columns that every run has beside its metrics."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)
_IMPORT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_HINTS: dict[type, dict[str, Any]] = {}


def check_descriptor(kind: str, info: Any) -> None:
    """Check every field of a descriptor.

    Args:
        kind: The kind of part in a sentence: 'generator'.
        info: The descriptor.

    Raises:
        PluginError: A field has a wrong type, or is not a name, an import or a class of params.
        UnknownNameError: A field is none of its valid values; the message has the nearest.
    """
    label = info.name if isinstance(getattr(info, "name", None), str) else ""
    where = f"The {kind} '{label}'" if label else f"The {kind}"
    for name in ("name", "domain", "plural"):
        if hasattr(info, name):
            _check_name(f"{where}: {name}", getattr(info, name), empty=name not in _required(type(info)))
    _check_fields(where, info)
    if isinstance(info, WithParams):
        _check_params(where, info._params)
    if isinstance(info, EvaluatorInfo):
        _check_metrics(where, info.metrics)
    if isinstance(info, SelectionRuleInfo) and info.name in CORE_SELECTION_RULES:
        raise PluginError(f"{where} has the name of a rule of the core: choose another.")


def _check_params(where: str, params: Any) -> None:
    """Check a class of params, or how its import is written: the class behind it is checked when needed."""
    if isinstance(params, str):
        _check_import(f"{where}: params", params)
    else:
        check_params_class(where, params)


def _required(cls: type[attrs.AttrsInstance]) -> set[str]:
    return {field.name for field in attrs.fields(cls) if field.default is attrs.NOTHING}


def check_metric(where: str, metric: Any) -> None:
    """Check a metric: its name and every field. Errors as of `check_descriptor`; `where` begins messages."""
    if not isinstance(metric, Metric):
        raise PluginError(f"{where}: metrics holds {_shown(metric)}, which is not a Metric.")
    if not isinstance(metric.name, str) or metric.name in RESERVED or not metric.name.isidentifier():
        raise PluginError(
            f"{where} cannot call a metric {metric.name!r}: choose letters, digits and underscores, and none "
            f"of {', '.join(RESERVED)}."
        )
    _check_fields(f"{where}: metric '{metric.name}'", metric)


def _check_metrics(where: str, metrics: Any) -> None:
    if not isinstance(metrics, tuple | list):
        raise PluginError(f"{where}: metrics is {_shown(metrics)}: write a tuple, metrics=(Metric(...),).")
    if not metrics:
        raise PluginError(f"{where} has no metric: write metrics=(Metric(...),).")
    for metric in metrics:
        check_metric(where, metric)
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise PluginError(f"{where} has the metric '{name}' twice.")


def _check_name(where: str, name: Any, empty: bool) -> None:
    if not isinstance(name, str):
        raise PluginError(f"{where} is {_shown(name)}: expected a string.")
    if not (empty and name == "") and not _NAME.fullmatch(name):
        raise PluginError(
            f"{where} is {name!r}: a name has letters, digits, '_' and '-' only, because ids of puzzles are "
            "made of it."
        )


def _check_fields(where: str, info: Any) -> None:
    """Compare the values of a descriptor with the types of its fields, as far as they are plain."""
    cls = type(info)
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls)
    for field in attrs.fields(cls):
        _check_value(f"{where}: {field.name}", _HINTS[cls][field.name], getattr(info, field.name))


def _check_value(where: str, kind: Any, value: Any) -> None:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        _one_of(where, value, arguments)
    elif kind is str and not isinstance(value, str):
        raise PluginError(f"{where} is {_shown(value)}: expected a string.")
    elif kind is bool and not isinstance(value, bool):
        raise PluginError(f"{where} is {_shown(value)}: expected True or False.")
    elif kind is int and type(value) is not int:
        raise PluginError(f"{where} is {_shown(value)}: expected an integer.")
    elif origin in (Union, UnionType) and any(_is_callable(argument) for argument in arguments):
        if not (value is None and type(None) in arguments):
            _check_import(where, value)
    elif origin is not None and len(arguments) == 2 and get_origin(arguments[0]) is Literal:
        for key in value:
            _one_of(where, key, get_args(arguments[0]))


def _is_callable(kind: Any) -> bool:
    return getattr(get_origin(kind), "__name__", "") == "Callable"


def _one_of(where: str, value: Any, choices: Iterable[Any]) -> None:
    if value not in choices:
        raise UnknownNameError("value", str(value), map(str, choices), where)


def _check_import(where: str, lazy: Any) -> None:
    if isinstance(lazy, str) and not _IMPORT.fullmatch(lazy):
        raise PluginError(f"{where} is {lazy!r}: write 'package.module:name', or pass the callable itself.")
    if not isinstance(lazy, str) and not callable(lazy):
        raise PluginError(
            f"{where} is {_shown(lazy)}: expected a callable, or a string 'package.module:name'."
        )


def _shown(value: object) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)
