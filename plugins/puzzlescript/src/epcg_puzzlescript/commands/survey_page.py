"""A survey as one HTML page: a table to sort and search, with a drawing of each game's first level."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from epcg_core.plugin import counted
from epcg_puzzlescript.commands.survey_rows import READ, Row, all_kinds, counts_of
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rendering.picture import level_svg

MOST_CELLS = 2_500
"""Larger levels are not drawn."""

_COLUMNS = (
    ("level 1", False), ("game", True), ("outcome", True), ("levels", True), ("cells", True),
    ("objects", True), ("rules", True), ("elementary rules", True), ("errors", True), ("warnings", True),
    ("engine", True), ("levels searched", True), ("remarks", True),
)  # fmt: skip
"""The heading of each column, and whether the table can be sorted by it."""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def drawing_of(game: Game) -> str | None:
    """Return the first level as an SVG document; None if it is too large."""
    level = level_of(game, 0)
    return level_svg(level) if level.width * level.height <= MOST_CELLS else None


def as_page(rows: Sequence[Row], drawings: Mapping[str, str], heading: str, sentence: str) -> str:
    """Return the page of a survey, which needs nothing beside it.

    Args:
        rows: the rows.
        drawings: SVG documents by the file of their row.
        heading: the title.
        sentence: what stands below it.
    """
    headings = "".join(
        f'<th scope="col">{f"<button>{escape(name)}</button>" if sorts else escape(name)}</th>'
        for name, sorts in _COLUMNS
    )
    body = "\n".join(_row(row, drawings.get(row["file"])) for row in rows)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(heading)}</title><style>
{_static("survey.css")}</style></head><body>
<h1>{escape(heading)}</h1>
<p>{escape(sentence)}</p>
<p><label>Show rows with <input type="search" id="words"></label> <output id="shown"></output></p>
<table id="games"><thead><tr>{headings}</tr></thead><tbody>
{body}
</tbody></table>
{_kinds(rows)}<script>
{_static("survey.js")}</script></body></html>
"""


def _kinds(rows: Sequence[Row]) -> str:
    """Return the table of the kinds of faults; '' if there is none."""
    names = "".join(
        f'<th scope="col"><button>{name}</button></th>'
        for name in ("fault", "games", "times", "errors", "warnings")
    )
    listed = "\n".join(
        f"<tr><td>{escape(kind['form'])}</td>"
        + "".join(f'<td class="n">{kind[name]}</td>' for name in ("games", "count", "errors", "warnings"))
        + "</tr>"
        for kind in all_kinds(rows)
    )
    if not listed:
        return ""
    return f"""<h2>Kinds of faults</h2>
<table id="kinds"><thead><tr>{names}</tr></thead><tbody>
{listed}
</tbody></table>
"""


def _static(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _row(row: Row, drawing: str | None) -> str:
    """Return a row of the table."""
    picture = ""
    if drawing is not None:
        data = b64encode(drawing.encode("utf-8", "replace")).decode()
        picture = f'<img src="data:image/svg+xml;base64,{data}" alt="Level 1 of {escape(row["file"])}">'
    title = str(row.get("title", ""))
    by = f" by {row['author']}" if row.get("author") else ""
    named = f"<b>{escape(row['file'])}</b>" + (f"<br>{escape(title + by)}" if title else "")
    largest = max(row.get("levels", ()), key=lambda size: size[0] * size[1], default=None)
    cells = [f"<td>{picture}</td><td>{named}</td><td>{escape(row['outcome'])}</td>"]
    cells += [_number(len(row["levels"]) if row["outcome"] == READ else None)]
    cells += [_number(largest and largest[0] * largest[1], largest and f"{largest[0]} by {largest[1]}")]
    cells += [_number(row.get(key)) for key in ("objects", "rules", "elementary_rules", "errors", "warnings")]
    cells += [f'<td title="{escape(row.get("engine", ""))}">{escape(row.get("engine_kind", ""))}</td>']
    cells += [_levels(row), _remarks(row)]
    return f"<tr>{''.join(cells)}</tr>"


def _number(value: int | None, shown: str | None = None) -> str:
    if value is None:
        return '<td class="n" data-key="-1"></td>'
    return f'<td class="n" data-key="{value}">{shown or value}</td>'


def _levels(row: Row) -> str:
    """Return the cell of the levels that were searched; it is sorted by how many are solved."""
    found = row.get("solved", ())
    solved = sum("moves" in level for level in found)
    listed = "".join(
        f"<li>{level['level']}: {escape(level['outcome'])}"
        + (f" in {counted(level['moves'], 'move')}" if "moves" in level else "")
        + (f": {escape(level['reason'])}" if "reason" in level else "")
        + "</li>"
        for level in found
    )
    if not found:
        return '<td data-key="-1"></td>'
    summary = escape(counts_of(row))
    return f'<td data-key="{solved}"><details><summary>{summary}</summary><ul>{listed}</ul></details></td>'


def _remarks(row: Row) -> str:
    """Return the cell of reasons, of what was not read, of notes and of kinds of faults."""
    said = [row["reason"], *row.get("notes", ())]
    shown = "".join(f"<p>{escape(sentence)}</p>" for sentence in said if sentence)
    if row["faults"]:
        listed = "".join(f"<li>{kind['count']} × {escape(kind['form'])}</li>" for kind in row["faults"])
        count = counted(len(row["faults"]), "kind")
        shown += f"<details><summary>{count} of faults</summary><ul>{listed}</ul></details>"
    return f"<td>{shown}</td>"
