"""The content of objects as plain data, to detect changes and to compare processes."""

from __future__ import annotations

import enum
from functools import cache, cached_property
from typing import Any

import attrs
import numpy as np

_PLAIN = (bool, int, float, str, bytes, type(None))
_KINDS = frozenset(_PLAIN)


def snapshot(thing: object) -> Any:
    """Return plain data that is equal for objects of equal content, whatever the order of sets and dicts.

    Instances are represented by the fields that attrs compares, else by their attributes without cached ones.
    """
    return _of(thing, ())


def _of(thing: Any, above: tuple[int, ...]) -> Any:
    if type(thing) in _KINDS:
        return thing
    if isinstance(thing, enum.Enum):
        return (type(thing).__name__, thing.name)
    if isinstance(thing, np.ndarray | np.generic):
        return ("array", str(thing.dtype), np.shape(thing), np.asarray(thing).tobytes())
    name = type(thing).__name__
    if type(thing) in (list, tuple) and _KINDS.issuperset(map(type, thing)):  # most are plain
        return (name, *thing)
    if id(thing) in above:
        return "..."
    above = (*above, id(thing))
    if isinstance(thing, list | tuple):
        notes = sorted(getattr(thing, "__dict__", {}).items())
        return (
            name,
            *[item if type(item) in _KINDS else _of(item, above) for item in thing],
            *((key, _of(value, above)) for key, value in notes),
        )
    if isinstance(thing, set | frozenset):
        return (name, *sorted((_of(item, above) for item in thing), key=repr))
    if isinstance(thing, dict):
        return (name, *sorted(((_of(k, above), _of(v, above)) for k, v in thing.items()), key=repr))
    if isinstance(thing, _PLAIN):  # a subclass of int, say
        return (name, repr(thing))
    if isinstance(thing, type) or callable(thing):
        return (name, getattr(thing, "__qualname__", name))
    return (name, *((key, _of(value, above)) for key, value in _attributes(thing)))


def _attributes(thing: Any) -> list[tuple[str, Any]]:
    kind: Any = type(thing)
    compared = _compared(kind)
    if compared is not None:
        return [(name, getattr(thing, name)) for name in compared]
    slots = [name for base in kind.__mro__ for name in _slots(base)]
    if not slots and not hasattr(thing, "__dict__"):
        return [("repr", repr(thing))]
    names = [*slots, *(key for key in getattr(thing, "__dict__", {}) if not _cached(kind, key))]
    return [(key, getattr(thing, key, None)) for key in sorted(names)]


@cache
def _compared(kind: type) -> tuple[str, ...] | None:
    """Return the fields that attrs compares; None if it did not make the class."""
    return tuple(field.name for field in attrs.fields(kind) if field.eq) if attrs.has(kind) else None


def _slots(base: type) -> list[str]:
    slots = base.__dict__.get("__slots__", ())
    return [s for s in ([slots] if isinstance(slots, str) else slots) if s not in ("__dict__", "__weakref__")]


def _cached(kind: type, key: str) -> bool:
    return isinstance(getattr(kind, key, None), cached_property)
