"""The text of a game: what is read, what is left out, and which faults are told, with their places."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.game_file import GameFile
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language import expansion, levels
from epcg_puzzlescript.language.files import read_game
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.levels import Map, Message
from epcg_puzzlescript.language.problems import MOST_BYTES, MOST_PROBLEMS, GameError
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.model import PuzzleScriptModel

from tests.workplace import epcg

LINES = """title A Game (with a subtitle)
OBJECTS
Background
Black

Player P
White Blue
.000.
00000
01010
00000
.0.0.
Crate
Orange

1Up
#f00

Goal
Red
LEGEND
. = Background
&=Goal
C = Crate
P = Crate
X = Crate and Goal
Thing = Player or Crate
Stuff = Thing or 1Up
* = X
SOUNDS
sfx3 123
COLLISIONLAYERS
Background
Goal, 1Up
Player, Crate
RULES
(a comment (that nests) on a line)
[ > Player | Crate ] -> [ > Player | > Crate ]
[ > Thing | Stuff ] -> [ > Thing | > Stuff ] SFX3 (and a comment
over lines)
WINCONDITIONS
All Goal on Crate
LEVELS
Message Hello (World
=======

P.C&
===
.*

message
PX"""


def faults(*changes: tuple[str, str]) -> list[str]:
    text = LINES
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return [str(problem) for problem in parse_game(text).problems]


def test_a_whole_game_is_read() -> None:
    game = parse_game(LINES)
    assert [str(p) for p in game.problems] == [
        "line 25, column 1: 'p' is defined already: in maps the first definition counts, in rules the last.",
        "line 49, column 1: The row has 2 characters, but the first row of its level 4; rows of one length "
        "were expected.",
    ]
    assert game.title == "A Game"
    assert [thing.name for thing in game.objects] == ["background", "goal", "1up", "player", "crate"]
    assert [thing.colours for thing in game.objects][2:4] == [("#ff0000",), ("#ffffff", "#1d57f7")]
    assert game.objects[3].picture == (".000.", "00000", "01010", "00000", ".0.0.")
    assert game.entries["stuff"].members == (3, 4, 2)
    assert game.entries["*"].members == (4, 1)
    assert sorted(game.rule_texts) == [38, 39]
    assert [type(level) for level in game.levels] == [Message, Map, Message, Map]
    assert game.levels[0].text == "Hello (World"  # type: ignore[union-attr]
    first = game.maps[0]
    assert (first.width, first.height) == (4, 2)
    assert first.cells == (0b1001, 0b1, 0b1, 0b10011, 0b10001, 0b10011, 0b11, 0b10011)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("Orange", "Ornage")], "line 14, column 1: 'ornage' is not a colour"),
        ([("01010", "05010")], "line 10, column 2: The picture of 'player' uses colour 5"),
        ([("Goal, 1Up", "Goal")], "line 16, column 1: The object '1up' is in no collision layer"),
        ([("Goal, 1Up", "Goal, Flag, 1Up")], "line 34, column 7: 'flag' is not defined"),
        ([("P.C&", "P?C&")], "line 47, column 2: The glyph '?' is not in the legend"),
        ([("C = Crate", "C = Player or Crate")], "line 47, column 3: The glyph 'c' stands for one"),
        ([("All Goal on Crate", "All Goal on Moon")], "line 42, column 13: 'moon' is not defined"),
        ([("All Goal on Crate", "Every Goal")], "line 42, column 1: Found 'every', but expected 'No', "
        "'Some'"),
        ([("[ > Player | Crate ] ->", "[ > Player | Crate Plyer ] ->")],
         "column 20: Found 'plyer', but expected"),
        ([("> Crate ]\n", "> Crate\n")], "column 45: Nothing stands to the right of '->'"),
        ([("[ > Player | Crate ] -> [ > Player | > Crate ]", "[ > Player | ] -> [ > Player | Stuff ]")],
         "'stuff' on the right does not say which"),
        ([("[ > Player | Crate ] ->", "late [ > Player | Crate ] ->")], "'>' is a movement, which a late"),
        ([("[ > Player | Crate ] ->", "[ > Player | no X ] ->")], "'no x': the name stands for several"),
        ([("[ > Player | Crate ] ->", "[ Player Crate | ] ->")], "The rule can never match"),
        ([("[ > Player | Crate ] ->", "[ > Player | ... ] ->")], "neither begins nor ends with '...'"),
        ([("-> [ > Player | > Crate ]", "-> [ > Player | > Crate Player ]")],
         "cannot lie in one cell on the right: they are of one layer"),
        ([("SFX3", "explode")], "Found 'explode', but expected a command"),
        ([("WINCONDITIONS", "startloop\nstartloop\nWINCONDITIONS")], "loops do not nest"),
        ([("WINCONDITIONS", "endloop\nWINCONDITIONS")], "no loop is open"),
        ([("= Thing or 1Up", "= Thing or X")], "'x' is defined by an 'and'"),
        ([("= Player or Crate", "= Player and Goal or Crate")], "'and' and 'or' do not mix"),
    ],
)  # fmt: skip
def test_faults_are_told_with_their_place(changes: list[tuple[str, str]], told: str) -> None:
    assert any(told in fault for fault in faults(*changes)), faults(*changes)


def test_all_faults_are_told_and_the_rest_works() -> None:
    text = LINES.replace("White Blue", "White Blux").replace("All Goal", "Every Goal").replace("SFX3", "] ]")
    game = parse_game(text)
    assert [(problem.line, problem.effect) for problem in game.problems] == [
        (7, "none"), (10, "none"), (25, "word"), (39, "rule"), (42, "word"), (49, "word"),
    ]  # fmt: skip
    assert list(game.rule_texts) == [38]
    assert game.unread == "1 rule left out: line 39; 3 lines read in part: lines 25, 42, 49"
    assert game.maps


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("-> [ > Player | > Crate ]", "-> [ > Player ]", "Pattern 1 has 2 cells on the left and 1 on"),
        ("-> [ > Player | > Crate ]", "-> [ > Player | moving Crate ]", "'moving crate' on the right"),
        ("Background\nGoal, 1Up\nPlayer, Crate\nR", "R", "no collision layer"),
        ("[ > Player |", "[ > Player x1 y1 z1 |", "counts 7 errors in this game, and plays games of at"),
        ("OBJECTS", "", "There is no section OBJECTS"),
        ("LEVELS", "", "There is no section LEVELS"),
        ("P.C&", "message", "There is no level"),
    ],
)
def test_games_that_cannot_be_played(old: str, new: str, told: str) -> None:
    text = LINES.replace(old, new)
    if told == "There is no level":
        text = text[: text.index("LEVELS")] + "LEVELS\n\nmessage only\n"
    with pytest.raises(GameError, match=told):
        parse_game(text)


def deep_legend(depth: int) -> str:
    chain = "\n".join(f"n{i} = n{i + 1} or Crate" for i in reversed(range(depth)))
    return LINES.replace("SOUNDS", f"n{depth} = Player\n{chain}\nSOUNDS")


def test_deep_legends_and_circles() -> None:
    assert parse_game(deep_legend(5_000)).entries["n0"].kind == "or"
    for circle in ("a1 = a2 or Crate\na2 = a1 or Goal", "a1 = a2\na2 = a1", "a1 = a1"):
        game = parse_game(LINES.replace("SOUNDS", f"{circle}\nSOUNDS"))
        told = [str(problem) for problem in game.problems]
        assert any("not defined above" in fault or "cannot stand for itself" in fault for fault in told)


@pytest.mark.parametrize(
    "text",
    ["", "\0", "=" * 3000, "(" * 3000, ")" * 3000, "[" * 3000, "OBJECTS\n" * 500, LINES + "\0"],
)
def test_nonsense_is_a_sentence(text: str) -> None:
    with pytest.raises(GameError, match=r"cannot be played|number 0"):
        parse_game(text)


@pytest.mark.parametrize("most", [50, pytest.param(levels.MOST_LEVELS, marks=pytest.mark.slow)])
def test_a_game_of_more_levels_than_anyone_draws_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """The last level that is counted is named; the text beyond it is not read."""
    monkeypatch.setattr(levels, "MOST_LEVELS", most)
    head, small = LINES[: LINES.index("Message Hello")], "P.C\n\n"
    assert len(parse_game(head + most * small).levels) == most
    path = tmp_path / "game.txt"
    path.write_text(head + 5 * most * small + "P?C")
    line = head.count("\n") + 1 + 2 * most
    for command in (("run", "puzzlescript/levels", "--set", f"generator.game={path}", "--dry-run"),
                    ("puzzlescript", "info", path)):  # fmt: skip
        told = epcg(*command, code=None)
        assert told.exit_code != 0
        said = told.stderr or str(told.exception)
        assert f"line {line}, column 1: The game has more than {most} levels" in said
        assert "'?'" not in said


def test_long_and_binary_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for data, told in (
        (b"x" * (MOST_BYTES + 1), "is longer than"),
        (os.urandom(20_000) + b"\xff\xfe", "not text in UTF-8"),
    ):
        path = tmp_path / "game.txt"
        path.write_bytes(data)
        with pytest.raises(GameError, match=told):
            read_game(path)
    with pytest.raises(GameError, match="There is no game"):
        read_game(tmp_path / "none.txt")


@pytest.mark.parametrize("most", [1_000, pytest.param(expansion.MOST_RULES, marks=pytest.mark.slow)])
def test_a_rule_that_stands_for_too_many(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(expansion, "MOST_RULES", most)
    cells = " | ".join(["moving Thing 1Up"] * 12)
    rule = f"[ {cells} ] -> [ {' | '.join([''] * 12)} ]"
    told = faults(("[ > Player | Crate ] -> [ > Player | > Crate ]", rule))
    assert any("more than 100000 elementary rules" in fault for fault in told)


def test_many_ambiguous_cells_stand_for_their_combinations() -> None:
    cells = " | ".join(["horizontal Player"] * 7)
    rule = f"right [ {cells} ] -> [ {cells} ]"
    game = parse_game(LINES.replace("[ > Player | Crate ] -> [ > Player | > Crate ]", rule))
    rules = game.normal.groups[0].rules
    bits = ["".join(str(p.moves >> 10) for p in found.patterns) for found in rules]
    assert bits == ["".join(reversed(f"{n:07b}".replace("1", "8").replace("0", "4"))) for n in range(128)]


def test_the_identity_forgets_levels_and_glyphs() -> None:
    game = parse_game(LINES)
    other = parse_game(LINES.replace("PX", "P.XX").replace("C = Crate", "C = Crate\nD = Crate"))
    assert game.identity == other.identity
    assert game.identity != parse_game(LINES.replace("> Thing | Stuff", "< Thing | Stuff")).identity


def test_our_own_games_have_no_faults() -> None:
    assert len(shipped_games()) >= 6
    for path in shipped_games():
        assert read_game(path).problems == ()


def test_random_numbers_are_those_of_rc4() -> None:
    chance = Chance("Key")  # a known answer of the cipher: eb 9f 77 81 b7 34 ca ...
    assert chance.number() == int.from_bytes(bytes.fromhex("eb9f7781b734ca"), "big") / (2**56 - 1)


def test_a_restart_is_ignored_while_the_rules_of_the_start_run() -> None:
    text = LINES.replace("OBJECTS", "run_rules_on_level_start\nOBJECTS", 1)
    rules = text.index("WINCONDITIONS")
    game = parse_game(text[:rules] + "[ Player ] -> restart\n\n" + text[rules:])
    level = level_of(game, 0)
    assert PuzzleScriptModel().initial(level).cells == level.cells


@pytest.mark.parametrize(
    ("written", "effects"),
    [("message: go on (now)", []), ("  MESSAGE... : go on (now)", []), ("messages : go on (now)", ["none"])],
)
def test_a_line_that_begins_with_message_is_a_message(written: str, effects: list[str]) -> None:
    game = parse_game(LINES.replace("message\nPX", written + "\nPX"))
    assert isinstance(game.levels[2], Message)
    assert game.levels[2].text.endswith(": go on (now)")
    assert ([problem.effect for problem in game.problems][2:], len(game.maps)) == (effects, 2)


def test_a_rule_ends_at_the_first_comment_of_its_own() -> None:
    ends = "(a\nends) late [ Goal ] -> again (really) [\nWINCONDITIONS"
    game = parse_game(LINES.replace("WINCONDITIONS", ends))
    told = [str(problem) for problem in game.problems]
    assert "line 42, column 1: Found 'ends)' before the first bracket" in told[1]
    assert "line 42, column 30: The rule ends at the comment" in told[2]
    assert len(told) == len(faults()) + 2
    assert game.late.groups[0].rules[0].commands == ("again",)


def test_the_text_of_a_message_may_begin_with_a_parenthesis() -> None:
    game = parse_game(LINES.replace("SFX3 (and a comment\nover lines)", "message (well (done"))
    assert len(game.problems) == len(faults())
    assert game.normal.groups[1].rules[0].commands == ("message",)


def test_the_mark_that_begins_a_file_is_left_out() -> None:
    game = parse_game("\ufeff" + LINES.removeprefix("title A Game (with a subtitle)\n"))
    assert len(game.problems) == len(faults())


def test_a_line_in_a_picture_that_lacks_rows_is_told_and_left_out() -> None:
    told = faults((".0.0.\nCrate", ".0.0\np12\n\nCrate"))
    assert "line 6, column 1: The picture of 'player' has a row of another length; 5 rows of 5" in told[0]
    assert "line 13, column 1: Found 'p12' in the picture of 'player'; '0' to '9' or '.' was" in told[1]
    assert len(told) == len(faults()) + 2


def test_of_directions_given_twice_the_last_one_counts() -> None:
    game = parse_game(LINES.replace("[ > Player | Crate ] ->", "horizontal left [ > Player | Crate ] ->"))
    rules = game.normal.groups[0].rules
    assert [rule.rows[0].parts[0][0].moves >> 10 for rule in rules] == [8, 0]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("OBJECTS", "noactoin\nOBJECTS")],
         ["line 2, column 1: 'noactoin' is not a setting and has no effect; perhaps 'noaction' is meant."]),
        ([("White Blue", "White Blue " + "Red " * 9)],
         ["line 7, column 1: An object has at most 10 colours, this one 11; the first count."]),
        ([("00000\n01010", "00000\n01a10")],
         ["line 10, column 3: Found 'a' in the picture of 'player'; '0' to '9' or '.' was expected."]),
        ([("00000\n01010", "00000\n01 0 1 0"), ("00000\n", " 0 0\t0 0 0\n")], []),
        ([("P.C&", "??C?"), ("All Goal on Crate", "Every Goal")],
         ["line 42, column 1: Found 'every', but expected 'No', 'Some' or 'All'; it is read as 'Some'.",
          "line 47, column 1: The glyph '?' is not in the legend; add it there.",
          "line 47, column 1: The sign '?' cannot be read: this cell and all that follow, column by "
          "column, are "
          "empty, without background. A sign of the legend was expected."]),
        ([("X = Crate and Goal", "X = Crate and Gaol")],
         ["line 26, column 15: In the line of 'x': 'gaol' is not defined above; the name of an object or "
         "of the "
          "legend was expected."]),
        ([("Thing = Player or Crate", "Thing = Player or X"), ("Crate\nOrange", "Crate Cr Player\nOrange")],
         ["line 13, column 10: The object 'player' exists already.",
          "line 27, column 19: In the line of 'thing': 'x' is defined by an 'and'; it cannot stand in an "
          "'or', "
          "and is left out."]),
        ([("P.C&", "P C&")],
         ["line 47, column 2: A blank cannot be read: this cell and all that follow, column by column, are "
          "empty, without background. A sign of the legend was expected."]),
        ([("Goal, 1Up", "1Up")],
         ["line 19, column 1: The object 'goal' is in no collision layer; add it to one. Maps leave it "
         "out, and "
          "in rules it counts as the first object of the first layer."]),
        ([("[ > Player | Crate ] ->", "late [ > Player | Crate ] ->")],
         ["line 38, column 8: '>' is a movement, which a late rule cannot have; the word is ignored."]),
    ],
)  # fmt: skip
def test_what_a_designer_gets_wrong_is_told_at_its_place(
    changes: list[tuple[str, str]], told: list[str]
) -> None:
    assert set(told) <= set(faults(*changes)), faults(*changes)


def test_a_section_whose_name_is_misspelt_is_the_only_fault_told() -> None:
    with pytest.raises(GameError) as told:
        parse_game(LINES.replace("COLLISIONLAYERS", "Collision Layers (mine)"), "mine.txt")
    assert str(told.value) == (
        "mine.txt cannot be played:\n  line 32, column 1: There is no section COLLISIONLAYERS; was "
        "'Collision Layers (mine)' meant? Write its name alone on a line."
    )


def with_unknown_names(count: int, text: str = LINES) -> str:
    """A game with so many faults more in its legend."""
    names = "\n".join(f"Q{'abcdefghij'[i % 10]} = Crate or Nothing{i}" for i in range(count))
    return text.replace("C = Crate", f"C = Crate\n{names}", 1)


def test_a_game_that_cannot_be_played_says_how_many_faults_are_not_shown() -> None:
    with pytest.raises(GameError, match="cannot be played:") as raised:
        parse_game(with_unknown_names(MOST_PROBLEMS + 50))
    _, *shown, more = str(raised.value).splitlines()
    assert (len(shown), more[:5], more[-6:]) == (21, "  and", " more.")
    assert "and plays games of at most 5 errors" in shown[-1]
    assert int(more.split()[1]) >= MOST_PROBLEMS + 50 - 20


RULE = "[ > Player | Crate ] -> [ > Player | > Crate ]"


@pytest.mark.parametrize(
    ("rule", "causes"),
    [
        ("[ > Plyer ] -> [ > Player ]", ["plyer"]),
        ("[ > Craet ] -> [ > Player ]", ["craet"]),
        ("[ > Player | Crate ] => [ > Player | > Crate ]", ["=>"]),
    ],
)
def test_what_follows_from_a_word_stands_behind_it_and_does_not_count(rule: str, causes: list[str]) -> None:
    text = LINES.replace(RULE, rule)
    try:
        problems = parse_game(text).problems
    except GameError as error:
        problems = error.problems
    told = [problem for problem in problems if problem.line == 38]
    assert all(f"Found '{word}'" in problem.sentence for word, problem in zip(causes, told, strict=False))
    assert [problem.follows for problem in told] == [n >= len(causes) for n in range(len(told))]
    assert len(told) > len(causes)
    listed = [fault.message for fault in GameFile().read(text).faults if fault.line == 38]
    assert listed == [problem.sentence for problem in told[: len(causes)]]


def test_faults_of_many_rules_are_counted_once_and_alike() -> None:
    wrong = RULE.replace("Player |", "Plyer |", 1)
    text = LINES.replace(RULE, "\n".join(wrong.replace("Crate", f"Crat{n}", 1) for n in range(300)))
    with pytest.raises(GameError) as raised:
        parse_game(text)
    _, *shown, more = str(raised.value).splitlines()
    faults = GameFile().read(text).faults
    assert int(more.split()[1]) + len(shown) == len(faults) > 600
    assert not [fault for fault in faults if re.search(r"\d+ (other )?faults", fault.message)]


@pytest.mark.parametrize(
    ("changes", "line", "advice"),
    [
        ([("Player P", "Hero P"), ("Player", "Hero")], "LEGEND", "'Player = Hero' below LEGEND, or give an"),
        ([("Player P", "Hero P")], "LEGEND", "'Player = Hero' below LEGEND"),
        ([("Player P", "Player2 P"), ("Player,", "Player2,")], "LEGEND", "'Player = Player2' below LEGEND"),
        ([("Player P", "Plyer P")], "Plyer P", "'plyer' is perhaps 'Player'."),
        ([("Player P", "Hero P"), ("&=Goal", "&=Goal\nPlayer = Her")], "Player = Her", "stands for nothing"),
        ([("Background\nBlack", "Floor\nBlack"), ("\nBackground\n", "\nFloor\n")],
         "LEGEND", "'Background = Floor' below LEGEND"),
    ],
)  # fmt: skip
def test_a_name_that_is_missing_is_told_where_it_belongs_with_a_guess(
    changes: list[tuple[str, str]], line: str, advice: str
) -> None:
    text = LINES.replace("Thing = Player or Crate", "Thing = Crate or Goal")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    levels = text.index("LEVELS")
    for whole in (text, text[:levels] + "LEVELS\n\nC.\n"):  # a level by itself has the same line
        found = [fault for fault in GameFile().read(whole).faults if advice in fault.message]
        assert [whole.split("\n")[each.line - 1] for each in found] == [line]
