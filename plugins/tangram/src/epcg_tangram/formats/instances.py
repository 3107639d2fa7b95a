"""Instances as text: the pieces shown, then what stays in the box."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from epcg_core.plugin import ParamsError
from epcg_tangram.formats.boards import RULES, format_parts, name_of, placements_of, split_parts
from epcg_tangram.params import GameParams
from epcg_tangram.rules.boards import piece_texts
from epcg_tangram.rules.instance import Instance

WITHOUT = "without "


def parts_of(instance: Instance) -> list[str]:
    """Write the pieces shown as a board's are, then what is excluded: 'without corner'."""
    names = instance.game.setting.definition.names
    return [*piece_texts(instance.given), *(f"{WITHOUT}{names[piece]}" for piece in instance.excluded)]


def format_instance(instance: Instance) -> str:
    """Write the game, the pieces shown and what is excluded: 'side 3; ...; without Hook'."""
    return format_parts(instance.ref, parts_of(instance))


def format_whole(instance: Instance) -> str:
    """Write an instance with what is asked of its solution: '...; relation edges_must_touch; colours 1'."""
    usual = GameParams(**attrs.asdict(instance.ref))
    changed = [name for name in RULES if getattr(instance.rules, name) != getattr(usual, name)]
    rules = [f"{name} {_words(getattr(instance.rules, name))}" for name in changed]
    return format_parts(instance.ref, [*parts_of(instance), *rules])


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def parse_instance(rules: GameParams, text: str) -> Instance:
    """Read the instance that `format_instance` wrote, with its board if just one completes it.

    Raises ParamsError.
    """
    game, parts = split_parts(text)
    if game != rules.ref:
        raise ParamsError(f"The board is of another game, or of another size, than {name_of(rules.ref)}.")
    return instance_of(rules, parts)


def instance_of(rules: GameParams, parts: Sequence[str]) -> Instance:
    """Return the instance of pieces shown and excluded, with its board if just one completes it.

    Raises ParamsError.
    """
    excluded = []
    known = rules.definition.names
    for name in (part.removeprefix(WITHOUT).strip() for part in parts if part.startswith(WITHOUT)):
        if name not in known:
            raise ParamsError(f"There is no piece '{name}' to do without.")
        excluded.append(known.index(name))
    placements = placements_of(rules.ref, [part for part in parts if not part.startswith(WITHOUT)])
    instance = Instance(rules, tuple(sorted(placements)), tuple(sorted(set(excluded))))
    if min(instance.copies) < 0:
        raise ParamsError("More copies of a piece are shown than there are.")
    found = instance.completions()
    return attrs.evolve(instance, board=found[0]) if len(found) == 1 else instance
