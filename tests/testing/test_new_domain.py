"""`epcg new-domain`: a plugin that can be installed, keeps every law and passes its own tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from epcg_testing.new_domain import check_name, plugin_files

from epcg_core.base.errors import QueryError
from tests.faces import only
from tests.forks.forked import PYTEST, epcg_forked, python_forked
from tests.workplace import epcg

LINES = 190
CORE = Path(__file__).parents[2]


def install(folder: Path, site: Path, name: str) -> None:
    """Install a generated plugin into a folder, as pip would."""
    site.mkdir()
    (folder / "src" / f"epcg_{name}").rename(site / f"epcg_{name}")
    info = site / f"epcg_{name}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: epcg-{name}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[epcg]\n{name} = epcg_{name}\n")


def run(*command: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def generate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[int, str]]:
    """generate(name): `epcg new-domain NAME` in an empty folder; the exit code and all that was printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EPCG_DB", raising=False)

    def new(name: str) -> tuple[int, str]:
        done = epcg("new-domain", name, code=None)
        return done.exit_code, done.output

    return new


def test_it_is_read_at_once() -> None:
    code = [text for path, text in plugin_files("demo").items() if path.endswith(".py")]
    lines = [line for text in code for line in text.splitlines() if line.strip()]
    assert len(lines) <= LINES + len(code) * 3
    assert len([line for line in lines if not line.strip().startswith(('"""', "#"))]) < LINES


@pytest.mark.parametrize("name", ["demo", "peg_rows", "x2"])
def test_every_trace_of_the_sample_is_renamed(name: str) -> None:
    for path, text in plugin_files(name).items():
        assert "lamps" not in path + text.lower(), path
        assert not path.endswith(".template")
    assert f"src/epcg_{name}/__init__.py" in plugin_files(name)


@pytest.mark.slow
def test_it_keeps_every_law_and_answers_its_query(
    generate: Callable[[str], tuple[int, str]], tmp_path: Path
) -> None:
    code, told = generate("demo")
    assert code == 0, told
    assert "epcg-demo/src/epcg_demo/puzzle.py" in told
    install(tmp_path / "epcg-demo", tmp_path / "site", "demo")
    place = {
        "PYTHONPATH": str(tmp_path / "site"),
        "EPCG_PLUGINS": "demo",
    }
    tested = python_forked(PYTEST, "-q", "-p", "no:cacheprovider", "epcg-demo", folder=tmp_path, **place)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    size = "generator.lights=6"  # all eight in the slow test below
    options = ("--executor", "serial", "--set", size, "--json")
    ran = epcg_forked("run", "demo/hardest", *options, folder=tmp_path, **place)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["runs"][0]["evaluated"] == 64
    drawn = epcg_forked("render", "demo:rows?lights=8#170", "--format", "text", folder=tmp_path, **place)
    assert ".*.*.*.*" in drawn.stdout


def test_nothing_is_overwritten(generate: Callable[[str], tuple[int, str]], tmp_path: Path) -> None:
    (tmp_path / "epcg-demo").mkdir()
    code, told = generate("demo")
    assert code == 1
    assert "'epcg-demo' is there already, and nothing in it is changed" in told
    assert list((tmp_path / "epcg-demo").iterdir()) == []


def test_a_keyword_of_python_is_no_name() -> None:
    with pytest.raises(QueryError, match=r"^'class' is a keyword of Python"):
        check_name("class", set())


@pytest.mark.parametrize("name", ["Demo", "2x", "a-b", "", "a__b", "../x", "a b", "é"])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(QueryError, match="cannot be a domain's name"):
        check_name(name, set())


def test_a_name_that_is_taken_is_refused(generate: Callable[[str], tuple[int, str]]) -> None:
    for name in ("run", "check"):
        code, told = generate(name)
        assert code == 1
        assert f"'{name}' is the name of a domain or a command already" in told


@pytest.mark.parametrize("name", ["core", "testing", "cluster"])
def test_a_name_that_would_hide_a_package_is_refused(name: str) -> None:
    with pytest.raises(QueryError, match="would hide one"):
        check_name(name, set())


def test_help_says_what_is_made(generate: Callable[[str], tuple[int, str]]) -> None:
    code, told = generate("--help")
    assert code == 0
    assert "epcg run demo/hardest" in told


@pytest.mark.slow
def test_in_a_fresh_environment(generate: Callable[[str], tuple[int, str]], tmp_path: Path) -> None:
    """The issue's own words: `epcg new-domain demo && pip install ./epcg-demo && pytest epcg-demo`."""
    run(sys.executable, "-m", "venv", "fresh", cwd=tmp_path)
    python = tmp_path / "fresh" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    alone = {"PYTHONPATH": "", "EPCG_PLUGINS": only("demo")}
    installed = run(*pip, CORE, CORE / "plugins" / "testing", "pytest>=8.4", cwd=tmp_path, **alone)
    assert installed.returncode == 0, installed.stderr
    made = run(python.with_name("epcg"), "new-domain", "demo", cwd=tmp_path, **alone)
    assert made.returncode == 0, made.stderr
    installed = run(*pip, "./epcg-demo", cwd=tmp_path, **alone)
    assert installed.returncode == 0, installed.stderr
    tested = run(python.with_name("pytest"), "-q", "epcg-demo", cwd=tmp_path, **alone)
    assert tested.returncode == 0, tested.stdout
    ran = run(python.with_name("epcg"), "run", "demo/hardest", "--json", cwd=tmp_path, **alone)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["runs"][0]["evaluated"] == 256


@pytest.mark.parametrize("name", ["xy", "zebra", "a_very_long_name_of_puzzles"])
def test_the_plugin_passes_the_usual_checkers_as_it_comes(name: str, tmp_path: Path) -> None:
    """An author begins without a list of complaints."""
    for place, text in plugin_files(name).items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    for checker in ("check", "format --check"):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *checker.split(), "--no-cache", "."],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_plugin_has_types(tmp_path: Path) -> None:
    for place, text in plugin_files("zebra").items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "src", "tests"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
