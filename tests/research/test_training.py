"""Training counts nowhere: whatever people did in it, all that is said of a study stays the same."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from epcg_research.studies.answers import Choice
from epcg_research.studies.reading import named, of_traces, traces

import epcg_core as epcg
from epcg_core.store import Store
from epcg_core.store.traces import Trace, append_traces
from tests.research.pages import SPACE, Page, record
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

TRIED = 99
"""The puzzle of training, which is the hardest by its digits."""
COMMANDS = [
    ("correlate",),
    ("correlate", "--study", "planted", "--people", "ranks", "--response", "seconds"),
    ("compare", "digits", "root", "--study", "planted", "--response", "seconds"),
    ("pairs", "--study", "planted", "--response", "seconds"),
    ("conditions", "--study", "planted", "--response", "seconds"),
    ("conditions", "--study", "planted", "--by", "label"),
    ("choices",),
    ("learning", "--study", "planted"),
    ("engagement", "--study", "planted"),
    ("conditions", "--by", "label", "--only-solved"),
]


def planted(place: Numbers, seconds: float | None) -> None:
    """Six people with six puzzles after a training that took so long, or without what they did in it."""
    random, people, choices = np.random.default_rng(5), {}, []
    for number in range(6):
        who = f"p{number}"
        tried = None if seconds is None else {"seconds": seconds, "moves": seconds, "hard": 99.0}
        pages = [Page(TRIED, "", "1", "", tried, finished=False)]
        for rank in random.permutation([3, 15, 27, 48, 59, 66]).tolist():
            took = float(rank % 10 + rank // 10 + random.integers(0, 9))
            values = {"seconds": took, "moves": took, "hard": float(rank % 10)}
            pages.append(Page(rank, "a", "plain" if rank < 30 else "spiked", "", values))
        people[who] = pages
        puzzles = [(SPACE, page.rank) for page in pages]
        choices.append(Choice(who, "harder", "a", puzzles[1], "plain", puzzles[2], "spiked", number < 3))
        if seconds is not None:
            choices.append(Choice(who, "harder", "", puzzles[0], "plain", puzzles[3], "spiked", True))
    record(place, people, lambda who: "gh"[int(who[1]) % 2], choices)


def without_counts(told: Any) -> Any:
    if isinstance(told, dict):
        return {key: without_counts(each) for key, each in told.items() if key != "set_aside"}
    return list(map(without_counts, told)) if isinstance(told, list) else told


@pytest.fixture
def places(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "root", size=100))
    return toy


@pytest.mark.sweep
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command))
def test_no_command_counts_training(
    places: Numbers, cli: Callable[..., Result], command: tuple[str, ...]
) -> None:
    """Training that takes eleven days, is given up, and is called 99 hard, is as if it had not been."""
    empty = places.database.read_bytes()
    told = {}
    for seconds in (None, 1e6):
        places.database.write_bytes(empty)
        planted(places, seconds)
        told[seconds] = json.loads(cli("study", *command, "--format", "json").stdout)
    assert without_counts(told[1e6]) == without_counts(told[None])
    first = told[1e6] if isinstance(told[1e6], dict) else told[1e6][0]
    assert first["set_aside"]["training"] == 6
    said = cli("study", *command)
    what = "choices" if command[0] == "choices" else "answers"
    assert f"Training is left out: 6 {what} are about puzzles" in " ".join(said.stderr.split())


def test_lists_python_and_figures_leave_training_out(places: Numbers, cli: Callable[..., Result]) -> None:
    planted(places, 1e6)
    listed = cli("study", "responses", "--format", "json").stdout
    assert {each["answers"] for each in json.loads(listed) if each["study"] == "planted"} <= {0, 36}
    assert "Training is left out: 6 answers" in " ".join(cli("study", "responses").stderr.split())
    study = epcg.open(places.database).study("planted")
    assert all(answer.puzzle[1] != TRIED for answer in study.answers.answers)
    assert any("Training is left out" in note for note in study.correlate("seconds").notes)
    assert [each.name for each in study.answers.responses][-1] == "hard", "only training was given up"
    everyone = places.read(traces)
    assert (len(everyone.counted), {trace.rank for trace in everyone.training}) == (36, {TRIED})
    own = places.read(lambda reader: traces(reader, "planted"))
    assert (own.counted, own.training) == (everyone.counted, everyone.training)
    assert sorted(own.people.values()) == [f"p{number}" for number in range(6)]


def test_what_people_of_a_study_did_is_one_study(places: Numbers, cli: Callable[..., Result]) -> None:
    """Their traces count with the study, and those of other players apart from it."""
    planted(places, 1e6)
    assert {row["study"] for row in json.loads(cli("study", "responses", "--format", "json").stdout)} == {
        "planted"
    }
    assert places.read(named).study == "planted"
    alone = places.read(of_traces)
    assert (alone.answers, alone.set_aside.of_studies) == ((), 42)
    refused = " ".join(cli("study", "traces", code=1).stderr.split())
    assert "42 traces are of people of a study; name it with --study" in refused
    other = Trace("f" * 16, f"{SPACE}#3", SPACE, 3, "play", 2.0, 1, 0, 0, 0, False, True, None)
    with Store.open(places.database, write=True) as store, store.transaction() as connection:
        append_traces(connection, [other])
    assert "several data sets, traces, planted" in cli("study", "correlate", code=1).stderr
    assert json.loads(cli("study", "traces", "--format", "json").stdout)["answers"] == 1


def test_models_of_players_are_not_fitted_to_training(places: Numbers) -> None:
    """Decisions come from the same traces; if all are of training, that is said."""
    from epcg_research.players.decisions import from_traces

    from epcg_core.base.errors import StoreError

    planted(places, 1e6)
    with pytest.raises(StoreError, match=r"no traces of play.*Training is left out: 6 traces"):
        places.read(lambda reader: from_traces(reader, None, [f"{SPACE}#{TRIED}"]))


def test_a_table_says_which_answers_are_training(places: Numbers, cli: Callable[..., Result]) -> None:
    rows = [f"p{who},{rank},{rank + who},{int(rank == 50)}" for who in range(4) for rank in range(0, 60, 10)]
    rows = [row.replace(",50,", ",50,9999") for row in rows]
    (places.folder / "tried.csv").write_text("\n".join(["who,rank,s,first", *rows]) + "\n")
    cli("import", "responses", "tried.csv", "--space", "1", "--puzzle", "rank", "--person", "who", "--time",
        "seconds=s[s]", "--training", "first")  # fmt: skip
    answers = places.read(named)
    assert (len(answers.answers), answers.set_aside.training) == (20, 4)
    found = json.loads(cli("study", "correlate", "--metric", "digits", "--format", "json").stdout)
    assert (found["puzzles"], found["set_aside"]["training"]) == (5, 4)
    assert found["found"][0]["estimate"]["value"] == pytest.approx(1.0)
    (places.folder / "odd.csv").write_text("who,rank,s,first\na,1,2,7\n")
    refused = cli("import", "responses", "odd.csv", "--space", "1", "--puzzle", "rank", "--person", "who",
                  "--time", "seconds=s[s]", "--training", "first", code=1)  # fmt: skip
    assert "7 is neither 1 (training) nor 0" in " ".join(refused.stderr.split())


@pytest.mark.slow
def test_an_archive_has_no_training(places: Numbers, cli: Callable[..., Result]) -> None:
    pytest.importorskip("matplotlib")
    planted(places, 1e6)
    cli("bundle", "planted", "--output", "planted.zip")
    with zipfile.ZipFile(places.folder / "planted.zip") as file:
        rows, page = file.read("responses.csv").decode(), file.read("README.md").decode()
        numbers = json.loads(file.read("findings.json"))
    assert f"{SPACE}#{TRIED}" not in rows
    assert "Training is left out: 6 answers" in page
    assert numbers["set_aside"]["training"] == 6
    assert "ok  findings" in cli("verify", "planted.zip").stdout
