"""Progress tells the truth, in a form that suits its reader."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from epcg_core.execution import Progress
from epcg_core.execution.progress import numbers, short
from epcg_core.execution.progress_bar import ProgressBar
from tests.core.execution.conftest import ROOT


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_short_run_writes_one_line() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress("boards", 300, stream=stream, clock=clock) as progress:
        for _ in range(3):
            clock.now += 1
            progress.advance(100)
    assert lines(stream) == [
        {
            "event": "progress",
            "title": "boards",
            "done": 300,
            "total": 300,
            "unit": "candidates",
            "rate": 100.0,
            "eta_s": 0.0,
            "elapsed_s": 3.0,
        }
    ]


def test_a_long_run_writes_a_line_at_most_every_ten_seconds() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress("boards", 1000, stream=stream, clock=clock) as progress:
        for _ in range(100):
            clock.now += 0.25
            progress.advance(10)
    written = lines(stream)
    assert [line["done"] for line in written] == [400, 800, 1000]
    assert [line["eta_s"] for line in written] == [15.0, 5.0, 0.0]


def test_what_an_earlier_session_did_is_done_but_does_not_count_for_the_rate() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress("boards", 1000, done=800, stream=stream, clock=clock) as progress:
        clock.now += 10
        progress.advance(100)
        assert progress.done == 900
        assert progress.rate == pytest.approx(10.0)
        assert progress.eta_s == pytest.approx(10.0)
        assert progress.fraction == pytest.approx(0.9)
    assert [line["done"] for line in lines(stream)] == [900, 900]


def test_nothing_is_said_of_the_rate_before_something_is_done() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress("boards", 1000, done=800, stream=stream, clock=clock):
        clock.now += 5
    (line,) = lines(stream)
    assert line["rate"] is None
    assert line["eta_s"] is None
    assert line["done"] == 800


def test_the_last_state_is_written_after_an_error_too() -> None:
    stream = io.StringIO()
    with pytest.raises(LookupError), Progress("boards", 10, stream=stream) as progress:  # noqa: PT012
        progress.advance(4)
        raise LookupError
    assert lines(stream)[-1]["done"] == 4


def test_a_note_is_a_line_of_its_own() -> None:
    stream = io.StringIO()
    with Progress("boards", 10, stream=stream) as progress:
        progress.note("layer 3 [of 5] is solved")
    assert lines(stream)[0] == {"event": "note", "title": "boards", "text": "layer 3 [of 5] is solved"}


def test_quiet_is_silent() -> None:
    for stream in (io.StringIO(), Terminal()):
        with Progress("boards", 10, stream=stream, quiet=True) as progress:
            progress.note("a note")
            progress.advance(10)
        assert stream.getvalue() == ""


def test_stderr_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("boards", 10) as progress:
        progress.advance(10)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err)["done"] == 10


def test_spaces_beyond_the_floats_are_counted_exactly() -> None:
    stream, clock = io.StringIO(), Clock()
    with Progress("orders", 10**400, done=10**399, stream=stream, clock=clock) as progress:
        clock.now += 10
        progress.advance(1)
        assert progress.fraction == pytest.approx(0.1)
        assert "1.00e+399 of 1.00e+400 candidates" in numbers(progress)
    assert lines(stream)[-1]["done"] == 10**399 + 1
    assert lines(stream)[-1]["eta_s"] is None


def test_an_empty_space_is_done() -> None:
    with Progress("nothing", 0, stream=io.StringIO()) as progress:
        assert progress.fraction == 1.0


def test_a_terminal_shows_a_bar_and_notes_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream, clock = Terminal(), Clock()
    with Progress("boards [7x8]", 3_000_000, done=1_000_000, stream=stream, clock=clock) as progress:
        clock.now += 10
        progress.advance(500_000)
        progress.note("layer 3 [of 5] is solved")
    shown = stream.getvalue()
    assert "boards [7x8]" in shown
    assert "layer 3 [of 5] is solved" in shown
    assert "50 %  1.5 M of 3 M candidates  0:00:10  50 k/s  0:00:30 left" in shown
    assert '"event"' not in shown


def test_rich_is_imported_for_a_terminal_only() -> None:
    code = (
        "import sys\n"
        "from epcg_core.execution import Progress\n"
        "with Progress('boards', 10) as progress: progress.advance(10)\n"
        "print('rich' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (999.9, "1 k"),
        (1260, "1.26 k"),
        (40_100_000, "40.1 M"),
        (3e9, "3 G"),
        (0.25, "0.25"),
    ],
)
def test_numbers_are_shortened_to_three_digits(number: float, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize("width", [10, 20, 40, 79, 120, 300])
def test_a_bar_takes_one_line_at_any_width(width: int) -> None:
    title = "Numbers range: size 100, " + "a very long title " * 10
    bar = ProgressBar(
        title, 0.4, lambda: "40 %  1.26 M of 3 M candidates  0:00:03  420 k/s  0:00:04 left", Terminal()
    )
    screen = io.StringIO()
    console = Console(width=width, file=screen, force_terminal=True, color_system=None)
    console.print(bar._rich.get_renderable())
    [line] = screen.getvalue().splitlines()
    assert len(line) <= width
    assert ("0:00:04 left" in line) == (width >= 79)
