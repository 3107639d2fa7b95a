"""`epcg tangram info`: what a game of pieces is made of, its faults, and whether it can be solved."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import attrs
import click

from epcg_core.plugin import ParamsError, counted, output
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import layout_of
from epcg_tangram.design.shapes import facts_of
from epcg_tangram.texts.game_files import text_of
from epcg_tangram.texts.game_text import GameText, read_game
from epcg_tangram.workshop.outlook import answer_of


def command() -> click.Command:
    """Make the click command."""

    @click.command("info", short_help="What a game is made of, its faults, and whether it can be solved.")
    @click.argument("game")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def info(game: str, as_json: bool) -> None:
        """Show what GAME, a file or a game that comes with the plugin, is made of, and its faults by line."""
        found = read_game(text_of(game))
        if as_json:
            click.echo(json.dumps(_facts(found), indent=2))
        else:
            click.echo("\n".join(_lines(found)))
        if not found.usable:
            raise ParamsError(f"{game} cannot be used as it is.")

    return info


def _facts(found: GameText) -> dict[str, Any]:
    answer = answer_of(found)
    return {
        "title": found.definition.title if found.definition else "",
        "lattice": found.lattice.name if found.lattice else "",
        "pieces": [] if found.definition is None else _pieces(found.definition),
        "answer": answer.title,
        "about": answer.about,
        "facts": [attrs.asdict(fact) for fact in answer.facts],
        "faults": [attrs.asdict(fault) for fault in found.faults],
    }


def _pieces(definition: Definition) -> list[dict[str, Any]]:
    """Return a row for each piece."""
    places = Counter(placement.piece for placement in layout_of(definition).placements)
    word = definition.lattice.cell_word[1]
    return [
        {
            "piece": kind.name,
            word: kind.size,
            "copies": str(kind.most)
            if kind.least == definition.usual_least(kind.most)
            else f"{kind.least} to {kind.most}",
            "ways": len(kind.orientations),
            "places": places[number],
            "symmetries": facts_of(kind.lattice, kind.shape).order,
        }
        for number, kind in enumerate(definition.pieces)
    ]


def _lines(found: GameText) -> list[str]:
    lines = [
        f"line {fault.line}{f', column {fault.column}' if fault.column else ''}: {fault.message}"
        for fault in found.faults
    ]
    definition = found.definition
    if definition is None:
        return lines
    lattice, count = definition.lattice, len(definition.pieces)
    lines.append(
        f"{definition.title or 'A game without a title'}: a board of "
        f"{counted(len(definition.cells), *lattice.cell_word)}, {count} "
        f"{'piece that has' if count == 1 else 'pieces that have'} {definition.most_area}."
    )
    rows = _pieces(definition)
    lines += output.plain_table(list(rows[0]), [list(row.values()) for row in rows])
    answer = answer_of(found)
    return [*lines, f"{answer.title}. {answer.about}".strip()]
