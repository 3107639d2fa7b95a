"""Exceptions of rules, policies and scorers, which run inside an evaluator, with the name of the part."""

from __future__ import annotations

from typing import NoReturn

from epcg_core.base.errors import (
    EpcgError,
    fault_of,
    format_exception,
    name_and_place,
    package_of,
    place_of,
)
from epcg_core.domain import LimitReachedError


def attribute(error: Exception, kind: str, part: object) -> NoReturn:
    """Raise a PluginError that names the part behind an exception.

    Exceptions with a sentence of their own, a limit that was reached and a lack of memory are raised as they
    are.
    """
    if isinstance(error, EpcgError | LimitReachedError | MemoryError):
        raise error
    failure = fault_of(
        part, f"The {kind} {name_and_place(part)} raised {format_exception(error)}{place_of(error)}."
    )
    failure.package = package_of(error) or failure.package
    raise failure from error
