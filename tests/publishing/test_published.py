"""`epcg verify FILE` of pages: what they show is made again, and a lie on them is found."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from epcg_publishing.site import pages, write_site

from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from tests.workplace import Workplace, epcg

BOARD, OTHER = (f"fling:boards?height=4&pieces=3&width=5#{rank}" for rank in (8, 9))
QUERY = """
domain = "fling"

[generator]
name = "boards"
height = 4
width = 5
pieces = 3

[range]
start = 0
stop = 20

[[evaluators]]
name = "legal_moves"
"""
Change = Callable[[dict[str, Any]], None]
_DATA = re.compile(r'(?<=id="puzzles">).*?(?=</script>)', re.DOTALL)


def failed(path: Path, *arguments: object, code: int) -> set[str]:
    """The checks that a page does not pass."""
    found = json.loads(epcg("verify", path, "--json", *arguments, code=code).stdout)
    return {check["name"] for check in found["checks"] if not check["passed"]}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.chdir(tmp_path)
    return Workplace(tmp_path)


@pytest.fixture
def page(here: Workplace) -> Path:
    """A page of a recorded board, with what was recorded of it."""
    here.given(QUERY)
    epcg("share", "1#8", "--output", "page.html", "--db", here.database)
    return here.folder / "page.html"


def retold(page: Path, change: Change) -> Path:
    """Write the page after a change of its puzzle, in the program's own form."""
    text = page.read_text()
    found = _DATA.search(text)
    assert found is not None
    data = json.loads(found[0])
    change(data["puzzles"][0])
    new = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    name = hashlib.sha256(new.encode()).hexdigest()[:16]
    text = text.replace(found[0], new)
    page.write_text(re.sub(r'data-name="\w+"', f'data-name="{name}"', text))
    return page


def other_play(puzzle: dict[str, Any]) -> None:
    epcg("share", OTHER, "--output", "other.html")
    found = _DATA.search(Path("other.html").read_text())
    assert found is not None
    puzzle["moves"] = json.loads(found[0])["puzzles"][0]["moves"]


def put(**parts: Any) -> Change:
    return lambda puzzle: puzzle.update(parts)


def cited(old: str, new: str) -> Change:
    return lambda puzzle: puzzle.update(origin=re.sub(old, new, puzzle["origin"]))


def test_a_page_holds_beside_its_database(here: Workplace, page: Path) -> None:
    assert failed(page, "--db", here.database, code=0) == set()


def test_a_page_of_a_text_holds_by_itself(here: Workplace) -> None:
    epcg("share", OTHER, "--output", "page.html")
    assert failed(Path("page.html"), code=0) == set()


@pytest.mark.parametrize(
    ("lie", "check", "code"),
    [
        (put(facts=["99 legal moves."]), "numbers", 4),
        (put(id=OTHER), "puzzles", 4),
        (put(key="0" * 16), "puzzles", 4),
        (other_play, "puzzles", 4),
        (put(steps=["up"]), "puzzles", 4),
        (cited("#8$", "#9"), "numbers", 4),
        (cited("digest [0-9a-f]+", "digest 000000000000"), "numbers", 5),
    ],
    ids=["number", "id", "key", "play", "solution", "other board", "other run"],
)
def test_what_a_page_shows_is_what_was_recorded(
    here: Workplace, page: Path, lie: Change, check: str, code: int
) -> None:
    assert failed(retold(page, lie), "--db", here.database, code=code) == {check}


def test_without_its_database_a_page_holds_if_the_run_does(page: Path) -> None:
    assert failed(retold(page, put(facts=["99 legal moves."])), code=6) == {"numbers"}


def test_a_number_of_a_page_without_a_run_is_measured_again(here: Workplace) -> None:
    epcg("share", OTHER, "--output", "page.html")
    page = here.folder / "page.html"

    def higher(puzzle: dict[str, Any]) -> None:
        assert puzzle["facts"]
        puzzle["facts"] = [re.sub(r"\d+", "77", fact) for fact in puzzle["facts"]]

    assert failed(retold(page, higher), code=4) == {"numbers"}


def test_a_page_with_another_program_is_not_believed(page: Path) -> None:
    page.write_text(page.read_text().replace('"use strict";', '"use strict";\nalert(1);', 1))
    assert "program" in failed(page, code=5)


# --- folders of play pages


@pytest.fixture
def site(here: Workplace) -> Path:
    shown = [BookletPuzzle(1, 1, "", BOARD, "state", "m", 1, {"m": 1}, "", "", [])]
    booklet = Booklet("steps", "Steps", "Steps", "0", [BookletChapter(1, "c", "Steps", "", "m 1", shown)])
    write_site(booklet, here.folder / "play")
    return here.folder / "play"


def signed(site: Path) -> None:
    """Make the digest of the files anew, as a liar can."""
    worker = (site / "worker.js").read_text()
    names = json.loads(re.findall(r"const FILES = (.*);", worker)[0])
    digest = hashlib.sha256()
    for name in names[1:]:
        digest.update(name.encode() + b"\0" + hashlib.sha256((site / name).read_bytes()).digest())
    (site / "worker.js").write_text(re.sub(r"\b[0-9a-f]{16}\b", digest.hexdigest()[:16], worker))


def test_play_pages_hold(site: Path) -> None:
    assert failed(site, code=0) == set()
    assert failed(site / "play.html", code=0) == set()


def test_a_changed_file_of_play_pages_is_found(site: Path) -> None:
    path = site / "puzzles" / "1.js"
    path.write_text(path.read_text().replace("#8", "#9"))
    assert failed(site, code=4) == {"files"}
    signed(site)
    assert failed(site, code=4) == {"puzzles"}


def test_another_program_of_play_pages_is_not_believed(site: Path) -> None:
    (site / "play.js").write_text(pages.script("keep.js", "list.js"))
    signed(site)
    assert failed(site, code=5) == {"program"}
