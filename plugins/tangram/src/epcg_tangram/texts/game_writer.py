"""Games of pieces written as texts, which `parse_game` reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from epcg_core.plugin import toml_text
from epcg_tangram.design.definition import PALETTE, CellColour, Definition, Paint, PieceKind, Place
from epcg_tangram.lattices import Cell
from epcg_tangram.texts.drawings import draw


def format_game(definition: Definition) -> str:
    """Write a game as a text that `parse_game` reads."""
    lattice = definition.lattice
    signs = dict.fromkeys(definition.cells, "")
    for number, place in definition.marks:
        signs[definition.cells[number]] = place.sign
    lines = [f"title = {toml_text(definition.title)}", f"lattice = {toml_text(lattice.name)}"]
    if definition.colours != _usual_colours(definition):
        faces = [(paint.name, PALETTE.get(paint.name) == paint or paint.face) for paint in definition.colours]
        lines += ["", "[colours]", *(f"{_key(name)} = {toml_text(face)}" for name, face in faces)]
    lines += ["", "[board]"]
    if is_of_family(definition) and not definition.marks:
        lines += [f"family = {toml_text(definition.family)}"]
        lines += [f"{name} = {size}" for name, size in definition.sizes]
    else:
        lines.append(f'drawing = """\n{draw(lattice, signs)}"""')
    lines += written_marks(definition.signs.values())
    named = [f"{_key(sign)} = {toml_text(list(labels))}" for sign, labels in definition.labels]
    lines += [f"labels = {{ {', '.join(named)} }}"] * bool(named)
    for kind in definition.pieces:
        lines += [
            "",
            "[[pieces]]",
            f"name = {toml_text(kind.name)}",
            f'drawing = """\n{draw(lattice, signs_of(kind))}"""',
        ]
        usual = kind.least == definition.usual_least(kind.most)
        if not usual or kind.most != 1:
            lines.append(f"copies = {kind.most if usual else [kind.least, kind.most]}")
        lines += [f"colour = {toml_text(kind.colour)}"]
        own = [f"{_key(m.sign)} = {toml_text(seen(m))}" for m in sorted({mark for _, mark in kind.marks})]
        lines += [f"colours = {{ {', '.join(own)} }}"] * bool(own)
        lines += ["turn = false"] * (not kind.turn)
        lines += [f"flip = {toml_text(kind.flip)}"] * (kind.flip != lattice.flips)
    rules = []
    if definition.unused != 0:
        rules.append(f"unused = {toml_text('any' if definition.unused is None else definition.unused)}")
    if (
        definition.empty
        if not any(place.optional for place in definition.places)
        else (definition.empty is not None)
    ):
        rules.append(f"empty = {definition.empty}")
    lines += ["", "[rules]", *rules] if rules else []
    if definition.back is not None:
        lines += ["", "[back]", f"bumps = {toml_text(lattice.kinds[definition.back.bumps])}"]
        lines += ["split = true"] if definition.back.split else []
    return "\n".join([*lines, ""])


def is_of_family(definition: Definition) -> bool:
    """Return whether the board still is what its family and sizes say."""
    if not definition.sizes:
        return False
    family = definition.lattice.families[definition.family]
    cells = family.cells(*(size for _, size in definition.sizes))
    return definition.lattice.at_origin(cells) == definition.lattice.at_origin(definition.cells)


def written_marks(places: Iterable[Place]) -> list[str]:
    """Return the lines of [board] that say what its signs ask."""
    listed = list(places)
    wants = [f"{_key(own.sign)} = {toml_text(wanted(own))}" for own in listed if own.colours]
    optional = "".join(own.sign for own in listed if own.optional)
    return [f"wants = {{ {', '.join(wants)} }}"] * bool(wants) + [f"optional = {toml_text(optional)}"] * bool(
        optional
    )


def signs_of(kind: PieceKind) -> dict[Cell, str]:
    """Return the cells of a piece with their signs, the usual one being empty."""
    return dict.fromkeys(kind.shape, "") | {cell: mark.sign for cell, mark in kind.marks}


def seen(mark: CellColour) -> str | list[str]:
    """Return what a text says of the colour of a cell: one, or those in front and behind."""
    return mark.front if mark.front == mark.back else [mark.front, mark.back]


def wanted(place: Place) -> str | list[str]:
    """Return what a text says of the colours that a cell wants: one, or a list."""
    return place.colours[0] if len(place.colours) == 1 else list(place.colours)


def _usual_colours(definition: Definition) -> tuple[Paint, ...]:
    """Return the colours that a text without a table of colours has: those of its pieces and cells."""
    return tuple(paint for paint in PALETTE.values() if paint.name in definition.colours_used)


def _key(name: str) -> str:
    quoted: str = toml_text(name)
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted
