"""What the requests of the workbench's pages hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epcg_core.errors import QueryError

Message = dict[str, Any]


def text_of(request: Mapping[str, Any], key: str) -> str:
    """Return a text of a request. Raises QueryError if there is none."""
    found = request.get(key)
    if not isinstance(found, str):
        raise QueryError(f"The request needs the text '{key}'.")
    return found


def texts_of(request: Mapping[str, Any], key: str) -> list[str]:
    """Return a list of texts of a request. Raises QueryError if there is none."""
    found = request.get(key)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise QueryError(f"The request needs '{key}', a list of texts.")
    return found


def number_of(request: Mapping[str, Any], key: str, default: float | None = None) -> float:
    """Return a number of a request, or the default. Raises QueryError if there is neither."""
    found = request.get(key)
    if found is None and default is not None:
        return default
    if not isinstance(found, int | float) or isinstance(found, bool) or found != found:
        raise QueryError(f"The request needs the number '{key}'.")
    return found
