"""The one way in: what a text that is pasted, dropped or opened becomes, asked of the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer
from epcg_workbench.project.templates import template
from epcg_workbench.serve import project_folder

from epcg_core.base.errors import EpcgError, QueryError
from epcg_core.domain import FormatInfo
from epcg_core.domain.files import Piece
from epcg_core.editing import editing, files
from epcg_core.plugins.registry import registry

BOARD = "o..o\n.o..\no..o"
XSB = "#####\n#@$.#\n#####\n"
GAME = template("") or ""


def asked(do: str, **request: Any) -> dict[str, Any]:
    found: dict[str, Any] = list(answer({"do": do, **request}))[-1]
    return found


def test_a_board_is_shown_at_once() -> None:
    for file in ({}, {"file": "board.txt"}):
        found = asked("intake", text=BOARD, **file)
        assert (found["belongs"], found["domain"], found["text"]) == ("", "fling", BOARD)
        assert found["palette"]


def test_a_game_that_is_pasted_keeps_its_levels_and_messages() -> None:
    more = GAME + "\nmessage The end\n"
    found = asked("intake", text=more)
    assert found["belongs"].startswith("It holds 3 levels")
    assert "message" in found["belongs"]
    assert Path(found["file"]).suffix == ".puzzlescript"
    assert len(files.kind_named("puzzlescript", "game").format.read(more).pieces) >= 4


def test_a_game_with_faults_is_a_document_with_faults(tmp_path: Path) -> None:
    lines = GAME.split("\n")
    at = lines.index("LEGEND")
    faulty = "\n".join([*lines[: at + 1], *(f"{sign} = nobody{sign}" for sign in "qvxyz1"), *lines[at + 1 :]])
    sheet = files.kind_named("puzzlescript", "game").format.read(faulty)
    assert sum(fault.serious for fault in sheet.faults) >= 1
    found = asked("intake", text=faulty, file="mine.txt")
    assert "which the page shows beside the text" in found["belongs"]
    made = asked("project_new", folder=str(tmp_path), file=found["file"], text=faulty)
    assert made["domain"] == "puzzlescript"
    assert len([each for each in made["faults"] if each["serious"]]) >= 1
    assert made["pieces"]


def test_a_file_of_one_level_in_another_format_is_opened_and_keeps_its_format(tmp_path: Path) -> None:
    tried = 0
    for info in registry().all(FormatInfo):
        if info.write is None or info.read is None or not info.endings:
            continue
        for own in [editing.new_text(info.domain), *list(editing.examples(info.domain).values())[:2]]:
            try:
                text = files.file_format(info).new(Piece(own))
            except EpcgError:  # the format has no such level
                continue
            found = asked("intake", text=text, file=f"level{info.endings[0]}")
            assert "error" not in found, (info.name, found)
            tried += 1
            if not found["belongs"]:
                continue
            made = asked("project_new", folder=str(tmp_path), file=found["file"], text=text)
            assert made["domain"] == info.domain
            assert made["text"] == text
            assert len(made["pieces"]) == 1
    assert tried > 4


def test_sokoban_without_a_name_is_found_by_its_text() -> None:
    found = asked("intake", text=XSB)
    assert found["belongs"], found
    assert "format" in found["belongs"]
    opened = asked("open", text=XSB)
    assert opened["domain"] == "puzzlescript"


def test_questions_and_plans_are_told_by_their_tables() -> None:
    query = 'title = "Some"\n\n[generator]\nname = "fling:boards"\n'
    assert asked("intake", text=query, file="some.toml")["belongs"] == "It is a question."
    assert asked("intake", text=query)["file"] == "Some.toml"


PACKING = """title = "Small: what 'fits'"
lattice = "squares"

[board]
drawing = '''
####
##..
'''

[[pieces]]
name = "bar"
drawing = "####"

[[pieces]]
name = "domino"
drawing = "##"
"""


@pytest.mark.parametrize(
    ("text", "told", "file"),
    [
        (PACKING, "It is a game of its own.", "Small what fits.packing"),
        (PACKING.replace("squares", "spheres"), "It has 1 fault, which", "Small what fits.packing"),
        (PACKING.replace('"bar"', '"bar'), "It has 1 fault, which", "Small what fits.packing"),
        (PACKING + "[[puzzles]]\n\n[[puzzles]]\n", "It holds 2 puzzles.", "Small what fits.packing"),
        (GAME.replace("title A New Game", "title My Game"), "It holds 3 levels", "My Game.puzzlescript"),
        (GAME[: GAME.index("message")] + "#####\n#PCo#\n#####\n", "It is a game of its own.", ""),
        (XSB, "It is a file of the format xsb", "pasted.xsb"),
    ],
)  # fmt: skip
def test_a_game_that_is_pasted_gets_a_folder_and_is_called_by_its_title(
    tmp_path: Path, text: str, told: str, file: str
) -> None:
    pytest.importorskip("epcg_tangram")
    found = asked("intake", text=text)
    assert found["belongs"].startswith(told)
    assert found["file"] == (file or found["file"])
    made = asked("project_new", folder=str(tmp_path), file=found["file"], text=text)
    assert made["format"]
    assert made["pieces"]
    assert asked("project_open", folder=str(tmp_path), file=made["file"])["format"] == made["format"]


@pytest.mark.parametrize("domain", ["witness", "fling", "snakebird", "tangram"])
def test_several_of_one_kind_are_one_document_pasted_dropped_opened_and_on_disk(
    tmp_path: Path, domain: str
) -> None:
    several = [each.strip("\n") for each in list(editing.examples(domain).values())[:3]]
    text = "\n\n".join(several) + "\n"
    _, many = registry().domain(domain).content_word
    pasted, dropped = asked("intake", text=text), asked("intake", text=text, file="mine.txt")
    assert pasted["belongs"] == dropped["belongs"] == f"It holds {len(several)} {many}."
    made = asked("project_new", folder=str(tmp_path), file=pasted["file"], text=text)
    (tmp_path / "there.txt").write_text(text, encoding="utf-8")
    opened = asked("project_open", folder=str(tmp_path), file="there.txt")
    for found in (made, opened):
        assert (found["domain"], found["usable"], len(found["pieces"])) == (domain, True, len(several))
    assert project_folder(str(tmp_path / "there.txt"), None)[0] == tmp_path.resolve()
    more = asked(
        "project_change", domain=domain, format="", text=text, how="duplicate", number=1,
        folder=str(tmp_path),
    )  # fmt: skip
    assert len(more["pieces"]) == len(several) + 1


@pytest.mark.parametrize("text", ["no content\x00 at all", "<script>alert(1)</script>", "", "word\n" * 50])
def test_what_nobody_reads_gets_one_sentence(text: str) -> None:
    found = asked("intake", text=text)
    assert found["expected"]
    assert found["error"].startswith("No puzzle of a known kind is seen in this text")
    assert "\n" not in found["error"]


def test_the_likeliest_reader_says_what_is_wrong() -> None:
    text = GAME[: GAME.index("LEVELS")]
    found = asked("intake", text=text)
    assert "PuzzleScript" in found["error"]
    assert "\n" not in found["error"]
    chosen = asked("intake", text=text, domain="puzzlescript")
    assert "fault" in chosen["belongs"]
    assert "Row 2" in asked("intake", text="o..o\n.x..", domain="fling")["error"]


def test_a_file_of_the_command_line_is_told_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "none.dat"
    path.write_text("nothing of any kind\n" * 3)
    with pytest.raises(QueryError) as error:
        project_folder(str(path), None)
    assert "\n" not in str(error.value)
