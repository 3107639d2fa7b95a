"""The picture of the rooms, drawn from the imports when the pages are built, so that it is never out of date.

```{layout}```     the distributions of this repository, and the rooms of `epcg_core`, with their imports
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
CORE = "epcg_core"
WIDTH, ROW, BOX, GAP = 880, 78, 34, 12
Graph = dict[str, set[str]]


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a module imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room_of(name: str) -> str | None:
    """The room that a dotted name lies in: of the core a folder or module, else the distribution."""
    package, _, rest = name.partition(".")
    if package == CORE:
        room = rest.partition(".")[0]
        return room if (ROOT / CORE / room).is_dir() or (ROOT / CORE / f"{room}.py").is_file() else None
    return package if package.startswith("epcg_") else None


def measured() -> tuple[Graph, dict[str, int]]:
    """Return which room imports which, and the lines of each."""
    graph: Graph = {}
    lines: dict[str, int] = {}
    folders = [ROOT / CORE, *sorted(ROOT.glob("plugins/*/src/epcg_*"))]
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder.parent).with_suffix("")
            room = room_of(".".join(inside.parts))
            if room is None or room.startswith("__"):
                continue
            text = path.read_text(encoding="utf-8")
            if "moved(__name__" in text:  # a former name
                continue
            lines[room] = lines.get(room, 0) + text.count("\n")
            found = {room_of(name) for name in imported(ast.parse(text))}
            graph.setdefault(room, set()).update(
                other for other in found if other and other != room and not other.startswith("__")
            )
    return graph, lines


def floors(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the floor of each room: one above the highest of those that it imports."""
    found: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in found:
            found[room] = 1 + max((floor(other) for other in graph.get(room, ())), default=0)
        return found[room]

    for room in graph:
        floor(room)
    return found


def reduced(graph: Mapping[str, set[str]]) -> Graph:
    """Return the graph without the arrows that others imply."""

    def reached(room: str, seen: set[str]) -> set[str]:
        for other in graph.get(room, ()):
            if other not in seen:
                seen.add(other)
                reached(other, seen)
        return seen

    return {
        room: {
            other
            for other in others
            if not any(other in reached(between, set()) for between in others - {other})
        }
        for room, others in graph.items()
    }


def drawn(graph: Mapping[str, set[str]], lines: Mapping[str, int]) -> str:
    """Return the picture as SVG: the highest floor on top, arrows that others imply left out."""
    level = floors(graph)
    top = max(level.values())
    rows: dict[int, list[str]] = {}
    for room in sorted(graph):
        rows.setdefault(level[room], []).append(room)
    place: dict[str, tuple[float, float, float]] = {}
    boxes = []
    for number, rooms in rows.items():
        width = min(150.0, (WIDTH - GAP) / len(rooms) - GAP)
        left = (WIDTH - len(rooms) * (width + GAP) + GAP) / 2
        y = (top - number) * ROW + 8
        for i, room in enumerate(rooms):
            x = left + i * (width + GAP)
            place[room] = (x + width / 2, y, width)
            kind = "distribution" if room.startswith("epcg_") else "room"
            name = room.replace("_", "-") if kind == "distribution" else room
            title = f"<title>{escape(name)}: {lines[room]:,} lines</title>"
            boxes.append(
                f'<g class="{kind}">{title}<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" '
                f'rx="5"/><text x="{x + width / 2:.0f}" y="{y + 15}">{escape(name)}</text>'
                f'<text class="size" x="{x + width / 2:.0f}" y="{y + 28}">{lines[room] / 1000:.1f}k</text>'
                "</g>"
            )
    arrows = []
    for room, others in reduced(graph).items():
        x, y, _ = place[room]
        for other in sorted(others):
            u, v, _ = place[other]
            middle = (y + BOX + v) / 2
            arrows.append(
                f'<path d="M{x:.0f} {y + BOX} C{x:.0f} {middle:.0f} {u:.0f} {middle:.0f} {u:.0f} {v}"/>'
            )
    style = (
        ".room rect{fill:#dbe7f3;stroke:#4a6d8c}.distribution rect{fill:#f4e6cf;stroke:#a07b3b}"
        "text{font:12px sans-serif;text-anchor:middle;fill:#1c2733}.size{font-size:9px;fill:#55636f}"
        "path{fill:none;stroke:#8896a3;stroke-width:1;opacity:.7}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top * ROW}" role="img" '
        f'style="max-width:100%;background:#fff" aria-label="The rooms, and which imports which">'
        f"<style>{style}</style>{''.join(arrows)}{''.join(boxes)}</svg>"
    )


class Layout(SphinxDirective):
    """The picture of all rooms."""

    def run(self) -> list[nodes.Node]:
        for path in [*ROOT.glob(f"{CORE}/**/*.py"), *ROOT.glob("plugins/*/src/**/*.py")]:
            self.env.note_dependency(str(path))
        graph, lines = measured()
        return [nodes.raw("", drawn(graph, lines), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("layout", Layout)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
