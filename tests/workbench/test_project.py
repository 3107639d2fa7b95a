"""Projects: files are found, saved whole or not at all, remembered, and never outside their folder."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench import serve
from epcg_workbench.jobs import answer
from epcg_workbench.project import packing, templates
from epcg_workbench.project.folder import MOST_BYTES, ChangedError, Project
from epcg_workbench.project.history import History, Step, digest_of
from epcg_workbench.project.memory import Memory, user_token
from epcg_workbench.project.templates import new_project, template
from epcg_workbench.serve import project_folder
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, QueryError, StoreError
from epcg_core.inside import shipped_queries
from tests.whole.faults.mounts import read_only_folder, small_disk


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "game.txt").write_bytes(b"one\ntwo\nthree\n")
    return Project(tmp_path)


def asked(folder: Path, name: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": name, "folder": str(folder), **request}))


def game(levels: int = 3) -> str:
    """The template with more levels, each with a wall that no other has."""
    text = template("Test")
    if text is None:
        pytest.skip("no domain here reads the template: pip install epcg-puzzlescript")
    for number in range(levels - 3):
        rows = ["#" * 9, *("#" + "." * 7 + "#" for _ in range(5)), "#" * 9]
        x, y = number % 7 + 1, number // 7 % 5 + 1
        rows[y] = rows[y][:x] + "#" + rows[y][x + 1 :]
        free = [(x, y) for y in range(1, 6) for x in range(1, 8) if rows[y][x] == "."]
        for mark, (x, y) in zip("PCo", (free[0], free[10 + number // 35], free[24]), strict=True):
            rows[y] = rows[y][:x] + mark + rows[y][x + 1 :]
        text += "\n" + "\n".join(rows) + "\n"
    return text


def test_messages_are_offered_for_the_formats_that_have_them(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(game())
    (tmp_path / "one.xsb").write_text("#####\n#@$.#\n#####\n")
    (tmp_path / "board.txt").write_text("o..o\n....\n")
    (tmp_path / "notes.md").write_text("Words.\n")
    names = ("game.txt", "one.xsb", "board.txt", "notes.md")
    opened = [asked(tmp_path, "project_open", file=name)[0] for name in names]
    assert [each.get("messages", False) for each in opened] == [True, False, False, False]
    assert [len(each["pieces"]) > 0 for each in opened] == [True, True, True, False]


def test_what_is_saved_is_read_again_and_remembered(project: Project) -> None:
    read = project.read("game.txt")
    saved = project.save("game.txt", "one\n2\nthree\n", read.digest)
    assert (project.folder / "game.txt").read_bytes() == b"one\n2\nthree\n"
    assert project.digest("game.txt") == saved.digest
    first, second = project.history.entries("game.txt")
    assert project.history.text(first.digest) == "one\ntwo\nthree\n"
    assert (second.parent, second.digest) == (first.digest, digest_of("one\n2\nthree\n"))


@given(
    lines=st.lists(
        st.tuples(st.sampled_from(["a", "b", ""]), st.sampled_from(["\n", "\r\n", "\r"])), max_size=8
    ),
    at=st.integers(0, 8),
    new=st.sampled_from(["", "x\n", "x\ny\n"]),
    mark=st.booleans(),
    last=st.sampled_from(["", "end"]),
)
def test_lines_that_are_not_changed_keep_their_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[str, str]],
    at: int,
    new: str,
    mark: bool,
    last: str,
) -> None:
    folder = tmp_path_factory.mktemp("project")
    # what looks like one line end of two characters must not come of two lines
    lines = [(f"{number}{line}", end) for number, (line, end) in enumerate(lines)]
    whole = ("\ufeff" if mark else "") + "".join(line + end for line, end in lines) + last
    (folder / "a.txt").write_bytes(whole.encode())
    project = Project(folder)
    read = project.read("a.txt")
    at = min(at, len(lines))
    parts = read.text.splitlines(keepends=True)
    text = "".join(parts[:at]) + new + "".join(parts[at + 1 :])
    project.save("a.txt", text, read.digest)
    after = (folder / "a.txt").read_bytes()
    before = whole.encode()
    start = ("\ufeff" if mark else "") + "".join(line + end for line, end in lines[:at])
    rest = "".join(line + end for line, end in lines[at + 1 :]) + (last if at < len(lines) else "")
    assert after.startswith(start.encode())
    assert after.endswith(rest.encode())
    assert project.read("a.txt").text == text
    assert read.text != text or after == before


def test_a_file_that_another_program_has_changed_is_not_overwritten(project: Project) -> None:
    read = project.read("game.txt")
    (project.folder / "game.txt").write_text("theirs\n")
    with pytest.raises(ChangedError, match="by another program") as error:
        project.save("game.txt", "mine\n", read.digest)
    assert error.value.text == "theirs\n"
    for name in ("game (mine).txt", "game (mine 2).txt"):
        assert project.save_beside("game.txt", "mine\n").name == name
        assert (project.folder / name).read_text() == "mine\n"
    assert (project.folder / "game.txt").read_text() == "theirs\n"
    (project.folder / "game.txt").unlink()
    with pytest.raises(ChangedError, match="is gone") as error:
        project.save("game.txt", "mine\n", read.digest)
    assert error.value.text is None
    assert project.save("game.txt", "mine\n", None).text == "mine\n"


def test_a_text_that_is_there_already_is_saved_and_not_written_again(project: Project) -> None:
    """As after a save whose answer was lost, because the server had ended."""
    read = project.read("game.txt")
    first = project.save("game.txt", "mine\n", read.digest)
    (project.folder / "game.txt").chmod(0o444)
    before = (project.folder / "game.txt").stat()
    again = project.save("game.txt", "mine\n", read.digest, [Step("other\n", digest_of(read.text), "tried")])
    assert again.digest == first.digest
    assert (project.folder / "game.txt").stat() == before
    told = [(entry.label, entry.digest) for entry in project.history.entries("game.txt")]
    assert told[1:] == [("", digest_of("mine\n")), ("tried", digest_of("other\n")), ("", digest_of("mine\n"))]
    with pytest.raises(ChangedError):
        project.save("game.txt", "another\n", read.digest)


NAMES = [
    'what? 100 % <b>it\'s</b> "quoted" #1.txt',
    "a&b=c;d.txt",
    "sub folder/ä ö – 漢字.txt",
    "two..dots.txt",
]


def test_what_lies_beside_a_database_in_use_is_not_listed(tmp_path: Path) -> None:
    for name in ("epcg.db", "epcg.db-wal", "epcg.db-shm", "a.sqlite3.lock", "a.sqlite-journal", "wal.db.txt"):
        (tmp_path / name).write_text("")
    assert [each.name for each in Project(tmp_path).files()] == ["epcg.db", "wal.db.txt"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_that_a_file_can_have_is_saved_and_listed(tmp_path: Path, name: str) -> None:
    project = Project(tmp_path)
    saved = project.save(name, "text\n", None)
    assert [each.name for each in project.files()] == [name]
    assert project.save(name, "more\n", saved.digest).text == "more\n"
    assert (tmp_path / name).read_text() == "more\n"
    (head, listed) = asked(tmp_path, "project")
    assert (head["name"], listed["file"], listed["kind"]) == (tmp_path.name, name, "other")


@pytest.mark.parametrize(
    "name",
    ["../out.txt", "a/../../out.txt", "/etc/passwd", "", ".", "..", ".hidden", "a/.git/config", "a\0b",
     "a\\b.txt", "x" * 300, "\ud800.txt", "link.txt", "links/out.txt", "loop.txt", "./a.txt", "a//b.txt",
     "a.txt/"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "out.txt").write_text("outside")
    (folder / "link.txt").symlink_to(tmp_path / "out.txt")
    (folder / "links").symlink_to(tmp_path)
    (folder / "loop.txt").symlink_to("loop.txt")
    for request in ("project_open", "project_digest", "project_save", "project_keep", "project_new"):
        (found,) = asked(folder, request, file=name, text="x", saved=None)
        assert (found.get("expected"), found["error"][-1]) == (True, "."), found
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.txt"]
    assert (tmp_path / "out.txt").read_text() == "outside"
    assert not Project(folder).files()


NOT_TEXTS = [
    *(f"epcg.db{more}" for more in ("", "-wal", "-shm", "-journal", ".lock", ".work")),
    "EPCG.DB", "other.sqlite", "levels/x.sqlite3-wal", "epcg.db/a.txt", "epcg.db.work/a.txt", "all.zip",
    "pictures/one.PNG", "values.parquet", ".epcg/token", "levels/.epcg/log.jsonl", "pipe",
    "to_a_database.txt", "to_the_state/token",
]  # fmt: skip


@pytest.mark.parametrize("name", NOT_TEXTS)
@pytest.mark.parametrize("do", ["project_save", "project_new", "project_keep"])
def test_no_text_takes_the_name_of_what_is_not_a_text(tmp_path: Path, do: str, name: str) -> None:
    """By any request; and a pipe would wait for its other end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_a_database.txt").symlink_to("epcg.db")
    (tmp_path / ".epcg").mkdir()
    (tmp_path / "to_the_state").symlink_to(".epcg")
    before = sorted(tmp_path.rglob("*"))
    if do == "project_new" and name in ("pipe", "to_a_database.txt"):
        pytest.skip("this makes a file of another name")
    found = asked(tmp_path, do, file=name, text="mine", saved=None)
    assert found[0].get("expected"), found
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_database_is_not_written_over(tmp_path: Path) -> None:
    """It is a valid text, as far as bytes tell."""
    (tmp_path / "epcg.db").touch()
    (found,) = asked(tmp_path, "project_save", file="epcg.db", text="x", saved=hashlib.sha256().hexdigest())
    assert "is a name for a database" in found["error"]
    assert (tmp_path / "epcg.db").read_bytes() == b""


def test_a_link_in_place_of_the_history_is_refused(tmp_path: Path) -> None:
    folder, other = tmp_path / "project", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / ".epcg").symlink_to(other)
    with pytest.raises(QueryError, match="is a link"):
        Project(folder).save("a.txt", "x", None)
    (found,) = asked(folder, "project_session", keep={"file": "x"})
    assert "is a link" in found["error"]
    Memory(folder / ".epcg").keep_port(4711)
    assert not list(other.iterdir())


def test_what_cannot_be_a_document_is_told(project: Project) -> None:
    (project.folder / "binary.txt").write_bytes(b"\0\1")
    (project.folder / "large.txt").write_bytes(b"x" * (MOST_BYTES + 1))
    kinds = {each["file"]: each for each in asked(project.folder, "project")[1:]}
    assert "UTF-8" in kinds["binary.txt"]["reason"]
    assert "larger than" in kinds["large.txt"]["reason"]
    with pytest.raises(QueryError, match="up to 500,000"):
        project.save("game.txt", "x" * (MOST_BYTES + 1), project.read("game.txt").digest)
    with pytest.raises(QueryError, match="half a character"):
        project.save("game.txt", "\ud800", project.read("game.txt").digest)
    assert (project.folder / "game.txt").read_text() == "one\ntwo\nthree\n"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "300k") as folder:
        project = Project(folder)
        saved = project.save("game.txt", "one\n", None)
        with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)
        with pytest.raises(QueryError, match=r"No space left.*as it was"):
            project.save("game.txt", "two\n" * 1000, saved.digest)
        assert (folder / "game.txt").read_text() == "one\n"
        assert sorted(path.name for path in folder.iterdir()) == [".epcg", "filler", "game.txt"]
        (folder / "filler").unlink()
        assert project.save("game.txt", "two\n", saved.digest).note == ""
        assert [entry.number for entry in project.history.entries("game.txt")] == [1, 2]


def test_a_folder_that_cannot_be_written_or_is_gone_is_a_sentence(project: Project) -> None:
    digest = project.read("game.txt").digest
    with (
        read_only_folder(project.folder),
        pytest.raises(QueryError, match=r"cannot be saved: Read-only.*as it was"),
    ):
        project.save("game.txt", "x", digest)
    (project.folder / "game.txt").unlink()
    project.folder.rmdir()
    for request in ("project", "project_open", "project_save", "project_keep", "project_digest"):
        (found,) = asked(project.folder, request, file="game.txt", text="x", saved=None)
        assert "is gone" in found["error"], found
    (found,) = asked(project.folder, "project_session", keep={})
    assert "is gone" in found["error"]
    assert not project.folder.exists()


def test_a_history_that_cannot_be_written_does_not_keep_a_text_from_being_saved(project: Project) -> None:
    (project.folder / ".epcg").mkdir()
    (project.folder / ".epcg" / "history").write_text("a file where the folder belongs")
    read = project.read("game.txt")
    (found,) = asked(project.folder, "project_save", file="game.txt", text="x\n", saved=read.digest)
    assert "is saved, but not its history" in found["note"]
    assert project.read("game.txt").text == "x\n"


def test_a_line_of_the_history_that_a_kill_has_cut_loses_only_itself(tmp_path: Path) -> None:
    history = History(tmp_path)
    first = history.add("a", "one", "")
    (log,) = (tmp_path / ".epcg" / "history" / "logs").iterdir()
    log.write_text(log.read_text() + '{"number": 2, "file": "a", "dig')
    second = History(tmp_path).add("a", "two", first.digest)
    assert [entry.digest for entry in history.entries("a")] == [first.digest, second.digest]
    assert second.number > first.number


def test_a_history_outlives_what_a_cut_of_power_leaves(tmp_path: Path) -> None:
    history = History(tmp_path)
    first = history.add("a", "one", "")
    (log,) = (tmp_path / ".epcg" / "history" / "logs").iterdir()
    log.write_bytes(log.read_bytes() + b"\0\xff\xfe" * 100)
    second = history.add("a", "two", first.digest)
    assert [entry.digest for entry in history.entries("a")] == [first.digest, second.digest]


@pytest.mark.parametrize("text", ["a\rb\r\n", "\ufeffmarked", "a\0b", "a\u2028b\x85"])
def test_a_remembered_text_is_that_which_was_saved(tmp_path: Path, text: str) -> None:
    history = History(tmp_path)
    assert history.text(history.add("a", text, "").digest) == text


def test_a_history_is_compressed_and_reads_and_forgets_what_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, folder = History(tmp_path), tmp_path / ".epcg" / "history"
    texts = [f"{'#.oP' * 5000}\n{number}\n" for number in range(6)]
    added = history.add_steps("a", [Step(text, "") for text in texts[:4]])
    assert sum(path.stat().st_size for path in folder.rglob("*.zlib")) < sum(map(len, texts[:4])) / 20
    old = folder / f"{digest_of(texts[0])}.txt"  # as it was written before texts were compressed
    old.write_text(texts[0])
    written = {path.stem: path for path in folder.rglob("*.zlib")}
    written[digest_of(texts[0])].unlink()
    # as it was compressed before texts were laid in folders
    written[digest_of(texts[1])].rename(folder / f"{digest_of(texts[1])}.zlib")
    assert [history.text(digest_of(text)) for text in texts[:4]] == texts[:4]
    history.add("a", texts[0], added.digest)
    assert len(list(folder.rglob("*.zlib"))) == 3, "what is there is not written again"
    monkeypatch.setattr("epcg_workbench.project.history.MOST_ENTRIES", 2)
    history.add_steps("a", [Step(text, "") for text in texts[4:]])
    assert {path.stem for path in folder.rglob("*.*") if path.suffix != ".jsonl"} == {
        digest_of(text) for text in texts[4:]
    }


def test_a_history_branches_and_goes_by_numbers_whatever_the_clock_says(tmp_path: Path) -> None:
    history = History(tmp_path)
    first = history.add("a", "one", "")
    second = history.add("a", "two", first.digest)
    (log,) = (tmp_path / ".epcg" / "history" / "logs").iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lines[1]["at"] = "1970-01-01T00:00:00+00:00"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    third = history.add("a", "three", first.digest)
    assert [entry.parent for entry in history.entries("a")] == ["", first.digest, first.digest]
    assert [entry.number for entry in history.entries("a")] == [first.number, second.number, third.number]
    (path,) = log.parent.parent.rglob(f"{second.digest}.zlib")
    whole = path.read_bytes()
    for changed in (b"changed on disk", whole[:4], zlib.compress(b"another text"), b""):
        path.write_bytes(changed)
        with pytest.raises(EpcgError, match="was changed on disk"):
            history.text(second.digest)
    with pytest.raises(EpcgError, match="not the digest"):
        history.text("../../etc/passwd")


SAVING = """
import sys
import zipfile
from pathlib import Path
from epcg_workbench.project import packing, templates
from epcg_workbench.project.folder import Project
project = Project(Path(sys.argv[1]))
saved = project.read("game.txt").digest
print("ready", flush=True)
for number in range(100000):
    saved = project.save("game.txt", "ABCDEFGH"[number % 8] * 300_000 + "\\n", saved).digest
"""


@pytest.mark.parametrize(
    "delays", [(0.05,), pytest.param((0.0, 0.02, 0.05, 0.11), marks=pytest.mark.slow)], ids=len
)
def test_a_kill_in_the_middle_of_a_save_leaves_one_whole_text(
    project: Project, delays: tuple[float, ...]
) -> None:
    for delay in delays:
        command = [sys.executable, "-c", SAVING, str(project.folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            with suppress(subprocess.TimeoutExpired):
                process.wait(delay)
            process.send_signal(signal.SIGKILL)
        text = project.read("game.txt").text
        assert text == "one\ntwo\nthree\n" or (len(text) == 300_001 and len(set(text)) == 2)
        entries = project.history.entries("game.txt")
        assert [entry.number for entry in entries] == sorted({entry.number for entry in entries})
    saved = project.save("game.txt", "after\n", project.read("game.txt").digest)
    assert project.history.entries("game.txt")[-1].digest == digest_of("after\n")
    assert saved.note == ""
    left = [path.name for path in project.folder.iterdir()]
    assert sorted(left) == [".epcg", "game.txt"]


def test_the_token_of_a_user_is_kept_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder, token = tmp_path / "state", tmp_path / "state" / "token"
    first = user_token(folder)
    assert token.stat().st_mode & 0o777 == 0o600
    assert user_token(folder) == first == token.read_text()
    token.chmod(0o644)
    other = user_token(folder)
    assert other != first
    assert (token.stat().st_mode & 0o777, token.read_text()) == (0o600, other)
    token.write_text("short")
    assert len(user_token(folder)) >= 24


def test_a_token_that_cannot_be_kept_is_one_for_this_start(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder belongs")
    assert user_token(tmp_path / "state") != user_token(tmp_path / "state")
    (tmp_path / "state").unlink()
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "token").symlink_to("elsewhere")
    (tmp_path / "state" / "elsewhere").write_text("x" * 40)
    assert user_token(tmp_path / "state") != "x" * 40


def test_all_that_start_at_once_have_one_token(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len({*pool.map(user_token, [tmp_path / "state"] * 16)}) == 1


def test_the_port_of_a_project_is_kept(tmp_path: Path) -> None:
    Memory(tmp_path / ".epcg").keep_port(4711)
    assert Memory(tmp_path / ".epcg").port == 4711
    assert (tmp_path / ".epcg" / ".gitignore").read_text() == "*\n"
    assert Memory(None).port is None


@pytest.mark.parametrize("port", ["0", "-1", "x", "99999", "²", ""])
def test_a_port_that_is_none_is_forgotten(tmp_path: Path, port: str) -> None:
    (tmp_path / "port").write_text(port)
    assert Memory(tmp_path).port is None


def test_a_new_project_has_a_game_that_can_be_played(tmp_path: Path) -> None:
    name = new_project(tmp_path / "my-game")
    (opened,) = asked(tmp_path / "my-game", "project_open", file=name)
    assert opened["usable"]
    assert opened["faults"] == []
    assert "title my game\n" in opened["text"]
    kinds = [piece["kind"] for piece in opened["pieces"]]
    assert kinds == ["message", "content", "message", "content", "content"]
    chips = asked(tmp_path / "my-game", "project_chips", **opened)
    assert [(chip["state"], chip["moves"]) for chip in chips] == [
        ("solved", 1),
        ("solved", 4),
        ("solved", 17),
    ]
    with pytest.raises(QueryError, match="not empty"):
        new_project(tmp_path / "my-game")
    (second,) = asked(tmp_path / "my-game", "project_new", file="game.txt")
    assert (second["file"], second["usable"]) == ("game 2.txt", True)


def test_a_new_project_has_a_shipped_question_if_no_domain_reads_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "template", lambda title: None)
    assert new_project(tmp_path) == "question.toml"
    assert (tmp_path / "question.toml").read_text() in {
        path.read_text() for path in shipped_queries().values()
    }
    assert asked(tmp_path, "project")[1]["kind"] == "query"
    (opened,) = asked(tmp_path, "project_open", file="question.toml")
    assert (opened["domain"], opened["faults"], opened["pieces"]) == ("", [], [])
    monkeypatch.setattr(templates, "shipped_queries", dict)
    assert new_project(tmp_path / "empty") == ""


def test_levels_are_changed_in_their_place(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(game())
    (opened,) = asked(tmp_path, "project_open", file="game.txt")
    at = {"domain": opened["domain"], "format": opened["format"]}
    text: str = opened["text"]
    (piece,) = asked(tmp_path, "project_piece", **at, text=text, number=3)
    (put,) = asked(tmp_path, "put", domain=at["domain"], text=piece["text"], sites=["c6,2"], mark="wall")
    new = {"kind": "content", "text": put["text"]}
    (changed,) = asked(tmp_path, "project_change", **at, text=text, how="replace", number=3, piece=new)
    before, after = text.splitlines(), changed["text"].splitlines()
    assert len(before) == len(after)
    assert [pair for pair in zip(before, after, strict=True) if len(set(pair)) > 1] == [
        ("#..#..#", "#..#.##")
    ]
    (twice,) = asked(tmp_path, "project_change", **at, text=text, how="duplicate", number=3)
    hashes = [each["hash"] for each in twice["pieces"]]
    assert (len(hashes), hashes[3]) == (6, hashes[4])
    (moved,) = asked(tmp_path, "project_change", **at, text=text, how="move", number=4, to=1)
    assert [p["hash"] for p in moved["pieces"]] == [opened["pieces"][n]["hash"] for n in (0, 4, 1, 2, 3)]
    (fewer,) = asked(tmp_path, "project_change", **at, text=text, how="remove", number=0)
    assert [p["hash"] for p in fewer["pieces"]] == [p["hash"] for p in opened["pieces"][1:]]
    (lost,) = asked(tmp_path, "project_piece", **at, text=text, number=0)
    assert "no level" in lost["error"]


SMALL = """title = "Small"
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
PANELS = "+---E\n|   |\nS---+\n"


@pytest.mark.parametrize(
    ("file", "text", "measure"),
    [
        ("small.packing", SMALL, ("1 way", "ways to complete it: 1")),
        ("panel.txt", PANELS, ("2 solutions", "solutions: 2")),
        ("board.txt", ".o..o\n.....\n", ("2 first moves", "first moves that win: 2")),
    ],
)
def test_a_chip_tells_the_number_that_its_domain_tells_first(
    tmp_path: Path, file: str, text: str, measure: tuple[str, str]
) -> None:
    """That a puzzle can be solved is told before; the moves of some solution are not told instead."""
    (tmp_path / file).write_text(text, encoding="utf-8")
    (opened,) = asked(tmp_path, "project_open", file=file)
    first, last = asked(tmp_path, "project_chips", **opened)
    assert (first["state"], first["again"], "measure" in first) == ("solved", True, False)
    assert (last["state"], "again" in last) == ("solved", False)
    assert (last["measure"]["label"], last["measure"]["sentence"]) == measure


def test_faults_are_told_while_the_pieces_stay_known(tmp_path: Path) -> None:
    text = game().replace("[ > Player | Crate ] ->", "[ > Player | Crate | Crate ] ->")
    (tmp_path / "game.txt").write_text(text)
    (opened,) = asked(tmp_path, "project_open", file="game.txt")
    (fault,) = [fault for fault in opened["faults"] if fault["serious"]]
    assert not opened["usable"]
    assert text.splitlines()[fault["line"] - 1].startswith("[ > Player | Crate | Crate ]")
    (mended,) = asked(tmp_path, "project_check", **opened | {"text": game()})
    assert (mended["usable"], mended["faults"], len(mended["pieces"])) == (True, [], 5)
    (broken,) = asked(tmp_path, "project_check", file="a.toml", text='x = 1\ny = "\n')
    assert broken["faults"][0]["line"] == 2


def test_only_levels_that_changed_are_measured_and_drawn_again(tmp_path: Path) -> None:
    text = game(levels=40)
    at = {"domain": "puzzlescript", "format": "game"}
    chips = asked(tmp_path, "project_chips", **at, text=text)
    assert len(chips) == 40
    known = [chip["hash"] for chip in chips if chip["state"] != "unknown"]
    assert asked(tmp_path, "project_chips", **at, text=text, known=known) == []
    other = text.replace("#.PCo.#", "#P.Co.#")
    (again,) = asked(tmp_path, "project_chips", **at, text=other, known=known)
    assert (again["number"], again["moves"]) == (1, 2)
    palette, *drawn = asked(tmp_path, "project_pictures", **at, text=text)
    assert palette.keys() == {"palette"}
    assert {each["hash"] for each in drawn} == set(known)
    (_, one) = asked(tmp_path, "project_pictures", **at, text=other, known=known)
    assert one["number"] == 1


def test_the_session_is_kept_in_the_project(tmp_path: Path) -> None:
    (none,) = asked(tmp_path, "project_session")
    assert none["session"] is None
    asked(tmp_path, "project_session", keep={"file": "game.txt", "piece": 2})
    (kept,) = asked(tmp_path, "project_session")
    assert kept["session"] == {"file": "game.txt", "piece": 2}
    (tmp_path / ".epcg" / "session.json").write_text("{broken")
    (none,) = asked(tmp_path, "project_session")
    assert none["session"] is None


def test_what_is_named_opens_as_a_project_or_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a? #1").mkdir()
    (tmp_path / "a? #1" / "g%.txt").write_text(game())
    (tmp_path / "a? #1" / "notes.txt").write_text("nothing that a domain reads")
    assert project_folder("a? #1", None) == (Path("a? #1"), "")
    folder, start = project_folder("a? #1/g%.txt", None)
    assert (folder, start) == (tmp_path.resolve() / "a? #1", "file/g%25.txt")
    for alone in (None, "puzzlescript", "4#17", "o..o\n.oo.", "x" * 5000, ""):
        assert project_folder(alone, None) == (None, "")
    with pytest.raises(QueryError, match="No puzzle of a known kind"):
        project_folder("a? #1/notes.txt", None)


def test_the_port_is_the_former_one_or_the_next_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve._listener(0, None) as taken:
        former = taken.getsockname()[1]
        with serve._listener(None, former) as other:
            assert other.getsockname()[1] != former
        with pytest.raises(StoreError, match=f"Port {former} is taken"):
            serve._listener(former, None)
    with serve._listener(None, former) as again:
        assert again.getsockname()[1] == former


def packed(path: Path, **entries: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, text in entries.items():
            pack.writestr(name, text)
    return path


def test_a_project_is_packed_and_unpacked(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    name = new_project(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "ä?.txt").write_text("x")
    (folder / "epcg.db").write_bytes(b"data")
    Memory(folder / ".epcg").keep_port(4711)
    for database, count in ((False, 2), (True, 3)):
        assert packing.pack(folder, folder / "mine.zip", database) == count
        with zipfile.ZipFile(folder / "mine.zip") as pack:
            assert not [each for each in pack.namelist() if each.startswith(".")]
        other = tmp_path / f"other {database}"
        assert packing.unpack(folder / "mine.zip", other) == count
        assert (other / name).read_bytes() == (folder / name).read_bytes()
        assert (other / "sub" / "ä?.txt").read_text() == "x"
        assert (other / "epcg.db").exists() == database
        (folder / "mine.zip").unlink()
    with pytest.raises(QueryError, match="is there already"):
        packing.unpack(packed(tmp_path / "a.zip", a="x"), tmp_path / "other True")


@pytest.mark.parametrize(
    "name", ["../out.txt", "/out.txt", "a/../../out.txt", ".git/hooks/x", "a\\b", "c:/x", "a//b", "./a"]
)
def test_a_pack_whose_names_lead_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / "a.zip", **{"good.txt": "x", name: "x"})
    with pytest.raises(QueryError, match="nothing is unpacked"):
        packing.unpack(path, tmp_path / "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.zip"]


def test_links_bombs_and_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as pack:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        pack.writestr(link, "/etc/passwd")
    with pytest.raises(QueryError, match="a link or a device"):
        packing.unpack(path, tmp_path / "new")
    monkeypatch.setattr(packing, "MOST_BYTES", 1000)
    packed(path, a="x" * 600, b="x" * 600)
    with pytest.raises(QueryError, match="more than 1,000 bytes"):
        packing.unpack(path, tmp_path / "new")
    data = packed(path, a="x" * 600, b="x" * 500).read_bytes()  # a pack that lies about its sizes
    lying = data.replace((600).to_bytes(4, "little"), (6).to_bytes(4, "little"))
    path.write_bytes(lying)
    with pytest.raises(QueryError):
        packing.unpack(path, tmp_path / "new")
    packed(path, **{"A.txt": "x", "a.TXT": "y"})
    with pytest.raises(QueryError, match="one name twice"):
        packing.unpack(path, tmp_path / "new")
    for wrong in (b"", b"PK no pack", data[:-30], data[:40] + b"?" * 20 + data[60:]):
        path.write_bytes(wrong)
        with pytest.raises(QueryError):
            packing.unpack(path, tmp_path / "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.zip"]


def test_what_was_undone_before_one_drew_on_stays_a_branch(project: Project) -> None:
    """a, b, c; back to a; d: b and c are still there, and d is a branch beside them."""
    told = asked(project.folder, "project_open", file="game.txt")[0]
    texts = {letter: f"one\n{letter}\nthree\n" for letter in "bcd"}

    def step(letter: str, parent: str) -> dict[str, str]:
        return {"text": texts[letter], "parent": digest_of(parent)[:16], "label": f"drew {letter}"}

    a = told["text"]
    drawn_ = [step("b", a), step("c", texts["b"]), step("d", a)]
    del drawn_[2]["text"]  # it is that which is saved
    saved = asked(
        project.folder, "project_save", file="game.txt", text=texts["d"], saved=told["saved"], steps=drawn_
    )
    assert saved[0]["note"] == ""
    nodes = asked(project.folder, "project_history", file="game.txt")
    told_ = [(n["digest"][:16], n["parent"], n["lane"], n["label"]) for n in nodes]
    first, b, c, d = (digest_of(text) for text in (a, texts["b"], texts["c"], texts["d"]))
    assert told_ == [
        (first[:16], "", 0, ""), (b[:16], first, 0, "drew b"), (c[:16], b, 0, "drew c"),
        (d[:16], first, 1, "drew d"),
    ]  # fmt: skip

    # going back to c and saving it is no new state, and what is drawn then comes from c
    read = project.read("game.txt")
    saved_c = project.save("game.txt", texts["c"], read.digest)
    asked(project.folder, "project_save", file="game.txt", text="e\n", saved=saved_c.digest)
    nodes = asked(project.folder, "project_history", file="game.txt")
    assert [(n["digest"], n["parent"], n["lane"]) for n in nodes[4:]] == [(digest_of("e\n"), c, 0)]
    for node in nodes:
        assert asked(project.folder, "project_state", digest=node["digest"])[0]["text"]
    assert (
        "list of tables"
        in asked(project.folder, "project_save", file="game.txt", text="", saved="", steps="x")[0]["error"]
    )


def test_a_state_of_a_game_shows_the_level_that_differs(tmp_path: Path) -> None:
    text = game()
    project = Project(tmp_path)
    saved = project.save("game.txt", text, None)
    other = text.replace("#..#..#", "##.#..#")
    project.save("game.txt", other, saved.digest)
    kind = {"domain": "puzzlescript", "format": "game", "file": "game.txt"}
    opened = asked(tmp_path, "project_open", file="game.txt")[0]
    kind |= {"format": opened["format"]}
    first = asked(tmp_path, "project_history", file="game.txt")[0]
    second = asked(tmp_path, "project_history", file="game.txt")[1]
    (seen,) = asked(tmp_path, "project_look", digest=second["digest"], parent=first["digest"], **kind)
    assert (seen["number"], seen["svg"][:4]) == (3, "<svg")
    (unsaved,) = asked(tmp_path, "project_look", text=other, beside=text, **kind)
    assert unsaved == seen
    (begun,) = asked(tmp_path, "project_look", digest=first["digest"], **kind)
    assert (begun["number"], begun["svg"] != seen["svg"]) == (1, True)
    (state,) = asked(tmp_path, "project_state", digest=first["digest"])
    assert state == {"text": text}


@pytest.mark.parametrize(
    ("how", "more", "seen"),
    [("duplicate", {}, 4), ("remove", {}, 3), ("move", {"to": 0}, 0)],
)
def test_a_change_of_the_list_shows_what_came_or_stands_there_now(
    tmp_path: Path, how: str, more: dict[str, Any], seen: int
) -> None:
    text = game(levels=5)
    at = {"domain": "puzzlescript", "format": "game"}
    pieces = asked(tmp_path, "project_check", text=text, **at)[0]["pieces"]
    assert [each["kind"] for each in pieces[:5]] == ["message", "content", "message", "content", "content"]
    changed = asked(tmp_path, "project_change", text=text, how=how, number=3, **more, **at)[0]["text"]
    assert asked(tmp_path, "project_look", text=changed, beside=text, **at)[0]["number"] == seen
