"""Which recorded runs are about puzzles of the same kind as a given one, so that they can be compared."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from epcg_core.base.errors import PLUGIN_EXCEPTIONS
from epcg_core.domain.content import format_state
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import SpaceSpec, make_generator
from epcg_core.store import RunRecord
from epcg_core.store.naming import space_of

MOST_SPACES = 50
"""Spaces that are looked into for one puzzle; those of older runs are taken for others."""


class Kind:
    """The kind of one puzzle: the spaces that hold it, or hold variants of it.

    A list of puzzles cannot say what it holds. Lists of one generator are of one kind if they differ only in
    texts, such as names of files.
    """

    def __init__(self, space: SpaceSpec, generator: Any, rank: int) -> None:
        self._space, self._generator = space, generator
        self._state = generator.unrank(rank)
        self._text = format_state(generator, self._state)
        self._known: dict[str, bool] = {space.name: True}

    def has(self, record: RunRecord) -> bool:
        """Return whether a run is about puzzles of this kind."""
        if record.space not in self._known:
            found = False
            if record.domain == self._space.domain and len(self._known) <= MOST_SPACES:
                with suppress(*PLUGIN_EXCEPTIONS):  # it cannot be made, or does not read the puzzle
                    found = self._is_in(space_of(record))
            self._known[record.space] = found
        return self._known[record.space]

    def _is_in(self, space: SpaceSpec) -> bool:
        same = space.generator.name == self._space.generator.name
        generator = make_generator(registry(), space)
        if (original := getattr(generator, "original", None)) is not None:
            return format_state(generator, original) == self._text
        if hasattr(generator, "rank"):
            state = self._state if same else generator.parse(self._text)
            rank = int(generator.rank(state))
            return format_state(generator, generator.unrank(rank)) == self._text
        return same and _without_texts(space) == _without_texts(self._space)


def _without_texts(space: SpaceSpec) -> dict[str, Any]:
    return {key: value for key, value in space.generator.params.items() if not isinstance(value, str)}
