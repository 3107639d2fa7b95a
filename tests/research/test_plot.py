"""`epcg plot`, looked at through the SVG that it writes."""

from __future__ import annotations

import sqlite3
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import Result
from epcg_research.figures import Series, draw_layers
from epcg_research.figures.bars import MOST_BARS, even_bins
from epcg_research.figures.points import LABELLED_POINTS

from tests.workplace import Numbers

SVG = "{http://www.w3.org/2000/svg}"
pytestmark = pytest.mark.usefixtures("answered")
needs_matplotlib = pytest.mark.skipif(
    "not __import__('importlib').util.find_spec('matplotlib')", reason="the extra 'plot' is not installed"
)


def texts(path: Path) -> list[str]:
    """The texts of an SVG, in the order of the file."""
    found = ElementTree.parse(path).getroot().iter(f"{SVG}text")
    return ["".join(element.itertext()) for element in found]


@needs_matplotlib
def test_a_distribution_is_drawn_and_named(cli: Callable[..., Result]) -> None:
    cli("plot", 1, "--metric", "digits", "--output", "digits.svg")
    found = texts(Path("digits.svg"))
    assert {"Numbers range: size 100", "digits", "candidates", "mean 9", "100 candidates"} <= set(found)
    cli("plot", 1, "--metric", "even", "--output", "even.svg", "--title", "Even or not")
    assert {"no", "yes", "50 (50 %)", "Even or not"} <= set(texts(Path("even.svg")))


@needs_matplotlib
def test_several_metrics_are_drawn_one_below_the_other(cli: Callable[..., Result]) -> None:
    cli("plot", 1, "--metric", "digits", "--metric", "even", "--metric", "digits", "--output", "two.svg")
    found = texts(Path("two.svg"))
    assert {"digits", "mean 9", "even", "50 (50 %)"} <= set(found)
    assert found.count("Numbers range: size 100") == 2
    assert (
        "Did you mean 'digits'?"
        in cli("plot", 1, "--metric", "even", "--metric", "digit", "--output", "x.svg", code=1).stderr
    )


@needs_matplotlib
def test_labels_of_layers_lie_apart(tmp_path: Path) -> None:
    layers = list(range(1, LABELLED_POINTS + 1))
    close = [0.123 * layer for layer in layers]
    draw_layers(tmp_path / "a.svg", [Series("a", layers, close, close)], "pieces", "Solvable", False)
    places = {}
    for element in ElementTree.parse(tmp_path / "a.svg").getroot().iter(f"{SVG}text"):
        style = element.get("style", "")
        if "8px" in style:
            place = float(element.attrib["x"]), float(element.attrib["y"])
            places[place] = len(element.text or "")
    assert len(places) == 2 * LABELLED_POINTS
    for (x, y), length in places.items():
        for u, v in places:
            assert (x, y) == (u, v) or abs(y - v) > 8 or abs(x - u) > 5 * length


@needs_matplotlib
def test_several_runs_are_compared(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", size=1000), "--quiet")
    cli("plot", 1, 3, "--metric", "digits", "--output", "both.svg")
    found = texts(Path("both.svg"))
    assert "run 1: Numbers range: size 100" in found
    assert "run 3: Numbers range: size 1000" in found


@needs_matplotlib
def test_the_same_numbers_make_the_same_file(cli: Callable[..., Result]) -> None:
    cli("plot", 1, "--metric", "root", "--output", "a.svg")
    cli("plot", 1, "--metric", "root", "--output", "b.svg")
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


@needs_matplotlib
def test_a_png_is_a_png(cli: Callable[..., Result]) -> None:
    cli("plot", 1, "--output", "pictures/one.png", "--log")
    assert Path("pictures/one.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.sweep
@needs_matplotlib
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT rank, value FROM scores WHERE metric = 'root'",
        "SELECT value, rank FROM scores WHERE metric = 'digits'",
        "SELECT metric, total FROM metrics",
    ],
)
def test_two_columns_of_any_statement(cli: Callable[..., Result], statement: str) -> None:
    cli("plot", "--sql", statement, "--output", "columns.svg")
    first, second = statement.split()[1].rstrip(","), statement.split()[2]
    found = texts(Path("columns.svg"))
    assert second in found
    assert first in found or "divisor" in found


@needs_matplotlib
def test_layers_are_drawn_by_the_param_that_numbers_them(
    cli: Callable[..., Result], answered: Numbers
) -> None:
    """Rows as retrograde analysis records them, made by hand: the toy domain has no layers."""
    with sqlite3.connect(answered.database) as connection:
        connection.executescript(
            """DROP VIEW layers;
            CREATE VIEW layers AS SELECT 'numbers' AS domain, 'range' AS generator, 'moves' AS uniqueness,
                column1 AS layer, json_object('size', 9, 'height', column1) AS params,
                column2 AS percent_solvable, column3 AS percent_uniquely_solvable
            FROM (VALUES (1, 100.0, 100.0), (2, 40.0, 30.0), (3, 25.0, 5.0));"""
        )
    cli("plot", "--layers", "--output", "layers.svg")
    found = set(texts(Path("layers.svg")))
    assert "height" in found
    assert "Solvable, by layer: Numbers range: size 9, unique by moves" in found
    assert {"solvable", "uniquely solvable", "40", "30", "25", "5"} <= found
    assert "no solved layer" in cli("plot", "--layers", "--domain", "x", "--output", "y.svg", code=1).stderr


def test_without_matplotlib_the_extra_is_named(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = cli("plot", 1, "--output", "x.svg", code=1).stderr
    assert "pip install 'epcg-research[plot]'" in said


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([], 2, "Name what to plot"),
        (["1", "--layers"], 2, "one of them"),
        (["--layers"], 1, "no solved layer"),
        (["1", "--metric", "digit"], 1, "Did you mean 'digits'?"),
        (["--sql", "SELECT 1"], 1, "two columns"),
        (["--sql", "SELECT 1, 'x'"], 1, "must be numbers"),
        (["--sql", "SELECT 1, NULL"], 1, "no row"),
        (["--sql", "SELEKT"], 1, "syntax error"),
        (["--sql", "SELECT 1, 2", "--metric", "digits"], 2, "--metric"),
    ],
)
@needs_matplotlib
def test_mistakes(cli: Callable[..., Result], arguments: list[str], code: int, sentence: str) -> None:
    assert sentence in cli("plot", *arguments, "--output", "x.svg", code=code).stderr
    assert not Path("x.svg").exists()


def test_only_known_formats(cli: Callable[..., Result]) -> None:
    assert ".svg, .png or .pdf" in cli("plot", 1, "--output", "x.doc", code=2).stderr


@pytest.mark.parametrize("highest", [0, 1, 18, 59, 60, 61, 1000])
def test_even_bins_lose_nothing(highest: int) -> None:
    bins = [(value, value, value + 1) for value in range(highest + 1)]
    for kind in ("int", "real"):
        edges, counts = even_bins(bins, kind)
        assert len(counts) == len(edges) - 1 <= MOST_BARS
        assert sum(counts) == sum(count for _, _, count in bins)
        assert edges[0] <= 0
        assert edges[-1] >= highest
        widths = {round(b - a, 9) for a, b in pairwise(edges)}
        assert len(widths) == 1


def test_whole_numbers_stand_in_the_middle_of_their_bins() -> None:
    assert even_bins([(3, 3, 5), (5, 5, 2)], "int") == ([2.5, 3.5, 4.5, 5.5], [5, 0, 2])
