"""How pictures are laid out on pages."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from epcg_core.inside import size_of

LARGEST_ICON = 200
"""The width or height of pictures, as their SVG names it, that stand beside their text."""
COLUMNS, SOLUTION_COLUMNS = 2, 3
"""The most puzzles, and the most solutions, side by side."""


def is_icon(picture: str) -> bool:
    """Return whether a picture is small enough to stand beside its text."""
    return bool(picture) and max(size_of(picture)) <= LARGEST_ICON


def columns_for(pictures: Sequence[str | None], most: int) -> int:
    """Return how many columns of a page pictures of these shapes fill best, up to `most`."""
    shapes = [width / height for width, height in (size_of(svg) for svg in pictures if svg is not None)]
    middle = median(shapes) if shapes else 1.0
    return max(1, min(most, round(most / middle)))
