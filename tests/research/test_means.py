"""A true run is never called false: if the means of checking it lack, it cannot be checked here (exit 5)."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import tempfile
from typing import Any, NoReturn

import pytest
from epcg_research.certificate import certify, check_certificate

from epcg_core.base.errors import WorkerDiedError
from epcg_core.chunks import codec
from epcg_core.store import Store
from epcg_core.verification import remade
from tests.conftest import Alone
from tests.forks.forked import epcg_forked
from tests.toy_queries import LOW_LAYERS
from tests.workplace import SERIAL, Workplace

SOURCE = '''
"""Words of a file: a param names the file, and another one is its digest."""
import hashlib
import os
from pathlib import Path

import attrs

from epcg_core import hookimpl
from epcg_core.base.documents import place_of
from epcg_core.domain import Domain, EvaluatorInfo, GeneratorInfo, Metric
from epcg_core.base.errors import ParamsError
from epcg_core.base.params import param

EPCG_API_VERSION = 1


def content(name):
    try:
        return place_of(name).read_bytes()
    except OSError as error:
        raise ParamsError(f"There is no file of words {name}.") from error


@attrs.frozen
class Params:
    path: str = param(help="a file of words", names_file=True)
    sha256: str = param("", help="its digest")

    def __attrs_post_init__(self):
        if not self.sha256:
            object.__setattr__(self, "sha256", hashlib.sha256(content(self.path)).hexdigest())


class Words:
    domain_attributes = ("words",)

    def __init__(self, params):
        data = content(params.path)
        if hashlib.sha256(data).hexdigest() != params.sha256:
            raise ParamsError(f"The words of {params.path} have changed since.")
        self.words = data.decode().split()
        self.max_rank = len(self.words)

    def unrank(self, rank):
        return self.words[rank]


class Length:
    metrics = (Metric("length", "int", "max", "letters", "how many letters"),)

    def __init__(self, params, generator, inputs):
        pass

    def evaluate(self, word):
        if "EPCG_TEST_HUNGRY" in os.environ:
            raise MemoryError
        return (len(word),)


DOMAIN = Domain(
    "words", "Words", "words of a file",
    generators=[GeneratorInfo(name="file", summary="its words", params=Params, factory=Words)],
    evaluators=[EvaluatorInfo(name="length", summary="letters", metrics=Length.metrics, factory=Length)],
)


@hookimpl
def epcg_register_domains(register):
    register(DOMAIN)
'''
QUERY = """
domain = "words"
generator = { name = "file", path = "texts/words.txt" }
[[evaluators]]
name = "length"
"""


@pytest.fixture
def words(alone: Alone) -> Workplace:
    """A run over the words of a file that its query names relative to the folder."""
    place = Workplace(alone("words", "epcg_words", SOURCE), SERIAL)
    (place.folder / "texts").mkdir()
    (place.folder / "texts/words.txt").write_text("all this is a text of words\n")
    place.run(QUERY)
    return place


def test_where_everything_is_at_hand_the_run_holds(words: Workplace) -> None:
    words.epcg("verify", 1, code=0)


def test_the_file_was_moved(words: Workplace) -> None:
    (words.folder / "texts/words.txt").rename(words.folder / "elsewhere.txt")
    told = words.epcg("verify", 1, code=5)
    assert "There is no file of words texts/words.txt" in told.stderr
    assert "FAILED" not in told.stdout
    words.epcg("certificate", 1, code=5)


def test_the_file_was_edited(words: Workplace) -> None:
    (words.folder / "texts/words.txt").write_text("other words\n")
    assert "have changed since" in words.epcg("verify", 1, code=5).stderr


def test_the_folder_is_another(words: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run records where its file was, so it can be checked from anywhere."""
    ((spec,),) = words.sql("SELECT files FROM run")
    assert str(words.folder / "texts/words.txt") in spec
    other = words.folder / "other"
    (other / "texts").mkdir(parents=True)
    (other / "texts/words.txt").write_text("a file of the same name\n")
    monkeypatch.chdir(other)
    words.epcg("verify", 1, "--db", words.database, code=0)
    words.epcg("certificate", 1, "--db", words.database, code=0)


def test_a_run_is_resumed_from_another_folder(words: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    words.change("UPDATE run SET state = 'running', digest = NULL, finished_at = NULL",
                 "DELETE FROM unit", "DELETE FROM score", "DELETE FROM candidate",
                 "DELETE FROM score_chunk", "DELETE FROM score_histogram",
                 "UPDATE run SET evaluated = 0")  # fmt: skip
    (words.folder / "other").mkdir()
    monkeypatch.chdir(words.folder / "other")
    words.epcg("resume", 1, "--db", words.database, code=0)
    words.epcg("verify", 1, "--db", words.database, code=0)


def test_a_layer_needs_room_for_the_tables_below(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = bench.given(LOW_LAYERS).goal.id

    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/epcg-x")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    told = bench.epcg("verify", goal, code=5)
    assert "No space left on device" in told.stderr


def test_sqlite_has_no_room_for_sorting(words: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    from epcg_core.verification import record

    def full(*_: object) -> NoReturn:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(record.run_digest, "run_digest", full)
    assert "database or disk is full" in words.epcg("verify", 1, code=5).stderr


def test_an_evaluator_runs_out_of_memory(words: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_TEST_HUNGRY", "1")
    assert "ran out of memory" in words.epcg("verify", 1, code=5).stderr


def test_reading_runs_out_of_memory(words: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(*_: object) -> NoReturn:
        raise MemoryError

    monkeypatch.setattr(codec, "_digest", hungry)
    told = words.epcg("verify", 1, code=5)
    assert "There is not enough memory here." in told.stderr


def test_no_worker_can_be_started(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate's inputs are made again, by workers if they are large."""
    goal = bench.given(LOW_LAYERS).goal.id
    with Store.open(bench.database) as store:
        data = certify(store, goal, sample=20)

    def fails(*_: Any, **__: Any) -> NoReturn:
        raise WorkerDiedError("Worker processes ended twice in set-up.")

    monkeypatch.setattr(remade, "execute", fails)
    found = {check.name: check for check in check_certificate(data, None, seed=0)}
    assert found["inputs made again"].verdict == "cannot be checked here"
    assert "Worker processes ended twice" in found["inputs made again"].detail


def test_the_plugin_is_missing(words: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "none")
    assert epcg_forked("verify", 1, folder=words.folder).returncode == 5


@pytest.mark.parametrize("name", ["/nowhere/words.txt", "texts"])
def test_a_recorded_place_that_is_gone_or_is_no_file(words: Workplace, name: str) -> None:
    """The place is a hint: here the file is found all the same, or a sentence says that it is not."""
    files = json.dumps({"texts/words.txt": name})
    words.change(f"UPDATE run SET files = '{files}'")
    words.epcg("verify", 1, code=0 if name.startswith("/") else 5)


def test_a_certificate_of_a_run_that_is_not_there(words: Workplace) -> None:
    """The database lacks the run, or holds it unfinished; the certificate may be true all the same."""
    words.epcg("certificate", 1, "--output", "c.json", code=0)
    other = words.folder / "other.db"
    words.epcg("run", "numbers.toml", "--db", other, code=None)
    Store.open(other, write=True).close()
    told = words.epcg("verify", "--certificate", "c.json", "--db", other, code=5)
    assert "has no such run" in told.stderr
    words.epcg("verify", "--certificate", "c.json", "--db", words.database, code=0)


@pytest.mark.sweep
@pytest.mark.parametrize("file", ["/dev/zero", "/proc/self/mem", "."])
def test_a_certificate_that_cannot_be_read_is_not_false(words: Workplace, file: str) -> None:
    assert words.epcg("verify", "--certificate", file, code=None).exit_code in (2, 5)
