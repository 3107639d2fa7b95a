"""Spaces that retrograde analysis solves layer by layer."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from epcg_core.domain.values import Bits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Allocate: TypeAlias = "Callable[[str, int], NDArray[np.uint64]]"
"""(name, words) -> a zeroed array that all workers will see read-only."""


def release_pages(array: NDArray[Any]) -> None:
    """Give back the memory of an array that lies in a mapped file; what was written stays in the file.

    Arrays that lie in no file are left alone. For tables that are larger than the memory that a run may take.
    """
    owner: Any = array
    while owner is not None and not isinstance(owner, mmap.mmap):
        if getattr(owner, "mode", None) == "c":  # a private copy, which is in no file
            return
        owner = getattr(owner, "base", None)
    if owner is not None and hasattr(mmap, "MADV_DONTNEED"):
        owner.madvise(mmap.MADV_DONTNEED)


class LayeredSpace(Protocol):
    """A generator's space seen as the top of a stack of layers, each solved from the one below.

    Every action leads from a layer to the next lower one, and goals lie on the lowest only, so a layer's
    states are solved by looking their successors up (Sturtevant & Ota 2018, Algorithm 5). The layers are
    generators of the same name with other params. Optional, for speed: `working_tables` and `solve_block`
    (see `CompiledLayers`).
    """

    @property
    def layers(self) -> range:
        """The layers' numbers, lowest first; the last is the generator's own."""

    def params(self, layer: int) -> Any:
        """Return the params of the generator whose ranks are the states of `layer`."""


@runtime_checkable
class CompiledLayers(Protocol):
    """The compiled capability of a layered space."""

    def working_tables(self, layer: int, lower: Mapping[str, Bits], allocate: Allocate) -> None:
        """Prepare the table of the layer below for solving `layer`.

        `lower` holds the metrics `solvable` and `unique` of the layer below, by rank (empty for the lowest
        layer). `allocate` makes the arrays that all workers will see.
        """

    def solve_block(
        self, layer: int, tables: Mapping[str, NDArray[np.uint64]], start: int, count: int, uniqueness: str
    ) -> tuple[Bits, Bits]:
        """Return (solvable, unique) of ranks start .. start + count - 1 of `layer`."""

    def block_size(self, layer: int) -> int:
        """Return about how many ranks one call should solve: less than a second's work."""


@runtime_checkable
class SizedLayers(Protocol):
    """The capability of compiled layers to say how large their tables are before they are made."""

    def working_bytes(self, layer: int) -> int:
        """Return the bytes of all arrays that `working_tables` allocates for `layer`."""
