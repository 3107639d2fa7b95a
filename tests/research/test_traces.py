"""Traces of play: files that pages save, what is wrong with hostile ones, and what they say of measures."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from epcg_research.exchange.traces import import_traces, read
from epcg_research.studies.analysis import Correlated, Finding, correlate
from epcg_research.studies.answers import OF_TRACES, Answer, Answers
from epcg_research.studies.measures import Measure, measures
from epcg_research.studies.reading import of_traces

from epcg_core.base.errors import StoreError, UnknownNameError
from epcg_core.store import Reader, Store
from epcg_core.store.traces import Trace, newest_traces
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

RESPONSES = ("seconds", "moves", "undos", "restarts", "hints", "rating")
SPACE = "numbers:range?size=100"


def puzzle(rank: int = 7, **parts: Any) -> dict[str, Any]:
    return {
        "puzzle": f"{SPACE}#{rank}", "seconds": 12.5, "moves": 9, "undos": 1, "restarts": 0, "hints": 2,
        "solution": False, "finished": True, "rating": 4,
    } | parts  # fmt: skip


def saved(*puzzles: Any, player: Any = "0123456789abcdef", **parts: Any) -> dict[str, Any]:
    return {
        "format": "epcg-traces", "version": 1, "player": player, "curriculum": "steps",
        "puzzles": list(puzzles),
    } | parts  # fmt: skip


def file_of(folder: Path, data: Any, name: str = "traces.json") -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def measured(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "root", size=100))
    return toy


def bring(place: Numbers, *data: Any) -> Any:
    files = [file_of(place.folder, each, f"{n}.json") for n, each in enumerate(data)]
    with Store.open(place.database, write=True) as store:
        return import_traces(store, files)


# --- bringing them in -------------------------------------------------------------------------------------


def test_a_trace_joins_with_scores_by_the_id_of_its_puzzle(measured: Numbers) -> None:
    found = bring(measured, saved(puzzle(42), puzzle(7, rating=None)))
    assert (found.new, found.seen, found.players, found.puzzles, found.unknown) == (2, 0, 1, 2, 0)
    assert measured.sql(
        "SELECT traces.rank, traces.seconds, scores.value FROM traces JOIN runs USING (space) "
        "JOIN scores ON scores.run_id = runs.run_id AND scores.rank = traces.rank "
        "WHERE scores.metric = 'digits' ORDER BY traces.rank"
    ) == [(7, 12.5, 7), (42, 12.5, 6)]


def test_what_is_there_is_seen_and_what_goes_on_is_appended(measured: Numbers) -> None:
    first = saved(puzzle(7, finished=False), puzzle(8))
    assert bring(measured, first).new == 2
    again = bring(measured, first, first)
    assert (again.new, again.seen) == (0, 4)
    later = bring(measured, saved(puzzle(7, seconds=99.0), puzzle(8)))
    assert (later.new, later.seen) == (1, 1)
    assert measured.sql("SELECT count(*) FROM play_trace") == [(3,)]
    assert measured.sql("SELECT rank, seconds, finished FROM traces ORDER BY rank") == [
        (7, 99.0, 1), (8, 12.5, 1)
    ]  # fmt: skip
    assert bring(measured, saved(puzzle(7), player="f" * 16)).new == 1
    assert bring(measured, saved({**puzzle(), "puzzle": "other:space?size=5#3"})).unknown == 1


def acted(*actions: Any, **parts: Any) -> dict[str, Any]:
    """A puzzle with its actions; `parts` may give counts that are not theirs."""
    kinds = [each[1] for each in actions if isinstance(each, list) and len(each) > 1]
    names = {"move": "moves", "undo": "undos", "restart": "restarts", "hint": "hints"}
    counts = {name: kinds.count(kind) for kind, name in names.items()}
    return puzzle(actions=list(actions), **(counts | parts))


def test_actions_are_rows_of_a_view(measured: Numbers) -> None:
    actions = [[10, "move", "left"], [2500, "undo"], [2500, "hint"], [9000, "solution"], [12_500, "move", ""]]
    first = saved(acted(*actions, finished=False), puzzle(8) | {"actions": None}, version=2)
    assert bring(measured, saved(puzzle(7), puzzle(9)), first).new == 4
    assert measured.sql("SELECT rank, position, ms, kind, action FROM play_actions ORDER BY position") == [
        (7, number, ms, kind, (*text, "")[0]) for number, (ms, kind, *text) in enumerate(actions)
    ]
    assert bring(measured, first).seen == 2
    with Store.open(measured.database) as store, store.reader() as reader:
        traces = {trace.rank: trace for trace in newest_traces(reader.connection)}
    assert traces[7].actions is not None
    assert [tuple(each) for each in traces[7].actions] == [(*each, "")[:3] for each in actions]
    assert traces[8].actions is traces[9].actions is None
    later = saved(acted([5, "move", "right"]), version=2)
    assert bring(measured, later).new == 1
    assert measured.sql("SELECT kind, action FROM play_actions") == [("move", "right")]


HOSTILE: list[tuple[Any, str]] = [
    ("", "is not valid JSON"),
    ("[" * 100_000, "is not valid JSON|nested"),
    ('{"format": "epcg-traces", "format": 1}', "is there twice"),
    ([], "not a file of a play page"),
    ({"format": "other"}, "not a file of a play page"),
    (saved(version=3), "version '3' is not known"),
    (saved(version=True), "version 'True' is not known"),
    (saved(puzzle(actions=[])), "'actions'\" is not known"),
    (saved(puzzle(), version=2), "'actions'\" is missing"),
    (saved(acted(8), version=2), "action 1: \\[milliseconds, kind\\]"),
    (saved(acted([1]), version=2), "action 1: \\[milliseconds, kind\\]"),
    (saved(acted([1.5, "undo"]), version=2), "'1.5' is not a number of milliseconds"),
    (saved(acted([-1, "undo"]), version=2), "'-1' is not a number of milliseconds"),
    (
        saved(acted([5, "move", "a"], [4, "undo"]), version=2),
        "action 2: its time is 4 ms, and that of the action before it 5",
    ),
    (saved(acted([5, "jump"]), version=2), "'jump' is not one of move, undo, restart, hint, solution"),
    (saved(acted([5, "undo", "b"]), version=2), "its text is not that of a move"),
    (saved(acted([5, "move", 7]), version=2), "its text is not that of a move"),
    (
        saved(acted([99_000, "move", "a"], moves=1), version=2),
        "its last action is at 99000 ms, and the time of all is 12.5",
    ),
    (saved(acted([5, "move", "a"], moves=2), version=2), '"moves" is 2, and 1 of the actions are such'),
    (saved(acted([5, "undo"], moves=0, undos=0), version=2), '"undos" is 0, and 1 of the actions are such'),
    (saved(player="Robert'); DROP TABLE play_trace"), '"player" is not'),
    (saved(player=7), '"player" is not'),
    (saved(curriculum=None), '"curriculum" is not'),
    (saved(puzzles={}), '"puzzles" is not a list'),
    (saved(5), "puzzle 1: a table is expected"),
    (saved(puzzle(), {"puzzle": "x"}), "puzzle 2: .* is missing"),
    (saved(puzzle(extra=1)), "'extra'\" is not known|\"'extra'\" is not known"),
    (saved(puzzle(puzzle="numbers:range?size=100")), "is not the id of a puzzle"),
    (saved(puzzle(puzzle=f"{SPACE}#-1")), "is not the id of a puzzle"),
    (saved(puzzle(puzzle=f"{SPACE}#9223372036854775808")), "rank is too large"),
    (saved(puzzle(puzzle="x" * 200_000 + ":a#1")), "is not the id of a puzzle"),
    (saved(puzzle(puzzle=None)), "is not the id of a puzzle"),
    (saved(puzzle(moves=-1)), '"moves" is not a number from 0'),
    (saved(puzzle(undos=True)), '"undos" is not a number from 0'),
    (saved(puzzle(hints=1.5)), '"hints" is not a number from 0'),
    (saved(puzzle(restarts=10**9)), '"restarts" is not a number from 0'),
    (saved(puzzle(finished="yes")), '"finished" is neither true nor false'),
    (saved(puzzle(solution=1)), '"solution" is neither true nor false'),
    (saved(puzzle(seconds=-0.5)), '"seconds" is not a number'),
    (json.dumps(saved(puzzle())).replace("12.5", "NaN"), "NaN is not a number of JSON"),
    (json.dumps(saved(puzzle())).replace("12.5", "1e999"), "traces"),
    (saved(puzzle(rating=6)), '"rating" is neither'),
    (saved(puzzle(rating="5")), '"rating" is neither'),
    (saved(puzzle(), puzzle()), "a puzzle is there twice"),
    (json.dumps(saved(player="\ud800")), "player|surrogate"),
]


@pytest.mark.sweep(15)
@pytest.mark.parametrize(("data", "sentence"), HOSTILE)
def test_a_hostile_file_gets_a_sentence_and_nothing_of_it_or_of_others_is_kept(
    measured: Numbers, data: Any, sentence: str
) -> None:
    with pytest.raises(StoreError, match=sentence) as raised:
        bring(measured, saved(puzzle()), data)
    assert len(str(raised.value)) < 400
    assert measured.sql("SELECT count(*) FROM play_trace") == [(0,)]


def test_a_file_that_is_too_large_or_not_there(
    measured: Numbers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("epcg_research.exchange.traces.MOST_BYTES", 10)
    with pytest.raises(StoreError, match="larger than"):
        read(file_of(tmp_path, saved(puzzle())))
    with pytest.raises(StoreError, match="There is no file"):
        read(tmp_path / "none.json")


# --- what they say ----------------------------------------------------------------------------------------


def trace(rank: int, player: str, **parts: Any) -> Trace:
    own = {"seconds": 1.0, "moves": 1, "undos": 0, "restarts": 0, "hints": 0, "rating": None}
    return Trace(
        player, f"{SPACE}#{rank}", SPACE, rank, "steps", solution_shown=False,
        **({"finished": True} | own | parts),
    )  # fmt: skip


def finding(values: dict[int, float], played: list[Trace], response: str) -> Finding:
    """What a measure with these values says of a response."""
    rows = [
        Answer(
            each.player,
            (each.space, each.rank),
            {r: float(v) for r in RESPONSES if (v := getattr(each, r)) is not None},
            finished=each.finished,
        )
        for each in played
    ]
    measure = Measure("m", (1,), {(SPACE, rank): value for rank, value in values.items()})
    (found,) = correlate(Answers("traces", OF_TRACES, tuple(rows)), [measure], [response]).found
    return found


def test_a_puzzle_counts_once_with_the_median_of_its_players() -> None:
    played = [trace(1, p, seconds=s) for p, s in (("a", 1.0), ("b", 3.0), ("c", 50.0))]
    played += [trace(2, "a", seconds=10.0), trace(3, "a", seconds=9.0, finished=False), trace(9, "a")]
    found = finding({1: 5.0, 2: 6.0, 3: 7.0}, played, "seconds")
    assert found.points == ((5.0, 3.0), (6.0, 10.0))
    assert (found.puzzles, found.people, found.gave_up, found.left_out) == (3, 3, 1, 1)
    assert found.estimate.value == pytest.approx(1.0)
    assert (found.estimate.low, found.estimate.high) == (None, None)
    hints = finding({1: 5.0, 2: 6.0, 3: 7.0}, played, "hints")
    assert (hints.puzzles, hints.left_out, hints.estimate.value) == (3, 1, None)
    assert finding({1: 5.0}, played, "rating").puzzles == 0


def study(reader: Reader, run: int | None = None, metrics: Sequence[str] = ()) -> Correlated:
    answers = of_traces(reader)
    return correlate(answers, measures(reader, answers, run, metrics))


def test_a_study_compares_all_measures_and_says_what_is_missing(measured: Numbers) -> None:
    ranks = (3, 30, 55, 81, 99)
    for player in "ab":
        bring(measured, saved(*(puzzle(r, seconds=float(r)) for r in ranks), player=player * 16))
    bring(measured, saved({**puzzle(), "puzzle": "other:space?size=5#3"}, player="c" * 16))
    found = measured.read(study)
    assert (found.people, found.puzzles, found.answers, found.unmeasured) == (3, 6, 11, 1)
    assert [(c.metric, c.response) for c in found.found] == list(
        itertools.product(("digits", "root"), RESPONSES)
    )
    (root,) = [c for c in found.found if (c.metric, c.response) == ("root", "seconds")]
    assert (root.puzzles, root.people) == (5, 2)
    assert root.estimate.value is not None
    assert root.estimate.value > 0.8
    with pytest.raises(UnknownNameError, match="unknown metric 'rot'"):
        measured.read(lambda reader: study(reader, None, ["rot"]))
    with pytest.raises(StoreError, match="Run 9 is not finished"):
        measured.read(lambda reader: study(reader, 9))


def test_without_traces_the_study_says_how_to_get_some(measured: Numbers, cli: Callable[..., Any]) -> None:
    assert "epcg import traces" in cli("study", "traces", code=1).stderr
    assert "epcg import responses" in cli("study", "correlate", code=1).stderr


def test_the_command_line(measured: Numbers, cli: Callable[..., Any]) -> None:
    file = file_of(measured.folder, saved(*(puzzle(r, seconds=float(r)) for r in (3, 30, 55, 81, 99))))
    assert "5 new traces, 0 that were here before" in cli("import", "traces", file).stderr
    assert "0 new traces, 10 that were here before" in cli("import", "traces", file, file).stderr
    said = cli("study", "traces", "--metric", "root")
    assert "rho" in said.stdout
    assert "5 answers of 1 people to 5 puzzles" in said.stderr
    rows = list(csv.DictReader(io.StringIO(cli("study", "traces", "--format", "csv").stdout)))
    assert len(rows) == 2 * len(RESPONSES)
    assert json.loads(cli("study", "traces", "--format", "json").stdout)["puzzles"] == 5
    assert "must end in .svg" in cli("study", "traces", "--plot", "root.gif", code=2).stderr


@pytest.mark.slow
def test_the_command_line_draws(measured: Numbers, cli: Callable[..., Any]) -> None:
    pytest.importorskip("matplotlib")
    bring(measured, saved(*(puzzle(r, seconds=float(r)) for r in (3, 30, 55, 81, 99))))
    cli("study", "traces", "--metric", "root", "--plot", "root.svg")
    assert (measured.folder / "root.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
