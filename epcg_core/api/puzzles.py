"""Puzzles as objects that draw themselves. Light: neither numpy nor the database."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import attrs

from epcg_core.api.arguments import checked_methods
from epcg_core.api.report import number_in_words
from epcg_core.base.errors import EpcgError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator
from epcg_core.rendering.render import render

SHOWN = 12
"""Puzzles that a list of them draws; more are counted."""


@checked_methods
@attrs.frozen
class Puzzle:
    """A candidate by its id, which rebuilds it anywhere."""

    id: str
    values: dict[str, Any] = attrs.field(factory=dict)

    @property
    def state(self) -> Any:
        """The state returned by the generator's `unrank`."""
        space, rank = parse_puzzle_id(registry(), self.id)
        return make_generator(registry(), space).unrank(rank)

    @property
    def svg(self) -> str:
        """Its picture as SVG. Raises EpcgError if its domain draws none."""
        return render(self.id, "svg")

    def __str__(self) -> str:
        return render(self.id, "text")

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg
        except EpcgError:
            return None

    def _figure(self) -> str:
        svg = self._repr_svg_()
        picture = svg if svg is not None else f"<pre>{escape(str(self))}</pre>"
        values = ", ".join(f"{name} {number_in_words(value)}" for name, value in self.values.items())
        return (
            '<figure style="display:inline-block;width:180px;margin:6px;vertical-align:top">'
            f"{picture}<figcaption>{escape(values)}</figcaption></figure>"
        )


@checked_methods
@attrs.frozen
class Puzzles(Sequence[Puzzle]):
    """Candidates in order."""

    puzzles: tuple[Puzzle, ...]

    def __getitem__(self, position: Any) -> Any:
        return self.puzzles[position]

    def __len__(self) -> int:
        return len(self.puzzles)

    def _repr_html_(self) -> str:
        drawn = "".join(puzzle._figure() for puzzle in self.puzzles[:SHOWN])
        more = len(self.puzzles) - SHOWN
        return f"<div>{drawn}</div>" + (f"<p>and {more:,} more</p>" if more > 0 else "")
