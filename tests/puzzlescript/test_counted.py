"""Slips that random changes of games found: the errors and warnings are those that the reference counts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Recorded

from tests.puzzlescript.beside_reference import Reference, difference, faults, ours, shrunk
from tests.puzzlescript.test_slips_page import PUSH, game

COUNTED = [
    ("prelude", "run_rules_on_level_start.", 0, 1),
    ("prelude", "noaction=1", 0, 1),
    ("prelude", "author=me", 0, 0),
    ("prelude", "realtime_interval0.5", 2, 0),
    ("prelude", "ice, den", 2, 0),
    ("headings", "OBJECTS", 2, 0),
    ("legend", "Gem = Gem", 2, 0),
    ("legend", "Th = Gem or LEGEND or Crate", 2, 0),
    ("legend", "Th = Gem or LEGEND or Bob", 2, 0),
    ("legend", "q = Gem k = Bob", 3, 0),
    ("legend", "Th = no Gem and Crate", 3, 0),
    ("legend", "pai) = Crate and Target", 0, 0),
    ("legend", "\ufeffq = Gem", 0, 0),
    ("legend", "Player = Gem\nPlayer = Wall or Crate", 2, 0),
    ("legend", "Background = Target", 1, 0),
    ("legend", "Crate = Wall and Gem", 3, 0),
    ("collision layers", "Wall RULES", 0, 1),
    ("rules", f"{PUSH}\nv(push a crate)", 4, 0),
    ("rules", f"{PUSH}\nPlayer Crate", 5, 0),
    ("rules", f"{PUSH}\nlate Gem [ Gem ] -> [ ]", 1, 0),
    ("rules", "[ > Player | Crate(| Gem ] -> [ > Player | > Crate | Gem ]", 2, 0),
    ("rules", f"{PUSH} message(well (done)", 1, 0),
    ("rules", "[ > Player | up left Crate ] -> [ > Player | > < Crate ]", 1, 0),
    ("rules", f"startloop\n{PUSH}\nendloop\n+ {PUSH}", 1, 0),
    ("rules", f"{PUSH}\n[ Crate no Crate ] -> [ ]", 1, 1),
    ("rules", f"{PUSH}\n[ Crate no Thing ] -> [ ]", 0, 1),
    ("rules", f"{PUSH}\n[ Crate no Wall no Gem ] -> [ ]", 0, 2),
    ("win conditions", ">", 2, 0),
    ("win conditions", "crate", 2, 0),
    ("win conditions", "No RULES Crate", 1, 0),
    ("levels", "#P*.O#mpf and", 5, 1),
]
"""(section, what stands there, errors, warnings), counted by the reference engine."""


@pytest.mark.parametrize(("section", "written", "errors", "warnings"), COUNTED)
def test_the_faults_of_a_slip_are_those_that_the_reference_counts(
    section: str, written: str, errors: int, warnings: int
) -> None:
    problems = parse_game(game(section, written)).problems
    assert sum(p.errors for p in problems) == errors
    assert sum(p.warnings for p in problems) == warnings


def test_a_player_defined_twice_is_all_that_the_definitions_say() -> None:
    found = parse_game(game("legend", "Player = Gem\nPlayer = Wall or Target"))
    names = {thing.name for thing in found.objects if found.player.bits >> thing.number & 1}
    assert (names, found.player.whole) == ({"player", "gem", "wall", "target"}, False)


def test_the_object_background_fills_cells_whatever_the_legend_says() -> None:
    found = parse_game(game("legend", "Background = Target"))
    assert found.background is not None
    assert found.objects[found.background].name == "background"


def test_a_background_that_stands_for_nothing_is_refused() -> None:
    text = game("legend", "Background = zork").replace("\nBackground\nblack\n", "\nFloor\nblack\n")
    with pytest.raises(GameError, match="stands for nothing"):
        parse_game(text.replace("Background\nTarget", "Floor\nTarget").replace(". = Background", ". = Floor"))


def test_a_member_that_is_not_defined_makes_a_rule_for_cells_without_it() -> None:
    """Of '[ Th ]' one copy asks for a player, and one for any cell."""
    text = game("rules", "[ Th ] -> [ Th Target ]")
    found = parse_game(text.replace("Both =", "Th = Player or zork\nBoth ="))
    rules = [rule for group in found.normal.groups for rule in group.rules]
    required = {pattern.required for rule in rules for pattern in rule.patterns}
    assert required == {1 << next(o.number for o in found.objects if o.name == "player"), 0}


def test_a_restart_when_a_level_starts_runs_the_rules_once_more() -> None:
    """The reference draws the second wall of the seed: the first start is thrown away."""
    rules = "random [ Wall ] -> [ Gem ]\n[ Gem ] -> [ Gem ] restart"
    found = parse_game("run_rules_on_level_start\n" + game("rules", rules).lstrip())
    play = Recorded(found, lambda width, height: PlainEngine(found, width, height, Chance("a seed")))
    gem = next(thing.number for thing in found.objects if thing.name == "gem")
    assert [index for index, cell in enumerate(play.play.cells) if cell >> gem & 1] == [14]


ENGINE = """
const level = { message: undefined };
let state, againing = false, curlevel = 0, errorStrings = [], errorCount = 0, MAX_ERRORS = 5;
let unitTesting, lazyFunctionGeneration;
function resetParserErrorState() { errorStrings = []; errorCount = 0; }
function compile(command, text) {
    if (text.includes('fault')) {
        errorStrings = ['<a><i class="errorTextLineNumber"> line 2</i></a> : <b class="errorText">bad</b>'];
        errorCount = 1;
    }
    state = { levels: [level], collisionLayers: [], idDict: [], objects: {} };
}
function convertLevelToString() { return 'a:0,'; }
function processInput(input) { if (input === 4) throw new Error('broken'); }
function DoUndo() {}
function DoRestart() {}
"""


def test_the_script_asks_a_folder_with_an_engine(tmp_path: Path) -> None:
    """An engine of twenty lines stands for the real one, which is not part of this repository."""
    node = next(Path(sys.prefix).glob("lib/python*/site-packages/playwright/driver/node"), None)
    if node is None:
        pytest.skip("playwright brings node")
    (tmp_path / "js" / "codemirror").mkdir(parents=True)
    driver = Path(__file__).with_name("beside_reference.js").read_text(encoding="utf-8")
    names = driver[driver.index("FILES = [") : driver.index("];")].replace("FILES = [", "").split(",")
    for name in (name.strip().strip("'") for name in names if name.strip()):
        (tmp_path / "js" / f"{name}.js").write_text(ENGINE if name == "engine" else "")
    reference = Reference(str(node), tmp_path)
    try:
        well, badly = reference.ask("a game", [0, 4, 1]), reference.ask("fault", ["undo", "restart"])
    finally:
        reference.close()
    assert well is not None
    assert badly is not None
    assert (well["refused"], well["boards"]) == (False, ["0\na:0,", "0\na:0,", "! broken"])
    assert (badly["told"], len(badly["boards"])) == ([[2, True, "line 2 : bad"]], 3)


def test_answers_are_compared_and_games_shrunk_to_what_differs() -> None:
    text = game("legend", "Gem = Gem")
    answer = ours(text, [3, 3])
    assert faults(answer) == (2, 0)
    assert difference(json.loads(json.dumps(answer)), answer) is None
    assert difference({**answer, "told": []}, answer) == ("faults", (2, 0))
    assert difference({**answer, "boards": []}, answer) == ("boards", "")
    assert shrunk(text, lambda shorter: "Gem =" in shorter) == "Gem ="
