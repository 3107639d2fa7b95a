"""The corpus of The Windmill's panels, and the sets of the 2024 paper, found again by what panels hold.

The paper says what its panels hold, and how many there are, but not which they are. What is known of the set
of 103 panels, whose list is published, is asked of the others too: one line from one start to one end, fewer
than 40 upvotes, contents that were posted once. Many panels posted in a row are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import attrs

from epcg_witness.formats.windmill import read_windmill
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import UnknownDifficultyError, check_difficulty
from epcg_witness.rules.panel import Panel, Square, Star, Triangles

CORPUS_FILE = "windmill/corpus_2024.json.gz"
SIDE = 4
PUBLISHED_BEFORE = datetime(2021, 11, 29, tzinfo=UTC).timestamp() * 1000
"""Milliseconds since 1970: the paper takes panels from before that day."""
MOST_UPVOTES = 39
"""The most that a panel of the published list has; four other panels of its kind have 46 to 179."""
IN_A_ROW, A_DAY = 8, 24 * 3600 * 1000
"""Number of panels of a set, each within a day of the one before, that are left out as a row."""

Set = Literal["triangles", "other"]


@attrs.frozen
class Posted:
    """A panel of the corpus that can be read."""

    id: str
    contents: str
    panel: Panel
    created_ms: float
    solves: int
    upvotes: int


def read_corpus(entries: Sequence[dict[str, Any]]) -> list[Posted]:
    """Return the panels that can be read, in the order in which they were posted."""
    found = []
    for entry in entries:
        try:
            panel = read_windmill(entry["contents"])
        except PanelError:  # larger than 7 by 7 cells, most of them
            continue
        found.append(
            Posted(
                entry["id"], entry["contents"], panel, entry["created_ms"], entry["solves"], entry["upvotes"]
            )
        )
    return sorted(found, key=lambda posted: (posted.created_ms, posted.id))


def is_measured(panel: Panel) -> bool:
    """Return whether the measures of difficulty are defined for a panel."""
    try:
        check_difficulty(panel)
    except UnknownDifficultyError:
        return False
    return True


def published_set(posted: Sequence[Posted], which: Set) -> list[Posted]:
    """Return the panels of a set of the 2024 paper, as far as the corpus shows which they are.

    Args:
        posted: all panels, in the order in which they were posted.
        which: 'triangles' with at least one triangle, dots and gaps; 'other' with squares, stars, dots, gaps.

    Returns:
        The panels, in the same order.
    """
    times = Counter(each.contents for each in posted)
    alike = [each for each in posted if _is_simple(each.panel) and _holds(each.panel, which)]
    rows = _rows(alike)
    return [
        each
        for each in alike
        if each.created_ms < PUBLISHED_BEFORE
        and each.upvotes <= MOST_UPVOTES
        and times[each.contents] == 1
        and rows[each.id] < IN_A_ROW
    ]


def _is_simple(panel: Panel) -> bool:
    return (
        (panel.width, panel.height) == (SIDE, SIDE)
        and is_measured(panel)
        and len(panel.starts) == len(panel.ends) == 1
        and not panel.missing
        and not panel.edge_starts
        and not panel.edge_ends
    )


def _holds(panel: Panel, which: Set) -> bool:
    symbols = [symbol for _, symbol in panel.symbols]
    if which == "triangles":
        return bool(symbols) and all(isinstance(symbol, Triangles) for symbol in symbols)
    return all(isinstance(symbol, Square | Star) for symbol in symbols)


def _rows(posted: Sequence[Posted]) -> dict[str, int]:
    """Return how many panels were posted in the row of each, none more than a day after the one before."""
    rows: list[list[Posted]] = []
    for each in posted:
        if rows and each.created_ms - rows[-1][-1].created_ms <= A_DAY:
            rows[-1].append(each)
        else:
            rows.append([each])
    return {each.id: len(row) for row in rows for each in row}
