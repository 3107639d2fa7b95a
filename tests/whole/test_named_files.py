"""Files that params name: a run finds them again from any folder, and its archive carries them."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.whole.docs.test_docs import text_of
from tests.workplace import epcg, needs

GAME = Path(__file__).parents[2] / "plugins/puzzlescript/games/ivy.txt"
LIBRARY = """
domain = "puzzlescript"
[generator]
name = "choices"
count = 2
[generator.library.query]
domain = "puzzlescript"
generator = { name = "levels", game = "my.txt" }
evaluators = [{ name = "shortest_solution" }]
select = [{ metric = "moves", count = 3 }]
[[evaluators]]
name = "of_items"
metric = "moves"
"""
POLICY = """
domain = "fling"
generator = { name = "boards", height = 3, width = 3, pieces = 3 }
[[evaluators]]
name = "entropy"
policy = "player"
"""


def library(folder: Path) -> int:
    """A run of content of what another run kept, whose levels are those of a game in a file."""
    (folder / "my.txt").write_bytes(GAME.read_bytes())
    (folder / "query.toml").write_text(LIBRARY)
    epcg("run", "query.toml", "--quiet")
    return 2


def policy(folder: Path) -> int:
    """A run whose measures depend on a model in a file, which a param of a param names."""
    (folder / "query.toml").write_text(of_model(folder / "my.json", "my.json"))
    epcg("run", "query.toml", "--quiet")
    return 1


def of_model(file: Path, name: str) -> str:
    """Write the model of a page to a file, and return a query that reads it by its name."""
    page = re.search(r":caption: habits.json\n\n?(.*?)```", text_of("guides/player-models.md"), re.DOTALL)
    assert page is not None
    file.write_text(page[1])
    digest = hashlib.sha256(page[1].encode()).hexdigest()
    return f'{POLICY}policy_params = {{ model = "{name}", sha256 = "{digest}" }}\n'


def of_game(file: Path, name: str) -> str:
    """Write a game to a file, and return a query about its levels."""
    file.write_bytes(GAME.read_bytes())
    return (
        f'domain = "puzzlescript"\ngenerator = {{ name = "levels", game = "{name}" }}\n'
        'evaluators = [{ name = "shortest_solution" }]\n'
    )


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(library, marks=pytest.mark.slow),
        pytest.param(policy, marks=[pytest.mark.slow, needs("statsmodels")]),
    ],
)
def test_a_run_finds_what_it_read_and_its_archive_has_it(
    made: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(made)
    monkeypatch.chdir(tmp_path)
    run = made(tmp_path)
    other = tmp_path / "elsewhere"
    other.mkdir()
    monkeypatch.chdir(other)
    epcg("verify", run, "--db", tmp_path / "epcg.db")
    said = epcg("bundle", run, "--db", tmp_path / "epcg.db", "--output", "all.zip").stderr
    assert "The archive has no 'my" not in said
    with zipfile.ZipFile("all.zip") as archive:
        archive.extractall("unpacked")
    (tmp_path / "my.txt").unlink(missing_ok=True)
    (tmp_path / "my.json").unlink(missing_ok=True)
    said = epcg("bundle", run, "--db", tmp_path / "epcg.db", "--output", "less.zip", code=None).stderr
    assert "my." in said  # the file is missed, in a sentence
    assert not Path("less.zip").exists() or "The archive has no 'my" in said
    monkeypatch.chdir(other / "unpacked")
    assert "what the question reads" in Path("README.md").read_text()
    condition = 6 if made is library else 0  # that it is what a run keeps, which the archive does not have
    epcg("verify", "--certificate", "certificate.json", code=condition)
    epcg("run", "query.toml", "--db", "again.db", "--quiet")
    epcg("verify", "--certificate", "certificate.json", "--db", "again.db", code=condition)


@pytest.mark.parametrize(
    "asked",
    [pytest.param(of_model, marks=needs("statsmodels")), pytest.param(of_game, marks=pytest.mark.slow)],
)
def test_a_file_whose_name_leads_out_of_an_archive_is_told(
    asked: Callable[[Path, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("query.toml").write_text(asked(tmp_path / "files" / "my.file", "../files/my.file"))
    epcg("run", "query.toml", "--quiet")
    said = epcg("bundle", 1).stderr
    assert (
        "The archive has no '../files/my.file', which run 1 is recorded to read: the name leads out" in said
    )
