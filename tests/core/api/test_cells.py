"""Parts of cells: an edited cell is computed again, an equal one is answered from the record."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks.forked import python_forked

CELL = '''
import functools, math, threading
import epcg_core as epcg
import filed
from epcg_core.domain import *

FACTOR = 2
TABLE = {"step": [1, 2]}

class Scale:
    def __init__(self, by):
        self.by = by

SCALE = Scale(3)

def helper(state, plus=1):
    """Add."""
    return math.floor(state) + plus

def shifted(by):
    return lambda state: state + by

shift = shifted(4)
made = filed.shifted(5)

class Base:
    def base(self, state):
        return state * 10

class Numbers:
    max_rank = 8
    def __init__(self, params): pass
    def unrank(self, rank): return rank + 100

class Value(Base):
    metrics = (Metric("value", "int"),)
    LIMIT = 9
    def __init__(self, params, generator, tables): pass
    def evaluate(self, state):
        found = FACTOR + TABLE["step"][1] + SCALE.by + helper(state) + shift(state) + made(state)
        return (found + self.base(state) + self.LIMIT + sum(x for x in (state, 6)) + self.own(),)
    def own(self):
        return 7

def register(factory=Value):
    epcg.register(Domain("cells", "Cells", "of a notebook",
        generators=[GeneratorInfo(name="all", summary="", factory=Numbers)],
        evaluators=[EvaluatorInfo(name="value", summary="", metrics=Value.metrics, factory=factory)]))

register()
'''
FILED = "def shifted(by):\n    return lambda state: state + by\n"
QUERY = 'domain = "cells"\n[generator]\nname = "all"\n[[evaluators]]\nname = "value"\n'
NOTEBOOK = """
import json, sys
cells = json.loads(sys.argv[1])
names = {"__name__": "__main__"}
found = []
for number, cell in enumerate(cells):
    exec(compile(cell, f"<cell {number}>", "exec"), names)
    again = len(sys.argv) > 2
    run = names["epcg"].answer("cells.toml", db="cells.db", executor="serial", again=again)
    found.append([run.record.id, int(run.values("value")[1][0])])
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cells.toml").write_text(QUERY)
    (tmp_path / "filed.py").write_text(FILED)
    return tmp_path


def runs_of(folder: Path, *cells: str) -> list[tuple[int, int]]:
    """(run, value of the first candidate) after each of these cells, run in one notebook."""
    done = python_forked(
        NOTEBOOK,
        json.dumps(cells),
        folder=folder,
        EPCG_PLUGINS="",
        PYTHONPATH=str(folder),
        EPCG_REGISTERED="",
    )
    assert done.returncode == 0, done.stderr
    return [(run, value) for run, value in json.loads(done.stdout)]


EDITS = {
    "a method": ("return 7", "return 8"),
    "an inner function": ("(state, 6)", "(state, 7)"),
    "a function that it calls": ("+ plus", "+ plus + 1"),
    "a default": ("plus=1", "plus=2"),
    "a closure": ("shifted(4)", "shifted(5)"),
    "a closure of a function that has a file": ("filed.shifted(5)", "filed.shifted(6)"),
    "a global": ("FACTOR = 2", "FACTOR = 3"),
    "a table": ("[1, 2]", "[1, 3]"),
    "an object": ("Scale(3)", "Scale(4)"),
    "a class attribute": ("LIMIT = 9", "LIMIT = 10"),
    "a base class": ("state * 10", "state * 10 + 1"),
    "a partial": (
        "register()\n",
        "Value.__init__ = lambda self, by, *_: setattr(self, 'LIMIT', by)\n"
        "register(functools.partial(Value, 10))\n",
    ),
    "a name of another function": ("math.floor(", "1 + math.floor("),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=EDITS)
def test_an_edited_cell_gives_the_new_values(folder: Path, old: str, new: str) -> None:
    assert CELL.count(old) == 1
    (first, value), second, third = runs_of(folder, CELL, CELL.replace(old, new), CELL)
    assert second == (first + 1, value + 1)
    assert third == (first, value), "the cell as it was is answered by the run that it was computed in"


def test_a_generator_is_part_of_it(folder: Path) -> None:
    (_, value), (_, other) = runs_of(folder, CELL, CELL.replace("rank + 100", "rank + 101"))
    assert other > value


def test_comments_docstrings_and_places_change_nothing(folder: Path) -> None:
    other = "\n\n# another cell\n" + CELL.replace('"""Add."""', '"""Add one, or more."""')
    first, second = runs_of(folder, CELL, other)
    assert first == second


def test_another_session_is_answered_by_the_same_run(folder: Path) -> None:
    assert runs_of(folder, CELL) == runs_of(folder, CELL)


def test_what_has_no_digest_is_computed_each_time(folder: Path) -> None:
    locked = CELL.replace("return 7", "return 7 if LOCK else 0").replace(
        "FACTOR = 2", "FACTOR = 2; LOCK = threading.Lock()"
    )
    (first, value), second = runs_of(folder, locked, locked)
    assert second == (first + 1, value)


DECORATED = """
import contextlib, functools
import numpy as np

class Plus(contextlib.ContextDecorator):
    def __enter__(self): return self
    def __exit__(self, *error): return False

@contextlib.contextmanager
def within():
    yield 1

@np.errstate(all="ignore")
def quiet(state):
    return state + 1

@Plus()
def plus(state):
    return state + 1

@functools.singledispatch
def single(state):
    return state + 1

def helper(state, plus=1):
    with within() as more:
        return math.floor(state) + plus + more
"""
INNER = {
    "a context manager": ("yield 1", "yield 2", "within"),
    "a decorator of numpy": (
        "quiet(state):\n    return state + 1",
        "quiet(state):\n    return state + 2",
        "quiet",
    ),
    "a context decorator": (
        "plus(state):\n    return state + 1",
        "plus(state):\n    return state + 2",
        "plus",
    ),
    "a dispatched function": (
        "single(state):\n    return state + 1",
        "single(state):\n    return state + 2",
        "single",
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize(("old", "new", "name"), INNER.values(), ids=INNER)
def test_what_a_library_wraps_is_followed(folder: Path, old: str, new: str, name: str) -> None:
    call = f"{'helper' if name == 'within' else name}(5)"
    cell = CELL.replace("class Base:", DECORATED + "\nclass Base:").replace("return 7", f"return {call}")
    assert cell.count(old) == 1
    (first, value), second = runs_of(folder, cell, cell.replace(old, new))
    assert second[0] == first + 1
    assert second[1] > value


@pytest.mark.sweep
@pytest.mark.parametrize(
    "value", ["np.random.default_rng(1)", "np.frompyfunc(abs, 1, 1)", "threading.Lock()", "slice(1, 2)"]
)
def test_whatever_a_cell_holds_is_no_mistake(folder: Path, value: str) -> None:
    cell = CELL.replace("FACTOR = 2", f"import numpy as np\nFACTOR = 2; THING = {value}")
    cell = cell.replace("return 7", "return 7 if THING is not None else 0")
    assert runs_of(folder, cell)[0][1] > 0


@pytest.mark.sweep
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_code_without_a_digest_runs_in_each_executor(folder: Path, executor: str) -> None:
    locked = CELL.replace("return 7", "return 7 if LOCK else 0").replace(
        "FACTOR = 2", "FACTOR = 2; LOCK = threading.Lock()"
    )
    notebook = NOTEBOOK.replace('executor="serial"', f"executor={executor!r}")
    environment = {"EPCG_PLUGINS": "", "PYTHONPATH": str(folder), "EPCG_REGISTERED": ""}
    done = python_forked(notebook, json.dumps([locked, locked]), folder=folder, **environment)
    assert [run for run, _ in json.loads(done.stdout)] == [1, 2], done.stderr


def test_an_edited_file_that_a_cell_uses_is_a_decision_of_the_user(folder: Path) -> None:
    ((_, value),) = runs_of(folder, CELL)
    (folder / "filed.py").write_text(FILED.replace("state + by", "state + by + 1"))
    environment = {"EPCG_PLUGINS": "", "PYTHONPATH": str(folder), "EPCG_REGISTERED": ""}
    refused = python_forked(NOTEBOOK, json.dumps([CELL]), folder=folder, **environment)
    assert "other sources (filed.py differs)" in refused.stderr
    asked = python_forked(NOTEBOOK, json.dumps([CELL]), "again", folder=folder, **environment)
    assert json.loads(asked.stdout) == [[2, value + 1]], asked.stderr


@pytest.mark.slow
def test_standard_input_is_a_notebook_of_one_cell(folder: Path) -> None:
    found = []
    for text in (CELL, CELL.replace("return 7", "return 8")):
        text += 'print(epcg.answer("cells.toml", db="cells.db", executor="serial").values("value")[1][0])\n'
        done = subprocess.run(
            [sys.executable, "-"], input=text, cwd=folder, capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(int(done.stdout))
    assert found[1] == found[0] + 1
