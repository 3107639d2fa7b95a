"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from epcg_core.base.documents import replaced


def test_a_file_that_cannot_be_written_is_named_and_the_older_one_stays(tmp_path: Path) -> None:
    target = tmp_path / "older.json"
    target.write_text("older")
    with pytest.raises(OSError, match="No space left") as full, replaced(target):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert full.value.filename == str(target)
    assert [path.name for path in tmp_path.iterdir()] == ["older.json"]
    assert target.read_text() == "older"


def test_a_pipe_is_written_to_itself(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replaced(pipe) as part:
        part.write_text("all of it")
    assert os.read(reader, 100) == b"all of it"
    assert pipe.is_fifo()
    os.close(reader)


def test_a_name_that_is_too_long_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 300)
    with pytest.raises(OSError, match="too long") as long, replaced(target) as part:
        part.write_text("new")
    assert long.value.filename == str(target)


def test_a_folder_takes_the_place_of_an_empty_one_when_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "pages"
    target.mkdir()
    with pytest.raises(FileNotFoundError), replaced(target, folder=True) as part:
        (part / "there is no such folder" / "first").write_text("1")
    assert [*target.iterdir()] == []
    with replaced(target, folder=True) as part:
        (part / "first").write_text("1")
        assert [*target.iterdir()] == []
    assert [path.name for path in target.iterdir()] == ["first"]
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


def test_a_link_that_leads_to_itself_is_replaced(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with replaced(link) as part:
        part.write_text("new")
    assert link.read_text() == "new"
