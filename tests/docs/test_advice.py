"""What the descriptions of shipped queries advise, tried as it is written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from epcg_core.query.named import shipped_queries
from tests.workplace import epcg

PLACEHOLDERS = {"FILE", "ROWS"}
"""Words in capitals for what the user has; the option is left out."""


def advice(path: Path) -> list[list[str]]:
    """The options `--set KEY=VALUE` of a description; those that follow each other belong together."""
    text = " ".join(re.findall(r'^description = """(.*?)"""', path.read_text(), re.DOTALL | re.MULTILINE))
    found = []
    for chain in re.findall(r"(?:--set (?:'[^']*'|\S+)\s*)+", text):
        words = shlex.split(re.sub(r"[.,;:]+$", "", chain.strip()))
        pairs = [word for word in words if word != "--set"]
        if not any("=" not in pair or pair.partition("=")[2].strip(",.") in PLACEHOLDERS for pair in pairs):
            found.append([part for pair in pairs for part in ("--set", pair)])
    return found


CASES = [(name, words) for name, path in sorted(shipped_queries().items()) for words in advice(path)]


@pytest.mark.parametrize(("name", "words"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_description_advises_runs(
    name: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_game.txt").write_bytes(shipped_game().read_bytes())
    epcg("run", name, "--dry-run", *words)


def shipped_game() -> Path:
    return next((Path(__file__).parents[2] / "plugins" / "puzzlescript" / "games").glob("*.txt"))


def test_there_is_advice() -> None:
    assert ("sliding/depths", ["--set", "search.record=frontier", "--set", "select=[]"]) in CASES
    assert len(CASES) > 8
