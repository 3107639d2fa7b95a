"""Files that users name: pipes, devices, folders and endless files are refused, wherever they stand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from epcg_core.domain import FormatInfo
from epcg_core.plugins.registry import registry
from tests.forks.forked import python_forked
from tests.workplace import epcg, new_database

BOUNDED = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from epcg_core.cli import main
main()
"""

WHERE = {
    "query": ("run", "{file}", "--dry-run"),
    "plan": ("curriculum", "build", "{file}"),
    "certificate": ("verify", "--certificate", "{file}"),
    "database": ("runs", "--db", "{file}"),
    "database to write": ("run", "fling/layers", "--set", "generator.pieces=2", "--db", "{file}"),
    "part": ("merge", "into.db", "{file}"),
    "traces": ("import", "traces", "{file}"),
    "responses": ("import", "responses", "{file}", "--puzzle", "a", "--person", "b", "--response", "c"),
    "level to convert": ("convert", "{file}", "--domain", "fling", "--to", "text"),
    "board": ("fling", "analyze", "{file}"),
    "puzzle": ("score", "{file}", "--domain", "fling"),
    "query of a plan": ("curriculum", "build", "plan.toml"),
    "panels": ("run", "panels.toml", "--dry-run"),
    "level": ("run", "level.toml", "--dry-run"),
    "levels": ("run", "levels.toml", "--dry-run"),
    "game": ("run", "game.toml", "--dry-run"),
    "panels of a study": ("witness", "difficulty", "{file}"),
    "levels of a study": ("fling", "study", "{file}"),
    "content of a query": ("run", "content.toml", "--dry-run"),
}
FILES = {
    "plan.toml": 'name = "plan"\ntitle = ""\ndescription = ""\n[[chapters]]\nname = "a"\ntitle = ""\n'
    'query = "{file}"\nmeasure = "m"\nstrategy = "evenly"\ncount = 1\n',
    "panels.toml": 'domain = "witness"\nevaluators = [{{ name = "solutions" }}]\n'
    'generator = {{ name = "windmill_file", path = "{file}" }}\n',
    "level.toml": 'domain = "snakebird"\nevaluators = [{{ name = "shortest_solution" }}]\n'
    'generator = {{ name = "edits", level = "{file}" }}\n',
    "levels.toml": 'domain = "snakebird"\nevaluators = [{{ name = "shortest_solution" }}]\n'
    'generator = {{ name = "levels", path = "{file}" }}\n',
    "game.toml": 'domain = "puzzlescript"\nevaluators = [{{ name = "shortest_solution" }}]\n'
    'generator = {{ name = "levels", game = "{file}" }}\n',
    "content.toml": 'domain = "fling"\nevaluators = [{{ name = "solvable" }}]\n'
    'generator = {{ name = "edits", board = "{file}" }}\n',
}
KINDS = ("pipe", "folder", "device", "endless")


def make(kind: str, folder: Path) -> Path:
    """Make something under a name that is not a file to read, or one of 300 GB."""
    path = folder / f"{kind}.txt"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(300 << 30)
    return path


CASES = [(where, kind) for where in WHERE for kind in KINDS]
FAST = [(where, KINDS[number // 2 % len(KINDS)]) for number, where in enumerate(WHERE) if number % 2 == 0]


@pytest.mark.parametrize(
    ("where", "kind"),
    [pytest.param(*case, marks=[] if case in FAST else [pytest.mark.slow]) for case in CASES],
    ids=lambda value: value.replace(" ", "-"),
)
def test_what_is_no_file_to_read_is_refused(where: str, kind: str, tmp_path: Path) -> None:
    file = make(kind, tmp_path)
    new_database(tmp_path / "epcg.db")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.format(file=file))
    words = [word.format(file=file) for word in WHERE[where]]
    done = python_forked(BOUNDED, *words, folder=tmp_path)
    assert done.returncode in (1, 2, 5), done
    assert "mistake in EPCG" not in done.stderr
    assert "raised" not in done.stderr, "neither is it a plugin's"
    assert done.stderr.startswith(("Error: ", "Usage: "))
    assert file.name in done.stderr or file.resolve().name in done.stderr


def test_a_name_that_is_no_file_is_said_to_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new_database(tmp_path / "epcg.db")
    for words in (("render",), ("score",), ("convert",), ("fling", "analyze"), ("workbench", "--no-open")):
        for name in ("levels/nothere.txt", "LEVELS/NOTHERE.TXT"):
            assert epcg(*words, name, code=1).stderr.startswith(f"Error: There is no file '{name}'")


def test_a_missing_file_of_any_registered_format_is_said_to_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    endings = {ending for info in registry().all(FormatInfo) for ending in info.endings}
    assert {".xsb", ".xmpuzzle", ".map"} <= endings
    for ending in sorted(endings):
        for word in ("score", "render", "convert"):
            name = f"nothing{ending}"
            assert epcg(word, name, code=1).stderr.startswith(f"Error: There is no file '{name}'")


def test_a_name_of_any_ending_is_that_of_a_file_if_its_folder_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels").mkdir()
    for words in (("render",), ("score",), ("convert",), ("workbench", "--no-open")):
        for name in ("levels/nothere", "levels/no there.dat", f"{tmp_path}/nothere"):
            assert epcg(*words, name, code=1).stderr.startswith(f"Error: There is no file '{name}'")
    wrong = epcg("score", "o..x/.../...o", code=1).stderr  # a drawing with a mistake is none
    assert "There is no file" not in wrong
    assert "\n  fling: " in wrong


NAMES = ("../above", "{folder}/elsewhere", "a/b", "..", "x" * 300, "\u00e9t\u00e9 1")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_plan_does_not_choose_the_folder_of_its_exports(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work := tmp_path / "work").mkdir()
    (work / "a").mkdir()
    monkeypatch.chdir(work)
    name = name.format(folder=tmp_path)
    (work / "query.toml").write_text(
        'domain = "fling"\ngenerator = { name = "boards", width = 3, height = 3, pieces = 2 }\n'
        'evaluators = [{ name = "solvable" }]\n'
    )
    (work / "plan.toml").write_text(
        f'name = {json.dumps(name)}\ntitle = "t"\ndescription = ""\n[[chapters]]\n'
        'name = "one"\ntitle = "One"\nquery = "query.toml"\nrows = "all"\n'
        'measure = "solvable"\nstrategy = "evenly"\ncount = 1\n'
    )
    epcg("curriculum", "build", "plan.toml")
    for form in ("csv", "json", "html"):
        epcg("curriculum", "export", name, "--format", form)
    made = [path for path in tmp_path.rglob("*") if path.suffix in (".csv", ".html", ".json")]
    assert sorted(path.suffix for path in made) == [".csv", ".html", ".json"]
    assert {path.parent for path in made} == {work}
    epcg("curriculum", "export", name, "--format", "site")
    (site,) = {path for path in work.iterdir() if path.name.endswith("-site")}
    assert (site / "index.html").is_file()


def test_puzzles_that_differ_have_pictures_of_their_own(tmp_path: Path) -> None:
    long = "fling:edits?board=" + "%0A".join(["o" * 7, *["......."] * 7]) + "&edits=1"
    ids = [f"{long}#0", f"{long}#1"]
    said = epcg("render", *ids, "--format", "text", "--output", tmp_path / "drawn")
    files = sorted((tmp_path / "drawn").iterdir())
    assert len({path.read_text() for path in files}) == 2, said.stderr
    assert max(len(path.name.encode()) for path in files) < 200
