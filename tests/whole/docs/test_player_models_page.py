"""The script on the page about player models runs after the page's commands."""

from __future__ import annotations

import contextlib
import io
import runpy
import shlex
from pathlib import Path

import pytest

from tests.whole.docs.test_docs import files_of, text_of
from tests.workplace import commands, epcg

PAGE = text_of("guides/player-models.md")


def test_the_script_of_the_page(reader: Path) -> None:
    for library in ("scipy", "statsmodels", "pandas"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    for name, text in files_of(PAGE).items():
        Path(name).write_text(text)
    for command, _ in commands(PAGE)[:3]:
        epcg(*shlex.split(command)[1:])
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path("players.py")
    assert "nearer" in printed.getvalue()
    assert "flies" in printed.getvalue()
    assert Path("player.json").is_file()
