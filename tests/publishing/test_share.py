"""One file for a friend: what it holds, what it allows, and sentences about what it lacks."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_publishing.shared_page import share

from tests.workplace import Workplace

GAME = """title Three rooms
author A & B
========
OBJECTS
========
Background
white

Wall
black

Player
blue

Crate
orange

Goal
green
=======
LEGEND
=======
. = Background
# = Wall
P = Player
* = Crate
O = Goal
=======
SOUNDS
=======
================
COLLISIONLAYERS
================
Background
Goal
Player, Wall, Crate
======
RULES
======
[ > Player | Crate ] -> [ > Player | > Crate ]
==============
WINCONDITIONS
==============
All Goal on Crate
=======
LEVELS
=======
message Push it home, & <b>soon</b>.

#######
#.P*O.#
#######

#####
#P#O#
#*..#
#####

message The end.
"""


@pytest.fixture
def here(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="puzzles">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def shared(here: Workplace, *arguments: object) -> str:
    here.epcg("share", *arguments, "--output", here.folder / "friend.html", code=0)
    return (here.folder / "friend.html").read_text(encoding="utf-8")


def game(here: Workplace) -> Path:
    path = here.folder / "three_rooms.txt"
    path.write_text(GAME, encoding="utf-8")
    return path


def test_a_game_is_one_page_of_its_levels_and_messages(here: Workplace) -> None:
    page = shared(here, game(here))
    data = data_of(page)
    first, second = data["puzzles"]
    assert (data["title"], data["author"], data["after"]) == ("Three rooms", "A & B", ["The end."])
    assert (first["heading"], first["messages"]) == ("Level 1", ["Push it home, & <b>soon</b>."])
    assert first["steps"] == ["right"]
    assert (second["heading"], second["messages"], second["steps"]) == ("Level 2", [], None)
    assert second["solution"] == "It has no solution (proven)."
    assert first["facts"]
    assert data["source"] == GAME
    assert "<title>Three rooms</title>" in page
    assert "<b>soon" not in page, "markup of a game is text"
    assert page == shared(here, game(here)), "the same bytes"


PIECES = '''title = "Tea tray"
lattice = "squares"

[board]
drawing = """
##
##
"""

[[pieces]]
name = "bar"
drawing = "##"
copies = 2

[[puzzles]]
title = "First cup"
'''


def test_a_game_of_pieces_has_its_own_title(here: Workplace) -> None:
    path = here.folder / "tray2.packing"
    path.write_text(PIECES, encoding="utf-8")
    assert data_of(shared(here, path))["title"] == "Tea tray"


def test_the_page_allows_its_own_script_and_style_alone(here: Workplace) -> None:
    page = shared(here, game(here))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for kind, tag in (("script", "<script>(.*?)</script>"), ("style", "<style>(.*?)</style>")):
        (text,) = re.findall(tag, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert not re.search(r"""(src|href)=["'](?!#)""", page.partition("<script>")[0]), "nothing is loaded"


def test_chosen_levels_without_solutions_and_numbers(here: Workplace) -> None:
    data = data_of(shared(here, game(here), "--level", 1, "--no-solutions", "--no-numbers"))
    (one,) = data["puzzles"]
    assert (one["heading"], one["facts"], one["steps"], one["solution"]) == ("Level 1", [], None, "")
    assert (data["after"], data["hints"], one["warn"]) == ([], True, True), "what follows another level"
    bare = data_of(shared(here, game(here), "--no-hints", "--no-warnings"))
    assert (bare["hints"], [each["warn"] for each in bare["puzzles"]]) == (False, [False, False])


def test_what_cannot_be_solved_is_told(here: Workplace) -> None:
    path, target = game(here), ("--output", here.folder / "friend.html")
    said = here.epcg("share", path, *target, "--json", code=0)
    assert "Of the puzzles on the page these cannot be solved: 2." in said.stderr
    assert json.loads(said.stdout)["unsolvable"] == [2]
    assert "cannot be solved" not in here.epcg("share", path, *target, "--level", 1, code=0).stderr
    assert "It cannot be solved." in here.epcg("share", path, *target, "--level", 2, code=0).stderr
    path.write_text(GAME.replace("#P#O#\n#*..#", "#*.O#\n#..P#"), encoding="utf-8")
    few = here.epcg("share", path, *target, "--level", 2, "--positions", 3, code=0).stderr
    assert "It may have no solution: none is known." in few


def test_a_link_holds_the_whole_game(here: Workplace) -> None:
    target, base = here.folder / "friend.html", "https://example.org/a/game.html"
    said = here.epcg("share", game(here), "--output", target, "--link", f"{base}#2", code=0)
    address, _, letters = said.stdout.strip().partition("#game=")
    assert address == base
    assert re.fullmatch(r"[\w-]+", letters)
    held = zlib.decompress(base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4)))
    assert json.loads(held) == data_of(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("letters", "said", "is_made"),
    [
        (1_900, "", True),
        (2_100, "For messages with less room, 2,000 letters in Discord, send the file instead.", True),
        (8_100, "programs may cut what is longer than 8,000: send the file instead", True),
        (1_100_000, "browsers open at most 1,048,572: send the file instead", False),
    ],
)
def test_a_link_that_is_too_long_says_what_to_do_instead(
    here: Workplace, letters: int, said: str, is_made: bool
) -> None:
    """By the length: of an address of the game itself, as it is; it holds nothing for the very long ones."""
    made = share(game(here), here.folder / "friend.html", link="https://example.org/game.html")
    long = attrs.evolve(made, link=made.link.partition("=")[0] + "x" * letters)
    told = "\n".join(map(str, long.parts()))
    assert (long.link in told) == is_made
    assert ("link" in long.json()) == is_made
    assert said in told
    assert ("instead" in told) == bool(said)


@pytest.mark.parametrize("link", ["example.org", "javascript:alert(1)", "https://", "https://a b"])
def test_a_link_needs_the_address_of_a_page(here: Workplace, link: str) -> None:
    said = here.epcg("share", game(here), "--link", link, "--output", here.folder / "x.html", code=1)
    assert "is not the address of a page" in said.stderr
    assert not (here.folder / "x.html").exists()


def test_a_puzzle_by_its_id(here: Workplace) -> None:
    page = shared(here, "fling:boards?height=4&pieces=2&width=4#5", "--title", "Two <balls>")
    (one,) = data_of(page)["puzzles"]
    assert one["moves"]
    assert "<title>Two &lt;balls&gt;</title>" in page


def test_a_recorded_puzzle_has_its_recorded_numbers_and_where_they_are_from(here: Workplace) -> None:
    query = ("fling/best_by_expert_ratio", "--set", "generator.pieces=2", "--quiet", "--db", here.database)
    here.epcg("run", *query, code=0)
    ((run, rank, digest),) = here.sql(
        "SELECT run.id, candidate.rank, run.digest FROM run JOIN candidate ON candidate.run_id = run.id "
        "WHERE candidate.kept = 1 ORDER BY run.id DESC, candidate.rank LIMIT 1"
    )
    (one,) = data_of(shared(here, f"{run}#{rank}", "--db", here.database))["puzzles"]
    assert any("position" in fact and "to look at" in fact for fact in one["facts"])
    assert one["origin"].startswith(f"As computed: run {run}, ")
    assert f"digest {digest[:12]}" in one["origin"]
    short = here.epcg("top", run, "--count", 1, "--db", here.database, "--format", "csv", code=0).stdout
    puzzle = next(word for line in short.splitlines() for word in line.split(",") if "fling:" in word)
    assert data_of(shared(here, puzzle, "--db", here.database))["puzzles"][0]["moves"]


def test_a_level_that_cannot_be_read_is_told_and_the_others_are_shared(here: Workplace) -> None:
    path = here.folder / "odd.txt"
    path.write_text(GAME.replace("#P#O#", "#P?O#"), encoding="utf-8")
    said = here.epcg("share", path, "--output", here.folder / "friend.html")
    text = said.stdout + said.stderr
    assert "Traceback" not in text
    assert "?" in text or "level" in text.lower()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("nothing.txt", "nothing.txt"),
        ("fling:boards?height=4&pieces=2&width=4#100000", "100000"),
        ("no content at all", "no domain's editor reads it"),
    ],
)
def test_mistakes_are_sentences(here: Workplace, what: str, sentence: str) -> None:
    said = here.epcg("share", what)
    assert said.exit_code, said
    assert sentence in said.stderr
    assert "Traceback" not in said.stderr
    assert not list(here.folder.glob("*.html"))


def test_what_is_left_out_is_told(here: Workplace) -> None:
    path = game(here)
    said = here.epcg("share", path, "--level", 1, "--level", 9, "--output", here.folder / "one.html", code=0)
    assert "There is no level 9: it has 2." in said.stderr


def test_half_a_character_in_the_title_is_a_sentence(here: Workplace) -> None:
    said = here.epcg("share", game(here), "--title", "a\udcff", "--output", here.folder / "x.html", code=1)
    assert "half a character" in said.stderr
    assert not (here.folder / "x.html").exists()


def test_a_puzzle_of_a_sample_says_so(here: Workplace) -> None:
    query = ("fling/best_by_expert_ratio", "--set", "generator.pieces=2", "--quiet", "--db", here.database)
    here.epcg("run", *query, "--sample", 7, code=0)
    ((run, rank),) = here.sql("SELECT run_id, start FROM unit WHERE count = 1 LIMIT 1")
    (one,) = data_of(shared(here, f"{run}#{rank}", "--db", here.database))["puzzles"]
    assert re.search(r"7 of [\d,]+ candidates, drawn by chance", one["origin"]), one["origin"]


def test_a_level_that_there_is_not(here: Workplace) -> None:
    assert (
        "There is no level 9 in it: it has levels 1 to 2."
        in here.epcg("share", game(here), "--level", 9, code=1).stderr
    )


def test_a_page_speaks_german(here: Workplace) -> None:
    page = shared(here, game(here), "--texts", "de")
    data = data_of(page)
    assert '<html lang="de">' in page
    assert '<script type="application/json" id="texts">{"' in page
    assert ">Tipp</button>" in page
    assert data["puzzles"][1]["solution"] == "Es hat keine Lösung (bewiesen)."
    assert data["puzzles"][0]["heading"] == "Level 1"
    assert 'id="texts"' not in shared(here, game(here)), "English pages carry no table"
    said = here.epcg("share", game(here), "--texts", "tlh", code=2).stderr
    assert "'tlh' is not one of 'en', 'de'." in said


def test_the_contents_of_a_page_share_its_positions_and_one_alone_has_all() -> None:
    """A page of twelve large levels took a minute, because each carried all of its positions."""
    from epcg_publishing.limits import LEAST_OF_EACH, MOST_OF_PAGE, MOST_POSITIONS
    from epcg_publishing.play_graph import NEARBY
    from epcg_publishing.share import _allowed

    assert _allowed(MOST_OF_PAGE, 1) == MOST_POSITIONS
    assert _allowed(MOST_OF_PAGE, 12) * 12 <= MOST_OF_PAGE
    assert _allowed(0, 50) == LEAST_OF_EACH
    assert all(_allowed(left, count) % NEARBY == 0 for left in (0, 9_999, 60_000) for count in (1, 7, 12))
