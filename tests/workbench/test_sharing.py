"""The Share button: what is shared, where it is written, and that nothing is overwritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer

from tests.faces import INSTALLED
from tests.workplace import Workplace

BOARD = "....\n.#..\n....\n.#..\n"


def asked(folder: Path, **more: Any) -> dict[str, Any]:
    (message,) = answer({"do": "share", "folder": str(folder), "domain": "fling", **more})
    return message


@pytest.mark.skipif("publishing" not in INSTALLED, reason="epcg share is in epcg-publishing")
def test_a_content_is_shared_as_it_is_on_the_page(tmp_path: Path) -> None:
    message = asked(tmp_path, text=BOARD)
    assert message["says"] == f"Written: {tmp_path.resolve() / 'fling.html'}"
    Workplace(tmp_path).epcg(*message["words"], "--db", tmp_path / "none.db", "--json", code=0)
    assert "Fling!" in (tmp_path / "fling.html").read_text(encoding="utf-8")
    assert asked(tmp_path, text=BOARD)["says"].endswith("fling-2.html"), "nothing is overwritten"


def test_a_file_of_the_project_is_shared_whole(tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "one.txt").write_text(BOARD, encoding="utf-8")
    words = asked(tmp_path, text="other", file="boards/one.txt")["words"]
    assert words[:2] == ["share", str(tmp_path / "boards" / "one.txt")]


@pytest.mark.parametrize("file", ["../one.txt", "/etc/hosts", ".epcg/token"])
def test_no_file_of_elsewhere_is_shared(tmp_path: Path, file: str) -> None:
    message = asked(tmp_path, text=BOARD, file=file)
    assert message["expected"] is True
    assert "error" in message


def test_a_folder_in_which_nothing_can_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".epcg").write_text("a file", encoding="utf-8")
    assert asked(tmp_path, text=BOARD)["error"].startswith(f"Nothing can be shared from {tmp_path}: ")
    (tmp_path / ".epcg").unlink()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".epcg").symlink_to(tmp_path / "elsewhere")
    assert "is a link" in asked(tmp_path, text=BOARD)["error"]
    assert asked(tmp_path / "gone", text=BOARD)["error"].startswith("The folder ")


def test_a_level_that_there_is_not_is_not_duplicated(tmp_path: Path) -> None:
    request = {"do": "project_change", "how": "duplicate", "number": 7, "domain": "fling", "format": ""}
    (message,) = answer({**request, "folder": str(tmp_path), "text": BOARD})
    assert message == {"error": "The file has 1 board or message, and no number 8.", "expected": True}
