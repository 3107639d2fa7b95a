"""The pages of a study: one folder with all that a browser needs."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import canonical_json, editing, instructions, opened_state, render_unsolved
from epcg_core.plugin import (
    EpcgError,
    Progress,
    QueryError,
    documents,
    make_generator,
    parse_puzzle_id,
    registry,
    writing,
)
from epcg_publishing.limits import MOST_POSITIONS
from epcg_publishing.play_data import packed
from epcg_publishing.play_graph import DEAD, UNKNOWN, play_graph
from epcg_publishing.site import pages
from epcg_publishing.study.laid import Laid
from epcg_publishing.texts import ENGLISH, block, in_language

SCRIPTS = ("person.js", *pages.PLAYER, "questions.js", "study.js")
PLAN = "study.json"


@attrs.frozen
class Shown:
    """A puzzle of the pages."""

    name: str
    positions: int
    complete: bool
    """Whether all positions that can be reached are there."""
    solvable: bool
    """Whether a solution is among them."""


def write_study(
    laid: Laid, folder: Path, most: int = MOST_POSITIONS, *, where: str = "plan", quiet: bool = True
) -> list[Shown]:
    """Write the pages of a study into a folder, which must not exist or be empty.

    Args:
        laid: the study.
        folder: the folder; it appears when all is written, and not at all if that fails.
        most: the most positions that a puzzle carries (see `play_graph`).
        where: the beginning of messages about the plan.
        quiet: show no progress.

    Returns:
        The puzzles, in the order of the plan.

    Raises:
        QueryError: if a puzzle cannot be played or has no solution, or there is something in the folder, or
            it cannot be written.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise QueryError(f"There is something in the folder '{folder}': name a new one, or empty it.")
    if folder.exists() and not folder.is_dir():
        raise QueryError(f"'{folder}' is a file: name a folder for the pages.")
    shown: list[Shown] = []
    with (
        writing(folder),
        Progress(f"{laid.plan.name}, pages", len(laid.puzzles), unit="puzzles", quiet=quiet) as progress,
        documents.replaced(folder, folder=True) as part,
    ):
        for name, data in _files(laid, most, where, shown):
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            progress.advance(name.startswith("puzzles/"))
    return shown


def _files(laid: Laid, most: int, where: str, shown: list[Shown]) -> Iterator[tuple[str, bytes]]:
    data = laid.data()
    has_solution = any(tools["solution"] for row in [*data["tools"], data["training_tools"]] for tools in row)
    pictured = []
    for number, each in enumerate(laid.puzzles, 1):
        svg = render_unsolved(each.puzzle, "svg")
        pictured.append(svg is not None)
        if svg is not None:
            yield f"pictures/{number}.svg", svg.encode()
        found, file = _puzzle(each.name, number, each.puzzle, has_solution, most, where)
        shown.append(found)
        yield f"puzzles/{number}.js", file
    how = _how_to_play(laid)
    for number, (_, picture) in enumerate(how):
        if picture:
            yield f"pictures/how-{number}.svg", picture.encode()
    yield (
        "index.html",
        _html(data | {"pictured": pictured}, pages.how_to_play(how, 'id="how"', laid.plan.texts)).encode(),
    )
    yield "study.js", pages.script(*SCRIPTS).encode()
    yield "site.css", (pages.style() + pages.static("study.css")).encode()
    yield "icon.svg", pages.static("icon.svg").encode()
    yield PLAN, (canonical_json(data) + "\n").encode()


def _puzzle(
    name: str, number: int, puzzle: str, has_solution: bool, most: int, where: str
) -> tuple[Shown, bytes]:
    space, rank = parse_puzzle_id(registry(), puzzle)
    try:
        generator = make_generator(registry(), space)
        document = editing.open_document(space.domain, opened_state(generator, generator.unrank(rank)))
        graph = play_graph(document, (), most)
        moves = packed(graph)
    except EpcgError as error:
        told = str(error).partition("\n")[0]
        raise QueryError(f"{where}: {name} cannot be played on a page: {told}") from error
    if graph.distances[0] == DEAD:
        raise QueryError(f"{where}: {name} has no solution, so it cannot be finished: choose another puzzle.")
    way = graph.solution() if has_solution else None
    data: dict[str, Any] = {
        "number": number,
        "key": f"{number}",
        "puzzle": puzzle,
        "heading": "",
        "chapter": "",
        "difficulty": "",
        "picture": None,
        "text": "",
        "solved": None,
        "solution": "",
        "steps": None if way is None else [edge.step.text for edge in way],
        "warn": True,
        "why": "",
        "moves": b64encode(moves).decode(),
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    shown = Shown(name, len(graph.states), graph.complete, graph.distances[0] != UNKNOWN)
    return shown, f"epcgPuzzle({text});\n".encode()


def _how_to_play(laid: Laid) -> list[tuple[str, str]]:
    """Return (text, picture or '') of what the domains say about the puzzles."""
    by_domain: dict[str, list[str]] = {}
    for each in laid.puzzles:
        by_domain.setdefault(each.puzzle.partition(":")[0], []).append(each.puzzle)
    found = []
    for domain, puzzles in by_domain.items():
        found += [(each.said(laid.plan.texts), each.picture or "") for each in instructions(domain, puzzles)]
    return found


def _html(data: dict[str, Any], how: str) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    title, language = escape(data["title"]), data.get("texts", ENGLISH)
    body = in_language(pages.static("study.html"), language)
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{pages.POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#1b5e9e">
<meta name="robots" content="noindex">
<title>{title}</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="site.css">
<script defer src="study.js"></script>
</head>
<body data-waits data-title="{title}" data-puzzles="{len(data["puzzles"])}">
{body.replace("PLAYER", pages.puzzle("h2", language)).replace("HOW", how)}
{block(language)}<script type="application/json" id="plan">{text.replace("<", chr(92) + "u003c")}</script>
</body>
</html>
"""
