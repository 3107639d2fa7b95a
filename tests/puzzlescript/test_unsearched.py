"""What searches leave out of a game is part of every answer, and no such answer is called proven."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from copy import copy
from pathlib import Path
from random import Random

import pytest
from epcg_publishing.play_data import packed
from epcg_publishing.play_graph import play_graph
from epcg_puzzlescript.formats.text import format_level, level_of, reading_of
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.metrics import CHANCE, RESTARTS, UNDO_OF_CHECKPOINTS, UNDO_OF_TICKS
from epcg_puzzlescript.rendering.how_to_play import how_to_play
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Play
from epcg_puzzlescript.rules.turn import INPUTS, TICK, Cells, EndlessError, input_numbers
from epcg_workbench.jobs import answer

from epcg_core.domain import Reading
from epcg_core.editing import editing
from tests.puzzlescript.rafts import CLOCK, FLAG, FLOWS, PUSH, START, game, level
from tests.puzzlescript.random_games import random_game
from tests.puzzlescript.test_as_read import EVERY
from tests.workplace import epcg

WITHOUT = f"no solution, without {RESTARTS}"
LOST = level("#######\n#P#R..#\n####O##\n#######", f"{START}\nnoaction", f"{FLOWS} again")
QUERY = """
name = "lost"
domain = "puzzlescript"
[generator]
name = "levels"
game = "lost.txt"
[[evaluators]]
name = "shortest_solution"
"""


@pytest.mark.parametrize(
    ("settings", "rules", "unsearched"),
    [
        ("", f"{PUSH} again", ()),
        (START, f"{PUSH} again", (RESTARTS,)),
        (CLOCK, f"{FLOWS} again", (RESTARTS,)),
        ("", f"{PUSH} again\n{FLAG}", (RESTARTS,)),
        (f"{CLOCK}\n{START}", FLOWS, ()),
        (f"{START}\nnoundo", f"{PUSH} again", ()),
        (f"{START}\nnorestart", f"{PUSH} again", ()),
        ("", f"{PUSH} again\nlate [ raft | stake ] -> restart", (UNDO_OF_TICKS,)),
        ("", f"{PUSH}\n{FLAG}\nlate [ raft | stake ] -> restart", (UNDO_OF_CHECKPOINTS,)),
        ("", "random [ raft ] -> [ right raft ]", (CHANCE,)),
    ],
)
def test_a_game_knows_what_searches_leave_out(settings: str, rules: str, unsearched: tuple[str, ...]) -> None:
    assert game(settings=settings, rules=rules).reading.unsearched == unsearched


@pytest.mark.parametrize(
    ("board", "settings", "rules", "unsearched"),
    [
        ("#P.R.O#", START, f"{PUSH} again", ()),
        ("#P.R.O#", START, f"{FLOWS} again", (RESTARTS,)),
        ("#PRR#.O", START, f"{FLOWS} again", ()),  # a stake stops the rafts
        ("#P.R.O#", CLOCK, f"{FLOWS} again", (RESTARTS,)),
        ("#P..R#O", CLOCK, f"{FLOWS} again", ()),
        ("#P.R.O#", CLOCK, f"{FLOWS}\n{PUSH} again", ()),
        ("#R.#P.O", CLOCK, f"[ stationary raft ] -> [ randomdir raft ]\n{PUSH} again", (CHANCE,)),
        ("#R.#P.O", CLOCK, "[ stationary raft ] -> [ randomdir raft ] again", (CHANCE, RESTARTS)),
        ("#P.R.O#", START, f"{PUSH} again\n{FLAG}", (RESTARTS,)),
    ],
)
def test_a_level_knows_whether_ticks_come_before_its_first_key(
    board: str, settings: str, rules: str, unsearched: tuple[str, ...]
) -> None:
    found = level(board, settings, rules)
    assert found.reading.unsearched == unsearched == reading_of(found.game).unsearched
    assert found.reading_of_others.unsearched == found.game.unsearched


def boards_at_rest(level: Level, keys: int) -> set[Cells]:
    """Return the boards at rest to which a number of keys leads, pressed between any two ticks."""
    game, found = level.game, set()
    engine = PlainEngine(game, level.width, level.height)
    first = Play(game, engine, level.cells)
    first.first_turn()
    waiting = [(first, keys)]
    seen: set[object] = set()
    while waiting:
        play, left = waiting.pop()
        state = play.cells, tuple(play.undo_stack), play.again, left
        if play.won or state in seen:
            continue
        seen.add(state)
        found |= {play.cells} if not play.again else set()
        inputs = [INPUTS[number] for number in input_numbers(game)] if not play.again else []
        for given in (*inputs, "wait", "undo", "again from the start"):
            after = copy(play)
            after.undo_stack, after.boards = list(play.undo_stack), []
            if given == "wait" and play.again:
                after.tick()
            elif given in INPUTS:
                after.turn(None if given == TICK else given)
            elif given == "again from the start":
                _undo(after) if play.again else None
                after.again = False
                after.undo_stack.append(after.cells)
                after.restart_board()
            else:
                _undo(after)
            if left or given == "wait":
                waiting.append((after, left - (given != "wait")))
    return found


def _undo(play: Play) -> None:
    """Undo as a player does: without a board to go back to, ticks go on."""
    running = play.again
    before = play.cells
    play.undo()
    play.again = running and not play.undo_stack and play.cells == before


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 8))])
def test_no_key_between_ticks_leads_to_a_board_that_a_whole_search_leaves_out(part: int) -> None:
    """Undo and restarts at any time of play, against the boards that a search goes through."""
    compared = 0
    for number in range(60 * part, 60 * part + 60):
        random = Random(f"ticks {number}")
        text = random_game(random).replace("OBJECTS", "run_rules_on_level_start\nOBJECTS", 1)
        text = text.replace(" cancel\n", " again\n").replace(" sfx1\n", " again\n")
        try:
            game = parse_game(text)
        except GameError:
            continue
        if "again" not in game.commands:
            continue
        model = PuzzleScriptModel()
        for place in range(len(game.maps)):
            found = level_of(game, place)
            if found.reading.unsearched:
                continue
            try:
                known = {model.initial(found)}
                waiting = list(known)
                while waiting and len(known) < 300:
                    position = waiting.pop()
                    after = {model.apply(position, given) for given in model.actions(position)} - known
                    known |= after
                    waiting += after
                assert waiting or boards_at_rest(found, 2) <= {position.cells for position in known}, number
            except EndlessError:
                continue
            compared += 1
    assert compared > 3


@EVERY
def test_every_answer_names_what_was_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lost.toml").write_text(QUERY)
    Path("lost.txt").write_text(format_level(LOST))
    asked = ("run", "lost.toml", "--executor", "serial")
    told = epcg(*asked).stdout
    answers = [(told, WITHOUT), (epcg("show", "1").stdout, f"without {RESTARTS}")]
    if every:
        assert f"Searches leave out {RESTARTS}." in epcg(*asked, "--dry-run").stdout
        certified = epcg("certificate", "1", "--output", "c.json").stdout
        survey = epcg("puzzlescript", "survey", "lost.txt", "--solve", "--limit", 100).stdout
        answers += [
            (epcg("verify", "1").stdout, f"without {RESTARTS}"),
            (epcg("render", "1#0", "--solution").stdout, f"without {RESTARTS}"),
            (
                certified + epcg("verify", "--certificate", "c.json").stdout,
                f"of the content without {RESTARTS}",
            ),
            (survey, WITHOUT),
        ]
    for said, words in answers:
        assert words in said
        assert "proven" not in said
    assert json.loads(epcg("show", "1", "--json").stdout)["unsearched"] == [RESTARTS]
    with closing(sqlite3.connect("epcg.db")) as connection, connection:
        connection.execute("UPDATE run SET reading = json_remove(reading, '$.unsearched')")
    assert "run's reading" in epcg("verify", "1", code=4).stdout


def test_the_workbench_pages_and_booklets_name_it() -> None:
    text = format_level(LOST)
    (found,) = answer({"do": "solve", "domain": "puzzlescript", "text": text, "taken": []})
    assert found["reason"] == WITHOUT
    assert found["about"] == f"without {RESTARTS}"
    document = editing.open_document("puzzlescript", text)
    assert RESTARTS in document.scene.note
    assert any(RESTARTS in told.text for told in how_to_play([LOST]))
    graph = play_graph(document)
    assert document.lost_words == f"Nothing can be won from here, without {RESTARTS}."
    assert packed(graph)


def test_one_function_says_what_is_proven() -> None:
    whole, part = Reading("a"), Reading("b", "1 rule left out: line 3", ("undo",))
    assert whole.proven("no solution") == whole.meaning("no solution (proven)") == "no solution (proven)"
    assert whole.proven("no solution", "3 positions") == "no solution (proven: 3 positions)"
    assert part.proven("no", "3 boards") == "no (3 boards), as read (1 rule left out: line 3), without undo"
    assert part.meaning("no value") == "no value, as read (1 rule left out: line 3), without undo"
    assert part.meaning("none (proven)") == part.proven("none")
    both = Reading.together([whole, part, Reading("c", "", ("undo",))], ["a.txt", "b.txt", "c.txt"])
    assert both.unsearched == ("undo (b.txt, c.txt)",)
    assert (whole.data(), part.data()["unsearched"]) == ({"sha256": "a", "unread": ""}, ["undo"])
