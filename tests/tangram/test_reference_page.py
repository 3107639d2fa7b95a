"""The page of the texts of games of pieces: its examples, its tables, and the faults that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from epcg_tangram.design.definition import PALETTE
from epcg_tangram.lattices import LATTICES
from epcg_tangram.texts import game_text, piece_tables
from epcg_tangram.texts.game_text import parse_game, read_game
from epcg_tangram.texts.names import known_shapes

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "packing.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
ROWS = [
    [cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
]
FAULTS = [(row[0][1:-1], row[1]) for row in ROWS if len(row) == 2 and row[0].startswith("`")]


def keys_of(heading: str) -> set[str]:
    """Return the keys of the first table below a heading."""
    table = PAGE.split(heading, 1)[1].split("\n\n| key |", 1)[1].split("\n\n", 1)[0]
    first = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return {re.sub(r"[\[\]]", "", key) for cell in first for key in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_a_game_without_a_fault(text: str) -> None:
    assert read_game(text).faults == ()
    assert parse_game(text).pieces


def test_every_key_is_in_its_table() -> None:
    assert keys_of("## The game") == set(game_text._TOP)
    sizes = {size for own in LATTICES.values() for family in own.families.values() for size in family.sizes}
    assert keys_of("## The board") == {*game_text._BOARD, *sizes}
    assert keys_of("## Pieces") == set(piece_tables._PIECE)
    assert keys_of("`shapes` asks for") == set(piece_tables._SHAPES)
    assert keys_of("## What a solution may leave out") == set(game_text._RULES)
    assert keys_of("## The back") == set(game_text._BACK)


@pytest.mark.parametrize("name", LATTICES)
def test_families_classes_and_names_of_shapes_are_those_of_the_lattice(name: str) -> None:
    lattice = LATTICES[name]
    families = ", ".join(f"`{own}` ({', '.join(f.sizes)})" for own, f in lattice.families.items())
    assert [name, families, ", ".join(lattice.kinds)] in ROWS
    assert [name, ", ".join(known_shapes(lattice))] in ROWS


def test_the_known_colours_are_listed_in_their_order() -> None:
    listed = re.search(r"Colours that are known: (.*?)\.", PAGE)
    assert listed is not None
    assert re.split(r", | and ", listed[1]) == list(PALETTE)


@pytest.mark.parametrize(("changed", "said"), FAULTS, ids=[changed for changed, _ in FAULTS])
def test_what_is_said_of_a_fault(changed: str, said: str) -> None:
    """The line with the same key is changed; a row of a drawing is put for the last one of its drawing."""
    before = {"####x": "####r", "#.#": "#."}.get(changed)
    key = re.match(r"\w+", changed)
    if before is None and key is not None:
        word = {"titel": "title"}.get(key[0], key[0])
        line = re.search(rf"^{word} = .*$", EXAMPLES[0], re.MULTILINE)
        assert line is not None
        before = line[0]
    assert before is not None
    text = EXAMPLES[0].replace(f"\n{before}\n", f"\n{changed}\n") if before[0] == "#" else None
    faults = read_game(text or EXAMPLES[0].replace(before, changed, 1)).faults
    hint = said.startswith("*hint* ")
    assert (said.removeprefix("*hint* "), not hint) in {(fault.message, fault.serious) for fault in faults}


def test_the_numbers_are_those_of_the_code() -> None:
    from epcg_tangram.design import definition

    assert f"up to {definition.MOST_CELLS:,} cells" in PAGE
    assert f"up to {definition.MOST_KINDS} kinds of pieces, and up to {definition.MOST_COPIES:,}" in PAGE
    assert f"from 1 to {game_text.MOST_SIDE}" in PAGE
    assert f"a number of cells, from 1 to {piece_tables.MOST_GROWN}" in PAGE
