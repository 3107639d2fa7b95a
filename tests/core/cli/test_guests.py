"""Parts of plugins are guests: stdout, the working folder and the environment are the command's."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.base.guests import visit
from tests.forks.forked import epcg_forked

TALKING = """
import os
from epcg_core import hookimpl
from epcg_core.plugin import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, RendererInfo

EPCG_API_VERSION = 1

def misbehave(who):
    print(who, "speaks")
    os.write(1, b"so does C\\n")
    os.chdir("/")
    os.environ["EPCG_DB"] = "/nowhere/else.db"

misbehave("the module")

class Numbers:
    max_rank = 12

    def __init__(self, params):
        misbehave("the generator")

    def unrank(self, rank):
        misbehave("the generator")
        return rank

    def format(self, state):
        misbehave("the generator")
        return str(state)

class Value:
    metrics = (Metric("value"),)

    def evaluate(self, state):
        misbehave("the evaluator")
        return (state,)

def drawn(state):
    misbehave("the renderer")
    return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'

@hookimpl
def epcg_register_domains(register):
    register(DomainInfo(name="talk", title="Talk", summary="it talks"))

@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(name="numbers", domain="talk", summary="numbers", factory=Numbers))

@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(name="value", domain="talk", summary="itself", metrics=Value.metrics,
                           factory=lambda params, generator, tables: Value()))

@hookimpl
def epcg_register_renderers(register):
    register(RendererInfo(domain="talk", format="svg", factory=lambda generator: drawn))
"""
QUERY = """
domain = "talk"
generator = { name = "numbers" }
evaluators = [{ name = "value" }]
select = [{ metric = "value", keep = "top", count = 2 }]
"""


@pytest.fixture
def talking(alone: Callable[[str, str, str], Path]) -> Path:
    folder = alone("talk", "epcg_talk", TALKING)
    (folder / "query.toml").write_text(QUERY)
    return folder


def answer(folder: Path, *arguments: object) -> str:
    """What `epcg ARGUMENTS` writes to stdout, as a process of its own; all that parts say is on stderr."""
    done = epcg_forked(*arguments, "--db", "own.db", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "speaks" not in done.stdout
    assert "so does C" not in done.stdout
    assert "the generator speaks" in done.stderr
    assert "so does C" in done.stderr
    assert (folder / "own.db").exists(), "a relative path is one in the folder of the command"
    return done.stdout


def test_an_answer_can_be_read_whatever_parts_print(talking: Path) -> None:
    found = json.loads(answer(talking, "run", "query.toml", "--json"))
    assert [row["rank"] for row in found["kept"][0]["candidates"]] == [11, 10]


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["serial", "threads", "processes"])
def test_parts_are_guests_of_every_executor(talking: Path, executor: str) -> None:
    more = ["--workers", 2] if executor != "serial" else []
    assert json.loads(answer(talking, "run", "query.toml", "--json", "--executor", executor, *more))
    assert json.loads(answer(talking, "verify", 1, "--json"))
    assert json.loads(answer(talking, "score", "talk:numbers#3", "--json"))
    assert answer(talking, "render", "talk:numbers#3", "--format", "svg").startswith("<svg")


def test_a_visit_leaves_folder_and_environment_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEPT", "before")
    before = dict(os.environ)
    with visit():
        os.chdir("other")
        os.environ |= {"KEPT": "after", "NEW": "1"}
        with visit():
            assert Path.cwd().name == "other"
        assert Path.cwd().name == "other", "a part may work in a folder of its own for a while"
    assert (Path.cwd(), dict(os.environ)) == (tmp_path, before)
