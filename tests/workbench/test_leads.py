"""A game is designed by questions: those it leaves open, and what their answers lead on to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer

import epcg_core as epcg
from epcg_core.query.query import parse_query

pytest.importorskip(
    "epcg_tangram", reason="no domain here has a game that is drawn: pip install epcg-tangram"
)

KIND = {"domain": "tangram", "format": "packing"}
GAMES = Path(__file__).parents[2] / "plugins" / "tangram" / "games"
LIBRARY = """# my library
title = "Boxes"
lattice = "squares"

[board]
drawing = '''
####
####
'''

[[pieces]]
name = "bar"  # the longest
drawing = "####"

[[pieces]]
name = "ell"
drawing = '''
###
#..
'''

[[pieces]]
name = "domino"
drawing = "##"

[rules]
unused = "any"
"""


def got(name: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": name, **KIND, **request}))


def refused(name: str, **request: Any) -> str:
    [found] = got(name, **request)
    return str(found["error"])


def questions(text: str) -> dict[str, str]:
    found = got("workshop_questions", text=text, file="game.packing")
    assert all(each["about"].endswith(".") for each in found)
    return {each["title"]: each["question"] for each in found}


def asked(folder: Path, text: str, question: str) -> str:
    """Ask a question of the game that is a file of a folder; returns the database."""
    (folder / "game.packing").write_text(text)
    database = str(folder / "epcg.db")
    epcg.answer(parse_query(question), db=database, workers=1)
    return database


def best(database: str, metric: str) -> str:
    run = epcg.open(database).runs[-1]
    ranks, values = run.values(metric)
    return f"{run.number}#{ranks[values.argmax()]}"


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_game_leaves_the_questions_open_that_its_board_and_pieces_have() -> None:
    assert list(questions(LIBRARY)) == [
        "Which pieces are there?",
        "Which set of the pieces?",
        "Which board?",
        "What constraint on the colours?",
    ]
    exact = LIBRARY.split('[[pieces]]\nname = "domino"')[0]
    assert "Which set of the pieces?" not in questions(exact)
    larger = exact.replace("####\n####", "#####\n#####")
    assert "holes = 2" in questions(larger)["Which board?"]
    back = exact.replace("[board]", '[back]\nbumps = "light"\n\n[board]')
    assert "bump_patterns" in questions(back)["Which holes on the back?"]


def test_the_best_set_is_a_game_of_its_own_in_which_all_its_pieces_are_used(inside: Path) -> None:
    database = asked(inside, LIBRARY, questions(LIBRARY)["Which set of the pieces?"])
    [told] = got("placed", puzzle=best(database, "solutions"), run=1, db=database, folder=str(inside))
    assert [(each["format"], each["takes"]) for each in told["leads"]] == [("packing", "game")]
    assert told["editor"] is False
    [made] = got("workshop_made", puzzle=best(database, "solutions"), db=database)
    [drawn] = got("workshop", text=made["text"])
    assert [each["title"] for each in drawn["canvases"]] == ["Board", "bar", "ell"]
    assert {each["key"]: each["value"] for each in drawn["settings"]}["unused"] == "none"
    [found] = got("workshop_answer", text=made["text"])
    assert found["title"] in ("Can be filled", "Cannot be filled")


def test_shapes_become_pieces_once_with_names_of_their_own_and_nothing_else_changes(inside: Path) -> None:
    database = asked(inside, LIBRARY, questions(LIBRARY)["Which pieces are there?"])
    all_five = [f"1#{rank}" for rank in range(5)]
    [found] = got("workshop_change", text=LIBRARY, how="take", puzzles=all_five, db=database)
    names = [each["title"] for each in found["canvases"][1:]]
    assert names[:3] == ["bar", "ell", "domino"]
    assert sorted(names[3:]) == ["O4", "S4", "T4"]
    head, _, tail = LIBRARY.partition("[rules]")
    assert found["text"].startswith(head.rstrip("\n"))
    assert tail.strip() in found["text"]
    assert "has these pieces already" in refused(
        "workshop_change", text=found["text"], how="take", puzzles=all_five, db=database
    )
    assert "made of squares" in refused(
        "workshop_change", text=_on_triangles(), how="take", puzzles=all_five, db=database
    )
    assert "1#0 is not a game" in refused("workshop_made", puzzle="1#0", db=database)


def _on_triangles() -> str:
    return (
        "lattice = 'triangles'\n\n[board]\ndrawing = 'AV'\n\n[[pieces]]\nname = 'diamond'\ndrawing = 'AV'\n"
    )


def test_a_board_that_was_found_is_a_game_with_the_same_pieces(inside: Path) -> None:
    game = LIBRARY.split('[[pieces]]\nname = "domino"')[0].replace("####\n####", "#####\n#####")
    database = asked(inside, game, questions(game)["Which board?"])
    [made] = got("workshop_made", puzzle=best(database, "solutions"), db=database)
    [drawn] = got("workshop", text=made["text"])
    assert drawn["canvases"][0]["subtitle"] == "8 squares"
    assert [each["title"] for each in drawn["canvases"][1:]] == ["bar", "ell"]
    assert "is not a part of a game" in refused(
        "workshop_change", text=game, how="take", puzzles=[best(database, "solutions")], db=database
    )


@pytest.mark.parametrize("name", ["first-steps", pytest.param("snowflake", marks=pytest.mark.slow)])
def test_a_constraint_goes_with_the_puzzle_that_is_opened(inside: Path, name: str) -> None:
    game = (GAMES / f"{name}.packing").read_text()
    database = asked(inside, game, questions(game)["What constraint on the colours?"])
    puzzle = best(database, "muse")
    [opened] = got("puzzle", puzzle=puzzle, db=database)
    assert "relation" in opened["text"]
    assert "colours" in opened["text"]
    assert "share" in opened["scene"]["note"]
    [step] = got("play", text=opened["text"], actions=[])
    assert step["scene"]["note"] == opened["scene"]["note"]
