"""Inventories of installed plugins, compared before a machine computes units."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Callable, Iterable, Iterator

import attrs

from epcg_core.inside import Unit, sources_of
from epcg_core.plugin import registry

_LIBRARIES = ("numba", "numpy")
"""Libraries whose version may affect results. For Python, major and minor version count."""


@attrs.frozen
class Installed:
    """One distribution."""

    version: str
    digest: str = ""
    """The digest of the sources of its parts that compute; empty for a library."""
    problem: str = ""
    """Why it cannot be used though it is there."""


Inventory = dict[str, Installed]


@attrs.frozen
class InventoryWork:
    """A work whose result, for any unit, is the inventory of a fresh process on this machine."""

    def set_up(self) -> Callable[[Unit], Inventory]:
        return lambda unit: inventory()


def inventory() -> Inventory:
    """List the core, every active plugin, and the libraries that results may depend on."""
    found = {"Python": Installed(".".join(platform.python_version_tuple()[:2]))}
    for library in _LIBRARIES:
        found[library] = Installed(importlib.metadata.version(library))
    for report in registry().reports:
        core = report.distribution == "epcg-core"
        files = sources_of(registry().modules_that_compute(report.distribution)).files
        text = "".join(
            f"{label} {digest}\n"
            for label, digest in sorted(files.items())
            if core == label.startswith("epcg_core/")
        )
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        found[report.distribution] = Installed(report.version, digest, report.problem)
    return found


def differences(here: Inventory, there: Inventory, needs: Iterable[str]) -> Iterator[str]:
    """Yield each difference that matters for work with these `needs`: 'it has ..., and here ...'."""
    names = {"epcg-core", *(need.rpartition(" ")[0] for need in needs)}
    for name in (*sorted(names), "Python", *_LIBRARIES):
        mine, theirs = here.get(name), there.get(name)
        if mine is None:
            continue
        if theirs is None:
            yield f"it has no {name}, and here is {name} {mine.version}"
        elif theirs.version != mine.version:
            yield f"it has {name} {theirs.version}, and here is {name} {mine.version}"
        elif theirs.problem:
            yield f"its {name} {theirs.version} does not work ({theirs.problem})"
        elif theirs.digest != mine.digest:
            yield (
                f"it has {name} {theirs.version} with other source files (digest {theirs.digest}) than the "
                f"{name} {mine.version} here (digest {mine.digest})"
            )
