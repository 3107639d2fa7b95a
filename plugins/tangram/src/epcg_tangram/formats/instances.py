"""Instances as text: the pieces shown, then what is excluded."""

from __future__ import annotations

import attrs

from epcg_core.plugin import ParamsError
from epcg_tangram.formats.boards import format_board, parse_board
from epcg_tangram.params import GameParams
from epcg_tangram.rules.geometry import PIECE_ORDER
from epcg_tangram.rules.instance import Instance


def format_instance(instance: Instance) -> str:
    """Write the pieces shown as `format_board` does, then what is excluded: 'side 3; ...; without Hook'."""
    without = "".join(f"; without {PIECE_ORDER[piece]}" for piece in instance.excluded)
    return format_board(instance.given) + without


def parse_instance(rules: GameParams, text: str) -> Instance:
    """Read the instance that `format_instance` wrote, with its board if just one completes it.

    Raises ParamsError.
    """
    parts = [part.strip() for part in text.split(";")]
    names = [part.removeprefix("without ").strip() for part in parts if part.startswith("without ")]
    for name in names:
        if name not in PIECE_ORDER:
            raise ParamsError(f"There is no piece '{name}' to do without.")
    given = parse_board("; ".join(part for part in parts if not part.startswith("without ")))
    if given.side != rules.side:
        raise ParamsError(f"The board has side {given.side}, not {rules.side}.")
    excluded = tuple(sorted(PIECE_ORDER.index(name) for name in names))
    instance = Instance(rules, tuple(sorted(given.placements)), excluded)
    if min(instance.copies) < 0:
        raise ParamsError("More copies of a piece are shown than there are.")
    found = instance.completions()
    return attrs.evolve(instance, board=found[0]) if len(found) == 1 else instance
