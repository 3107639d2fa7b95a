"""A survey as one HTML page: tables of games and of levels, to sort and to search, with drawings."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

from epcg_core.plugin import counted
from epcg_puzzlescript.commands.survey_levels import (
    AS_READ,
    CHANCES,
    IN_PART,
    PROOF,
    LevelRow,
    is_answered,
    words_of,
)
from epcg_puzzlescript.commands.survey_rows import READ, Row, all_kinds, counts_of, share
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rendering.picture import level_svg

MOST_CELLS = 2_500
"""Larger levels are not drawn."""

_GAMES = (
    ("level 1", False), ("game", True), ("outcome", True), ("levels", True), ("answers", True),
    ("cells", True), ("objects", True), ("rules", True), ("elementary rules", True), ("errors", True),
    ("warnings", True), ("engine", True), ("levels searched", True), ("remarks", True),
)  # fmt: skip
"""The heading of each column, and whether the table can be sorted by it."""
_LEVELS = (
    "game", "level", "cells", "answer", "moves", "searched positions", "CPU seconds", "engine", "why",
)  # fmt: skip
_CLASSES = {PROOF: "proof", CHANCES: "chance", AS_READ: "read", IN_PART: "part"}
_SAID = {PROOF: "proof", CHANCES: "all draws"}
_OPEN = {PROOF: "a proof, if the search ends", CHANCES: "by chance", AS_READ: AS_READ, IN_PART: IN_PART}
"""The chips of levels that were searched, and of others."""
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
    games = "\n".join(_game(row, drawings.get(row["file"])) for row in rows)
    levels = "\n".join(line for row in rows for line in _levels(row))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(heading)}</title><style>
{_static("survey.css")}</style></head><body><main>
<h1>{escape(heading)}</h1>
<p>{escape(sentence)}</p>
{_shares(rows)}<p class="find"><label>Show rows with <input type="search" id="words"></label>
<output id="shown"></output></p>
<h2>Games</h2>
{_table("games", "Games", _GAMES, games)}
{_table("levels", "Levels", tuple((name, True) for name in _LEVELS), levels, "Levels") if levels else ""}
{_kinds(rows)}</main><script>
{_static("survey.js")}</script></body></html>
"""


def _table(name: str, label: str, columns: Sequence[tuple[str, bool]], body: str, heading: str = "") -> str:
    """Return a table in a frame that scrolls, with a heading above it if there is one."""
    headings = "".join(
        f'<th scope="col">{f"<button>{escape(text)}</button>" if sorts else escape(text)}</th>'
        for text, sorts in columns
    )
    above = f"<h2>{heading}</h2>\n" if heading else ""
    return f"""{above}<div class="frame" role="region" aria-label="{label}" tabindex="0">
<table id="{name}"><thead><tr>{headings}</tr></thead><tbody>
{body}
</tbody></table></div>"""


def _shares(rows: Sequence[Row]) -> str:
    """Return a list of what can be said of how many levels; '' if there is none."""
    found = share(rows)
    whole = sum(levels for _, _, levels in found)
    items = "".join(
        f"<li>{_chip(kind, _class_of(kind))} {counted(levels, 'level')} ({100 * levels / whole:.1f} %), "
        f"{counted(games, 'game')}</li>"
        for kind, games, levels in found if whole
    )  # fmt: skip
    return f'<ul class="share">{items}</ul>\n' if items else ""


def _class_of(kind: str) -> str:
    return next((name for said, name in _CLASSES.items() if kind.startswith(said)), "part")


def _kinds(rows: Sequence[Row]) -> str:
    """Return the table of the kinds of faults; '' if there is none."""
    listed = "\n".join(
        f"<tr><td>{escape(kind['form'])}</td>"
        + "".join(f'<td class="n">{kind[name]}</td>' for name in ("games", "count", "errors", "warnings"))
        + "</tr>"
        for kind in all_kinds(rows)
    )
    names = tuple((name, True) for name in ("fault", "games", "times", "errors", "warnings"))
    return _table("kinds", "Kinds of faults", names, listed, "Kinds of faults") if listed else ""


def _static(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _game(row: Row, drawing: str | None) -> str:
    """Return a row of the table of games."""
    picture = ""
    if drawing is not None:
        data = b64encode(drawing.encode("utf-8", "replace")).decode()
        picture = f'<img src="data:image/svg+xml;base64,{data}" alt="Level 1 of {escape(row["file"])}">'
    title = str(row.get("title", ""))
    by = f" by {row['author']}" if row.get("author") else ""
    named = f"<b>{escape(row['file'])}</b>" + (f"<br>{escape(title + by)}" if title else "")
    largest = max(row.get("levels", ()), key=lambda size: size[0] * size[1], default=None)
    cells = [f'<td>{picture}</td><th scope="row">{named}</th><td>{escape(row["outcome"])}</td>']
    cells += [_number(len(row["levels"]) if row["outcome"] == READ else None), _answers(row)]
    cells += [_number(largest and largest[0] * largest[1], largest and f"{largest[0]} by {largest[1]}")]
    cells += [_number(row.get(key)) for key in ("objects", "rules", "elementary_rules", "errors", "warnings")]
    cells += [f'<td title="{escape(row.get("engine", ""))}">{escape(row.get("engine_kind", ""))}</td>']
    cells += [_searched(row), _remarks(row)]
    return f"<tr>{''.join(cells)}</tr>"


def _number(value: float | None, shown: str | None = None) -> str:
    if value is None:
        return '<td class="n" data-key="-1"></td>'
    return f'<td class="n" data-key="{value}">{shown or value}</td>'


def _chip(text: str, kind: str, title: str = "") -> str:
    told = f' title="{escape(title)}"' if title else ""
    return f'<span class="chip {kind}"{told}>{escape(text)}</span>'


def _answers(row: Row) -> str:
    """Return the cell of what can be said of a game's levels; it is sorted by the part that can be proven."""
    told = row.get("answers", ())
    if not told:
        return '<td data-key="-1"></td>'
    standings = [level["standing"] for level in told]
    sure = sum(standing in (PROOF, CHANCES) for standing in standings)
    chips = " ".join(
        _chip(f"{standings.count(standing)} {_OPEN[standing]}", name)
        for standing, name in _CLASSES.items() if standing in standings
    )  # fmt: skip
    return f'<td class="chips" data-key="{sure / len(told)}">{chips}</td>'


def _searched(row: Row) -> str:
    """Return the cell of the levels that were searched; it is sorted by how many are solved."""
    found = row.get("solved", ())
    if not found:
        return '<td data-key="-1"></td>'
    solved = sum("moves" in level for level in found)
    return (
        f'<td data-key="{solved}">{escape(counts_of(row))}<br>'
        f'<a href="#levels" data-words="{escape(row["file"])}">its levels</a></td>'
    )


def _levels(row: Row) -> Iterator[str]:
    """Yield the rows of a game's levels; those that follow each other and have no answer share a row."""
    answers: list[LevelRow] = row.get("answers", [])
    pairs = list(zip_longest(answers, row.get("solved", []), fillvalue=LevelRow()))

    def same(pair: tuple[LevelRow, LevelRow]) -> tuple[Any, ...]:
        told, found = pair
        own = (told["level"],) if is_answered(found) or "expansions" in found else ()
        standing = told["standing"], told["but"], told["engine"]
        return (*own, found.get("outcome"), found.get("reason"), *standing)

    for _, group in groupby(pairs, same):
        yield _level(row["file"], list(group))


def _level(file: str, group: Sequence[tuple[LevelRow, LevelRow]]) -> str:
    """Return a row of the table of levels."""
    (told, found), (last, _) = group[0], group[-1]
    number = str(told["level"]) + (f" to {last['level']}" if told is not last else "")
    largest = max((each for each, _ in group), key=lambda each: each["width"] * each["height"])
    size = f"{largest['width']} by {largest['height']}"
    seconds = [each["cpu_seconds"] for _, each in group if "cpu_seconds" in each]
    why = [found.get("reason", ""), *([] if is_answered(found) else [told["but"], told["engine_why"]])]
    engine = _chip(told["engine"], "engine", told["engine_why"])
    cells = [
        f'<th scope="row">{escape(file)}</th>', _number(told["level"], number),
        _number(largest["width"] * largest["height"], size),
        f'<td class="chips">{" ".join(_chips(told, found))}</td>',
        _number(found.get("moves", found.get("lucky_moves"))), _number(found.get("expansions")),
        _number(round(sum(seconds), 2) if seconds else None), f"<td>{engine}</td>",
        f"<td>{' '.join(f'<p>{escape(sentence)}</p>' for sentence in why if sentence)}</td>",
    ]  # fmt: skip
    return f"<tr>{''.join(cells)}</tr>"


def _chips(told: LevelRow, found: LevelRow) -> Iterator[str]:
    """Yield the chips of a level: its answer and how sure that is, or what could be said of it."""
    standing = told["standing"]
    if is_answered(found):
        yield _chip(words_of(found), "found")
        yield _chip(told["but"] or _SAID[standing], _CLASSES[standing])
        return
    if found:
        yield _chip(f"not answered: {words_of(found)}", "limit")
    else:
        yield _chip(_OPEN[standing], _CLASSES[standing], told["but"])


def _remarks(row: Row) -> str:
    """Return the cell of reasons, of what was not read, of notes and of kinds of faults."""
    said = [row["reason"], *row.get("notes", ())]
    shown = "".join(f"<p>{escape(sentence)}</p>" for sentence in said if sentence)
    if row["faults"]:
        listed = "".join(f"<li>{kind['count']} × {escape(kind['form'])}</li>" for kind in row["faults"])
        count = counted(len(row["faults"]), "kind")
        shown += f"<details><summary>{count} of faults</summary><ul>{listed}</ul></details>"
    return f"<td>{shown}</td>"
