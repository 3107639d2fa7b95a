"""The history of a project: the work of a save, logs too long or of earlier versions, two processes."""

from __future__ import annotations

import json
import multiprocessing
import sys
from pathlib import Path

import pytest
from epcg_workbench.project.folder import Project
from epcg_workbench.project.history import History, digest_of

from tests.workbench.test_project import asked


def bytes_read() -> int:
    """Return the bytes that this process has read from files so far."""
    words = Path("/proc/self/io").read_text().split()
    return int(words[words.index("rchar:") + 1])


def shared_log(folder: Path, saves: int, files: int) -> list[str]:
    """Write a history as earlier versions did, one log for all files, and return the texts in order."""
    history = folder / ".epcg" / "history"
    history.mkdir(parents=True)
    texts = [f"text {number}\n" for number in range(saves)]
    with (history / "log.jsonl").open("w") as log:
        for number, text in enumerate(texts):
            (history / f"{digest_of(text)}.txt").write_text(text)
            before = digest_of(texts[number - files]) if number >= files else ""
            line = {"number": number + 1, "file": f"{number % files}.txt", "digest": digest_of(text)}
            log.write(
                json.dumps(line | {"parent": before, "at": "2026-01-01T00:00:00+00:00", "label": ""}) + "\n"
            )
    return texts


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone counts the bytes that a process reads")
def test_the_work_of_a_save_does_not_grow_with_the_number_of_saves(tmp_path: Path) -> None:
    history, last, work = History(tmp_path), "", []
    for number in range(150):
        before = bytes_read()
        last = history.add("game.txt", f"text {number}", last).digest
        work.append(bytes_read() - before)
    assert sum(work[120:]) < 1.3 * sum(work[40:70]), (
        "a log is longer than what is read at once after 40 saves"
    )


def test_a_log_over_the_limit_keeps_the_newest_states_of_each_file_and_says_what_it_drops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epcg_workbench.project.history.MOST_ENTRIES", 3)
    project, notes = Project(tmp_path), {}
    other = project.save("other.txt", "text 0\n", None)
    saved = project.save("game.txt", "text 0\n", None)
    for number in range(1, 7):
        saved = project.save("game.txt", f"text {number}\n", saved.digest)
        notes[number] = saved.note
    assert [number for number, note in notes.items() if note] == [6]
    assert "drops 4 old saves" in notes[6]
    history = project.history
    assert [history.text(entry.digest) for entry in history.entries("game.txt")] == [
        f"text {number}\n" for number in (4, 5, 6)
    ]
    assert [history.text(entry.digest) for entry in history.entries("other.txt")] == [other.text], (
        "a text that another file has stays"
    )
    assert history.dropped("game.txt") == 4
    assert asked(tmp_path, "project_history", file="game.txt")[-1] == {"dropped": 4}


def test_a_log_over_the_limit_of_bytes_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path)
    last = history.add("a", "one", "")
    (log,) = (tmp_path / ".epcg" / "history" / "logs").iterdir()
    log.write_bytes(log.read_bytes() + b"\0" * 300_000)
    monkeypatch.setattr("epcg_workbench.project.history.MOST_BYTES", 100_000)
    second = history.add("a", "two", last.digest)
    assert log.stat().st_size < 1000
    assert [(each.digest, each.parent) for each in history.entries("a")] == [
        (last.digest, ""), (second.digest, last.digest),
    ]  # fmt: skip


def test_the_log_that_earlier_versions_wrote_of_all_files_is_read_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs of more bytes than earlier versions could read are read, too."""
    texts = shared_log(tmp_path, 30, 3)
    monkeypatch.setattr("epcg_workbench.project.history.MOST_BYTES", 3000)
    history = History(tmp_path)
    assert [history.text(node.digest) for node in history.tree("1.txt")] == texts[1::3]
    added = history.add("1.txt", "new\n", digest_of(texts[28]))
    assert added.parent == digest_of(texts[28])
    assert [history.text(node.digest) for node in history.tree("1.txt")] == [*texts[1::3], "new\n"]
    assert [history.text(node.digest) for node in history.tree("2.txt")] == texts[2::3]


def test_what_is_dropped_of_an_earlier_log_keeps_the_texts_of_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = shared_log(tmp_path, 30, 2)
    monkeypatch.setattr("epcg_workbench.project.history.MOST_ENTRIES", 4)
    (tmp_path / "0.txt").write_text(texts[28])
    project = Project(tmp_path)
    saved = project.save("0.txt", texts[1], project.read("0.txt").digest)  # a text that 1.txt had, too
    assert "drops 12 old saves" in saved.note
    for number in range(9):
        saved = project.save("0.txt", f"more {number}\n", saved.digest)
    assert project.history.dropped("0.txt") == 15 + 1 + 9 - len(project.history.entries("0.txt"))
    monkeypatch.undo()
    assert [project.history.text(node.digest) for node in project.history.tree("1.txt")] == texts[1::2]


def add_many(folder: Path, name: str, saves: int) -> None:
    history, last = History(folder), ""
    for number in range(saves):
        last = history.add("game.txt", f"{name} {number}", last).digest


def test_two_processes_that_save_at_once_lose_nothing(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=add_many, args=(tmp_path, name, 25)) for name in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    history = History(tmp_path)
    entries = history.entries("game.txt")
    assert [entry.number for entry in entries] == list(range(1, 51))
    found = [history.text(entry.digest) for entry in entries]
    for name in "ab":
        assert [text for text in found if text[0] == name] == [f"{name} {number}" for number in range(25)]
