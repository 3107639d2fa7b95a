"""Two parts that measure by the same name in one database: the search by layers, and the evaluators."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workplace import epcg


@pytest.mark.parametrize("first", ["layers", "edits"])
def test_runs_of_both_hold(first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    more = {"layers": ("--set", "generator.pieces=1"), "edits": ()}
    for name in (first, *({*more} - {first})):
        epcg("run", f"fling/{name}", *more[name], "--quiet")
    for run in (1, 2):
        epcg("verify", run, "--sample", 5)
