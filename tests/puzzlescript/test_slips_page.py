"""The page of slips says what the product does with each of its examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError

PAGE = Path(__file__).parents[2] / "docs" / "domains" / "puzzlescript_slips.md"
PUSH = "[ > Player | Crate ] -> [ > Player | > Crate ]"
SLOTS = {"prelude", "objects", "legend", "sounds", "collision layers", "rules", "win conditions", "levels",
         "headings"}  # fmt: skip


def game(section: str, example: str) -> str:
    """A game with an example in its section."""
    here = {name: example if name == section else "" for name in SLOTS}
    return f"""{here["prelude"]}
OBJECTS
Background
black

Wall
grey

Player
white

Crate
orange

Gem
green

Target
blue

{here["objects"]}

LEGEND
. = Background
# = Wall
P = Player
* = Crate
O = Target
Thing = Crate or Gem
Both = Crate and Target
{here["legend"]}
SOUNDS
{here["sounds"]}
COLLISIONLAYERS
Background
Target
Player, Wall, Crate, Gem
{here["collision layers"]}
RULES
{here["rules"] or PUSH}
{here["headings"]}
WINCONDITIONS
{here["win conditions"] or "All Crate on Target"}
LEVELS
######
{here["levels"] or "#P*.O#"}
######
"""


def rows() -> list[tuple[str, str, str, str, str]]:
    """(section, example, what is told, what answers say, what counts) of each row of the page."""
    found, section = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:].strip().lower()
        row = re.match(r"\| `(.+)` \| (.+?) \| (.*?) ?\| (.+) \|$", line)
        if row is not None:
            example = row[1].replace("\\|", "|").replace(" ⏎ ", "\n")
            found.append((section, example, row[2], row[3], row[4]))
    return found


def built(section: str, example: str) -> str:
    """The game of a row: 'RULE` for `RULES' is another line in place of a heading."""
    written, _, meant = example.partition("` for `")
    if not meant:
        return game(section, example)
    found = game("rules", PUSH).replace(f"\n{meant}\n", f"\n{written}\n")
    assert found != game("rules", PUSH)
    return found


def told(text: str) -> tuple[str, str]:
    """What the page says of a game: 'refused' or the numbers of errors and warnings; what answers say."""
    try:
        found = parse_game(text)
    except GameError:
        return "refused", ""
    problems = found.problems
    counts = {"error": sum(p.errors for p in problems), "warning": sum(p.warnings for p in problems)}
    said = [f"{count} {noun}{'s' * (count > 1)}" for noun, count in counts.items() if count]
    lines = re.fullmatch(r"(?:\d+ (rules?|lines?) (left out|read in part): lines? [\d, ]+)?", found.unread)
    assert lines is not None, found.unread
    answers = {None: "", "left out": "rule left out"}.get(lines[2], lines[2])
    return ", ".join(said) or ("a remark" if problems else "nothing"), answers


def test_the_clean_game_has_no_faults() -> None:
    assert parse_game(game("rules", PUSH)).problems == ()


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[0]}: {row[1]}"[:60])
def test_each_row_of_the_page_holds(row: tuple[str, str, str, str, str]) -> None:
    section, example, stated, answers, counts = row
    assert told(built(section, example)) == (stated, answers)
    assert counts.startswith("No rule") == (answers == "rule left out")


def test_the_page_has_all_sections() -> None:
    assert {section for section, *_ in rows()} == SLOTS
    table = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(rows()) == len(table) > 150
