"""`epcg puzzlescript survey`: rows of all games of a folder, and in what two surveys differ."""

from __future__ import annotations

import csv
import io
import json
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from epcg_puzzlescript.commands import survey_rows, survey_store
from epcg_puzzlescript.commands.survey_rows import form_of
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.metrics import UNDO_OF_TICKS

from epcg_core.execution.apart import Apart, TimeUpError
from tests.workplace import epcg

PUSH = "[ > Player | Crate ] -> [ > Player | > Crate ]"
LUCK = "[ > Player | stationary Crate ] -> [ > Player | randomdir Crate ]"


def game(rules: str = PUSH, levels: str = "#####\n#P*O#\n#####", prelude: str = "title Own") -> str:
    """A small game."""
    return f"""{prelude}

OBJECTS
Background
black

Wall
grey

Player
white

Crate
orange

Target
blue

LEGEND
. = Background
# = Wall
P = Player
* = Crate
O = Target

SOUNDS

COLLISIONLAYERS
Background
Target
Player, Wall, Crate

RULES
{rules}

WINCONDITIONS
All Target on Crate

LEVELS

{levels}
"""


def surveyed(folder: Path, *options: object, code: int = 0) -> dict[str, Any]:
    """The rows of a survey by the names of the files."""
    told = epcg("puzzlescript", "survey", folder, *options, "--format", "json", "--quiet", code=code).stdout
    return {row["file"]: row for row in json.loads(told)["games"]}


def timeless(levels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of levels without the time that their searches took."""
    return [{name: value for name, value in row.items() if name != "cpu_seconds"} for row in levels]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Surveys keep their rows in a database of the test."""
    monkeypatch.setenv("EPCG_DB", str(tmp_path / "survey.db"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Games of ours, games with slips, games that are refused, and files that are not games."""
    found = tmp_path / "games"
    (found / "deep" / "er").mkdir(parents=True)
    (found / ".hidden").mkdir()
    for path in shipped_games():
        (found / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (found / "deep" / "er" / "slips.pz").write_text(
        game(f"{PUSH} wobble\n{PUSH} zork\n[ > Player | Crate no Crate ] -> [ Player | ]")
    )
    (found / "deep" / "refused.txt").write_text(game("[ > Player | Crate ] -> [ Player ]"))
    (found / "deep" / "many.txt").write_text(game("\n".join([f"{PUSH} rigid"] * 6)))
    (found / "notes.txt").write_text("Buy milk.")
    (found / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    (found / "pipe.txt").symlink_to(found / "nothing")
    (found / ".hidden" / "other.txt").write_text(game())
    (found / "picture.png").write_bytes(b"\x89PNG")
    return found


def test_each_file_is_a_row_with_what_becomes_of_it(folder: Path) -> None:
    rows = surveyed(folder)
    assert list(rows) == [
        "badger.txt", "bytes.txt", "deep/er/slips.pz", "deep/many.txt", "deep/refused.txt", "frost.txt",
        "herons.txt", "ivy.txt", "lanterns.txt", "magnet.txt", "notes.txt", "pipe.txt",
    ]  # fmt: skip
    assert {name for name, row in rows.items() if row["outcome"] == "read"} == {
        "deep/er/slips.pz", *(path.name for path in shipped_games())
    }  # fmt: skip
    magnet = rows["magnet.txt"]
    assert magnet["levels"][2] == [8, 7]
    assert (magnet["objects"], magnet["rules"], magnet["elementary_rules"]) == (5, 1, 4)
    assert magnet["engine_kind"] == "kernel"
    assert "solved" not in magnet
    assert rows["deep/refused.txt"]["outcome"] == "refused"
    assert "Pattern 1 has 2 cells on the left and 1 on the right" in rows["deep/refused.txt"]["reason"]
    assert rows["deep/many.txt"]["outcome"] == "refused"
    assert "counts 6 errors" in rows["deep/many.txt"]["reason"]
    assert rows["deep/many.txt"]["errors"] == 6
    for name, reason in (("notes.txt", "OBJECTS"), ("bytes.txt", "UTF-8"), ("pipe.txt", "is a link to")):
        assert rows[name]["outcome"] == "not a game"
        assert reason in rows[name]["reason"]
        assert str(folder) not in rows[name]["reason"]


def test_a_comment_that_does_not_end_is_the_reason(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(game(prelude="title Own (and more"))
    reason = surveyed(tmp_path)["own.txt"]["reason"]
    assert reason.startswith("line 1, column 1: A comment begins here and does not end")
    assert "'OBJECTS' meant" not in reason


def test_faults_are_grouped_by_their_form(folder: Path) -> None:
    slips = surveyed(folder)["deep/er/slips.pz"]
    counts = {kind["form"]: kind for kind in slips["faults"]}
    twice = [kind for kind in counts.values() if kind["count"] == 2]
    assert len(twice) == 1, "wobble and zork are one kind"
    assert twice[0]["errors"] == 4
    assert "'...'" in twice[0]["form"]
    assert "wobble" not in str(counts)
    assert (slips["errors"], slips["warnings"]) == (5, 1)
    assert slips["unread"].startswith("1 rule left out: line ")
    many = epcg("puzzlescript", "survey", folder, "--kinds", "--format", "csv").stdout
    found = {row["fault"]: row for row in csv.DictReader(io.StringIO(many))}
    assert found[twice[0]["form"]] == {
        "fault": twice[0]["form"], "games": "2", "times": "8", "errors": "10", "warnings": "0",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("'zork' is unknown.", "'...' is unknown."),
        ("'don't' and 'it's' (see 'a b') stand.", "'...' and '...' (see '...') stand."),
        ("The rows' length is 12, not 1,000.", "The rows' length is N, not N."),
        ("A colour was expected: '#1', '...'.", "A colour was expected: '...', '...'."),
    ],
)
def test_forms(sentence: str, form: str) -> None:
    assert form_of(sentence) == form


def test_levels_are_searched_within_limits(tmp_path: Path) -> None:
    maps = "#####\n#P*O#\n#####\n\n#####\n#*PO#\n#####\n\n#######\n#P....#\n#..*..#\n#....O#\n#######"
    (tmp_path / "own.txt").write_text(game(levels=maps))
    (tmp_path / "draws.txt").write_text(game(LUCK))
    rows = surveyed(tmp_path, "--solve", "--limit", 10)
    assert all(level["cpu_seconds"] >= 0 for row in rows.values() for level in row["solved"])
    own = timeless(rows["own.txt"]["solved"])
    assert own[0] == {"level": 1, "outcome": "solved", "moves": 1, "expansions": 1}
    assert [level["outcome"] for level in own] == ["solved", "no solution", "limit of expansions"]
    assert own[2]["expansions"] == 11
    (draws,) = timeless(rows["draws.txt"]["solved"])
    assert draws == {"level": 1, "outcome": "by chance", "lucky_moves": 1, "win_chance": 1, "expansions": 2}
    table = epcg("puzzlescript", "survey", tmp_path, "--solve", "--limit", 10).stdout
    assert re.search(
        r"^own\.txt +read .* 1 solved, 1 no solution \(proven\), 1 limit of expansions", table, re.MULTILINE
    )
    assert surveyed(tmp_path, "--solve")["own.txt"]["solved"][2]["outcome"] == "solved"


def test_a_game_that_does_not_come_to_rest(tmp_path: Path) -> None:
    swap = "[ Crate ] -> [ action Crate ]\n[ Wall ] -> [ Crate ] again\n[ action Crate ] -> [ Wall ] again"
    (tmp_path / "game.txt").write_text(game(swap, "#####\n#P.O#\n#####"))
    assert surveyed(tmp_path, "--solve")["game.txt"]["solved"][0]["outcome"] == "does not come to rest"


def test_a_level_that_takes_too_long_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.txt").write_text(game(levels="#####\n#P*O#\n#####\n\n#####\n#P*O#\n#####"))
    ask = Apart.__call__

    def called(self: Apart[int, Any], number: int, seconds: float | None = None) -> Any:
        assert seconds == 3
        if number == 0:
            raise TimeUpError
        return ask(self, number)

    monkeypatch.setattr(Apart, "__call__", called)
    found = surveyed(tmp_path, "--solve", "--seconds", 3)["own.txt"]["solved"]
    assert [level["outcome"] for level in found] == ["limit of seconds", "solved"]


@pytest.mark.slow
@pytest.mark.parametrize("fewer", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_two_surveys_are_compared(folder: Path, tmp_path: Path, fewer: bool) -> None:
    file = tmp_path / "before.json"
    if fewer:
        for path in shipped_games():
            (folder / path.name).write_text(game(prelude=f"title {path.stem}"))
    epcg("puzzlescript", "survey", folder, "--solve", "--json", file, "--quiet")
    told = epcg("puzzlescript", "survey", folder, "--solve", "--against", file)
    assert told.stdout.splitlines() == ["game  what  before  now"]
    assert "No game differs" in told.stderr
    (folder / "frost.txt").unlink()
    (folder / "new.txt").write_text(game())
    lanterns = (folder / "lanterns.txt").read_text()
    (folder / "lanterns.txt").write_text(lanterns.replace("RULES\n", "RULES\n[ zork ] -> [ ]\n", 1))
    (folder / "deep" / "refused.txt").write_text(game(levels="#####\n#*PO#\n#####"))
    told = epcg("puzzlescript", "survey", folder, "--solve", "--against", file, "--format", "csv", code=4)
    assert "4 games differ from those of" in told.stderr, told.stdout
    found = [tuple(row.values()) for row in csv.DictReader(io.StringIO(told.stdout))]
    assert {row[0] for row in found} == {"frost.txt", "new.txt", "lanterns.txt", "deep/refused.txt"}
    assert ("frost.txt", "file", "there", "") in found
    assert ("new.txt", "file", "", "new") in found
    assert ("deep/refused.txt", "outcome", "refused", "read") in found
    assert ("lanterns.txt", "errors", "0", "2") in found
    kinds = [row for row in found if row[0] == "lanterns.txt" and row[1].startswith("fault: ")]
    assert "'...'" in kinds[0][1]
    assert [row[2:] for row in kinds] == [("0", "1 (errors 2, warnings 0)")]


def test_a_change_of_a_solution_is_seen(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text(game())
    file = tmp_path / "before.json"
    epcg("puzzlescript", "survey", tmp_path, "--solve", "--json", file)
    data = json.loads(file.read_text())
    data["games"][0]["solved"][0] = {"level": 1, "outcome": "solved", "moves": 2, "expansions": 5}
    file.write_text(json.dumps(data))
    told = epcg("puzzlescript", "survey", tmp_path, "--solve", "--against", file, "--format", "csv", code=4)
    assert 'own.txt,level 1,"solved (moves 2, expansions 5)","solved (moves 1, expansions 1)"' in told.stdout
    data["games"][0]["solved"][0] = {"level": 1, "outcome": "limit of seconds"}
    file.write_text(json.dumps(data))
    epcg("puzzlescript", "survey", tmp_path, "--solve", "--against", file, code=4)
    epcg("puzzlescript", "survey", tmp_path, "--solve", "--limit", 7, "--against", file)
    epcg("puzzlescript", "survey", tmp_path, "--against", file)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [("[]", "is not a survey"), ("{", "is not valid JSON"),
     ('{"survey": 1, "games": [{}]}', "is not a survey"),
     ('{"survey": 2, "files": 0, "limits": null, "games": []}', "is not a survey")],
)  # fmt: skip
def test_a_file_that_is_not_a_survey(tmp_path: Path, written: str, sentence: str) -> None:
    (tmp_path / "own.txt").write_text(game())
    (tmp_path / "old.json").write_text(written)
    told = epcg("puzzlescript", "survey", tmp_path, "--against", tmp_path / "old.json", code=1)
    assert sentence in told.stderr


def test_the_page_needs_nothing_else_and_draws_first_levels(folder: Path, tmp_path: Path) -> None:
    (folder / "evil.txt").write_text(game(prelude="title <script>alert(1)</script>"))
    (folder / "wide.txt").write_text(game(levels="P" + "." * 2500))
    epcg("puzzlescript", "survey", folder, "--solve", "--page", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert not re.search(r"https?://(?!www\.w3\.org)|<link|<script src", page)
    assert "<script>alert" not in page
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(pictures) == len(shipped_games()) + 2, "six of ours, slips and evil, but not the large one"
    assert all(b64decode(picture).startswith(b"<svg") for picture in pictures)
    assert "4 solved" in page
    assert "Kinds of faults" in page
    assert re.search(r'<span class="chip found">solvable in 33 moves</span> <span class="chip proof">', page)
    assert "counts 6 errors in this game" in page


def test_an_interrupt_ends_with_the_rows_that_are_there(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def parse(text: str, *names: str) -> Game:
        parsed.append(text)
        if len(parsed) == 2:
            raise KeyboardInterrupt
        return parse_game(text, *names)

    file, page, before = tmp_path / "rows.json", tmp_path / "page.html", tmp_path / "before.json"
    epcg("puzzlescript", "survey", folder, "--json", before, "--quiet")
    monkeypatch.setattr(survey_rows, "parse_game", parse)
    told = epcg("puzzlescript", "survey", folder, "--json", file, "--page", page, code=130)
    assert "2 files of 12 were looked at" in told.stderr
    assert [line.split()[0] for line in told.stdout.splitlines()] == ["game", "badger.txt", "bytes.txt"]
    assert len(json.loads(file.read_text())["games"]) == 2
    assert "badger.txt" in page.read_text()
    parsed.clear()
    told = epcg("puzzlescript", "survey", folder, "--against", before, code=130)
    assert told.stdout.splitlines() == ["game  what  before  now"], "games that were not reached are not gone"


def test_a_mistake_in_epcg_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(game(prelude=f"title {name}"))

    def fails(text: str) -> Game:
        if "title a" in text:
            raise RuntimeError("oh")
        return parse_game(text)

    monkeypatch.setattr(survey_rows, "parse_game", fails)
    rows = surveyed(tmp_path)
    assert rows["a.txt"]["outcome"] == "failed"
    assert rows["a.txt"]["reason"] == "a mistake in EPCG: RuntimeError: oh"
    assert rows["b.txt"]["outcome"] == "read"


@pytest.mark.parametrize(
    ("make", "options", "code", "sentence"),
    [
        (lambda folder: folder / "absent", (), 1, "There is no folder"),
        (lambda folder: folder, (), 1, "There is no game in"),
        (lambda folder: folder, ("--limit", 3), 2, "add --solve"),
        (lambda folder: folder, ("--again",), 2, "add --solve"),
        (lambda folder: folder, ("--json", "absent/rows.json"), 1, "There is no folder absent"),
        (lambda folder: folder, ("--against", "absent.json"), 1, "absent.json"),
        (lambda folder: folder, ("--kinds", "--against", "absent.json"), 2, "choose one"),
    ],
)
def test_what_is_asked_wrongly(
    tmp_path: Path, make: Callable[[Path], Path], options: tuple[object, ...], code: int, sentence: str
) -> None:
    told = epcg("puzzlescript", "survey", make(tmp_path), *options, code=code).stderr
    assert sentence in told
    assert "Traceback" not in told


def test_one_file_is_a_survey_too(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(game())
    assert surveyed(tmp_path / "script")["script"]["outcome"] == "read"


TWO = "#####\n#P*O#\n#####\n\n#####\n#*PO#\n#####"


def test_a_survey_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = tmp_path / "games"
    games.mkdir()
    for name in ("a", "b"):
        (games / f"{name}.txt").write_text(game(levels=TWO, prelude=f"title {name}"))
    searched: list[str] = []
    ask = Apart.__call__

    def called(self: Apart[int, Any], number: int, seconds: float | None = None) -> Any:
        searched.append(str(number))
        if len(searched) == 2:
            raise KeyboardInterrupt
        return ask(self, number, seconds)

    monkeypatch.setattr(Apart, "__call__", called)
    epcg("puzzlescript", "survey", games, "--solve", code=130)
    assert searched == ["0", "1"]
    told = epcg("puzzlescript", "survey", games, "--solve")
    assert searched == ["0", "1", "1", "0", "1"], "the first level of the first game was kept"
    assert "1 level were searched" not in told.stderr
    assert "1 level was searched before" in told.stderr
    rows = epcg(
        "sql", "SELECT title, level, outcome, moves, standing FROM puzzlescript_levels", "--json"
    ).stdout
    assert [tuple(row.values()) for row in json.loads(rows)] == [
        ("a", 1, "solved", 1, "proof"), ("a", 2, "no solution", None, "proof"),
        ("b", 1, "solved", 1, "proof"), ("b", 2, "no solution", None, "proof"),
    ]  # fmt: skip
    before = surveyed(games, "--solve")
    assert len(searched) == 5
    epcg("puzzlescript", "survey", games, "--solve", "--again")
    assert len(searched) == 9
    (games / "a.txt").write_text(game(levels=TWO.replace("*P", "P*"), prelude="title a"))
    (games / "b.txt").unlink()
    after = surveyed(games, "--solve")
    assert len(searched) == 11
    assert timeless(after["a.txt"]["solved"])[0] == timeless(before["a.txt"]["solved"])[0]
    surveyed(games, "--solve", "--limit", 5)
    assert len(searched) == 13, "other limits are other answers"
    monkeypatch.setattr(survey_store, "sources", lambda: "newer")
    surveyed(games, "--solve", "--limit", 5)
    assert len(searched) == 15, "so is other code"


def test_what_keeps_answers_from_a_proof_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(game(levels=TWO))
    (tmp_path / "b.txt").write_text(game(LUCK))
    (tmp_path / "c.txt").write_text(game(f"{PUSH} zork"))
    (tmp_path / "d.txt").write_text(game(f"{PUSH} again\n[ Crate ] -> restart"))
    (tmp_path / "e.txt").write_text(game("[ > Player | Crate ] -> [ Player ]"))
    (tmp_path / "f.txt").write_text("Buy milk.")
    told = epcg("puzzlescript", "survey", tmp_path, "--share", "--format", "csv")
    assert [tuple(row.values()) for row in csv.DictReader(io.StringIO(told.stdout))] == [
        ("proof", "1", "20.0 %", "2", "40.0 %"),
        ("by chance", "1", "20.0 %", "1", "20.0 %"),
        ("as read: line read in part", "1", "20.0 %", "1", "20.0 %"),
        (f"without {UNDO_OF_TICKS}", "1", "20.0 %", "1", "20.0 %"),
        ("refused, as by PuzzleScript itself", "1", "20.0 %", "0", "0.0 %"),
    ]
    assert "proofs for 3 of 5 levels (60.0 %), and for all levels of 2 of 5 games (40.0 %)" in told.stderr
    page = tmp_path / "page.html"
    epcg("puzzlescript", "survey", tmp_path, "--page", page)
    assert "a proof, if the search ends</span>" in page.read_text()


def test_levels_without_an_answer_for_one_reason_share_a_row(tmp_path: Path) -> None:
    rules = f"{LUCK}\n[ > Crate ] -> [ > Crate ] checkpoint again"
    (tmp_path / "own.txt").write_text(game(rules, levels="\n\n".join(["#####\n#P*O#\n#####"] * 19)))
    page = tmp_path / "page.html"
    epcg("puzzlescript", "survey", tmp_path, "--solve", "--page", page)
    text = page.read_text()
    assert text.count("A game that keeps checkpoints is not played with all draws.") == 1
    assert "1 to 19" in text
    epcg("run", "puzzlescript/levels", "--set", f"generator.game={tmp_path / 'own.txt'}")
    assert epcg("show", 1).stdout.count("can be played with a seed") == 1
