"""What searches leave out of a game is part of every answer, and no such answer is called proven."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from epcg_publishing.play_data import packed
from epcg_publishing.play_graph import play_graph
from epcg_puzzlescript.formats.text import format_level
from epcg_puzzlescript.rendering.how_to_play import how_to_play
from epcg_workbench.jobs import answer

from epcg_core.domain import Reading
from epcg_core.editing import editing
from tests.puzzlescript.rafts import CLOCK, FLAG, FLOWS, PUSH, START, game, level
from tests.puzzlescript.test_as_read import EVERY
from tests.workplace import epcg

KEYS = "restarts while ticks of 'again' run"
WITHOUT = f"no solution, without {KEYS}"
SLIDES = "right [ > player | raft ] -> [ > player | > raft ] again"
LOST = level("#######\n#P#R.O#\n#######", f"{START}\nnoaction", SLIDES)
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
        (START, f"{PUSH} again", (KEYS,)),
        (CLOCK, f"{FLOWS} again", (KEYS,)),
        ("", f"{PUSH} again\n{FLAG}", (KEYS,)),
        (f"{CLOCK}\n{START}", FLOWS, ()),
        (f"{START}\nnoundo", f"{PUSH} again", ()),
        (f"{START}\nnorestart", f"{PUSH} again", ()),
        ("", f"{PUSH}\n{FLAG}\nlate [ raft | stake ] -> restart", ("undo after a checkpoint",)),
        ("", "random [ raft ] -> [ right raft ]", ("random numbers",)),
    ],
)
def test_a_game_knows_what_searches_leave_out(settings: str, rules: str, unsearched: tuple[str, ...]) -> None:
    assert game(settings=settings, rules=rules).reading.unsearched == unsearched


@EVERY
def test_every_answer_names_what_was_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lost.toml").write_text(QUERY)
    Path("lost.txt").write_text(format_level(LOST))
    asked = ("run", "lost.toml", "--executor", "serial")
    told = epcg(*asked).stdout
    answers = [(told, WITHOUT), (epcg("show", "1").stdout, f"without {KEYS}")]
    if every:
        assert f"Searches leave out {KEYS}." in epcg(*asked, "--dry-run").stdout
        certified = epcg("certificate", "1", "--output", "c.json").stdout
        survey = epcg("puzzlescript", "survey", "lost.txt", "--solve", "--limit", 100).stdout
        answers += [
            (epcg("verify", "1").stdout, f"without {KEYS}"),
            (epcg("render", "1#0", "--solution").stdout, f"without {KEYS}"),
            (certified + epcg("verify", "--certificate", "c.json").stdout, f"of the content without {KEYS}"),
            (survey, WITHOUT),
        ]
    for said, words in answers:
        assert words in said
        assert "proven" not in said
    assert json.loads(epcg("show", "1", "--json").stdout)["unsearched"] == [KEYS]
    with closing(sqlite3.connect("epcg.db")) as connection, connection:
        connection.execute("UPDATE run SET reading = json_remove(reading, '$.unsearched')")
    assert "run's reading" in epcg("verify", "1", code=4).stdout


def test_the_workbench_pages_and_booklets_name_it() -> None:
    text = format_level(LOST)
    (found,) = answer({"do": "solve", "domain": "puzzlescript", "text": text, "taken": []})
    assert found["reason"] == WITHOUT
    assert found["about"] == f"without {KEYS}"
    document = editing.open_document("puzzlescript", text)
    assert KEYS in document.scene.note
    assert any(KEYS in told.text for told in how_to_play([LOST]))
    graph = play_graph(document)
    assert document.lost_words == f"Nothing can be won from here, without {KEYS}."
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
