"""Bad files, names and texts, through the server: each gets a sentence, and nothing is lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from epcg_workbench.guard import TOKEN_HEADER
from epcg_workbench.project import history
from epcg_workbench.project.folder import Project
from epcg_workbench.project.memory import user_token
from epcg_workbench.project.recent import state_folder
from epcg_workbench.project.templates import new_project

from tests.whole.faults.mounts import read_only_folder, small_disk
from tests.workbench.test_plans import QUERY
from tests.workbench.test_project import game
from tests.workbench.test_server import served
from tests.workplace import epcg_command

ODD = 'what? 100 % <b onclick="x">it\'s</b> "&amp;" #1'
PLAN = """title = "Mine"

[[chapters]]
name = "first"
title = "First"
measure = ""
puzzles = []
"""
Test = Callable[[httpx.AsyncClient], Awaitable[None]]


async def asked(client: httpx.AsyncClient, what: str, /, **request: Any) -> list[dict[str, Any]]:
    answer = await client.post(f"/api/{what}", content=json.dumps(request))
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def on(folder: Path, test: Test, state: Path | None = None) -> None:
    """Run a test with a client of a server that has opened the folder; its database is in `state`."""

    async def run(client: httpx.AsyncClient, bench: Any) -> None:
        bench.places.desk.folder = folder
        await test(client)

    served(state or folder, run)


def sentence(found: list[dict[str, Any]]) -> str:
    """Return what is wrong, as a sentence for people."""
    assert found[-1].get("expected") is True, found
    assert "Traceback" not in found[-1]["error"]
    assert found[-1]["error"].endswith("."), found
    return str(found[-1]["error"])


WRITES: list[tuple[str, dict[str, Any]]] = [
    ("project_save", {"file": "game.txt", "text": "new\n", "saved": None}),
    ("save_question", {"name": "asked.toml", "text": QUERY, "stamp": ""}),
    ("save", {"name": "plan.toml", "text": PLAN, "stamp": ""}),
    ("project_keep", {"file": "game.txt", "text": "mine\n"}),
    ("project_session", {"keep": {"file": "x" * 9000}}),
]


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("save_question", {"name": "q.toml", "text": f"# \ud800\n{QUERY}", "stamp": ""}, "half a character"),
        ("save", {"name": "p.toml", "text": f"# \ud800\n{PLAN}", "stamp": ""}, "half a character"),
        ("project_save", {"file": "a.txt", "text": "\ud800", "saved": None}, "half a character"),
        ("placed", {"puzzle": "fling:boards?pieces=4#3", "run": 1}, "Nothing is recorded yet."),
        ("placed", {"puzzle": "1#3", "run": 1}, "There is no database"),
        ("of_run", {"run": 1}, "Nothing is recorded yet."),
    ],
)
def test_what_can_be_neither_written_nor_found_is_a_sentence(
    tmp_path: Path, name: str, request_: dict[str, Any], told: str
) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        assert told in sentence(await asked(client, name, **request_))
        assert not list(tmp_path.glob("*.t*"))

    on(tmp_path, test)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("request_name", "request_"), WRITES)
def test_what_cannot_be_written_is_a_sentence_and_leaves_nothing_half(
    tmp_path: Path, request_name: str, request_: dict[str, Any]
) -> None:
    """A folder that is read-only, or has vanished."""
    folder = tmp_path / "project"
    folder.mkdir()

    async def read_only(client: httpx.AsyncClient) -> None:
        with read_only_folder(folder):
            said = sentence(await asked(client, request_name, **request_))
        assert re.search("Read-only|Permission", said), said
        assert not list(folder.iterdir())

    async def gone(client: httpx.AsyncClient) -> None:
        folder.rmdir()
        said = sentence(await asked(client, request_name, **request_))
        assert "is gone" in said, said
        assert not folder.exists()

    on(folder, read_only, tmp_path)
    on(folder, gone, tmp_path)


@pytest.mark.parametrize(("request_name", "request_"), WRITES)
def test_a_full_disk_keeps_what_was_there(
    tmp_path: Path, request_name: str, request_: dict[str, Any]
) -> None:
    with small_disk(tmp_path / "disk", "300k") as folder:
        (folder / "other.txt").write_text("before\n")

        async def test(client: httpx.AsyncClient) -> None:
            await asked(client, "project_session", keep={"file": "other.txt"})
            with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
                while True:
                    filler.write(b"x" * 4096)
            said = sentence(await asked(client, request_name, **request_))
            assert "No space left" in said, said
            assert {path.name for path in folder.iterdir()} == {".epcg", "filler", "other.txt"}
            (kept,) = await asked(client, "project_session")
            assert kept["session"] == {"file": "other.txt"}
            (folder / "filler").unlink()
            assert "error" not in (await asked(client, request_name, **request_))[-1]

        on(folder, test, tmp_path)


def test_a_full_disk_while_a_saved_question_or_plan_is_changed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "300k") as folder:

        async def test(client: httpx.AsyncClient) -> None:
            for name, file, text in (("save_question", "q.toml", QUERY), ("save", "p.toml", PLAN)):
                (first,) = await asked(client, name, name=file, text=text, stamp="")
                with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
                    while True:
                        filler.write(b"x" * 4096)
                more = f"# {'more ' * 5000}\n{text}"
                assert "No space left" in sentence(
                    await asked(client, name, name=file, text=more, stamp=first["stamp"])
                )
                assert (folder / file).read_text() == text
                (folder / "filler").unlink()
                (again,) = await asked(client, name, name=file, text=more, stamp=first["stamp"])
                assert again["saved"], "the page goes on from what it has"
                (folder / file).unlink()

        on(folder, test, tmp_path)


def test_two_programs_that_write_one_file_never_lose_a_text(tmp_path: Path) -> None:
    """Of documents, questions and plans, the second to write is told, and what the first wrote stays."""

    async def test(client: httpx.AsyncClient) -> None:
        kinds = (("save_question", "q.toml", QUERY), ("save", "p.toml", PLAN))
        for name, file, text in kinds:
            (first,) = await asked(client, name, name=file, text=text, stamp="")
            theirs = f"# theirs\n{text}"
            (tmp_path / file).write_text(theirs)
            (found,) = await asked(client, name, name=file, text=f"# mine\n{text}", stamp=first["stamp"])
            assert found["conflict"]
            assert (tmp_path / file).read_text() == theirs
        (saved,) = await asked(client, "project_save", file="a.txt", text="one\n", saved=None)
        (tmp_path / "a.txt").write_text("theirs\n")
        (found,) = await asked(client, "project_save", file="a.txt", text="mine\n", saved=saved["saved"])
        assert (found["text"], (tmp_path / "a.txt").read_text()) == ("theirs\n", "theirs\n")
        (beside,) = await asked(client, "project_keep", file="a.txt", text="mine\n")
        assert (tmp_path / beside["file"]).read_text() == "mine\n"

    on(tmp_path, test)


def test_a_text_of_five_million_characters_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_text("#" * 5_000_000)

    async def test(client: httpx.AsyncClient) -> None:
        listed = {each.get("file"): each for each in await asked(client, "project")}
        assert "larger than 500 kB" in listed["large.txt"]["reason"]
        assert "larger than 500 kB" in sentence(await asked(client, "project_open", file="large.txt"))
        large = await client.post("api/project_save", json={"file": "b.txt", "text": "#" * 5_000_000})
        assert (large.status_code, large.json()["expected"]) == (413, True)
        near = await asked(client, "project_save", file="b.txt", text="#" * 600_000, saved=None)
        assert "up to 500,000" in sentence(near)
        assert [path.name for path in tmp_path.glob("*.txt")] == ["large.txt"]

    on(tmp_path, test)


@pytest.mark.parametrize("number", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_many_levels_are_opened_changed_and_drawn(tmp_path: Path, number: int) -> None:
    text = game(number)
    (tmp_path / "game.txt").write_text(text)

    async def test(client: httpx.AsyncClient) -> None:
        (found,) = await asked(client, "project_open", file="game.txt")
        kind = {"domain": found["domain"], "format": found["format"], "text": text}
        levels = [at for at, piece in enumerate(found["pieces"]) if piece["kind"] == "content"]
        assert (found["usable"], len(levels)) == (True, number)
        (last,) = await asked(client, "project_piece", **kind, number=levels[-1])
        assert last["scene"]["sites"]
        (moved,) = await asked(client, "project_change", **kind, how="move", number=levels[-1], to=levels[0])
        assert moved["pieces"][levels[0]]["hash"] == found["pieces"][levels[-1]]["hash"]
        drawn = await asked(client, "project_pictures", **kind, known=[])
        hashes = {each["hash"] for each in drawn if each.get("scene")}
        assert hashes == {found["pieces"][at]["hash"] for at in levels}

    on(tmp_path, test)


def test_a_level_that_is_too_large_for_the_board_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    rows = ["#" * 200, *["#" + "." * 198 + "#"] * 198, "#" * 200]
    text = f"{game(3)}\n" + "\n".join(rows) + "\n"
    (tmp_path / "game.txt").write_text(text)

    async def test(client: httpx.AsyncClient) -> None:
        (found,) = await asked(client, "project_open", file="game.txt")
        assert (found["usable"], found["faults"]) == (True, [])
        kind = {"domain": found["domain"], "format": found["format"], "text": text}
        levels = [at for at, piece in enumerate(found["pieces"]) if piece["kind"] == "content"]
        said = sentence(await asked(client, "project_piece", **kind, number=levels[-1]))
        assert "40000 cells; boards of up to 2500" in said
        for at in levels[:-1]:
            assert (await asked(client, "project_piece", **kind, number=at))[0]["scene"]["sites"]
        chips = {each["number"]: each for each in await asked(client, "project_chips", **kind, known=[])}
        assert [chips[at]["state"] for at in levels] == ["solved", "solved", "solved", "fault"]
        edited = text.replace(rows[1], rows[1].replace("..", ".o", 1), 1)
        (told,) = await asked(client, "project_check", **(kind | {"text": edited}), file="game.txt")
        assert told["usable"]
        (saved,) = await asked(client, "project_save", file="game.txt", text=edited, saved=found["saved"])
        assert (saved["file"], (tmp_path / "game.txt").read_text()) == ("game.txt", edited)

    on(tmp_path, test)


def test_titles_and_names_with_markup_stay_the_text_that_they_are(tmp_path: Path) -> None:
    """Names of files, titles of questions, plans and chapters, and messages come back as typed."""

    async def test(client: httpx.AsyncClient) -> None:
        text = game(3).replace("Mind the corners.", ODD)
        (saved,) = await asked(
            client, "project_save", file=f"{ODD.replace('/', '')}.txt", text=text, saved=None
        )
        (opened,) = await asked(client, "project_open", file=saved["file"])
        assert ODD in [piece["text"] for piece in opened["pieces"]]
        title = ODD.replace('"', '\\"')
        name = f"{ODD.replace('/', '')}.toml"
        question = f'title = "{title}"\n{QUERY}'
        await asked(client, "save_question", name=name, text=question, stamp="")
        listed = [each for each in await asked(client, "questions") if each.get("file")]
        assert [(each["file"], each["title"]) for each in listed] == [(name, ODD)]
        await asked(client, "new_plan", name="plan.toml", title=ODD)
        (plan,) = await asked(client, "new_plan", name="plan.toml", title=ODD)
        (arranged,) = await asked(
            client, "arrange", name="plan.toml", text=plan["text"], changes=[[["chapters", 0, "title"], ODD]]
        )
        await asked(client, "save", name="plan.toml", text=arranged["text"], stamp="")
        (read,) = await asked(client, "plan", name="plan.toml")
        assert (read["title"], read["chapters"][0]["title"]) == (ODD, ODD)
        assert [each["title"] for each in (await asked(client, "plans"))[0]["files"]] == [ODD]

    on(tmp_path, test)


def test_a_history_keeps_its_order_if_the_clock_goes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times are shown as the clock told them; the order is that in which the texts were saved."""
    years = iter((2030, 1999, 2031, 1970))
    real = history.datetime

    class Clock(real):  # type: ignore[misc, valid-type]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return real(next(years), 1, 1, tzinfo=tz)

    monkeypatch.setattr(history, "datetime", Clock)
    project, digest = Project(tmp_path), None
    for text in ("one\n", "two\n", "three\n", "four\n"):
        digest = project.save("a.txt", text, digest).digest
    found = project.history.tree("a.txt")
    assert [project.history.text(node.digest) for node in found] == ["one\n", "two\n", "three\n", "four\n"]
    assert [node.parent for node in found] == ["", *(node.digest for node in found[:-1])]
    assert [node.at[:4] for node in found] == ["2030", "1999", "2031", "1970"]


@pytest.mark.slow
def test_a_server_that_is_killed_while_it_saves_leaves_a_whole_file(tmp_path: Path) -> None:
    """The next start has the same key, opens the file as one of the texts, and saves on."""
    name = new_project(tmp_path)
    texts = {letter * 200_000 + "\n" for letter in "ABCD"} | {(tmp_path / name).read_text()}
    for saves in (1, 4):
        with subprocess.Popen(
            epcg_command("workbench", tmp_path, "--no-open"), stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                address = started(process)
                headers = {TOKEN_HEADER: user_token(state_folder())}
                with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
                    saved = client.post("api/project_digest", json={"file": name}).json()["saved"]
                    for number in range(saves):
                        text = "ABCD"[number % 4] * 200_000 + "\n"
                        body = {"file": name, "text": text, "saved": saved}
                        saved = client.post("api/project_save", json=body).json()["saved"]
                    client.timeout = httpx.Timeout(0.01)
                    with suppress(httpx.TransportError):
                        body = {"file": name, "text": "D" * 200_000 + "\n", "saved": saved}
                        client.post("api/project_save", json=body)
            finally:
                os.kill(process.pid, signal.SIGKILL)
        assert (tmp_path / name).read_text() in texts
        assert not [path for path in tmp_path.iterdir() if path.name.startswith((".tmp", "tmp"))]
    project = Project(tmp_path)
    project.save(name, "after\n", project.read(name).digest)
    assert project.history.text(project.history.entries(name)[-1].digest) == "after\n"


def started(process: subprocess.Popen[str]) -> str:
    """Return the address at which a server answers."""
    assert process.stdout is not None
    while line := process.stdout.readline():
        if found := re.search(r"http://[^?\s]+", line):
            return found[0]
    raise AssertionError("the server has ended")
