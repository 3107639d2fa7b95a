"""Tables, JSON, CSV and numbers in words."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, strategies as st

from epcg_core.api import words
from epcg_core.cli import output
from tests.workplace import Workplace

cells = st.none() | st.integers() | st.floats() | st.text() | st.booleans() | st.binary()


@given(st.lists(st.tuples(cells, cells)))
def test_every_row_is_one_valid_json_object(rows: list[tuple[object, object]]) -> None:
    text = "\n".join(output.json_lines(["a", "b"], rows))

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    data = json.loads(text, parse_constant=refuse)
    assert [list(row) for row in data] == [["a", "b"]] * len(rows)


@given(st.tuples(cells, cells, st.tuples(cells), cells))
@pytest.mark.parametrize("names", [("a", "b", "é", '"'), ("a", "a", "b", "a")])
def test_rows_are_written_as_the_encoder_writes_them(names: tuple[str, ...], row: tuple[object, ...]) -> None:
    (_, line, _) = output.json_lines(names, [row])
    values = map(output.json_value, row)
    assert line == json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)


def test_no_encoder_is_made_for_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], json.JSONEncoder.__init__

    def counted(self: json.JSONEncoder, **how: bool) -> None:
        made.append(how)
        make(self, **how)

    monkeypatch.setattr(json.JSONEncoder, "__init__", counted)
    rows = [(1, 0.5, None, True, "text", [1, 2])] * 10
    assert len(list(output.json_lines("abcdef", rows))) == len(rows) + 2
    assert not made


def test_a_row_of_another_length_is_refused() -> None:
    for row in ((1,), (1, 2, 3)):
        with pytest.raises(ValueError, match=f"a row of {len(row)} cells"):
            list(output.json_lines(["a", "b"], [row]))


@pytest.mark.parametrize("most", [1, 3])
@given(rows=st.lists(st.tuples(cells, st.booleans(), st.integers())))
def test_rows_are_written_together_as_they_are_one_by_one(
    most: int, rows: list[tuple[object, bool, int]]
) -> None:
    header = ["a", "50 %", "c"]
    lines = [[*write(header, rows)] for write in (output.json_lines, output.csv_lines)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "MOST_TOGETHER", most)
        assert [[*write(header, rows)] for write in (output.json_lines, output.csv_lines)] == lines


def test_the_first_row_does_not_wait_for_the_second() -> None:
    for write in (output.json_lines, output.csv_lines):
        taken: list[int] = []
        lines = write(["a"], ([taken.append(each) or each] for each in range(9)))  # type: ignore[func-returns-value]
        next(lines), next(lines)
        assert len(taken) < 4


def test_rows_of_several_lengths_are_csv_too() -> None:
    assert [*output.csv_lines(["a", "b"], [(1,), (2, 3), (4, 5, True)])] == ["a,b", "1", "2,3", "4,5,1"]


@given(st.lists(st.tuples(st.text(), st.integers())))
def test_csv_reads_back(rows: list[tuple[str, int]]) -> None:
    text = "\n".join(output.csv_lines(["a", "b"], rows))
    assert list(csv.reader(io.StringIO(text, newline="")))[1:] == [[a, str(b)] for a, b in rows]


def test_columns_are_aligned_and_numbers_to_the_right() -> None:
    lines = list(output.plain_table(["name", "n", "share"], [["a", 1, None], ["long one", 1000, 0.25]]))
    assert lines == [
        "name         n  share",
        "a            1      -",
        "long one  1000   0.25",
    ]


def test_numbers_in_words_are_numbers() -> None:
    rows = output.labelled([["a", "1 to 9", "-"], ["b", "too large", "7 %"]])
    assert list(output.plain_table(["n", "states", "share"], rows)) == [
        "n     states  share",
        "a     1 to 9      -",
        "b  too large    7 %",
    ]


def test_rows_beyond_the_widths_are_not_cut() -> None:
    lines = list(output.plain_table(["x"], [["a"]], [["much longer"], ["b"]], "Title"))
    assert lines == ["Title", "x", "a", "much longer", "b"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"), (0.0, "< 0.01 s"), (0.32, "0.32 s"), (12.4, "12 s"), (125, "2 min 5 s"),
        (11_400, "3 h 10 min"), (432_000, "5 days"),
    ],
)  # fmt: skip
def test_duration(seconds: float | None, text: str) -> None:
    assert output.duration(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"), (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (1_300_000, "1.3 MB"),
        (999_600, "1 MB"), (10**9, "1 GB"), (374_400_000, "374 MB"),
        (5 * 10**15, "5 PB"), (10**18, "1000 PB"),
    ],
)  # fmt: skip
def test_size(number: int | None, text: str) -> None:
    assert output.size(number) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "-"), (0, 9, "0.00 %"), (1, 3, "33.33 %"), (1, 10**6, "< 0.01 %"), (5, 5, "100.00 %")],
)
def test_share(part: int, whole: int, text: str) -> None:
    assert output.share(part, whole) == text


# --- what commands a terminal -----------------------------------------------------------------------------

HOSTILE = "\x1b]0;title\x07red\x9b31m \r\u202eback"
SHOWN = r"\x1b]0;title\x07red\x9b31m \r\u202eback"


def test_texts_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    output.say(HOSTILE)
    output.show(HOSTILE)
    output.write_table(["text"], [[HOSTILE]], HOSTILE)
    captured = capsys.readouterr()
    assert captured.err == f"{SHOWN}\n"
    assert captured.out.splitlines() == [SHOWN, SHOWN, "text", SHOWN]


def test_line_ends_tabs_and_letters_of_all_languages_stay() -> None:
    assert output.printable("a\n\tß → 日本") == "a\n\tß → 日本"


def test_a_message_about_a_file_cannot_command_the_terminal(bench: Workplace) -> None:
    (bench.folder / "q.toml").write_text('"key\\u001b[31m" = 1\n')
    result = bench.epcg("run", "q.toml", code=1)
    assert "\x1b" not in result.stderr
    assert r"\x1b[31m" in result.stderr
