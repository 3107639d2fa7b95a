"""The page of the texts of deduction puzzles: its examples, its tables, and the faults that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from epcg_deduction.model.boards import PLACES
from epcg_deduction.rules import RULES
from epcg_deduction.rules.grammar import LISTS, LOOKS, MEASURES, SELECTIONS, WORDS
from epcg_deduction.rules.kinds import SIDES
from epcg_deduction.texts import board_tables, puzzle_tables, read, reader

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "deduction.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
ROWS = [
    [cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
]
FAULTS = [
    (changed, said.replace("\\|", "|"))
    for changed, said in re.findall(
        r"^\| `(.*?)` \| (.*) \|$", PAGE.split("## Faults and notes")[1], re.MULTILINE
    )
]


def keys_of(heading: str, first: str = "key") -> list[str]:
    """The keys of the first table below a heading."""
    table = PAGE.split(heading, 1)[1].split(f"\n\n| {first} |", 1)[1].split("\n\n", 1)[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return [re.sub(r"[\[\]]|\.NAME", "", key) for cell in cells for key in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_read_without_a_fault(text: str) -> None:
    found = read(text)
    assert found.faults == ()
    assert len(found.puzzles) == 1


def test_every_key_is_in_its_table() -> None:
    assert sorted(keys_of("## The text")) == sorted((*reader._TOP, *reader._PUZZLES))
    assert tuple(keys_of("## Marks")) == reader._MARKS
    assert keys_of("## Clues") == ["on", "values"]
    assert sorted(keys_of("## Puzzles")) == sorted(puzzle_tables._KEYS)
    assert keys_of("## Rules", "kind") == list(RULES)
    assert set(keys_of("`each` says what is asked about")) == set(RULES["each"].fields)


def test_every_field_of_a_rule_is_told() -> None:
    rows = {row[0][1:-1]: row[1] for row in ROWS if len(row) == 3 and row[0][1:-1] in RULES}
    for kind, rule in RULES.items():
        assert kind == "each" or all(field in rows[kind] for field in rule.fields if field != kind)


def test_every_word_of_each_is_told() -> None:
    words = {row[0]: row[1] for row in ROWS if len(row) == 2}
    assert all(f'"{own}"' in words["`each`"] for own in SELECTIONS)
    assert all(f'"{own}"' in words["`look`"] for own in LOOKS if own != "self")
    assert all(f'"{own}"' in words["`is`"] for own in WORDS)
    assert set(MEASURES) <= set(keys_of("`each` says what is asked about"))
    assert ", ".join(f"`{own}`" for own in LISTS) in words
    assert all(f'"{side}"' in PAGE for side in SIDES)
    assert all(f"`{place}`" in PAGE for place in PLACES)


@pytest.mark.parametrize(("changed", "said"), FAULTS, ids=[changed for changed, _ in FAULTS])
def test_what_is_said_of_a_fault(changed: str, said: str) -> None:
    """The first line with the same key is changed; a row of a drawing is put for the last one."""
    key = {"titel": "title"}.get(changed.partition(" ")[0], changed.partition(" ")[0])
    line = re.search(rf"^{re.escape(key)} = .*$", EXAMPLES[0], re.MULTILINE)
    text = EXAMPLES[0].replace("\n2..\n", f"\n{changed}\n") if line is None else None
    if changed == ". . 12":
        text = EXAMPLES[0].replace("..3\n...\n2..", ". . 3\n. . .\n. . 12")
    faults = read(text or EXAMPLES[0].replace(line[0] if line else "", changed, 1)).faults
    assert said in {fault.message for fault in faults}


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"up to {board_tables.MOST_CELLS:,} cells" in PAGE
    assert f"up to {board_tables.MOST_MARKS} marks" in PAGE
