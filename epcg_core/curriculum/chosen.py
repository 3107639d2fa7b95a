"""The puzzles that a curriculum has chosen so far, or that its plan lists by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import CurriculumError, shortened
from epcg_core.curriculum.by_hand import Found
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.spec import CanonicalRanks, SpaceSpec, canonical_ranks_of, make_generator
from epcg_core.store.likeness import Looks, looks_of


class Chosen:
    """The puzzles that a curriculum has chosen so far."""

    def __init__(self) -> None:
        self.where: dict[tuple[str, int], str] = {}
        """(space, rank) -> the chapter."""
        self.contents: dict[str, str] = {}
        """Digest of a content -> the puzzle that has it."""
        self.used: dict[tuple[str, Any], str] = {}
        """(measure, value) -> the puzzle that has it."""
        self.reserved: dict[str, str] = {}
        """A puzzle that is listed by hand -> the chapter."""
        self._generators: dict[str, tuple[SpaceSpec, Any]] = {}
        self._looks: dict[str, Looks] = {}
        self._canonical: dict[tuple[str, bool | tuple[str, ...]], CanonicalRanks] = {}

    def reserve(self, found: Found, where: str) -> None:
        """Take a puzzle that a part lists by hand, so that no other part chooses it.

        Raises CurriculumError if another list has it, or one with its content.
        """
        key, content = (found.space.name, found.rank), found.content_sha256
        if content in self.contents:
            other = self.contents[content]
            first = self.reserved[other]
            raise CurriculumError(
                f"{where} lists {shortened(found.puzzle, 100)}, and {first} lists "
                f"{'it' if other == found.puzzle else 'the same content'}, too: leave one of them out."
            )
        self.where[key], self.contents[content] = where, found.puzzle
        self.reserved[found.puzzle] = where

    def generator(self, space: str) -> Any:
        """Return the generator of a space, made once."""
        return self._made(space)[1]

    def looks(self, space: str) -> Looks:
        """Return the function from ranks of a space to what lies at each place, made once."""
        if space not in self._looks:
            spec, generator = self._made(space)
            self._looks[space] = looks_of(spec.domain, spec.generator.name, generator)
        return self._looks[space]

    def canonical_ranks(
        self, space: str, ranks: NDArray[np.int64], distinct: bool | Sequence[str] = True
    ) -> NDArray[np.int64]:
        """Return the (n,) first ranks of the symmetry classes of (n,) ranks, by all or some symmetries.

        Raises QueryError if there are no classes.
        """
        key = space, distinct if isinstance(distinct, bool) else tuple(distinct)
        if key not in self._canonical:
            self._canonical[key] = canonical_ranks_of(*self._made(space), distinct)
        return self._canonical[key](ranks)

    def _made(self, space: str) -> tuple[SpaceSpec, Any]:
        if space not in self._generators:
            spec, _ = parse_puzzle_id(registry(), puzzle_id(space, 0))
            self._generators[space] = spec, make_generator(registry(), spec)
        return self._generators[space]
