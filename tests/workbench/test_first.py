"""The first page: every example in its own art, what was open of late, and games that are made from it."""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench import tiles
from epcg_workbench.app import Workbench
from epcg_workbench.jobs import answer
from epcg_workbench.places import Place, Places
from epcg_workbench.project import recent
from epcg_workbench.project.memory import Memory
from epcg_workbench.project.templates import new_project
from epcg_workbench.runs import Runs
from epcg_workbench.tiles import drawn

from epcg_core.base.errors import QueryError
from epcg_core.inside import editing
from epcg_core.plugin import EditorInfo, registry
from tests.workbench.test_server import served
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


def test_one_server_has_several_projects(tmp_path: Path) -> None:
    """Each request is about the project that its address names, and what is made or saved is only there."""

    async def test(client: Any, bench: Workbench) -> None:
        before = (await client.get("/settings")).json()
        assert (before["project"], before["id"], before["base"]) == (False, "", str(tmp_path))
        bad = await client.post("/project", json={"name": "what?"})
        assert "cannot have '?'" in bad.json()["error"]
        first = (await client.post("/project", json={"name": "first"})).json()
        second = (await client.post(f"{first['address']}project", json={"name": "second"})).json()
        assert second["made"] == str(tmp_path / "second")
        for made in (first, second):
            settings = (await client.get(f"{made['address']}settings")).json()
            assert settings["project"]
            name = Path(made["made"]).name
            assert (settings["folder"], settings["base"], settings["db"]) == (name, str(tmp_path), "epcg.db")
            assert f"/p/{settings['id']}/" == made["address"]
            assert Memory(tmp_path / name / ".epcg").port == 8000
            body = {"file": f"{name}.txt", "text": "x\n", "saved": None}
            saved = await client.post(f"{made['address']}api/project_save", json=body)
            assert saved.json()["file"] == f"{name}.txt"
        found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*.txt"))
        assert [each for each in found if "game" not in each] == ["first/first.txt", "second/second.txt"]
        assert not (await client.get("/settings")).json()["project"]

        (await client.get(second["address"])).raise_for_status()
        cards = (await client.post(f"{second['address']}api/recent", json={})).text.splitlines()
        found = [json.loads(each) for each in cards]
        assert [(each["title"], each["open"]) for each in found] == [("second", True), ("first", False)]

    served(tmp_path, test)


def test_a_project_is_one_however_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    places = Places(Place(tmp_path, "epcg.db"))
    place = places.project(tmp_path / "real")
    assert places.project(tmp_path / "link") is place
    assert places.project(tmp_path / "real" / ".." / "link") is place
    assert places.all == (places.desk, place)


def test_an_address_that_was_kept_opens_its_project_again(tmp_path: Path) -> None:
    """Though another server answers now; one whose folder is gone, or that is unknown, is told."""
    folder = tmp_path / "frost"
    new_project(folder)
    recent.remember_project(folder)
    address = f"/p/{recent.project_id(folder)}"

    async def test(client: Any, bench: Workbench) -> None:
        assert (await client.get(f"{address}/settings")).json()["folder"] == "frost"
        led = await client.get(address)
        assert (led.status_code, led.headers["location"]) == (308, f"{address}/")
        bench.places.first = bench.places.project(folder)
        led = await client.get("/?token=secret")
        assert (led.status_code, led.headers["location"]) == (303, f"{address}/?token=secret")
        assert (await client.get("/settings")).json()["folder"] == tmp_path.name

        for name, told in (
            ("0" * 16, "no longer among the recent ones"),
            (recent.project_id(gone), "is gone"),
        ):
            page = await client.get(f"/p/{name}/")
            assert (page.status_code, page.headers["content-type"]) == (410, "text/plain; charset=utf-8")
            assert told in page.text
            for found in (
                await client.get(f"/p/{name}/settings"),
                await client.post(f"/p/{name}/api/project", json={}),
                await client.post(f"/p/{name}/record", json={}),
                await client.get(f"/p/{name}/runs"),
            ):
                assert (found.status_code, told in found.json()["error"]) == (410, True)

    gone = tmp_path / "gone"
    gone.mkdir()
    recent.remember_project(gone)
    gone.rmdir()
    served(tmp_path, test)


def test_boards_push_no_project_out_of_what_is_remembered(tmp_path: Path) -> None:
    recent.remember_project(tmp_path)
    for number in range(recent.MOST_KEPT + 5):
        recent.remember({"kind": "content", "id": str(number), "domain": "fling", "text": "oo"})
    kinds = [each["kind"] for each in recent.entries()]
    assert (kinds.count("project"), kinds.count("content")) == (1, recent.MOST_KEPT)
    assert recent.project_named(recent.project_id(tmp_path)) == tmp_path.resolve()


def test_nothing_is_forgotten_if_many_remember_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(recent.remember_project, folders))
    assert {each["folder"] for each in recent.entries()} == {str(folder) for folder in folders}


def test_runs_of_one_project_do_not_keep_another_from_being_opened(tmp_path: Path) -> None:
    async def test(client: Any, bench: Workbench) -> None:
        desk = bench.places.desk
        desk.runs = Runs(desk.db, (sys.executable, "-c", "import time; time.sleep(600)"))
        running = desk.runs.start("a run", "")
        made = (await client.post("/project", json={"name": "other"})).json()
        assert (await client.get(f"{made['address']}runs")).json() == []
        assert [each["title"] for each in (await client.get("/runs")).json()] == ["a run"]
        running.stop()
        async for _ in running.follow():
            pass

    served(tmp_path, test)
