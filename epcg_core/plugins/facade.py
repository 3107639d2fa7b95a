"""Public modules: lists of names that are imported from private modules when they are first used.

The list stands once, in the block `if TYPE_CHECKING` of the public module, which type checkers and editors
read, too.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CORE = __name__.partition(".")[0]
PUBLIC = f"{_CORE}.plugin"
"""The public module for plugins; `epcg_core` itself is the one for people."""
INSIDE = f"{_CORE}.inside"
"""The module for distributions that are released with the core; its names are not promised."""


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
            raise AttributeError(f"module '{module}' has no attribute '{name}'{_elsewhere(module, name)}")
        home, attribute = known[name]
        found = _imported(home, attribute)
        setattr(sys.modules[module], name, found)
        return found

    return load, lambda: names, names


def _elsewhere(module: str, name: str) -> str:
    """Return where a name is that the public module does not have: it may not be promised."""
    inside = Path(__file__).parents[1] / f"{INSIDE.partition('.')[2]}.py"
    if name.startswith("__"):  # each import of a name, in a function too, asks for `__path__`: it took 2 ms
        return ""
    if module != PUBLIC or name not in homes(inside.read_bytes()):
        return ""
    return f"; {INSIDE} has it, without a promise: it may change or go in any release"


def _imported(home: str, attribute: str) -> Any:
    """Return what a module defines, or a module of a package."""
    found = importlib.import_module(home)
    if hasattr(found, attribute):
        return getattr(found, attribute)
    return importlib.import_module(f"{home}.{attribute}")
