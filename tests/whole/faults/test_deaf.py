"""Compiled code that does not return: it hears no signal, yet every command ends, and time limits hold."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from epcg_research.certificate.issue import certify

from epcg_core.base.errors import QueryError, StoreError
from epcg_core.runs.coordinator import Options
from epcg_core.runs.dry_run import estimate
from epcg_core.store import Store
from tests.forks.forked import Coordinator, Coordinators
from tests.processes import wait_until
from tests.whole.faults.place import Faults, only_sentences
from tests.workplace import ask_sql, epcg, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks processes")

SIZE, UNIT, BAD = 200, 16, 150
ROWS = '[record]\nrows = "all"'
EXECUTORS = [None, "processes", "threads", "serial"]


def how(executor: str | None) -> tuple[object, ...]:
    return ("--quiet",) if executor is None else ("--quiet", "--executor", executor)


def deaf(coordinators: Coordinators, place: Faults, *arguments: object) -> Coordinator:
    """Start a command, and wait until it is in compiled code that does not return."""
    told = place.folder.parent / "told"
    started = coordinators.start(*arguments, EPCG_TEST_STUCK=BAD, EPCG_TEST_UNIT=UNIT, EPCG_TEST_TOLD=told)
    wait_until(lambda: told.exists() or not started.alive, "the candidate that never ends")
    return started


ENDS = [(executor, number) for executor in EXECUTORS for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.mark.parametrize(
    ("executor", "number"),
    [
        pytest.param(
            *end,
            marks=[] if end == (None, signal.SIGINT) else [pytest.mark.slow],
        )
        for end in ENDS
    ],
)
def test_a_signal_ends_a_run(
    place: Faults, coordinators: Coordinators, executor: str | None, number: int, interruptible: None
) -> None:
    """It says how to go on, and the run goes on to the same end."""
    query = place.file("deaf", size=SIZE, more=ROWS)
    started = deaf(coordinators, place, "run", query, *how(executor))
    os.kill(started.pid, number)
    said = started.ended()
    assert said.exit_code == 3, said.stderr
    assert "epcg resume 1 --db epcg.db" in said.stderr
    assert only_sentences(said.stderr), said.stderr
    again = coordinators.run("resume", "--quiet")
    assert again.exit_code == 0, again.stderr
    whole = place.folder.parent / "whole.db"
    place.run(place.query("deaf", size=SIZE, more=ROWS), database=whole)
    assert recorded(place.database) == recorded(whole)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "QUERY", "--dry-run"),
        pytest.param(("run", "QUERY", "--range", "--quiet"), marks=pytest.mark.slow),
        pytest.param(("score", f"faults:cells?size={SIZE}#{BAD}"), marks=pytest.mark.slow),
        pytest.param(("verify", 1, "--sample", SIZE), marks=pytest.mark.slow),
    ],
    ids=["dry run", "first probe", "score", "verify"],
)
def test_a_signal_ends_other_commands(
    place: Faults, coordinators: Coordinators, arguments: tuple[object, ...], interruptible: None
) -> None:
    place.run(place.query("deaf", size=SIZE, more=ROWS))
    before = recorded(place.database)
    # its middle, which is tried first, is the candidate that never ends
    query = place.file("deaf", size=2 * BAD)
    words = [query if word == "QUERY" else word for word in arguments if word != "--range"]
    started = deaf(coordinators, place, *words)
    os.kill(started.pid, signal.SIGINT)
    said = started.ended()
    assert said.exit_code == 130, said.stderr
    assert "Interrupted." in said.stderr
    assert only_sentences(said.stderr), said.stderr
    assert recorded(place.database) == before


# --- time limits of EPCG


def test_a_dry_run_gives_a_unit_up(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.runs.trials.PATIENCE_SECONDS", 0.3)
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    (found,) = estimate(place.query("deaf", size=2 * BAD), None)
    assert "a unit was given up after 0.3 s" in found.unknown


@pytest.mark.slow
@pytest.mark.usefixtures("soon_divided")
def test_probes_before_a_run_are_given_up(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the run begins, with units as small as possible."""
    monkeypatch.setattr("epcg_core.runs.units.PATIENCE_SECONDS", 0.1)
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    run = place.run(place.query("deaf", size=2 * BAD, more=limited()), options=Options(quiet=True)).goal
    assert run.evaluated == 2 * BAD


def test_the_first_unit_is_not_compared_for_ever(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.runs.here.CHECK_SECONDS", 0.1)
    monkeypatch.setattr("epcg_core.runs.winners.LEAST", 0.1)
    assert place.run(place.query("deaf_plain", size=SIZE, more=ROWS)).goal.done


def test_verify_gives_plain_code_up(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.runs.here.CHECK_SECONDS", 0.1)
    monkeypatch.setattr("epcg_core.runs.winners.LEAST", 0.1)
    place.run(place.query("deaf_plain", size=SIZE, more=ROWS))
    monkeypatch.setattr("epcg_core.verification.verify.PLAIN_SECONDS", 0.6)
    monkeypatch.setattr("epcg_core.runs.recompute.GRACE_SECONDS", -0.5)
    (check,) = (check for check in place.checks() if check.name == "sample")
    assert check.passed
    assert "plain code would have taken too long" in check.detail


def test_a_part_that_ends_its_process_is_named(place: Faults, coordinators: Coordinators) -> None:
    """Also in a run that is not worth worker processes, which ended without a word."""
    query = place.file("leaver", size=SIZE, more=ROWS)
    said = coordinators.run("run", query, "--quiet", EPCG_TEST_STUCK=BAD, EPCG_TEST_UNIT=UNIT)
    assert said.exit_code == 3
    assert f"ranks {BAD // UNIT * UNIT} to {BAD // UNIT * UNIT + UNIT - 1} ended twice" in said.stderr


# --- the time limit of a candidate


SHORT, USUAL = 0.1, 0.4


def limited(seconds: float = SHORT) -> str:
    return f"{ROWS}\ncandidate_timeout = {seconds}"


@pytest.fixture
def soon_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks that are computed together are divided after a tenth of a second, not after a whole one."""
    monkeypatch.setattr("epcg_core.runs.limited.TOGETHER_SECONDS", (0.1, 2.0))


@pytest.mark.parametrize(
    ("executor", "seconds"),
    [(None, SHORT), *(pytest.param(executor, USUAL, marks=pytest.mark.slow) for executor in EXECUTORS)],
)
def test_a_candidate_that_takes_too_long_is_recorded_and_the_run_goes_on(
    place: Faults,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    executor: str | None,
    seconds: float,
) -> None:
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    if seconds == SHORT:
        request.getfixturevalue("soon_divided")
    query = place.file("deaf", size=SIZE, more=ROWS)
    said = epcg("run", query, *how(executor), "--candidate-timeout", seconds)
    reason = f"it took longer than {seconds} s, the time limit of a candidate"
    assert reason in said.stdout
    statuses = place.sql("SELECT rank, status, note FROM candidate WHERE note IS NOT NULL")
    assert statuses == [(BAD, "limit", reason)]
    values = place.sql("SELECT rank, value FROM score ORDER BY rank")
    assert values == [(rank, None if rank == BAD else rank % 10) for rank in range(SIZE)]
    first = place.sql("SELECT digest FROM run")
    asked = place.query("deaf", size=SIZE, more=limited(seconds))
    place.run(asked, database=place.folder / "other.db", unit_size=8)
    assert ask_sql(place.folder / "other.db", "SELECT digest FROM run") == first


@pytest.mark.slow
@pytest.mark.usefixtures("soon_divided")
def test_verify_does_not_accuse_a_run_of_what_took_too_long(
    place: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    place.given(place.query("deaf", size=SIZE, more=limited()))
    said = epcg("verify", 1, "--sample", SIZE)
    assert f"Of {SIZE} ranks drawn" in said.stdout
    assert "1 are not checked: limit by time (0.1 s); the others" in said.stdout
    assert "given up after a time: 1" in said.stdout
    reasons = place.epcg("sql", "SELECT reason FROM statuses", "--format", "csv").stdout
    assert "it took longer than 0.1 s, the time limit of a candidate" in reasons
    with Store.open(place.database) as store, pytest.raises(StoreError, match="time limit of a candidate"):
        certify(store, 1)
    monkeypatch.delenv("EPCG_TEST_STUCK")
    assert "takes less than 0.005 s here" in epcg("verify", 1, "--sample", SIZE, code=5).stderr


@pytest.mark.usefixtures("soon_divided")
def test_a_reason_that_was_not_given_is_found(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    place.given(place.query("deaf", size=SIZE, more=limited()))
    place.change("UPDATE candidate SET note = 'it took longer than 9 s, the time limit of a candidate'")
    assert "candidates" in place.failed()


@pytest.mark.slow
@pytest.mark.usefixtures("soon_divided")
def test_a_run_with_another_time_limit_is_another_run(place: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that a longer time would have found is not answered by a shorter one."""
    monkeypatch.setenv("EPCG_TEST_STUCK", str(BAD))
    place.run(place.query("deaf", size=SIZE, more=limited(SHORT)))
    monkeypatch.delenv("EPCG_TEST_STUCK")
    for more in (limited(USUAL), ROWS):
        run = place.run(place.query("deaf", size=SIZE, more=more)).goal
        assert place.sql(f"SELECT count(*) FROM score WHERE run_id = {run.id} AND value IS NULL") == [(0,)]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "true", "'1'"])
def test_a_time_limit_is_a_positive_number(place: Faults, seconds: str) -> None:
    query = place.file("mixed", size=SIZE)
    said = epcg("run", query, "--set", f"record.candidate_timeout={seconds}", code=1)
    assert "candidate_timeout" in said.stderr


def test_counts_go_with_no_time_limit(place: Faults) -> None:
    more = '[record]\nvalues = "counts"\ncandidate_timeout = 1'
    with pytest.raises(QueryError, match="cannot be computed again"):
        place.run(place.query("moody", size=SIZE, more=more))
