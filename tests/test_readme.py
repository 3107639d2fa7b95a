"""Every command of the READMEs runs, and prints what they show."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(text: str) -> list[tuple[str, list[str]]]:
    """(command, lines shown beneath it) of the console blocks, in order."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
    return found


def epcg(arguments: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epcg_core.cli", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip


def test_the_readmes_commands_run_in_order_and_print_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "plugins").symlink_to(ROOT / "plugins")
    shown = commands(README)
    assert len(shown) >= 10
    for command, lines in shown:
        program, *arguments = shlex.split(command)
        assert program == "epcg", command
        result = epcg(arguments, tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stderr}"
        printed = [line.rstrip() for line in result.stdout.splitlines()]
        for line in lines:
            assert line.rstrip() in printed, f"{command} does not print {line!r} but\n{result.stdout}"


def test_the_readmes_make_targets_exist() -> None:
    targets = re.findall(r"^    make (\S+)", README, re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_the_demos_output_in_the_readme_is_real(tmp_path: Path) -> None:
    """The demo's winner has the solution that the README prints (its query is run by a slow test)."""
    block = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert block is not None
    winner = "fling:boards?height=8&pieces=6&width=7#38012"
    result = epcg(["render", winner, "--format", "text"], tmp_path)
    assert result.stdout.strip() in block[1]


@pytest.mark.slow
def test_the_demos_query_prints_what_the_readme_shows(tmp_path: Path) -> None:
    block = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert block is not None
    result = epcg(["run", str(ROOT / "plugins/fling/queries/best_by_expert_ratio.toml")], tmp_path)
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    for line in block[1].splitlines():
        assert line.rstrip() in (*printed, "..."), line


def test_the_readmes_plugin_works_as_it_stands(tmp_path: Path) -> None:
    source = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert source is not None
    (tmp_path / "epcg_words.py").write_text(source[1], encoding="utf-8")
    info = tmp_path / "epcg_words-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: epcg-words\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[epcg]\nwords = epcg_words\n")
    (tmp_path / "words.toml").write_text(
        'domain = "words"\ngenerator = { name = "five" }\nevaluators = [{ name = "runs" }]\n'
        'select = [{ metric = "runs", keep = "best" }]\n'
    )
    result = epcg(["run", "words.toml"], tmp_path, PYTHONPATH=str(tmp_path), EPCG_PLUGINS="words")
    assert result.returncode == 0, result.stderr
    result = epcg(["sql", "--format", "csv", "SELECT count(*) AS best FROM kept"], tmp_path)
    assert result.stdout.split() == ["best", str(4 * 3**4)]
