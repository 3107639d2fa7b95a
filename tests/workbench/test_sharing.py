"""The Share button: what is shared, where it is written, and that nothing is overwritten."""

from __future__ import annotations

import json
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


def test_levels_and_what_a_page_leaves_out_are_options_of_the_command(tmp_path: Path) -> None:
    words = asked(tmp_path, text=BOARD, levels=[1], hints=False, solutions=True, warnings=False)["words"]
    assert words[words.index("--level") :] == ["--level", "1", "--no-hints", "--no-warnings"]
    assert not {"--level", "--no-hints", "--no-solutions"} & set(asked(tmp_path, text=BOARD)["words"])


@pytest.mark.parametrize("levels", [[], [0], ["1"], [True], "1", {}])
def test_levels_are_numbers(tmp_path: Path, levels: Any) -> None:
    message = asked(tmp_path, text=BOARD, levels=levels)
    assert message == {
        "error": "Choose at least one level: without any there is nothing to share.",
        "expected": True,
    }


@pytest.mark.skipif("publishing" not in INSTALLED, reason="epcg gif is in epcg-publishing")
def test_a_gif_shows_what_was_played_or_a_solution(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="the extra 'gif' is not installed")
    (tmp_path / "boards").mkdir()
    request = {"do": "gif", "folder": str(tmp_path), "domain": "fling", "text": "o..o\n....\n..o.\n"}
    for taken, file, name in (([], "", "fling.gif"), ([1], "boards/mine.txt", "mine.gif")):
        (message,) = answer({**request, "taken": taken, "file": file})
        assert message["says"] == f"Written: {tmp_path.resolve() / name}"
        found = Workplace(tmp_path).epcg(*message["words"], "--db", tmp_path / "none.db", "--json", code=0)
        told = json.loads(found.stdout)
        assert (len(told["moves"]), told["solved"]) == ((1, False) if taken else (2, True))
        assert (tmp_path / name).read_bytes()[:6] == b"GIF89a"
    (again,) = answer({**request, "taken": []})
    assert again["says"].endswith("fling-2.gif"), "nothing is overwritten"


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
