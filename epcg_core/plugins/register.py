"""`epcg_core.register`: parts from a script or a notebook, without an installed plugin."""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError, PluginError
from epcg_core.plugins import API_VERSION, hookimpl, scripts
from epcg_core.plugins.claims import Kinds
from epcg_core.plugins.registry import WITHOUT_FILE, registry


def register(*parts: Any, source: str | Path | None = None) -> None:
    """Register parts from a script or a notebook, for this process and its workers.

    Args:
        parts: Domains and other descriptors, as plugins register them.
        source: The file that workers load to find the same parts; by default the calling file. It has to
            call `register` itself. A notebook has no file: without a source its parts are known to the
            executors "serial" and "threads" only.

    Raises:
        PluginError: A part is malformed, or another plugin has one of its name.
        EpcgError: The source is not a file.
    """
    path = _file(sys._getframe(1).f_globals.get("__file__")) if source is None else Path(source).resolve()
    if path is not None and not path.is_file():
        raise EpcgError(f"The source {path} is not a file: name the Python file that registers the parts.")
    found = scripts.loading_into() or registry()
    name = path.stem if path is not None else WITHOUT_FILE
    digest = hashlib.sha256(b"" if path is None else documents.read_bytes(path, "source")).hexdigest()[:12]
    found.remove_plugin(f"script-{name}")
    found.add_plugin(name, _module(parts, found.kinds), f"script-{name}", digest if path is not None else "0")
    if found.reports[-1].problem:
        raise PluginError(found.reports.pop().problem) from None
    if path is not None:
        scripts.remember(path)


def _file(name: object) -> Path | None:
    """Return the file of the code that registers; None if it has none, as in a notebook."""
    path = None if name is None else Path(str(name)).resolve()
    return path if path is not None and path.is_file() else None  # Python calls its input '<stdin>'


def _module(parts: tuple[Any, ...], kinds: Kinds) -> types.ModuleType:
    """Return a plugin's module that registers the parts."""
    module = types.ModuleType("epcg_registered")
    module.EPCG_API_VERSION = API_VERSION  # type: ignore[attr-defined]
    hooks = [kinds.of(part).hook for part in parts]
    for hook in dict.fromkeys(hooks):
        own = tuple(part for part, of in zip(parts, hooks, strict=True) if of == hook)
        setattr(module, hook, hookimpl(_registering(own)))
    return module


def _registering(parts: tuple[Any, ...]) -> Callable[[Callable[[Any], None]], None]:
    def implementation(register: Callable[[Any], None]) -> None:
        for part in parts:
            register(part)

    return implementation
