"""Tables of studies with people: what is brought in, and what is refused, by line and column."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from epcg_research.exchange.responses import column_of
from epcg_research.studies.reading import about_people, named, recorded

from epcg_core.base.errors import StoreError
from epcg_core.store import find
from tests.workplace import Numbers

SPACE = "numbers:range?size=100"
GOOD = f"""who,puzzle,fun,ms,solved,nr
ann,{SPACE}#7,4,1500,1,1
ann,{SPACE}#8,2,2500,0,2
bob,{SPACE}#7,5,900,yes,1
bob,1#9,NA,,no,2
"""


@pytest.fixture
def measured(toy: Numbers) -> Numbers:
    toy.given(toy.query("digits", "root", size=100))
    return toy


def written(place: Numbers, text: str, name: str = "play.csv") -> Path:
    path = place.folder / name
    path.write_text(text, encoding="utf-8")
    return path


USUAL = ("--puzzle", "puzzle", "--person", "who", "--response", "fun:1..5", "--time", "seconds=ms[ms]")


def refused(place: Numbers, cli: Callable[..., Any], text: str, *more: Any, name: str = "play.csv") -> str:
    """What is said of a file at fault; nothing of it is recorded."""
    said = cli("import", "responses", written(place, text, name), *(more or USUAL), code=1).stderr
    assert place.read(recorded) == []
    assert len(said) < 1200
    return " ".join(said.split())


def test_a_table_is_recorded_and_joins_with_scores(measured: Numbers, cli: Callable[..., Any]) -> None:
    said = cli(
        "import", "responses", written(measured, GOOD), *USUAL, "--finished", "solved", "--order", "nr"
    ).stderr
    assert "4 answers of 2 people to 3 puzzles are the study 'play'" in said
    assert measured.sql(
        "SELECT study, person, puzzle, space, rank, position, finished, response, value, unit FROM responses "
        "ORDER BY person, rank, response"
    ) == [
        ("play", "ann", f"{SPACE}#7", SPACE, 7, 1.0, 1, "fun", 4.0, ""),
        ("play", "ann", f"{SPACE}#7", SPACE, 7, 1.0, 1, "seconds", 1.5, "s"),
        ("play", "ann", f"{SPACE}#8", SPACE, 8, 2.0, 0, "fun", 2.0, ""),
        ("play", "ann", f"{SPACE}#8", SPACE, 8, 2.0, 0, "seconds", 2.5, "s"),
        ("play", "bob", f"{SPACE}#7", SPACE, 7, 1.0, 1, "fun", 5.0, ""),
        ("play", "bob", f"{SPACE}#7", SPACE, 7, 1.0, 1, "seconds", 0.9, "s"),
    ]
    assert measured.sql(
        "SELECT responses.value, scores.value FROM responses JOIN runs USING (space) JOIN scores "
        "ON scores.run_id = runs.run_id AND scores.rank = responses.rank "
        "WHERE response = 'fun' AND metric = 'digits' ORDER BY responses.value"
    ) == [(2.0, 8), (4.0, 7), (5.0, 7)]
    rows = list(csv.DictReader(io.StringIO(cli("study", "responses", "--format", "csv").stdout)))
    assert [(r["response"], r["unit"], r["scale"], r["people"], r["answers"]) for r in rows] == [
        ("fun", "", "1 to 5", "2", "3"), ("seconds", "s", "from 0", "2", "4"),
    ]  # fmt: skip


def test_a_study_of_the_same_name_is_replaced_only_if_that_is_said(
    measured: Numbers, cli: Callable[..., Any]
) -> None:
    file = written(measured, GOOD)
    cli("import", "responses", file, *USUAL)
    assert "There is a study 'play' already" in cli("import", "responses", file, *USUAL, code=1).stderr
    written(measured, "\n".join(GOOD.splitlines()[:2]) + "\n")
    cli("import", "responses", file, *USUAL, "--replace")
    assert measured.sql("SELECT count(*) FROM responses_answer") == [(1,)]
    assert measured.sql("SELECT count(*) FROM responses_value") == [(2,)]
    cli("import", "responses", file, *USUAL, "--study", "again")
    assert [each.study for each in measured.read(recorded)] == ["again", "play"]
    assert "choose one with --study" in cli("study", "correlate", code=1).stderr
    assert "unknown study 'ply'" in cli("study", "correlate", "--study", "ply", code=1).stderr


def test_ranks_short_ids_texts_and_labels_name_puzzles(measured: Numbers, cli: Callable[..., Any]) -> None:
    written(measured, "who,level,fun\na,17,1\nb,18,2\n", "ranks.csv")
    for number, space in enumerate(("1", SPACE)):
        cli(
            "import", "responses", "ranks.csv", "--space", space, "--puzzle", "level", "--person", "who",
            "--response", "fun", "--study", f"ranks{number}",
        )  # fmt: skip
    written(measured, f"label,puzzle\nfirst,{SPACE}#17\nsecond,1#18\n", "labels.csv")
    written(measured, "who;level;fun\na;first;1\nb;second;2\n", "labelled.csv")
    cli(
        "import", "responses", "labelled.csv", "--labels", "labels.csv", "--puzzle", "level", "--person",
        "who", "--response", "fun", "--separator", ";",
    )  # fmt: skip
    found = measured.read(recorded)
    assert [each.study for each in found] == ["labelled", "ranks0", "ranks1"]
    for each in found:
        assert [(answer.person, answer.puzzle, answer.values) for answer in each.answers] == [
            ("a", (SPACE, 17), {"fun": 1.0}), ("b", (SPACE, 18), {"fun": 2.0}),
        ]  # fmt: skip


def test_a_parquet_file_is_read_like_a_csv(measured: Numbers, cli: Callable[..., Any]) -> None:
    pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"who": ["a", "a"], "puzzle": [7, 8], "fun": [1.5, None]})
    parquet.write_table(table, measured.folder / "votes.parquet")
    cli(
        "import", "responses", "votes.parquet", "--space", "1", "--puzzle", "puzzle", "--person", "who",
        "--response", "fun",
    )  # fmt: skip
    assert measured.sql("SELECT person, rank, value FROM responses") == [("a", 7, 1.5)]
    (measured.folder / "cut.parquet").write_bytes((measured.folder / "votes.parquet").read_bytes()[:200])
    said = cli("import", "responses", "cut.parquet", *USUAL, code=1).stderr
    assert "cannot be read as a Parquet file" in said


HEADER = "who,puzzle,fun,ms\n"
FAULTS = [
    ("", "is empty"),
    (HEADER, "has no rows"),
    (HEADER.replace(",", ";") + "a;b;1;2\n", "its separator may be ';'"),
    ("who,puzzle,fun\n", "unknown column 'ms'"),
    ("who,puzzle,fun,fun,ms\n", "two columns 'fun'"),
    (f"{HEADER}a,{SPACE}#7,3\n", "line 2 has 3 cells, and there are 4 columns: the file may be cut"),
    (f'{HEADER}a,"{SPACE}#7,3,100\n', "line 2: unexpected end of data; the file may be cut off"),
    (f"{HEADER},{SPACE}#7,3,100\n", "line 2, column 'who': there is no person"),
    (f"{HEADER}a,,3,100\n", "has one fault, .* line 2, column 'puzzle': there is no puzzle"),
    (f"{HEADER}a,{SPACE}#7,6,100\n", "line 2, column 'fun': 6 is not on the scale 1 to 5"),
    (f"{HEADER}a,{SPACE}#7,lots,100\n", "line 2, column 'fun': 'lots' is not a number"),
    (f"{HEADER}a,{SPACE}#7,1_0,100\n", "'1_0' is not a number"),
    (f"{HEADER}a,{SPACE}#7,inf,100\n", "'inf' is not a number"),
    (f"{HEADER}a,{SPACE}#7,3,-100\n", "line 2, column 'ms': -100 is negative: the clock went back"),
    (f"{HEADER}a,{SPACE}#100,3,100\n", "line 2, column 'puzzle': .* has ranks 0 to 99, not 100"),
    (f"{HEADER}a,7,3,100\n", "'7' is a rank, and of which space is not said: add --space"),
    (f"{HEADER}a,9#7,3,100\n", "line 2, column 'puzzle': There is no run 9"),
    (f"{HEADER}a,{SPACE}#7,3,1\na,{SPACE}#7,4,1\n", "line 3, column 'who': 'a' answered this .* line 2"),
    (f"{HEADER}a,{SPACE}#7,3,1\na,1#7,4,1\n", "answered this puzzle in line 2 already"),
    (HEADER + "a,,3,1\n" * 9, "has 9 faults, and nothing is recorded: .*; and 4 more"),
]


@pytest.mark.sweep(7)
@pytest.mark.parametrize(("text", "sentence"), FAULTS)
def test_a_table_at_fault_is_refused_by_line_and_column(
    measured: Numbers, cli: Callable[..., Any], text: str, sentence: str
) -> None:
    assert re.search(sentence, refused(measured, cli, text))


def test_a_place_twice_and_a_mark_that_is_neither(measured: Numbers, cli: Callable[..., Any]) -> None:
    text = GOOD.replace("0,2\nbob", "0,1\nbob")
    assert "line 3, column 'nr': 'ann' has the place 1 in line 2 already" in refused(
        measured, cli, text, *USUAL, "--order", "nr"
    )
    said = refused(measured, cli, GOOD.replace("0,2\nbob", "3,2\nbob"), *USUAL, "--finished", "solved")
    assert "line 3, column 'solved': 3 is neither 1 (solved) nor 0 (given up)" in said


def test_a_text_that_names_nothing_is_looked_for_once_and_many_faults_end_the_reading(
    measured: Numbers, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels without a file of labels stand in every row of a study."""
    asked: list[str] = []
    genuine = find.named

    def named(text: str, *more: Any) -> Any:
        asked.append(text)
        return genuine(text, *more)

    monkeypatch.setattr(find, "named", named)
    few = "".join(f"p{row},no such {row % 3},1,1,1,1\n" for row in range(15))
    table = f"who,puzzle,fun,ms,solved,nr\n{few}"
    assert "15 faults" in refused(measured, cli, table)
    assert asked == ["no such 0", "no such 1", "no such 2"]
    asked.clear()
    many = "".join(f"q{row},other {row},1,1,1,1\n" for row in range(3000))
    assert "has 20 or more faults" in refused(measured, cli, f"who,puzzle,fun,ms,solved,nr\n{many}")
    assert len(asked) == 20


def test_labels_that_mean_two_puzzles_or_one_twice(measured: Numbers, cli: Callable[..., Any]) -> None:
    table = "who,puzzle,fun,ms\na,x,1,1\nb,y,2,1\n"
    asked = (*USUAL, "--labels", "labels.csv")
    written(measured, f"label,puzzle\nx,{SPACE}#1\nx,{SPACE}#2\n", "labels.csv")
    assert "line 3: two puzzles have the label 'x'" in refused(measured, cli, table, *asked)
    written(measured, f"label,puzzle\nx,{SPACE}#1\ny,1#1\n", "labels.csv")
    assert "line 3, column 'puzzle': 'y' and 'x' are labels of one puzzle" in refused(
        measured, cli, table, *asked
    )
    written(measured, f"label,puzzle\nx,{SPACE}#1\n", "labels.csv")
    assert "does not say which puzzle 'y' is" in refused(measured, cli, table, *asked)
    written(measured, "name,puzzle\n", "labels.csv")
    assert "unknown column 'label'" in refused(measured, cli, table, *asked)


def test_options_that_say_nothing(measured: Numbers, cli: Callable[..., Any]) -> None:
    asked = ("--puzzle", "puzzle", "--person", "who")
    assert "nothing to import" in refused(measured, cli, GOOD, *asked)
    assert "Two responses are called 'fun'" in refused(measured, cli, GOOD, *USUAL, "--response", "fun=ms")
    assert "are the traces of play pages" in refused(measured, cli, GOOD, *USUAL, "--study", "traces")
    assert "There is no file" in cli("import", "responses", "none.csv", *USUAL, code=1).stderr
    for text, sentence in (
        ("a:5..1", "the scale ends at 1"), ("a:b", "does not name a column"), ("", "does not name a column"),
    ):  # fmt: skip
        with pytest.raises(StoreError, match=sentence):
            column_of(text)
    with pytest.raises(StoreError, match=r"say the unit of the time: t\[ms\]"):
        column_of("t[days]", time=True)
    minutes = column_of("t=clock[min]:0..5", time=True)
    assert (minutes.column, minutes.factor, minutes.response.high) == ("clock", 60, 300)


def test_reading_a_database_without_tables_of_studies_makes_none(
    measured: Numbers, cli: Callable[..., Any]
) -> None:
    assert json.loads(cli("study", "responses", "--format", "json").stdout) == []
    assert measured.sql("SELECT count(*) FROM sqlite_master WHERE name LIKE 'responses%'") == [(0,)]


CONDITIONS = """who,rank,s,done,pair,kind,when,team,years,first
ann,7,9,1,a,plain,calm,red,31,0
ann,8,12,0,a,spiked,calm,red,31,0
ann,50,99,1,,,,red,31,1
bob,8,,,a,spiked,timed,blue,40,0
bob,7,5,1,a,plain,timed,blue,40,0
"""
OF_CONDITIONS = ("--space", 1, "--puzzle", "rank", "--person", "who", "--time", "seconds=s[s]", "--finished",
                 "done", "--set", "pair", "--label", "kind", "--condition", "when", "--group", "team",
                 "--about", "age=years", "--training", "first")  # fmt: skip


def test_a_table_has_conditions_groups_and_people_as_a_study_on_pages(
    measured: Numbers, cli: Callable[..., Any]
) -> None:
    cli("import", "responses", written(measured, CONDITIONS), *OF_CONDITIONS)
    answers = measured.read(named)
    assert {(a.person, a.puzzle[1], a.set, a.label, a.condition, a.group) for a in answers.answers} == {
        ("ann", 7, "a", "plain", "calm", "red"), ("ann", 8, "a", "spiked", "calm", "red"),
        ("bob", 8, "a", "spiked", "timed", "blue"), ("bob", 7, "a", "plain", "timed", "blue"),
    }  # fmt: skip
    assert [(a.person, a.puzzle[1]) for a in answers.answers if a.empty] == [("bob", 8)]
    assert answers.set_aside.training == 1
    assert measured.read(lambda reader: about_people(reader, "play")) == {"age": {"ann": "31", "bob": "40"}}
    for by in ("group", "condition", "label"):
        assert len(set(answers.under(by).values())) == 2
    assert measured.sql('SELECT person, "group", complete FROM study_people') == [
        ("ann", "red", 1),
        ("bob", "blue", 0),
    ]
    cli("study", "conditions", "--by", "label", "--response", "seconds")
    changed = written(measured, CONDITIONS.replace("a,plain,timed,blue", "a,plain,timed,red"))
    refused = " ".join(
        cli("import", "responses", changed, *OF_CONDITIONS, "--replace", code=1).stderr.split()
    )
    assert "line 6, column 'team': 'red'" in refused
    assert "'bob' has 'blue' in line 5" in refused
    odd = cli("import", "responses", changed, *OF_CONDITIONS, "--about", "age", code=1).stderr
    assert "'age' is named twice" in odd


def test_a_table_without_sets_is_one_set(measured: Numbers, cli: Callable[..., Any]) -> None:
    file = written(measured, "who,rank,fun,team\na,3,4,red\na,4,5,red\nb,3,1,blue\n")
    cli("import", "responses", file, "--space", 1, "--puzzle", "rank", "--person", "who", "--response", "fun",
        "--group", "team")  # fmt: skip
    answers = measured.read(named)
    assert {each.set for each in answers.answers} == {"play"}
    assert answers.set_aside.training == 0
    (found,) = json.loads(cli("study", "conditions", "--format", "json").stdout)
    assert (found["one"], found["first"], found["other"], found["second"]) == ("blue", 1.0, "red", 4.5)


def test_only_those_who_solved_are_asked_about_only_by_name(
    measured: Numbers, cli: Callable[..., Any]
) -> None:
    """Hard puzzles are given up, so that being left out goes with the measure, which the first line says."""
    rows = [
        f"p{who},{rank},{rank + who},{int(rank < 60 or who == 0)}"
        for who in range(9)
        for rank in range(5, 99, 10)
    ]
    file = written(measured, "\n".join(["who,rank,s,done", *rows]) + "\n")
    cli("import", "responses", file, "--space", 1, "--puzzle", "rank", "--person", "who", "--time",
        "seconds=s[s]", "--finished", "done")  # fmt: skip
    asked = ("study", "correlate", "--metric", "root", "--response", "seconds")
    whole = json.loads(cli(*asked, "--format", "json").stdout)
    assert (whole["found"][0]["gave_up"], whole["set_aside"]["given_up"]) == (32, 0)
    said = cli(*asked, "--only-solved")
    lines = said.stderr.splitlines()
    assert lines[0].startswith("What is left out goes with 'root'")
    assert "Only solved puzzles count: 32 answers are of people who gave up" in " ".join(said.stderr.split())
    found = json.loads(cli(*asked, "--only-solved", "--format", "json").stdout)
    assert (found["answers"], found["unanswered"], found["found"][0]["gave_up"]) == (58, 0, 0)
