"""Play pages: what is in the folder, that texts stay texts, and a sentence for what cannot be written."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from epcg_publishing.formats import FORMATS, SITE
from epcg_publishing.play_data import _DRAWN
from epcg_publishing.site import pages, write_site
from epcg_publishing.study.site import SCRIPTS

from epcg_core.base.errors import CurriculumError, EpcgError
from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from tests.publishing.play_files import moves_of, puzzle_of
from tests.whole.faults.mounts import small_disk
from tests.workplace import Numbers, Workplace, epcg

EVIL = "</title><script>alert(1)</script> & \"q\" 'r' <img src=x onerror=alert(1)>"
BOARD = "fling:boards?height=4&pieces=3&width=5"
LEVEL = "snakebird:levels?path=01_first_bite#0"
NUMBER = "numbers:range?size=9#7"


def puzzle(name: str, number: int = 1, **more: Any) -> BookletPuzzle:
    return BookletPuzzle(number, number, "", name, "state", "m", 1, {"m": 1}, "", "", [], **more)


def booklet(*puzzles: str, title: str = "A title", name: str = "steps", **more: Any) -> Booklet:
    made = [puzzle(each, number) for number, each in enumerate(puzzles, 1)]
    return Booklet(name, title, title, "0", [BookletChapter(1, "c", title, title, "m 1", made, **more)])


class Elements(HTMLParser):
    """The names of a page's elements, and all attributes that run or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.loaded: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.loaded += [str(value) for key, value in attrs if key in ("src", "href")]
        assert not [key for key, _ in attrs if key.startswith("on") or key == "style"]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_site_is_a_folder_of_files(tmp_path: Path) -> None:
    shown = write_site(booklet(LEVEL), tmp_path / "play")
    files = sorted(str(path.relative_to(tmp_path / "play")) for path in (tmp_path / "play").rglob("*.*"))
    assert {"index.html", "play.html", "play.js", "list.js", "site.css", "worker.js", "icon.svg"} < set(files)
    assert {"puzzles/1.js", "pictures/1.svg", "pictures/1-solved.svg", "manifest.webmanifest"} < set(files)
    listed = json.loads(re.findall(r"FILES = (\[.*\]);", (tmp_path / "play/worker.js").read_text())[0])
    assert sorted({*listed, "worker.js"} - {"./"}) == files
    assert list(tmp_path.iterdir()) == [tmp_path / "play"]
    [one] = shown
    assert one.complete
    assert one.positions == len(moves_of(tmp_path / "play", 1).positions) == 183
    assert one.bytes == (tmp_path / "play/puzzles/1.js").stat().st_size
    data = puzzle_of(tmp_path / "play", 1)
    assert len(data["steps"]) == 18
    assert data["warn"]
    assert not data["why"]


def test_the_same_curriculum_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_site(booklet(LEVEL), tmp_path / name)
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_a_change_is_a_new_version_for_browsers_that_keep_files(tmp_path: Path) -> None:
    write_site(booklet(LEVEL), tmp_path / "one")
    write_site(booklet(LEVEL, title="Another"), tmp_path / "two")
    versions = [(tmp_path / name / "worker.js").read_text() for name in ("one", "two")]
    assert versions[0] != versions[1]


def test_no_text_becomes_markup(tmp_path: Path, toy: Numbers) -> None:
    made = booklet(NUMBER, title=EVIL, name=EVIL)
    write_site(made, tmp_path / "play")
    plain = booklet(NUMBER)
    write_site(plain, tmp_path / "plain")
    for page in ("index.html", "play.html"):
        text = (tmp_path / "play" / page).read_text("utf-8")
        found, expected = Elements(text), Elements((tmp_path / "plain" / page).read_text("utf-8"))
        assert found.names == expected.names
        assert found.loaded == expected.loaded
        assert found.names.count("script") == 1
        assert any(EVIL in data for data in found.texts)
        assert f'content="{pages.POLICY}"' in text
    assert "<" not in (tmp_path / "play/puzzles/1.js").read_text("utf-8")
    assert puzzle_of(tmp_path / "play", 1)["chapter"] == EVIL
    assert json.loads((tmp_path / "play/manifest.webmanifest").read_text("utf-8"))["name"] == EVIL


def test_pages_load_nothing_but_their_own_files(tmp_path: Path) -> None:
    write_site(booklet(LEVEL), tmp_path / "play")
    for page in ("index.html", "play.html"):
        for address in Elements((tmp_path / "play" / page).read_text("utf-8")).loaded:
            assert (tmp_path / "play" / address.partition("#")[0]).is_file()
    for path in (tmp_path / "play").glob("*.[jc]s*"):
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\(", text)
    assert "'unsafe" not in pages.POLICY
    assert pages.POLICY.startswith("default-src 'none'")


@pytest.mark.parametrize("modules", [pages.PLAYER, SCRIPTS], ids=["play", "study"])
def test_modules_become_one_script(modules: tuple[str, ...]) -> None:
    text = pages.script(*modules)
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
    names = re.findall(r"^(?:const|let|class|function|async function) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names))


def test_the_palette_has_all_that_the_board_reads_of_a_mark() -> None:
    drawn = re.search(
        r"^(?:export )?function drawMark.*?^}", pages.static("board.js"), re.DOTALL | re.MULTILINE
    )
    assert drawn is not None
    assert {"picture", "colour"} <= set(re.findall(r"\bmark\.(\w+)", drawn[0])) - {"tile"} <= set(_DRAWN)


def test_a_domain_without_an_editor_has_pictures_and_says_so(tmp_path: Path, toy: Numbers) -> None:
    [shown] = write_site(booklet(NUMBER), tmp_path / "play")
    assert shown.why.startswith("The domain numbers has no editor")
    data = puzzle_of(tmp_path / "play", 1)
    assert (data["moves"], data["steps"]) == (None, None)
    assert data["why"].startswith("This puzzle cannot be played here")
    assert data["solution"] == "No solution is recorded."
    assert (tmp_path / "play" / data["picture"]).is_file()


def test_a_chapter_may_forbid_warnings(tmp_path: Path) -> None:
    write_site(booklet(LEVEL, warns=False), tmp_path / "play")
    assert puzzle_of(tmp_path / "play", 1)["warn"] is False


def test_a_plans_chapter_says_whether_there_are_warnings(toy: Numbers) -> None:
    from epcg_core.curriculum.plan import from_data, parse_plan

    text = """
name = "steps"
[[chapters]]
name = "one"
warn = false
sql = "SELECT 1"
measure = "digits"
strategy = "lowest"
count = 1
"""
    plan = parse_plan(text)
    assert [chapter.warn for chapter in plan.chapters] == [False]
    assert from_data(plan.resolved()) == plan
    other = parse_plan(text.replace("warn = false\n", ""))
    assert "warn" not in other.resolved()["chapters"][0]
    assert from_data(other.resolved()).chapters[0].warn


def test_a_puzzle_with_more_positions_carries_a_fifth(tmp_path: Path) -> None:
    [shown] = write_site(booklet(LEVEL), tmp_path / "play", most=100)
    assert (shown.positions, shown.complete) == (20, False)
    assert moves_of(tmp_path / "play", 1).tables["complete"] is False


# --- what cannot be written --------------------------------------------------------------------------------


def test_what_is_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CurriculumError, match="There is something in the folder"):
        write_site(booklet(LEVEL), tmp_path / "full")
    with pytest.raises(CurriculumError, match="is a file: name a folder"):
        write_site(booklet(LEVEL), tmp_path / "file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "full"]
    (tmp_path / "empty").mkdir()
    write_site(booklet(LEVEL), tmp_path / "empty")
    assert (tmp_path / "empty/index.html").is_file()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(EpcgError, match=r"play cannot be written: its folder .*file is not a folder\."):
        write_site(booklet(LEVEL), tmp_path / "file" / "play")


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "24k") as disk:
        with pytest.raises(EpcgError, match=r"cannot be written: No space left on device\."):
            write_site(booklet(LEVEL), disk / "play")
        assert list(disk.iterdir()) == []


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes

    def fails(path: Path, data: bytes) -> int:
        if path.name == "play.js":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", fails)
    with pytest.raises(EpcgError, match="No space left on device"):
        write_site(booklet(LEVEL), tmp_path / "play")
    assert list(tmp_path.iterdir()) == []


def test_a_curriculum_without_puzzles_is_none_to_play(tmp_path: Path) -> None:
    empty = Booklet("none", "None", "", "0", [])
    with pytest.raises(CurriculumError, match="none has no puzzles"):
        write_site(empty, tmp_path / "play")
    assert not (tmp_path / "play").exists()


def test_a_missing_plugin_is_named(tmp_path: Path, toy: Numbers) -> None:
    with pytest.raises(EpcgError, match="fling"):
        write_site(booklet(f"{BOARD}#1"), tmp_path / "play")
    assert list(tmp_path.glob("*play*")) == []


# --- the command line --------------------------------------------------------------------------------------

PLAN = """
name = "steps"
title = "Steps"
[[chapters]]
name = "only"
query = "sums.toml"
measure = "digits"
strategy = "evenly"
count = 3
"""


@pytest.fixture
def steps(toy: Numbers) -> Workplace:
    toy.file("digits", name="sums")
    (toy.folder / "steps.toml").write_text(PLAN, encoding="utf-8")
    epcg("curriculum", "build", "steps.toml", "--quiet")
    return toy


def test_the_command_writes_a_site(steps: Numbers) -> None:
    told = epcg("curriculum", "export", "steps", "--format", "site").stderr
    assert "These puzzles have only pictures and solutions: 1, 2, 3. The domain numbers has no editor" in told
    assert "3 puzzles of steps are in steps-site, 0 of them to play (0 positions, 0 bytes)" in told
    assert Path("steps-site/index.html").is_file()
    told = epcg("curriculum", "export", "steps", "--format", "site", code=1).stderr
    assert "There is something in the folder 'steps-site'" in told
    epcg("curriculum", "export", "steps", "--format", "site", "--output", "other")
    for format in FORMATS:
        told = epcg("curriculum", "export", "steps", "--format", format, "--output", "other", code=2).stderr
        assert "'other' is a folder" in told
    assert SITE not in FORMATS
