"""The names and signatures of the public modules, one a line, and the record that a test compares them with.

`python -m tests.core.surface` records new names. It refuses if a name is gone or takes other arguments while
the number of the API is the same: then plugins that were written before would break.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from epcg_core import API_VERSION
from tests.core import signatures

MODULES = ("epcg_core", "epcg_core.plugin")
RECORD = Path(__file__).with_suffix(".txt")


def surface() -> list[str]:
    """What is public: 'module.name(arguments)', and so for the public members of classes."""
    found = []
    for module in MODULES:
        public = importlib.import_module(module)
        for name in public.__all__:
            found += _lines(f"{module}.{name}", getattr(public, name))
    return [f"API {API_VERSION}", *found]


def _lines(name: str, value: Any) -> Iterator[str]:
    if inspect.ismodule(value):
        listed = getattr(value, "__all__", ())
        for inner, member in sorted(vars(value).items()):
            own = getattr(member, "__module__", "") == value.__name__
            if inner in listed or (own and not listed and not inner.startswith("_")):
                yield from _lines(f"{name}.{inner}", member)
    elif inspect.isclass(value):
        yield f"class {name}{_signature(value)}"
        for inner, member in sorted(_members(value).items()):
            if isinstance(member, property) or not callable(getattr(value, inner, None)):
                yield f"{name}.{inner}"
            else:
                yield f"{name}.{inner}{_signature(getattr(value, inner))}"
    elif callable(value):
        yield f"{name}{_signature(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def _members(cls: type) -> dict[str, Any]:
    """The public members of a class that EPCG defines, inherited ones too."""
    return {
        name: member
        for base in reversed(cls.__mro__)
        if base.__module__.startswith("epcg_core")
        for name, member in vars(base).items()
        if not name.startswith("_")
    }


def _signature(value: Any) -> str:
    """The arguments, their defaults and types as they are written; addresses of objects are left out."""
    try:
        written = str(inspect.signature(getattr(value, "py_func", value)))
    except (TypeError, ValueError):
        return ""
    return re.sub(r" at 0x[0-9a-f]+", "", written)


def recorded() -> list[str]:
    return RECORD.read_text(encoding="utf-8").splitlines()


def broken() -> list[str]:
    """The recorded lines that are gone although the API has the number that it had.

    What takes more than it took is still there: see `signatures.fits`.
    """
    now, before = surface(), recorded()
    if before[:1] != now[:1]:
        return []
    there = {_name(line): line for line in now}
    return sorted(line for line in before[1:] if not _is_there(line, there.get(_name(line), "")))


def _name(line: str) -> str:
    return re.split(r"[(:]", line)[0]


def _is_there(line: str, now: str) -> bool:
    return line == now or (bool(now) and "(" in line and signatures.fits(line, now))


if __name__ == "__main__":
    if RECORD.exists() and (gone := broken()):
        sys.exit(
            "\n".join(gone) + "\nThese are gone or changed. Keep them, as deprecated aliases if need be, "
            "or raise API_VERSION in epcg_core/plugins/__init__.py."
        )
    RECORD.write_text("\n".join(surface()) + "\n", encoding="utf-8")
