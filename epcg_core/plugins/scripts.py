"""Parts that a script or a notebook registers: the files from which processes load them.

They are named in `EPCG_REGISTERED`, so worker processes find the same parts: a process loads each file up to
its first request for an answer.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from epcg_core.base.errors import PluginError

REGISTERED = "EPCG_REGISTERED"
"""The environment variable with the files whose parts `epcg_core.register` registered."""
_loading: list[Any] = []
"""The registry that a file is being loaded into; empty if none is."""


class _EndOfParts(BaseException):
    """Ends the loading of a script: what follows asks for answers."""


def registered() -> list[Path]:
    """Return the files whose parts were registered in this process or in the one that started it."""
    return [Path(file) for file in os.environ.get(REGISTERED, "").split(os.pathsep) if file]


def remember(path: Path) -> None:
    """Add a file for the processes that this one starts."""
    files = dict.fromkeys([*map(str, registered()), str(path)])
    os.environ[REGISTERED] = os.pathsep.join(files)


def loading_into() -> Any:
    """Return the registry that a file is being loaded into; None if none is being loaded."""
    return _loading[-1] if _loading else None


def end_of_parts() -> None:
    """Stop loading a script whose parts are wanted; called when it asks for an answer."""
    if _loading:
        raise _EndOfParts


def load(path: Path, into: Any) -> None:
    """Run a file up to its first request for an answer, so that it registers its parts."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if main is not None and Path(main).resolve() == path:
        return  # the script itself, which registers its parts as it runs
    name = f"epcg_registered_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{REGISTERED}: {path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _into(into):
        try:
            spec.loader.exec_module(module)
        except _EndOfParts:
            return


@contextmanager
def _into(found: Any) -> Iterator[None]:
    _loading.append(found)
    try:
        yield
    finally:
        _loading.pop()
