"""Python use: runs, their best, tables and curricula as objects, and how they display themselves."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError, StoreError, UnknownNameError
from epcg_core.execution.notebook_bar import NotebookBar
from tests.workplace import epcg as command

QUERY = """
domain = "fling"
generator = { name = "boards", width = 4, height = 4, pieces = 4 }
evaluators = [{ name = "expert_ratio" }, { name = "solvable" }]
select = [{ metric = "expert_ratio", keep = "top", count = 3 }]
"""
PLAN = """
name = "small"
title = "Small <boards>"
description = ""
[[chapters]]
name = "one"
title = "One & only"
query = "query.toml"
rows = "all"
measure = "expert_tree"
strategy = "evenly"
count = 4
where = ["solvable"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "query.toml").write_text(QUERY)
    (folder / "plan.toml").write_text(PLAN)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> epcg.Run:
    return epcg.answer(folder / "query.toml", db=folder / "epcg.db", executor="serial")


def test_values_are_changed_by_python_values(folder: Path) -> None:
    """Strings stay strings, whatever they look like; numpy's numbers, tuples and paths are accepted."""
    values = {
        "title": "12",
        "generator.pieces": np.int64(2),
        "evaluators": ({"name": "solvable"},),
        "select": (),
    }
    run = epcg.answer(folder / "query.toml", values, db=folder / "values.db", executor="serial")
    assert run.record.max_rank == 120
    assert run.database.sql("SELECT title FROM query").column("title").tolist() == ["12"]
    with pytest.raises(EpcgError, match=r'generator\.pieces: "3" is not an integer'):
        epcg.answer(folder / "query.toml", {"generator.pieces": "3"}, db=folder / "values.db")


def test_a_query_is_answered_and_its_values_are_arrays_by_rank(run: epcg.Run) -> None:
    ranks, solvable = run.values("solvable")
    assert run.record.done
    assert ranks.tolist() == list(range(1820))
    assert solvable.dtype == np.bool_
    assert solvable.sum() == 173  # exactly, by retrograde analysis


def test_values_of_the_query_can_be_changed(folder: Path) -> None:
    small = epcg.answer(
        folder / "query.toml", {"generator.pieces": 3, "name": "'three'"}, db=folder / "epcg.db"
    )
    assert small.record.candidates == 560


def test_the_best_are_those_of_the_whole_run_and_are_drawn(run: epcg.Run) -> None:
    best = run.best("expert_ratio", 5)
    values = np.sort(run.values("expert_ratio")[1])[::-1][:5]
    assert [puzzle.values["expert_ratio"] for puzzle in best] == values.tolist()
    assert ElementTree.fromstring(best[0].svg).tag.endswith("svg")
    assert best._repr_html_().count("<svg") == 5
    lowest = run.best("expert_tree", 2, lowest=False)
    assert lowest[0].values["expert_tree"] == run.values("expert_tree")[1].max()


def test_a_puzzle_rebuilds_its_state_and_knows_its_values(run: epcg.Run) -> None:
    puzzle = run.puzzle(0)
    assert puzzle.id == "fling:boards?height=4&pieces=4&width=4#0"
    assert puzzle.state == 0b1111
    assert set(puzzle.values) == {metric.name for metric in run.metrics}
    assert "oooo" in str(puzzle)


def test_distinct_keeps_one_of_each_symmetry_class(run: epcg.Run) -> None:
    everything, distinct = run.best("expert_ratio", 40), run.best("expert_ratio", 40, distinct=True)
    assert len({puzzle.values["expert_ratio"] for puzzle in everything}) < len(
        {puzzle.values["expert_ratio"] for puzzle in distinct}
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_has_a_row_for_each_candidate(run: epcg.Run, library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    found = run.frame(library)  # type: ignore[arg-type]
    assert found.shape == (1820, 1 + len(run.metrics))
    assert list(found["rank"]) == list(range(1820))
    assert int(found["solvable"].sum()) == 173


def test_a_run_says_what_it_covers(run: epcg.Run) -> None:
    html = run._repr_html_()
    assert "exhaustive: 1,820 of 1,820 evaluated" in html
    assert "expert_tree" in html
    ElementTree.fromstring(f"<body>{html}</body>")
    assert run.verify(sample=20).passed


def test_a_database_answers_sql_with_tables(run: epcg.Run) -> None:
    table = run.database.sql("SELECT metric, valued FROM metrics WHERE run_id = 1 AND metric = 'solvable'")
    assert table.columns == ("metric", "valued")
    assert list(table) == [("solvable", 1820)]
    assert table.column("valued").tolist() == [1820]
    assert "<td>solvable</td>" in table._repr_html_()
    assert run.database.run(1).record.space == run.record.space
    assert [each.number for each in run.database.runs][:1] == [1]
    assert "fling:boards" in run.database._repr_html_()


def test_sql_that_writes_is_refused(run: epcg.Run) -> None:
    with pytest.raises(StoreError, match="refused"):
        run.database.sql("DELETE FROM score")


def test_a_curriculum_displays_its_chapters_and_exports(folder: Path, run: epcg.Run) -> None:
    curriculum = epcg.build_curriculum(folder / "plan.toml", db=folder / "epcg.db")
    assert len(curriculum.puzzles) == 4
    html = curriculum._repr_html_()
    assert "One &amp; only" in html
    assert "Small &lt;boards&gt;" in html
    assert html.count("<svg") == 4
    rows = list(csv.DictReader(io.StringIO(curriculum.export("csv").decode())))
    assert [row["puzzle"] for row in rows] == [puzzle.id for puzzle in curriculum.puzzles]
    assert epcg.open(folder / "epcg.db").curriculum("small").puzzles == curriculum.puzzles


def test_a_curriculum_is_exported_as_a_site_like_the_command_does(
    folder: Path, run: epcg.Run, capfd: pytest.CaptureFixture[str]
) -> None:
    curriculum = epcg.build_curriculum(folder / "plan.toml", db=folder / "epcg.db")
    capfd.readouterr()
    first = curriculum.export("site", folder / "play")
    assert first == folder / "play" / "index.html"
    *_, last = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert (last["done"], last["total"], last["unit"]) == (4, 4, "puzzles")
    places = "--db", folder / "epcg.db", "--output", folder / "other", "--json"
    told = command("curriculum", "export", "small", "--format", "site", *places)
    about = json.loads(told.stdout)
    assert (about["puzzles"], about["played"], about["output"]) == (4, 4, str(folder / "other"))
    assert '"unit": "puzzles"' in told.stderr
    own, other = (
        {p.relative_to(f): p.read_bytes() for p in f.rglob("*.*")} for f in (first.parent, folder / "other")
    )
    assert own == other
    assert about["bytes"] == sum(len(data) for name, data in own.items() if name.parts[0] == "puzzles")
    with pytest.raises(EpcgError, match="There is something in the folder"):
        curriculum.export("site", folder / "play", quiet=True)
    with pytest.raises(EpcgError, match="name it"):
        curriculum.export("site")  # type: ignore[call-overload]
    with pytest.raises(UnknownNameError, match="unknown format 'doc'"):
        curriculum.export("doc")  # type: ignore[call-overload]
    with pytest.raises(EpcgError, match="gives bytes"):
        curriculum.export("json", folder / "x.json")  # type: ignore[call-overload]


def test_unknown_things_are_named(folder: Path, run: epcg.Run) -> None:
    with pytest.raises(UnknownNameError, match="expert_tree"):
        run.values("expert_tre")
    with pytest.raises(StoreError):
        epcg.open(folder / "nothing.db")
    with pytest.raises(EpcgError):
        run.database.curriculum("large")
    with pytest.raises(AttributeError):
        epcg.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_core_imports_no_numba() -> None:
    code = "import sys, epcg_core; print('numba' in sys.modules, 'epcg_core.api' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]


# --- what only a notebook shows ----------------------------------------------------------------------------


class Shown:
    """What a stand-in for IPython was asked to display, replaced as the handle is updated."""

    def __init__(self) -> None:
        self.every: list[str] = []

    def display(self, html: str, display_id: bool) -> Shown:
        assert display_id
        self.every.append(html)
        return self

    def update(self, html: str) -> None:
        self.every.append(html)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Shown:
    shown = Shown()
    shell = ModuleType("IPython")
    shell.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display = ModuleType("IPython.display")
    display.display, display.HTML = shown.display, str  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_progress_is_an_element_of_the_notebook(kernel: Shown, folder: Path) -> None:
    epcg.answer(folder / "query.toml", {"generator.pieces": 3}, db=folder / "shown.db", executor="serial")
    assert kernel.every
    assert all("<progress" in html for html in kernel.every)
    assert "100 %" in kernel.every[-1]
    before = len(kernel.every)
    epcg.answer(folder / "query.toml", {"generator.pieces": 2}, db=folder / "shown.db", quiet=True)
    assert len(kernel.every) == before


def test_progress_is_drawn_a_few_times_a_second(kernel: Shown) -> None:
    seconds = iter([i / 100 for i in range(1000)])
    bar = NotebookBar("a <title>", 0.0, lambda: "some & more", lambda: next(seconds))
    bar.start()
    for i in range(100):
        bar.show(i / 100)
    bar.stop()
    assert 3 <= len(kernel.every) <= 10
    assert "a &lt;title&gt;" in kernel.every[-1]
    assert "some &amp; more" in kernel.every[-1]
    assert 'value="0.9900"' in kernel.every[-1]


def test_puzzles_in_tables_are_pictures(run: epcg.Run) -> None:
    kept = f"SELECT puzzle, 'a:b#c' AS other, 'none:here#5' AS lost FROM kept WHERE run_id = {run.number}"
    html = run.database.sql(kept)._repr_html_()
    assert html.count("<svg") == 3
    assert "<td>a:b#c</td>" in html
    assert "<td>none:here#5</td>" in html
    many = epcg.Table(("puzzle",), ((run.best("expert_ratio", 1)[0].id,),) * 30)
    assert many._repr_html_().count("<svg") == 20


def test_a_verification_shows_its_verdict(run: epcg.Run) -> None:
    html = run.verify(sample=5)._repr_html_()
    ElementTree.fromstring(f"<div>{html}</div>")
    assert f"Run {run.number}: holds." in html
    assert html.count("✓") == len(run.verify(sample=5).checks)


def test_distributions_are_plotted(run: epcg.Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = run.plot("expert_ratio", "full_tree")
    root = ElementTree.fromstring(plot._repr_svg_())
    assert root.tag.endswith("svg")
    assert plot.svg.count("expert_ratio") > 0
    plot.save(tmp_path / "plot.svg")
    assert (
        (tmp_path / "plot.svg").read_text(encoding="utf-8")
        == plot.svg
        == run.plot("expert_ratio", "full_tree").svg
    )
    with pytest.raises(UnknownNameError, match="none"):
        run.plot("none")


def test_a_puzzles_text_has_a_rank_in_sql(run: epcg.Run) -> None:
    own, any_run = run.database.sql(
        f"SELECT epcg_rank({run.number}, epcg_text(epcg_puzzle({run.number}, 1234))), "
        f"epcg_rank(epcg_text(epcg_puzzle({run.number}, 77)))"
    ).rows[0]
    assert (own, any_run) == (1234, 77)
    with pytest.raises(StoreError, match=f"This is not a puzzle of run {run.number}"):
        run.database.sql(f"SELECT epcg_rank({run.number}, 'hello')")
    with pytest.raises(StoreError, match="no recorded run has this puzzle"):
        run.database.sql("SELECT epcg_rank('query.toml')")
