"""The first page: every example in its own art, what was open of late, and games that are made from it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench import tiles
from epcg_workbench.app import PROJECT_HEADER
from epcg_workbench.jobs import answer
from epcg_workbench.project import recent
from epcg_workbench.project.memory import Memory
from epcg_workbench.project.templates import new_project
from epcg_workbench.runs import Runs
from epcg_workbench.tiles import drawn

from epcg_core.base.errors import QueryError
from epcg_core.inside import editing
from epcg_core.plugin import EditorInfo, registry
from tests.workbench.test_server import asked, served
from tests.workplace import sweep

DOMAINS = sorted({info.domain for info in registry().all(EditorInfo)})
SHAPES = re.compile(r"<(?:path|polygon|circle|rect|line|text|use|ellipse|polyline)\b")
HERE: dict[str, Any] = {"folder": "/nowhere"}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))


def got(do: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": do, **request}))


@pytest.mark.parametrize("domain", sweep(DOMAINS, lambda domain: domain != "tangram"))
def test_every_shipped_example_is_drawn_with_its_marks(domain: str) -> None:
    """A picture has more shapes than that of the same board without its marks, and no two look alike."""
    found = got("examples", domain=domain)
    assert len(found) == 1 + len(editing.examples(domain))
    for example in found:
        document = editing.open_document(domain, example["text"])
        marked = [site for site, marks in document.scene.marks.items() if marks]
        assert marked or document.scene.paths or example["title"] == "new", example["title"]
        assert example["svg"] == drawn(document)
        assert example["svg"].startswith("<svg")
        assert len(SHAPES.findall(example["svg"])) > 1, example["title"]
    assert len({example["svg"] for example in found}) == len(found)


def test_a_level_of_a_game_is_drawn_with_its_own_colours() -> None:
    """The marks of its own palette, and other empty cells than those of other games."""
    pytest.importorskip("epcg_puzzlescript")
    for example in got("examples", domain="puzzlescript"):
        (opened,) = got("open", domain="puzzlescript", text=example["text"])
        palette = {mark["name"]: mark for mark in opened["palette"]}
        used = {name for names in opened["scene"]["marks"].values() for name in names}
        assert used <= palette.keys()
        for name in used:
            for colour, _ in palette[name]["picture"]:
                assert f'"{colour}"' in example["svg"], (example["title"], name)


@pytest.mark.parametrize(
    "name",
    ["", "  ", "what?", "50 %", 'a "b"', "it's", "..", "../up", "a/b", "a\\b", ".hidden", "end.", "a\0b",
     "a\nb", "x" * 101, "a#b", "a:b"],
)  # fmt: skip
def test_names_that_make_trouble_are_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    (message,) = got("make_project", base=str(tmp_path), name=name)
    assert message["expected"]
    assert message["error"].endswith((".", "one."))
    assert list(tmp_path.iterdir()) == []


def test_a_project_is_made_in_a_new_or_empty_folder_only(tmp_path: Path) -> None:
    (message,) = got("make_project", base=str(tmp_path), name=" My first game ")
    folder = tmp_path / "My first game"
    assert message == {"made": str(folder), "file": next(path.name for path in folder.glob("*.t*"))}
    (again,) = got("make_project", base=str(tmp_path), name="My first game")
    assert "is not empty" in again["error"]
    (tmp_path / "empty").mkdir()
    (message,) = got("make_project", base=str(tmp_path), name="empty", file="a.txt", text="o..o\n.o..\n")
    assert (tmp_path / "empty" / message["file"]).read_text() == "o..o\n.o..\n"


def test_what_was_open_is_shown_with_pictures_until_it_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "frost"
    name = new_project(folder)
    recent.remember_project(folder)
    got("recent_keep", domain="fling", text="o..o\n.o..\no..o", slot="1")
    got("recent_keep", domain="fling", text="o..o\n.o..\n....", slot="1")
    level, project = got("recent", **HERE)
    assert level["kind"] == "content"
    assert level["text"] == "o..o\n.o..\n...."
    assert level["pictures"][0].startswith("<svg")
    assert (project["title"], project["file"], project["open"]) == ("frost", name, False)
    assert "gone" not in project
    if name == "game.txt":
        assert (project["contents"], project["word"], len(project["pictures"])) == (3, "levels", 3)
    assert got("recent", folder=str(folder))[0]["open"]

    got("project_session", folder=str(folder), keep={"file": name, "piece": 2})
    (opened,) = got("project_open", folder=str(folder), file=name)
    chips = {"hash": opened["hash"], "solved": 2, "unsolvable": 1}
    got("project_session", folder=str(folder), keep={"chips": chips})
    assert got("recent", **HERE)[1].get("chips") in ({"solved": 2, "unsolvable": 1}, None)
    (folder / name).write_text("another text\n")
    assert "chips" not in got("recent", **HERE)[1], "they tell of another text"

    folder.rename(tmp_path / "moved")
    gone = got("recent", **HERE)[1]
    assert "is gone" in gone["gone"]
    with pytest.raises(QueryError, match="is gone"):
        recent.project_named(gone["id"])
    got("recent_forget", entry=gone["id"])
    assert [each["kind"] for each in got("recent", **HERE)] == ["content"]


def test_a_renderer_that_fails_costs_its_pictures_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def factory(generator: object) -> object:
        raise ZeroDivisionError("of a plugin")

    text = editing.new_text("fling")
    got("recent_keep", domain="fling", text=text, slot="1")
    new_project(tmp_path / "game")
    recent.remember_project(tmp_path / "game")
    tiles._drawn.cache_clear()
    monkeypatch.setattr(tiles, "resolve", lambda found: factory)
    shown = got("examples", domain="fling")
    assert [each["svg"] for each in shown] == [""] * len(shown)
    assert len(shown) > 1
    project, content = got("recent", **HERE)
    assert (project["pictures"], content["pictures"]) == ([], [])
    assert "gone" not in project | content
    assert {each["how"] for each in got("makers")} >= {"known", "own"}


@pytest.mark.parametrize(
    "text", ["", "[", "{}", "[1, {}]", '[{"kind": "project", "id": "a"}]', "\0", "[" * 9999]
)
def test_a_list_that_another_program_has_spoiled_is_none(text: str) -> None:
    recent.recent_path().parent.mkdir()
    recent.recent_path().write_text(text)
    assert got("recent", **HERE) == []
    recent.remember({"kind": "content", "id": "1", "domain": "fling", "text": "oo"})
    assert len(recent.entries()) == 1


def test_a_server_becomes_that_of_the_project_that_it_makes(tmp_path: Path) -> None:
    """Its tabs go on, its next start has the same token and port, and other tabs are told to reload."""

    async def test(client: Any, bench: Any) -> None:
        bench.folder, bench.runs._folder = str(tmp_path), str(tmp_path)
        before = (await client.get("/settings")).json()
        assert (before["project"], before["id"], before["base"]) == (False, "", str(tmp_path))
        bad = await client.post("/project", json={"name": "what?"})
        assert "cannot have '?'" in bad.json()["error"]
        made = (await client.post("/project", json={"name": "first"}, headers={PROJECT_HEADER: ""})).json()
        settings = (await client.get("/settings")).json()
        assert settings["project"]
        assert (settings["folder"], settings["base"], settings["db"]) == ("first", str(tmp_path), "epcg.db")
        memory = Memory(tmp_path / "first" / ".epcg")
        assert (memory.token, memory.port) == (bench.token, 8000) or len(bench.token) < 24
        listed = await asked(client, "project")
        assert made["file"] in [each.get("file") for each in listed]

        stale = await client.post("/api/project", json={}, headers={PROJECT_HEADER: ""})
        assert stale.status_code == 409
        assert "has opened the project first" in stale.json()["error"]
        own = {PROJECT_HEADER: settings["id"]}
        second = await client.post("/project", json={"name": "second"}, headers=own)
        assert second.json()["made"] == str(tmp_path / "second")
        cards = await asked(client, "recent")
        assert [(each["title"], each["open"]) for each in cards] == [("second", True), ("first", False)]
        back = await client.post("/project", json={"entry": cards[1]["id"]})
        assert "made" in back.json()
        assert (await client.get("/settings")).json()["folder"] == "first"
        lost = await client.post("/project", json={"entry": "unknown"})
        assert "no longer among the recent ones" in lost.json()["error"]

    served(tmp_path, test)


def test_a_project_is_not_left_while_a_run_is_at_work(tmp_path: Path) -> None:
    async def test(client: Any, bench: Any) -> None:
        bench.folder = str(tmp_path)
        bench.runs = Runs(bench.db, (sys.executable, "-c", "import time; time.sleep(600)"))
        running = bench.runs.start("a run", "")
        answer = await client.post("/project", json={"name": "other"})
        assert "A run is at work here" in answer.json()["error"]
        running.stop()
        async for _ in running.follow():
            pass

    served(tmp_path, test)
