"""The picture of the tables that matter, with the references of a new database.

```{tables}```     a line a row of boxes, `table: what it holds | . | ...`; a dot leaves a place free

An arrow is a reference from one table to another. A dashed line goes through a table that is not drawn, whose
name it has: one that refers to both ends, or to which one end refers and which refers to the other.
"""

from __future__ import annotations

import logging
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH, HEIGHT, ACROSS, DOWN = 184, 46, 240, 96
References = dict[str, set[str]]
Cell = tuple[str, str] | None
"""A table with what it holds, or nothing."""


@cache
def references() -> References:
    """Return which tables each table of a new database refers to."""
    from epcg_core.store import Store

    logging.getLogger("alembic").setLevel(logging.WARNING)
    query = (
        'SELECT s.name, f."table" FROM sqlite_schema AS s '
        "LEFT JOIN pragma_foreign_key_list(s.name) AS f WHERE s.type = 'table'"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        with Store.open(path, write=True):
            pass
        with closing(sqlite3.connect(path)) as connection:
            found: References = {}
            for name, other in connection.execute(query):
                found.setdefault(name, set()).update([other] if other else [])
    return found


def lines_between(shown: Sequence[str], graph: Mapping[str, set[str]]) -> list[tuple[str, str, str]]:
    """Return (from, to, through) for the tables shown: `through` is '' for a reference."""
    direct = [(one, other, "") for one in shown for other in sorted(graph[one]) if other in shown]
    joined = {frozenset(pair[:2]) for pair in direct}
    found = list(direct)
    for through in sorted(graph.keys() - set(shown)):
        ends = [other for other in shown if other in graph[through]]
        referring = [one for one in shown if through in graph[one]]
        pairs = [(one, other) for one in referring for other in ends]
        if not referring:
            pairs += [(one, other) for i, one in enumerate(ends) for other in ends[i + 1 :]]
        for one, other in pairs:
            if one != other and frozenset((one, other)) not in joined:
                joined.add(frozenset((one, other)))
                found.append((one, other, through))
    return found


def edge(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """Return where the line from the middle of a box leaves it on the way to another middle."""
    x, y, u, v = *start, *end
    scale = min(
        WIDTH / 2 / abs(u - x) if u != x else float("inf"),
        HEIGHT / 2 / abs(v - y) if v != y else float("inf"),
    )
    return x + (u - x) * scale, y + (v - y) * scale


def drawn(rows: Sequence[Sequence[Cell]], graph: Mapping[str, set[str]]) -> str:
    """Return the picture as SVG."""
    middle: dict[str, tuple[float, float]] = {}
    boxes = []
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell is None:
                continue
            name, what = cell
            x, y = c * ACROSS + WIDTH / 2 + 4, r * DOWN + HEIGHT / 2 + 4
            middle[name] = (x, y)
            boxes.append(
                f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" '
                f'rx="5"/><text class="name" x="{x:.0f}" y="{y - 4:.0f}">{escape(name)}</text>'
                f'<text x="{x:.0f}" y="{y + 13:.0f}">{escape(what)}</text>'
            )
    lines = []
    for one, other, through in lines_between(list(middle), graph):
        (x, y), (u, v) = edge(middle[one], middle[other]), edge(middle[other], middle[one])
        kind = 'class="through"' if through else 'marker-end="url(#refers)"'
        lines.append(f'<path {kind} d="M{x:.0f} {y:.0f} L{u:.0f} {v:.0f}"/>')
        if through:
            place = f'x="{(x + u) / 2:.0f}" y="{(y + v) / 2 - 4:.0f}"'
            lines.append(f'<text class="label" {place}>{escape(through)}</text>')
    width = (max(len(row) for row in rows) - 1) * ACROSS + WIDTH + 8
    height = (len(rows) - 1) * DOWN + HEIGHT + 8
    style = (
        "rect{fill:#dbe7f3;stroke:#4a6d8c}text{font:11px sans-serif;text-anchor:middle;fill:#1c2733}"
        ".name{font:bold 13px monospace}.label{font:10px monospace;fill:#55636f;paint-order:stroke;"
        "stroke:#fff;stroke-width:4px}path{fill:none;stroke:#5b6975;stroke-width:1.2}"
        ".through{stroke-dasharray:4 3}#refers path{fill:#5b6975;stroke:none}"
    )
    head = (
        '<defs><marker id="refers" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'style="max-width:100%;background:#fff" aria-label="Tables, and which refers to which">'
        f"<style>{style}</style>{head}{''.join(lines)}{''.join(boxes)}</svg>"
    )


def cell(text: str) -> Cell:
    """Read `table: what it holds`, or a dot."""
    name, _, what = text.strip().partition(":")
    return None if name == "." else (name, what.strip())


class Tables(SphinxDirective):
    """The picture of some tables."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = [[cell(text) for text in line.split("|")] for line in self.content if line.strip()]
        graph = references()
        unknown = [each[0] for row in rows for each in row if each and each[0] not in graph]
        if unknown:
            raise self.error(f"there is no table {', '.join(unknown)}")
        return [nodes.raw("", drawn(rows, graph), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("tables", Tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
