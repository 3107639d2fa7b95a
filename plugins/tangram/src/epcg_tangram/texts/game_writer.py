"""Games of pieces written as texts, which `parse_game` reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from epcg_core.plugin import toml_text
from epcg_tangram.design.definition import PALETTE, Definition, Paint
from epcg_tangram.lattices import Lattice
from epcg_tangram.texts.drawings import draw


def format_game(definition: Definition) -> str:
    """Write a game as a text that `parse_game` reads."""
    lattice = definition.lattice
    signs = dict.fromkeys(definition.cells, "")
    letters = signs_of_wants(definition)
    for number, colour in definition.wants:
        signs[definition.cells[number]] = letters[colour]
    lines = [f"title = {toml_text(definition.title)}", f"lattice = {toml_text(lattice.name)}"]
    if definition.colours != _usual_colours(definition):
        faces = [(paint.name, PALETTE.get(paint.name) == paint or paint.face) for paint in definition.colours]
        lines += ["", "[colours]", *(f"{_key(name)} = {toml_text(face)}" for name, face in faces)]
    lines += ["", "[board]"]
    if is_of_family(definition) and not letters:
        lines += [f"family = {toml_text(definition.family)}"]
        lines += [f"{name} = {size}" for name, size in definition.sizes]
    else:
        lines.append(f'drawing = """\n{draw(lattice, signs)}"""')
    if letters:
        pairs = ", ".join(f"{_key(sign)} = {toml_text(colour)}" for colour, sign in letters.items())
        lines.append(f"wants = {{ {pairs} }}")
    for kind in definition.pieces:
        lines += [
            "",
            "[[pieces]]",
            f"name = {toml_text(kind.name)}",
            f'drawing = """\n{draw(lattice, kind.shape)}"""',
        ]
        usual = kind.least == definition.usual_least(kind.most)
        if not usual or kind.most != 1:
            lines.append(f"copies = {kind.most if usual else [kind.least, kind.most]}")
        lines += [f"colour = {toml_text(kind.colour)}"]
        lines += [f"{key} = false" for key in ("turn", "flip") if not getattr(kind, key)]
    rules = []
    if definition.unused != 0:
        rules.append(f"unused = {toml_text('any' if definition.unused is None else definition.unused)}")
    if definition.empty:
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


def signs_of_wants(definition: Definition) -> dict[str, str]:
    """Return the sign of each colour that cells want, in drawings of the board."""
    found: dict[str, str] = {}
    for _, colour in definition.wants:
        if colour not in found:
            found[colour] = _sign_for(colour, found, definition.lattice)
    return found


def _usual_colours(definition: Definition) -> tuple[Paint, ...]:
    """Return the colours that a text without a table of colours has: those of its pieces and cells."""
    used = {*(kind.colour for kind in definition.pieces), *(colour for _, colour in definition.wants)}
    return tuple(paint for paint in PALETTE.values() if paint.name in used)


def _sign_for(colour: str, letters: Mapping[str, str], lattice: Lattice) -> str:
    free = chain(colour.lower(), "abcdefghijklmnopqrstuvwxyz0123456789", map(chr, range(0xC0, 0x3000)))
    taken = {*letters.values(), *lattice.signs.read}
    return next(sign for sign in free if sign.isalnum() and sign not in taken)


def _key(name: str) -> str:
    quoted: str = toml_text(name)
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted
