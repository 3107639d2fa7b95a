"""Public modules: lists of names that are imported from private modules when they are first used.

The list stands once, in the block `if TYPE_CHECKING` of the public module, which type checkers and editors
read, too.
"""

from __future__ import annotations

import ast
import importlib
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

PUBLIC = f"{__name__.partition('.')[0]}.plugin"
"""The public module for plugins; `epcg_core` itself is the one for people."""


def homes(content: str | bytes) -> dict[str, tuple[str, str]]:
    """Map the names of a public module to (the module that defines each, its name there).

    Args:
        content: the text of the public module.
    """
    return {
        alias.asname or alias.name: (str(statement.module), alias.name)
        for node in ast.parse(content).body
        if isinstance(node, ast.If)
        for statement in node.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def facade(module: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make what a public module needs so that its names are there when they are first used.

    Args:
        module: its `__name__`.
        file: its `__file__`.

    Returns:
        its `__getattr__`, `__dir__` and `__all__`.
    """
    known = homes(Path(file).read_bytes())
    names = sorted(known)

    def load(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        home, attribute = known[name]
        found = _imported(home, attribute)
        setattr(sys.modules[module], name, found)
        return found

    return load, lambda: names, names


def _imported(home: str, attribute: str) -> Any:
    """Return what a module defines, or a module of a package."""
    found = importlib.import_module(home)
    if hasattr(found, attribute):
        return getattr(found, attribute)
    return importlib.import_module(f"{home}.{attribute}")


def moved(module: str, home: str, public: str = PUBLIC) -> Callable[[str], Any]:
    """Make the `__getattr__` of a module whose names plugins imported until they moved.

    Args:
        module: its `__name__`.
        home: the module that defines the names now.
        public: the public module to import them from.
    """

    def load(name: str) -> Any:
        found = None if name.startswith("_") else getattr(_installed(home, module), name, None)
        if found is None:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        warnings.warn(
            f"{module} is not a public module of EPCG: import {name} from {public}",
            DeprecationWarning,
            stacklevel=2,
        )
        return found

    return load


def _installed(home: str, module: str) -> ModuleType:
    """Import the home of names that moved.

    Raises ModuleNotFoundError, which names the distribution that has it, if that is not installed.
    """
    try:
        return importlib.import_module(home)
    except ModuleNotFoundError as error:
        if error.name != home:
            raise
        distribution = home.partition(".")[0].replace("_", "-")
        raise ModuleNotFoundError(
            f"{module} is now {home}, in a distribution that is not installed: pip install {distribution}",
            name=home,
        ) from None
